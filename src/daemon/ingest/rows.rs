//! Raw rows of a file as codes (HOUSE 4, Decoding; SCIENCE 3, Acceptance): the validity of a row
//! depends only on its form, its identifiers and its quasi columns; an invalid sensitive field
//! becomes null.
//!
//! Batches are decoded on all cores and combined in file order; results never depend on threads. No
//! error and no `Debug` contains a cell.

use std::path::Path;

use rayon::prelude::*;

use super::assembly::{AssembledRows, Assembly};
use super::cuts::Cuts;
use super::header::{raw_name, undeclared};
use super::person::PersonHasher;
use super::repeats::Repeats;
use super::row_batch::{Coder, RowBatch};
use super::row_faults::Misplaced;
use super::source::{Chunk, SourceFile};
use super::spellings::ColumnSpellings;
use crate::engine::histogram::{CodedRows, Misfit};
use crate::engine::model::Columns;
use crate::engine::policy::Decimal;
use crate::error::{Error, ErrorCategory, Result};

/// The number of batches in memory while as many are read.
const GROUP: usize = 8;
/// The number of bytes of cells from which on no more batches are read ahead.
const GROUP_BYTES: usize = 64 << 20;

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
    let mut source = SourceFile::open(path)?;
    let coder = Coder::new(columns, source.reading(), hasher);
    let mut aside = match bad {
        BadRows::Refused(outside) => BadRowPolicy::Refused(Some(outside)),
        BadRows::SetAside(share) => BadRowPolicy::Share(share),
    };
    gather(
        path,
        &mut source,
        &coder,
        columns,
        &mut aside,
        None,
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
    /// They are set aside.
    Any,
    /// They are set aside and stored, without further information in the result.
    Kept(&'c mut Cuts<'p>),
}

/// Sets valid rows aside; `None`: none.
pub(super) type Sifting<'r, 'k> = Option<&'r mut Repeats<'k>>;

/// Reads all rows of an open file.
pub(super) fn gather(
    path: &Path,
    source: &mut SourceFile,
    coder: &Coder<'_>,
    columns: &Columns,
    aside: &mut BadRowPolicy<'_, '_>,
    mut repeats: Sifting<'_, '_>,
    progress: &mut dyn FnMut(u64),
) -> Result<DecodedFile> {
    source.want_fields(coder.fields())?;
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
            let mut part = part.map_err(|misfit| whole(path, &misfit))?;
            if let Some(repeats) = &mut repeats {
                repeats.sift(&mut part);
            }
            if let BadRowPolicy::Kept(cuts) = aside {
                let kept = source.kept(chunk, &part.faults, all.seen())?;
                all.add(part, coder);
                cuts.add(source, all.take_quarantined(), kept)?;
            } else {
                all.add(part, coder);
            }
            if let (BadRowPolicy::Refused(outside), Some(first)) =
                (&*aside, all.quarantined().first())
            {
                return Err(first.error(
                    path,
                    format!("row {}: {}", first.row, first.words(*outside)),
                ));
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
        spellings,
    } = all.finish();
    if let BadRowPolicy::Share(share) = aside {
        judge(
            path,
            &quarantined.iter().collect::<Vec<_>>(),
            seen,
            (*share, None),
        )?;
    }
    Ok(DecodedFile {
        rows,
        quarantined,
        undeclared,
        nulled,
        spellings,
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
    group.par_iter().map(|chunk| chunk.code(coder)).collect()
}

/// The error for a whole column that does not fit.
fn whole(path: &Path, misfit: &Misfit) -> Error {
    Error::new(ErrorCategory::Input, misfit.kind.to_string())
        .in_file(path)
        .in_field(&*misfit.column)
}

/// Checks the share of rows that were set aside; the error for a value outside the taxonomy
/// contains these words.
pub(super) fn judge(
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
