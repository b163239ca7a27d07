//! How the labels of classes become keys. The code of a label is the path to it from the root of
//! its column's taxonomy, so that a class is generalised by a mask over its key, which removes the
//! path below the new label. A column whose paths would be too long uses the numbers of its labels
//! instead, which are looked up in tables.

use super::key::{ClassKey, KeyBits, fields};
use super::lattice::{Lattice, Levels};
use crate::model::Leaf;

/// The longest path in bits: tables of codes have an entry for each possible path.
const LONGEST: u32 = 20;

/// The positions of the codes of columns in keys.
pub(super) struct Packing {
    columns: Vec<Column>,
    /// The position of the number of the sensitive value.
    value: KeyBits,
    words: usize,
}

struct Column {
    field: KeyBits,
    /// `None` if keys hold the number of the label.
    ways: Option<LabelPaths>,
}

/// The paths to the labels of a column.
struct LabelPaths {
    /// The path to each leaf.
    leaves: Vec<u32>,
    /// For each level, the bits below its labels.
    behind: Vec<u32>,
    /// For each level and path, the code of the label.
    codes: Vec<Vec<u32>>,
}

impl Packing {
    /// The packing for the columns of a lattice and this number of sensitive values.
    pub(super) fn of(lattice: &Lattice, values: usize) -> Packing {
        let ways: Vec<Option<LabelPaths>> = (0..lattice.width())
            .map(|column| LabelPaths::of(lattice, column))
            .collect();
        let codes = ways.iter().enumerate().map(|(column, ways)| match ways {
            Some(ways) => ways.codes[0].len(),
            None => lattice.nodes(column, 0).len(),
        });
        let (fields, words) = fields(codes.chain([values]));
        assert!(
            fields.len() == lattice.width() + 1,
            "a field for each column and one for values"
        );
        let value = fields[lattice.width()];
        let columns = ways
            .into_iter()
            .zip(fields)
            .map(|(ways, field)| Column { field, ways })
            .collect();
        Packing {
            columns,
            value,
            words,
        }
    }

    /// The number of words of a key.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Writes a leaf into the key of a class in which nothing is generalised.
    pub(super) fn put_leaf<const WORDS: usize>(
        &self,
        key: &mut ClassKey<WORDS>,
        lattice: &Lattice,
        column: usize,
        leaf: Leaf,
    ) {
        let Column { field, ways } = &self.columns[column];
        let code = match ways {
            Some(ways) => ways.leaves[leaf as usize],
            None => lattice.codes(column, 0)[leaf as usize],
        };
        field.set(key, code);
    }

    /// The position of the number of the sensitive value.
    pub(super) fn value(&self) -> KeyBits {
        self.value
    }

    /// The mask that turns a key into that of a state.
    pub(super) fn mask<const WORDS: usize>(&self, levels: &[u8]) -> ClassKey<WORDS> {
        let mut mask = [u64::MAX; WORDS];
        for (Column { field, ways }, &level) in self.columns.iter().zip(levels) {
            if let Some(ways) = ways {
                field.set(&mut mask, u32::MAX << ways.behind[usize::from(level)]);
            }
        }
        mask
    }

    /// The columns that a mask cannot generalise from one state to another, each with the new code
    /// of each code.
    pub(super) fn raised<'l>(
        &self,
        lattice: &'l Lattice,
        from: &Levels,
        to: &[u8],
    ) -> Vec<(KeyBits, &'l [u32])> {
        assert!(
            from.len() == to.len() && to.len() == self.columns.len(),
            "one level for each column"
        );
        let numbered = (0..to.len())
            .filter(|&column| self.columns[column].ways.is_none() && from[column] < to[column]);
        numbered
            .map(|column| {
                (
                    self.columns[column].field,
                    lattice.raised(column, from[column], to[column]),
                )
            })
            .collect()
    }

    /// The code of a column's label in the key of a class.
    #[inline]
    pub(super) fn code<const WORDS: usize>(
        &self,
        key: &ClassKey<WORDS>,
        column: usize,
        level: u8,
    ) -> u32 {
        let Column { field, ways } = &self.columns[column];
        let code = field.get(key);
        match ways {
            Some(ways) => {
                let level = usize::from(level);
                ways.codes[level][(code >> ways.behind[level]) as usize]
            }
            None => code,
        }
    }
}

