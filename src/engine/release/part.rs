//! A table that only grows, in parts (SCIENCE 11): each release adds its new rows as one more file,
//! and several such files can be merged into one with the same rows. The aggregates of measures are
//! a second table of the same kind.

use serde::{Deserialize, Serialize};

use super::file::FileLine;
use super::table_kind::TableKind;

/// Successive releases.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct ReleaseSpan {
    /// The number of the first one.
    pub first: u32,
    /// The number of the last one.
    pub last: u32,
}

impl ReleaseSpan {
    /// One release.
    pub fn of(release: u32) -> ReleaseSpan {
        assert!(release > 0, "releases are numbered from 1");
        ReleaseSpan {
            first: release,
            last: release,
        }
    }

    /// Whether a release is one of them.
    pub fn holds(self, release: u32) -> bool {
        assert!(self.first <= self.last, "a span of releases");
        (self.first..=self.last).contains(&release)
    }

    /// Whether a release is one of both.
    pub fn meets(self, other: ReleaseSpan) -> bool {
        assert!(
            self.first <= self.last && other.first <= other.last,
            "spans of releases"
        );
        self.first <= other.last && other.first <= self.last
    }
}

/// What a file with rows contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartContent {
    /// All columns of people.
    Rows,
    /// Their quasi columns; the sensitive ones are in a table beside it.
    Quasi,
    /// Their sensitive columns.
    Sensitive,
    /// Aggregates of their measures.
    Measures,
}

impl PartContent {
    /// The table that it belongs to.
    pub fn table(self) -> TableKind {
        match self {
            PartContent::Rows | PartContent::Quasi | PartContent::Sensitive => TableKind::Rows,
            PartContent::Measures => TableKind::Measures,
        }
    }

    /// The name of a file with all of it that one release has.
    pub fn name(self) -> &'static str {
        match self {
            PartContent::Rows | PartContent::Quasi => "data",
            PartContent::Sensitive => "sensitive",
            PartContent::Measures => "measures",
        }
    }
}

/// A file with rows, to be published.
#[derive(Clone, PartialEq, Eq)]
pub struct ReleasePart {
    /// What it contains.
    pub content: PartContent,
    /// The releases that added its rows, if it is a part of a table that grows; otherwise it has
    /// all rows of one release.
    pub span: Option<ReleaseSpan>,
    /// The number of rows.
    pub rows: u64,
    /// The file.
    pub bytes: Vec<u8>,
}

/// The rows that successive releases added, as a published file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartLine {
    /// The releases.
    pub span: ReleaseSpan,
    /// The file.
    pub file: FileLine,
}

impl PartLine {
    /// The table.
    pub fn table(&self) -> TableKind {
        TableKind::of(&self.file.path)
    }

    /// Whether both contain rows of the same table and release.
    fn meets(&self, other: &PartLine) -> bool {
        self.span.meets(other.span) && self.table() == other.table()
    }
}

/// The parts of tables after new files were added: a new file replaces all files with rows of the
/// same releases, and files of releases whose rows have changed are removed. The parts of one table
/// are adjacent.
pub fn replaced(
    known: &[PartLine],
    new: &[PartLine],
    changed: impl Fn(ReleaseSpan) -> bool,
) -> Vec<PartLine> {
    let stays = |part: &&PartLine| !changed(part.span) && !new.iter().any(|new| new.meets(part));
    let mut parts: Vec<PartLine> = known.iter().filter(stays).chain(new).cloned().collect();
    parts.sort_by_key(|part| (part.table(), part.span));
    assert!(
        parts.windows(2).all(|pair| !pair[0].meets(&pair[1])),
        "a release is in one part of each table"
    );
    parts
}

/// The releases whose rows the next release writes again: those of files to be merged, and of files
/// whose rows have changed. Files are only merged within a period: `period` gives that of each
/// release, and `now` is that of the next one.
pub fn rewritten(
    known: &[PartLine],
    changed: impl Fn(ReleaseSpan) -> bool,
    (period, now): (impl Fn(ReleaseSpan) -> i64, i64),
) -> Vec<ReleaseSpan> {
    let mut spans: Vec<ReleaseSpan> = Vec::new();
    for parts in known.chunk_by(|one, next| period(one.span) == period(next.span)) {
        let rows: Vec<u64> = parts
            .iter()
            .map(|part| part.file.rows.unwrap_or(0))
            .collect();
        let joined = match period(parts[0].span) == now {
            true => compacted(&rows).map(|range| range.start),
            // A period that is over becomes one file.
            false => (parts.len() > 1).then_some(0),
        };
        assert!(
            joined.is_none_or(|from| from + 1 < parts.len()),
            "one part alone is not joined"
        );
        let (left, joined) = parts.split_at(joined.unwrap_or(parts.len()));
        spans.extend(
            left.iter()
                .map(|part| part.span)
                .filter(|span| changed(*span)),
        );
        if let [first, .., last] = joined {
            spans.push(ReleaseSpan {
                first: first.span.first,
                last: last.span.last,
            });
        }
    }
    assert!(
        spans.windows(2).all(|pair| !pair[0].meets(pair[1])),
        "a part is written once"
    );
    spans
}

