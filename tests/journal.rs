//! Where the durable log lies (HOUSE 3): one suite for every kind of store, a bucket of a server that is not ours among
//! them, and a bucket behind a network that loses, delays and garbles. `TIDEGATE_PYTHON` names a Python that has the
//! server (tests/run sets one up); without it those tests say that they were skipped.

mod common;

#[path = "journal/faults.rs"]
mod faults;
#[path = "journal/kinds.rs"]
mod kinds;
#[path = "journal/proxy.rs"]
mod proxy;
#[path = "journal/suite.rs"]
mod suite;

use common::server;
