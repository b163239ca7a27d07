//! Decisions of approvers about a held release (HOUSE 3): each approver whom the entry that holds
//! it names signs, and as many have to approve as it says, whatever the feed file says since. One
//! rejection is enough. Approvers decide only about releases that the gate has passed.

use std::collections::BTreeSet;

use super::super::publish::make_visible::{leave, staged_file, unstage};
use super::super::recovery::published_releases::remember;
use super::super::state::FeedState;
use super::super::state_parts::OutgoingRelease;
use super::super::writer::FeedWriter;
use super::request::{Request, RequestKind, RequestOutcome};
use super::statement::Statement;
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::journal::{ApprovalRule, ApproverDecision, Decision, Log, Rejection, RequestOrigin};

/// Approves or rejects the release that is held.
pub(in crate::feed_writer) fn approval(
    writer: &mut FeedWriter,
    request: &Request,
    now: &str,
) -> Result<RequestOutcome> {
    let ask = &request.ask;
    let Some(Statement {
        release,
        digest,
        approves,
    }) = ask.statement()
    else {
        return Ok(ask.refused("this does not name a release"));
    };
    let held = writer
        .state
        .held
        .as_ref()
        .filter(|held| held.approved.release() == release && held.decision == digest);
    let Some(held) = held.cloned() else {
        return Ok(ask.refused(format!(
            "release {release} does not wait for approval, or a tick, an erasure or a change of the feed file has \
             replaced it. Look again with `tidegate show`"
        )));
    };
    if let Err(why) = may(&writer.state, ask, &request.wanted, &held.rule) {
        return Ok(ask.refused(why));
    }
    if approves {
        approve(writer, &held, request, now)
    } else {
        reject(
            &mut writer.log,
            &mut writer.state,
            &writer.policy,
            &held,
            request,
        )
    }
}

/// Whether this person may decide: if approvers have to sign, one of them has signed exactly
/// this.
fn may(
    state: &FeedState,
    ask: &RequestKind,
    wanted: &RequestOrigin,
    rule: &ApprovalRule,
) -> std::result::Result<(), &'static str> {
    if !rule.signs() {
        return Ok(());
    }
    if wanted.signed.is_none() {
        return Err(
            "approvers have to sign for this release, but none of them has: give --as and --key",
        );
    }
    if !rule.permits(wanted) {
        return Err("this release has no approver of this name with this key");
    }
    match ask.statement() {
        Some(statement) if statement.is_signed(&state.terms.name, wanted) => Ok(()),
        _ => Err("the signature does not match this statement and this key"),
    }
}

fn approve(
    writer: &mut FeedWriter,
    held: &OutgoingRelease,
    request: &Request,
    now: &str,
) -> Result<RequestOutcome> {
    let (ask, wanted, release) = (
        &request.ask,
        request.wanted.clone(),
        held.approved.release(),
    );
    let key = |wanted: &RequestOrigin| wanted.signed.as_ref().map(|signed| signed.key.clone());
    if held
        .counted()
        .iter()
        .any(|before| key(before) == key(&wanted))
    {
        let text = format!(
            "this approver has approved release {release} before; {}",
            still(held.missing())
        );
        return Ok(ask.refused(text));
    }
    // An approval is in the log for good, and a release whose files are gone would halt the
    // feed.
    if let Some(stage) = missing_stage(&writer.log, held)? {
        return Ok(ask.refused(format!(
            "a file of release {release}, `{stage}`, is missing from the private root or was changed, so nothing is \
             recorded: restore it from a backup and approve again, or reject the release, and its people will be \
             published with the next one"
        )));
    }
    let missing = held.missing().saturating_sub(1);
    let entry = ApproverDecision {
        release,
        decision: held.decision,
        wanted,
        missing,
    };
    writer.log.append(entry.clone())?;
    writer.state.approved(&entry, &writer.policy);
    if missing > 0 {
        let text = format!(
            "the approval of release {release} is in the log; {}",
            still(missing)
        );
        return Ok(RequestOutcome {
            release: Some(release),
            ..ask.done(text)
        });
    }
    remember(&writer.log, &mut writer.state, &writer.public)?;
    leave(writer, now)?;
    Ok(RequestOutcome {
        release: Some(release),
        ..ask.done(format!("release {release} is published"))
    })
}

/// A staged file of a held release that is missing or was changed since the gate read it.
fn missing_stage(log: &Log, held: &OutgoingRelease) -> Result<Option<String>> {
    for file in held.approved.staged() {
        match staged_file(log, file) {
            Ok(_) => {}
            Err(error) if error.field.as_deref() == Some(&*file.stage) => {
                return Ok(Some(file.stage.clone()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn reject(
    log: &mut Log,
    state: &mut FeedState,
    policy: &Policy,
    held: &OutgoingRelease,
    request: &Request,
) -> Result<RequestOutcome> {
    let reject = Rejection {
        release: held.approved.release(),
        tick: held.approved.tick(),
        time: held.approved.time().to_owned(),
        stops: false,
        reasons: Vec::new(),
        verdict: None,
        wanted: Some(request.wanted.clone()),
    };
    let sha256 = log.append(reject.clone())?;
    state.decided(&Decision::Reject(reject), sha256, policy);
    unstage(log, held)?;
    let text = format!(
        "release {} is rejected; its people will be published with the next one",
        held.approved.release()
    );
    Ok(RequestOutcome {
        release: Some(held.approved.release()),
        ..request.ask.done(text)
    })
}

impl OutgoingRelease {
    /// The approvals that count: one of each person who may approve.
    pub fn counted(&self) -> Vec<&RequestOrigin> {
        let mut keys = BTreeSet::new();
        let mut counted = Vec::new();
        for wanted in &self.approvals {
            let key = wanted.signed.as_ref().map(|signed| signed.key.as_str());
            if self.rule.permits(wanted) && keys.insert(key) {
                counted.push(wanted);
            }
        }
        counted
    }

    /// How many people still have to approve it.
    pub fn missing(&self) -> u32 {
        self.rule.needed.saturating_sub(self.counted().len() as u32)
    }
}

/// How many approvals are missing, in words.
fn still(missing: u32) -> String {
    match missing {
        1 => "one more approver must approve it before it is published".to_owned(),
        more => format!("{more} more approvers must approve it before it is published"),
    }
}
