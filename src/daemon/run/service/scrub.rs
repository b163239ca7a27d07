//! Before each release the feed checks what the release extends. While a feed runs, everything that
//! the log names is checked slowly, a small piece at a time: a file that was changed or deleted is
//! found before a restart or a reader needs it. Damage that the feed must not continue with halts
//! it, until the file is restored. A process that closes one tick checks everything at once, once a
//! day.

use std::time::Duration;

use jiff::Timestamp;

use super::keeper::Keeper;
use super::scrub_progress::MOST;
use crate::clock;
use crate::error::Result;
use crate::feed_writer::FeedWriter;
use crate::observe::events::{Damaged, Scrubbed};
use crate::verify::{Damage, FileFault, ScrubInput, ScrubStep, inspect, newest_objects};

/// The limits of a piece: bytes, steps, and time. One object is always read as a whole.
const BYTES: u64 = 4 << 20;
const STEPS: u32 = 256;
const TIME: Duration = Duration::from_millis(20);
/// The least and greatest pause between two pieces; within these a round takes as long as this.
const REST: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
const ROUND: Duration = Duration::from_secs(6 * 3600);
/// The pause between two rounds if nothing is damaged: without it a small feed would read
/// everything every few seconds.
const PAUSE: Duration = Duration::from_secs(60);
/// How often a round is reported that found the same as the one before.
const DAY: Duration = Duration::from_secs(24 * 3600);
/// The object that records when everything was checked, and how often it is written at most.
const SCRUBBED: &str = "scrubbed";
const HOUR: Duration = Duration::from_secs(3600);

impl Keeper {
    /// Checks the next piece, if it is time.
    ///
    /// # Errors
    /// A file is missing or changed that the feed must not continue without, or a root cannot be
    /// read.
    pub(super) fn scrub(&mut self) -> Result<()> {
        let began = self.world.age();
        if !self.settled || began < self.rounds.due {
            return Ok(());
        }
        self.rounds.began.get_or_insert(began);
        let (mut bytes, mut steps, mut is_over) = (0, 0, false);
        while bytes < BYTES
            && steps < STEPS
            && self.world.age().saturating_sub(began) < TIME
            && !is_over
        {
            match self.rounds.scrub.step(roots(&self.writer))? {
                ScrubStep::Sound(read) => bytes += read,
                ScrubStep::Damaged(damage) => self.damaged(&damage)?,
                ScrubStep::Over => is_over = true,
            }
            steps += 1;
        }
        let rounds = &mut self.rounds;
        (rounds.pieces, rounds.bytes) = (rounds.pieces + 1, rounds.bytes + bytes);
        if is_over {
            self.round_is_over()?;
        }
        let rest = match self.rounds.last {
            _ if is_over && self.rounds.known().is_empty() => PAUSE,
            0 => REST[0],
            pieces => (ROUND / pieces).clamp(REST[0], REST[1]),
        };
        self.rounds.due = self.world.age() + rest;
        Ok(())
    }

    /// Checks what the next release extends.
    ///
    /// # Errors
    /// It is missing or was changed, or the public root cannot be read.
    pub(super) fn check_newest(&mut self) -> Result<()> {
        for place in newest_objects(self.writer.state()) {
            if let Some(damage) = inspect(roots(&self.writer), &place)? {
                self.damaged(&damage)?;
            }
        }
        Ok(())
    }

    /// Checks everything, unless that was done within a day.
    ///
    /// # Errors
    /// As for [`Keeper::scrub`].
    pub(super) fn daily_round(&mut self) -> Result<()> {
        let bytes = self
            .writer
            .log()
            .store()
            .read(SCRUBBED)?
            .unwrap_or_default();
        let last = std::str::from_utf8(&bytes)
            .ok()
            .and_then(|text| clock::parse(text.trim()));
        let now = self.time();
        if last.is_some_and(|last| last <= now && !is_past(last, DAY, now)) {
            return Ok(());
        }
        self.rounds.began = Some(self.world.age());
        loop {
            match self.rounds.scrub.step(roots(&self.writer))? {
                ScrubStep::Sound(read) => self.rounds.bytes += read,
                ScrubStep::Damaged(damage) => self.damaged(&damage)?,
                ScrubStep::Over => return self.round_is_over(),
            }
        }
    }

    fn damaged(&mut self, damage: &Damage) -> Result<()> {
        // If another writer has taken over the feed, files may be missing for that reason.
        self.writer.log().ours()?;
        let Some(damage) = inspect(roots(&self.writer), &damage.place)? else {
            return Ok(());
        };
        let rounds = &mut self.rounds;
        let is_new = !rounds.known().contains(&damage.finding);
        if rounds.found.len() < MOST {
            rounds.found.insert(damage.finding.clone());
        }
        let known = rounds.known().len() as u64;
        if is_new {
            self.observer
                .emit(&Damaged::because(known, &damage.error()));
            self.show_damaged();
        }
        if damage.stops() {
            self.known.damage.add(&damage);
            return Err(damage.error());
        }
        Ok(())
    }

    fn round_is_over(&mut self) -> Result<()> {
        let time = self.time();
        if self
            .rounds
            .recorded
            .is_none_or(|recorded| is_past(recorded, HOUR, time))
        {
            self.writer
                .log()
                .store()
                .replace(SCRUBBED, clock::text(time).as_bytes())?;
            self.rounds.recorded = Some(time);
        }
        let now = self.world.age();
        let rounds = &mut self.rounds;
        let changed = rounds.found != rounds.before;
        rounds.before = std::mem::take(&mut rounds.found);
        rounds.last = std::mem::take(&mut rounds.pieces);
        let (bytes, began) = (std::mem::take(&mut rounds.bytes), rounds.began.take());
        rounds.rounds += 1;
        if changed
            || rounds
                .reported
                .is_none_or(|reported| now.saturating_sub(reported) >= DAY)
        {
            rounds.reported = Some(now);
            let scrubbed = Scrubbed {
                rounds: std::mem::take(&mut rounds.rounds),
                log_entries: self.writer.log().next(),
                bytes,
                damaged: rounds.before.len() as u64,
                seconds: now.saturating_sub(began.unwrap_or(now)),
            };
            self.observer.emit(&scrubbed);
            self.show_damaged();
        }
        Ok(())
    }

    fn show_damaged(&self) {
        let text = |finding: &&FileFault| format!("{}: {}", finding.file, finding.text);
        self.observer
            .damaged(self.rounds.known().iter().map(text).collect());
    }
}

/// Whether this much time has passed since a time.
fn is_past(since: Timestamp, time: Duration, now: Timestamp) -> bool {
    Duration::try_from(now.duration_since(since)).is_ok_and(|passed| passed >= time)
}

fn roots(writer: &FeedWriter) -> ScrubInput<'_> {
    let log = writer.log();
    ScrubInput {
        private: log.store(),
        public: writer.public(),
        ring: log.ring(),
        state: writer.state(),
        next: log.next(),
    }
}
