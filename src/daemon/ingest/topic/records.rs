//! Messages that are one row each: one JSON object or one Avro record, and nothing else. What a message is that has fields
//! and is none is said by the feed file.

use super::avro::{self, framed};
use super::messages::{Coded, Is, Messages, Unwanted};
use super::schemas::Plans;
use crate::daemon::ingest::json;
use crate::daemon::ingest::lines::text;
use crate::daemon::ingest::part::{Coder, Read};
use crate::daemon::ingest::paths::{Field, Paths};
use crate::engine::histogram::MisfitKind;

/// Walks through one message after another.
pub enum Walk<'p> {
    /// JSON.
    Json(json::Walk<'p>),
    /// Avro, by the schemas that they name.
    Avro(avro::Walk<'p>, &'p Plans),
}

impl Walk<'_> {
    /// What reads the fields.
    fn read(&self) -> Read {
        match self {
            Walk::Json(_) => json::read,
            Walk::Avro(..) => avro::read,
        }
    }

    /// Shows the fields of a message, or why it has none.
    fn fields<T>(&mut self, content: &[u8], show: impl FnOnce(Result<&[Field<'_>], MisfitKind>) -> T) -> T {
        match self {
            Walk::Json(walk) => walk.object(&text(content), |found| show(found.ok_or(MisfitKind::NoMessage))),
            Walk::Avro(walk, plans) => {
                let Some((key, record)) = framed(content) else { return show(Err(MisfitKind::NotAvro)) };
                match plans.of(key) {
                    Ok(plan) => walk.record(plan, record, |found| show(found.ok_or(MisfitKind::NotAvro))),
                    Err(kind) => show(Err(kind)),
                }
            }
        }
    }

    /// The rows as codes.
    pub fn code(mut self, messages: &Messages<'_>, coder: &Coder<'_>, unwanted: Unwanted) -> Coded {
        let (fields, read) = (coder.fields().len(), self.read());
        let mut rows = coder.rows(read);
        let (mut skipped, mut halt) = (0, None);
        for (offset, content) in &messages.all {
            let is = unwanted.before(*content).unwrap_or_else(|content| {
                self.fields(content, |found| match found {
                    Err(kind) => Is::Refused(kind),
                    Ok(found) if Paths::is_delete(&found[fields..], read) => unwanted.of_delete(),
                    Ok(found) => {
                        rows.add(*offset, &found[..fields]);
                        Is::Row
                    }
                })
            });
            match is {
                Is::Row => {}
                Is::Skipped => skipped += 1,
                Is::Refused(kind) => rows.refuse(*offset, kind),
                Is::Halt(kind) => {
                    halt = Some((*offset, kind));
                    break;
                }
            }
        }
        Coded { parts: vec![rows.finish()], skipped, halt, rest: None }
    }
}