/// The number of files of similar size that are merged.
const TOGETHER: usize = 8;

/// Which of the last files of a table are to be merged, if any, given the rows of each: as soon as
/// eight have a similar size, they and all smaller ones after them. So each row is written again
/// once for every eightfold growth of the table, and a table has at most seven files of each size.
fn compacted(rows: &[u64]) -> Option<std::ops::Range<usize>> {
    let size = |rows: &u64| rows.checked_ilog(TOGETHER as u64).unwrap_or(0);
    let largest = rows.iter().map(size).max()?;
    let last = |most: u32| {
        rows.iter()
            .rposition(|rows| size(rows) > most)
            .map_or(0, |at| at + 1)
    };
    let full = |of: &u32| {
        rows[last(*of)..]
            .iter()
            .filter(|rows| size(rows) == *of)
            .count()
            >= TOGETHER
    };
    // The merged file may be one of eight again.
    let found = (0..=largest).filter(full).map(last).min()?;
    assert!(rows.len() - found >= TOGETHER, "several parts become one");
    Some(found..rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_size_become_one() {
        assert_eq!(compacted(&[]), None);
        assert_eq!(compacted(&[200; 7]), None);
        assert_eq!(compacted(&[200; 8]), Some(0..8));
        // A large file is not merged.
        assert_eq!(
            compacted(&[1_000_000, 200, 200, 200, 200, 200, 200, 200, 200]),
            Some(1..9)
        );
        // Smaller files in between are merged as well.
        assert_eq!(
            compacted(&[200, 200, 3, 200, 200, 200, 200, 200, 200, 5]),
            Some(0..10)
        );
    }

    #[test]
    fn a_long_chain_has_few_files_and_each_row_is_written_a_few_times() {
        let (mut parts, mut written, mut most) = (vec![1_000_000], 0, 0);
        for _ in 0..1_000 {
            if let Some(range) = compacted(&parts) {
                let rows: u64 = parts.drain(range).sum();
                written += rows;
                parts.push(rows);
            }
            parts.push(200);
            most = most.max(parts.len());
        }
        assert!(most <= 24, "{most} files");
        assert!(
            written <= 4 * 200 * 1_000,
            "{written} rows are written again"
        );
    }

    #[test]
    fn files_of_two_periods_stay_apart() {
        let part = |release| PartLine {
            span: ReleaseSpan::of(release),
            file: FileLine::of("", b"", Some(200)),
        };
        let known: Vec<PartLine> = (1..=10).map(part).collect();
        let rewritten = |length: i64, now| {
            rewritten(
                &known,
                |_| false,
                (|span: ReleaseSpan| i64::from(span.first) / length, now),
            )
        };
        assert_eq!(rewritten(100, 0), [ReleaseSpan { first: 1, last: 10 }]);
        // Two periods that are over, and one that is not and has few files.
        assert_eq!(
            rewritten(4, 2),
            [
                ReleaseSpan { first: 1, last: 3 },
                ReleaseSpan { first: 4, last: 7 }
            ]
        );
    }

    #[test]
    fn new_files_take_the_places_of_those_with_the_same_releases() {
        let part = |first, last| PartLine {
            span: ReleaseSpan { first, last },
            file: FileLine::of(&format!("{first}-{last}"), b"", Some(1)),
        };
        let known = [part(1, 4), part(5, 5), part(6, 6)];
        assert_eq!(replaced(&known, &[part(7, 7)], |_| false).len(), 4);
        assert_eq!(
            replaced(&known, &[part(5, 6), part(7, 7)], |_| false),
            [part(1, 4), part(5, 6), part(7, 7)]
        );
        assert_eq!(
            replaced(&known, &[part(7, 7)], |span| span.holds(5)),
            [part(1, 4), part(6, 6), part(7, 7)]
        );
    }
}
