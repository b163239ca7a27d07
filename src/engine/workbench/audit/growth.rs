//! The rows that were added and removed by each release of a chain whose rows keep their labels
//! (SCIENCE 11), as the releases themselves show it. A column that states in which release a row
//! came shows the same, even for releases that are not available.

use rayon::prelude::*;

use crate::histogram::{Histogram, Release};

/// The rows that releases added and removed.
#[derive(Debug)]
pub struct RowChanges {
    /// For each release the rows that the previous one lacks, with one class for each label and
    /// each stated release.
    pub new: Vec<Release>,
    /// For each release the rows of the previous one that are missing, or have another label or
    /// sensitive value.
    pub gone: Vec<Release>,
    /// Statements of rows about their release that contradict the tables.
    pub contradictions: Vec<RowContradiction>,
    /// For each release the rows of earlier ones that it leaves out as its notice says; empty if no
    /// release leaves rows out.
    pub erased: Vec<Vec<LeftOutRows>>,
}

/// Rows that a release leaves out.
#[derive(Debug, Clone)]
pub struct LeftOutRows {
    /// The release in which they came.
    pub came: usize,
    /// The rows.
    pub rows: Release,
}

/// Rows whose statements about themselves contradict the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowContradiction {
    /// The release does not state in which release its rows came, although another release does.
    Silent(usize),
    /// Rows of the previous release state something else in this one.
    Changed(usize),
    /// New rows of this release state that they came in a release that the previous one contains.
    Late(usize),
}

impl RowChanges {
    /// From releases whose rows state nothing about themselves.
    pub fn of(releases: &[Release]) -> RowChanges {
        let (new, gone) = (differences(releases, false), differences(releases, true));
        RowChanges {
            new,
            gone,
            contradictions: Vec::new(),
            erased: Vec::new(),
        }
    }

    /// From releases of a chain of ours, each of which leaves these rows of earlier ones out;
    /// `None` if one of these rows does not exist.
    pub fn of_ours(releases: &[Release], erased: &[Vec<LeftOutRows>]) -> Option<RowChanges> {
        if erased.iter().all(Vec::is_empty) {
            return Some(RowChanges::of(releases));
        }
        let nothing = releases.first()?.beyond(releases.first()?);
        let mut growth = RowChanges {
            new: Vec::new(),
            gone: Vec::new(),
            contradictions: Vec::new(),
            erased: Vec::new(),
        };
        let (mut added, mut last) = (Vec::<Release>::new(), nothing);
        for (at, release) in releases.iter().enumerate() {
            let left_out = erased.get(at).cloned().unwrap_or_default();
            for LeftOutRows { came, rows } in &left_out {
                last = last.without(rows).filter(|_| rows.rows() > 0)?;
                added[*came] = added.get(*came)?.without(rows)?;
            }
            let new = release.beyond(&last);
            growth.gone.push(last.beyond(release));
            growth.erased.push(left_out);
            growth.new.push(new.clone());
            added.push(new);
            last = release.clone();
        }
        Some(growth)
    }

    /// The number of rows of earlier releases that a release leaves out as its notice says.
    pub fn erased_rows(&self, release: usize) -> u64 {
        self.erased
            .get(release)
            .into_iter()
            .flatten()
            .map(|left_out| left_out.rows.rows())
            .sum()
    }

    /// The rows of a release that a later one still has if every row that no notice names stays.
    pub fn left(&self, releases: &[Release], earlier: usize, later: usize) -> Release {
        assert!(
            earlier <= later && later < releases.len(),
            "releases in their order"
        );
        let between = self
            .erased
            .get(earlier + 1..=later)
            .into_iter()
            .flatten()
            .flatten();
        let known = between.filter(|left_out| left_out.came <= earlier);
        known.fold(releases[earlier].clone(), |left, left_out| {
            left.beyond(&left_out.rows)
        })
    }

    /// From releases whose rows may state in which release they came: that release is their
    /// increment, 0 if they state nothing. `labels` are the rows of `releases` on one dictionary.
    pub fn stated(releases: &[Release], labels: &[Histogram]) -> RowChanges {
        let stated: Vec<bool> = labels.iter().map(states).collect();
        if !stated.contains(&true) {
            return RowChanges::of(releases);
        }
        let silent =
            |(at, states): (usize, &bool)| (!states).then_some(RowContradiction::Silent(at));
        let mut contradictions: Vec<RowContradiction> =
            stated.iter().enumerate().filter_map(silent).collect();
        if !contradictions.is_empty() {
            return RowChanges {
                contradictions,
                ..RowChanges::of(releases)
            };
        }
        let apart: Vec<Release> = labels
            .iter()
            .map(|rows| Release::from_own_labels(&rows.by_increment()))
            .collect();
        let (new, gone) = (differences(&apart, false), differences(releases, true));
        for at in 1..apart.len() {
            let number =
                |release: &Release, class: usize| release.class(class)[release.width() - 1];
            let newest = (0..apart[at - 1].classes())
                .map(|class| number(&apart[at - 1], class))
                .max();
            if gone[at].classes() == 0 && apart[at - 1].beyond(&apart[at]).classes() > 0 {
                contradictions.push(RowContradiction::Changed(at));
            } else if (0..new[at].classes()).any(|class| Some(number(&new[at], class)) <= newest) {
                contradictions.push(RowContradiction::Late(at));
            }
        }
        RowChanges {
            new,
            gone,
            contradictions,
            erased: Vec::new(),
        }
    }
}

/// Whether rows state in which release they came.
pub(super) fn states(rows: &Histogram) -> bool {
    (0..rows.tuples()).any(|tuple| rows.cells_of(tuple).iter().any(|cell| cell.increment > 0))
}

/// For each release the rows that it has in addition to the previous one, or that it lacks
/// (`fewer`). In the first release all rows are new.
fn differences(releases: &[Release], fewer: bool) -> Vec<Release> {
    assert!(
        releases
            .windows(2)
            .all(|pair| pair[0].width() == pair[1].width()),
        "releases of one feed"
    );
    let of = |at: usize| match (at.checked_sub(1), fewer) {
        (None, false) => releases[0].clone(),
        (None, true) => releases[0].beyond(&releases[0]),
        (Some(before), false) => releases[at].beyond(&releases[before]),
        (Some(before), true) => releases[before].beyond(&releases[at]),
    };
    (0..releases.len()).into_par_iter().map(of).collect()
}
