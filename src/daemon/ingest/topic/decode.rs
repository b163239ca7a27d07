//! Fetched messages as codes (HOUSE 4): cut into runs that are decoded on all cores and put together in the order of
//! partitions and offsets; results never depend on threads. No error and no `Debug` holds a value.

use std::sync::Arc;

use rayon::prelude::*;

use super::batch::{Batch, Fetched};
use super::messages::{Coded, Messages, Unwanted};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::assembly::Assembly;
use crate::daemon::ingest::kept::Form;
use crate::daemon::ingest::misplaced::Misplaced;
use crate::daemon::ingest::offer::{Offer, SetAside};
use crate::daemon::ingest::part::Coder;
use crate::daemon::ingest::paths::Paths;
use crate::daemon::ingest::person::PersonHasher;
use crate::daemon::ingest::raw::Raw;
use crate::engine::histogram::{MisfitKind, Reading, Rows};
use crate::engine::model::Columns;

/// Messages that are decoded in one go.
const RUN: usize = 1 << 11;

/// What a batch holds.
#[derive(Debug)]
pub struct Decoded {
    /// The rows that count, partition by partition, in the order of their offsets.
    pub rows: Rows,
    /// What became of the messages of each partition.
    pub partitions: Vec<Partition>,
    /// Sensitive cells of rows that count, which were missing or malformed and became null.
    pub nulled: u64,
}

/// What became of the messages of a partition.
#[derive(Debug)]
pub struct Partition {
    /// Its number.
    pub partition: i32,
    /// The offset behind the last message.
    pub next: u64,
    /// Messages.
    pub seen: u64,
    /// Those that are rows that count.
    pub rows: u64,
    /// Those that are passed over by policy.
    pub skipped: u64,
    /// Those that are set aside.
    pub aside: Option<Offer>,
}

