//! A Kafka topic as a source (HOUSE 3 and 4): read from the offsets of the journal, each message
//! one row; messages that cannot be decoded are set aside with their offsets. Only the journal's
//! offsets count; offsets are committed to Kafka for monitoring of lag.

mod ask_again;
mod avro;
mod backlog;
mod batch;
mod broker_absence;
mod broker_questions;
mod client;
mod damage;
mod decode;
mod epochs;
mod errors;
mod fetch;
mod fetching;
mod handover;
mod headers;
#[allow(
    unsafe_code,
    reason = "the one call that the Kafka library has no safe form of"
)]
mod id;
mod messages;
mod places;
mod positions;
mod probe;
mod reader;
mod reading;
mod registry;
mod resolve;
mod schemas;
mod stalled_partitions;
mod streams;

pub use ask_again::{ask_again, learn, reach as reach_registry, unknown};
pub use avro::{SchemaKey, beside};
pub use backlog::Backlog;
pub use batch::{Batch, Fetched, Message};
pub use client::{TopicSettings, connected, refused};
pub(super) use decode::halted;
pub use decode::{DecodedBatch, PartitionResult, decode, decode_sifted};
pub use fetch::Fetch;
pub use fetching::Fetching;
pub use handover::{FetchBell, FetchEvent};
pub use messages::Writing;
pub(super) use messages::{CodedMessages, Message as RawMessage};
pub use positions::Position;
pub use probe::{ReadableTopic, probe};
pub(super) use reading::MessageReader;
pub use schemas::{KnownSchema, Named, Schemas};
pub(super) use streams::cut;
