//! A release that waits for people, as the log says: who may approve it, how many must, and who
//! has.

use std::collections::BTreeSet;

use crate::engine::release::Sha256;
use crate::journal::{ApprovalRule, ApproverDecision};

pub(super) const NOT_HELD: &str = "this approves a release that the entries before do not hold";
pub(super) const NOT_PERMITTED: &str =
    "the entry that holds this release does not name this person with this key";
pub(super) const TOO_FEW: &str =
    "fewer people have approved this release than the entry that holds it asks for";

/// A release that an entry holds, and who has approved it.
#[derive(Debug)]
pub(super) struct HeldEntry {
    pub release: u32,
    /// The hash of the entry.
    pub sha256: Sha256,
    pub rule: ApprovalRule,
    /// The keys of the approvers who have; `None` stands for the account of the operator.
    pub approvers: BTreeSet<Option<String>>,
}

impl HeldEntry {
    /// How many people still have to approve it.
    pub(super) fn missing(&self) -> u32 {
        self.rule.needed.saturating_sub(self.approvers.len() as u32)
    }

    /// Counts an approval; returns what is wrong with it.
    pub(super) fn approved(&mut self, approval: &ApproverDecision) -> Option<&'static str> {
        if !self.rule.permits(&approval.wanted) {
            return Some(NOT_PERMITTED);
        }
        self.approvers.insert(
            approval
                .wanted
                .signed
                .as_ref()
                .map(|signed| signed.key.clone()),
        );
        (approval.missing != self.missing()).then_some(TOO_FEW)
    }
}
