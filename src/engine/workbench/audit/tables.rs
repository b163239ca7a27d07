//! Combines what was read, releases by their labels and increments by their leaves, on one
//! dictionary, and checks that they belong together: the increments give exactly the releases. The
//! labels decide how a cumulative chain is judged: if one label is above another one of its column,
//! or rows state in which release they came, rows keep their labels (SCIENCE 11); otherwise each
//! release has one recoding for all rows (SCIENCE 2 to 4).

use super::growth::{LeftOutRows, RowChanges, states};
use super::raw_classes::behind;
use crate::histogram::{Histogram, Release, SensitiveValues, describe, number_recodings};
use crate::model::{Columns, Cut, Node, Recoding, Taxonomy, cut};
use crate::policy::ChainKind;
use crate::risk::Sizes;

/// The audited tables.
#[derive(Debug)]
pub struct AuditSubject {
    /// The releases, in order.
    pub releases: Vec<Release>,
    /// The number of the recoding of each release.
    pub number: Vec<usize>,
    /// The raw rows by increment, if they were given, as far as any release distinguishes them.
    pub histogram: Option<Histogram>,
    /// For each release the classes of the raw rows behind it, if raw rows were given
    /// ungeneralised.
    pub behind: Option<Vec<Sizes>>,
    /// The dictionary of all tables.
    pub values: SensitiveValues,
    /// Whether the raw rows behind the releases were given, and compared with them.
    pub people_known: bool,
    /// The added and removed rows, in a chain whose rows keep their labels.
    pub growth: Option<RowChanges>,
}

/// Why tables do not fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfitTables {
    /// One label of a column is above another one, in a release with one recoding for all rows.
    Crossing {
        /// The release.
        release: usize,
        /// The quasi column, counted among quasi columns.
        column: usize,
        /// The upper label.
        upper: Node,
        /// The lower label.
        lower: Node,
    },
    /// The raw rows under the release's recoding are not the release.
    Mismatch {
        /// The release.
        release: usize,
        /// The first class that differs, by its labels.
        class: String,
        /// Its number of rows in the release, and according to the increments.
        rows: [u64; 2],
    },
    /// The number of raw rows differs from that of the release.
    Rows {
        /// The release.
        release: usize,
        /// Its rows, and those of the increment.
        rows: [u64; 2],
    },
    /// The number of increments differs from that of releases.
    Increments,
    /// Rows are declared as erased that no release has.
    Erased,
}

/// Rows of a chain of ours that a release leaves out, on a dictionary of their own.
#[derive(Debug, Clone)]
pub struct MissingRows {
    /// The release in which they came.
    pub came: usize,
    /// The rows.
    pub rows: Release,
    /// Their dictionary.
    pub values: SensitiveValues,
}

/// Rows of a chain of ours that releases leave out as notices say.
#[derive(Debug, Clone, Default)]
pub struct RowsLeftOut {
    /// For each release those that it leaves out; entries for the last ones may be missing if these
    /// leave none out.
    pub releases: Vec<Vec<MissingRows>>,
    /// Those that the next release will leave out.
    pub next: Vec<MissingRows>,
}

impl RowsLeftOut {
    fn iter(&self) -> impl Iterator<Item = &MissingRows> {
        self.releases.iter().flatten().chain(&self.next)
    }
}

impl AuditSubject {
    /// From releases read as labels, and increments read as leaves. `local`: every class of a
    /// disjoint feed has labels of its own.
    ///
    /// # Errors
    /// The tables do not fit together; see [`UnfitTables`].
    pub fn new(
        columns: &Columns,
        (kind, local): (ChainKind, bool),
        labels: Vec<Histogram>,
        increments: Option<Vec<Histogram>>,
    ) -> Result<AuditSubject, UnfitTables> {
        let trees = columns.trees();
        if increments
            .as_ref()
            .is_some_and(|increments| increments.len() != labels.len())
        {
            return Err(UnfitTables::Increments);
        }
        let of = |(at, rows): (usize, Histogram)| rows.as_increment(at as u32);
        let raw = increments
            .and_then(|all| Histogram::merge_all(all.into_iter().enumerate().map(of).collect()));
        let (values, maps) = SensitiveValues::union(
            &labels
                .iter()
                .chain(&raw)
                .map(Histogram::values)
                .collect::<Vec<_>>(),
        );
        let labels: Vec<Histogram> = labels
            .into_iter()
            .zip(&maps)
            .map(|(labels, map)| labels.with_values(&values, map))
            .collect();
        let keeps = kind == ChainKind::Cumulative
            && labels
                .iter()
                .any(|rows| states(rows) || is_local(rows, &trees));
        let local = keeps || local && kind == ChainKind::Disjoint;
        let mut releases = Vec::with_capacity(labels.len());
        for (release, labels) in labels.iter().enumerate() {
            if local {
                releases.push(Release::from_own_labels(labels));
                continue;
            }
            let made = Release::from_labels(labels, &trees);
            let crossing =
                |(column, found): (usize, crate::model::NoAntichain)| UnfitTables::Crossing {
                    release,
                    column,
                    upper: found.upper,
                    lower: found.lower,
                };
            releases.push(made.map_err(crossing)?);
        }
        let number = numbered(&mut releases, &trees);
        let behind = raw.as_ref().map(|raw| behind(raw, releases.len(), kind));
        let histogram = raw.map(|raw| raw.with_values(&values, &maps[releases.len()]));
        // If classes have labels of their own, only leaves are fine enough to distinguish rows for
        // all of them.
        let histogram = histogram.map(|raw| {
            if local {
                raw
            } else {
                raw.coarsened(&finest(&releases), &trees)
            }
        });
        let growth = keeps.then(|| RowChanges::stated(&releases, &labels));
        let people_known = histogram.is_some();
        let subject = AuditSubject {
            releases,
            number,
            histogram,
            behind,
            values,
            people_known,
            growth,
        };
        subject.check(kind, columns)?;
        Ok(subject)
    }

