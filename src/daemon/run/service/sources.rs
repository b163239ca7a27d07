//! Intake from the source of a feed: files of a folder (CONTRACTS 5), each once, in the order of
//! their names, when it no longer changes; messages of a topic (HOUSE 3), batch by batch: each batch
//! is appended in one entry of the log with the offsets that follow from it, and only then is the
//! next one requested.

use std::path::Path;
use std::time::{Duration, Instant};

use super::intake::Intake;
use super::keeper::Keeper;
use super::outcome::{FeedTick, TickOutcome};
use crate::config::{Format, Ticks};
use crate::engine::histogram::CodedRows;
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{Consumed, TakenMessages, TakenPart, UnnamedObjects};
use crate::ingest::directory::{Directory, FolderFile};
use crate::ingest::topic::{
    Batch, DecodedBatch, FetchEvent, PartitionResult, Position, decode_sifted,
};
use crate::ingest::{InputFile, Repeats, SourceFile, TakenRows};
use crate::intake_counts::IntakeCounts;
use crate::journal::MessageOrigin;
use crate::observe::events::{
    BatchTaken, BrokersAway, BrokersBack, ErrorText, FileLeftAlone, FileName, FileTaken, LateFile,
    PartitionsBegun, RegistryAway, RegistryBack,
};

/// How often files that were read are compared with the log again.
const AGAIN: Duration = Duration::from_secs(60);

/// A file that was read.
struct ReadFile {
    sha256: Sha256,
    decoded: TakenRows,
    /// Objects for it that were written already.
    shelf: UnnamedObjects,
}

/// Batches per look; ticks and requests must not wait for a topic that never ends.
const AT_ONCE: usize = 4;

impl Keeper {
    /// The watched folder.
    fn folder(&self) -> Result<&Directory> {
        match &self.source {
            Intake::Folder(folder) => Ok(folder),
            Intake::Topic(_) => Err(Error::new(ErrorCategory::Internal, "a topic has no files")),
        }
    }

    /// Looks into the folder, and reads the files that no longer change.
    pub(super) fn look_at_files(&mut self) -> Result<Vec<FeedTick>> {
        let (now, age) = (Instant::now(), self.world.age());
        let writer = &self.writer;
        let Intake::Folder(folder) = &mut self.source else {
            return Ok(Vec::new());
        };
        let (ready, taken) = folder.look(now, &|name| writer.taken(name).is_some())?;
        for (name, kind) in folder.newly_irregular() {
            self.observer.emit(&FileLeftAlone {
                file: FileName::of(Path::new(&name)),
                kind,
            });
        }
        if self
            .looked
            .is_none_or(|looked| age.saturating_sub(looked) >= AGAIN)
        {
            taken.iter().try_for_each(|seen| self.unchanged(seen))?;
            // A writer that has nothing to write must notice too that another has taken over.
            self.writer.log().ours()?;
            self.looked = Some(age);
        }
        let mut ticks = Vec::new();
        let per_file = matches!(self.schedule().ticks, Ticks::PerFile);
        for seen in ready {
            if per_file && self.waits_for_clock() {
                // The file stays where it is: reading it would close a tick.
                ticks.push(FeedTick {
                    outcome: TickOutcome::Postponed,
                    ..self.nothing()
                });
                break;
            }
            if self.take(&seen)?.is_some() && per_file {
                self.writer.shown(true)?;
                ticks.push(self.tick(&self.now())?);
                self.upkeep()?;
            }
        }
        Ok(ticks)
    }

    /// Checks that a file that was read has not changed.
    fn unchanged(&self, seen: &FolderFile) -> Result<()> {
        let Some(known) = self.writer.taken(&seen.name) else {
            return Ok(());
        };
        if known.looks(seen.look.size, seen.look.modified) {
            return Ok(());
        }
        let file = self.folder()?.file(&seen.name);
        let now = InputFile::open_unlinked(&file).and_then(|input| input.digest());
        // A file that was read may be moved away at any time.
        if self.folder()?.again(&seen.name).is_none() || known.has(self.writer.log().ring(), &now?)
        {
            return Ok(());
        }
        let text = "this file was accepted before and has changed since: restore it, or move it away. Put new rows \
                    into a file with another name; rows that were accepted stay unchanged";
        Err(Error::new(ErrorCategory::Input, text).in_file(&file))
    }

