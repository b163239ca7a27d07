//! Intake of files from a folder (CONTRACTS 5): each once, in the order of their names, when it no
//! longer changes.

use std::path::Path;
use std::time::{Duration, Instant};

use super::intake::Intake;
use super::keeper::Keeper;
use super::outcome::{FeedTick, TickOutcome};
use crate::config::{Format, Ticks};
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{Consumed, TakenMessages, UnnamedObjects};
use crate::ingest::directory::{Directory, FolderFile};
use crate::ingest::{InputFile, SourceFile, TakenRows as Decoded};
use crate::intake_counts::IntakeCounts;
use crate::observe::events::{FileLeftAlone, FileName, FileTaken, LateFile};

/// How often files that were read are compared with the log again.
const AGAIN: Duration = Duration::from_secs(60);

/// A file that was read.
struct ReadFile {
    sha256: Sha256,
    decoded: Decoded,
    /// Objects for it that were written already.
    shelf: UnnamedObjects,
}

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
        let Decoded {
            rows,
            aside,
            nulled,
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
            .with_repeats(repeats);
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
}

/// Adds what to do about a file that cannot be read.
fn untaken(mut error: Error) -> Error {
    if error.kind == ErrorCategory::Input {
        error.text += ". Nothing of this file was accepted: replace it by a complete one, move it away, or rename it \
                       to begin with `_`";
    }
    error
}
