//! What readers can compute about suppressed cells (SCIENCE 7): sums that follow from the published
//! ones, and the interval that linear programming gives for a cell.

use num_bigint::BigInt;

use super::parts::{CellParts, RelatedCells};
use super::system::SumSystem;
use super::tableau::{SimplexEnd, Tableau};
use super::whole_numbers::{WholeNumber, exactly};
use crate::arithmetic::RationalNumber;

/// A system as its readers see it.
pub struct SumsAttack<'s> {
    system: &'s SumSystem,
    published: Vec<Option<i128>>,
    parts: CellParts,
}

/// How a sum follows from relations and published cells: `(relation, multiplicity)`, all divided by
/// the last number. Added up, these relations contain no unknown cell but those of the sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// The relations with their multiplicities.
    pub relations: Vec<(usize, BigInt)>,
    /// The factor of the sum.
    pub scale: BigInt,
}

/// The smallest and the largest possible value of a cell; `None` if there is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// The smallest.
    pub low: Option<RationalNumber>,
    /// The largest.
    pub high: Option<RationalNumber>,
}

impl Interval {
    /// Whether only one value is possible.
    pub fn is_exact(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }
}

/// Relations that no numbers in the range of the cells satisfy, by their numbers in the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumsContradiction {
    /// In order.
    pub relations: Vec<usize>,
}

impl<'s> SumsAttack<'s> {
    /// Readers see the cells that have a number here.
    ///
    /// # Panics
    /// If there is not one entry for each cell.
    pub fn new(system: &'s SumSystem, published: Vec<Option<i128>>) -> SumsAttack<'s> {
        assert_eq!(
            published.len(),
            system.cells(),
            "a value or none for each cell"
        );
        let parts = CellParts::new(system, |cell| published[cell].is_none());
        SumsAttack {
            system,
            published,
            parts,
        }
    }

    /// The same for an attacker who knows one more cell.
    pub fn knowing(&self, cell: usize, value: i128) -> SumsAttack<'s> {
        assert!(
            self.published[cell].is_none(),
            "a cell that is not published"
        );
        let mut published = self.published.clone();
        published[cell] = Some(value);
        SumsAttack::new(self.system, published)
    }

    /// Whether two suppressed cells are related through suppressed cells.
    pub fn are_related(&self, one: usize, other: usize) -> bool {
        self.parts.of(one).is_some() && self.parts.of(one) == self.parts.of(other)
    }

    /// Which of these suppressed cells follow exactly from a single one of the others: `(cell,
    /// other)`.
    pub fn followed(&self, cells: &[usize], others: &[usize]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (at, part) in self.parts.parts.iter().enumerate() {
            let inside = |of: &[usize]| -> Vec<usize> {
                of.iter()
                    .copied()
                    .filter(|&cell| self.parts.of(cell) == Some(at))
                    .collect()
            };
            let (cells, others) = (inside(cells), inside(others));
            if cells.is_empty() || others.is_empty() {
                continue;
            }
            for (cell, from) in part.followed(self.system, &cells, &others) {
                found.extend(from.into_iter().map(|other| (cell, other)));
            }
        }
        found
    }

    /// Relations between published cells alone that are violated.
    pub fn violated(&self) -> Vec<usize> {
        let broken = |relation: &super::Relation| {
            let values: Option<Vec<i128>> = relation
                .terms()
                .iter()
                .map(|term| self.published[term.0])
                .collect();
            let Some(values) = values else { return false };
            let sum = relation
                .terms()
                .iter()
                .zip(values)
                .map(|(term, value)| BigInt::from(term.1) * value);
            sum.sum::<BigInt>() != BigInt::from(relation.constant())
        };
        let relations = self.system.relations().iter().enumerate();
        relations
            .filter(|(_, relation)| broken(relation))
            .map(|(at, _)| at)
            .collect()
    }

    /// How the sum of these cells, with multiplicities, follows from relations and published cells,
    /// whatever the range of the cells is; `None` if it does not.
    pub fn derivation(&self, sum: &[(usize, i64)]) -> Option<Derivation> {
        exactly(|| self.derived::<i128>(sum), || self.derived::<BigInt>(sum))
    }

