//! Chooses among the recodings that a tick has fixed (SCIENCE 4): the proposed one; under `chain` a
//! finer one, if it passes its single test and the coin allows it; or, if the policy says so and a
//! check that reads sensitive values fails, once, `*` in all columns.

use super::super::state_parts::{CoinResult, UndecidedRelease};
use super::super::writer::FeedWriter;
use super::judge::GateAnswer;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::formats::RecordedTick;
use crate::daemon::journal::RecodingChoice;
use crate::engine::feed::{ProposedRelease, everything};
use crate::engine::policy::OnUnsafe;

/// A candidate, and the gate's answer.
pub(in crate::daemon::feed_writer) struct Chosen {
    pub candidate: Box<ProposedRelease>,
    pub under: RecodingChoice,
    pub said: GateAnswer,
}

impl FeedWriter {
    /// The candidate for the decision, judged.
    pub(in crate::daemon::feed_writer) fn chosen(
        &mut self,
        due: &UndecidedRelease,
        recorded: &mut RecordedTick,
    ) -> Result<Chosen> {
        if let Some(finer) = self.finer(due, recorded)? {
            return Ok(finer);
        }
        let recoding = due
            .recoding
            .as_ref()
            .ok_or_else(|| Error::new(ErrorCategory::Internal, "a tick proposes a recoding"))?;
        let candidate = match self.state.candidate.take() {
            Some(candidate) => candidate,
            None => Box::new(self.state.feed.propose(
                recoding,
                &self.policy,
                &self.state.terms.columns.trees(),
            )),
        };
        let said = self.ask_gate(&candidate, due, recorded)?;
        let root = everything(&self.state.terms.columns.trees());
        let falls = match &said {
            GateAnswer::Refused(verdict) => {
                verdict.stops() && self.policy.on_unsafe() == OnUnsafe::Coarsest
            }
            GateAnswer::Approved(..) => false,
        };
        if !falls || *recoding == root {
            return Ok(Chosen {
                candidate,
                under: RecodingChoice::Proposed,
                said,
            });
        }
        self.discard(candidate.release)?;
        let candidate = Box::new(self.state.feed.propose(
            &root,
            &self.policy,
            &self.state.terms.columns.trees(),
        ));
        let against = std::mem::take(&mut recorded.reasons);
        let said = self.ask_gate(&candidate, due, recorded)?;
        recorded.to_the_root(against);
        Ok(Chosen {
            candidate,
            under: RecodingChoice::Coarsest,
            said,
        })
    }

    /// The finer release, if it may be published. It is tested whatever the coin shows: the
    /// duration of a decision must not reveal which of the two withholds it.
    fn finer(
        &mut self,
        due: &UndecidedRelease,
        recorded: &mut RecordedTick,
    ) -> Result<Option<Chosen>> {
        let (Some(recoding), Some(odds)) = (&due.finer, self.policy.odds()) else {
            return Ok(None);
        };
        let CoinResult(lets) = self.coin(due, odds)?;
        let candidate = Box::new(self.state.feed.propose(
            recoding,
            &self.policy,
            &self.state.terms.columns.trees(),
        ));
        let mut attempt = recorded.clone();
        let said = self.ask_gate(&candidate, due, &mut attempt)?;
        if lets && matches!(said, GateAnswer::Approved(..)) {
            *recorded = attempt;
            return Ok(Some(Chosen {
                candidate,
                under: RecodingChoice::Finer,
                said,
            }));
        }
        self.discard(candidate.release)?;
        Ok(None)
    }
}