    /// From releases of one of our own chains, as they were read back from their bytes, and the
    /// people of each increment (none in a disjoint feed); where rows keep their labels, these have
    /// nodes in the place of leaves, and the rows that are left out are given.
    ///
    /// # Errors
    /// Releases do not hold those people; see [`UnfitTables`].
    pub fn of_chain(
        columns: &Columns,
        kind: ChainKind,
        tables: Vec<(Release, SensitiveValues)>,
        increments: Option<Vec<Histogram>>,
        left_out: &RowsLeftOut,
    ) -> Result<AuditSubject, UnfitTables> {
        if kind == ChainKind::Cumulative && tables.iter().any(|(release, _)| release.is_local()) {
            return AuditSubject::of_crowds(columns, tables, increments, left_out);
        }
        let trees = columns.trees();
        let of = |(at, rows): (usize, Histogram)| rows.as_one(at as u32);
        let raw = increments
            .and_then(|all| Histogram::merge_all(all.into_iter().enumerate().map(of).collect()));
        let known = tables
            .iter()
            .map(|(_, values)| values)
            .chain(raw.as_ref().map(Histogram::values));
        let (values, maps) = SensitiveValues::union(&known.collect::<Vec<_>>());
        let recoded = tables
            .into_iter()
            .zip(&maps)
            .map(|((release, _), map)| release.with_values(map));
        let mut releases: Vec<Release> = recoded.collect();
        let number = numbered(&mut releases, &trees);
        let histogram = raw.map(|raw| {
            raw.with_values(&values, &maps[releases.len()])
                .coarsened(&finest(&releases), &trees)
        });
        let people_known = histogram.is_some();
        let subject = AuditSubject {
            releases,
            number,
            histogram,
            behind: None,
            values,
            people_known,
            growth: None,
        };
        subject.check(kind, columns)?;
        Ok(subject)
    }

    /// The same where rows keep their labels: the new rows of a release have to be the people of
    /// its increment.
    fn of_crowds(
        columns: &Columns,
        tables: Vec<(Release, SensitiveValues)>,
        increments: Option<Vec<Histogram>>,
        left_out: &RowsLeftOut,
    ) -> Result<AuditSubject, UnfitTables> {
        if increments
            .as_ref()
            .is_some_and(|increments| increments.len() != tables.len())
        {
            return Err(UnfitTables::Increments);
        }
        let people_known = increments.is_some();
        let increments = increments.unwrap_or_default();
        let known = tables
            .iter()
            .map(|(_, values)| values)
            .chain(increments.iter().map(Histogram::values));
        let known = known.chain(left_out.iter().map(|missing| &missing.values));
        let (values, maps) = SensitiveValues::union(&known.collect::<Vec<_>>());
        let (of_tables, rest) = maps.split_at(tables.len());
        let (of_people, of_missing) = rest.split_at(increments.len());
        let releases: Vec<Release> = tables
            .into_iter()
            .zip(of_tables)
            .map(|((release, _), map)| release.with_values(map))
            .collect();
        let mut of_missing = of_missing.iter();
        let mut known = |missing: &MissingRows| LeftOutRows {
            came: missing.came,
            rows: missing
                .rows
                .clone()
                .with_values(of_missing.next().expect("a map for each")),
        };
        let shown: Vec<Vec<LeftOutRows>> = left_out
            .releases
            .iter()
            .map(|missing| missing.iter().map(&mut known).collect())
            .collect();
        let next: Vec<LeftOutRows> = left_out.next.iter().map(&mut known).collect();
        let growth = RowChanges::of_ours(&releases, &shown).ok_or(UnfitTables::Erased)?;
        for (at, (people, map)) in increments.into_iter().zip(of_people).enumerate() {
            // The private tables no longer hold people whose rows were left out.
            let gone = shown
                .iter()
                .flatten()
                .chain(&next)
                .filter(|missing| missing.came == at);
            let new = gone.fold(growth.new[at].clone(), |new, missing| {
                new.beyond(&missing.rows)
            });
            let people = Release::from_own_labels(&people).with_values(map);
            if let Some(class) = new.first_difference(&people) {
                let rows = [&new, &people].map(|release| release.size_of(class));
                return Err(UnfitTables::Mismatch {
                    release: at,
                    class: describe(class, columns),
                    rows,
                });
            }
        }
        let number = (0..releases.len()).collect();
        Ok(AuditSubject {
            releases,
            number,
            histogram: None,
            behind: None,
            values,
            people_known,
            growth: Some(growth),
        })
    }

