//! Avro as it comes through a topic (HOUSE 4, Decoding): a message names its schema and is one record of it, and nothing
//! else. A field that is not read is walked over as strictly as what is read, and is not looked at beyond its form.
//!
//! The reader is our own because each message is judged by itself, and `arrow-avro` (59.3) reads batches and is less strict. Of
//! `tests/ingest/avro/strict.rs` it fails three of four tests: it reads a message with bytes behind its record, a block whose size is wrong, a truth
//! value of 2 and a schema with a field twice, and refuses a schema that holds itself. Text that is not UTF-8 costs it all messages of a
//! batch, and it does not say which one was wrong.

mod framing;
mod names;
mod plan;
mod reader;
mod record_walk;
mod schema;
mod value;

pub use framing::{SchemaKey, beside, framed};
pub use plan::SchemaPlan;
pub use record_walk::AvroWalk;
pub use schema::Schema;
pub use value::read;
