//! The leaves that a predicate selects. It names values by labels of any level; numbers and dates
//! also by the first and the last value that a leaf stands for, because analysts think in numbers
//! and not in labels.

use std::ops::Range;

use super::super::column::DateLevel;
use super::super::forms::dates;
use super::super::leaf::whole_number;
use super::super::taxonomy::{Leaf, Taxonomy};
use super::text::{ColumnCondition, Condition, Literal};

/// Why a predicate selects no leaves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLeaves {
    /// Neither a label nor a number or a date inside one.
    #[error("`{0}` is not a label of this column, and no label stands for it")]
    Unknown(String),
    /// Rows under this label cannot be distinguished.
    #[error("`{inside}` is inside `{leaf}`, which is the finest label here: use the whole label")]
    Inside {
        /// The requested value.
        inside: String,
        /// The leaf.
        leaf: String,
    },
    /// `null`: no row lacks a label.
    #[error("every row has a label, so none is `null`")]
    Null,
    /// The second value comes before the first.
    #[error("`{second}` comes before `{first}` in this column")]
    Backwards {
        /// The first value.
        first: String,
        /// The second value.
        second: String,
    },
}

impl Condition {
    /// The leaves of a quasi column that are selected: one range for each value of a list, or one
    /// from the first to the last.
    ///
    /// # Errors
    /// A value selects no leaves, or only a part of one.
    pub fn leaves(&self, tree: &Taxonomy) -> Result<Vec<Range<Leaf>>, NoLeaves> {
        match &self.wanted {
            ColumnCondition::OneOf(list) => list
                .iter()
                .map(|literal| text(literal).and_then(|text| leaves(tree, text, text)))
                .collect(),
            ColumnCondition::Between(first, last) => {
                Ok(vec![leaves(tree, text(first)?, text(last)?)?])
            }
        }
    }
}

fn text(literal: &Literal) -> Result<&str, NoLeaves> {
    match literal {
        Literal::Text(text) => Ok(text),
        Literal::Null => Err(NoLeaves::Null),
    }
}

/// The leaves from the first of one text to the last of another.
fn leaves(tree: &Taxonomy, first: &str, last: &str) -> Result<Range<Leaf>, NoLeaves> {
    let (from, to) = (meant(tree, first)?, meant(tree, last)?);
    if to.leaves.start < from.leaves.start || to.leaves.end < from.leaves.end {
        return Err(NoLeaves::Backwards {
            first: first.to_owned(),
            second: last.to_owned(),
        });
    }
    for (text, meant, whole) in [(first, &from, from.begins), (last, &to, to.ends)] {
        if !whole {
            let leaf = tree.label(tree.leaf_node(meant.leaves.start)).to_owned();
            return Err(NoLeaves::Inside {
                inside: text.to_owned(),
                leaf,
            });
        }
    }
    assert!(
        from.leaves.start < to.leaves.end && to.leaves.end as usize <= tree.leaves(),
        "some leaves of the column"
    );
    Ok(from.leaves.start..to.leaves.end)
}

/// Leaves, and whether the text names the first and the last value that they stand for.
struct MeantLeaves {
    leaves: Range<Leaf>,
    begins: bool,
    ends: bool,
}

fn meant(tree: &Taxonomy, text: &str) -> Result<MeantLeaves, NoLeaves> {
    if let Some(node) = tree.find(text) {
        return Ok(MeantLeaves {
            leaves: tree.leaf_range(node),
            begins: true,
            ends: true,
        });
    }
    let found = number(tree, text).or_else(|| date(tree, text));
    found.ok_or_else(|| NoLeaves::Unknown(text.to_owned()))
}

/// A number in an interval `[30, 40[`.
fn number(tree: &Taxonomy, text: &str) -> Option<MeantLeaves> {
    let value = whole_number(text)?;
    (0..tree.leaves() as Leaf).find_map(|leaf| {
        let (from, to) = interval(tree.label(tree.leaf_node(leaf)))?;
        let inside = from <= value && value < to;
        inside.then(|| MeantLeaves {
            leaves: leaf..leaf + 1,
            begins: value == from,
            ends: value == to - 1,
        })
    })
}

fn interval(label: &str) -> Option<(i64, i64)> {
    let (from, to) = label
        .strip_prefix('[')?
        .strip_suffix('[')?
        .split_once(", ")?;
    Some((whole_number(from)?, whole_number(to)?))
}

/// A day in a month, a quarter, a year or a decade.
fn date(tree: &Taxonomy, text: &str) -> Option<MeantLeaves> {
    let day = dates::parse(text)?;
    [
        DateLevel::Month,
        DateLevel::Quarter,
        DateLevel::Year,
        DateLevel::Decade,
    ]
    .into_iter()
    .find_map(|level| {
        let label = level.label(day);
        let leaf = tree.find_leaf(&label)?;
        assert!((leaf as usize) < tree.leaves(), "a leaf of the column");
        let other = |day: i32| level.label(day) != label;
        Some(MeantLeaves {
            leaves: leaf..leaf + 1,
            begins: other(day - 1),
            ends: other(day + 1),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    fn tree(inner: &str, leaves: &[&str]) -> Taxonomy {
        let mut tree = Tree::new("*");
        let above = tree.add(0, inner, 1);
        leaves.iter().for_each(|leaf| _ = tree.add(above, leaf, 1));
        tree.add(0, "unknown", 1);
        tree.finish().unwrap()
    }

    #[test]
    fn labels_numbers_and_dates_mean_leaves() {
        let ages = tree("[0, 60[", &["[0, 30[", "[30, 60["]);
        let dates = tree("2024", &["2024-01", "2024-02", "2024-03"]);
        let ones = tree("1-3", &["1", "2", "3"]);
        for (tree, first, last, wanted) in [
            (&ages, "[0, 60[", "[0, 60[", 0..2),
            (&ages, "0", "59", 0..2),
            (&ages, "30", "59", 1..2),
            (&ages, "30", "unknown", 1..3),
            (&dates, "2024-02-01", "2024-02-29", 1..2),
            (&dates, "2024-01", "2024-02-29", 0..2),
            (&dates, "2024", "2024", 0..3),
            (&ones, "2", "3", 1..3),
            (&ones, "*", "*", 0..4),
        ] {
            assert_eq!(leaves(tree, first, last), Ok(wanted), "{first} to {last}");
        }
        let inside = |inside: &str, leaf: &str| NoLeaves::Inside {
            inside: inside.into(),
            leaf: leaf.into(),
        };
        assert_eq!(leaves(&ages, "31", "59"), Err(inside("31", "[30, 60[")));
        assert_eq!(leaves(&ages, "30", "58"), Err(inside("58", "[30, 60[")));
        assert_eq!(leaves(&ages, "30", "30"), Err(inside("30", "[30, 60[")));
        assert_eq!(
            leaves(&dates, "2024-02-01", "2024-02-28"),
            Err(inside("2024-02-28", "2024-02"))
        );
        assert_eq!(
            leaves(&ages, "60", "60"),
            Err(NoLeaves::Unknown("60".into()))
        );
        let backwards = NoLeaves::Backwards {
            first: "3".into(),
            second: "2".into(),
        };
        assert_eq!(leaves(&ones, "3", "2"), Err(backwards));
    }
}
