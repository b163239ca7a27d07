//! A running feed (HOUSE 2 and 3): its state is the fold of its log, and every action is an entry
//! first. Nothing here approves a release; nothing here waits for a clock.

mod apply_entry;
mod intake;
mod membership;
mod objects;
mod publish;
mod recovery;
mod requests;
mod state;
mod state_fold;
mod state_parts;
mod tick;
mod times;
mod writer;

pub use intake::set_aside::UnnamedObjects;
pub use intake::taken_messages::{SetAsideCounts, TakenMessages, TakenPart};
pub use publish::chain_table::{ChainTable, TablePart};
pub use publish::delta_log::{DeltaLog, Version, log_path};
pub use publish::make_visible::{PublishedRelease, not_as_decided};
pub use publish::public_root::{FinalManifest, PublicRoot};
pub use recovery::checkpoint::checkpoints;
pub use recovery::feed_opening::{OpenedFeed, Opening, OpeningReport};
pub use recovery::pack::FEW;
pub use recovery::published_releases::intact;
pub use recovery::replay::{ReplayedLog, from_checkpoint, past, past_of, past_quickly};
pub use recovery::snapshot::{FeedRoots, FeedSnapshot};
pub use requests::request::{Hash, Request, RequestKind, RequestOutcome};
pub use requests::request_entry::Inbox;
pub use requests::statement::Statement;
pub use state::FeedState;
pub use state_parts::{Consumed, DecidedRelease, OutgoingRelease};
pub use tick::decide::DecisionMade;
pub use tick::tick_closing::TickResult;
pub use writer::{FeedSettings, FeedWriter};