    /// The content of a file; None if it changes before its end, or is gone: it is tried again
    /// then.
    fn read(&mut self, seen: &FolderFile) -> Result<Option<ReadFile>> {
        let file = self.folder()?.file(&seen.name);
        let read = self.read_at_rest(&file);
        if self.folder()?.again(&seen.name) == Some(seen.look) {
            return read;
        }
        if let Ok(Some(ReadFile { shelf, .. })) = read {
            self.writer.let_go(shelf);
        }
        Ok(None)
    }

    /// The content of a file; None if it changes meanwhile.
    fn read_at_rest(&mut self, file: &Path) -> Result<Option<ReadFile>> {
        let input = InputFile::open_unlinked(file)?;
        let sha256 = input.digest()?;
        self.fitting(&input).map_err(untaken)?;
        let (decoded, shelf) = self.writer.read(&input).map_err(untaken)?;
        match input.digest() {
            Ok(now) if now == sha256 => Ok(Some(ReadFile {
                sha256,
                decoded,
                shelf,
            })),
            other => {
                self.writer.let_go(shelf);
                other.map(|_| None)
            }
        }
    }

    /// Reads a file and appends its rows.
    fn take(&mut self, seen: &FolderFile) -> Result<Option<IntakeCounts>> {
        let (begun, file) = (Instant::now(), self.folder()?.file(&seen.name));
        let Some(ReadFile {
            sha256,
            decoded,
            shelf,
        }) = self.read(seen)?
        else {
            return Ok(None);
        };
        let newest = self
            .writer
            .state()
            .files
            .keys()
            .next_back()
            .filter(|newest| **newest > seen.name)
            .cloned();
        if let Some(newest) = newest {
            let [file, after] = [&seen.name, &newest].map(|name| FileName::of(Path::new(name)));
            self.observer.emit(&LateFile { file, after });
        }
        let seen_rows = shelf.messages() + decoded.seen();
        let TakenRows {
            rows,
            aside,
            nulled,
            skipped,
            spellings,
            ..
        } = decoded;
        let repeats = shelf.repeats() + aside.messages().len() as u64 - aside.faults();
        let aside =
            (!aside.messages().is_empty()).then(|| (aside.messages().len() as u64, aside.bytes()));
        let look = Consumed::new(
            self.writer.log().ring(),
            &sha256,
            seen.look.size,
            seen.look.modified,
        );
        let taken = TakenMessages::file(seen.name.clone(), look, seen_rows, rows, aside, nulled)
            .with_repeats(repeats)
            .with_skipped(skipped);
        let came = self.writer.take_with(taken, shelf, &self.now())?;
        self.observer.emit(&FileTaken {
            file: FileName::of(&file),
            seq: self.writer.log().next() - 1,
            rows: came,
            nulled,
            new_rows: self.writer.state().feed.new_rows(),
            seconds: begun.elapsed(),
        });
        self.report_spellings(spellings);
        self.bearable()?;
        Ok(Some(came))
    }

    /// Whether a file has the format that the feed file names.
    fn fitting(&self, input: &InputFile) -> Result<()> {
        let named = self
            .feed
            .services
            .source
            .as_ref()
            .and_then(|source| source.format);
        let word = match named {
            None => return Ok(()),
            Some(Format::Json) => "json",
            Some(Format::Avro) => "avro",
            Some(Format::Arrow) => "arrow",
            Some(Format::Csv) => "csv",
            Some(Format::Parquet) => "parquet",
        };
        let found = SourceFile::of(input)?.format();
        if found == word {
            return Ok(());
        }
        let text = format!(
            "the file is {found}, but the feed file says format = \"{word}\": correct one of them"
        );
        Err(Error::new(ErrorCategory::Input, text)
            .in_file(input.path())
            .in_field("source.format"))
    }

    /// Appends what was fetched.
    pub(super) fn look_at_topic(&mut self) -> Result<Vec<FeedTick>> {
        for _ in 0..AT_ONCE {
            let Intake::Topic(topic) = &self.source else {
                break;
            };
            let Some(news) = topic.fetch.next() else {
                break;
            };
            match news {
                FetchEvent::Batch(batch) => self.take_batch(&batch)?,
                FetchEvent::Begins(begins) => self.take_begins(begins)?,
                FetchEvent::Away(why) => self.observer.emit(&BrokersAway {
                    why: why.map(ErrorText::from),
                }),
                FetchEvent::Back => self.observer.emit(&BrokersBack {}),
                FetchEvent::RegistryAway(why) => self.observer.emit(&RegistryAway {
                    why: ErrorText::from(why),
                }),
                FetchEvent::RegistryBack => self.observer.emit(&RegistryBack {}),
                FetchEvent::Failed(error) => return Err(error.in_file(&self.feed.file)),
            }
        }
        Ok(Vec::new())
    }

