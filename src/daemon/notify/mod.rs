//! Tells others what came of a feed (CONTRACTS 1 and 4): public facts of each release to a topic or a web address that anybody
//! may listen to, rejections and halts to others that are the operator's.
//!
//! Follows the log behind its writer: what is told is a function of an entry that lasts, and how far each receiver was told
//! lies in the private root. So no receiver is told less after a kill, what is told twice has the same key, and a receiver that
//! is away delays only itself. A halt and its end are no entries: `halts` tells of them.

mod delivery;
mod follow;
mod halts;
mod listeners;
mod marker;
mod notification;
mod receiver;
mod signature;
mod topic;
mod webhook;

pub use follow::Notifier;
pub use halts::HaltTeller;
pub use listeners::look;
pub use notification::{Audience, Notification, NotifiedEvent};
