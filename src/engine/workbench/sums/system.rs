//! Published sums as a system of linear relations between cells, some of which readers see.

use num_bigint::BigInt;

use super::tableau::Range;

/// `Σ coefficient · cell = constant`. For a total and its parts: the parts minus the total are 0.
/// For a published sum over elementary sums (*slices*): the slices are the cells, and the constant
/// is the published sum.
#[derive(Clone, PartialEq, Eq)]
pub struct Relation {
    terms: Vec<(usize, i64)>,
    constant: i128,
}

// A constant may be a suppressed sum.
impl std::fmt::Debug for Relation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relation")
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}

impl Relation {
    /// Terms of the same cell are added up.
    pub fn new(terms: impl IntoIterator<Item = (usize, i64)>, constant: i128) -> Relation {
        let mut terms: Vec<(usize, i64)> = terms.into_iter().collect();
        terms.sort_unstable();
        let mut joined: Vec<(usize, i64)> = Vec::with_capacity(terms.len());
        for (cell, times) in terms {
            match joined.last_mut() {
                Some(last) if last.0 == cell => last.1 += times,
                _ => joined.push((cell, times)),
            }
        }
        joined.retain(|term| term.1 != 0);
        assert!(
            joined.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "each cell once, in order"
        );
        Relation {
            terms: joined,
            constant,
        }
    }

    /// A total is the sum of its parts.
    pub fn total(total: usize, parts: impl IntoIterator<Item = usize>) -> Relation {
        Relation::new(
            parts.into_iter().map(|part| (part, 1)).chain([(total, -1)]),
            0,
        )
    }

    /// The cells, each once and in order, with their coefficients.
    pub fn terms(&self) -> &[(usize, i64)] {
        &self.terms
    }

    /// The constant.
    pub fn constant(&self) -> i128 {
        self.constant
    }

    /// The difference of the two sides for these numbers; 0 if the relation holds.
    pub fn gap(&self, values: &[i128]) -> BigInt {
        assert!(
            self.terms.last().is_none_or(|term| term.0 < values.len()),
            "a value for each cell"
        );
        let terms = self
            .terms
            .iter()
            .map(|&(cell, times)| BigInt::from(times) * values[cell]);
        BigInt::from(self.constant) - terms.sum::<BigInt>()
    }
}

/// Cells and their relations. Everything here is public.
#[derive(Debug, Clone)]
pub struct SumSystem {
    cells: usize,
    relations: Vec<Relation>,
    range: Range,
}

impl SumSystem {
    /// This many cells, all of them in this range as far as readers know.
    ///
    /// # Panics
    /// If a relation names a cell that does not exist.
    pub fn new(cells: usize, relations: Vec<Relation>, range: Range) -> SumSystem {
        assert!(
            relations
                .iter()
                .all(|relation| relation.terms().iter().all(|&(cell, _)| cell < cells)),
            "relations of cells that are there"
        );
        SumSystem {
            cells,
            relations,
            range,
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The relations of the cells.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The range of every cell, as readers know it.
    pub fn range(&self) -> Range {
        self.range
    }
}
