//! The record of a tick for the operator: the answer, the whole verdict, and every candidate that
//! the search refused with its reason. Private: it may be read together with the releases' history,
//! and is never published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::InputEntry;
use crate::engine::gate::verdict::Verdict;
use crate::formats::{RecordedTick, RefusalRecord, Repaired};

/// A tick, as in `.private/verdicts/<tick>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TickVerdict {
    /// The version of this format: 1.
    pub schema: u32,
    /// The tick, from 0.
    pub tick: u32,
    /// The chain.
    pub chain: u32,
    /// The time of its release.
    pub time: String,
    /// The input file.
    pub file: String,
    /// What was done to the standing recoding.
    pub step: Option<String>,
    /// The answer.
    pub answer: InputEntry,
    /// The gate's verdict; null if there was nothing to judge.
    pub verdict: Option<Verdict>,
    /// The candidates that the search refused, in order.
    pub refused: Vec<RefusalRecord>,
    /// The repairs before the release was judged, in order.
    #[serde(default)]
    pub repairs: Vec<Repaired>,
}

impl TickVerdict {
    /// The record of an input and its outcome.
    pub fn of(
        recorded: RecordedTick,
        file: &str,
        answer: InputEntry,
        time: &str,
        chain: u32,
    ) -> TickVerdict {
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

    /// The bytes to be stored.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes =
            serde_json::to_vec_pretty(self).expect("serialisation failed (this is a bug)");
        bytes.push(b'\n');
        bytes
    }
}
