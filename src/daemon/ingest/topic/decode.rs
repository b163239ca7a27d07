//! Decodes fetched messages (HOUSE 4): divided into runs that are decoded on all cores and combined
//! in the order of partitions and offsets; results never depend on threads. No error and no `Debug`
//! contains a value.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::avro::framed;
use super::batch::{Batch, Fetched, Message};
use super::messages::{CodedMessages, Message as RawMessage, Writing};
use super::reading::MessageReader;
use crate::assembly::{AssembledRows, Assembly};
use crate::coder::Coder;
use crate::config::RecordRules;
use crate::engine::histogram::{CodedRows, MisfitKind};
use crate::engine::model::Columns;
use crate::error::{Error, ErrorCategory, Result};
use crate::person::PersonHasher;
use crate::raw::SecretBytes;
use crate::repeats::Repeats;
use crate::row_faults::Misplaced;
use crate::set_aside::{MessageForm, Offer, SetAsideMessage};
use crate::spellings::ColumnSpellings;

/// The number of messages that are decoded together.
const RUN: usize = 1 << 11;

/// The content of a batch.
#[derive(Debug)]
pub struct DecodedBatch {
    /// The valid rows, partition by partition, in the order of their offsets.
    pub rows: CodedRows,
    /// What became of the messages of each partition.
    pub partitions: Vec<PartitionResult>,
    /// The number of sensitive cells of valid rows that were missing or malformed and became null.
    pub nulled: u64,
    /// Columns with values that differ in spelling alone.
    pub spellings: Vec<ColumnSpellings>,
}

/// What became of the messages of a partition.
#[derive(Debug)]
pub struct PartitionResult {
    /// Its number.
    pub partition: i32,
    /// The offset after the last message.
    pub next: u64,
    /// The leader epoch of the last message.
    pub epoch: Option<i32>,
    /// The number of messages; if a message may contain many records, the number of records.
    pub seen: u64,
    /// The number of valid rows.
    pub rows: u64,
    /// The number of messages that the policy skips, and of records that are not read.
    pub skipped: u64,
    /// The messages that are set aside.
    pub aside: Option<Offer>,
}

/// Decodes a batch; messages that cannot be decoded are set aside, however many.
///
/// # Errors
/// A message came for which the feed has to halt; then nothing of the batch counts.
pub fn decode(
    topic: &str,
    batch: &Batch,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
) -> Result<DecodedBatch> {
    decode_sifted(topic, batch, columns, hasher, rules, None)
}

/// As [`decode`], but rows of people who have one already are set aside too.
///
/// # Errors
/// As [`decode`].
pub fn decode_sifted(
    topic: &str,
    batch: &Batch,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
    mut repeats: Option<&mut Repeats<'_>>,
) -> Result<DecodedBatch> {
    let coder = Coder::new(columns, batch.writing.reading(), hasher, rules);
    let reader = MessageReader::new(&batch.writing, &coder);
    let runs: Vec<(i32, Vec<RawMessage<'_>>)> = batch
        .partitions
        .iter()
        .flat_map(|(&partition, fetched)| fetched.runs().map(move |messages| (partition, messages)))
        .collect();
    let coded: Vec<CodedMessages> = runs
        .par_iter()
        .map(|(_, messages)| reader.code(messages, &coder))
        .collect();
    let mut all = Assembly::new(columns);
    let mut partitions: Vec<PartitionResult> = Vec::with_capacity(batch.partitions.len());
    let mut aside: BTreeMap<i32, Vec<SetAsideMessage>> = BTreeMap::new();
    for ((partition, messages), mut coded) in runs.iter().zip(coded) {
        if let Some((offset, kind)) = coded.halt {
            return Err(halted((topic, Some(*partition)), offset, kind));
        }
        if let Some(repeats) = &mut repeats {
            coded.parts.iter_mut().for_each(|part| repeats.sift(part));
        }
        if partitions
            .last()
            .is_none_or(|last| last.partition != *partition)
        {
            let epoch = batch.partitions[partition].epoch();
            let (partition, next, seen, rows, skipped, aside) = (*partition, 0, 0, 0, 0, None);
            partitions.push(PartitionResult {
                partition,
                next,
                epoch,
                seen,
                rows,
                skipped,
                aside,
            });
        }
        let last = partitions.last_mut().expect("it was put there");
        last.next = messages.last().map_or(0, |message| message.place + 1);
        let raws = reader.raws(messages, &coded.parts, &coder);
        let before = all.quarantined().len();
        for part in coded.parts {
            last.seen += part.rows as u64;
            last.rows += part.valid() as u64;
            last.skipped += part.skipped.len() as u64;
            all.add(part, &coder);
        }
        let at_offset = |(fault, raw): (&Misplaced, Option<SecretBytes>)| {
            let place = Misplaced {
                row: fault.line.unwrap_or_default(),
                line: None,
                ..fault.clone()
            };
            SetAsideMessage { place, raw }
        };
        let faults = &all.quarantined()[before..];
        let messages = aside.entry(*partition).or_default();
        messages.extend(faults.iter().zip(raws).map(at_offset));
    }
    for one in &mut partitions {
        let messages = aside
            .remove(&one.partition)
            .filter(|messages| !messages.is_empty());
        one.aside = messages.map(|messages| {
            let from = (topic.to_owned(), Some(one.partition));
            Offer::new(from, batch.writing.form(&messages), messages)
        });
    }
    let AssembledRows {
        rows,
        nulled,
        spellings,
        ..
    } = all.finish();
    Ok(DecodedBatch {
        rows,
        partitions,
        nulled,
        spellings,
    })
}

impl Writing {
    /// The form of set-aside messages, with their context.
    fn form(&self, messages: &[SetAsideMessage]) -> MessageForm {
        match self {
            Writing::Json => MessageForm::Messages,
            Writing::Avro(schemas) => {
                let raws = messages.iter().filter_map(|one| one.raw.as_ref());
                MessageForm::Records {
                    schemas: schemas.kept(raws.filter_map(|raw| Some(framed(raw.bytes())?.0))),
                }
            }
            Writing::Arrow => MessageForm::Streams,
        }
    }
}

impl Fetched {
    /// Its messages in runs.
    fn runs(&self) -> impl Iterator<Item = Vec<RawMessage<'_>>> {
        let one = |message: &Message| RawMessage {
            place: message.offset,
            content: self.content(message),
            is_record: false,
        };
        let runs = self.messages().chunks(RUN);
        runs.map(move |run| run.iter().map(one).collect())
    }
}

/// The error for a message for which the feed has to halt: at an offset of a partition of a topic,
/// or at a line of a file.
pub(crate) fn halted((of, partition): (&str, Option<i32>), at: u64, kind: MisfitKind) -> Error {
    let (key, what) = match kind {
        MisfitKind::Tombstone => ("source.tombstones", "a message without content"),
        _ => ("source.deletes", "a message that deletes a record"),
    };
    let place = match partition {
        Some(partition) => format!("offset {at} of partition {partition} of the topic {of}"),
        None => format!("line {at} of {of}"),
    };
    let text = format!(
        "{place} is {what}, and the feed file has \"halt\" for those: no message after it was accepted. Write \"skip\" \
         to ignore such messages or \"quarantine\" to set them aside. Use `tidegate erase` to erase a person"
    );
    Error::new(ErrorCategory::Input, text).in_field(key)
}
