//! The class of each leaf tuple, where classes were formed from people before they had labels
//! (SCIENCE 7). Holds leaves of quasi columns, without numbers of people.

use std::fmt;

use super::taxonomy::Leaf;

/// The class of each leaf tuple.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct LeafClasses {
    width: usize,
    /// Tuples, one after the other, ascending.
    leaves: Vec<Leaf>,
    /// Their classes.
    classes: Vec<u32>,
}

impl fmt::Debug for LeafClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({} leaf tuples)", self.classes.len())
    }
}

impl LeafClasses {
    /// From the tuples of each class.
    ///
    /// # Panics
    /// If a tuple is in two classes, or has another width than the others.
    pub(crate) fn new(groups: &[Vec<Vec<Leaf>>]) -> LeafClasses {
        let class = |(class, tuples): (u32, &Vec<Vec<Leaf>>)| -> Vec<(Vec<Leaf>, u32)> {
            tuples.iter().map(|tuple| (tuple.clone(), class)).collect()
        };
        let mut all: Vec<(Vec<Leaf>, u32)> = (0..).zip(groups).flat_map(class).collect();
        all.sort_unstable();
        let width = all.first().map_or(0, |(tuple, _)| tuple.len());
        assert!(
            all.iter().all(|(tuple, _)| tuple.len() == width),
            "tuples of one width"
        );
        assert!(
            all.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "each tuple is in one class"
        );
        let classes = all.iter().map(|&(_, class)| class).collect();
        LeafClasses {
            width,
            leaves: all.into_iter().flat_map(|(tuple, _)| tuple).collect(),
            classes,
        }
    }

    /// The tuples of each of `classes` classes, ascending.
    pub(crate) fn groups(&self, classes: usize) -> Vec<Vec<Vec<Leaf>>> {
        let mut groups = vec![Vec::new(); classes];
        for (at, &class) in self.classes.iter().enumerate() {
            groups[class as usize].push(self.tuple(at).to_vec());
        }
        groups
    }

    /// The class of a tuple; `None` if it is in no class.
    pub(crate) fn class(&self, tuple: &[Leaf]) -> Option<usize> {
        let (mut from, mut to) = (0, self.classes.len());
        while from < to {
            let middle = from.midpoint(to);
            match self.tuple(middle).cmp(tuple) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Some(self.classes[middle] as usize),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    fn tuple(&self, at: usize) -> &[Leaf] {
        &self.leaves[at * self.width..][..self.width]
    }
}
