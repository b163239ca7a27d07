//! Minimality attacks on one release that others made by generalising until a requirement held
//! (SCIENCE 5, the gate's check (c)): people of equal leaf tuples are the classes C_i of which rows
//! were generalised. Under local recoding some of their rows may be shown as they are, and others
//! lie in several classes.

mod groups;
mod guards;
mod numbers;
mod requirement;
mod sets;
mod tie;
mod values;

use rayon::prelude::*;

pub use self::groups::ForeignRows;
use self::groups::{ClassGroup, Equals, groups};
pub use self::guards::Guards;
use self::numbers::NumbersCase;
pub use self::requirement::Requirement;
use self::sets::{GuardedCase, tie};
pub use self::tie::{GuardedTie, TieFigure};
use self::values::ValuesCase;
use crate::gate::minimality::Credibility;
use crate::gate::minimality::requirement::ExactShare;
use crate::histogram::{Histogram, Release};
use crate::model::Columns;

/// Why a release cannot be judged with these rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MinimalityProblem {
    /// The rows are not those behind the release.
    Astray(ForeignRows),
    /// The requirement is about one number per person, but the values are not numbers.
    Numbers,
    /// Guarded nodes are given without a requirement about them, or the other way round.
    Guards,
}

/// How strongly people are linked to sensitive values.
#[derive(Debug)]
pub struct MinimalityFigures {
    /// The requirement that the release was generalised for.
    pub requirement: Requirement,
    /// By class of the release, then by leaf tuple, then by set.
    pub ties: Vec<GuardedTie>,
    /// The labels of the guarded nodes, if the requirement is about them.
    pub guarding: Vec<String>,
}

impl MinimalityFigures {
    /// The most steps of work for all classes of a release together; about five seconds.
    pub const WORK: u64 = 6_000_000_000;

    /// The cost of one step of an enumeration, which also stores its result, in steps of
    /// polynomials.
    const DEARER: u64 = 4_000;

    /// From a release and exactly the rows behind it; beyond the limit on work figures are bounds.
    ///
    /// # Errors
    /// The rows do not fill the labels, or the requirement is about numbers and a value is none.
    pub fn of(
        release: &Release,
        raw: &Histogram,
        columns: &Columns,
        requirement: Requirement,
        work: u64,
    ) -> Result<MinimalityFigures, MinimalityProblem> {
        assert_eq!(release.width(), raw.width(), "rows of the release");
        MinimalityFigures::guarding(release, raw, columns, (requirement, None), work)
    }

    /// The same with the nodes that people guard, which personal privacy needs.
    ///
    /// # Errors
    /// As for [`MinimalityFigures::of`]; or the requirement is about guarded nodes and no person
    /// guards one.
    pub fn guarding(
        release: &Release,
        raw: &Histogram,
        columns: &Columns,
        (requirement, guards): (Requirement, Option<&Guards>),
        work: u64,
    ) -> Result<MinimalityFigures, MinimalityProblem> {
        let personal = matches!(requirement, Requirement::Personal { .. });
        if personal != guards.is_some() {
            return Err(MinimalityProblem::Guards);
        }
        let sets = raw.values().guarded(columns);
        let numbers =
            NumbersCase::of(raw.values(), &requirement).ok_or(MinimalityProblem::Numbers)?;
        let (people, groups) = groups(release, raw, columns).map_err(MinimalityProblem::Astray)?;
        let mut ties = match requirement
            .of_sets()
            .filter(|_| !personal && !sets.is_empty())
        {
            Some(most) => of_sets(
                release,
                (&people, &groups),
                &sets,
                (most, requirement.least()),
                work,
            ),
            None => {
                let guarded =
                    guards.map(|guards| guards.guarded(raw.values(), raw, &people, columns));
                let table = ValuesCase::new(
                    release,
                    &people,
                    raw.values().len(),
                    &numbers,
                    (requirement, guarded),
                );
                of_values(&table, (&people, &groups), work / MinimalityFigures::DEARER)
            }
        };
        assert!(
            ties.iter().all(|tie| tie.class < release.classes()),
            "a tie is in a class"
        );
        ties.sort_by(|a, b| (a.class, &a.leaves, a.set).cmp(&(b.class, &b.leaves, b.set)));
        let guarding = guards.map_or(Vec::new(), |guards| guards.labels(columns));
        Ok(MinimalityFigures {
            requirement,
            ties,
            guarding,
        })
    }

