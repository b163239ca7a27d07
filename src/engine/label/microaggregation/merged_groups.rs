//! Groups that are merged until none of their sums is sensitive (dynamic k).

use super::points::{Points, distance};

/// The groups after merging.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedGroups {
    /// The groups; rows in each ascend.
    pub groups: Vec<Vec<usize>>,
    /// The number of merges.
    pub merges: usize,
    /// Rows of sensitive groups that could not grow any more: they are in no group.
    pub removed: Vec<usize>,
}

/// Merges the first sensitive group with the one whose mean is nearest, until no group is
/// sensitive. With `most` no group stands for more rows than that: a sensitive group that cannot
/// grow is removed. Without it a sensitive group stays if it is the only one.
pub fn until_safe(
    groups: Vec<Vec<usize>>,
    points: &Points,
    most: Option<usize>,
    is_sensitive: &dyn Fn(&[usize]) -> bool,
) -> MergedGroups {
    until_safe_where(groups, points, most, is_sensitive, &|_| true)
}

/// The same, without forming a group that `admits` does not accept.
pub fn until_safe_where(
    groups: Vec<Vec<usize>>,
    points: &Points,
    most: Option<usize>,
    is_sensitive: &dyn Fn(&[usize]) -> bool,
    admits: &dyn Fn(&[usize]) -> bool,
) -> MergedGroups {
    let most = most.map(|most| most as u64);
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|rows| Group::new(rows, points, is_sensitive))
        .collect();
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
    MergedGroups {
        groups: groups.into_iter().map(|group| group.rows).collect(),
        merges,
        removed,
    }
}

struct Group {
    rows: Vec<usize>,
    mean: Vec<f64>,
    weight: u64,
    sensitive: bool,
}

impl Group {
    fn new(
        mut rows: Vec<usize>,
        points: &Points,
        is_sensitive: &dyn Fn(&[usize]) -> bool,
    ) -> Group {
        rows.sort_unstable();
        let (mean, sensitive) = (points.mean(rows.iter().copied()), is_sensitive(&rows));
        let weight = rows.iter().map(|&row| points.weight(row)).sum();
        Group {
            rows,
            mean,
            weight,
            sensitive,
        }
    }
}
