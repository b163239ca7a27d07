//! The rows of messages of a topic, by their encoding: a message is one JSON object, one Avro
//! record, or an Arrow IPC stream of any number of rows. The feed file says what happens to
//! messages that are no rows, which never depends on how they decode.

use super::avro::{self, framed};
use super::messages::{CodedMessages, MessageStatus, Messages, UnwantedPolicies, Writing};
use super::schemas::Plans;
use super::streams;
use crate::coder::{Coder, RowBatch};
use crate::engine::histogram::MisfitKind;
use crate::json::{self, JsonWalk};
use crate::lines::text;
use crate::page::{FieldText, PageWriter, WrittenField};
use crate::paths::FieldPaths;
use crate::raw::SecretBytes;

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
        MessageReader::Json(FieldPaths::of(coder.fields()), MisfitKind::NoObject)
    }

    /// The rows as codes.
    pub(crate) fn code(
        &self,
        messages: &Messages<'_>,
        coder: &Coder<'_>,
        unwanted: UnwantedPolicies,
    ) -> CodedMessages {
        let fields = coder.fields().len() + FieldPaths::MARKS;
        match self {
            MessageReader::Json(paths, no_object) => {
                let mut walk = JsonWalk::new(paths, fields);
                one_row_each(messages, coder, unwanted, json::read, |content, take| {
                    walk.object(&text(content), |found| take(found.ok_or(*no_object)))
                })
            }
            MessageReader::Avro(paths, plans) => {
                let mut walk = avro::AvroWalk::new(paths, fields);
                one_row_each(messages, coder, unwanted, avro::read, |content, take| {
                    let Some((key, record)) = framed(content) else {
                        return take(Err(MisfitKind::NotAvro));
                    };
                    match plans.of(key) {
                        Ok(plan) => walk
                            .record(plan, record, |found| take(found.ok_or(MisfitKind::NotAvro))),
                        Err(kind) => take(Err(kind)),
                    }
                })
            }
            MessageReader::Arrow => streams::code(messages, coder, unwanted),
        }
    }

    /// The rows of these parts that are set aside, each as a message of its own; without bytes if
    /// one is too long.
    pub(crate) fn raws(
        &self,
        messages: &Messages<'_>,
        parts: &[RowBatch],
    ) -> Vec<Option<SecretBytes>> {
        let content = |place: u64| {
            let at = messages.binary_search_by_key(&place, |(place, _)| *place);
            messages[at.expect("rows have places of their messages")]
                .1
                .unwrap_or_default()
        };
        if let MessageReader::Arrow = self {
            return streams::raws(&content, parts);
        }
        let raws = |part: &RowBatch| {
            let places = part.faults.iter().map(|fault| part.places[fault.row]);
            places
                .map(|place| Some(SecretBytes::of(content(place))))
                .collect::<Vec<_>>()
        };
        parts.iter().flat_map(raws).collect()
    }
}

/// Takes the fields of a message, or what is wrong with it as a whole.
type TakeFields<'f> = &'f mut dyn FnMut(Result<&[WrittenField<'_>], MisfitKind>);

/// Messages that are one row each; `walk` finds the fields of one.
fn one_row_each(
    messages: &Messages<'_>,
    coder: &Coder<'_>,
    unwanted: UnwantedPolicies,
    read: FieldText,
    mut walk: impl FnMut(&[u8], TakeFields<'_>),
) -> CodedMessages {
    let fields = coder.fields().len();
    let mut page = PageWriter::new(coder.fields(), read);
    let (mut skipped, mut halt) = (0, None);
    for &(place, content) in messages {
        let mut is = unwanted.before(content);
        if let (MessageStatus::Row, Some(content)) = (&is, content) {
            walk(content, &mut |found| match found {
                Err(kind) => is = MessageStatus::Refused(kind),
                Ok(found) if FieldPaths::is_delete(&found[fields..], read) => {
                    is = unwanted.of_delete();
                }
                Ok(found) => page.add(place, found[..fields].iter().copied()),
            });
        }
        match is {
            MessageStatus::Row => {}
            MessageStatus::Skipped => skipped += 1,
            MessageStatus::Refused(kind) => page.refuse(place, kind),
            MessageStatus::Halt(kind) => {
                halt = Some((place, kind));
                break;
            }
        }
    }
    let part = coder
        .code(page.finish())
        .expect("only columns of types do not fit");
    CodedMessages {
        parts: vec![part],
        skipped,
        halt,
    }
}
