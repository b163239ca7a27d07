//! Brings what was read, releases by their labels and increments by their leaves, onto one dictionary, and checks that
//! it belongs together: labels are antichains, and the increments give exactly the releases.

use crate::engine::histogram::{Histogram, Release, Values, describe, number_recodings};
use crate::engine::model::{Columns, Cut, Node, Recoding, cut};
use crate::engine::policy::ChainKind;

/// What is audited.
#[derive(Debug)]
pub struct Subject {
    /// The releases, in order.
    pub releases: Vec<Release>,
    /// Which recoding each is under.
    pub number: Vec<usize>,
    /// The raw rows by increment, where they were given, as far as any release tells them apart.
    pub histogram: Option<Histogram>,
    /// The dictionary of all of them.
    pub values: Values,
}

/// Tables that cannot be what they are said to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// One label of a column lies above another.
    Crossing {
        /// The release.
        release: usize,
        /// The quasi column, counted among quasi columns.
        column: usize,
        /// The label above.
        upper: Node,
        /// The label below.
        lower: Node,
    },
    /// The raw rows under the release's recoding are not the release.
    Mismatch {
        /// The release.
        release: usize,
        /// The first class that differs, by its labels.
        class: String,
        /// Its rows in the release, and by the increments.
        rows: [u64; 2],
    },
    /// Not as many increments as releases.
    Increments,
}

impl Subject {
    /// From releases read as labels, and increments read as leaves.
    ///
    /// # Errors
    /// Tables that do not fit; see [`Unfit`].
    pub fn new(
        columns: &Columns,
        kind: ChainKind,
        labels: Vec<Histogram>,
        increments: Option<Vec<Histogram>>,
    ) -> Result<Subject, Unfit> {
        let trees = columns.trees();
        if increments.as_ref().is_some_and(|increments| increments.len() != labels.len()) {
            return Err(Unfit::Increments);
        }
        let numbered = |(at, rows): (usize, Histogram)| rows.as_increment(at as u32);
        let raw = increments.and_then(|all| Histogram::merge_all(all.into_iter().enumerate().map(numbered).collect()));
        let (values, maps) = Values::union(&labels.iter().chain(&raw).map(Histogram::values).collect::<Vec<_>>());
        let mut releases = Vec::with_capacity(labels.len());
        for (release, (labels, map)) in labels.into_iter().zip(&maps).enumerate() {
            let made = Release::from_labels(&labels.with_values(&values, map), &trees);
            let crossing = |(column, found): (usize, crate::engine::model::NoAntichain)| Unfit::Crossing {
                release,
                column,
                upper: found.upper,
                lower: found.lower,
            };
            releases.push(made.map_err(crossing)?);
        }
        let number = number_recodings(&mut releases, &trees);
        let histogram = raw.map(|raw| {
            let raw = raw.with_values(&values, &maps[releases.len()]);
            raw.coarsened(&finest(&releases), &trees)
        });
        let subject = Subject { releases, number, histogram, values };
        subject.check(kind, columns)?;
        Ok(subject)
    }

    /// From releases of one of our own chains, as they were read back from their bytes, and the people who came with each
    /// (none in a disjoint feed).
    ///
    /// # Errors
    /// Releases that do not hold those people; see [`Unfit`].
    pub fn of_chain(
        columns: &Columns,
        kind: ChainKind,
        tables: Vec<(Release, Values)>,
        increments: Option<Vec<Histogram>>,
    ) -> Result<Subject, Unfit> {
        let trees = columns.trees();
        let numbered = |(at, rows): (usize, Histogram)| rows.as_one(at as u32);
        let raw = increments.and_then(|all| Histogram::merge_all(all.into_iter().enumerate().map(numbered).collect()));
        let known = tables.iter().map(|(_, values)| values).chain(raw.as_ref().map(Histogram::values));
        let (values, maps) = Values::union(&known.collect::<Vec<_>>());
        let recoded = tables.into_iter().zip(&maps).map(|((release, _), map)| release.with_values(map));
        let mut releases: Vec<Release> = recoded.collect();
        let number = number_recodings(&mut releases, &trees);
        let histogram =
            raw.map(|raw| raw.with_values(&values, &maps[releases.len()]).coarsened(&finest(&releases), &trees));
        let subject = Subject { releases, number, histogram, values };
        subject.check(kind, columns)?;
        Ok(subject)
    }

    /// Whether the increments under each recoding are the release.
    fn check(&self, kind: ChainKind, columns: &Columns) -> Result<(), Unfit> {
        let Some(histogram) = &self.histogram else { return Ok(()) };
        for (at, release) in self.releases.iter().enumerate() {
            let from = if kind == ChainKind::Disjoint { at as u32 } else { 0 };
            let made = Release::under(histogram, from..at as u32 + 1, release.recoding());
            if let Some(class) = made.first_difference(release) {
                let rows = [release, &made].map(|release| release.size_of(class));
                return Err(Unfit::Mismatch { release: at, class: describe(class, columns), rows });
            }
        }
        Ok(())
    }
}

/// The meet of all recodings.
fn finest(releases: &[Release]) -> Recoding {
    let mut recodings = releases.iter().map(Release::recoding);
    let first = recodings.next().map(<[Cut]>::to_vec).unwrap_or_default();
    recodings.fold(first, |met, recoding| cut::meet(&met, recoding))
}
