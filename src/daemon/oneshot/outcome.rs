//! What is kept of a tick for the operator: the whole verdict, what was done about the standing recoding, and every
//! candidate that the search refused with its reason. Private: it may be read with the releases' history, never published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Against, Entry};
use crate::daemon::config::Feed;
use crate::engine::anonymizer::{NoRelease, Reason, Refusal, Step};
use crate::engine::feed::Ticked;
use crate::engine::gate::own::Verdict;
use crate::engine::histogram::describe;
use crate::engine::model::{Columns, Role};
use crate::engine::release::Figure;

/// A tick, as `.private/verdicts/<tick>.json` keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TickVerdict {
    /// The version of this form: 1.
    pub schema: u32,
    /// The tick, from 0.
    pub tick: u32,
    /// The chain.
    pub chain: u32,
    /// The time that its release carries.
    pub time: String,
    /// The file that came in.
    pub file: String,
    /// What was done about the standing recoding.
    pub step: Option<String>,
    /// What was answered.
    pub answer: Entry,
    /// What the gate found; null when there was nothing to judge.
    pub verdict: Option<Verdict>,
    /// The candidates that the search refused, in the order of their turns.
    pub refused: Vec<Refused>,
}

/// A candidate that the search refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// The column.
    pub column: String,
    /// The label that was not specialised.
    pub label: String,
    /// Why.
    pub text: String,
}

/// A tick, while it goes on.
pub struct Recorded {
    tick: u32,
    file: String,
    step: Option<&'static str>,
    refused: Vec<Refused>,
    verdict: Option<Verdict>,
    against: Vec<Against>,
}

impl Recorded {
    /// Of a tick that was computed.
    pub fn new(ticked: &Ticked, file: &str, feed: &Feed) -> Recorded {
        let step = ticked.step.map(|step| match step {
            Step::Hold => "hold: too few rows for a recoding",
            Step::First => "the standing recoding was found",
            Step::Withhold => "overdue rows were withheld",
            Step::BottomUp => "the standing recoding was made coarser, from the overdue rows up",
            Step::TopDown => "the standing recoding was made coarser, from the top down",
        });
        let refused = ticked.refusals.iter().map(|refusal| refused(refusal, &feed.columns)).collect();
        let (verdict, against) = (None, Vec::new());
        Recorded { tick: ticked.tick, file: file.to_owned(), step, refused, verdict, against }
    }

    /// The number of the tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// What the gate found.
    pub fn verdict(&mut self, verdict: &Verdict) {
        let against =
            |(check, reason): (&crate::engine::gate::own::Checked, &crate::engine::gate::own::Reason)| Against {
                check: check.check.clone(),
                place: reason.place.clone(),
                value: reason.value,
                limit: reason.limit,
                text: reason.text.clone(),
            };
        self.against = verdict.reasons().map(against).collect();
        self.verdict = Some(verdict.clone());
    }

    /// The chain was stopped in an earlier tick.
    pub fn stopped_before(&mut self) {
        let text = "a check that reads sensitive values failed earlier in this chain: it publishes nothing any more";
        self.against.push(plain("stopped", text.to_owned()));
    }

    /// There is no release that keeps the guarantee.
    pub fn impossible(&mut self, why: &NoRelease, feed: &Feed) {
        let text = match why {
            NoRelease::Unsafe(reason) => words(reason, &feed.columns),
            NoRelease::NotSuperset { earlier } => {
                format!("release {} of the chain is not held by the table", earlier + 1)
            }
            NoRelease::TooManyTargets => "the earlier releases cross in more ways than can be looked at".to_owned(),
        };
        self.against.push(plain("search", format!("no recoding keeps the guarantee: {text}")));
    }

    /// Why a release may not leave.
    pub fn reasons(&self) -> Vec<Against> {
        self.against.clone()
    }

    /// The whole of it, to be kept.
    pub fn bytes(&self, answer: &Entry, time: &str, chain: u32) -> Vec<u8> {
        let whole = TickVerdict {
            schema: 1,
            tick: self.tick,
            chain,
            time: time.to_owned(),
            file: self.file.clone(),
            step: self.step.map(str::to_owned),
            answer: answer.clone(),
            verdict: self.verdict.clone(),
            refused: self.refused.clone(),
        };
        let mut bytes = serde_json::to_vec_pretty(&whole).expect("a verdict is JSON");
        bytes.push(b'\n');
        bytes
    }
}

fn plain(check: &str, text: String) -> Against {
    Against { check: check.to_owned(), place: "the whole release".to_owned(), value: None::<Figure>, limit: None, text }
}

fn refused(refusal: &Refusal, columns: &Columns) -> Refused {
    let (column, tree) = columns.of(Role::Quasi).zip(columns.trees()).nth(refusal.column).expect("a quasi column");
    Refused { column: column.name.to_string(), label: tree.label(refusal.node).to_owned(), text: kept(&refusal.reason) }
}

/// A reason as it is kept: verdicts outlast the rows that they speak of, and lie there in the clear, so that no class and
/// no count below the limit is in them.
fn kept(reason: &Reason) -> String {
    match reason {
        Reason::Rows { limit, .. } => format!("a class below it would hold fewer than {limit} people"),
        Reason::Earlier { limit, .. } => {
            format!("people of an earlier release would be left with fewer than {limit} candidates")
        }
        Reason::Newcomers { limit, .. } => {
            format!("people who are new would be left with fewer than {limit} candidates")
        }
    }
}

/// A reason of the search in words.
fn words(reason: &Reason, columns: &Columns) -> String {
    match reason {
        Reason::Rows { class, rows, limit } => {
            let people = if *rows == 1 { "person" } else { "people" };
            format!("{} would hold {rows} {people}, fewer than {limit}", describe(class, columns))
        }
        Reason::Earlier { class, left, limit, .. } => format!(
            "people of earlier releases in {} would be left with {left} candidates, fewer than {limit}",
            describe(class, columns)
        ),
        Reason::Newcomers { class, left, limit } => format!(
            "people who are new in {} would be left with {left} candidates, fewer than {limit}",
            describe(class, columns)
        ),
    }
}
