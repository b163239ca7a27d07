//! A release as parts of a table that grows (SCIENCE 11): files that are published already and
//! whose digests the gate knows, and new files. These contain the new rows, or rows of earlier
//! releases again: several files are merged, or the rows of erased atoms are removed from one.
//! Every earlier row must be there once, unchanged, and state the release in which it came.

use super::check_result::{Check, Finding};
use super::crowd_history::{CrowdHistory, ErasedAtom};
use crate::bytes::PartRows;
use crate::histogram::{Release, SensitiveValues, ValueCode};
use crate::model::Recoding;
use crate::release::{PartLine, ReleaseSpan, replaced};

/// The rows of the parts of a release, compared with what was published.
pub(super) struct ComparedParts {
    /// The new rows.
    pub added: Release,
    /// The dictionary of all rows here.
    pub values: SensitiveValues,
    /// The codes in it of the codes of the history.
    pub map: Vec<ValueCode>,
    /// Published files that belong to this release as well.
    pub kept: Vec<PartLine>,
    /// What is wrong.
    pub reasons: Vec<Finding>,
}

/// What was published of the chain, and the release to which the parts belong.
pub(super) struct PublishedParts<'a> {
    /// The number of the release.
    pub release: u32,
    /// The number of quasi columns.
    pub width: usize,
    /// The dictionary of the history.
    pub values: &'a SensitiveValues,
    /// The earlier releases, without the atoms that the release leaves out.
    pub history: &'a CrowdHistory,
    /// The atoms that it leaves out.
    pub erased: &'a [ErasedAtom],
}

/// Compares new parts with what was published.
pub(super) fn compared(
    case: &PublishedParts<'_>,
    parts: Vec<(ReleaseSpan, PartRows)>,
) -> ComparedParts {
    let history = case.history;
    let known: Vec<&SensitiveValues> = [case.values]
        .into_iter()
        .chain(parts.iter().map(|(_, part)| &part.values))
        .collect();
    let (values, mut maps) = SensitiveValues::union(&known);
    let map = maps.remove(0);
    let first = case.release - history.len() as u32;
    let spans: Vec<ReleaseSpan> = parts.iter().map(|(span, _)| *span).collect();
    let added = Release::empty(case.width, Recoding::new());
    let mut found = ComparedParts {
        added,
        values,
        map,
        kept: Vec::new(),
        reasons: Vec::new(),
    };
    for (at, ((span, mut part), map)) in parts.into_iter().zip(&maps).enumerate() {
        let place = part_of(span);
        if span.first > span.last || span.first < first || span.last > case.release {
            found.reasons.push(Finding::new(
                Check::Growth,
                place,
                "the part is stated to be of releases that this chain does not have",
            ));
            continue;
        }
        if spans[..at].iter().any(|other| other.meets(span)) {
            found.reasons.push(Finding::new(
                Check::Growth,
                place,
                "another part is of the same releases",
            ));
            continue;
        }
        for release in span.first..=span.last {
            let rows = part
                .releases
                .remove(&release)
                .map(|rows| rows.with_values(map));
            if release == case.release {
                found.added = rows.unwrap_or(found.added);
                continue;
            }
            let known = history
                .added((release - first) as usize)
                .expect("a release of the chain");
            let same = match &rows {
                None => known.rows() == 0,
                Some(rows) => known
                    .clone()
                    .with_values(&found.map)
                    .first_difference(rows)
                    .is_none(),
            };
            if !same {
                let text = "a row of an earlier release is missing, was added, or has another label or sensitive value";
                found
                    .reasons
                    .push(Finding::new(Check::Growth, place.clone(), text));
            }
        }
        if !part.releases.is_empty() {
            found.reasons.push(Finding::new(
                Check::Growth,
                place,
                "a row says another release than those of its part",
            ));
        }
    }
    let changed = |span: ReleaseSpan| {
        case.erased
            .iter()
            .any(|atom| span.holds(first + atom.release as u32))
    };
    found.kept = replaced(history.parts(), &[], |span| {
        changed(span) || spans.iter().any(|new| new.meets(span))
    });
    let lost = |release: &u32| {
        let rows = history
            .added((release - first) as usize)
            .map_or(0, Release::rows);
        let held = spans.iter().any(|span| span.holds(*release))
            || found.kept.iter().any(|part| part.span.holds(*release));
        rows > 0 && !held
    };
    for release in (first..case.release).filter(lost) {
        let text = "rows of this release are in no file any more";
        found.reasons.push(Finding::new(
            Check::Growth,
            part_of(ReleaseSpan::of(release)),
            text,
        ));
    }
    found
}

/// A part in words.
pub(super) fn part_of(span: ReleaseSpan) -> String {
    match span {
        ReleaseSpan { first, last } if first == last => format!("part of release {first}"),
        ReleaseSpan { first, last } => format!("part of releases {first} to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_by_its_releases() {
        assert_eq!(part_of(ReleaseSpan::of(3)), "part of release 3");
        assert_eq!(
            part_of(ReleaseSpan { first: 3, last: 5 }),
            "part of releases 3 to 5"
        );
    }
}
