//! What is kept of a tick for the operator: what was answered, the whole verdict, and every candidate that the search
//! refused with its reason. Private: it may be read with the releases' history, never published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::InputEntry;
use crate::daemon::formats::{RecordedTick, RefusalRecord, Repaired};
use crate::engine::gate::verdict::Verdict;

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
    pub answer: InputEntry,
    /// What the gate found; null when there was nothing to judge.
    pub verdict: Option<Verdict>,
    /// The candidates that the search refused, in the order of their turns.
    pub refused: Vec<RefusalRecord>,
    /// What was repaired before the release was judged, in order.
    #[serde(default)]
    pub repairs: Vec<Repaired>,
}

impl TickVerdict {
    /// Of an input and what came of it.
    pub fn of(recorded: RecordedTick, file: &str, answer: InputEntry, time: &str, chain: u32) -> TickVerdict {
        TickVerdict {
            schema: 1,
            tick: recorded.tick,
            chain,
            time: time.to_owned(),
            file: file.to_owned(),
            step: recorded.step,
            answer,
            verdict: recorded.verdict,
            refused: recorded.refused,
            repairs: recorded.repairs,
        }
    }

    /// To be kept.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a verdict is JSON");
        bytes.push(b'\n');
        bytes
    }
}
