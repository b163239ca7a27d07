//! Minimality attacks (SCIENCE 5; MIN 4): how strongly a reader who knows that classes were
//! generalised *because* one of them violated a requirement can link the people of each to a
//! guarded set. Every assignment of the sensitive rows under which no class would have violated it
//! is excluded, and the others are equally likely; counted exactly, as polynomials modulo primes.
//!
//! This module knows only counts: neither columns nor values, nor how a recoding was found. A
//! figure that is only a bound says so in its type, and is on the safe side: the true figure is
//! never higher.

pub mod belief;
mod bound;
mod masking_belief;
pub mod requirement;
mod residues;
pub mod spread;
pub mod values;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigUint;

use self::bound::ClassesBound;
pub use self::masking_belief::masked;
use self::requirement::ExactShare;
use self::residues::{CountResidues, Factor};
use crate::arithmetic::{ShareFraction, choose};

/// One of the classes C_1 … C_u that were generalised into one: people with equal leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OriginClass {
    /// n_i: the number of people, which the reader knows from elsewhere.
    pub people: u64,
    /// n_i,g: the number of their rows that were generalised; all of them under global recoding.
    pub generalised: u64,
    /// n_i,u(s): the number of sensitive rows among the others.
    pub shown: u64,
}

impl OriginClass {
    /// A class that was generalised as a whole.
    pub fn whole(people: u64) -> OriginClass {
        OriginClass {
            people,
            generalised: people,
            shown: 0,
        }
    }
}

/// Counts over the assignments that remain possible for a reader.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignmentCounts {
    /// The number of assignments.
    pub left: BigUint,
    /// For each origin and value, the number of its generalised rows with that value, summed over
    /// all assignments; if rows are only sensitive or not, there is a single value.
    pub held: Vec<Vec<BigUint>>,
}

/// How strongly a person is linked to a guarded set.
#[derive(Debug, Clone, PartialEq)]
pub enum Credibility {
    /// The exact share.
    Exact(ShareFraction),
    /// An upper bound: counting was beyond the budget.
    AtMost(f64),
}

impl Credibility {
    /// A share that every reader can see.
    pub fn seen(part: u64, of: u64) -> Credibility {
        assert!(part <= of && of > 0, "a share of at most all");
        Credibility::Exact(ShareFraction::new(part.into(), of.into()))
    }

    /// As a number; a bound remains a bound.
    pub fn value(&self) -> f64 {
        match self {
            Credibility::Exact(share) => share.value(),
            Credibility::AtMost(share) => *share,
        }
    }

    /// Compares two of them; a bound counts as the figure itself.
    pub fn compare(&self, other: &Credibility) -> Ordering {
        match (self, other) {
            (Credibility::Exact(a), Credibility::Exact(b)) => a.cmp(b),
            (a, b) => a.value().total_cmp(&b.value()),
        }
    }

    /// Whether it is proved to be at most this.
    pub fn is_at_most(&self, limit: ExactShare) -> bool {
        match self {
            Credibility::Exact(share) => share.is_at_most(limit.part, limit.of),
            Credibility::AtMost(share) => *share * limit.of as f64 <= limit.part as f64,
        }
    }

    /// Whether it is proved to be at most 1/m.
    pub fn is_at_most_one_in(&self, m: u64) -> bool {
        match self {
            Credibility::Exact(share) => share.is_at_most_one_in(m),
            Credibility::AtMost(share) => *share * m as f64 <= 1.0,
        }
    }
}

/// `53/86`, or `<=0.616280` for a bound, rounded up.
impl fmt::Display for Credibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credibility::Exact(share) => write!(f, "{share}"),
            Credibility::AtMost(share) => write!(f, "<={:.6}", (share * 1e6).ceil() / 1e6),
        }
    }
}

/// The origins of one published class with one guarded set, and what the requirement would have
/// allowed.
pub struct MinimalityAttack {
    /// Distinct origins, each with its factor; `None` if every count violates.
    kinds: Vec<(OriginClass, Option<usize>)>,
    factors: Vec<Factor>,
    /// The index of each origin's kind, in the order in which the origins were given.
    kind: Vec<usize>,
    generalised: u64,
    sensitive: u64,
}

