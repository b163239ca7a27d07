//! The record of a tick for the operator: the whole verdict, what was done to the standing
//! recoding, and every candidate that the search refused with its reason. Private: it may be read
//! together with the releases' history, and is never published.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::feed::FeedTickResult;
use crate::engine::gate::verdict::Verdict;
use crate::engine::label::{InvalidReason, LevelsQuality, NoRelease, RecodingStep, Refusal};
use crate::engine::model::{Columns, Role};
use crate::engine::release::{Check, Finding};
use crate::error::{Error, ErrorCategory, Result};
use crate::wiped_bytes::WipedBytes;

/// The remedies for these reasons, each once.
pub fn advice(reasons: &[Finding]) -> BTreeSet<&'static str> {
    reasons
        .iter()
        .filter_map(|reason| Check::named(&reason.check))
        .map(|check| check.facts().advice)
        .collect()
}

/// A candidate that the search refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalRecord {
    /// The column.
    pub column: String,
    /// The label that was not specialised.
    pub label: String,
    /// The reason.
    pub text: String,
}

/// How good the levels are that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelsRecord {
    /// What the search minimised: `loss`.
    pub minimised: String,
    /// The figure of the levels that were found.
    pub found: f64,
    /// No levels have a smaller figure.
    pub lower_bound: f64,
    /// Whether the search ended at its limit, so that better levels may exist.
    pub stopped: bool,
    /// The number of states that the search checked.
    pub checked: u64,
}

impl LevelsRecord {
    fn of(quality: &LevelsQuality) -> LevelsRecord {
        LevelsRecord {
            minimised: "loss".to_owned(),
            found: quality.found,
            lower_bound: quality.lower_bound,
            stopped: quality.stopped,
            checked: quality.checked,
        }
    }
}

/// A repair after a refinement attack on a class found too much: classes were dissolved, so that
/// their people wait, or the recoding became coarser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repaired {
    /// The number of dissolved classes, which were formed together; 0 if the recoding became
    /// coarser.
    pub classes: u64,
    /// The column in which the recoding became coarser; null if classes were dissolved.
    #[serde(default)]
    pub column: Option<String>,
    /// The class that failed.
    pub place: String,
    /// The reason.
    pub text: String,
}

/// The record of a tick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedTick {
    /// The tick, from 0.
    pub tick: u32,
    /// What was done to the standing recoding.
    pub step: Option<String>,
    /// The gate's verdict; null if there was nothing to judge.
    pub verdict: Option<Verdict>,
    /// The candidates that the search refused, in order.
    pub refused: Vec<RefusalRecord>,
    /// How good the levels are, if the tick searched levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<LevelsRecord>,
    /// The repairs before the release was judged, in order.
    #[serde(default)]
    pub repairs: Vec<Repaired>,
    /// Why the release may not be published.
    pub reasons: Vec<Finding>,
}

impl RecordedTick {
    /// From a tick that was computed.
    pub fn new(ticked: &FeedTickResult, columns: &Columns) -> RecordedTick {
        let step = ticked.step.map(|step| match step {
            RecodingStep::Hold => "hold: too few rows for a recoding",
            RecodingStep::First => "the standing recoding was found",
        });
        let refused = ticked
            .refusals
            .iter()
            .map(|refusal| refused(refusal, columns))
            .collect();
        let step = step.map(str::to_owned);
        let levels = ticked.levels.as_ref().map(LevelsRecord::of);
        RecordedTick {
            step,
            refused,
            levels,
            ..RecordedTick::of(ticked.tick)
        }
    }

    /// The record of a tick without content.
    pub fn of(tick: u32) -> RecordedTick {
        let (step, verdict, refused, repairs) = (None, None, Vec::new(), Vec::new());
        let reasons = Vec::new();
        RecordedTick {
            tick,
            step,
            verdict,
            refused,
            levels: None,
            repairs,
            reasons,
        }
    }

    /// Whether the record has content.
    pub fn has_content(&self) -> bool {
        *self != RecordedTick::of(self.tick)
    }

    /// The bytes to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        let mut bytes = WipedBytes::default();
        serde_json::to_writer(&mut bytes, self).expect("serialisation failed (this is a bug)");
        bytes
    }

    /// From the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<RecordedTick> {
        let other = |_| {
            Error::new(
                ErrorCategory::Input,
                "the verdict of a tick was written by another version of tidegate",
            )
        };
        serde_json::from_slice(bytes).map_err(other)
    }

    /// Adds the gate's verdict.
    pub fn verdict(&mut self, verdict: &Verdict) {
        self.reasons = verdict
            .reasons()
            .map(|(_, reason)| reason.clone())
            .collect();
        self.verdict = Some(verdict.clone());
    }

    /// The chain was stopped at an earlier tick.
    pub fn stopped_before(&mut self) {
        let text = "this chain has stopped: a check on sensitive values failed. Start a new one with `tidegate new-chain`";
        self.reasons.push(plain("stopped", text.to_owned()));
    }

    /// No release keeps the guarantee.
    pub fn impossible(&mut self, why: &NoRelease) {
        let text = match why {
            NoRelease::Unsafe(InvalidReason::Rows { limit, .. }) => {
                format!("a class would hold fewer than {limit} people")
            }
            NoRelease::Unsafe(reason) => kept(reason),
            NoRelease::NotSuperset { earlier } => {
                format!(
                    "the table does not contain release {} of the chain",
                    earlier + 1
                )
            }
            NoRelease::TooManyTargets => "the earlier releases cross in too many ways".to_owned(),
        };
        self.reasons.push(plain(
            "search",
            format!("no recoding keeps the guarantee: {text}"),
        ));
    }
}

fn plain(check: &str, text: String) -> Finding {
    Finding::named(check, "the whole release", text)
}

fn refused(refusal: &Refusal, columns: &Columns) -> RefusalRecord {
    let (column, tree) = columns
        .of(Role::Quasi)
        .zip(columns.trees())
        .nth(refusal.column)
        .expect("a quasi column");
    RefusalRecord {
        column: column.name.to_string(),
        label: tree.label(refusal.node).to_owned(),
        text: kept(&refusal.reason),
    }
}

/// A reason as it is stored: verdicts outlast the rows that they are about, and are stored
/// unencrypted, so that they contain no class and no count below the limit.
fn kept(reason: &InvalidReason) -> String {
    match reason {
        InvalidReason::Rows { limit, .. } => {
            format!("a class below it would hold fewer than {limit} people")
        }
        InvalidReason::SetAside { limit, .. } => {
            format!("more than {limit} rows would be left waiting")
        }
        InvalidReason::Earlier { limit, .. } => {
            format!("people of an earlier release would be left with fewer than {limit} candidates")
        }
        InvalidReason::Newcomers { limit, .. } => {
            format!("people who are new would be left with fewer than {limit} candidates")
        }
    }
}
