//! A partition of leaf tuples into classes that is refined in place: a class is a range of one
//! permutation, and a split changes only that range.

use std::ops::Range;

/// Items (leaf tuples, by number) in classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    order: Vec<u32>,
    classes: Vec<Range<u32>>,
}

impl Partition {
    /// All items in one class; no class if there are no items.
    pub fn whole(items: usize) -> Partition {
        let items = u32::try_from(items).expect("fewer than 2^32 leaf tuples fit into memory");
        Partition {
            order: (0..items).collect(),
            classes: (items > 0).then_some(0..items).into_iter().collect(),
        }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are no items at all.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The items of a class.
    pub fn items(&self, class: usize) -> &[u32] {
        let range = &self.classes[class];
        &self.order[range.start as usize..range.end as usize]
    }

    /// Splits a class by the part that each item belongs to (`0..parts`). Items keep their order
    /// within a part. The first part with items keeps the class's number, the others become new
    /// classes at the end; returns (part, class) of each part with items.
    pub fn split(
        &mut self,
        class: usize,
        parts: usize,
        part_of: impl Fn(u32) -> usize,
    ) -> Vec<(usize, usize)> {
        assert!(parts > 0, "a class is split into parts");
        let range = self.classes[class].clone();
        let items = &mut self.order[range.start as usize..range.end as usize];
        let mut size = vec![0u32; parts];
        items.iter().for_each(|&item| size[part_of(item)] += 1);
        let mut next: Vec<u32> = size
            .iter()
            .scan(0, |sum, &size| {
                *sum += size;
                Some(*sum - size)
            })
            .collect();
        let starts = next.clone();
        let before = items.to_vec();
        for item in before {
            let slot = &mut next[part_of(item)];
            items[*slot as usize] = item;
            *slot += 1;
        }
        let mut made = Vec::new();
        for part in (0..parts).filter(|&part| size[part] > 0) {
            let from = range.start + starts[part];
            let part_range = from..from + size[part];
            if made.is_empty() {
                self.classes[class] = part_range;
                made.push((part, class));
            } else {
                made.push((part, self.classes.len()));
                self.classes.push(part_range);
            }
        }
        let items: usize = made.iter().map(|&(_, class)| self.items(class).len()).sum();
        assert_eq!(items, range.len(), "each item is in one part");
        made
    }
}
