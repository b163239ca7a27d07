//! Intervals for numbers of which most are small compared with the largest, such as costs and
//! lengths of stay (CONTRACTS 3, `init`). If all intervals had one width, one of them would contain
//! most rows, and its label would say nothing to readers. These intervals are narrower where a
//! sample has more rows. Their ends are round numbers, and each divides an interval into parts of
//! at least ten rows; no value of the sample is written.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The share of rows in the fullest of the intervals of one width above which they are not
/// informative enough.
const MOST_IN_ONE: f64 = 0.5;
/// The smallest number of rows on each side of an end.
const FEWEST_ROWS: u64 = 10;
/// The most intervals, and their groups. Each group has two intervals: three or more would be
/// divided by how many numbers they contain, and nearly all rows would be in the part with few
/// numbers.
const GROUPED: [(usize, &[i64]); 2] = [(16, &[2, 2, 2, 2]), (8, &[2, 2, 2])];

/// The ends of such intervals between the first and the last of `equal`, which have one width, and
/// their groups. `None` if rows are spread well over `equal`, or too few numbers are known for
/// another division.
pub(super) fn edges(rows: &BTreeMap<i64, u64>, equal: &[i64]) -> Option<(Vec<i64>, Vec<i64>)> {
    let (&low, &high) = (equal.first()?, equal.last()?);
    let sums = rows.iter().scan(0, |sum, (&number, rows)| {
        *sum += rows;
        Some((number, *sum))
    });
    let sums: Vec<(i64, u64)> = sums.collect();
    let below = |end: i64| match sums.partition_point(|(number, _)| *number < end) {
        0 => 0,
        at => sums[at - 1].1,
    };
    let count = |from: i64, to: i64| below(to) - below(from);
    let fullest = equal.windows(2).map(|ends| count(ends[0], ends[1])).max()?;
    if equal[1] - low < 2 || fullest as f64 <= MOST_IN_ONE * count(low, high) as f64 {
        return None;
    }
    let round = round_numbers(low, high);
    // An interval with its rows, and the end that minimises the larger part. The fullest one is
    // divided repeatedly.
    let best = |low: i64, high: i64| {
        let all = count(low, high);
        let between = round
            .iter()
            .copied()
            .filter(|&edge| low < edge && edge < high);
        let larger = between.map(|edge| (count(low, edge).max(all - count(low, edge)), edge));
        larger
            .min()
            .filter(|(larger, _)| all - larger >= FEWEST_ROWS)
            .map(|(_, edge)| (all, low, edge, high))
    };
    let mut inner = Vec::new();
    let mut open: Vec<_> = best(low, high).into_iter().collect();
    while inner.len() + 1 < GROUPED[0].0 {
        let Some(at) = (0..open.len()).max_by_key(|&at| (open[at].0, Reverse(open[at].1))) else {
            break;
        };
        let (_, low, edge, high) = open.swap_remove(at);
        inner.push(edge);
        open.extend(best(low, edge).into_iter().chain(best(edge, high)));
    }
    let (leaves, layers) = GROUPED
        .iter()
        .find(|(leaves, _)| *leaves <= inner.len() + 1)?;
    inner.truncate(leaves - 1);
    inner.extend([low, high]);
    inner.sort_unstable();
    Some((inner, layers.to_vec()))
}

/// Makes room for numbers twice as far from zero as any of the sample: later numbers are often
/// larger than all before.
pub(super) fn widen(edges: &mut [i64], min: i64, max: i64) {
    let twice = |number: i64| {
        let twice = number.checked_mul(2)?;
        round_sizes().find(|&size| size >= twice)
    };
    let [first, .., last] = edges else { return };
    *last = twice(max).map_or(*last, |end| end.max(*last));
    *first = min
        .checked_neg()
        .filter(|_| min < 0)
        .and_then(twice)
        .map_or(*first, |end| (-end).min(*first));
}

/// Zero, and round numbers of both signs.
fn round_numbers(low: i64, high: i64) -> Vec<i64> {
    let all = round_sizes().flat_map(|size| [size, -size]).chain([0]);
    all.filter(|&number| low < number && number < high)
        .collect()
}

