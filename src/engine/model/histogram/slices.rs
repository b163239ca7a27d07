//! The classes of people over time: for each increment and leaf tuple the class in every release.
//! People of one increment with the same classes everywhere form a slice (SCIENCE 4); a check about
//! people is computed once per slice.

use super::{Histogram, Release, Tuples};
use crate::{Cut, Node};

/// The class that does not exist: no row of a release is in it yet.
pub const NOWHERE: u32 = u32::MAX;

/// The classes of one recoding over all its releases, numbered once.
pub struct NumberedClasses {
    classes: Tuples,
    /// For each release of the chain, for each class number: the class in that release, or
    /// [`NOWHERE`]. Empty for releases under other recodings.
    in_release: Vec<Vec<u32>>,
    last: usize,
}

impl NumberedClasses {
    /// Numbers the classes of each recoding as in its last release (the earlier ones have no
    /// others, since rows are never removed); `number[r]` is the recoding of release r.
    pub fn all(releases: &[Release], number: &[usize], width: usize) -> Vec<NumberedClasses> {
        let recodings = number.iter().max().map_or(0, |&most| most + 1);
        let numbered = |recoding: usize| {
            let under = || (0..releases.len()).filter(|&at| number[at] == recoding);
            let mut classes = Tuples::new(width);
            let last = under()
                .next_back()
                .expect("recodings are numbered without gaps");
            (0..releases[last].classes())
                .for_each(|class| _ = classes.number(releases[last].class(class)));
            let mut in_release = vec![Vec::new(); releases.len()];
            for at in under() {
                in_release[at] = vec![NOWHERE; classes.len()];
                for class in 0..releases[at].classes() {
                    if let Some(id) = classes.find(releases[at].class(class)) {
                        in_release[at][id as usize] = class as u32;
                    }
                }
            }
            assert_eq!(
                classes.len(),
                releases[last].classes(),
                "the last release of a recoding has all its classes"
            );
            NumberedClasses {
                classes,
                in_release,
                last,
            }
        };
        (0..recodings).map(numbered).collect()
    }

    /// The last release under this recoding; there the number of a class is its index.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether no release under this recoding has a class.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The number of the class that a tuple of leaves is in under this recoding, or [`NOWHERE`];
    /// `nodes` is storage for its labels.
    pub fn of_tuple(
        &self,
        histogram: &Histogram,
        tuple: usize,
        cuts: &[Cut],
        nodes: &mut [Node],
    ) -> u32 {
        for (slot, (cut, leaf)) in nodes
            .iter_mut()
            .zip(cuts.iter().zip(histogram.tuple_at(tuple)))
        {
            *slot = cut.at(leaf);
        }
        self.classes.find(nodes).unwrap_or(NOWHERE)
    }

    /// The class of a release with this number.
    pub fn in_release(&self, release: usize, id: u32) -> Option<usize> {
        let class = *self.in_release[release].get(id as usize)?;
        (class != NOWHERE).then_some(class as usize)
    }
}

/// The slices of a chain: distinct (increment, class number under each recoding).
pub struct Slices {
    recodings: usize,
    /// Flat: increment, then one class number per recoding; ascending.
    keys: Vec<u32>,
}

impl Slices {
    /// Computes the slices; `cuts[r]` is recoding r, whose classes are `numbered[r]`.
    pub fn of(histogram: &Histogram, cuts: &[&[Cut]], numbered: &[&NumberedClasses]) -> Slices {
        let width = histogram.width();
        let mut found = Tuples::new(cuts.len() + 1);
        let (mut nodes, mut key) = (vec![0; width], vec![0; cuts.len() + 1]);
        for tuple in 0..histogram.tuples() {
            for (recoding, (cuts, numbered)) in cuts.iter().zip(numbered).enumerate() {
                key[recoding + 1] = numbered.of_tuple(histogram, tuple, cuts, &mut nodes);
            }
            let mut last = None;
            for cell in histogram.cells_of(tuple) {
                if last != Some(cell.increment) {
                    key[0] = cell.increment;
                    found.number(&key);
                    last = Some(cell.increment);
                }
            }
        }
        assert_eq!(
            cuts.len(),
            numbered.len(),
            "the classes of each recoding are numbered"
        );
        let keys = found
            .sorted()
            .into_iter()
            .flat_map(|number| found.get(number).iter().copied())
            .collect();
        let slices = Slices {
            recodings: cuts.len(),
            keys,
        };
        assert_eq!(
            slices.keys.len() % (slices.recodings + 1),
            0,
            "an increment and a class under each recoding"
        );
        slices
    }

    /// All slices in the order of increments: the increment, and the class number under each
    /// recoding.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.keys
            .chunks_exact(self.recodings + 1)
            .map(|key| (key[0], &key[1..]))
    }

    /// Those of one increment: the class numbers under each recoding.
    pub fn of_increment(&self, increment: usize) -> Vec<&[u32]> {
        self.iter()
            .filter(|(of, _)| *of as usize == increment)
            .map(|(_, ids)| ids)
            .collect()
    }
}