impl MinimalityAttack {
    /// From origins whose generalised rows contain `sensitive` sensitive ones; `admits` says
    /// whether a class with a number of people and a number of sensitive rows satisfies the
    /// requirement.
    ///
    /// # Panics
    /// If there are more sensitive rows than rows, or the admitted counts of a class have a gap.
    pub fn new(
        origins: &[OriginClass],
        sensitive: u64,
        admits: impl Fn(u64, u64) -> bool,
    ) -> MinimalityAttack {
        let generalised = origins.iter().map(|origin| origin.generalised).sum();
        assert!(sensitive <= generalised, "sensitive rows are rows");
        let mut times: BTreeMap<OriginClass, u64> = BTreeMap::new();
        origins
            .iter()
            .for_each(|&origin| *times.entry(origin).or_default() += 1);
        let numbered: BTreeMap<OriginClass, usize> = times.keys().copied().zip(0..).collect();
        let mut factors: BTreeMap<[u64; 3], u64> = BTreeMap::new();
        let factor_of = |origin: &OriginClass| {
            let admitted = |count: &u64| admits(origin.people, origin.shown + count);
            let mut counts = (0..=origin.generalised.min(sensitive)).filter(admitted);
            let low = counts.next()?;
            let (last, held) = counts.fold((low, 1), |(_, held), count| (count, held + 1));
            assert_eq!(last - low + 1, held, "what a requirement admits has no gap");
            Some([origin.generalised, low, last])
        };
        let kinds: Vec<(OriginClass, Option<[u64; 3]>)> = times
            .keys()
            .map(|origin| (*origin, factor_of(origin)))
            .collect();
        for (origin, factor) in &kinds {
            factor
                .iter()
                .for_each(|key| *factors.entry(*key).or_default() += times[origin]);
        }
        let place: BTreeMap<[u64; 3], usize> = factors.keys().copied().zip(0..).collect();
        MinimalityAttack {
            kinds: kinds
                .into_iter()
                .map(|(origin, factor)| (origin, factor.map(|key| place[&key])))
                .collect(),
            factors: factors
                .into_iter()
                .map(|([rows, low, high], times)| Factor {
                    rows,
                    low,
                    high,
                    times,
                })
                .collect(),
            kind: origins.iter().map(|origin| numbered[origin]).collect(),
            generalised,
            sensitive,
        }
    }

    /// Whether under some assignment one of the classes would have violated the requirement. If
    /// not, the release was not made in the way that the reader assumes, and there is no
    /// credibility.
    pub fn is_possible(&self) -> bool {
        let free = |rows: u64| {
            let others = self.generalised - rows;
            (
                self.sensitive.saturating_sub(others),
                rows.min(self.sensitive),
            )
        };
        self.kinds.iter().any(|(origin, factor)| {
            let (least, most) = free(origin.generalised);
            factor.is_none_or(|at| least < self.factors[at].low || most > self.factors[at].high)
        })
    }

    /// The steps of work for an exact answer.
    pub fn cost(&self) -> u64 {
        if !self.is_possible() || self.excludes_nothing() {
            return 0;
        }
        residues::cost(&self.factors, self.generalised, self.sensitive)
    }

    /// The number of assignments that remain: those under which some class would have violated the
    /// requirement.
    pub fn left(&self) -> BigUint {
        choose(self.generalised, self.sensitive) - self.kept().all
    }

    /// The credibility for each origin, in the order given; `None` if no assignment remains, or the
    /// origin has no people.
    pub fn exact(&self) -> Vec<Option<Credibility>> {
        let Some((left, held)) = self.left_by_kind() else {
            return vec![None; self.kind.len()];
        };
        let mut held = held.iter();
        self.each(|(origin, _)| {
            let sensitive = held.next().expect("one per kind") + &left * origin.shown;
            (origin.people > 0)
                .then(|| Credibility::Exact(ShareFraction::new(sensitive, &left * origin.people)))
        })
    }

