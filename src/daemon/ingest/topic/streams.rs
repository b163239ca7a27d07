//! Messages that are Arrow IPC streams: each has a schema of its own and any number of rows. A
//! message that cannot be read completely is set aside as one, so that no part of it counts; an
//! invalid row is stored as a stream of its own.

use std::path::Path;

use arrow_array::RecordBatch;

use super::messages::{Coded, MessageStatus, Messages, UnwantedPolicies};
use crate::content::Content;
use crate::engine::histogram::{Misfit, MisfitKind};
use crate::header::raw_name;
use crate::ipc::IpcFile;
use crate::json::read;
use crate::messages::{head, messages, stream};
use crate::raw::SecretBytes;
use crate::row_batch::{Coder, RowBatch, RowFault};

/// The most bytes of the unpacked buffers of a batch.
const MOST_UNPACKED: u64 = 1 << 28;

/// A message of many rows: the wanted columns of each batch, and all of them.
type Batches = Vec<(RecordBatch, RecordBatch)>;

/// The stored content of invalid rows.
type KeptRows = Vec<Option<SecretBytes>>;

/// The rows as codes.
pub(super) fn code(all: &Messages<'_>, coder: &Coder<'_>, unwanted: UnwantedPolicies) -> Coded {
    let mut coded = Coded {
        parts: Vec::new(),
        skipped: 0,
        halt: None,
        rest: None,
    };
    let mut kept = KeptRows::new();
    for (offset, content) in &all.all {
        let is = unwanted.before(*content).unwrap_or_else(|content| {
            match rows(content, coder, *offset) {
                Ok((parts, raws)) => {
                    coded.parts.extend(parts);
                    kept.extend(raws);
                    MessageStatus::Row
                }
                Err(RefusedMessage { field: None, kind }) => MessageStatus::Refused(kind),
                Err(refused) => {
                    coded.parts.push(refused.part(coder, *offset));
                    kept.push(Some(SecretBytes::of(content)));
                    MessageStatus::Row
                }
            }
        });
        match is {
            MessageStatus::Row => {}
            MessageStatus::Skipped => coded.skipped += 1,
            MessageStatus::Refused(kind) => {
                coded
                    .parts
                    .push(RefusedMessage { field: None, kind }.part(coder, *offset));
                kept.push(Some(SecretBytes::of(content.unwrap_or_default())));
            }
            MessageStatus::Halt(kind) => {
                coded.halt = Some((*offset, kind));
                break;
            }
        }
    }
    Coded {
        rest: Some(kept),
        ..coded
    }
}

/// A message that is set aside as a whole.
struct RefusedMessage {
    field: Option<usize>,
    kind: MisfitKind,
}

impl RefusedMessage {
    fn misfit(coder: &Coder<'_>, misfit: &Misfit) -> RefusedMessage {
        let field = coder
            .named()
            .iter()
            .position(|column| column.name == misfit.column);
        RefusedMessage {
            field,
            kind: misfit.kind,
        }
    }

    fn part(&self, coder: &Coder<'_>, offset: u64) -> RowBatch {
        let mut part = coder.rows(read);
        part.refuse(offset, self.kind);
        let mut part = part.finish();
        part.faults
            .iter_mut()
            .for_each(|fault| fault.field = self.field);
        part
    }
}

/// The rows of a message, and the stored content of invalid ones.
fn rows(
    content: &[u8],
    coder: &Coder<'_>,
    offset: u64,
) -> Result<(Vec<RowBatch>, KeptRows), RefusedMessage> {
    let not_arrow = || RefusedMessage {
        field: None,
        kind: MisfitKind::NotArrow,
    };
    let path = Path::new("a message");
    let file =
        IpcFile::over(path, Content::from(SecretBytes::of(content))).map_err(|_| not_arrow())?;
    // Without one of its columns a message is invalid as a whole.
    let there = |name: &str| file.header().iter().any(|known| known == name);
    if let Some(field) = coder
        .fields()
        .iter()
        .position(|column| !there(raw_name(column)))
    {
        return Err(RefusedMessage {
            field: Some(field),
            kind: MisfitKind::NoColumn,
        });
    }
    let batches = batches(file.unpacking(MOST_UNPACKED), coder).ok_or_else(not_arrow)?;
    let single = batches
        .iter()
        .map(|(rows, _)| rows.num_rows())
        .sum::<usize>()
        == 1;
    let (mut parts, mut kept) = (Vec::new(), KeptRows::new());
    for (rows, all) in &batches {
        let mut part = coder
            .batch(rows)
            .map_err(|misfit| RefusedMessage::misfit(coder, &misfit))?;
        let faults = || part.faults.iter().map(|fault: &RowFault| fault.row);
        if single {
            kept.extend(faults().map(|_| Some(SecretBytes::of(content))));
        } else if !part.faults.is_empty() {
            kept.extend(alone(all, faults()).ok_or_else(not_arrow)?);
        }
        part.faults
            .iter_mut()
            .for_each(|fault| fault.line = Some(offset));
        part.lines = vec![offset; part.codes.len()];
        parts.push(part);
    }
    Ok((parts, kept))
}

/// All rows of a message; `None` if it is not exactly one stream.
fn batches(mut file: IpcFile, coder: &Coder<'_>) -> Option<Batches> {
    let names = coder
        .fields()
        .iter()
        .map(|column| (raw_name(column).to_owned(), column.name.to_string()));
    file.want(&names.collect::<Vec<_>>());
    file.keep();
    let mut all = Batches::new();
    while let Some((rows, whole)) = file.batches().ok()? {
        all.push((rows, whole?));
    }
    file.is_at_end().then_some(all)
}

/// These rows of a message that has been read, ascending, each as a message of its own; without
/// bytes if one is too long.
pub(super) fn cut(content: &[u8], wanted: &[usize]) -> Option<Vec<Option<SecretBytes>>> {
    let mut file = IpcFile::over(
        Path::new("a message"),
        Content::from(SecretBytes::of(content)),
    )
    .ok()?
    .unpacking(MOST_UNPACKED);
    // Any column gives the number of rows.
    let first = file.header().first()?.clone();
    file.want(&[(first.clone(), first)]);
    file.keep();
    let (mut before, mut found) = (0, KeptRows::new());
    while found.len() < wanted.len() {
        let all = file.batches().ok()??.1?;
        let here = wanted[found.len()..]
            .iter()
            .map(|row| row - before)
            .take_while(|row| *row < all.num_rows());
        found.extend(alone(&all, here)?);
        before += all.num_rows();
    }
    Some(found)
}

/// Rows of a batch, each as a message of its own; without bytes if one is too long.
fn alone(all: &RecordBatch, rows: impl Iterator<Item = usize>) -> Option<KeptRows> {
    let head = head(&all.schema())?;
    let stream = |raw: Option<SecretBytes>| raw.map(|raw| stream(&head, std::iter::once(&raw)));
    Some(messages(all, rows)?.into_iter().map(stream).collect())
}
