//! Groups that grow until no sum of theirs gives too much away (dynamic k).

use super::points::{Points, distance};

/// Groups after some were merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedGroups {
    /// The groups; rows in each ascend.
    pub groups: Vec<Vec<usize>>,
    /// How often two became one.
    pub merges: usize,
    /// Rows of groups that gave too much away and could not grow any more: they are in no group.
    pub removed: Vec<usize>,
}

/// Merges the first group that is sensitive with the one whose mean is nearest, until none is. With `most` no group stands for more rows
/// than that: a sensitive group that cannot grow is removed. Without it a group that is all there is stays.
pub fn until_safe(
    groups: Vec<Vec<usize>>,
    points: &Points,
    most: Option<usize>,
    is_sensitive: &dyn Fn(&[usize]) -> bool,
) -> MergedGroups {
    until_safe_where(groups, points, most, is_sensitive, &|_| true)
}

/// The same, making no group that is not admitted.
pub fn until_safe_where(
    groups: Vec<Vec<usize>>,
    points: &Points,
    most: Option<usize>,
    is_sensitive: &dyn Fn(&[usize]) -> bool,
    admits: &dyn Fn(&[usize]) -> bool,
) -> MergedGroups {
    let most = most.map(|most| most as u64);
    let mut groups: Vec<Group> = groups.into_iter().map(|rows| Group::new(rows, points, is_sensitive)).collect();
    let (mut merges, mut removed) = (0, Vec::new());
    while let Some(at) = groups.iter().position(|group| group.sensitive) {
        let fits = |other: &Group| {
            let both = || [&groups[at].rows[..], &other.rows].concat();
            most.is_none_or(|most| groups[at].weight + other.weight <= most) && admits(&both())
        };
        let near = (0..groups.len()).filter(|&other| other != at && fits(&groups[other]));
        let near = near
            .map(|other| (distance(&groups[at].mean, &groups[other].mean), other))
            .min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        match near {
            Some((_, other)) => {
                let mut rows = std::mem::take(&mut groups[at].rows);
                rows.append(&mut groups[other].rows);
                groups[at] = Group::new(rows, points, is_sensitive);
                groups.remove(other);
                merges += 1;
            }
            None if most.is_some() => removed.append(&mut groups.remove(at).rows),
            None => break,
        }
    }
    removed.sort_unstable();
    MergedGroups { groups: groups.into_iter().map(|group| group.rows).collect(), merges, removed }
}

struct Group {
    rows: Vec<usize>,
    mean: Vec<f64>,
    weight: u64,
    sensitive: bool,
}

impl Group {
    fn new(mut rows: Vec<usize>, points: &Points, is_sensitive: &dyn Fn(&[usize]) -> bool) -> Group {
        rows.sort_unstable();
        let (mean, sensitive) = (points.mean(rows.iter().copied()), is_sensitive(&rows));
        let weight = rows.iter().map(|&row| points.weight(row)).sum();
        Group { rows, mean, weight, sensitive }
    }
}