impl LabelPaths {
    fn of(lattice: &Lattice, column: usize) -> Option<LabelPaths> {
        let (height, leaves) = (
            usize::from(lattice.height(column)),
            lattice.codes(column, 0).len(),
        );
        // Above the highest level everything is one label, even where a floor keeps several labels.
        let everything = vec![0; leaves];
        let (mut behind, mut ways) = (vec![0; height + 1], vec![0; leaves]);
        for level in 0..height {
            let codes = lattice.codes(column, level as u8);
            let above = if level + 1 < height {
                lattice.codes(column, level as u8 + 1)
            } else {
                &everything[..]
            };
            let mut first = 0;
            let mut steps = Vec::with_capacity(leaves);
            for leaf in 0..leaves {
                // The leaves of a node are adjacent.
                if leaf == 0 || above[leaf] != above[leaf - 1] {
                    first = codes[leaf];
                }
                steps.push(codes[leaf] - first);
            }
            let most = steps.iter().max().copied().unwrap_or(0);
            let bits = u32::BITS - most.leading_zeros();
            if behind[level] + bits > LONGEST {
                return None;
            }
            ways.iter_mut()
                .zip(steps)
                .for_each(|(way, step)| *way |= step << behind[level]);
            behind[level + 1] = behind[level] + bits;
        }
        let code_of = |level: usize| {
            let mut codes = vec![0; 1 << (behind[height] - behind[level])];
            for (way, &code) in ways.iter().zip(lattice.codes(column, level as u8)) {
                codes[(way >> behind[level]) as usize] = code;
            }
            codes
        };
        assert!(
            behind.is_sorted(),
            "the bits of coarser levels lie behind those of finer ones"
        );
        let codes = (0..height).map(code_of).collect();
        Some(LabelPaths {
            leaves: ways,
            behind,
            codes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Taxonomy, Tree};

    /// A root with this many inner nodes of three leaves each, and a leaf of its own.
    fn tree(inner: usize) -> Taxonomy {
        let mut tree = Tree::new("*");
        for at in 0..inner {
            let node = tree.add(0, &format!("n{at}"), 1);
            (0..3).for_each(|leaf| _ = tree.add(node, &format!("n{at}l{leaf}"), 1));
        }
        tree.add(0, "alone", 1);
        tree.finish().expect("a tree")
    }

    /// Whether keys hold paths or numbers, masks and tables give the codes of the lattice.
    #[test]
    fn codes_are_those_of_the_lattice() {
        let trees = [tree(1), tree(5), tree(1 << 18), tree(2)];
        let lattice = Lattice::of(&trees.iter().collect::<Vec<_>>());
        let packing = Packing::of(&lattice, 7);
        assert_eq!(
            packing
                .columns
                .iter()
                .filter(|column| column.ways.is_none())
                .count(),
            1
        );
        assert!(packing.words() <= 2);
        for (column, tree) in trees.iter().enumerate() {
            for leaf in (0..tree.leaves() as Leaf).step_by(1 + tree.leaves() / 50) {
                for level in 0..lattice.height(column) {
                    let mut key: ClassKey<2> = [0; 2];
                    (0..4).for_each(|other| packing.put_leaf(&mut key, &lattice, other, 2));
                    packing.put_leaf(&mut key, &lattice, column, leaf);
                    packing.value().set(&mut key, 6);
                    let mut levels = lattice.bottom();
                    levels[column] = level;
                    let mask = packing.mask::<2>(&levels);
                    key.iter_mut()
                        .zip(mask)
                        .for_each(|(key, mask)| *key &= mask);
                    for (field, codes) in packing.raised(&lattice, &lattice.bottom(), &levels) {
                        let code = codes[field.get(&key) as usize];
                        field.set(&mut key, code);
                    }
                    let code = lattice.codes(column, level)[leaf as usize];
                    assert_eq!(
                        packing.code(&key, column, level),
                        code,
                        "{column} {level} {leaf}"
                    );
                    assert_eq!(packing.value().get(&key), 6);
                    let other = (column + 1) % 4;
                    assert_eq!(packing.code(&key, other, 0), lattice.codes(other, 0)[2]);
                }
            }
        }
    }
}
