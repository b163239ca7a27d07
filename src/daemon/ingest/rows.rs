//! Rows of a file as codes (HOUSE 4, Decoding). Rows that cannot be decoded are errors, are counted,
//! or are kept as messages that can be offered again.
//!
//! Pages are coded on all cores and combined in file order; results never depend on threads. No
//! error and no `Debug` contains a cell.

use std::path::Path;

use rayon::prelude::*;

use super::assembly::{AssembledRows, Assembly};
use super::coder::{Coder, RowBatch};
use super::header::{raw_name, undeclared};
use super::input_file::InputFile;
use super::person::PersonHasher;
use super::repeats::Repeats;
use super::row_faults::{Misplaced, RowFault};
use super::set_aside::{MessagePlace, Offer, SetAsideMessage};
use super::source::{Chunk, SourceFile};
use super::spellings::ColumnSpellings;
use super::topic::halted;
use crate::config::{RecordRules, Unwanted};
use crate::engine::histogram::{CodedRows, Misfit, MisfitKind};
use crate::engine::model::Columns;
use crate::engine::policy::Decimal;
use crate::error::{Error, ErrorCategory, Result};

/// The number of batches in memory while as many are read.
const GROUP: usize = 8;
/// The number of bytes of cells from which on no more batches are read ahead.
const GROUP_BYTES: usize = 64 << 20;
/// The most messages of which only the place is known.
const MANY: usize = 1 << 18;
/// The memory of a message in addition to its bytes.
const BESIDE: usize = 128;

/// The content of a file.
#[derive(Debug)]
pub struct DecodedFile {
    /// The valid rows, in file order; people are known iff the feed declares identifiers.
    pub rows: CodedRows,
    /// The rows that were set aside, in file order, unless they are stored elsewhere.
    pub quarantined: Vec<Misplaced>,
    /// Columns of the file that the feed file does not declare; for JSON the first few unknown keys
    /// of valid objects.
    pub undeclared: Vec<String>,
    /// The number of sensitive cells of valid rows that were missing or malformed and became null.
    pub nulled: u64,
    /// The number of records that are not read, and of lines without any.
    pub skipped: u64,
    /// Columns with values that differ in spelling alone.
    pub spellings: Vec<ColumnSpellings>,
}

