//! A feed at work (HOUSE 2 and 3): its state is the fold of its log, and whatever is done is an entry first. Nothing here
//! approves a release; nothing here waits for a clock.

mod asked;
mod atoms;
mod checkpoint;
mod close;
mod decide;
mod drawn;
mod entered;
mod erase;
mod fold;
mod forget;
mod leave;
mod ledger;
mod new_chain;
mod open;
mod past;
mod reading;
mod record;
mod rekey;
mod remember;
mod request;
mod retry;
mod roll;
mod seen;
mod shelf;
mod shown;
mod state;
mod sweep;
mod take;
mod work;

pub use asked::Inbox;
pub use close::Ticked;
pub use decide::Decided;
pub use leave::Left;
pub use open::{Ahead, Found, Opening};
pub use past::{Past, past, past_quickly};
pub use record::{Against, Recorded, Refused};
pub use remember::intact;
pub use request::{Answer, Ask, Hash, Request};
pub use seen::{Roots, Seen};
pub use shelf::Shelf;
pub use state::{Consumed, Line, Pending, State};
pub use take::{Came, SetAside, Taken, TakenPart};
pub use work::{Live, Settings};
