//! The kinds of events of a feed (HOUSE 3). Entries contain counts, digests, times and names of
//! objects and files; the content of records is in sealed objects.

mod decision;
mod intake;
mod removal;
mod requests;
mod tick;

pub use decision::{
    ApprovalRule, ApproverDecision, CandidateFile, Decision, DecisionTerms, HoldDecision,
    NamedApprover, Published, Rejection, ReleaseDecision,
};
pub use intake::{Ingest, IntakePart, MessageOrigin, Quarantined, Retry, SealedRows};
pub use removal::{Cleaned, Expire, Forgotten, Retire, Withdraw};
pub use requests::{
    ChainStart, Config, Erase, ErasedRows, Moved, Refused, Rekey, RequestOrigin, Signed,
};
pub use tick::{ClosedTick, ClosingOutcome, Coins, Masked};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::object_ref::Ref;

/// The event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "body")]
pub enum EntryBody {
    /// A writer begins.
    Fence(Fence),
    /// A chain of releases begins.
    Chain(ChainStart),
    /// Settings of the feed file that may change in a running chain were changed.
    Config(Config),
    /// Messages were accepted.
    Ingest(Ingest),
    /// Set-aside messages were offered again.
    Retry(Retry),
    /// A tick of the schedule passed.
    Closed(ClosedTick),
    /// The values of a tick are fixed as they will be published.
    Masked(Masked),
    /// The writer has drawn the coins of a tick that halves the waiting people.
    Coins(Coins),
    /// The decision about a release.
    Decision(Decision),
    /// A person approved a release that was held.
    Approve(ApproverDecision),
    /// A release is visible.
    Published(Published),
    /// People were erased.
    Erase(Erase),
    /// The operator's key was replaced, and all keys and objects with it.
    Rekey(Rekey),
    /// A request was refused.
    Refused(Refused),
    /// A release and all later ones of its chain are withdrawn.
    Withdraw(Withdraw),
    /// Rows of old releases are left out of the next release.
    Retire(Retire),
    /// Old manifests are removed from the public root.
    Expire(Expire),
    /// Everything that had to be removed from the public root is removed.
    Cleaned(Cleaned),
    /// Objects whose period is over are forgotten.
    Forgotten(Forgotten),
}

impl EntryBody {
    /// The sealed objects that the event names.
    pub fn objects(&self) -> Vec<&Ref> {
        match self {
            EntryBody::Fence(_)
            | EntryBody::Approve(_)
            | EntryBody::Published(_)
            | EntryBody::Rekey(_) => Vec::new(),
            EntryBody::Withdraw(_)
            | EntryBody::Retire(_)
            | EntryBody::Expire(_)
            | EntryBody::Cleaned(_) => Vec::new(),
            EntryBody::Forgotten(_) | EntryBody::Refused(_) => Vec::new(),
            EntryBody::Chain(chain) => vec![&chain.terms],
            EntryBody::Config(config) => config.terms.iter().collect(),
            EntryBody::Ingest(ingest) => {
                let segments = ingest.segments.iter().map(|kept| &kept.object);
                segments
                    .chain(ingest.quarantine.iter().map(|aside| &aside.object))
                    .collect()
            }
            EntryBody::Retry(retry) => {
                let segments = retry.segments.iter().map(|kept| &kept.object);
                segments
                    .chain(retry.rest.iter().flatten().map(|aside| &aside.object))
                    .collect()
            }
            EntryBody::Closed(closed) => closed.atoms.iter().chain(&closed.verdict).collect(),
            EntryBody::Masked(masked) => [&masked.counts]
                .into_iter()
                .chain(&masked.ledger)
                .chain(&masked.members)
                .collect(),
            EntryBody::Coins(coins) => vec![&coins.coins],
            EntryBody::Decision(decision) => decision.verdict().into_iter().collect(),
            EntryBody::Erase(erase) => {
                let moved = erase.moved.iter().filter_map(|moved| moved.new.as_ref());
                moved
                    .chain(erase.rows.iter().map(|rows| &rows.named))
                    .collect()
            }
        }
    }

    /// The kind of the event.
    pub fn kind(&self) -> &'static str {
        match self {
            EntryBody::Fence(_) => "Fence",
            EntryBody::Chain(_) => "Chain",
            EntryBody::Config(_) => "Config",
            EntryBody::Ingest(_) => "Ingest",
            EntryBody::Retry(_) => "Retry",
            EntryBody::Closed(_) => "Closed",
            EntryBody::Masked(_) => "Masked",
            EntryBody::Coins(_) => "Coins",
            EntryBody::Decision(_) => "Decision",
            EntryBody::Approve(_) => "Approve",
            EntryBody::Published(_) => "Published",
            EntryBody::Erase(_) => "Erase",
            EntryBody::Rekey(_) => "Rekey",
            EntryBody::Refused(_) => "Refused",
            EntryBody::Withdraw(_) => "Withdraw",
            EntryBody::Retire(_) => "Retire",
            EntryBody::Expire(_) => "Expire",
            EntryBody::Cleaned(_) => "Cleaned",
            EntryBody::Forgotten(_) => "Forgotten",
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
