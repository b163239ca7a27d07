//! The rows of messages of a topic, by their encoding: a message is one JSON object or a list of
//! them, one Avro record, or an Arrow IPC stream of any number of rows. The feed file says what
//! happens to messages that are no rows, which never depends on how they decode.

use super::avro::{self, framed};
use super::messages::{CodedMessages, Message, MessageStatus, Writing};
use super::schemas::Plans;
use super::streams;
use crate::coder::{Coder, RowBatch};
use crate::each::{cut, elements};
use crate::engine::histogram::MisfitKind;
use crate::json::{self, JsonWalk};
use crate::page::{FieldText, PageWriter, TakeRow, WrittenField};
use crate::paths::FieldPaths;
use crate::raw::SecretBytes;
use crate::scan::as_text;

/// Reads messages of one batch or offer.
pub(crate) enum MessageReader {
    /// Each is one JSON object: the paths, and what one is that has none.
    Json(FieldPaths, MisfitKind),
    /// Each is one Avro record: the paths, by the schemas that they name.
    Avro(FieldPaths, Plans),
    /// Each is an Arrow IPC stream.
    Arrow,
}

impl MessageReader {
    /// For the columns of a coder.
    pub(crate) fn new(writing: &Writing, coder: &Coder<'_>) -> MessageReader {
        let paths = || FieldPaths::of_messages(coder.fields());
        match writing {
            Writing::Json => MessageReader::Json(paths(), MisfitKind::NoMessage),
            Writing::Avro(schemas) => {
                let paths = paths();
                let plans = Plans::new(schemas, &paths);
                MessageReader::Avro(paths, plans)
            }
            Writing::Arrow => MessageReader::Arrow,
        }
    }

    /// For lines of a file, each of which is a message now.
    pub(crate) fn of_lines(coder: &Coder<'_>) -> MessageReader {
        MessageReader::Json(
            FieldPaths::of_messages(coder.fields()),
            MisfitKind::NoObject,
        )
    }

    /// The rows as codes.
    pub(crate) fn code(&self, messages: &[Message<'_>], coder: &Coder<'_>) -> CodedMessages {
        let fields = coder.fields().len() + FieldPaths::MARKS;
        match self {
            MessageReader::Json(paths, no_object) => {
                let mut walk = JsonWalk::new(paths, fields);
                written(messages, coder, json::read, |message, content, take| {
                    let content = as_text(content);
                    let each = coder.rules().each.as_ref().filter(|_| !message.is_record);
                    let Some(each) = each else {
                        let no_object = match message.is_record {
                            true => MisfitKind::NoRecord,
                            false => *no_object,
                        };
                        return walk.object(&content, |found| take(None, found.ok_or(no_object)));
                    };
                    match elements(&content, each) {
                        Err(MisfitKind::NoMessage) => take(None, Err(*no_object)),
                        Err(kind) => take(None, Err(kind)),
                        Ok(elements) => walk.elements(&elements, take),
                    }
                })
            }
            MessageReader::Avro(paths, plans) => {
                let mut walk = avro::AvroWalk::new(paths, fields);
                written(messages, coder, avro::read, |_, content, take| {
                    let Some((key, record)) = framed(content) else {
                        return take(None, Err(MisfitKind::NotAvro));
                    };
                    match plans.of(key) {
                        Ok(plan) => walk.record(plan, record, |found| {
                            take(None, found.ok_or(MisfitKind::NotAvro))
                        }),
                        Err(kind) => take(None, Err(kind)),
                    }
                })
            }
            MessageReader::Arrow => streams::code(messages, coder),
        }
    }

    /// The rows of these parts that are set aside, each as a message of its own; without bytes if
    /// one is too long.
    pub(crate) fn raws(
        &self,
        messages: &[Message<'_>],
        parts: &[RowBatch],
        coder: &Coder<'_>,
    ) -> Vec<Option<SecretBytes>> {
        let content = |place: u64| {
            let at = messages.binary_search_by_key(&place, |message| message.place);
            let message = messages[at.expect("rows have places of their messages")];
            message.content.unwrap_or_default()
        };
        if let MessageReader::Arrow = self {
            return streams::raws(&content, parts);
        }
        let each = coder.rules().each.as_deref().unwrap_or_default();
        let rows = |part: &RowBatch| {
            let place = |row: usize| (part.places[row], part.element(row));
            let faults = part.faults.iter().map(|fault| place(fault.row));
            faults.collect::<Vec<(u64, Option<u32>)>>()
        };
        let rows: Vec<(u64, Option<u32>)> = parts.iter().flat_map(rows).collect();
        let mut raws = Vec::with_capacity(rows.len());
        for rows in rows.chunk_by(|one, next| one.0 == next.0) {
            let wanted = rows.iter().map(|(_, element)| *element);
            raws.extend(cut(content(rows[0].0), each, wanted).map(Some));
        }
        raws
    }
}

/// Messages whose fields `walk` finds, record by record.
fn written(
    messages: &[Message<'_>],
    coder: &Coder<'_>,
    read: FieldText,
    mut walk: impl FnMut(&Message<'_>, &[u8], TakeRow<'_>),
) -> CodedMessages {
    let fields = coder.fields().len();
    let mut page = PageWriter::new(coder.fields(), read);
    let mut halt = None;
    for message in messages {
        let (place, before) = (message.place, page.rows());
        let mut take = |element: Option<u32>, is: MessageStatus, found: &[WrittenField<'_>]| {
            match is {
                MessageStatus::Row => page.add(place, found[..fields].iter().copied()),
                MessageStatus::Refused(kind) => page.refuse(place, kind),
                MessageStatus::Skipped => page.skip(place),
                MessageStatus::Halt(kind) => halt = halt.or(Some((place, kind))),
            }
            page.element(element);
        };
        match (
            MessageStatus::before(message, coder.rules()),
            message.content,
        ) {
            (MessageStatus::Row, Some(content)) => {
                walk(message, content, &mut |element, found| match found {
                    Err(kind) => take(element, MessageStatus::Refused(kind), &[]),
                    Ok(found) if FieldPaths::is_delete(&found[fields..], read) => {
                        take(element, MessageStatus::of_delete(coder.rules()), &[]);
                    }
                    Ok(found) => take(element, MessageStatus::Row, found),
                });
            }
            (is, _) => take(None, is, &[]),
        }
        if halt.is_some() {
            break;
        }
        if page.rows() == before {
            page.skip(place);
        }
    }
    let part = coder.code(page.finish());
    CodedMessages {
        parts: vec![part.expect("only columns of types do not fit")],
        halt,
    }
}
