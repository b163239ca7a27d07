//! Decodes messages by their encoding. It only selects the reader.

use super::avro;
use super::messages::{Coded, Messages, UnwantedPolicies, Writing};
use super::records::RecordWalk;
use super::schemas::Plans;
use super::streams;
use crate::json;
use crate::paths::FieldPaths;
use crate::row_batch::Coder;

/// Decodes messages of one batch.
pub(super) enum Decoder {
    /// The paths in JSON.
    Json(FieldPaths),
    /// The paths in Avro, by schema.
    Avro(FieldPaths, Plans),
    /// Columns are found by name.
    Arrow,
}

impl Decoder {
    /// For the columns of a coder.
    pub(super) fn new(writing: &Writing, coder: &Coder<'_>) -> Decoder {
        match writing {
            Writing::Json => Decoder::Json(FieldPaths::of_messages(coder.fields())),
            Writing::Avro(schemas) => {
                let paths = FieldPaths::of_messages(coder.fields());
                let plans = Plans::new(schemas, &paths);
                Decoder::Avro(paths, plans)
            }
            Writing::Arrow => Decoder::Arrow,
        }
    }

    /// The rows as codes.
    pub(super) fn code(
        &self,
        messages: &Messages<'_>,
        coder: &Coder<'_>,
        unwanted: UnwantedPolicies,
    ) -> Coded {
        let fields = coder.fields().len() + FieldPaths::MARKS;
        match self {
            Decoder::Json(paths) => {
                RecordWalk::Json(json::JsonWalk::new(paths, fields)).code(messages, coder, unwanted)
            }
            Decoder::Avro(paths, plans) => {
                RecordWalk::Avro(avro::AvroWalk::new(paths, fields), plans)
                    .code(messages, coder, unwanted)
            }
            Decoder::Arrow => streams::code(messages, coder, unwanted),
        }
    }
}
