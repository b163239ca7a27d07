//! Rows per sensitive value (SCIENCE 1: the groups of a class), ascending by value, and the sums of
//! minima from which every figure of BCF is computed.
//!
//! Nothing here prints a value.

use crate::histogram::{Release, ValueCode};

/// Rows per sensitive value, ascending by value; no count is 0.
pub(super) type Groups = Vec<(ValueCode, u64)>;

/// The groups of a class of a release.
pub(super) fn of(release: &Release, class: usize) -> Groups {
    let range = release.range(class);
    release.values()[range.clone()]
        .iter()
        .copied()
        .zip(release.counts()[range].iter().copied())
        .collect()
}

/// The sum of groups, value by value.
pub(super) fn sum<'g>(all: impl IntoIterator<Item = &'g Groups>) -> Groups {
    let mut groups: Groups = all.into_iter().flatten().copied().collect();
    groups.sort_unstable_by_key(|&(value, _)| value);
    groups.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    groups
}

/// `more` minus `less`, value by value.
pub(super) fn minus(more: &Groups, less: &Groups) -> Groups {
    assert!(rows(more) >= rows(less), "a part of the rows is taken away");
    let mut less = less.iter().copied().peekable();
    let mut left = Groups::with_capacity(more.len());
    for &(value, rows) in more {
        let taken = less
            .next_if(|&(other, _)| other == value)
            .map_or(0, |(_, rows)| rows);
        let rows = rows
            .checked_sub(taken)
            .expect("a later release holds the rows of the earlier one");
        if rows > 0 {
            left.push((value, rows));
        }
    }
    assert!(
        less.next().is_none(),
        "a later release holds the values of the earlier one"
    );
    left
}

/// The minimum of two groups, value by value.
pub(super) fn least(a: &Groups, b: &Groups) -> Groups {
    let mut least = Groups::with_capacity(a.len().min(b.len()));
    each_common(a, b, |value, rows| {
        least.push((value, rows));
        true
    });
    least
}

/// Σ over the values of the minimum of both counts; stops counting at `enough`.
pub(super) fn shared(a: &Groups, b: &Groups, enough: u64) -> u64 {
    let mut sum = 0;
    each_common(a, b, |_, rows| {
        sum += rows;
        sum < enough
    });
    sum
}

/// The number of rows in all groups.
pub(super) fn rows(groups: &Groups) -> u64 {
    assert!(
        groups.is_sorted_by(|one, next| one.0 < next.0),
        "values in their order, each once"
    );
    groups.iter().map(|&(_, rows)| rows).sum()
}

/// Calls `take` with each common value and the smaller of its two counts, until `take` returns
/// false.
fn each_common(a: &Groups, b: &Groups, mut take: impl FnMut(ValueCode, u64) -> bool) {
    let (mut at_a, mut at_b) = (0, 0);
    while let (Some(&(of_a, rows_a)), Some(&(of_b, rows_b))) = (a.get(at_a), b.get(at_b)) {
        if of_a == of_b && !take(of_a, rows_a.min(rows_b)) {
            return;
        }
        at_a += usize::from(of_a <= of_b);
        at_b += usize::from(of_b <= of_a);
    }
}
