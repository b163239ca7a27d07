//! The common part of both searches: the cuts of a pattern, from the intervals that it leaves, and
//! the work spent on them.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::super::attack::SumsAttack;
use super::super::parts::{CellParts, RelatedCells, intervals_for_lone};
use super::super::tableau::{Range, SimplexEnd, Tableau};
use super::super::whole_numbers::{WholeNumber, exactly};
use super::cut::CoverInequality;
use super::problem::{Sensitive, SuppressionProblem};

/// The most parts whose cuts are stored.
const MOST_KNOWN: usize = 10_000;

/// The common part of both searches.
pub(super) struct SuppressionSearch<'p> {
    pub problem: &'p SuppressionProblem<'p>,
    /// Cells that are always suppressed.
    pub base: Vec<bool>,
    /// The cuts of a part, by its cells: they determine its equations.
    known: BTreeMap<Vec<usize>, Vec<CoverInequality>>,
    /// The work spent so far.
    pub work: u64,
}

impl<'p> SuppressionSearch<'p> {
    /// Starts with only the required suppressions.
    pub(super) fn new(problem: &'p SuppressionProblem<'p>) -> SuppressionSearch<'p> {
        let mut base = vec![false; problem.system.cells()];
        let sensitive = problem.sensitive.iter().map(|sensitive| sensitive.cell);
        sensitive
            .chain(problem.hidden.iter().copied())
            .for_each(|cell| base[cell] = true);
        SuppressionSearch {
            problem,
            base,
            known: BTreeMap::new(),
            work: 0,
        }
    }

    /// The cost of suppressing a cell; `None` if it must not be suppressed, or is already.
    pub(super) fn price(&self, cell: usize) -> Option<u64> {
        self.problem.costs[cell].filter(|_| !self.base[cell])
    }

    /// The cells of a pattern that could be published.
    pub(super) fn secondary<'a>(&'a self, pattern: &'a [bool]) -> impl Iterator<Item = usize> + 'a {
        (0..pattern.len()).filter(|&cell| pattern[cell] && !self.base[cell])
    }

    /// The cost of a pattern.
    pub(super) fn cost(&self, pattern: &[bool]) -> u128 {
        assert_eq!(
            pattern.len(),
            self.problem.system.cells(),
            "a mark for each cell"
        );
        self.secondary(pattern)
            .filter_map(|cell| self.price(cell))
            .map(u128::from)
            .sum()
    }

    /// A cut for each sensitive cell, above and below, that this pattern does not protect: from
    /// readers, then from each lone contributor, who knows one more cell.
    pub(super) fn cuts(&mut self, pattern: &[bool]) -> Vec<CoverInequality> {
        let mut cuts = self.cuts_from(pattern, None);
        let (sensitive, lone) = (self.problem.sensitive, self.problem.lone);
        if !intervals_for_lone(sensitive.len(), lone.len()) {
            cuts.extend(self.exact_cuts(pattern));
            return cuts;
        }
        for &lone in lone.iter().filter(|&&lone| pattern[lone]) {
            let mut seen = pattern.to_vec();
            seen[lone] = false;
            cuts.extend(self.cuts_from(&seen, Some(lone)));
        }
        cuts
    }

    /// A cut for each sensitive cell that follows exactly from one with a lone contributor.
    fn exact_cuts(&mut self, pattern: &[bool]) -> Vec<CoverInequality> {
        let system = self.problem.system;
        let attack = SumsAttack::new(
            system,
            pattern.iter().map(|&out| (!out).then_some(0)).collect(),
        );
        let cells: Vec<usize> = self
            .problem
            .sensitive
            .iter()
            .map(|sensitive| sensitive.cell)
            .collect();
        let lone: Vec<usize> = self
            .problem
            .lone
            .iter()
            .copied()
            .filter(|&lone| pattern[lone])
            .collect();
        self.work += pattern.len() as u64;
        let mut cuts = Vec::new();
        for (cell, lone) in attack.followed(&cells, &lone) {
            let parts = CellParts::new(system, |other| pattern[other] && other != lone);
            let part = &parts.parts[parts.of(cell).expect("a sensitive cell is left out")];
            let sensitive: Vec<&Sensitive> = self
                .problem
                .sensitive
                .iter()
                .filter(|of| of.cell == cell)
                .collect();
            let (found, work) = exactly(
                || self.cuts_of::<i128>(part, &sensitive),
                || self.cuts_of::<BigInt>(part, &sensitive),
            );
            self.work += work;
            cuts.extend(found.into_iter().map(|cut| cut.without(lone)));
        }
        cuts
    }

    /// A cut for each sensitive cell that is not protected from an attacker who knows all cells
    /// outside the pattern.
    fn cuts_from(&mut self, pattern: &[bool], lone: Option<usize>) -> Vec<CoverInequality> {
        let parts = CellParts::new(self.problem.system, |cell| pattern[cell]);
        let mut of_parts: Vec<Vec<&Sensitive>> = vec![Vec::new(); parts.parts.len()];
        for sensitive in self
            .problem
            .sensitive
            .iter()
            .filter(|sensitive| Some(sensitive.cell) != lone)
        {
            of_parts[parts
                .of(sensitive.cell)
                .expect("a sensitive cell is left out")]
            .push(sensitive);
        }
        let mut cuts = Vec::new();
        for (part, sensitive) in parts
            .parts
            .iter()
            .zip(of_parts)
            .filter(|(_, sensitive)| !sensitive.is_empty())
        {
            if !self.known.contains_key(&part.cells) {
                let (found, work) = exactly(
                    || self.cuts_of::<i128>(part, &sensitive),
                    || self.cuts_of::<BigInt>(part, &sensitive),
                );
                self.work += work;
                if self.known.len() >= MOST_KNOWN {
                    self.known.clear();
                }
                self.known.insert(part.cells.clone(), found);
            }
            // A cell that the attacker knows never widens an interval, whether it is suppressed or
            // not.
            let known = self.known[&part.cells].iter().cloned();
            cuts.extend(known.map(|cut| match lone {
                Some(lone) => cut.without(lone),
                None => cut,
            }));
        }
        cuts
    }

    fn cuts_of<N: WholeNumber>(
        &self,
        part: &RelatedCells,
        sensitive: &[&Sensitive],
    ) -> Option<(Vec<CoverInequality>, u64)> {
        let values = self.problem.values;
        let mut tableau: Tableau<N> = part.equations(self.problem.system, |cell| values[cell])?;
        assert!(
            tableau.fulfil()?,
            "the values of the problem fulfil all relations"
        );
        let mut cuts = Vec::new();
        for sensitive in sensitive {
            let value = values[sensitive.cell];
            for (sign, by) in [(1, sensitive.up), (-1, sensitive.down)] {
                // No value of a table is further away than that.
                let by = i128::try_from(by).unwrap_or(i128::MAX).min(i128::MAX / 4);
                let enough = N::new((sign * value).saturating_add(by));
                tableau.ask(&[(part.place(sensitive.cell), N::new(sign))])?;
                if tableau.climb(Some(&enough))? == SimplexEnd::Largest {
                    cuts.push(self.cut(part, &tableau, (sensitive.cell, sign, by)));
                }
            }
        }
        Some((cuts, tableau.work))
    }

    /// By the optimum, `scale · gain = −Σ c · change` over all cells, where c is the sum of the
    /// relations with their shares, minus the cell itself. A change is at least minus the value,
    /// and has no upper limit.
    fn cut<N: WholeNumber>(
        &self,
        part: &RelatedCells,
        tableau: &Tableau<N>,
        (cell, sign, by): (usize, i128, i128),
    ) -> CoverInequality {
        let system = self.problem.system;
        let scale = tableau.scale().to_big();
        let mut coefficients = BTreeMap::from([(cell, -&scale * sign)]);
        for (place, share) in tableau.shares() {
            let share = share.to_big();
            for &(cell, times) in system.relations()[part.relations[place]].terms() {
                *coefficients.entry(cell).or_default() += &share * times;
            }
        }
        let needed = scale * by;
        let weight = |(cell, coefficient): (usize, BigInt)| {
            if coefficient == BigInt::ZERO {
                return None;
            }
            let limited = system.range() == Range::NotNegative && coefficient > BigInt::ZERO;
            let most = if limited {
                coefficient * self.problem.values[cell]
            } else {
                needed.clone()
            };
            (most > BigInt::ZERO).then(|| (cell, most.min(needed.clone())))
        };
        let weights: Vec<(usize, BigInt)> = coefficients.into_iter().filter_map(weight).collect();
        let cut_off = needed.bits().saturating_sub(96);
        let short = |number: BigInt| i128::try_from(number >> cut_off).expect("96 bits");
        let weights = weights
            .into_iter()
            .map(|(cell, weight)| (cell, short(weight + ((BigInt::from(1) << cut_off) - 1))));
        CoverInequality {
            cell,
            weights: weights.collect(),
            needed: short(needed),
        }
    }
}