    /// The remaining assignments, and the sensitive rows of each origin in them; `None` if none
    /// remains.
    pub fn counted(&self) -> Option<AssignmentCounts> {
        let (left, held) = self.left_by_kind()?;
        Some(AssignmentCounts {
            left,
            held: self
                .kind
                .iter()
                .map(|&kind| vec![held[kind].clone()])
                .collect(),
        })
    }

    /// The same for a reader who excludes nothing.
    pub fn free(&self) -> AssignmentCounts {
        let through = self.through();
        let of = |&kind: &usize| vec![&through * self.kinds[kind].0.generalised];
        AssignmentCounts {
            left: choose(self.generalised, self.sensitive),
            held: self.kind.iter().map(of).collect(),
        }
    }

    fn left_by_kind(&self) -> Option<(BigUint, Vec<BigUint>)> {
        if !self.is_possible() {
            return None;
        }
        let (through, kept) = (self.through(), self.kept());
        let left = choose(self.generalised, self.sensitive) - &kept.all;
        assert!(
            left != BigUint::ZERO,
            "some assignment violates, and it was counted"
        );
        let of = |(origin, factor): &(OriginClass, Option<usize>)| {
            &through * origin.generalised - factor.map_or(&BigUint::ZERO, |at| &kept.marked[at])
        };
        Some((left, self.kinds.iter().map(of).collect()))
    }

    /// The number of assignments in which one given row is sensitive.
    fn through(&self) -> BigUint {
        match self.sensitive {
            0 => BigUint::ZERO,
            some => choose(self.generalised - 1, some - 1),
        }
    }

    /// Upper bounds of the credibility, in a time that is linear in the rows.
    pub fn at_most(&self) -> Vec<Option<Credibility>> {
        if !self.is_possible() {
            return vec![None; self.kind.len()];
        }
        let bound = ClassesBound::of(
            &self.factors,
            self.excludes_nothing(),
            self.generalised,
            self.sensitive,
        );
        let share = |(origin, factor): &(OriginClass, Option<usize>)| {
            if origin.people == 0 {
                return None;
            }
            let part = bound.of_generalised(factor.map(|at| (at, &self.factors[at])));
            let shown = origin.shown as f64 + part * origin.generalised as f64;
            Some(Credibility::AtMost(bound::above(
                shown / origin.people as f64,
            )))
        };
        self.each(share)
    }

    /// Counts the assignments under which no class violates.
    fn kept(&self) -> CountResidues {
        if self.excludes_nothing() {
            return CountResidues::nothing(self.factors.len());
        }
        let most = self
            .factors
            .iter()
            .map(|factor| factor.rows)
            .max()
            .unwrap_or(0)
            .max(1);
        residues::kept(
            &self.factors,
            self.sensitive,
            &(choose(self.generalised, self.sensitive) * most),
        )
    }

    fn each(
        &self,
        of: impl FnMut(&(OriginClass, Option<usize>)) -> Option<Credibility>,
    ) -> Vec<Option<Credibility>> {
        let by_kind: Vec<Option<Credibility>> = self.kinds.iter().map(of).collect();
        self.kind
            .iter()
            .map(|&kind| by_kind[kind].clone())
            .collect()
    }

    /// Whether some class violates whatever it contains: then nothing is excluded.
    fn excludes_nothing(&self) -> bool {
        self.kinds.iter().any(|(_, factor)| factor.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(part: u64, of: u64) -> [Credibility; 2] {
        [
            Credibility::seen(part, of),
            Credibility::AtMost(part as f64 / of as f64),
        ]
    }

    #[test]
    fn exact_shares_and_bounds_are_checked_alike() {
        for share in shares(1, 4) {
            let limits = [(1, 4), (2, 7), (6, 25)]
                .map(|(part, of)| share.is_at_most(ExactShare { part, of }));
            assert_eq!(limits, [true, true, false], "{share}");
            assert_eq!(
                [4, 5].map(|m| share.is_at_most_one_in(m)),
                [true, false],
                "{share}"
            );
        }
    }
}
