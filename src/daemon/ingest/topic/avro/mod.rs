//! Avro in a topic (HOUSE 4, Decoding): a message names its schema and is exactly one record of it.
//! Fields that are not read are walked over as strictly as others, but only their form is checked.
//!
//! The reader is our own because each message is judged separately, while `arrow-avro` (59.3) reads
//! batches and is less strict. It fails three of the four tests of `tests/ingest/avro/strict.rs`:
//! it accepts a message with bytes after its record, a block with a wrong size, a truth value of 2
//! and a schema with a duplicate field, and refuses a recursive schema. For text that is not UTF-8
//! it rejects all messages of a batch, and does not say which one was wrong.

mod framing;
mod names;
mod plan;
mod reader;
mod record_walk;
mod schema;
mod value;

pub(super) use framing::framed;
pub use framing::{SchemaKey, beside};
pub(super) use plan::SchemaPlan;
pub(super) use record_walk::AvroWalk;
pub(super) use schema::Schema;
pub(super) use value::read;
