//! Decodes fetched messages (HOUSE 4): divided into runs that are decoded on all cores and combined
//! in the order of partitions and offsets; results never depend on threads. No error and no `Debug`
//! contains a value.

use crate::wiped_bytes::WipedBytes;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::avro::framed;
use super::batch::{Batch, Fetched};
use super::decoder::Decoder;
use super::messages::{Coded, Messages, UnwantedPolicies, Writing};
use super::schemas::Schemas;
use crate::assembly::{AssembledRows, Assembly};
use crate::engine::histogram::{CodedRows, MisfitKind};
use crate::engine::model::Columns;
use crate::error::{Error, ErrorCategory, Result};
use crate::message_places::MessageForm;
use crate::offer::{Offer, SetAsideMessage};
use crate::person::PersonHasher;
use crate::raw::SecretBytes;
use crate::repeats::Repeats;
use crate::row_batch::Coder;
use crate::row_faults::Misplaced;
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
    /// The number of messages; if a message may contain many rows, the number of rows.
    pub seen: u64,
    /// The number of valid rows.
    pub rows: u64,
    /// The number of messages that the policy skips.
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
    unwanted: UnwantedPolicies,
) -> Result<DecodedBatch> {
    decode_sifted(topic, batch, columns, hasher, unwanted, None)
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
    unwanted: UnwantedPolicies,
    mut repeats: Option<&mut Repeats<'_>>,
) -> Result<DecodedBatch> {
    let coder = Coder::new(columns, batch.writing.reading(), hasher);
    let decoder = Decoder::new(&batch.writing, &coder);
    let runs: Vec<(i32, Messages<'_>)> = batch
        .partitions
        .iter()
        .flat_map(|(&partition, fetched)| fetched.runs().map(move |messages| (partition, messages)))
        .collect();
    let coded: Vec<Coded> = runs
        .par_iter()
        .map(|(_, messages)| decoder.code(messages, &coder, unwanted))
        .collect();
    let mut all = Assembly::new(columns);
    let mut partitions: Vec<PartitionResult> = Vec::with_capacity(batch.partitions.len());
    let mut aside: BTreeMap<i32, Vec<SetAsideMessage>> = BTreeMap::new();
    for ((partition, messages), mut coded) in runs.iter().zip(coded) {
        if let Some((offset, kind)) = coded.halt {
            return Err(halted(topic, *partition, offset, kind));
        }
        if let Some(repeats) = &mut repeats {
            coded.sift(messages, repeats);
        }
        let Coded {
            parts,
            skipped,
            rest,
            ..
        } = coded;
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
        last.next = messages.all.last().map_or(0, |(offset, _)| offset + 1);
        (last.seen, last.skipped) = (last.seen + skipped, last.skipped + skipped);
        let before = all.quarantined().len();
        for part in parts {
            last.seen += part.rows;
            last.rows += part.rows - part.faults.len() as u64;
            all.add(part, &coder);
        }
        let (faults, fetched) = (&all.quarantined()[before..], &batch.partitions[partition]);
        let rest = rest.unwrap_or_else(|| faults.iter().map(|fault| fetched.raw(fault)).collect());
        let at_offset = |(fault, raw): (&Misplaced, Option<SecretBytes>)| {
            let place = Misplaced {
                row: fault.line.unwrap_or_default(),
                line: None,
                ..fault.clone()
            };
            SetAsideMessage { place, raw }
        };
        aside
            .entry(*partition)
            .or_default()
            .extend(faults.iter().zip(rest).map(at_offset));
    }
    for one in &mut partitions {
        let messages = aside
            .remove(&one.partition)
            .filter(|messages| !messages.is_empty());
        one.aside = messages.map(|messages| {
            Offer::of_partition(
                topic,
                one.partition,
                batch.writing.form(&messages),
                messages,
            )
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

/// What became of messages that were offered again.
pub(crate) struct RetriedMessages {
    /// The rows that are valid now.
    pub rows: CodedRows,
    /// The messages that are still set aside.
    pub aside: Offer,
    /// The number of sensitive cells that became null.
    pub nulled: u64,
    /// The number of messages that are skipped now.
    pub skipped: u64,
}

/// Decodes set-aside messages again, with columns that may have changed, and with the current
/// settings for tombstones and deletes. A message that was set aside as one may be many rows.
pub(crate) fn again(
    offer: &Offer,
    columns: &Columns,
    hasher: &PersonHasher,
    unwanted: UnwantedPolicies,
    repeats: Option<&mut Repeats<'_>>,
) -> Result<RetriedMessages> {
    let writing = Writing::of(offer.form());
    let coder = Coder::new(columns, writing.reading(), hasher);
    let decoder = Decoder::new(&writing, &coder);
    let content = |raw: &'_ SecretBytes, kind| {
        (kind != MisfitKind::Tombstone).then(|| WipedBytes::from(raw.bytes()))
    };
    // Each is identified by its index in the offer.
    let held: Vec<(u64, Option<WipedBytes>)> = (0..)
        .zip(offer.messages())
        .filter_map(|(at, one)| Some((at, content(one.raw.as_ref()?, one.place.kind))))
        .collect();
    let messages = Messages {
        all: held
            .iter()
            .map(|(at, bytes)| (*at, bytes.as_ref().map(|b| &b[..])))
            .collect(),
    };
    let mut coded = decoder.code(&messages, &coder, unwanted);
    if let Some(repeats) = repeats {
        coded.sift(&messages, repeats);
    }
    let Coded {
        parts,
        skipped,
        halt,
        rest,
    } = coded;
    if let Some((at, kind)) = halt {
        let offset = offer.messages()[at as usize].place.row;
        return Err(halted(
            offer.name(),
            offer.partition().unwrap_or_default(),
            offset,
            kind,
        ));
    }
    let mut all = Assembly::new(columns);
    parts.into_iter().for_each(|part| all.add(part, &coder));
    let AssembledRows {
        rows,
        quarantined,
        nulled,
        ..
    } = all.finish();
    let (mut faults, mut rest) = (quarantined.into_iter().peekable(), rest.map(Vec::into_iter));
    let mut still = Vec::new();
    for (at, one) in (0..).zip(offer.messages()) {
        if one.raw.is_none() {
            still.push(one.clone());
        }
        while let Some(Misplaced { column, kind, .. }) =
            faults.next_if(|fault| fault.line == Some(at))
        {
            let raw = rest
                .as_mut()
                .map_or_else(|| one.raw.clone(), |rest| rest.next().flatten());
            still.push(SetAsideMessage {
                place: Misplaced {
                    column,
                    kind,
                    ..one.place.clone()
                },
                raw,
            });
        }
    }
    Ok(RetriedMessages {
        rows,
        aside: offer.with(still),
        nulled,
        skipped,
    })
}

impl Writing {
    /// The encoding of set-aside messages.
    fn of(form: &MessageForm) -> Writing {
        match form {
            MessageForm::Records { schemas } => Writing::Avro(Schemas::of(schemas)),
            MessageForm::Streams => Writing::Arrow,
            _ => Writing::Json,
        }
    }

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
    fn runs(&self) -> impl Iterator<Item = Messages<'_>> {
        let run = |run: &[super::batch::Message]| Messages {
            all: run
                .iter()
                .map(|message| (message.offset, self.content(message)))
                .collect(),
        };
        self.messages().chunks(RUN).map(run)
    }

    /// The stored content of an invalid message.
    fn raw(&self, fault: &Misplaced) -> Option<SecretBytes> {
        let offset = fault.line.unwrap_or_default();
        let at = self
            .messages()
            .binary_search_by_key(&offset, |message| message.offset)
            .expect("it was fetched");
        Some(SecretBytes::of(
            self.content(&self.messages()[at]).unwrap_or_default(),
        ))
    }
}

/// The error for a message for which the feed has to halt.
fn halted(topic: &str, partition: i32, offset: u64, kind: MisfitKind) -> Error {
    let (key, what) = match kind {
        MisfitKind::Tombstone => ("source.tombstones", "a message without content"),
        _ => ("source.deletes", "a message that deletes a record"),
    };
    let text = format!(
        "offset {offset} of partition {partition} of the topic {topic} is {what}, and the feed file has \"halt\" for \
         those: no message after it was accepted. Write \"skip\" to ignore such messages or \"quarantine\" to set them \
         aside. Use `tidegate erase` to erase a person"
    );
    Error::new(ErrorCategory::Input, text).in_field(key)
}
