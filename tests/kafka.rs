//! A feed that reads a topic of a real Kafka broker (HOUSE 3): every message once, whoever is killed; what the broker loses,
//! takes back or has no more is found out and said.

#[path = "kafka/avro.rs"]
mod avro;
#[path = "kafka/broker.rs"]
mod broker;
#[path = "kafka/certificates.rs"]
mod certificates;
mod common;
#[path = "kafka/connect.rs"]
mod connect;

#[path = "kafka/feed.rs"]
mod feed;
#[path = "kafka/halts.rs"]
mod halts;
#[path = "kafka/kills.rs"]
mod kills;
#[path = "kafka/notices.rs"]
mod notices;
#[path = "kafka/registries.rs"]
mod registries;
#[path = "kafka/registry.rs"]
mod registry;
#[path = "kafka/security.rs"]
mod security;
#[path = "kafka/topics.rs"]
mod topics;
#[path = "kafka/two.rs"]
mod two;

use common::{avro_write, place, public};
