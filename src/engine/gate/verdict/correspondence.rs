//! Correspondence attacks (SCIENCE 2) on the release with every earlier one. Under `blind` the
//! classes of real people are judged; under `bcf` all possible ones, as in the paper.

use rayon::prelude::*;

use super::check_result::{Check, CheckResult, Figure, RejectionReason};
use super::comparison::{Lineage, PreparedCase};
use super::crowds;
use crate::gate::correspondence::{Anonymity, Correspondence};
use crate::histogram::{Excess, JoinCells, NumberedClasses, Slices, Tuples};
use crate::policy::ChainPromise;

/// Judges every pair that includes the candidate.
pub fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if crowds::are_halved(ready.case.policy) {
        return crowds::correspondence(ready);
    }
    let found = CheckResult::made(Check::Correspondence);
    let Some(lineage) = &ready.lineage else {
        return CheckResult {
            made: false,
            ..found
        };
    };
    let Some(pairs) = pairs(ready, lineage) else {
        let text = "the release does not show the people of an earlier one, so it cannot be shown that the two are safe";
        return CheckResult {
            made: false,
            reasons: vec![RejectionReason::plain("all pairs of releases", text)],
            ..found
        };
    };
    let k = ready.case.policy.k();
    let least = pairs
        .iter()
        .flat_map(|(_, anonymity)| figures(anonymity))
        .map(|(_, left)| left)
        .min();
    let mut found = found.at_least(least, k);
    for (earlier, anonymity) in &pairs {
        for (attack, left) in figures(anonymity).filter(|(_, left)| *left < k) {
            let place = format!("{attack} with release {} of the chain", earlier + 1);
            let text = format!(
                "an {attack}-attack with an earlier release leaves {left} candidates, fewer than {k}"
            );
            found.reasons.push(RejectionReason {
                value: Some(Figure::Whole(left)),
                limit: Some(Figure::Whole(k)),
                ..RejectionReason::plain(place, text)
            });
        }
    }
    found
}

fn figures(anonymity: &Anonymity) -> impl Iterator<Item = (&'static str, u64)> {
    [
        ("F", anonymity.fa),
        ("C", anonymity.ca),
        ("B", anonymity.ba),
    ]
    .into_iter()
    .filter_map(|(attack, left)| Some((attack, left?)))
}

/// The pairs of the candidate with each earlier release; `None` if it lacks their rows or their
/// people.
fn pairs(ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<Vec<(usize, Anonymity)>> {
    let (candidate, earlier) = lineage.releases.split_last()?;
    let people = match ready.case.policy.chain() {
        ChainPromise::Bcf => None,
        _ => Some(People::of(ready, lineage)?),
    };
    let pair = |(at, release)| {
        let cells = JoinCells::of(release, candidate, &ready.trees);
        let excess = Excess::of(&cells, release, candidate, ready.values.len()).ok()?;
        let attack = Correspondence::new(release, candidate, &cells, &excess);
        let anonymity = match &people {
            None => attack.all(),
            Some(people) => {
                let (both, newcomers) = people.of_pair(at);
                attack.realised(&both, &newcomers)
            }
        };
        Some((at, anonymity))
    };
    earlier.par_iter().enumerate().map(pair).collect()
}

/// The classes of the people who must be found.
struct People {
    numbered: Vec<NumberedClasses>,
    number: Vec<usize>,
    slices: Vec<(u32, Vec<u32>)>,
}

impl People {
    /// `None` if a person is in no class of a release.
    fn of(ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<People> {
        let numbered = NumberedClasses::all(&lineage.releases, &lineage.number, ready.trees.len());
        let cuts: Vec<_> = numbered
            .iter()
            .map(|numbered| lineage.releases[numbered.last()].recoding())
            .collect();
        let slices = Slices::of(&lineage.rows, &cuts, &numbered.iter().collect::<Vec<_>>());
        let slices = slices
            .iter()
            .map(|(increment, ids)| (increment, ids.to_vec()))
            .collect();
        let people = People {
            numbered,
            number: lineage.number.clone(),
            slices,
        };
        let last = people.number.len() - 1;
        people
            .slices
            .iter()
            .all(|(_, ids)| people.class(last, ids).is_some())
            .then_some(people)
    }

    fn class(&self, release: usize, ids: &[u32]) -> Option<u32> {
        let recoding = self.number[release];
        Some(self.numbered[recoding].in_release(release, ids[recoding])? as u32)
    }

    /// The pairs of classes that share a person of the earlier release, and the classes of the
    /// candidate with a person who came after it.
    fn of_pair(&self, earlier: usize) -> (Vec<[u32; 2]>, Vec<u32>) {
        let (mut both, mut newcomers) = (Tuples::new(2), Tuples::new(1));
        let last = self.number.len() - 1;
        for (increment, ids) in &self.slices {
            let Some(now) = self.class(last, ids) else {
                continue;
            };
            match self
                .class(earlier, ids)
                .filter(|_| *increment as usize <= earlier)
            {
                Some(then) => _ = both.number(&[then, now]),
                None => _ = newcomers.number(&[now]),
            }
        }
        assert!(
            both.len() + newcomers.len() <= 2 * self.slices.len(),
            "each slice is in both, or came"
        );
        (
            both.iter().map(|pair| [pair[0], pair[1]]).collect(),
            newcomers.iter().map(|class| class[0]).collect(),
        )
    }
}
