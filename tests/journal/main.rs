//! The durable log (HOUSE 3): one suite for every kind of store, including a bucket of a server by
//! other authors, and a bucket behind a network that loses, delays and garbles; power cuts and
//! failing disks; the protocol as a model. `TIDEGATE_PYTHON` names a Python that has the server
//! (tests/run sets one up).

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
mod variables;

use common::server;
