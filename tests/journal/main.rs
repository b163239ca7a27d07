//! The durable log (HOUSE 3): one suite for every kind of store, a bucket of a server that is not ours among them, and a
//! bucket behind a network that loses, delays and garbles; power cuts and disks that fail; the protocol as a model.
//! `TIDEGATE_PYTHON` names a Python that has the server (tests/run sets one up).

#[path = "../common/mod.rs"]
mod common;

mod faults;
mod faulty_disk;
mod packs;
mod power;
mod power_cuts;
mod protocol;
mod proxy;
mod store_kinds;
mod suite;

use common::server;
