//! The unknown cells of a system, divided into parts without common relations: each part is a
//! system of equations of its own, and most are small.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::system::SumSystem;
use super::tableau::{Range, Tableau};
use super::whole_numbers::{WholeNumber, exactly};

/// The most pairs of a sensitive cell and of one with a lone contributor for which intervals are
/// computed.
const MOST_PAIRS: usize = 2_000;

/// Whether intervals are computed for each lone contributor. If not, only exact conclusions from
/// one more known cell are found.
pub(super) fn intervals_for_lone(sensitive: usize, lone: usize) -> bool {
    sensitive.saturating_mul(lone) <= MOST_PAIRS
}

/// Unknown cells that are related to each other, and the relations between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RelatedCells {
    /// In order.
    pub cells: Vec<usize>,
    /// The relations, by their numbers in the system.
    pub relations: Vec<usize>,
}

/// Each cell with those from which it follows.
type Followed = Vec<(usize, Vec<usize>)>;

/// The parts of all unknown cells, and the part of each cell.
pub(super) struct CellParts {
    pub parts: Vec<RelatedCells>,
    of: Vec<Option<usize>>,
}

impl CellParts {
    /// From the cells that are unknown.
    pub(super) fn new(system: &SumSystem, unknown: impl Fn(usize) -> bool) -> CellParts {
        let mut joined: Vec<usize> = (0..system.cells()).collect();
        for relation in system.relations() {
            let mut cells = relation
                .terms()
                .iter()
                .map(|term| term.0)
                .filter(|&cell| unknown(cell));
            let Some(first) = cells.next() else { continue };
            for cell in cells {
                let (one, other) = (root(&mut joined, first), root(&mut joined, cell));
                joined[one.max(other)] = one.min(other);
            }
        }
        let mut of = vec![None; system.cells()];
        let mut parts: Vec<RelatedCells> = Vec::new();
        for cell in (0..system.cells()).filter(|&cell| unknown(cell)) {
            let first = root(&mut joined, cell);
            let part = *of[first].get_or_insert_with(|| {
                parts.push(RelatedCells {
                    cells: Vec::new(),
                    relations: Vec::new(),
                });
                parts.len() - 1
            });
            of[cell] = Some(part);
            parts[part].cells.push(cell);
        }
        for (at, relation) in system.relations().iter().enumerate() {
            let part = relation.terms().iter().find_map(|term| of[term.0]);
            if let Some(part) = part {
                parts[part].relations.push(at);
            }
        }
        assert!(
            parts.iter().all(|part| part.cells.is_sorted()),
            "cells of a part are found by their order"
        );
        let cells: usize = parts.iter().map(|part| part.cells.len()).sum();
        assert!(
            cells == of.iter().flatten().count(),
            "each unknown cell is in one part"
        );
        CellParts { parts, of }
    }

    /// The part of an unknown cell.
    pub(super) fn of(&self, cell: usize) -> Option<usize> {
        self.of[cell]
    }
}

fn root(joined: &mut [usize], mut cell: usize) -> usize {
    while joined[cell] != cell {
        joined[cell] = joined[joined[cell]];
        cell = joined[cell];
    }
    cell
}

impl RelatedCells {
    /// The index of a cell among the unknowns of this part.
    pub(super) fn place(&self, cell: usize) -> usize {
        self.cells
            .binary_search(&cell)
            .expect("a cell of this part")
    }

    /// The equations between the unknown cells of this part; all others have these values. `None`
    /// if a number does not fit.
    pub(super) fn equations<N: WholeNumber>(
        &self,
        system: &SumSystem,
        value: impl Fn(usize) -> i128,
    ) -> Option<Tableau<N>> {
        let equation = |&at: &usize| {
            let relation = &system.relations()[at];
            let (mut terms, mut right) = (Vec::new(), N::new(relation.constant()));
            for &(cell, times) in relation.terms() {
                let times = N::new(i128::from(times));
                match self.cells.binary_search(&cell) {
                    Ok(place) => terms.push((place, times)),
                    Err(_) => {
                        right = N::product_less(&N::new(1), &right, &times, &N::new(value(cell)))?
                    }
                }
            }
            Some((terms, right))
        };
        let equations = self
            .relations
            .iter()
            .map(equation)
            .collect::<Option<Vec<_>>>()?;
        assert!(
            equations.iter().all(|(terms, _)| !terms.is_empty()),
            "relations of a part have a cell of it"
        );
        Some(Tableau::new(self.ranges(system.range()), equations))
    }

    /// For each of these cells those of the others from which it follows exactly, together with all
    /// published ones.
    pub(super) fn followed(
        &self,
        system: &SumSystem,
        cells: &[usize],
        others: &[usize],
    ) -> Vec<(usize, Vec<usize>)> {
        exactly(
            || self.followed_in::<i128>(system, cells, others),
            || self.followed_in::<BigInt>(system, cells, others),
        )
    }

    fn followed_in<N: WholeNumber>(
        &self,
        system: &SumSystem,
        cells: &[usize],
        others: &[usize],
    ) -> Option<Followed> {
        // Whether something follows does not depend on the values.
        let mut tableau: Tableau<N> = self.equations(system, |_| 0)?;
        tableau.eliminate()?;
        let mut by_direction: BTreeMap<Vec<(usize, N)>, Vec<usize>> = BTreeMap::new();
        for &other in others {
            by_direction
                .entry(tableau.direction(self.place(other)))
                .or_default()
                .push(other);
        }
        let of = |&cell: &usize| {
            let direction = tableau.direction(self.place(cell));
            let others = by_direction
                .get(&direction)
                .filter(|_| !direction.is_empty());
            (
                cell,
                others.map_or(Vec::new(), |others| {
                    others
                        .iter()
                        .copied()
                        .filter(|&other| other != cell)
                        .collect()
                }),
            )
        };
        let found: Followed = cells.iter().map(of).collect();
        assert!(
            found.iter().all(|(cell, from)| !from.contains(cell)),
            "no cell follows from itself"
        );
        Some(found)
    }

    fn ranges(&self, range: Range) -> Vec<Range> {
        vec![range; self.cells.len()]
    }
}
