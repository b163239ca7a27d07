//! Minimality attacks on one release that others made by generalising until l-diversity held (SCIENCE 5, the gate's check
//! (c)): people of equal leaf tuples are the classes C_i of which rows were generalised, l is the policy's m. Under local recoding
//! some of their rows may be shown as they are, and others lie in several classes.

mod groups;
mod sets;
mod tie;

use rayon::prelude::*;

pub use self::groups::Astray;
use self::groups::{Group, groups};
use self::sets::Case;
pub use self::tie::Tie;
use crate::gate::minimality::Credibility;
use crate::gate::minimality::requirement::l_diverse;
use crate::histogram::{Histogram, Release};
use crate::model::Columns;

/// How strongly people are tied to guarded sets.
#[derive(Debug)]
pub struct Minimality {
    /// Nobody is to be tied with more than 1/m.
    pub m: u64,
    /// By class of the release, then by leaf tuple, then by set.
    pub ties: Vec<Tie>,
}

impl Minimality {
    /// Steps of work that all classes of a release may cost together; about five seconds.
    pub const WORK: u64 = 6_000_000_000;

    /// Of a release and the rows behind it, which give exactly that release; beyond so much work figures are bounds.
    ///
    /// # Errors
    /// Labels that these rows do not fill.
    pub fn of(release: &Release, raw: &Histogram, columns: &Columns, m: u64, work: u64) -> Result<Minimality, Astray> {
        let sets = raw.values().guarded(columns);
        let (people, groups) = groups(release, raw, columns)?;
        // Per set, rows of it that each class shows.
        let held = |set: &Vec<bool>| -> Vec<u64> {
            let rows = |class: usize| release.range(class).filter(|&at| set[release.values()[at] as usize]);
            (0..release.classes()).map(|class| rows(class).map(|at| release.counts()[at]).sum()).collect()
        };
        let held: Vec<Vec<u64>> = sets.iter().map(held).collect();
        let cases: Vec<(&Group, usize)> =
            groups.iter().flat_map(|group| (0..sets.len()).map(move |set| (group, set))).collect();
        let cases: Vec<Case<'_>> = cases
            .into_par_iter()
            .map(|(group, set)| Case::new((group, set), &people, &held[set], l_diverse(m)))
            .collect();
        let counted = affordable(&cases, m, work);
        let found: Vec<Vec<Tie>> = cases.par_iter().zip(counted).map(|(case, counted)| case.ties(counted)).collect();
        let mut ties: Vec<Tie> = found.into_iter().flatten().collect();
        // Of those whose rows are all shown everybody sees the share.
        for equals in people.iter().filter(|equals| equals.generalised == 0) {
            let seen = |held: &Vec<u64>| Some(Credibility::seen(held[equals.class], equals.people));
            ties.extend(held.iter().enumerate().map(|(set, held)| Tie::new(equals, set, seen(held))));
        }
        ties.sort_by(|a, b| (a.class, &a.leaves, a.set).cmp(&(b.class, &b.leaves, b.set)));
        Ok(Minimality { m, ties })
    }

    /// The strongest tie, to one set or to any; the first where several are as strong.
    pub fn strongest(&self, set: Option<usize>) -> Option<(&Tie, &Credibility)> {
        let among = self.ties.iter().filter(|tie| set.is_none_or(|set| tie.set == set));
        let known = among.filter_map(|tie| Some((tie, tie.credibility.as_ref()?)));
        known.reduce(|most, next| if next.1.compare(most.1).is_gt() { next } else { most })
    }

    /// How many guarded sets there are.
    pub fn sets(&self) -> usize {
        self.ties.iter().map(|tie| tie.set + 1).max().unwrap_or(0)
    }
}

/// Which cases are counted exactly, as long as there is work left: first those that their bounds leave open, the cheapest
/// of them first.
fn affordable(cases: &[Case<'_>], m: u64, mut work: u64) -> Vec<bool> {
    let rank = |case: &Case<'_>| {
        let bounds = case.ties(false);
        let open = bounds.iter().filter_map(|tie| tie.credibility.as_ref()).any(|bound| !bound.is_at_most_one_in(m));
        (!open, case.cost())
    };
    let mut order: Vec<((bool, u64), usize)> = cases.par_iter().map(rank).zip(0..cases.len()).collect();
    order.sort_unstable();
    let mut counted = vec![false; cases.len()];
    for ((_, cost), at) in order {
        let Some(left) = work.checked_sub(cost) else { continue };
        (work, counted[at]) = (left, true);
    }
    counted
}
