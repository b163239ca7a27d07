//! Messages that are one row each: exactly one JSON object or one Avro record. The feed file says
//! what happens to others.

use super::avro::{self, framed};
use super::messages::{Coded, MessageStatus, Messages, UnwantedPolicies};
use super::schemas::Plans;
use crate::engine::histogram::MisfitKind;
use crate::json;
use crate::lines::text;
use crate::paths::{FieldPaths, WrittenField};
use crate::row_batch::{Coder, FieldText};

/// Walks over one message after another.
pub(super) enum RecordWalk<'p> {
    /// JSON.
    Json(json::JsonWalk<'p>),
    /// Avro, by the schemas that they name.
    Avro(avro::AvroWalk<'p>, &'p Plans),
}

impl RecordWalk<'_> {
    /// The reader of the fields.
    fn read(&self) -> FieldText {
        match self {
            RecordWalk::Json(_) => json::read,
            RecordWalk::Avro(..) => avro::read,
        }
    }

    /// Calls `show` with the fields of a message, or returns why it has none.
    fn fields<T>(
        &mut self,
        content: &[u8],
        show: impl FnOnce(Result<&[WrittenField<'_>], MisfitKind>) -> T,
    ) -> T {
        match self {
            RecordWalk::Json(walk) => walk.object(&text(content), |found| {
                show(found.ok_or(MisfitKind::NoMessage))
            }),
            RecordWalk::Avro(walk, plans) => {
                let Some((key, record)) = framed(content) else {
                    return show(Err(MisfitKind::NotAvro));
                };
                match plans.of(key) {
                    Ok(plan) => {
                        walk.record(plan, record, |found| show(found.ok_or(MisfitKind::NotAvro)))
                    }
                    Err(kind) => show(Err(kind)),
                }
            }
        }
    }

    /// The rows as codes.
    pub(super) fn code(
        mut self,
        messages: &Messages<'_>,
        coder: &Coder<'_>,
        unwanted: UnwantedPolicies,
    ) -> Coded {
        let (fields, read) = (coder.fields().len(), self.read());
        let mut rows = coder.rows(read);
        let (mut skipped, mut halt) = (0, None);
        for (offset, content) in &messages.all {
            let is = unwanted.before(*content).unwrap_or_else(|content| {
                self.fields(content, |found| match found {
                    Err(kind) => MessageStatus::Refused(kind),
                    Ok(found) if FieldPaths::is_delete(&found[fields..], read) => {
                        unwanted.of_delete()
                    }
                    Ok(found) => {
                        rows.add(*offset, &found[..fields]);
                        MessageStatus::Row
                    }
                })
            });
            match is {
                MessageStatus::Row => {}
                MessageStatus::Skipped => skipped += 1,
                MessageStatus::Refused(kind) => rows.refuse(*offset, kind),
                MessageStatus::Halt(kind) => {
                    halt = Some((*offset, kind));
                    break;
                }
            }
        }
        Coded {
            parts: vec![rows.finish()],
            skipped,
            halt,
            rest: None,
        }
    }
}