/// Reads the rows of a file. `progress` receives the number of rows so far.
///
/// # Errors
/// The file cannot be read or is damaged, a declared column is missing or has another type, or too
/// many rows cannot be decoded.
pub fn decode(
    path: &Path,
    columns: &Columns,
    hasher: &PersonHasher,
    bad: BadRows<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<DecodedFile> {
    let rules = RecordRules::default();
    decode_records(path, columns, hasher, &rules, bad, progress)
}

/// As [`decode`], with lines of which each may be several records, or none that is read.
///
/// # Errors
/// As [`decode`].
pub fn decode_records(
    path: &Path,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
    bad: BadRows<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<DecodedFile> {
    let mut source = SourceFile::open(path)?;
    let coder = Coder::new(columns, source.reading(), hasher, rules);
    let mut aside = match bad {
        BadRows::Refused(outside) => BadRowPolicy::Refused(Some(outside)),
        BadRows::SetAside(share) => BadRowPolicy::Share(share),
    };
    gather(&mut source, &coder, columns, &mut aside, None, progress)
}

/// The content of a file or an offer.
#[derive(Debug)]
pub struct TakenRows {
    /// The valid rows, in file order; people are known iff the feed declares identifiers.
    pub rows: CodedRows,
    /// The set-aside messages.
    pub aside: Offer,
    /// Columns that the feed file does not declare; for JSON the first few unknown keys of valid
    /// objects.
    pub undeclared: Vec<String>,
    /// The number of sensitive cells of valid rows that were missing or malformed and became null.
    pub nulled: u64,
    /// Columns with values that differ in spelling alone.
    pub spellings: Vec<ColumnSpellings>,
    /// The number of messages that are no records, and of records that are not read.
    pub skipped: u64,
}

impl TakenRows {
    /// The number of messages that were read and not passed on.
    pub fn seen(&self) -> u64 {
        (self.rows.len() + self.aside.messages().len()) as u64 + self.skipped
    }

    /// Checks that at most this share of the messages of a file is set aside. The error for a value
    /// outside the taxonomy contains these words.
    ///
    /// # Errors
    /// The share is larger.
    pub fn bearable(&self, path: &Path, share: Decimal, outside: &str) -> Result<()> {
        let places: Vec<&Misplaced> = self
            .aside
            .messages()
            .iter()
            .map(|message| &message.place)
            .collect();
        judge(path, &places, self.seen(), (share, Some(outside)))
    }
}

/// Reads the rows of a file; those that cannot be decoded are set aside, however many. `progress`
/// receives the number of rows so far. Set-aside messages are read from the file again, so that
/// valid rows cost nothing extra: the caller compares the file's digests before and after.
///
/// # Errors
/// The file cannot be read or is damaged, or a declared column is missing or has another type.
pub fn take(
    path: &Path,
    columns: &Columns,
    hasher: &PersonHasher,
    progress: &mut dyn FnMut(u64),
) -> Result<TakenRows> {
    take_sifted(path, columns, hasher, None, progress)
}

/// As [`take`], but rows of people who have one already are set aside too.
///
/// # Errors
/// As [`take`].
pub fn take_sifted(
    path: &Path,
    columns: &Columns,
    hasher: &PersonHasher,
    repeats: Option<&mut Repeats<'_>>,
    progress: &mut dyn FnMut(u64),
) -> Result<TakenRows> {
    let (input, rules) = (InputFile::open(path)?, RecordRules::default());
    cut(
        &input,
        (columns, hasher, &rules),
        repeats,
        (usize::MAX, &mut |_| Ok(())),
        progress,
    )
}

/// As [`take_sifted`], for an open file with any number of set-aside messages: as soon as these
/// have `most` bytes they are passed on to `put`, and the result contains only the last ones.
///
/// # Errors
/// As [`take`], or they cannot be passed on.
pub fn take_cut(
    input: &InputFile,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
    repeats: Option<&mut Repeats<'_>>,
    most: usize,
    put: OfferSink<'_>,
) -> Result<TakenRows> {
    let how = (columns, hasher, rules);
    cut(input, how, repeats, (most, put), &mut |_| {})
}

/// As [`take`], for a file with at most this many bytes of set-aside messages, which are all held
/// in memory.
///
/// # Errors
/// As [`take`], or they are more.
pub fn take_within(
    path: &Path,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
    most: usize,
    progress: &mut dyn FnMut(u64),
) -> Result<TakenRows> {
    let mut full = |_| {
        let text = format!(
            "the rows that cannot be decoded have more than {} MiB, the limit for this command: correct the feed file \
             or the data, split the file, or use `tidegate run`",
            most >> 20
        );
        Err(Error::new(ErrorCategory::Input, text).in_file(path))
    };
    cut(
        &InputFile::open(path)?,
        (columns, hasher, rules),
        None,
        (most, &mut full),
        progress,
    )
}

/// What happens to rows that cannot be decoded.
#[derive(Debug, Clone, Copy)]
pub enum BadRows<'w> {
    /// The first one is an error. For a value outside the taxonomy it contains these words.
    Refused(&'w str),
    /// They are set aside, as long as their share of all rows is at most this.
    SetAside(Decimal),
}

/// The same for all readers of rows.
pub(super) enum BadRowPolicy<'c, 'p> {
    /// As [`BadRows::Refused`]; `None`: with the default words.
    Refused(Option<&'c str>),
    /// As [`BadRows::SetAside`].
    Share(Decimal),
    /// They are set aside and stored, without further information in the result.
    Kept(&'c mut Cuts<'p>),
}

/// Reads all rows of an open file.
pub(super) fn gather(
    source: &mut SourceFile,
    coder: &Coder<'_>,
    columns: &Columns,
    aside: &mut BadRowPolicy<'_, '_>,
    mut repeats: Option<&mut Repeats<'_>>,
    progress: &mut dyn FnMut(u64),
) -> Result<DecodedFile> {
    source.want_fields(coder)?;
    let path = source.path.clone();
    let mut undeclared = undeclared(source.header(), columns, raw_name);
    let mut all = Assembly::new(columns);
    let (mut group, mut failed) = read(source);
    while !group.is_empty() {
        let (parts, next) = rayon::join(
            || code(coder, &group),
            || {
                if failed.is_none() {
                    read(source)
                } else {
                    (Vec::new(), None)
                }
            },
        );
        for (part, chunk) in parts.into_iter().zip(&group) {
            let mut part = part.map_err(|misfit| whole(&path, &misfit))?;
            let deletes = |fault: &&RowFault| fault.kind == MisfitKind::Delete;
            if coder.rules().deletes == Unwanted::Halt
                && let Some(fault) = part.faults.iter().find(deletes)
            {
                let file = (&*path.to_string_lossy(), None);
                return Err(halted(file, part.places[fault.row], fault.kind));
            }
            if let Some(repeats) = &mut repeats {
                repeats.sift(&mut part);
            }
            let kept = match aside {
                BadRowPolicy::Kept(_) => source.kept(chunk, &part, (coder.rules(), all.seen()))?,
                _ => Vec::new(),
            };
            all.add(part, coder);
            match aside {
                BadRowPolicy::Kept(cuts) => cuts.add(source, all.take_quarantined(), kept)?,
                BadRowPolicy::Refused(outside) => {
                    if let Some(first) = all.quarantined().first() {
                        let text = format!("row {}: {}", first.row, first.words(*outside));
                        return Err(first.error(&path, text));
                    }
                }
                BadRowPolicy::Share(_) => {}
            }
        }
        progress(all.seen());
        group = next.0;
        failed = failed.or(next.1);
    }
    if let Some(error) = failed {
        return Err(error);
    }
    undeclared.extend(all.strange());
    let seen = all.seen();
    let AssembledRows {
        rows,
        quarantined,
        nulled,
        skipped,
        spellings,
    } = all.finish();
    if let BadRowPolicy::Share(share) = aside {
        let places: Vec<&Misplaced> = quarantined.iter().collect();
        judge(&path, &places, seen, (*share, None))?;
    }
    Ok(DecodedFile {
        rows,
        quarantined,
        undeclared,
        nulled,
        skipped,
        spellings,
    })
}

/// Receives messages that are passed on.
type OfferSink<'p> = &'p mut dyn FnMut(Offer) -> Result<()>;

fn cut(
    input: &InputFile,
    (columns, hasher, rules): (&Columns, &PersonHasher, &RecordRules),
    repeats: Option<&mut Repeats<'_>>,
    (most, put): (usize, OfferSink<'_>),
    progress: &mut dyn FnMut(u64),
) -> Result<TakenRows> {
    let mut source = SourceFile::of(input)?;
    source.keep();
    let coder = Coder::new(columns, source.reading(), hasher, rules);
    let name = input.path().file_name();
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut cuts = Cuts::new(name, most, put);
    let mut aside = BadRowPolicy::Kept(&mut cuts);
    let decoded = gather(&mut source, &coder, columns, &mut aside, repeats, progress)?;
    Ok(TakenRows {
        rows: decoded.rows,
        aside: cuts.rest(&source)?,
        undeclared: decoded.undeclared,
        nulled: decoded.nulled,
        spellings: decoded.spellings,
        skipped: decoded.skipped,
    })
}

/// The next batches, and an error that ends them early.
fn read(source: &mut SourceFile) -> (Vec<Chunk>, Option<Error>) {
    let (mut group, mut bytes) = (Vec::with_capacity(GROUP), 0);
    while group.len() < GROUP && bytes < GROUP_BYTES {
        match source.chunk() {
            Ok(Some(chunk)) => {
                bytes += chunk.bytes();
                group.push(chunk);
            }
            Ok(None) => break,
            Err(error) => return (group, Some(error)),
        }
    }
    (group, None)
}

fn code(coder: &Coder<'_>, group: &[Chunk]) -> Vec<std::result::Result<RowBatch, Misfit>> {
    let code = |chunk: &Chunk| coder.code(chunk.page(coder));
    group.par_iter().map(code).collect()
}

/// The error for a whole column that does not fit.
pub(super) fn whole(path: &Path, misfit: &Misfit) -> Error {
    Error::new(ErrorCategory::Input, misfit.kind.to_string())
        .in_file(path)
        .in_field(&*misfit.column)
}

/// Checks the share of rows that were set aside; the error for a value outside the taxonomy
/// contains these words.
fn judge(
    path: &Path,
    quarantined: &[&Misplaced],
    seen: u64,
    (share, outside): (Decimal, Option<&str>),
) -> Result<()> {
    let Some(first) = quarantined.first() else {
        return Ok(());
    };
    let count = quarantined.len() as u64;
    if share.times_is_at_least(seen, count) {
        return Ok(());
    }
    let text = format!(
        "{count} of {seen} rows cannot be decoded, more than the share of {share} that may be set aside; the first is \
         row {}: {}",
        first.row,
        first.words(outside)
    );
    Err(first.error(path, text))
}

/// Messages of a file that are set aside while it is read, passed on in offers before they have too
/// many bytes: a file may contain any number of them.
pub(super) struct Cuts<'p> {
    name: String,
    /// The number of bytes at which they are passed on.
    most: usize,
    put: &'p mut dyn FnMut(Offer) -> Result<()>,
    /// Messages to be read from the file, with their sizes if known.
    places: Vec<(Misplaced, MessagePlace)>,
    known: usize,
    /// Messages that have been read.
    messages: Vec<SetAsideMessage>,
    bytes: usize,
}

impl<'p> Cuts<'p> {
    /// For a file of this name; `put` receives offers of about this many bytes.
    pub(crate) fn new(
        name: String,
        most: usize,
        put: &'p mut dyn FnMut(Offer) -> Result<()>,
    ) -> Cuts<'p> {
        Cuts {
            name,
            most,
            put,
            places: Vec::new(),
            known: 0,
            messages: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds the next messages, in file order.
    ///
    /// # Errors
    /// The file is damaged, or they cannot be passed on.
    pub(crate) fn add(
        &mut self,
        source: &SourceFile,
        places: Vec<Misplaced>,
        kept: Vec<MessagePlace>,
    ) -> Result<()> {
        let size = |kept: &MessagePlace| match kept {
            MessagePlace::Here(raw) => raw.bytes().len(),
            MessagePlace::Bytes(bytes) => {
                usize::try_from(bytes.end.saturating_sub(bytes.start)).unwrap_or(usize::MAX)
            }
            MessagePlace::Row(_) | MessagePlace::Nowhere => 0,
        };
        self.known += kept.iter().map(|kept| BESIDE + size(kept)).sum::<usize>();
        self.places.extend(places.into_iter().zip(kept));
        if self.places.len() < MANY && self.known < self.most {
            Ok(())
        } else {
            self.fetch(source)
        }
    }

    /// The remaining messages, at the end of the file.
    ///
    /// # Errors
    /// As [`Cuts::add`].
    pub(crate) fn rest(mut self, source: &SourceFile) -> Result<Offer> {
        self.fetch(source)?;
        Ok(Offer::new((self.name, None), source.form()?, self.messages))
    }

    fn fetch(&mut self, source: &SourceFile) -> Result<()> {
        self.known = 0;
        let (places, kept): (Vec<Misplaced>, Vec<MessagePlace>) =
            std::mem::take(&mut self.places).into_iter().unzip();
        let mut places = places.into_iter();
        source.fetch(kept, &mut |raw| {
            let place = places.next().expect("each that is fetched has a place");
            self.bytes += BESIDE + raw.as_ref().map_or(0, |raw| raw.bytes().len());
            self.messages.push(SetAsideMessage { place, raw });
            if self.bytes < self.most {
                return Ok(());
            }
            self.bytes = 0;
            let messages = std::mem::take(&mut self.messages);
            (self.put)(Offer::new(
                (self.name.clone(), None),
                source.form()?,
                messages,
            ))
        })
    }
}
