//! A forecast (SCIENCE 4): who waits and for how long, what the next tick would do if no person
//! came, and what it would cost to coarsen at once instead of waiting. It changes nothing.

use std::collections::BTreeMap;

use super::blind::rules;
use super::state::Feed;
use crate::anonymizer::{
    NextHalvingTicks, RareRowRules, Recoder, RecodingStep, StandingRecoding, StandingState,
};
use crate::histogram::{CodedRows, Headcount};
use crate::model::{Node, Recoding, Taxonomy};
use crate::policy::{ChainPromise, Decimal, Policy, Search};

/// For each number of ticks waited, the number of rows.
type Ages = Vec<(u32, u64)>;
/// Classes with waiting rows, and how many.
type Crowds = Vec<(Vec<Node>, u64)>;

/// The forecast of a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// For each number of ticks waited, the number of rows; the longest first.
    pub ages: Ages,
    /// Classes with waiting rows, and how many; the largest first. Empty in a chain of crowds,
    /// which has no classes before it halves.
    pub crowds: Crowds,
    /// What the next tick does if no other person comes; `None` if that depends on draws.
    pub next: Option<EmptyTick>,
    /// The effect of coarsening at once; `None` if no row waits, if there are too few rows for a
    /// class in any case, and if the policy never coarsens.
    pub coarser: Option<OutlookRecoding>,
    /// When a chain of crowds halves next; `None` in other chains.
    pub turns: Option<NextHalvingTicks>,
}

/// The effect of a tick without arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyTick {
    /// What it does to the standing recoding.
    pub step: Option<RecodingStep>,
    /// Rows whose atoms form, including those that an attack of the gate would make wait again.
    pub added: u64,
    /// Rows that are withheld from then on.
    pub withheld: u64,
}

/// The recoding under which all waiting people would have a class at once.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlookRecoding {
    /// The recoding.
    pub recoding: Recoding,
    /// Rows whose atoms would form.
    pub added: u64,
    /// Σ|class|²/N² of all people in atoms now.
    pub before: f64,
    /// The same afterwards.
    pub after: f64,
}

impl Feed {
    /// Computes the forecast.
    pub fn outlook(&self, policy: &Policy, trees: &[&Taxonomy]) -> Outlook {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        if let ChainPromise::Crowds { every, .. } = policy.chain() {
            // The next halving divides waiting people and people added since the last halving.
            let people = self.new.iter().fold(self.waiting.headcount(), |all, new| {
                all.merge(&new.headcount())
            });
            let ((ages, _), turns) = (self.who_waits(&people), Some(self.turns.ahead(*every)));
            return Outlook {
                ages,
                crowds: Vec::new(),
                next: None,
                coarser: None,
                turns,
            };
        }
        let (ages, crowds) = self.who_waits(&self.waiting.headcount());
        let ChainPromise::Blind(standing) = policy.chain() else {
            let tick = || {
                let no_rows =
                    CodedRows::empty(self.waiting.width(), self.waiting.values().width(), true);
                self.clone().tick(no_rows, policy, trees)
            };
            let next = (policy.search() != Search::Halves).then(|| EmptyTick {
                step: None,
                added: tick().added,
                withheld: 0,
            });
            return Outlook {
                ages,
                crowds,
                next,
                coarser: None,
                turns: None,
            };
        };
        let rules = rules(policy.a(), standing);
        let (next, _) = self.without_arrivals(rules, policy, trees);
        let at_once = RareRowRules {
            max_wait: 0,
            max_withheld: Decimal::ZERO,
            ..rules
        };
        let (coarser, state) = self.without_arrivals(at_once, policy, trees);
        let found = matches!(
            coarser.step,
            Some(RecodingStep::BottomUp | RecodingStep::TopDown)
        );
        let recoding = state.cut().filter(|_| found).cloned();
        let coarser = recoding.map(|recoding| OutlookRecoding {
            recoding,
            added: coarser.added,
            before: discernibility(&self.standing),
            after: discernibility(&state),
        });
        Outlook {
            ages,
            crowds,
            next: Some(next),
            coarser,
            turns: None,
        }
    }

    /// How long people wait, and in which classes of the standing recoding; without one, in a
    /// single class.
    fn who_waits(&self, people: &Headcount) -> (Ages, Crowds) {
        let mut ages: BTreeMap<u32, u64> = BTreeMap::new();
        let mut crowds: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
        for (leaves, heads) in people.iter() {
            // The last tick is the one before `ticks`.
            *ages
                .entry(self.ticks().saturating_sub(heads.since + 1))
                .or_default() += u64::from(heads.count);
            let cut = self.standing.cut();
            let class = |cut: &Recoding| {
                cut.iter()
                    .zip(&leaves)
                    .map(|(cut, &leaf)| cut.at(leaf))
                    .collect()
            };
            *crowds
                .entry(cut.map(class).unwrap_or_else(|| vec![0; leaves.len()]))
                .or_default() += u64::from(heads.count);
        }
        let mut crowds: Crowds = crowds.into_iter().collect();
        crowds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        (ages.into_iter().rev().collect(), crowds)
    }

    fn without_arrivals(
        &self,
        rules: RareRowRules,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> (EmptyTick, StandingState) {
        let mut standing =
            StandingRecoding::resume(rules, self.standing.clone()).with(Recoder::of(policy, trees));
        let arrivals = self
            .new
            .iter()
            .fold(self.carried.clone(), |all, new| all.merge(&new.headcount()));
        let tick = standing.tick(&arrivals, self.ticks(), trees);
        let added = tick.atoms.iter().map(|atom| atom.people.rows()).sum();
        (
            EmptyTick {
                step: tick.step,
                added,
                withheld: tick.withheld.rows(),
            },
            standing.into_state(),
        )
    }
}

fn discernibility(state: &StandingState) -> f64 {
    let squares: u128 = state
        .crowds()
        .map(|(_, people)| u128::from(people).pow(2))
        .sum();
    let rows = state.rows() as f64;
    if rows > 0.0 {
        squares as f64 / (rows * rows)
    } else {
        0.0
    }
}
