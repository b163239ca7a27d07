//! Median cuts: the rows of a region are halved in the column with the largest spread, as long as
//! both halves have k rows.

use super::points::Points;

/// Groups of `k` to 2k - 1 rows, the lower half of each cut first; rows in a group ascend. With
/// fewer than `k` rows there is one group. A point that stands for several rows is in one group
/// with all of them: the cut is as near to the median as that allows, and if no cut in the column
/// with the largest spread leaves `k` rows on both sides, the next column is tried.
///
/// # Panics
/// If `k` is 0.
pub fn mondrian(points: &Points, k: usize) -> Vec<Vec<usize>> {
    mondrian_where(points, k, &|_| true)
}

/// The same with a condition on groups: among the cuts of a column that leave `k` rows and an
/// accepted group on both sides, the one that is nearest to the median. The points of a group are
/// passed in any order.
///
/// # Panics
/// If `k` is 0.
pub fn mondrian_where(
    points: &Points,
    k: usize,
    admits: &dyn Fn(&[usize]) -> bool,
) -> Vec<Vec<usize>> {
    assert!(k >= 1, "a group has at least one row");
    assert!(k > 0, "groups have at least one row");
    let whole = spread(points, &(0..points.len()).collect::<Vec<_>>());
    let mut groups = Vec::new();
    let mut regions: Vec<Vec<usize>> = vec![(0..points.len()).collect()];
    while let Some(mut region) = regions.pop() {
        let spread = spread(points, &region);
        let cut = widest_first(&spread, &whole)
            .into_iter()
            .find_map(|column| {
                region.sort_unstable_by(|&one, &other| {
                    points.at(one)[column]
                        .total_cmp(&points.at(other)[column])
                        .then(one.cmp(&other))
                });
                median(points, &region, k as u64, admits)
            });
        match cut {
            Some(cut) => {
                let upper = region.split_off(cut);
                regions.extend([upper, region]);
            }
            None => {
                region.sort_unstable();
                groups.extend(Some(region).filter(|region| !region.is_empty()));
            }
        }
    }
    groups
}

/// The number of points below the cut that is nearest to the median of a sorted region, the first
/// of two that are equally near; `None` if no cut leaves `k` rows and an accepted group on both
/// sides.
fn median(
    points: &Points,
    region: &[usize],
    k: u64,
    admits: &dyn Fn(&[usize]) -> bool,
) -> Option<usize> {
    let all: u64 = region.iter().map(|&row| points.weight(row)).sum();
    let below = region.iter().scan(0, |below, &row| {
        *below += points.weight(row);
        Some(*below)
    });
    let mut cuts: Vec<(usize, u64)> = (1..)
        .zip(below)
        .filter(|(_, below)| *below >= k && all - below >= k)
        .collect();
    cuts.sort_by_key(|(_, below)| (2 * below).abs_diff(all));
    cuts.into_iter()
        .map(|(cut, _)| cut)
        .find(|&cut| admits(&region[..cut]) && admits(&region[cut..]))
}

/// The spread of each column over some rows.
fn spread(points: &Points, rows: &[usize]) -> Vec<f64> {
    assert!(!rows.is_empty(), "a region has rows");
    let column = |column: usize| {
        let numbers = || rows.iter().map(|&row| points.at(row)[column]);
        numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min)
    };
    (0..points.dimensions()).map(column).collect()
}

/// The columns, ordered by their spread relative to that over all rows, the largest first.
fn widest_first(spread: &[f64], whole: &[f64]) -> Vec<usize> {
    assert_eq!(spread.len(), whole.len(), "a spread for each dimension");
    let part = |column: usize| {
        if whole[column] > 0.0 {
            spread[column] / whole[column]
        } else {
            0.0
        }
    };
    let mut columns: Vec<usize> = (0..spread.len()).collect();
    columns.sort_by(|&one, &other| part(other).total_cmp(&part(one)));
    columns
}
