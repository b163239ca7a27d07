//! The entries that a writer can append. An entry that publishes a release, or holds it for
//! approval, can only be made from what the gate has approved:
//!
//! ```compile_fail
//! # use tidegate_log::journal::{Decision, Log, ReleaseDecision};
//! # fn append(log: &mut Log, decision: ReleaseDecision) {
//! log.append(Decision::Publish(decision)); // not even a decision that was read from a log can be appended once more
//! # }
//! ```
//!
//! A rejection needs no approval:
//!
//! ```
//! # use tidegate_log::journal::{Log, Rejection};
//! # fn append(log: &mut Log, rejection: Rejection) {
//! # let _ =
//! log.append(rejection);
//! # }
//! ```

use crate::engine::gate::verdict::Approved;
use crate::formats::{
    ApprovalRule, ApproverDecision, ChainStart, Cleaned, ClosedTick, Coins, Config, Decision,
    DecisionTerms, EntryBody, Erase, Expire, Fence, Forgotten, HoldDecision, Ingest, Masked,
    Published, Refused, Rejection, ReleaseDecision, Retire, Retry, Withdraw,
};

/// An entry to be appended.
#[derive(Debug, Clone)]
pub struct NewEntry(EntryBody);

impl NewEntry {
    /// An approved release is published.
    pub fn publish(approved: &Approved, terms: DecisionTerms) -> NewEntry {
        NewEntry(EntryBody::Decision(Decision::Publish(ReleaseDecision::of(
            approved, terms,
        ))))
    }

    /// An approved release is published once people approve it, as this rule says.
    pub fn hold(approved: &Approved, terms: DecisionTerms, rule: ApprovalRule) -> NewEntry {
        let approved = ReleaseDecision::of(approved, terms);
        NewEntry(EntryBody::Decision(Decision::Hold(HoldDecision {
            approved,
            rule,
        })))
    }

    /// The event.
    pub fn body(&self) -> &EntryBody {
        &self.0
    }

    pub(super) fn into_body(self) -> EntryBody {
        self.0
    }
}

impl From<Rejection> for NewEntry {
    fn from(rejection: Rejection) -> NewEntry {
        NewEntry(EntryBody::Decision(Decision::Reject(rejection)))
    }
}

/// Every kind of entry that does not decide whether a release may be published.
macro_rules! appendable {
    ($($kind:ident($type:ty)),* $(,)?) => {
        $(impl From<$type> for NewEntry {
            fn from(body: $type) -> NewEntry {
                NewEntry(EntryBody::$kind(body))
            }
        })*
    };
}

appendable! {
    Fence(Fence), Chain(ChainStart), Config(Config), Ingest(Ingest), Retry(Retry), Closed(ClosedTick), Masked(Masked),
    Coins(Coins), Approve(ApproverDecision), Published(Published), Erase(Erase), Refused(Refused),
    Withdraw(Withdraw), Retire(Retire), Expire(Expire), Cleaned(Cleaned), Forgotten(Forgotten),
}
