//! Messages that are Arrow IPC streams: each has a schema of its own and any number of rows. A
//! message that cannot be read completely is set aside as one, so that no part of it counts; an
//! invalid row is stored as a stream of its own.

use std::path::Path;

use arrow_array::RecordBatch;

use super::messages::{CodedMessages, Message, MessageStatus};
use crate::arrow_rows::{head, messages, stream};
use crate::coder::{Coder, RowBatch};
use crate::content::Content;
use crate::engine::histogram::{Misfit, MisfitKind};
use crate::header::raw_name;
use crate::ipc::IpcFile;
use crate::page::{Page, PageWriter};
use crate::raw::SecretBytes;

/// The most bytes of the unpacked buffers of a batch.
const MOST_UNPACKED: u64 = 1 << 28;

/// Rows, each as a message of its own; without bytes if one is too long.
type KeptRows = Vec<Option<SecretBytes>>;

/// The rows as codes.
pub(super) fn code(all: &[Message<'_>], coder: &Coder<'_>) -> CodedMessages {
    let mut coded = CodedMessages::default();
    for message in all {
        let place = message.place;
        let found = match (
            MessageStatus::before(message, coder.rules()),
            message.content,
        ) {
            (MessageStatus::Row, Some(content)) => rows(content, coder, place),
            (MessageStatus::Refused(kind), _) => Err((None, kind)),
            (MessageStatus::Halt(kind), _) => {
                coded.halt = Some((place, kind));
                break;
            }
            (MessageStatus::Skipped | MessageStatus::Row, _) => {
                Ok(vec![no_rows(coder, |page| page.skip(place))])
            }
        };
        coded.parts.extend(found.unwrap_or_else(|(field, kind)| {
            let mut part = no_rows(coder, |page| page.refuse(place, kind));
            part.faults[0].field = field;
            vec![part]
        }));
    }
    coded
}

/// A message that is no rows.
fn no_rows(coder: &Coder<'_>, write: impl FnOnce(&mut PageWriter)) -> RowBatch {
    let mut page = PageWriter::new(coder.fields(), crate::json::read);
    write(&mut page);
    coder
        .code(page.finish())
        .expect("only columns of types do not fit")
}

/// The rows of a message; or what is wrong with it as a whole, and in which field.
fn rows(
    content: &[u8],
    coder: &Coder<'_>,
    place: u64,
) -> Result<Vec<RowBatch>, (Option<usize>, MisfitKind)> {
    let file = opened(content).ok_or((None, MisfitKind::NotArrow))?;
    // Without one of its columns a message is invalid as a whole.
    let there = |name: &str| file.header().iter().any(|known| known == name);
    if let Some(field) = coder
        .fields()
        .iter()
        .position(|column| !there(raw_name(column)))
    {
        return Err((Some(field), MisfitKind::NoColumn));
    }
    let batches = batches(file, coder).ok_or((None, MisfitKind::NotArrow))?;
    let misfit = |misfit: Misfit| {
        let named = coder
            .named()
            .iter()
            .position(|column| column.name == misfit.column);
        (named, misfit.kind)
    };
    let code = |batch: &RecordBatch| {
        let mut page = Page::typed(batch.num_rows(), batch.columns());
        page.places = vec![place; page.rows];
        coder.code(page).map_err(misfit)
    };
    let parts: Vec<RowBatch> = batches.iter().map(code).collect::<Result<_, _>>()?;
    // What has a fault must be there to be offered again, or all of the message is set aside.
    if parts.iter().map(|part| part.rows).sum::<usize>() > 1 {
        let faults = bad_rows(&parts.iter().collect::<Vec<_>>());
        if !faults.is_empty() && cut(content, &faults).is_none() {
            return Err((None, MisfitKind::NotArrow));
        }
    }
    Ok(parts)
}

/// A message as a stream.
fn opened(content: &[u8]) -> Option<IpcFile> {
    let content = Content::from(SecretBytes::of(content));
    let file = IpcFile::over(Path::new("a message"), content).ok()?;
    Some(file.unpacking(MOST_UNPACKED))
}

/// All rows of a message; `None` if it is not exactly one stream.
fn batches(mut file: IpcFile, coder: &Coder<'_>) -> Option<Vec<RecordBatch>> {
    let names = coder
        .fields()
        .iter()
        .map(|column| (raw_name(column).to_owned(), column.name.to_string()));
    file.want(&names.collect::<Vec<_>>());
    let mut all = Vec::new();
    while let Some(rows) = file.batch().ok()? {
        all.push(rows);
    }
    file.is_at_end().then_some(all)
}

/// The rows of these parts that are set aside: a message of one row stays as it is, and others are
/// read once more.
pub(super) fn raws<'m>(content: &dyn Fn(u64) -> &'m [u8], parts: &[RowBatch]) -> KeptRows {
    let parts: Vec<&RowBatch> = parts.iter().filter(|part| part.rows > 0).collect();
    let mut all = KeptRows::new();
    for parts in parts.chunk_by(|one, next| one.places[0] == next.places[0]) {
        let (rows, wanted) = (parts.iter().map(|part| part.rows).sum(), bad_rows(parts));
        let content = content(parts[0].places[0]);
        all.extend(match rows {
            _ if wanted.is_empty() => KeptRows::new(),
            1 => vec![Some(SecretBytes::of(content))],
            // Without its bytes a row stays set aside.
            _ => cut(content, &wanted).unwrap_or_else(|| vec![None; wanted.len()]),
        });
    }
    all
}

/// The rows of a message that are set aside, ascending.
fn bad_rows(parts: &[&RowBatch]) -> Vec<usize> {
    let (mut before, mut bad) = (0, Vec::new());
    for part in parts {
        bad.extend(part.faults.iter().map(|fault| before + fault.row));
        before += part.rows;
    }
    bad
}

/// These rows of a message that has been read, ascending, each as a message of its own; without
/// bytes if one is too long.
pub(crate) fn cut(content: &[u8], wanted: &[usize]) -> Option<KeptRows> {
    let mut file = opened(content)?;
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
        let head = head(&all.schema())?;
        let stream = |raw: Option<SecretBytes>| raw.map(|raw| stream(&head, std::iter::once(&raw)));
        found.extend(messages(&all, here)?.into_iter().map(stream));
        before += all.num_rows();
    }
    Some(found)
}
