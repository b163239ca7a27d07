//! A table of sums as its maker provides it: which published cells are sensitive, how precisely
//! readers can compute the others, and which cells to suppress (SCIENCE 7).

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::attack::{Interval, SumsAttack, SumsContradiction};
use super::dimensions::Dimensions;
use super::parts::intervals_for_lone;
use super::suppress::{Protection, Sensitive, SuppressionProblem};
use super::tableau::Range;
use crate::dominance::{DominanceRule, FEWEST_CONTRIBUTORS, SumCell};
use crate::model::Decimal;

/// Whether readers see a cell, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellMark {
    /// They see it; it may be suppressed.
    Published,
    /// They see it, and it must not be suppressed.
    Kept,
    /// Suppressed because it is sensitive.
    Primary,
    /// Suppressed to protect others.
    Secondary,
    /// Suppressed; the table does not say why, so it may be sensitive.
    LeftOut,
    /// Not part of the table: its code does not occur.
    Absent,
}

impl CellMark {
    /// Whether readers see the cell.
    pub fn is_published(self) -> bool {
        matches!(self, CellMark::Published | CellMark::Kept)
    }
}

/// One cell.
#[derive(Clone)]
pub struct TableCell {
    /// Whether readers see it.
    pub mark: CellMark,
    /// Its value, if known; published cells have one.
    pub value: Option<i128>,
    /// The number of contributors, if known.
    pub contributors: Option<u64>,
    /// The known contributions to it.
    pub contributions: Option<SumCell>,
}

impl TableCell {
    /// Whether so few people contributed that the cell is sensitive under every rule; `None` if
    /// their number is not known.
    pub fn has_few_contributors(&self) -> Option<bool> {
        if let Some(count) = self.contributors {
            return Some((1..FEWEST_CONTRIBUTORS).contains(&count));
        }
        if self.value == Some(0) {
            return Some(false);
        }
        let of = self.contributions.as_ref()?;
        let largest: Vec<u128> = of.kept().filter(|&one| one > 0).map(u128::from).collect();
        let smallest = *largest.last()?;
        // Each of the other people contributed at most as much as the smallest of the largest
        // contributions.
        let rest = of.absolute() - largest.iter().sum::<u128>();
        let fewest = rest
            .div_ceil(smallest)
            .saturating_add(largest.len() as u128);
        if fewest >= u128::from(FEWEST_CONTRIBUTORS) {
            return Some(false);
        }
        if rest == 0 { Some(true) } else { None }
    }

    /// The faults of a cell that readers see.
    fn published_faults(&self, rules: &[DominanceRule]) -> Vec<CellFault> {
        let mut faults = Vec::new();
        if let Some(of) = &self.contributions {
            let broken = (0..rules.len()).filter(|&rule| rules[rule].is_sensitive(of));
            faults.extend(broken.map(CellFault::Sensitive));
        }
        if faults.is_empty() && self.has_few_contributors() == Some(true) {
            faults.push(CellFault::Few);
        }
        faults
    }
}

/// A table with an entry for each cell.
pub struct SumsTable {
    /// Its dimensions.
    pub dimensions: Dimensions,
    /// The possible values of cells, as readers know them.
    pub range: Range,
    /// In the order of the dimensions' cells.
    pub entries: Vec<TableCell>,
}

/// A fault of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellFault {
    /// It is published, and by this one of the given rules it is sensitive.
    Sensitive(usize),
    /// It is published, and fewer than three people contributed to it.
    Few,
    /// It is suppressed, but readers can compute it.
    Recovered,
    /// It is suppressed, but readers can compute it too precisely.
    Narrow,
    /// It is suppressed, but the only contributor to this other suppressed cell can compute it
    /// exactly or too precisely.
    Known(usize),
}

/// What readers can compute about a suppressed cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputedCell {
    /// The cell.
    pub cell: usize,
    /// Its smallest and largest possible value.
    pub interval: Interval,
    /// Whether it follows from published cells by addition alone, without knowledge of the range.
    pub derivable: bool,
}

/// The findings, in the order of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumsVerdict {
    /// The faults.
    pub faults: Vec<(usize, CellFault)>,
    /// Every suppressed cell.
    pub computed: Vec<ComputedCell>,
    /// The number of published cells that no rule judged: without known contributions, or all of
    /// them without a rule.
    pub not_judged: usize,
}

impl SumsVerdict {
    /// Whether no fault was found and every published cell was judged.
    pub fn is_safe(&self) -> bool {
        self.faults.is_empty() && self.not_judged == 0
    }
}

impl SumsTable {
    /// The cells as readers see them.
    fn published(&self) -> Vec<Option<i128>> {
        self.entries
            .iter()
            .map(|entry| entry.value.filter(|_| entry.mark.is_published()))
            .collect()
    }

