//! The cells of a table over several dimensions, and its totals.

use super::system::{Relation, SumSystem};
use super::tableau::Range;

/// The codes of one dimension: a tree, whose root is the total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    parents: Vec<Option<usize>>,
}

impl Dimension {
    /// Each code with its parent; the first has none. `None` if a parent does not precede its
    /// child, or there are two roots.
    pub fn new(parents: Vec<Option<usize>>) -> Option<Dimension> {
        let sound =
            |(at, parent): (usize, &Option<usize>)| parent.map_or(at == 0, |parent| parent < at);
        (!parents.is_empty() && parents.iter().enumerate().all(sound))
            .then_some(Dimension { parents })
    }

    /// A total and its parts.
    pub fn flat(parts: usize) -> Dimension {
        assert!(parts > 0, "a total has parts");
        Dimension {
            parents: std::iter::once(None)
                .chain((0..parts).map(|_| Some(0)))
                .collect(),
        }
    }

    /// The number of codes.
    pub fn codes(&self) -> usize {
        self.parents.len()
    }

    /// Whether a code is no total.
    pub fn is_leaf(&self, code: usize) -> bool {
        !self.parents.contains(&Some(code))
    }

    /// A code, then all codes above it.
    fn upwards(&self, code: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(code), |&code| self.parents[code])
    }

    /// Each code that is a total, with its parts.
    fn totals(&self) -> Vec<(usize, Vec<usize>)> {
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); self.codes()];
        for (code, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = *parent {
                parts[parent].push(code);
            }
        }
        assert!(
            parts.iter().map(Vec::len).sum::<usize>() + 1 == self.codes(),
            "each code but the first is part of one total"
        );
        parts
            .into_iter()
            .enumerate()
            .filter(|(_, parts)| !parts.is_empty())
            .collect()
    }
}

/// A table with a cell for each combination of codes. The last dimension changes fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimensions {
    dimensions: Vec<Dimension>,
}

impl Dimensions {
    /// Over these dimensions.
    pub fn new(dimensions: Vec<Dimension>) -> Dimensions {
        Dimensions { dimensions }
    }

    /// The number of cells; `None` if it is too large.
    pub fn cells(&self) -> Option<usize> {
        self.dimensions.iter().try_fold(1usize, |cells, dimension| {
            cells.checked_mul(dimension.codes())
        })
    }

    /// The cell of these codes.
    pub fn cell(&self, codes: &[usize]) -> usize {
        assert_eq!(
            codes.len(),
            self.dimensions.len(),
            "a code for each dimension"
        );
        assert!(
            self.dimensions
                .iter()
                .zip(codes)
                .all(|(dimension, code)| *code < dimension.codes()),
            "codes of their dimensions"
        );
        self.dimensions
            .iter()
            .zip(codes)
            .fold(0, |cell, (dimension, code)| cell * dimension.codes() + code)
    }

    /// The codes of a cell.
    pub fn codes(&self, mut cell: usize) -> Vec<usize> {
        let mut codes: Vec<usize> = self
            .dimensions
            .iter()
            .rev()
            .map(|dimension| {
                let code = cell % dimension.codes();
                cell /= dimension.codes();
                code
            })
            .collect();
        codes.reverse();
        assert!(cell == 0, "a cell of the table");
        codes
    }

    /// A cell and all totals that contain it.
    pub fn upwards(&self, cell: usize) -> Vec<usize> {
        let mut cells = vec![0];
        for (dimension, code) in self.dimensions.iter().zip(self.codes(cell)) {
            let above: Vec<usize> = dimension.upwards(code).collect();
            let next = cells.iter().flat_map(|cell| {
                above
                    .iter()
                    .map(move |code| cell * dimension.codes() + code)
            });
            cells = next.collect();
        }
        cells
    }

    /// The total that a relation of [`Dimensions::system`] is about, and the dimension over which
    /// it is a sum.
    pub fn total(&self, relation: &Relation) -> (usize, usize) {
        let total = relation
            .terms()
            .iter()
            .find(|term| term.1 < 0)
            .expect("a relation has a total")
            .0;
        let part = relation
            .terms()
            .iter()
            .find(|term| term.1 > 0)
            .expect("a total has parts")
            .0;
        let (total_codes, part_codes) = (self.codes(total), self.codes(part));
        let over = (0..total_codes.len()).find(|&at| total_codes[at] != part_codes[at]);
        let over = over.expect("a part is another cell");
        assert!(
            total_codes[over + 1..] == part_codes[over + 1..],
            "a total is over one dimension"
        );
        (total, over)
    }

    /// The system of all totals: along each dimension, for each combination of codes of the others.
    /// A total of one part is a relation too.
    pub fn system(&self, range: Range) -> SumSystem {
        let cells = self.cells().expect("a table that fits into memory");
        let mut relations = Vec::new();
        for (at, dimension) in self.dimensions.iter().enumerate() {
            let step: usize = self.dimensions[at + 1..]
                .iter()
                .map(Dimension::codes)
                .product();
            let totals = dimension.totals();
            for start in (0..cells).filter(|cell| (cell / step).is_multiple_of(dimension.codes())) {
                for (total, parts) in &totals {
                    relations.push(Relation::total(
                        start + total * step,
                        parts.iter().map(|part| start + part * step),
                    ));
                }
            }
        }
        SumSystem::new(cells, relations, range)
    }
}