    fn derived<N: WholeNumber>(&self, sum: &[(usize, i64)]) -> Option<Option<Derivation>> {
        // A sum over several parts follows only if its share in each part does.
        let mut found: Vec<(Vec<(usize, BigInt)>, BigInt)> = Vec::new();
        let touched: std::collections::BTreeSet<usize> = sum
            .iter()
            .filter_map(|term| self.parts.of(term.0))
            .collect();
        for at in touched {
            let part = &self.parts.parts[at];
            let mut tableau: Tableau<N> = part.equations(self.system, |cell| self.value(cell))?;
            tableau.eliminate()?;
            let inside = sum.iter().filter(|term| self.parts.of(term.0) == Some(at));
            let wanted: std::collections::BTreeMap<usize, i64> =
                inside.fold(Default::default(), |mut wanted, term| {
                    *wanted.entry(part.place(term.0)).or_default() += term.1;
                    wanted
                });
            let wanted: Vec<(usize, N)> = wanted
                .into_iter()
                .filter(|term| term.1 != 0)
                .map(|(place, times)| (place, N::new(i128::from(times))))
                .collect();
            tableau.ask(&wanted)?;
            if !tableau.is_determined() {
                return Some(None);
            }
            let shares = tableau
                .shares()
                .into_iter()
                .map(|(place, times)| (part.relations[place], times.to_big()));
            found.push((shares.collect(), tableau.scale().to_big()));
        }
        let scale = found.iter().fold(BigInt::from(1), |scale, part| {
            num_integer::Integer::lcm(&scale, &part.1)
        });
        let relations = found.into_iter().flat_map(|(shares, own)| {
            let times = &scale / own;
            shares
                .into_iter()
                .map(move |(relation, share)| (relation, share * &times))
                .collect::<Vec<_>>()
        });
        assert!(scale > BigInt::ZERO, "a sum is a positive multiple");
        Some(Some(Derivation {
            relations: relations.collect(),
            scale,
        }))
    }

    /// The possible values of each of these cells, given all published cells and the range.
    ///
    /// # Errors
    /// No numbers satisfy all relations.
    pub fn intervals(&self, cells: &[usize]) -> Result<Vec<Interval>, SumsContradiction> {
        let mut found: Vec<Option<Interval>> = cells
            .iter()
            .map(|&cell| {
                self.published[cell].map(|value| Interval {
                    low: whole(value),
                    high: whole(value),
                })
            })
            .collect();
        for (at, part) in self.parts.parts.iter().enumerate() {
            let wanted: Vec<usize> = (0..cells.len())
                .filter(|&wanted| self.parts.of(cells[wanted]) == Some(at))
                .collect();
            let places: Vec<usize> = wanted
                .iter()
                .map(|&wanted| part.place(cells[wanted]))
                .collect();
            let of_part = exactly(
                || self.within::<i128>(part, &places),
                || self.within::<BigInt>(part, &places),
            )?;
            for (wanted, interval) in wanted.into_iter().zip(of_part) {
                found[wanted] = Some(interval);
            }
        }
        Ok(found
            .into_iter()
            .map(|interval| interval.expect("a cell is published or in a part"))
            .collect())
    }

    fn within<N: WholeNumber>(
        &self,
        part: &RelatedCells,
        places: &[usize],
    ) -> Option<Result<Vec<Interval>, SumsContradiction>> {
        let mut tableau: Tableau<N> = part.equations(self.system, |cell| self.value(cell))?;
        if !tableau.fulfil()? {
            let relations = tableau
                .contradiction()
                .into_iter()
                .map(|place| part.relations[place])
                .collect();
            return Some(Err(SumsContradiction { relations }));
        }
        let mut bound = |place: usize, sign: i128| -> Option<Option<RationalNumber>> {
            tableau.ask(&[(place, N::new(sign))])?;
            Some(match tableau.climb(None)? {
                SimplexEnd::Unbounded => None,
                _ => Some(RationalNumber::new(
                    tableau.sum().to_big() * sign,
                    tableau.scale().to_big(),
                )),
            })
        };
        let intervals = places.iter().map(|&place| {
            Some(Interval {
                high: bound(place, 1)?,
                low: bound(place, -1)?,
            })
        });
        Some(Ok(intervals.collect::<Option<Vec<_>>>()?))
    }

    fn value(&self, cell: usize) -> i128 {
        self.published[cell].expect("a cell in no part is published")
    }
}

fn whole(value: i128) -> Option<RationalNumber> {
    Some(RationalNumber::whole(value))
}
