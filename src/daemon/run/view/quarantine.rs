//! Messages that are set aside, and their faults. Places and names of columns; never a value.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::histogram::MisfitKind;
use crate::error::Result;
use crate::feed_writer::FeedSnapshot;
use crate::ingest::Offer;

/// Messages that are set aside.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuarantineAnswer {
    /// The number of messages.
    pub messages: u64,
    /// Their faults, file by file.
    pub groups: Vec<FaultGroup>,
}

/// Messages of one file or partition with the same fault.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultGroup {
    /// The file; null for messages of a topic.
    pub file: Option<String>,
    /// The topic; null for messages of a file.
    pub topic: Option<String>,
    /// Its partition.
    pub partition: Option<i32>,
    /// The column; null for a fault of the whole message.
    pub column: Option<String>,
    /// The fault.
    pub text: String,
    /// The number of messages.
    pub messages: u64,
    /// The place of the first one: its line in a text, its offset in a partition, otherwise its
    /// row.
    pub first: u64,
    /// The number of its record in the message, from 0; null if the message is one record.
    pub element: Option<u32>,
}

impl QuarantineAnswer {
    /// For a feed.
    ///
    /// # Errors
    /// An object is not as it was written.
    pub fn of(seen: &FeedSnapshot) -> Result<QuarantineAnswer> {
        let grows = seen.state.terms.policy()?.taxonomies_grow();
        let mut groups: BTreeMap<_, FaultGroup> = BTreeMap::new();
        let mut messages = 0;
        for aside in &seen.state.quarantine {
            let offer = Offer::parse(&seen.need(&aside.object)?)?;
            for message in offer.messages() {
                messages += 1;
                let place = &message.place;
                let (name, partition, text) = (
                    offer.name().to_owned(),
                    offer.partition(),
                    advice(place.kind, grows),
                );
                let column = place.column.as_deref().map(str::to_owned);
                let first = place.line.unwrap_or(place.row);
                let group = groups.entry((name.clone(), partition, column.clone(), text.clone()));
                let (file, topic) = if partition.is_some() {
                    (None, Some(name))
                } else {
                    (Some(name), None)
                };
                group
                    .or_insert(FaultGroup {
                        file,
                        topic,
                        partition,
                        column,
                        text,
                        messages: 0,
                        first,
                        element: place.element,
                    })
                    .messages += 1;
            }
        }
        Ok(QuarantineAnswer {
            messages,
            groups: groups.into_values().collect(),
        })
    }
}

/// The fault, and what can be done about it in a running chain; `grows`: its taxonomies may get new
/// leaves.
fn advice(kind: MisfitKind, grows: bool) -> String {
    match kind {
        MisfitKind::Outside if grows => "the taxonomy lacks the value: add it there as a new leaf under an inner node \
                                         and run with --retry, or correct it in the source. `unknown = \"other\"` does \
                                         not help now: everything else of a column is frozen while the chain runs, and \
                                         changes only with `tidegate new-chain`"
            .to_owned(),
        MisfitKind::Outside => "the taxonomy lacks the value, and is frozen while a chain with `search = \"halves\"` \
                                runs: correct the value in the source, or add it to the taxonomy, run `tidegate \
                                new-chain`, and then --retry"
            .to_owned(),
        MisfitKind::NumberForText => "a number, but the declared type is string: let the source write it in quotes. \
                                      The type is frozen while the chain runs"
            .to_owned(),
        other => other.to_string(),
    }
}
