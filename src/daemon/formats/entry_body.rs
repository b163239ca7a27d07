//! What may happen to a feed, kind by kind (HOUSE 3). Counts, digests, times and names of objects and files; what a record
//! says lies in sealed objects.

mod decision;
mod intake;
mod removal;
mod requests;
mod tick;

pub use decision::{
    ApproverDecision, Decision, DecisionTerms, FailureRecord, Published, Rejection, ReleaseDecision, Staged, Under,
};
pub use intake::{Ingest, IntakePart, MessageOrigin, Quarantined, Retry, SealedRows};
pub use removal::{Cleaned, Expire, Forgotten, Retire, Withdraw};
pub use requests::{ChainStart, Config, Erase, ErasedRows, Moved, Rekey, RequestOrigin, Signed};
pub use tick::{ClosedTick, ClosingOutcome, Coin, Coins, Masked};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::object_ref::Ref;

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "body")]
pub enum Body {
    /// A writer begins.
    Fence(Fence),
    /// A chain of releases begins.
    Chain(ChainStart),
    /// What of the feed file may change in a running chain was changed.
    Config(Config),
    /// Messages were taken in.
    Ingest(Ingest),
    /// Messages that were set aside were offered again.
    Retry(Retry),
    /// A tick of the schedule went by.
    Closed(ClosedTick),
    /// The values of a tick are fixed as they will be published.
    Masked(Masked),
    /// The coin of a tick is drawn.
    Coin(Coin),
    /// The writer has drawn the coins of a tick that halves the waiting people.
    Coins(Coins),
    /// What is to become of a release.
    Decision(Decision),
    /// A person approved a release that was held.
    Approve(ApproverDecision),
    /// A release is visible.
    Published(Published),
    /// People were taken out.
    Erase(Erase),
    /// All keys were wrapped under another key of the operator.
    Rekey(Rekey),
    /// A release and all later ones of its chain are withdrawn.
    Withdraw(Withdraw),
    /// Rows of old releases leave with the next release.
    Retire(Retire),
    /// Old manifests leave the public root.
    Expire(Expire),
    /// The public root holds nothing any more that was to leave it.
    Cleaned(Cleaned),
    /// Objects were kept for long enough and go.
    Forgotten(Forgotten),
}

impl Body {
    /// The sealed objects that it names.
    pub fn objects(&self) -> Vec<&Ref> {
        match self {
            Body::Fence(_) | Body::Approve(_) | Body::Published(_) | Body::Rekey(_) => Vec::new(),
            Body::Withdraw(_) | Body::Retire(_) | Body::Expire(_) | Body::Cleaned(_) => Vec::new(),
            Body::Forgotten(_) => Vec::new(),
            Body::Chain(chain) => vec![&chain.terms],
            Body::Config(config) => config.terms.iter().collect(),
            Body::Ingest(ingest) => {
                let segments = ingest.segments.iter().map(|kept| &kept.object);
                segments.chain(ingest.quarantine.iter().map(|aside| &aside.object)).collect()
            }
            Body::Retry(retry) => {
                let segments = retry.segments.iter().map(|kept| &kept.object);
                segments.chain(retry.rest.iter().flatten().map(|aside| &aside.object)).collect()
            }
            Body::Closed(closed) => closed.atoms.iter().chain(&closed.verdict).collect(),
            Body::Masked(masked) => [&masked.counts].into_iter().chain(&masked.ledger).chain(&masked.members).collect(),
            Body::Coin(coin) => vec![&coin.coin],
            Body::Coins(coins) => vec![&coins.coins],
            Body::Decision(decision) => decision.verdict().into_iter().collect(),
            Body::Erase(erase) => {
                let moved = erase.moved.iter().filter_map(|moved| moved.new.as_ref());
                moved.chain(erase.rows.iter().map(|rows| &rows.named)).collect()
            }
        }
    }

    /// What kind of entry it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Body::Fence(_) => "Fence",
            Body::Chain(_) => "Chain",
            Body::Config(_) => "Config",
            Body::Ingest(_) => "Ingest",
            Body::Retry(_) => "Retry",
            Body::Closed(_) => "Closed",
            Body::Masked(_) => "Masked",
            Body::Coin(_) => "Coin",
            Body::Coins(_) => "Coins",
            Body::Decision(_) => "Decision",
            Body::Approve(_) => "Approve",
            Body::Published(_) => "Published",
            Body::Erase(_) => "Erase",
            Body::Rekey(_) => "Rekey",
            Body::Withdraw(_) => "Withdraw",
            Body::Retire(_) => "Retire",
            Body::Expire(_) => "Expire",
            Body::Cleaned(_) => "Cleaned",
            Body::Forgotten(_) => "Forgotten",
        }
    }
}

/// A writer begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fence {
    /// When.
    pub time: String,
    /// The version of its program.
    pub program: String,
}
