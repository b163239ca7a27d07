//! Notifications about a feed (CONTRACTS 1 and 4): public facts about each release to a topic or a
//! web address for all readers, rejections and halts to others for the operator.
//!
//! Follows the log after its writer: a notification is a function of a durable entry, and the
//! position of each receiver is in the private root. So no receiver misses anything after a kill,
//! repeated notifications have the same key, and a receiver that is away delays only itself. A halt
//! and its end are no entries: `halts` handles them.

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
pub use halts::HaltNotifier;
pub use listeners::look;
pub use notification::{Audience, Notification, NotifiedEvent};