    /// Checks that the increments under each recoding are the release.
    fn check(&self, kind: ChainKind, columns: &Columns) -> Result<(), UnfitTables> {
        let Some(histogram) = &self.histogram else {
            return Ok(());
        };
        for (at, release) in self.releases.iter().enumerate() {
            let from = if kind == ChainKind::Disjoint {
                at as u32
            } else {
                0
            };
            if release.is_local() {
                self.held(at, columns)?;
                continue;
            }
            let made = Release::under(histogram, from..at as u32 + 1, release.recoding());
            if let Some(class) = made.first_difference(release) {
                let rows = [release, &made].map(|release| release.size_of(class));
                return Err(UnfitTables::Mismatch {
                    release: at,
                    class: describe(class, columns),
                    rows,
                });
            }
        }
        Ok(())
    }
}

impl AuditSubject {
    /// Whether rows of the first release state in which release they came.
    pub fn is_stated(&self) -> bool {
        let new = self.growth.as_ref().and_then(|growth| growth.new.first());
        new.is_some_and(|new| new.width() > self.releases[0].width())
    }

    /// The rows behind a release, on the common dictionary.
    pub fn recoded(&self, rows: &Histogram) -> Histogram {
        let (values, maps) = SensitiveValues::union(&[&self.values, rows.values()]);
        rows.clone().with_values(&values, &maps[1])
    }

    /// Checks that all people of an increment can be in a class of its release, and that their
    /// numbers agree.
    fn held(&self, at: usize, columns: &Columns) -> Result<(), UnfitTables> {
        let (Some(histogram), trees) = (&self.histogram, columns.trees()) else {
            return Ok(());
        };
        let release = self
            .growth
            .as_ref()
            .map_or(&self.releases[at], |growth| &growth.new[at]);
        let of = |tuple: usize| {
            histogram
                .cells_of(tuple)
                .iter()
                .filter(|cell| cell.increment == at as u32)
        };
        let rows = |tuple: usize| of(tuple).map(|cell| u64::from(cell.count)).sum::<u64>();
        let covers = |class: usize, leaves: &[Node]| {
            let columns = trees.iter().zip(release.class(class)).zip(leaves);
            columns
                .into_iter()
                .all(|((tree, &node), &leaf)| tree.covers(node, leaf))
        };
        let mut all = 0;
        for tuple in (0..histogram.tuples()).filter(|&tuple| rows(tuple) > 0) {
            let leaves: Vec<Node> = trees
                .iter()
                .zip(histogram.tuple_at(tuple))
                .map(|(tree, leaf)| tree.leaf_node(leaf))
                .collect();
            if !(0..release.classes()).any(|class| covers(class, &leaves)) {
                return Err(UnfitTables::Mismatch {
                    release: at,
                    class: describe(&leaves, columns),
                    rows: [0, rows(tuple)],
                });
            }
            all += rows(tuple);
        }
        if all == release.rows() {
            return Ok(());
        }
        Err(UnfitTables::Rows {
            release: at,
            rows: [release.rows(), all],
        })
    }
}

/// Whether a label of these rows is above another one of its column.
fn is_local(labels: &Histogram, trees: &[&Taxonomy]) -> bool {
    trees
        .iter()
        .enumerate()
        .any(|(column, tree)| Cut::completed(tree, labels.column(column)).is_err())
}

/// The number of each release's recoding; releases whose classes have labels of their own share
/// none.
fn numbered(releases: &mut [Release], trees: &[&Taxonomy]) -> Vec<usize> {
    assert!(
        releases
            .iter()
            .all(|release| release.width() == trees.len()),
        "one taxonomy for each column"
    );
    if releases.iter().any(Release::is_local) {
        return (0..releases.len()).collect();
    }
    number_recodings(releases, trees)
}

/// The meet of all recodings.
fn finest(releases: &[Release]) -> Recoding {
    assert!(!releases.is_empty(), "a chain of releases");
    let mut recodings = releases.iter().map(Release::recoding);
    let first = recodings.next().map(<[Cut]>::to_vec).unwrap_or_default();
    recodings.fold(first, |met, recoding| cut::meet(&met, recoding))
}
