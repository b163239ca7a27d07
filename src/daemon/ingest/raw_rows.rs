//! Raw rows for the daemon (HOUSE 4, Decoding): a row that cannot be decoded is never an error but
//! is kept, so that nothing is lost, and is decoded again when it is offered again. The caller
//! judges whether too much was set aside.

use std::path::Path;

use super::cuts::Cuts;
use super::input_file::InputFile;
use super::offer::{Offer, SetAsideMessage};
use super::person::PersonHasher;
use super::repeats::Repeats;
use super::row_batch::Coder;
use super::row_faults::Misplaced;
use super::rows::{BadRowPolicy, gather, judge};
use super::source::SourceFile;
use super::spellings::ColumnSpellings;
use super::topic::{RetriedMessages, UnwantedPolicies, again};
use crate::engine::histogram::CodedRows;
use crate::engine::model::Columns;
use crate::engine::policy::Decimal;
use crate::error::{Error, ErrorCategory, Result};

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
    /// The number of messages that the policy skips; a file has none.
    pub skipped: u64,
}

impl TakenRows {
    /// The number of messages that were read and not passed on.
    pub fn seen(&self) -> u64 {
        (self.rows.len() + self.aside.messages().len()) as u64
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
    let input = InputFile::open(path)?;
    cut(
        &input,
        columns,
        hasher,
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
    repeats: Option<&mut Repeats<'_>>,
    most: usize,
    put: OfferSink<'_>,
) -> Result<TakenRows> {
    cut(input, columns, hasher, repeats, (most, put), &mut |_| {})
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
        columns,
        hasher,
        None,
        (most, &mut full),
        progress,
    )
}

/// Receives messages that are passed on.
type OfferSink<'p> = &'p mut dyn FnMut(Offer) -> Result<()>;

fn cut(
    input: &InputFile,
    columns: &Columns,
    hasher: &PersonHasher,
    repeats: Option<&mut Repeats<'_>>,
    (most, put): (usize, OfferSink<'_>),
    progress: &mut dyn FnMut(u64),
) -> Result<TakenRows> {
    let (path, mut source) = (input.path(), SourceFile::of(input)?);
    source.keep();
    let coder = Coder::new(columns, source.reading(), hasher);
    let name = path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut cuts = Cuts::new(name, most, put);
    let decoded = gather(
        path,
        &mut source,
        &coder,
        columns,
        &mut BadRowPolicy::Kept(&mut cuts),
        repeats,
        progress,
    )?;
    let aside = cuts.rest(&source)?;
    Ok(TakenRows {
        rows: decoded.rows,
        aside,
        undeclared: decoded.undeclared,
        nulled: decoded.nulled,
        spellings: decoded.spellings,
        skipped: 0,
    })
}

/// Decodes messages again, with columns that may have changed. Those that still cannot be decoded
/// stay unchanged, with their places in the original file and what is wrong with them now.
///
/// # Errors
/// A declared column is missing or has another type.
pub fn retry(
    offer: &Offer,
    columns: &Columns,
    hasher: &PersonHasher,
    unwanted: UnwantedPolicies,
) -> Result<TakenRows> {
    retry_sifted(offer, columns, hasher, unwanted, None)
}

/// As [`retry`], but rows of people who have one already stay set aside.
///
/// # Errors
/// As [`retry`].
pub fn retry_sifted(
    offer: &Offer,
    columns: &Columns,
    hasher: &PersonHasher,
    unwanted: UnwantedPolicies,
    repeats: Option<&mut Repeats<'_>>,
) -> Result<TakenRows> {
    if offer.partition().is_some() {
        let RetriedMessages {
            rows,
            aside,
            nulled,
            skipped,
        } = again(offer, columns, hasher, unwanted, repeats)?;
        return Ok(TakenRows {
            rows,
            aside,
            undeclared: Vec::new(),
            nulled,
            spellings: Vec::new(),
            skipped,
        });
    }
    let offered = offer
        .messages()
        .iter()
        .filter_map(|message| message.raw.as_ref());
    let mut source = SourceFile::over(offer.name(), offer.form(), offered.clone())?;
    let coder = Coder::new(columns, source.reading(), hasher);
    let name = Path::new(offer.name());
    let decoded = gather(
        name,
        &mut source,
        &coder,
        columns,
        &mut BadRowPolicy::Any,
        repeats,
        &mut |_| {},
    )?;
    if decoded.rows.len() + decoded.quarantined.len() != offered.count() {
        let text = "messages set aside are not as many rows as they were";
        return Err(Error::new(ErrorCategory::Internal, text).in_file(name));
    }
    let aside = offer.with(still(offer, decoded.quarantined));
    Ok(TakenRows {
        rows: decoded.rows,
        aside,
        undeclared: decoded.undeclared,
        nulled: decoded.nulled,
        spellings: decoded.spellings,
        skipped: 0,
    })
}

impl Offer {
    /// The number of messages that are set aside because of a fault, not counting repeats.
    pub fn faults(&self) -> u64 {
        self.messages()
            .iter()
            .filter(|message| !message.place.is_repeat())
            .count() as u64
    }
}

/// The messages of an offer that still cannot be decoded; `again` are their indices among those
/// that were offered.
fn still(offer: &Offer, again: Vec<Misplaced>) -> Vec<SetAsideMessage> {
    let mut again = again.into_iter().peekable();
    let mut row = 0;
    let mut stays = |message: &SetAsideMessage| {
        if message.raw.is_none() {
            return Some(message.clone());
        }
        row += 1;
        let Misplaced { column, kind, .. } = again.next_if(|misplaced| misplaced.row == row)?;
        Some(SetAsideMessage {
            place: Misplaced {
                column,
                kind,
                ..message.place.clone()
            },
            raw: message.raw.clone(),
        })
    };
    offer.messages().iter().filter_map(&mut stays).collect()
}
