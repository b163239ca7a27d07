//! What came and what went in the releases of a chain whose rows keep their labels (SCIENCE 11), as the releases themselves show it.
//! A column that says in which release a row came tells the same, of releases that are not at hand as well.

use rayon::prelude::*;

use crate::histogram::{Histogram, Release};

/// What releases show of rows that came and went.
#[derive(Debug)]
pub struct RowChanges {
    /// Per release the rows that the one before it has not; of each label, and of each release that rows say they came in, a
    /// class.
    pub new: Vec<Release>,
    /// Per release the rows of the one before it that are missing, or have another label or sensitive value.
    pub gone: Vec<Release>,
    /// What rows say of their release and tables contradict.
    pub contradictions: Vec<RowContradiction>,
    /// Per release the rows of earlier ones that it leaves out and that its notice names; empty if no release leaves any out.
    pub erased: Vec<Vec<LeftOutRows>>,
}

/// Rows that a release leaves out.
#[derive(Debug, Clone)]
pub struct LeftOutRows {
    /// The release that it came with.
    pub came: usize,
    /// Its rows.
    pub rows: Release,
}

/// Rows that say of themselves what the tables do not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowContradiction {
    /// The release does not say in which release its rows came, and another one does.
    Silent(usize),
    /// Rows of the release before say something else in this one.
    Changed(usize),
    /// New rows of this release say that they came in a release that the one before it holds already.
    Late(usize),
}

impl RowChanges {
    /// Of releases as they are, whose rows say nothing of themselves.
    pub fn of(releases: &[Release]) -> RowChanges {
        let (new, gone) = (differences(releases, false), differences(releases, true));
        RowChanges { new, gone, contradictions: Vec::new(), erased: Vec::new() }
    }

    /// Of releases of a chain of ours, each of which leaves these rows of earlier ones out; `None` if one of them is not there.
    pub fn of_ours(releases: &[Release], erased: &[Vec<LeftOutRows>]) -> Option<RowChanges> {
        if erased.iter().all(Vec::is_empty) {
            return Some(RowChanges::of(releases));
        }
        let nothing = releases.first()?.beyond(releases.first()?);
        let mut growth =
            RowChanges { new: Vec::new(), gone: Vec::new(), contradictions: Vec::new(), erased: Vec::new() };
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

    /// How many rows of earlier releases a release leaves out, and says so.
    pub fn erased_rows(&self, release: usize) -> u64 {
        self.erased.get(release).into_iter().flatten().map(|left_out| left_out.rows.rows()).sum()
    }

    /// What is left of a release in a later one, if every row stays that no notice names.
    pub fn left(&self, releases: &[Release], earlier: usize, later: usize) -> Release {
        assert!(earlier <= later && later < releases.len(), "releases in their order");
        let between = self.erased.get(earlier + 1..=later).into_iter().flatten().flatten();
        let known = between.filter(|left_out| left_out.came <= earlier);
        known.fold(releases[earlier].clone(), |left, left_out| left.beyond(&left_out.rows))
    }

    /// Of releases whose rows may say in which release they came: their increment, 0 where they say nothing. `labels` are the rows
    /// of `releases` on one dictionary.
    pub fn stated(releases: &[Release], labels: &[Histogram]) -> RowChanges {
        let stated: Vec<bool> = labels.iter().map(states).collect();
        if !stated.contains(&true) {
            return RowChanges::of(releases);
        }
        let silent = |(at, states): (usize, &bool)| (!states).then_some(RowContradiction::Silent(at));
        let mut contradictions: Vec<RowContradiction> = stated.iter().enumerate().filter_map(silent).collect();
        if !contradictions.is_empty() {
            return RowChanges { contradictions, ..RowChanges::of(releases) };
        }
        let apart: Vec<Release> = labels.iter().map(|rows| Release::from_own_labels(&rows.by_increment())).collect();
        let (new, gone) = (differences(&apart, false), differences(releases, true));
        for at in 1..apart.len() {
            let number = |release: &Release, class: usize| release.class(class)[release.width() - 1];
            let newest = (0..apart[at - 1].classes()).map(|class| number(&apart[at - 1], class)).max();
            if gone[at].classes() == 0 && apart[at - 1].beyond(&apart[at]).classes() > 0 {
                contradictions.push(RowContradiction::Changed(at));
            } else if (0..new[at].classes()).any(|class| Some(number(&new[at], class)) <= newest) {
                contradictions.push(RowContradiction::Late(at));
            }
        }
        RowChanges { new, gone, contradictions, erased: Vec::new() }
    }
}

/// Whether rows say in which release they came.
pub fn states(rows: &Histogram) -> bool {
    (0..rows.tuples()).any(|tuple| rows.cells_of(tuple).iter().any(|cell| cell.increment > 0))
}

/// Per release the rows that it has more than the one before it, or fewer. Everything is new in the first one.
fn differences(releases: &[Release], fewer: bool) -> Vec<Release> {
    assert!(releases.windows(2).all(|pair| pair[0].width() == pair[1].width()), "releases of one feed");
    let of = |at: usize| match (at.checked_sub(1), fewer) {
        (None, false) => releases[0].clone(),
        (None, true) => releases[0].beyond(&releases[0]),
        (Some(before), false) => releases[at].beyond(&releases[before]),
        (Some(before), true) => releases[before].beyond(&releases[at]),
    };
    (0..releases.len()).into_par_iter().map(of).collect()
}
