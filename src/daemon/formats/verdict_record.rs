//! What came of a tick, for the operator: the whole verdict, what was done about the standing recoding, and every
//! candidate that the search refused with its reason. Private: it may be read with the releases' history, never published.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::engine::anonymizer::{InvalidReason, NoRelease, RecodingStep, Refusal};
use crate::engine::feed::FeedTickResult;
use crate::engine::gate::verdict::Verdict;
use crate::engine::model::{Columns, Role};
use crate::engine::release::{Check, Figure};

/// Why a release may not leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictReason {
    /// The check.
    pub check: String,
    /// Where.
    pub place: String,
    /// The figure.
    pub value: Option<Figure>,
    /// What it would have to be.
    pub limit: Option<Figure>,
    /// In words.
    pub text: String,
}

/// What an operator can do about these reasons, each thing once.
pub fn advice(reasons: &[VerdictReason]) -> BTreeSet<&'static str> {
    reasons.iter().filter_map(|reason| Check::named(&reason.check)).map(|check| check.facts().advice).collect()
}

/// A candidate that the search refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalRecord {
    /// The column.
    pub column: String,
    /// The label that was not specialised.
    pub label: String,
    /// Why.
    pub text: String,
}

/// What was done because a refinement attack on a class found too much: classes went back to those who wait, or the recoding
/// became coarser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repaired {
    /// How many classes wait: those that were formed together; 0 where the recoding became coarser.
    pub classes: u64,
    /// The column in which the recoding became coarser; null where classes wait.
    #[serde(default)]
    pub column: Option<String>,
    /// The one that failed.
    pub place: String,
    /// Why.
    pub text: String,
}

/// What came of a tick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedTick {
    /// The tick, from 0.
    pub tick: u32,
    /// What was done about the standing recoding.
    pub step: Option<String>,
    /// What the gate found; null when there was nothing to judge.
    pub verdict: Option<Verdict>,
    /// The candidates that the search refused, in the order of their turns.
    pub refused: Vec<RefusalRecord>,
    /// What was repaired before the release was judged, in order.
    #[serde(default)]
    pub repairs: Vec<Repaired>,
    /// Why the release may not leave.
    pub reasons: Vec<VerdictReason>,
    /// What spoke against what was proposed, where everything went to the root instead.
    pub coarsest: Vec<VerdictReason>,
}

impl RecordedTick {
    /// Of a tick that was computed.
    pub fn new(ticked: &FeedTickResult, columns: &Columns) -> RecordedTick {
        let step = ticked.step.map(|step| match step {
            RecodingStep::Hold => "hold: too few rows for a recoding",
            RecodingStep::First => "the standing recoding was found",
            RecodingStep::Withhold => "overdue rows were withheld",
            RecodingStep::BottomUp => "the standing recoding was made coarser, from the overdue rows up",
            RecodingStep::TopDown => "the standing recoding was made coarser, from the top down",
        });
        let refused = ticked.refusals.iter().map(|refusal| refused(refusal, columns)).collect();
        let step = step.map(str::to_owned);
        RecordedTick { step, refused, ..RecordedTick::of(ticked.tick) }
    }

    /// Of a tick of which there is nothing to tell yet.
    pub fn of(tick: u32) -> RecordedTick {
        let (step, verdict, refused, repairs) = (None, None, Vec::new(), Vec::new());
        RecordedTick { tick, step, verdict, refused, repairs, reasons: Vec::new(), coarsest: Vec::new() }
    }

    /// Whether there is something to tell.
    pub fn tells(&self) -> bool {
        *self != RecordedTick::of(self.tick)
    }

    /// To be sealed.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a verdict is JSON")
    }

    /// From what was sealed.
    ///
    /// # Errors
    /// It is of another version.
    pub fn parse(bytes: &[u8]) -> Result<RecordedTick> {
        let other =
            |_| Error::new(ErrorCategory::Input, "the verdict of a tick was written by another version of tidegate");
        serde_json::from_slice(bytes).map_err(other)
    }

    /// What the gate found.
    pub fn verdict(&mut self, verdict: &Verdict) {
        let against = |(check, reason): (
            &crate::engine::gate::verdict::CheckResult,
            &crate::engine::gate::verdict::RejectionReason,
        )| {
            VerdictReason {
                check: check.check.to_string(),
                place: reason.place.clone(),
                value: reason.value,
                limit: reason.limit,
                text: reason.text.clone(),
            }
        };
        self.reasons = verdict.reasons().map(against).collect();
        self.verdict = Some(verdict.clone());
    }

    /// Everything goes to the root for the rest of the chain, because these reasons spoke against what was proposed.
    pub fn to_the_root(&mut self, against: Vec<VerdictReason>) {
        let mut checks: Vec<&str> = against.iter().map(|reason| reason.check.as_str()).collect();
        checks.dedup();
        let text = format!(
            "everything went to the root for the rest of the chain, because a check that reads sensitive values failed ({})",
            checks.join(", ")
        );
        self.step = Some(self.step.take().map_or(text.clone(), |step| format!("{step}; {text}")));
        self.coarsest = against;
    }

    /// The chain was stopped in an earlier tick.
    pub fn stopped_before(&mut self) {
        let text =
            "this chain has stopped: a check on sensitive values failed. Start a new one with `tidegate new-chain`";
        self.reasons.push(plain("stopped", text.to_owned()));
    }

    /// There is no release that keeps the guarantee.
    pub fn impossible(&mut self, why: &NoRelease) {
        let text = match why {
            NoRelease::Unsafe(InvalidReason::Rows { limit, .. }) => {
                format!("a class would hold fewer than {limit} people")
            }
            NoRelease::Unsafe(reason) => kept(reason),
            NoRelease::NotSuperset { earlier } => {
                format!("release {} of the chain is not held by the table", earlier + 1)
            }
            NoRelease::TooManyTargets => "the earlier releases cross in more ways than can be looked at".to_owned(),
        };
        self.reasons.push(plain("search", format!("no recoding keeps the guarantee: {text}")));
    }
}

fn plain(check: &str, text: String) -> VerdictReason {
    VerdictReason {
        check: check.to_owned(),
        place: "the whole release".to_owned(),
        value: None::<Figure>,
        limit: None,
        text,
    }
}

fn refused(refusal: &Refusal, columns: &Columns) -> RefusalRecord {
    let (column, tree) = columns.of(Role::Quasi).zip(columns.trees()).nth(refusal.column).expect("a quasi column");
    RefusalRecord {
        column: column.name.to_string(),
        label: tree.label(refusal.node).to_owned(),
        text: kept(&refusal.reason),
    }
}

/// A reason as it is kept: verdicts outlast the rows that they speak of, and lie there in the clear, so that no class and
/// no count below the limit is in them.
fn kept(reason: &InvalidReason) -> String {
    match reason {
        InvalidReason::Rows { limit, .. } => format!("a class below it would hold fewer than {limit} people"),
        InvalidReason::SetAside { limit, .. } => format!("more than {limit} rows would be left waiting"),
        InvalidReason::Earlier { limit, .. } => {
            format!("people of an earlier release would be left with fewer than {limit} candidates")
        }
        InvalidReason::Newcomers { limit, .. } => {
            format!("people who are new would be left with fewer than {limit} candidates")
        }
    }
}
