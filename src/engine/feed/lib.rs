//! The state of a feed between two ticks, and the decisions of a tick (SCIENCE 3, closing; 4; 10):
//! who waits, who is whose atoms form, what has been published, and what would be
//! published next.
//!
//! Rows come in, a [`ProposedRelease`] comes out; the gate says whether it may be published. Under
//! `blind` the code that decides recodings receives only numbers of people: the sensitive values
//! stay in this room and are moved with their people.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod safeguards;

// The rooms that this one knows.
use tidegate_label as label;
use tidegate_model::{self as model, arithmetic, histogram};
use tidegate_policy::{self as policy, measures};

mod arrivals;
mod atoms;
mod erase;
mod growth;
mod ledger;
mod mask;
mod mask_sources;
mod outlook;
mod parts;
mod people;
mod people_parts;
mod repairs;
mod replay;
mod state;
mod uniform;

pub use arrivals::Arrivals;
pub use erase::ErasedPeople;
pub use growth::grow;
pub use ledger::{ChangedRows, Ledger};
pub use mask::mask;
pub use outlook::{EmptyTick, NewChain, Outlook, outlook};
pub use parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease, PublishedGroup};
pub use people::People;
pub use repairs::{narrow, raise};
pub use replay::TickAtoms;
pub use state::Feed;
pub use uniform::{UniformPeople, uniform};