/// Decodes a batch; what cannot be decoded is set aside, however much.
///
/// # Errors
/// A message came at which the feed is to halt; nothing of the batch counts.
pub fn decode(
    topic: &str,
    batch: &Batch,
    columns: &Columns,
    hasher: &PersonHasher,
    unwanted: Unwanted,
) -> Result<Decoded> {
    let coder = Coder::new(columns, Reading::Json, hasher);
    let paths = Arc::new(Paths::of_messages(coder.fields()));
    let runs: Vec<(i32, Messages<'_>)> = batch
        .partitions
        .iter()
        .flat_map(|(&partition, fetched)| fetched.runs().map(move |messages| (partition, messages)))
        .collect();
    let coded: Vec<Coded> = runs.par_iter().map(|(_, messages)| messages.code(&coder, &paths, unwanted)).collect();
    let mut all = Assembly::new(columns);
    let mut partitions: Vec<Partition> = Vec::with_capacity(batch.partitions.len());
    for ((partition, messages), Coded { part, skipped, halt }) in runs.iter().zip(coded) {
        if let Some((offset, kind)) = halt {
            return Err(halted(topic, *partition, offset, kind));
        }
        let (seen, faults) = (messages.all.len() as u64, part.faults.len() as u64);
        let next = messages.all.last().map_or(0, |(offset, _)| offset + 1);
        match partitions.last_mut().filter(|last| last.partition == *partition) {
            Some(last) => {
                (last.next, last.seen) = (next, last.seen + seen);
                (last.rows, last.skipped) = (last.rows + part.rows - faults, last.skipped + skipped);
            }
            None => partitions.push(Partition {
                partition: *partition,
                next,
                seen,
                rows: part.rows - faults,
                skipped,
                aside: None,
            }),
        }
        let before = all.quarantined().len();
        all.add(part, &coder);
        let faults = all.quarantined()[before..].iter();
        let fetched = &batch.partitions[partition];
        let set_aside = faults.map(|fault| fetched.set_aside(fault)).collect::<Vec<_>>();
        if let Some(last) = partitions.last_mut().filter(|_| !set_aside.is_empty()) {
            last.aside.get_or_insert_with(|| Offer::of_partition(topic, *partition, Form::Messages)).add(set_aside);
        }
    }
    let (rows, _, nulled) = all.finish();
    Ok(Decoded { rows, partitions, nulled })
}

/// What became of messages that were offered again.
pub(in crate::daemon::ingest) struct Again {
    /// The rows that count now.
    pub rows: Rows,
    /// What is still set aside.
    pub aside: Offer,
    /// Sensitive cells that became null.
    pub nulled: u64,
    /// Messages that are passed over now.
    pub skipped: u64,
}

/// Decodes messages again that were set aside, under columns that may be others by now, and by what is said of tombstones
/// and deletes now.
pub(in crate::daemon::ingest) fn again(
    offer: &Offer,
    columns: &Columns,
    hasher: &PersonHasher,
    unwanted: Unwanted,
) -> Result<Again> {
    let coder = Coder::new(columns, Reading::Json, hasher);
    let paths = Arc::new(Paths::of_messages(coder.fields()));
    let content = |one: &'_ SetAside| match one.place.kind {
        MisfitKind::Tombstone => None,
        _ => one.raw.as_ref().map(|raw| raw.bytes().to_vec()),
    };
    let offered = offer.messages().iter().filter(|one| one.raw.is_some());
    let held: Vec<(u64, Option<zeroize::Zeroizing<Vec<u8>>>)> =
        offered.map(|one| (one.place.row, content(one).map(zeroize::Zeroizing::new))).collect();
    let messages = Messages { all: held.iter().map(|(row, bytes)| (*row, bytes.as_ref().map(|b| &b[..]))).collect() };
    let Coded { part, skipped, halt } = messages.code(&coder, &paths, unwanted);
    if let Some((offset, kind)) = halt {
        return Err(halted(offer.name(), offer.partition().unwrap_or_default(), offset, kind));
    }
    let mut all = Assembly::new(columns);
    all.add(part, &coder);
    let (rows, faults, nulled) = all.finish();
    let mut faults = faults.into_iter().peekable();
    let still = |one: &SetAside| {
        if one.raw.is_none() {
            return Some(one.clone());
        }
        let Misplaced { column, kind, .. } = faults.next_if(|fault| fault.line == Some(one.place.row))?;
        Some(SetAside { place: Misplaced { column, kind, ..one.place.clone() }, raw: one.raw.clone() })
    };
    let aside = offer.with(offer.messages().iter().filter_map(still).collect());
    Ok(Again { rows, aside, nulled, skipped })
}

impl Fetched {
    /// Its messages in runs.
    fn runs(&self) -> impl Iterator<Item = Messages<'_>> {
        let run = |run: &[super::batch::Message]| Messages {
            all: run.iter().map(|message| (message.offset, self.content(message))).collect(),
        };
        self.messages().chunks(RUN).map(run)
    }

    /// A message that does not count, with what it holds.
    fn set_aside(&self, fault: &Misplaced) -> SetAside {
        let offset = fault.line.unwrap_or_default();
        let at = self.messages().binary_search_by_key(&offset, |message| message.offset).expect("it was fetched");
        let content = self.content(&self.messages()[at]).unwrap_or_default();
        let raw = (fault.kind != MisfitKind::LongRow).then(|| Raw::of(content));
        SetAside { place: Misplaced { row: offset, line: None, ..fault.clone() }, raw }
    }
}

/// A message came at which the feed is to halt.
fn halted(topic: &str, partition: i32, offset: u64, kind: MisfitKind) -> Error {
    let (key, what) = match kind {
        MisfitKind::Tombstone => ("source.tombstones", "a message without content"),
        _ => ("source.deletes", "a message that deletes a record"),
    };
    let text = format!(
        "offset {offset} of partition {partition} of the topic {topic} is {what}, and the feed file says \"halt\" for those: \
         nothing behind it was taken in. Say \"skip\" to pass over such messages or \"quarantine\" to set them aside, and \
         start again. Somebody who is to be forgotten is erased with `tidegate erase`"
    );
    Error::new(Kind::Input, text).in_field(key)
}