    /// The strongest tie to one set, or to any; the first of equally strong ones.
    pub fn strongest(&self, set: Option<usize>) -> Option<(&GuardedTie, &Credibility)> {
        strongest(
            self.ties
                .iter()
                .filter(|tie| set.is_none_or(|set| tie.set == Some(set))),
        )
    }

    /// The strongest tie to a set, or to single values, that violates the requirement.
    pub fn worst(&self, set: Option<usize>) -> Option<(&GuardedTie, &Credibility)> {
        strongest(self.ties.iter().filter(|tie| tie.set == set && !tie.kept))
    }

    /// The sets of the ties; `None` alone for single values.
    pub fn sets(&self) -> Vec<Option<usize>> {
        let mut sets: Vec<Option<usize>> = self.ties.iter().map(|tie| tie.set).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }
}

fn strongest<'t>(
    among: impl Iterator<Item = &'t GuardedTie>,
) -> Option<(&'t GuardedTie, &'t Credibility)> {
    let known = among.filter_map(|tie| Some((tie, tie.credibility.as_ref()?)));
    known.reduce(|most, next| {
        if next.1.compare(most.1).is_gt() {
            next
        } else {
            most
        }
    })
}

/// The ties to each guarded set on its own.
fn of_sets(
    release: &Release,
    (people, groups): (&[Equals], &[ClassGroup]),
    sets: &[Vec<bool>],
    (most, least): (ExactShare, u64),
    work: u64,
) -> Vec<GuardedTie> {
    // For each set, the rows of it that each class shows.
    let held = |set: &Vec<bool>| -> Vec<u64> {
        let rows = |class: usize| {
            release
                .range(class)
                .filter(|&at| set[release.values()[at] as usize])
        };
        (0..release.classes())
            .map(|class| rows(class).map(|at| release.counts()[at]).sum())
            .collect()
    };
    let held: Vec<Vec<u64>> = sets.iter().map(held).collect();
    let cases: Vec<(&ClassGroup, usize)> = groups
        .iter()
        .flat_map(|group| (0..sets.len()).map(move |set| (group, set)))
        .collect();
    let cases: Vec<GuardedCase<'_>> = cases
        .into_par_iter()
        .map(|(group, set)| GuardedCase::new((group, set), people, &held[set], (most, least)))
        .collect();
    let counted = affordable(&cases, work);
    let found: Vec<Vec<GuardedTie>> = cases
        .par_iter()
        .zip(counted)
        .map(|(case, counted)| case.ties(counted))
        .collect();
    let mut ties: Vec<GuardedTie> = found.into_iter().flatten().collect();
    // For people whose rows are all shown, every reader sees the share.
    for equals in people.iter().filter(|equals| equals.generalised == 0) {
        let seen = |held: &Vec<u64>| Some(Credibility::seen(held[equals.class], equals.people));
        ties.extend(
            held.iter()
                .enumerate()
                .map(|(set, held)| tie(equals, (set, most), seen(held))),
        );
    }
    ties
}

/// The ties to single values. Small groups come first, since large ones may use up the work.
fn of_values(
    table: &ValuesCase<'_>,
    (people, groups): (&[Equals], &[ClassGroup]),
    mut work: u64,
) -> Vec<GuardedTie> {
    let mut order: Vec<&ClassGroup> = groups.iter().collect();
    order.sort_by_key(|group| group.spread.people.iter().sum::<u64>());
    let mut ties: Vec<GuardedTie> = order
        .into_iter()
        .flat_map(|group| table.ties(group, &mut work))
        .collect();
    ties.extend(
        (0..people.len())
            .filter(|&of| people[of].generalised == 0)
            .flat_map(|of| table.seen(of)),
    );
    ties
}

/// The cases that are counted exactly as long as work is left: first those that their bounds leave
/// open, the cheapest first.
fn affordable(cases: &[GuardedCase<'_>], mut work: u64) -> Vec<bool> {
    let rank = |case: &GuardedCase<'_>| (case.ties(false).iter().all(|tie| tie.kept), case.cost());
    let mut order: Vec<((bool, u64), usize)> =
        cases.par_iter().map(rank).zip(0..cases.len()).collect();
    order.sort_unstable();
    let mut counted = vec![false; cases.len()];
    for ((_, cost), at) in order {
        let Some(left) = work.checked_sub(cost) else {
            continue;
        };
        (work, counted[at]) = (left, true);
    }
    counted
}
