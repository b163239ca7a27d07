//! Decisions of approvers about a held release (HOUSE 3): each approver whom the feed file names signs, and as many
//! have to approve as it says. One rejection is enough. Approvers decide only about releases that the gate has passed.

use std::collections::BTreeSet;

use super::super::state_parts::OutgoingRelease;
use super::super::writer::FeedWriter;
use super::request::{Request, RequestKind, RequestOutcome};
use super::statement::Statement;
use crate::daemon::config::{self, Approvers};
use crate::daemon::error::Result;
use crate::daemon::journal::{ApproverDecision, Decision, Rejection, RequestOrigin};
use crate::daemon::sign::PublicKey;

impl FeedWriter {
    /// Approves or rejects the release that is held. `feed` reads the feed file, which names the approvers.
    pub(in crate::daemon::feed_writer) fn approval(
        &mut self,
        request: &Request,
        feed: &dyn Fn() -> Result<config::FeedConfig>,
        now: &str,
    ) -> Result<RequestOutcome> {
        let ask = &request.ask;
        let Some(Statement { release, digest, approves }) = ask.statement() else {
            return Ok(ask.refused("this does not name a release"));
        };
        let held =
            self.state.held.as_ref().filter(|held| held.approved.release() == release && held.decision == digest);
        let Some(held) = held.cloned() else {
            return Ok(ask.refused(format!(
                "release {release} does not wait for approval, or a tick, an erasure or a change of the feed file has \
                 replaced it. Look again with `tidegate show`"
            )));
        };
        let approvers = match feed() {
            Ok(feed) => feed.services.approvers(),
            Err(error) => {
                let error = error.describe().text;
                return Ok(ask.refused(format!("the feed file, which names the approvers, cannot be read: {error}")));
            }
        };
        if let Err(why) = self.may(ask, &request.wanted, &approvers) {
            return Ok(ask.refused(why));
        }
        if approves { self.approve(&held, request, &approvers, now) } else { self.reject(&held, request) }
    }

    /// Whether this person may decide: if the feed file names approvers, one of them has signed exactly this.
    fn may(&self, ask: &RequestKind, wanted: &RequestOrigin, approvers: &Approvers) -> std::result::Result<(), String> {
        if !approvers.sign() {
            return Ok(());
        }
        let no = |text: &str| Err(text.to_owned());
        let Some(signed) = &wanted.signed else {
            return no("the feed file names approvers, but none of them has signed this: give --as and --key");
        };
        if approvers.named(&signed.name).is_none_or(|person| person.key.text() != signed.key) {
            return no("the feed file names no approver of this name with this key");
        }
        match ask.statement() {
            Some(statement) if statement.is_signed(&self.state.terms.name, wanted) => Ok(()),
            _ => no("the signature does not match this statement and this key"),
        }
    }

    fn approve(
        &mut self,
        held: &OutgoingRelease,
        request: &Request,
        approvers: &Approvers,
        now: &str,
    ) -> Result<RequestOutcome> {
        let (ask, wanted, release) = (&request.ask, request.wanted.clone(), held.approved.release());
        let counted = held.counted(approvers);
        let key = |wanted: &RequestOrigin| wanted.signed.as_ref().map(|signed| signed.key.clone());
        let again = counted.iter().any(|before| key(before) == key(&wanted));
        let missing = approvers.needed().saturating_sub(counted.len() + usize::from(!again)) as u32;
        if missing > 0 && again {
            return Ok(ask.refused(format!("this approver has approved release {release} before; {}", still(missing))));
        }
        // An approval is in the log for good, and a release whose files are gone would halt the feed.
        if let Some(stage) = self.missing_stage(held)? {
            return Ok(ask.refused(format!(
                "a file of release {release}, `{stage}`, is missing from the private root or was changed, so nothing is \
                 recorded: restore it from a backup and approve again, or reject the release, and its people will be \
                 published with the next one"
            )));
        }
        let entry = ApproverDecision { release, decision: held.decision, wanted, missing };
        self.append(entry.clone())?;
        self.state.approved(&entry, &self.policy);
        if missing > 0 {
            let text = format!("the approval of release {release} is in the log; {}", still(missing));
            return Ok(RequestOutcome { release: Some(release), ..ask.done(text) });
        }
        self.remember()?;
        self.leave(now)?;
        Ok(RequestOutcome { release: Some(release), ..ask.done(format!("release {release} is published")) })
    }

    /// A staged file of a held release that is missing or was changed since the gate read it.
    fn missing_stage(&self, held: &OutgoingRelease) -> Result<Option<String>> {
        for file in held.approved.staged() {
            match self.staged_file(file) {
                Ok(_) => {}
                Err(error) if error.field.as_deref() == Some(&*file.stage) => return Ok(Some(file.stage.clone())),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn reject(&mut self, held: &OutgoingRelease, request: &Request) -> Result<RequestOutcome> {
        let reject = Rejection {
            release: held.approved.release(),
            tick: held.approved.tick(),
            time: held.approved.time().to_owned(),
            stops: false,
            reasons: Vec::new(),
            verdict: None,
            wanted: Some(request.wanted.clone()),
        };
        let sha256 = self.append(reject.clone())?;
        self.state.decided(&Decision::Reject(reject), sha256, &self.policy);
        self.unstage(held)?;
        let text =
            format!("release {} is rejected; its people will be published with the next one", held.approved.release());
        Ok(RequestOutcome { release: Some(held.approved.release()), ..request.ask.done(text) })
    }
}

impl OutgoingRelease {
    /// The approvals that count: one of each person, and only of people whom the feed file still names.
    pub fn counted(&self, approvers: &Approvers) -> Vec<&RequestOrigin> {
        let mut seen = BTreeSet::new();
        let counts = |wanted: &&RequestOrigin| {
            let key = wanted.signed.as_ref().and_then(|signed| PublicKey::parse(&signed.key));
            key.is_some_and(|key| approvers.with_key(&key).is_some() && seen.insert(key.text()))
        };
        self.approvals.iter().filter(counts).collect()
    }
}

/// How many approvals are missing, in words.
fn still(missing: u32) -> String {
    match missing {
        1 => "one more approver must approve it before it is published".to_owned(),
        more => format!("{more} more approvers must approve it before it is published"),
    }
}
