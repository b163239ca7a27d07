//! Messages that were set aside are offered again (HOUSE 3 and 4), after the feed file was corrected: what counts now comes
//! in, what still does not stays set aside.

use std::collections::BTreeSet;

use super::reading::VERSION;
use super::request::{Answer, Ask, Request};
use super::roll::{Roll, bytes};
use super::work::Live;
use crate::daemon::error::Result;
use crate::daemon::ingest::topic::{Key, Known, ask_again, learn, unknown};
use crate::daemon::ingest::{Offer, Repeats, retry_sifted};
use crate::daemon::journal::{Body, Drafts, Kept, Quarantined, Ref, Retry, destroy};
use crate::engine::histogram::Rows;

/// An offer that comes to something else than it was.
struct Came {
    object: Ref,
    rows: Rows,
    /// What still does not count.
    rest: Offer,
}

impl Live {
    pub(super) fn retry(&mut self, request: &Request) -> Result<Answer> {
        let ask = Ask::Retry;
        if self.state.quarantine.is_empty() {
            return Ok(ask.refused("nothing is set aside"));
        }
        let (tick, trees) = (self.state.feed.ticks(), self.state.terms.columns.trees());
        let mut drafts = Drafts::default();
        let mut entry = Retry {
            wanted: request.wanted.clone(),
            tick,
            of: Vec::new(),
            rest: Vec::new(),
            segments: Vec::new(),
            offered: 0,
            kept: 0,
            duplicate: 0,
            skipped: 0,
            quarantined: 0,
            cleared: 0,
        };
        let (schemas, unanswered) = self.schemas()?;
        let all = match self.offered(&schemas, &mut entry)? {
            Ok(all) => all,
            // Nobody is known by then of whom no entry tells.
            Err(error) => return Ok(ask.refused(error.to_string())),
        };
        let mut came = Vec::new();
        for Came { object, rows, rest } in all {
            let (rows, repeats) = self.state.feed.accept(rows, &self.policy);
            (entry.kept, entry.duplicate) = (entry.kept + rows.len() as u64, entry.duplicate + repeats.len() as u64);
            entry.of.push(object);
            entry.rest.push(match rest.messages().len() as u64 {
                0 => None,
                messages => {
                    let object = self.log.seal(&mut drafts, "quarantine", &rest.bytes())?;
                    Some(Quarantined { object, messages })
                }
            });
            if !rows.is_empty() {
                let roll = Roll::of(&rows, &trees);
                let object = self.log.seal(&mut drafts, "seg", &bytes(VERSION, &roll))?;
                entry.segments.push(Kept { object, rows: roll.len() as u64 });
                came.push(rows);
            }
        }
        let answer = told(&entry, unanswered);
        if entry.of.is_empty() {
            return Ok(answer);
        }
        drafts.put(self.log.store())?;
        self.append(Body::Retry(entry.clone()))?;
        self.state.retry(&entry);
        came.iter().for_each(|rows| self.state.feed.arrive(rows, tick));
        entry.of.iter().try_for_each(|old| destroy(self.log.store(), self.log.ring(), &old.path))?;
        Ok(answer)
    }

    /// What the messages come to now, one offer after another: of those that stay as they were nothing is held. Within, why
    /// they cannot be offered.
    fn offered(&self, schemas: &[(Key, Known)], entry: &mut Retry) -> Result<Result<Vec<Came>>> {
        let knows = self.knows();
        let mut repeats = knows.as_ref().map(|knows| Repeats::of(knows));
        let (columns, unwanted) = (&self.state.terms.columns, self.settings.unwanted);
        let mut all = Vec::new();
        for aside in &self.state.quarantine {
            let sealed = self.log.objects().need(&aside.object)?;
            let again = Offer::parse(&sealed).and_then(|mut offer| {
                learn(&mut offer, schemas);
                let taken = retry_sifted(&offer, columns, &self.hasher, unwanted, repeats.as_mut())?;
                Ok((taken, offer.faults()))
            });
            let (taken, faults) = match again {
                Ok(again) => again,
                Err(error) => return Ok(Err(error)),
            };
            // A message that was set aside as one may be many rows by now.
            let left = taken.aside.messages().len() as u64;
            entry.offered += taken.rows.len() as u64 + left + taken.skipped;
            entry.quarantined += left;
            entry.skipped += taken.skipped;
            if taken.rows.is_empty() && taken.skipped == 0 && taken.aside.faults() == faults {
                continue;
            }
            // Repeats do not count among those that came since the last tick.
            entry.cleared += if aside.fresh { faults.saturating_sub(taken.aside.faults()) } else { 0 };
            all.push(Came { object: aside.object.clone(), rows: taken.rows, rest: taken.aside });
        }
        Ok(Ok(all))
    }

    /// Schemas that are known by now of messages that had none; and why those are not known that nobody has told.
    fn schemas(&self) -> Result<(Learnt, Option<String>)> {
        let Some(registry) = &self.settings.registry else { return Ok((Vec::new(), None)) };
        let mut keys = BTreeSet::new();
        for aside in &self.state.quarantine {
            // What cannot be read is told of when it is offered.
            let offer = Offer::parse(&self.log.objects().need(&aside.object)?);
            keys.extend(offer.iter().flat_map(unknown));
        }
        Ok(ask_again(keys, registry))
    }
}

/// Schemas by what names them.
type Learnt = Vec<(Key, Known)>;

fn told(entry: &Retry, unanswered: Option<String>) -> Answer {
    let Retry { offered, kept, duplicate, skipped, quarantined, .. } = entry;
    let over = if *skipped > 0 { format!("{skipped} are passed over, ") } else { String::new() };
    let mut text = format!(
        "of {offered} messages that were set aside {kept} count now, {duplicate} are of people who have a row already, \
         {over}{quarantined} stay set aside"
    );
    if let Some(why) = unanswered {
        text += &format!(". Those among them whose schema nobody had may be decoded later: {why}");
    }
    Answer { count: Some(*offered), changed: Some(*kept), ..Ask::Retry.done(text) }
}
