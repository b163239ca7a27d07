//! Avro as it comes through a topic (HOUSE 4, Decoding): a message names its schema and is one record of it, and nothing
//! else. A field that is not read is walked over as strictly as what is read, and is not looked at beyond its form.

mod framing;
mod names;
mod plan;
mod reader;
mod schema;
mod value;
mod walk;

pub use framing::{SchemaKey, beside, framed};
pub use plan::SchemaPlan;
pub use schema::Schema;
pub use value::read;
pub use walk::AvroWalk;
