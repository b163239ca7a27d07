//! Messages that were set aside are offered again (HOUSE 3 and 4), after the feed file was corrected: what counts now comes
//! in, what still does not stays set aside.

use super::reading::VERSION;
use super::request::{Answer, Ask, Request};
use super::roll::{Roll, bytes};
use super::state::Aside;
use super::work::Live;
use crate::daemon::error::Result;
use crate::daemon::ingest::{Offer, retry};
use crate::daemon::journal::{Body, Drafts, Kept, Quarantined, Retry, destroy};

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
        let mut decoded = Vec::new();
        for aside in all {
            let offer = Offer::parse(&self.log.objects().need(&aside.object)?)?;
            match retry(&offer, &columns, &self.hasher, self.settings.unwanted) {
                Ok(taken) => decoded.push((aside, taken)),
                // Nobody is known by then of whom no entry tells.
                Err(error) => return Ok(ask.refused(error.to_string())),
            }
        }
        let mut came = Vec::new();
        for (aside, taken) in decoded {
            entry.offered += aside.messages;
            entry.quarantined += taken.aside.messages().len() as u64;
            entry.skipped += taken.skipped;
            if taken.rows.is_empty() && taken.skipped == 0 {
                continue;
            }
            let (rows, repeats) = self.state.feed.accept(taken.rows, &self.policy);
            (entry.kept, entry.duplicate) = (entry.kept + rows.len() as u64, entry.duplicate + repeats.len() as u64);
            entry.of.push(aside.object);
            let left = taken.aside.messages().len() as u64;
            entry.cleared += if aside.fresh { aside.messages - left } else { 0 };
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
        let answer = told(&entry);
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
}

fn told(entry: &Retry) -> Answer {
    let Retry { offered, kept, duplicate, skipped, quarantined, .. } = entry;
    let over = if *skipped > 0 { format!("{skipped} are passed over, ") } else { String::new() };
    let text = format!(
        "of {offered} messages that were set aside {kept} count now, {duplicate} are of people who have a row already, \
         {over}{quarantined} stay set aside"
    );
    Answer { count: Some(*offered), changed: Some(*kept), ..Ask::Retry.done(text) }
}
