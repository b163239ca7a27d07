//! Spreads the rows of a table over the counts of a question, by a fit of profiles.

use std::ops::Range;

use super::classes::{CountedClass, CountedClasses};
use super::pieces::AxisPieces;
use super::profiles::{ProfileShares, Profiles, RowPlaces, add, each};
use super::question::Question;

/// A question about the classes of a table.
pub(super) struct ClassCounts<'q> {
    question: &'q Question,
    axes: Vec<AxisPieces>,
    /// The classes whose counts are uncertain, each with the groups of each axis that its rows may
    /// be in.
    open: Vec<(&'q CountedClass, Vec<Range<usize>>)>,
    /// The certain rows of each count.
    low: Vec<u64>,
    /// The possible rows of each count.
    high: Vec<u64>,
}

impl<'q> ClassCounts<'q> {
    /// Prepares a question; `None` if the classes and counts together exceed the limit.
    pub(super) fn of(
        classes: &'q CountedClasses,
        question: &'q Question,
        most: usize,
    ) -> Option<ClassCounts<'q>> {
        let axes: Vec<AxisPieces> = question
            .axes
            .iter()
            .map(|axis| AxisPieces::of(axis, &classes.cells[axis.column]))
            .collect();
        let (mut open, mut low, mut work) = (Vec::new(), vec![0; question.cells()], 0usize);
        let mut high = low.clone();
        for class in &classes.all {
            let (may, must): (Vec<Range<usize>>, Vec<bool>) =
                axes.iter().map(|axis| axis.groups_of(class)).unzip();
            let cells = may.iter().map(ExactSizeIterator::len).product::<usize>();
            work = work.saturating_add(cells.saturating_mul(class.values.len()));
            if work > most {
                return None;
            }
            let certain = must.iter().all(|must| *must);
            for &(value, rows) in &class.values {
                let Some(group) = question.values[value] else {
                    continue;
                };
                each_cell(&axes, &may, |cell| {
                    high[cell * question.groups + group] += rows;
                    low[cell * question.groups + group] += if certain { rows } else { 0 };
                });
            }
            if !certain && cells > 0 {
                open.push((class, may));
            }
        }
        Some(ClassCounts {
            question,
            axes,
            open,
            low,
            high,
        })
    }

    /// The smallest and the largest possible value of each count.
    pub(super) fn bounds(&self) -> (&[u64], &[u64]) {
        (&self.low, &self.high)
    }

    /// The estimates of a fit, and their variances if every row were placed independently with the
    /// shares of the fit.
    pub(super) fn spread(&self, profiles: &Profiles) -> (Vec<f64>, Vec<f64>) {
        let groups = self.question.groups;
        let sums: Vec<Vec<ProfileShares>> =
            self.axes.iter().map(|axis| axis.sums(profiles)).collect();
        let mut estimates: Vec<f64> = self.low.iter().map(|&rows| rows as f64).collect();
        let mut variances = vec![0.0; estimates.len()];
        let mut of_groups: Vec<(f64, ProfileShares)> = vec![(0.0, [0.0; _]); groups];
        for (class, may) in &self.open {
            let placed = profiles.place(class);
            of_groups.fill((0.0, [0.0; _]));
            profiles.rows_of(class, &placed, |value, rows| {
                let group = self.question.values[value].map(|group| &mut of_groups[group]);
                group.into_iter().for_each(|(all, sum)| {
                    *all += rows.iter().sum::<f64>();
                    add(sum, rows);
                });
                false
            });
            let shares = self.shares(class, (&placed, may), &sums);
            for (group, (all, rows)) in of_groups
                .iter()
                .enumerate()
                .filter(|(_, (all, _))| *all > 0.0)
            {
                self.each(may, &shares, (0, 0, *rows), &mut |cell, rows| {
                    let rows = rows.min(*all);
                    estimates[cell * groups + group] += rows;
                    variances[cell * groups + group] += rows * (1.0 - rows / all);
                });
            }
        }
        let within = |(at, &rows): (usize, &f64)| {
            let (low, high) = (self.low[at] as f64, self.high[at] as f64);
            low <= rows && rows <= high + 1e-6 * (1.0 + high)
        };
        assert!(
            estimates.iter().enumerate().all(within),
            "an estimate is no less than is certain, and no more than is possible"
        );
        (estimates, variances)
    }

    /// For each axis the share of each group that the rows of a class may be in.
    fn shares(
        &self,
        class: &CountedClass,
        (placed, may): (&RowPlaces, &[Range<usize>]),
        sums: &[Vec<ProfileShares>],
    ) -> Vec<Vec<ProfileShares>> {
        let axes = self.axes.iter().zip(sums).zip(may);
        axes.map(|((axis, sums), may)| {
            let share = |group| placed.share(axis.column, axis.of_group(group, class, sums));
            may.clone().map(share).collect()
        })
        .collect()
    }

    /// The rows in each combination of groups, beginning with the groups of one axis at an index of
    /// the answer.
    fn each(
        &self,
        may: &[Range<usize>],
        shares: &[Vec<ProfileShares>],
        (axis, place, rows): (usize, usize, ProfileShares),
        found: &mut impl FnMut(usize, f64),
    ) {
        let Some(pieces) = self.axes.get(axis) else {
            return found(place, rows.iter().sum());
        };
        for (group, share) in may[axis].clone().zip(&shares[axis]) {
            let inside: ProfileShares = each(|profile| rows[profile] * share[profile]);
            self.each(
                may,
                shares,
                (axis + 1, place * pieces.groups + group, inside),
                found,
            );
        }
    }
}

/// The indices of the combinations of these groups.
fn each_cell(axes: &[AxisPieces], may: &[Range<usize>], mut found: impl FnMut(usize)) {
    let mut places = vec![0];
    for (axis, groups) in axes.iter().zip(may) {
        places = places
            .iter()
            .flat_map(|place| groups.clone().map(move |group| place * axis.groups + group))
            .collect();
    }
    places.into_iter().for_each(&mut found);
}
