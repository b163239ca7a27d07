//! The durable log of a feed (HOUSE 3): one ordered, hash-chained list of entries and the immutable objects that they
//! name, on anything that can put an object where none is. Knows nothing of what the entries mean for a feed.

mod body;
mod entry;
mod format;
mod log;
mod objects;
mod packing;
mod read;
mod rekey;
mod ring;
mod slot;
pub mod store;

pub use body::{
    Against, Asked, Body, Chain, Cleaned, Closed, Coin, Coins, Config, Decision, Erase, ErasedRows, Expire, Fence,
    Forgotten, Ingest, Kept, Masked, Moved, Origin, Outcome, Part, Published, Quarantined, Rekey, Retire, Retry,
    Signed, Staged, Under, Wanted, Withdraw,
};
pub use entry::{Entry, NoEntry};
pub use format::{Format, begun, write as write_format};
pub use log::{Log, Writer};
pub use objects::{Drafts, Objects, Ref, destroy_all};
pub use packing::Lifetime;
pub use read::{Checked, Gap, check, newest, read};
pub use rekey::remove_others;
pub use ring::{Ring, Wrap};
pub use slot::fenced;
