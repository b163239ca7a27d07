//! The sizes of the equivalence classes of a table, from which risks are computed (SCIENCE 12). It
//! knows no labels.

use std::collections::BTreeMap;

/// The number of classes of each size. Never of size 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sizes(BTreeMap<u64, u64>);

impl Sizes {
    /// Changes the size of one class; 0 removes it.
    pub fn replace(&mut self, size: u64, other: u64) {
        if let Some(classes) = self.0.get_mut(&size) {
            assert!(*classes > 0, "there is a class of this size");
            *classes -= 1;
            if *classes == 0 {
                self.0.remove(&size);
            }
        }
        self.extend([(other, 1)]);
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        let rows = self.iter().map(|(size, classes)| size * classes).sum();
        assert!(rows >= self.classes(), "a class has a row");
        rows
    }

    /// The number of classes.
    pub fn classes(&self) -> u64 {
        self.0.values().sum()
    }

    /// The number of rows of the smallest class; `None` if there are no rows.
    pub fn smallest(&self) -> Option<u64> {
        self.0.keys().next().copied()
    }

    /// The number of classes of this size.
    pub fn of_size(&self, size: u64) -> u64 {
        self.0.get(&size).copied().unwrap_or(0)
    }

    /// The sizes, ascending, with the number of classes of each.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().map(|(&size, &classes)| (size, classes))
    }
}

impl Extend<(u64, u64)> for Sizes {
    fn extend<I: IntoIterator<Item = (u64, u64)>>(&mut self, sizes: I) {
        for (size, classes) in sizes
            .into_iter()
            .filter(|&(size, classes)| size > 0 && classes > 0)
        {
            *self.0.entry(size).or_default() += classes;
        }
    }
}

impl FromIterator<(u64, u64)> for Sizes {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(sizes: I) -> Sizes {
        let mut all = Sizes::default();
        all.extend(sizes);
        all
    }
}
