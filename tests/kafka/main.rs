//! A feed that reads a topic of a real Kafka broker (HOUSE 3): every message once, whatever is
//! killed; lost, replaced and deleted messages are noticed and reported.

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
mod two_daemons;

use common::ports::Ports;
use common::{avro_write, broker, place, public};

/// Test programs that run side by side look for ports in the same range.
#[test]
fn a_block_of_ports_has_one_owner() {
    let ports = Ports::take(2);
    assert!(
        Ports::of_block(ports.first() - 1, 2).is_none(),
        "it is taken, though nothing listens at its ports yet"
    );
}