/// Numbers with one or two digits before their zeros, about ten for each length, in order.
fn round_sizes() -> impl Iterator<Item = i64> {
    let powers = std::iter::successors(Some(1i64), |power| power.checked_mul(10));
    powers.flat_map(|power| {
        let digits = match power {
            1 => &[1, 2, 3, 4, 5, 6, 7, 8, 9][..],
            _ => &[10, 12, 15, 20, 25, 30, 40, 50, 60, 80][..],
        };
        let power = (power / 10).max(1);
        digits
            .iter()
            .filter_map(move |digits| power.checked_mul(*digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(width: i64) -> Vec<i64> {
        (0..=16).map(|at| at * width).collect()
    }

    #[test]
    fn numbers_with_a_long_tail_have_narrow_intervals_where_the_rows_are() {
        // Half as many rows for each doubling: 1, 2, …, 9 have most of them, 7,900 the fewest.
        let rows: BTreeMap<i64, u64> = (1..7_900)
            .map(|number| (number, 1_000_000 / (number * number) as u64 + 1))
            .collect();
        let (edges, layers) =
            edges(&rows, &equal(500)).expect("one of the equal intervals holds nearly all rows");
        assert_eq!(layers.iter().product::<i64>() as usize, edges.len() - 1);
        assert_eq!((edges[0], edges[edges.len() - 1]), (0, 8_000));
        assert!(edges.is_sorted_by(|one, next| one < next));
        assert!(
            edges.starts_with(&[0, 2, 3, 4]),
            "numbers that stand alone are where most rows are: {edges:?}"
        );
        for pair in edges.windows(2) {
            assert!(
                rows.range(pair[0]..pair[1])
                    .map(|(_, rows)| rows)
                    .sum::<u64>()
                    >= FEWEST_ROWS
            );
        }
    }

    #[test]
    fn a_value_of_most_rows_is_a_group_and_the_others_are_divided() {
        let zeros = (0, 90_000);
        let rows = (1..=10_000).map(|at| (at * 10, 1)).chain([zeros]).collect();
        let (edges, _) = edges(&rows, &equal(10_000)).expect("nine of ten rows are zero");
        assert!(edges.starts_with(&[0, 1]), "{edges:?}");
        assert!(edges.len() > 8);
    }

    #[test]
    fn evenly_spread_numbers_and_small_samples_keep_intervals_of_one_width() {
        let even = (0..8_000).map(|number| (number, 1)).collect();
        assert!(edges(&even, &equal(500)).is_none());
        // Seventy rows cannot have ten in each of eight intervals.
        let few = (0..70).map(|number| (number, 1)).collect();
        assert!(edges(&few, &equal(500)).is_none());
        // Single numbers cannot be divided.
        let ten = (0..10).map(|number| (number, 1 << number)).collect();
        assert!(edges(&ten, &equal(1)).is_none());
    }

    #[test]
    fn the_next_number_may_be_twice_as_large() {
        let widened = |min, max| {
            let mut edges = [-16, 0, 5, 80];
            widen(&mut edges, min, max);
            [edges[0], edges[3]]
        };
        assert_eq!(widened(0, 70), [-16, 150]);
        assert_eq!(widened(-15, 75), [-30, 150]);
        assert_eq!(widened(-3, 5), [-16, 80], "no room is taken away");
        assert_eq!(widened(i64::MIN, i64::MAX), [-16, 80]);
        assert_eq!(
            widened(0, i64::MAX / 2 - 1),
            [-16, 80],
            "there is no rounder number above it"
        );
    }

    #[test]
    fn numbers_of_both_signs_and_of_any_size_have_round_ends() {
        assert_eq!(round_numbers(-3, 3).len(), 5);
        let most = round_numbers(i64::MIN, i64::MAX);
        assert!(
            most.contains(&8_000_000_000_000_000_000) && most.contains(&-120),
            "{}",
            most.len()
        );
        let rows: BTreeMap<i64, u64> = (-4_000..=40)
            .map(|number| (number, if number > -40 { 1_000 } else { 1 }))
            .collect();
        let (edges, _) = edges(
            &rows,
            &(-16..=0).map(|at| at * 300 + 150).collect::<Vec<_>>(),
        )
        .expect("skewed");
        assert!(edges.contains(&-40) && edges.contains(&40), "{edges:?}");
    }
}
