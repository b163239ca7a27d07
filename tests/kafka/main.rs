//! A feed that reads a topic of a real Kafka broker (HOUSE 3): every message once, whatever is killed; what the broker loses,
//! takes back or has no more is found out and said.

#[path = "../common/mod.rs"]
mod common;

mod avro;
mod certificates;
mod connect;
mod feed;
mod halts;
mod kills;
mod live;
mod measures;
mod notices;
mod registries;
mod registry;
mod security;
mod topic_faults;
mod topics;
mod two;

use common::{avro_write, broker, place, public};
