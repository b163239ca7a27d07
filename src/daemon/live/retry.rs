//! Messages that were set aside are offered again (HOUSE 3 and 4), after the feed file was corrected: what counts now comes
//! in, what still does not stays set aside.

use super::reading::VERSION;
use super::request::{Answer, Ask, Request};
use super::roll::{Roll, bytes};
use super::state::Aside;
use super::work::Live;
use crate::daemon::error::Result;
use crate::daemon::ingest::topic::ask_again;
use crate::daemon::ingest::{Offer, Repeats, Taken, retry_sifted};
use crate::daemon::journal::{Body, Drafts, Kept, Quarantined, Retry, destroy};
use crate::engine::model::Columns;

impl Live {
    pub(super) fn retry(&mut self, request: &Request) -> Result<Answer> {
        let ask = Ask::Retry;
        let all: Vec<Aside> = self.state.quarantine.clone();
        if all.is_empty() {
            return Ok(ask.refused("nothing is set aside"));
        }
        let columns = self.state.terms.columns.clone();
        let (tick, trees) = (self.state.feed.ticks(), columns.trees());
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
        let (offers, unanswered) = self.offers(&all)?;
        let decoded = match self.decoded(&offers, &columns) {
            Ok(decoded) => all.into_iter().zip(&offers).zip(decoded),
            // Nobody is known by then of whom no entry tells.
            Err(error) => return Ok(ask.refused(error.to_string())),
        };
        let mut came = Vec::new();
        for ((aside, offer), taken) in decoded {
            // A message that was set aside as one may be many rows by now.
            entry.offered += (taken.rows.len() + taken.aside.messages().len()) as u64 + taken.skipped;
            entry.quarantined += taken.aside.messages().len() as u64;
            entry.skipped += taken.skipped;
            if taken.rows.is_empty() && taken.skipped == 0 && taken.aside.faults() == offer.faults() {
                continue;
            }
            let (rows, repeats) = self.state.feed.accept(taken.rows, &self.policy);
            (entry.kept, entry.duplicate) = (entry.kept + rows.len() as u64, entry.duplicate + repeats.len() as u64);
            entry.of.push(aside.object);
            let left = taken.aside.messages().len() as u64;
            // Repeats do not count among those that came since the last tick.
            entry.cleared += if aside.fresh { offer.faults().saturating_sub(taken.aside.faults()) } else { 0 };
            entry.rest.push(match left {
                0 => None,
                messages => {
                    let object = self.log.seal(&mut drafts, "quarantine", &taken.aside.bytes())?;
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

    /// What the messages come to now, offer after offer.
    fn decoded(&self, offers: &[Offer], columns: &Columns) -> Result<Vec<Taken>> {
        let knows = self.knows();
        let mut repeats = knows.as_ref().map(|knows| Repeats::of(knows));
        let again = |offer| retry_sifted(offer, columns, &self.hasher, self.settings.unwanted, repeats.as_mut());
        offers.iter().map(again).collect()
    }

    /// What was set aside, with schemas that are known by now; and why those are not known that nobody has told.
    fn offers(&self, all: &[Aside]) -> Result<(Vec<Offer>, Option<String>)> {
        let read = |aside: &Aside| Offer::parse(&self.log.objects().need(&aside.object)?);
        let mut offers = all.iter().map(read).collect::<Result<Vec<Offer>>>()?;
        let unanswered = self.settings.registry.as_ref().and_then(|registry| ask_again(&mut offers, registry));
        Ok((offers, unanswered))
    }
}

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