    /// The name of the topic.
    fn topic(&self) -> String {
        match &self.source {
            Intake::Topic(topic) => topic.name.clone(),
            Intake::Folder(_) => String::new(),
        }
    }

    /// Appends the offsets that partitions are read from, before any message of them.
    fn take_begins(&mut self, begins: Vec<(i32, u64, Position)>) -> Result<()> {
        let topic = self.topic();
        let part = |(
            partition,
            from,
            Position {
                topic_id,
                next,
                epoch,
            },
        ): (i32, u64, Position)| TakenPart {
            origin: MessageOrigin::Partition {
                topic: topic.clone(),
                topic_id,
                partition,
            },
            from: from.min(next),
            next,
            epoch,
            seen: 0,
            rows: 0,
            skipped: 0,
            aside: None,
            repeats: 0,
        };
        let parts: Vec<TakenPart> = begins.into_iter().map(part).collect();
        let partitions = parts.len() as u64;
        let now = self.now();
        self.writer.take(
            TakenMessages {
                parts,
                rows: self.none(),
                nulled: 0,
            },
            &now,
        )?;
        self.observer.emit(&PartitionsBegun {
            seq: self.writer.log().next() - 1,
            partitions,
        });
        Ok(())
    }

    fn none(&self) -> CodedRows {
        use crate::engine::model::Role;
        let count = |role| self.writer.state().terms.columns.of(role).count();
        CodedRows::empty(
            count(Role::Quasi),
            count(Role::Sensitive),
            count(Role::Identifier) > 0,
        )
    }

    /// The content of a batch.
    fn decoded(&self, topic: &str, batch: &Batch) -> Result<DecodedBatch> {
        let rules = &self.writer.settings().records;
        let (columns, hasher) = (&self.writer.state().terms.columns, self.writer.hasher());
        let knows = self.writer.knows();
        let mut repeats = knows.as_ref().map(|knows| Repeats::of(knows));
        decode_sifted(topic, batch, columns, hasher, rules, repeats.as_mut())
    }

    /// Appends a batch.
    fn take_batch(&mut self, batch: &Batch) -> Result<()> {
        let (begun, topic) = (Instant::now(), self.topic());
        let decoded = self.decoded(&topic, batch)?;
        let known = self
            .writer
            .state()
            .partitions
            .get(&topic)
            .cloned()
            .unwrap_or_default();
        let part = |one: PartitionResult| {
            let Position {
                topic_id,
                next: from,
                ..
            } = known[&one.partition].clone();
            TakenPart {
                origin: MessageOrigin::Partition {
                    topic: topic.clone(),
                    topic_id,
                    partition: one.partition,
                },
                from,
                next: one.next,
                epoch: one.epoch,
                seen: one.seen,
                rows: one.rows,
                skipped: one.skipped,
                repeats: one
                    .aside
                    .as_ref()
                    .map_or(0, |offer| offer.messages().len() as u64 - offer.faults()),
                aside: one
                    .aside
                    .map(|offer| (offer.messages().len() as u64, offer.bytes())),
            }
        };
        let parts: Vec<TakenPart> = decoded.partitions.into_iter().map(part).collect();
        let next: Vec<(i32, u64)> = batch
            .partitions
            .keys()
            .copied()
            .zip(parts.iter().map(|part| part.next))
            .collect();
        let partitions = parts.len() as u64;
        let now = self.now();
        let came = self.writer.take(
            TakenMessages {
                parts,
                rows: decoded.rows,
                nulled: decoded.nulled,
            },
            &now,
        )?;
        if let Intake::Topic(topic) = &self.source {
            topic.fetch.taken(&next);
        }
        self.observer.emit(&BatchTaken {
            partitions,
            seq: self.writer.log().next() - 1,
            rows: came,
            nulled: decoded.nulled,
            new_rows: self.writer.state().feed.new_rows(),
            seconds: begun.elapsed(),
        });
        self.report_spellings(decoded.spellings);
        self.bearable()
    }
}

/// Adds what to do about a file that cannot be read.
fn untaken(mut error: Error) -> Error {
    if error.kind == ErrorCategory::Input {
        error.text += ". Nothing of this file was accepted: replace it by a complete one, move it away, or rename it \
                       to begin with `_`";
    }
    error
}
