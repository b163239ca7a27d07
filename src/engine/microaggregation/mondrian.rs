//! Median cuts: the rows of a region are halved in the column in which they are spread most, as long as both halves have k.

use super::points::Points;

/// Groups of `k` to 2k - 1 rows, the lower half of each cut first; rows in a group ascend. With fewer than `k` rows there is one group.
///
/// # Panics
/// `k` is 0.
pub fn mondrian(points: &Points, k: usize) -> Vec<Vec<usize>> {
    assert!(k > 0, "groups have a row at least");
    let whole = spread(points, &(0..points.len()).collect::<Vec<_>>());
    let mut groups = Vec::new();
    let mut regions: Vec<Vec<usize>> = vec![(0..points.len()).collect()];
    while let Some(mut region) = regions.pop() {
        if region.len() < 2 * k {
            region.sort_unstable();
            groups.extend(Some(region).filter(|region| !region.is_empty()));
            continue;
        }
        let column = widest(&spread(points, &region), &whole);
        region.sort_unstable_by(|&one, &other| {
            points.at(one)[column].total_cmp(&points.at(other)[column]).then(one.cmp(&other))
        });
        let upper = region.split_off(region.len() / 2);
        regions.extend([upper, region]);
    }
    groups
}

/// The spread of each column over some rows.
fn spread(points: &Points, rows: &[usize]) -> Vec<f64> {
    let column = |column: usize| {
        let numbers = || rows.iter().map(|&row| points.at(row)[column]);
        numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min)
    };
    (0..points.dimensions()).map(column).collect()
}

/// The first column of those whose spread is the largest part of what it is over all rows.
fn widest(spread: &[f64], whole: &[f64]) -> usize {
    let part = |column: usize| if whole[column] > 0.0 { spread[column] / whole[column] } else { 0.0 };
    (0..spread.len()).reduce(|best, column| if part(column) > part(best) { column } else { best }).unwrap_or(0)
}