    /// Judges the table by these rules.
    ///
    /// # Errors
    /// No numbers in the range satisfy all totals.
    pub fn judge(&self, rules: &[DominanceRule]) -> Result<SumsVerdict, SumsContradiction> {
        let system = self.dimensions.system(self.range);
        let readers = SumsAttack::new(&system, self.published());
        let violated = readers.violated();
        if !violated.is_empty() {
            return Err(SumsContradiction {
                relations: violated,
            });
        }
        let left_out = |mark| {
            matches!(
                mark,
                CellMark::Primary | CellMark::Secondary | CellMark::LeftOut
            )
        };
        let cells: Vec<usize> = (0..self.entries.len())
            .filter(|&cell| left_out(self.entries[cell].mark))
            .collect();
        let intervals = readers.intervals(&cells)?;
        assert_eq!(
            intervals.len(),
            cells.len(),
            "an interval for each cell that was left out"
        );
        let computed = cells.into_iter().zip(intervals).map(|(cell, interval)| {
            let derivable = interval.is_exact() && readers.derivation(&[(cell, 1)]).is_some();
            ComputedCell {
                cell,
                interval,
                derivable,
            }
        });
        let computed: Vec<ComputedCell> = computed.collect();
        let mut faults: Vec<(usize, CellFault)> = computed
            .iter()
            .filter_map(|of| Some((of.cell, self.fault(of, rules)?)))
            .collect();
        faults.extend(self.known_to_lone(&readers, &computed, rules, &faults)?);
        let mut not_judged = 0;
        for (cell, entry) in self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.mark.is_published())
        {
            let found = entry.published_faults(rules);
            let is_judged = !rules.is_empty()
                && entry.contributions.is_some()
                && entry.has_few_contributors().is_some();
            if found.is_empty() && !is_judged {
                not_judged += 1;
            }
            faults.extend(found.into_iter().map(|fault| (cell, fault)));
        }
        assert!(
            faults.iter().all(|fault| fault.0 < self.entries.len()),
            "a fault is of a cell"
        );
        faults.sort_by_key(|fault| fault.0);
        Ok(SumsVerdict {
            faults,
            computed,
            not_judged,
        })
    }

    /// Uses contributions to cells that are no totals, each of a person, as what is known about all
    /// cells: the contributions of a person to a cell count as one. Cells without a value get it.
    /// `kept` of the largest contributions are kept. Returns the cells whose value is not the sum
    /// of their contributions.
    pub fn contribute(&mut self, contributions: &[(usize, u32, i64)], kept: usize) -> Vec<usize> {
        assert!(
            contributions
                .iter()
                .all(|(cell, ..)| *cell < self.entries.len()),
            "a cell of the table"
        );
        let mut of: BTreeMap<(usize, u32), i64> = BTreeMap::new();
        for &(cell, person, amount) in contributions {
            for total in self.dimensions.upwards(cell) {
                let sum = of.entry((total, person)).or_default();
                *sum = sum.saturating_add(amount);
            }
        }
        let mut cells = vec![SumCell::new(kept); self.entries.len()];
        of.into_iter()
            .for_each(|((cell, _), amount)| cells[cell].add(amount));
        for (entry, cell) in self.entries.iter_mut().zip(cells) {
            entry.value.get_or_insert(cell.sum());
            assert!(
                cell.rows() <= contributions.len() as u64,
                "a person contributes once to a cell"
            );
            entry.contributors = Some(cell.rows());
            entry.contributions = Some(cell);
        }
        self.marked(|entry| entry.value != entry.contributions.as_ref().map(SumCell::sum))
    }

    /// Computes missing values from those of other cells, where one addition is enough; returns the
    /// first cell that still has none.
    pub fn complete(&mut self) -> Option<usize> {
        let system = self.dimensions.system(self.range);
        loop {
            let mut found = false;
            for relation in system.relations() {
                let mut unknown = relation
                    .terms()
                    .iter()
                    .filter(|term| self.entries[term.0].value.is_none());
                let (Some(&(cell, times)), None) = (unknown.next(), unknown.next()) else {
                    continue;
                };
                let known = relation.terms().iter().filter(|term| term.0 != cell);
                let sum: i128 = known
                    .map(|term| i128::from(term.1) * self.entries[term.0].value.unwrap_or(0))
                    .sum();
                self.entries[cell].value = Some(-sum * i128::from(times));
                found = true;
            }
            if !found {
                return self.entries.iter().position(|entry| entry.value.is_none());
            }
        }
    }

    /// Whether a cell has only one contributor, who therefore knows it.
    fn is_lone(&self, cell: usize) -> bool {
        self.entries[cell].contributors == Some(1)
    }

    /// Suppressed cells without these faults that the only contributor of another cell knows too
    /// precisely.
    fn known_to_lone(
        &self,
        readers: &SumsAttack<'_>,
        computed: &[ComputedCell],
        rules: &[DominanceRule],
        faults: &[(usize, CellFault)],
    ) -> Result<Vec<(usize, CellFault)>, SumsContradiction> {
        let mut found: BTreeMap<usize, CellFault> = BTreeMap::new();
        let judged = |cell: usize| {
            let secondary =
                self.entries[cell].mark == CellMark::Secondary && self.protection(cell, rules) == 0;
            !secondary && faults.iter().all(|fault| fault.0 != cell)
        };
        let judged: Vec<usize> = computed
            .iter()
            .map(|of| of.cell)
            .filter(|&cell| judged(cell))
            .collect();
        let lone: Vec<usize> = computed
            .iter()
            .map(|of| of.cell)
            .filter(|&cell| self.is_lone(cell))
            .collect();
        let sensitive = |cell: &usize| {
            matches!(
                self.entries[*cell].mark,
                CellMark::Primary | CellMark::LeftOut
            ) || self.protection(*cell, rules) > 0
        };
        let sensitive = (0..self.entries.len()).filter(sensitive).count();
        let all_lone = self.marked(|entry| entry.contributors == Some(1)).len();
        if !intervals_for_lone(sensitive, all_lone) {
            let exact = readers
                .followed(&judged, &lone)
                .into_iter()
                .map(|(cell, lone)| (cell, CellFault::Known(lone)));
            return Ok(exact
                .collect::<BTreeMap<usize, CellFault>>()
                .into_iter()
                .collect());
        }
        for lone in lone {
            let others = judged
                .iter()
                .copied()
                .filter(|&cell| cell != lone && readers.are_related(cell, lone));
            let others: Vec<usize> = others.filter(|cell| !found.contains_key(cell)).collect();
            if others.is_empty() {
                continue;
            }
            let Some(value) = self.entries[lone].value else {
                // Whether a sum follows does not depend on the values.
                let attacker = readers.knowing(lone, 0);
                let follows = others
                    .into_iter()
                    .filter(|&cell| attacker.derivation(&[(cell, 1)]).is_some());
                found.extend(follows.map(|cell| (cell, CellFault::Known(lone))));
                continue;
            };
            let intervals = readers.knowing(lone, value).intervals(&others)?;
            for (cell, interval) in others.into_iter().zip(intervals) {
                if self
                    .fault(
                        &ComputedCell {
                            cell,
                            interval,
                            derivable: false,
                        },
                        rules,
                    )
                    .is_some()
                {
                    found.insert(cell, CellFault::Known(lone));
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The required margin of a cell's interval beyond its value; 0 if no rule requires one.
    fn protection(&self, cell: usize, rules: &[DominanceRule]) -> u128 {
        let entry = &self.entries[cell];
        let of = |contributions: &SumCell| {
            rules
                .iter()
                .map(|rule| rule.protection(contributions))
                .max()
        };
        let by_rules = entry.contributions.as_ref().and_then(of).unwrap_or(0);
        if by_rules == 0 && entry.has_few_contributors() == Some(true) {
            return least_room(entry.value.unwrap_or(0), rules);
        }
        by_rules
    }

    fn fault(&self, computed: &ComputedCell, rules: &[DominanceRule]) -> Option<CellFault> {
        let entry = &self.entries[computed.cell];
        let by = self.protection(computed.cell, rules);
        if entry.mark == CellMark::Secondary && by == 0 {
            return None;
        }
        if computed.interval.is_exact() {
            return Some(CellFault::Recovered);
        }
        let narrow = match entry.value.filter(|_| by > 0) {
            Some(value) => !computed.interval.reaches(value, by, self.down(value, by)),
            // The sizes of the contributions are unknown: the cell itself must not be known to
            // within the share p.
            None => percent(rules).is_some_and(|p| computed.interval.is_known_to(p)),
        };
        narrow.then_some(CellFault::Narrow)
    }

    /// The required margin below its value: not below 0 if every reader knows that it is not
    /// negative.
    fn down(&self, value: i128, by: u128) -> u128 {
        if self.range == Range::Free {
            by
        } else {
            by.min(value.unsigned_abs())
        }
    }

    /// Marks sensitive cells, and those that are suppressed with them, again; the second value is
    /// the cost, and whether no pattern is cheaper. A cell without cost is never suppressed.
    ///
    /// # Errors
    /// Even if all possible cells are suppressed, this cell can be computed too precisely.
    ///
    /// # Panics
    /// If a cell of the table has no value, or the values do not satisfy all totals.
    pub fn protect(
        &mut self,
        rules: &[DominanceRule],
        by_value: bool,
        work: u64,
    ) -> Result<(u128, bool), usize> {
        let system = self.dimensions.system(self.range);
        let absent: Vec<usize> = self.marked(|entry| entry.mark == CellMark::Absent);
        let values: Vec<i128> = self
            .entries
            .iter()
            .map(|entry| entry.value.expect("a cell with a value"))
            .collect();
        assert_eq!(values.len(), system.cells(), "a value for each cell");
        let primary = |cell: &usize| {
            self.entries[*cell].mark == CellMark::Primary || self.protection(*cell, rules) > 0
        };
        let primary: Vec<usize> = (0..values.len())
            .filter(|cell| !absent.contains(cell))
            .filter(primary)
            .collect();
        let sensitive = primary.iter().map(|&cell| {
            let up = self
                .protection(cell, rules)
                .max(least_room(values[cell], rules));
            Sensitive {
                cell,
                up,
                down: self.down(values[cell], up),
            }
        });
        let sensitive: Vec<Sensitive> = sensitive.collect();
        let price = |(entry, value): (&TableCell, &i128)| {
            let value = u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX);
            let free = !matches!(entry.mark, CellMark::Kept | CellMark::Absent) && value > 0;
            free.then_some(if by_value { value } else { 1 })
        };
        let costs: Vec<Option<u64>> = self.entries.iter().zip(&values).map(price).collect();
        let lone: Vec<usize> = (0..values.len())
            .filter(|&cell| self.is_lone(cell))
            .collect();
        let (values, costs, hidden, lone) = (&values[..], &costs[..], &absent[..], &lone[..]);
        let problem = SuppressionProblem {
            system: &system,
            values,
            costs,
            hidden,
            sensitive: &sensitive,
            lone,
            work,
        };
        let found = match problem.protect() {
            Protection::Protected(found) => found,
            Protection::Impossible { cell } => return Err(cell),
        };
        for entry in self
            .entries
            .iter_mut()
            .filter(|entry| !matches!(entry.mark, CellMark::Kept | CellMark::Absent))
        {
            entry.mark = CellMark::Published;
        }
        found
            .secondary
            .into_iter()
            .for_each(|cell| self.entries[cell].mark = CellMark::Secondary);
        primary
            .into_iter()
            .for_each(|cell| self.entries[cell].mark = CellMark::Primary);
        let is_shown = |of: &Sensitive| self.entries[of.cell].mark.is_published();
        assert!(!sensitive.iter().any(is_shown), "no sensitive sum is shown");
        Ok((found.cost, found.least))
    }

    fn marked(&self, which: impl Fn(&TableCell) -> bool) -> Vec<usize> {
        (0..self.entries.len())
            .filter(|&cell| which(&self.entries[cell]))
            .collect()
    }
}

fn percent(rules: &[DominanceRule]) -> Option<Decimal> {
    rules.iter().find_map(|rule| {
        if let DominanceRule::Percent(share) = rule {
            Some(*share)
        } else {
            None
        }
    })
}

/// The margin of a cell that is suppressed for another reason than a rule: the share p of its
/// value, and at least 1, so that it cannot be computed.
fn least_room(value: i128, rules: &[DominanceRule]) -> u128 {
    let share = percent(rules).and_then(|share| {
        let unit = 10u128.pow(u32::from(share.scale()));
        Some(
            value
                .unsigned_abs()
                .checked_mul(u128::from(share.digits()))?
                .div_ceil(unit),
        )
    });
    share.unwrap_or(0).max(1)
}

impl Interval {
    /// Whether it contains the range from the value minus `down` to the value plus `up`.
    fn reaches(&self, value: i128, up: u128, down: u128) -> bool {
        let low = BigInt::from(value) - BigInt::from(down);
        let high = BigInt::from(value) + BigInt::from(up);
        self.low
            .as_ref()
            .is_none_or(|own| *own <= crate::arithmetic::RationalNumber::whole(low))
            && self
                .high
                .as_ref()
                .is_none_or(|own| *own >= crate::arithmetic::RationalNumber::whole(high))
    }

    /// The largest relative error of an estimate from this interval: (high − low) / (high + low).
    /// `None` if it has no limit.
    pub fn relative_error(&self) -> Option<crate::arithmetic::RationalNumber> {
        let (low, high) = (self.low.as_ref()?, self.high.as_ref()?);
        let (above, below) = (
            high.numerator() * low.denominator(),
            low.numerator() * high.denominator(),
        );
        if below < BigInt::ZERO {
            return None;
        }
        let sum = &above + &below;
        let difference = above - below;
        Some(if sum == BigInt::ZERO {
            crate::arithmetic::RationalNumber::whole(0)
        } else {
            crate::arithmetic::RationalNumber::new(difference, sum)
        })
    }

    /// Whether the error of an estimate from this interval is below this share.
    fn is_known_to(&self, share: Decimal) -> bool {
        let unit = BigInt::from(10).pow(u32::from(share.scale()));
        self.relative_error()
            .is_some_and(|error| error.numerator() * unit < error.denominator() * share.digits())
    }
}
