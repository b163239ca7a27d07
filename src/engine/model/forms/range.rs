//! The form `range` (CONTRACTS 2): a range of integers, divided into halves down to single values.
//! For an odd number of values the lower half has one more.

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{TaxonomyForm, TaxonomyTable};
use crate::taxonomy::MOST_NODES;
use crate::{Domain, Kind, LeafRule, Tree};

/// Integers `range[0]..=range[1]`.
pub(super) fn build(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let refused = |text: String| FormError::new("range", text);
    let &[min, max] = needed(&table.range, TaxonomyForm::Range, "range")?.as_slice() else {
        return Err(refused(
            "`range` is the smallest and the largest value of the domain: [0, 120]".to_owned(),
        ));
    };
    if min > max {
        return Err(refused(format!(
            "the smallest value {min} is greater than the largest value {max}"
        )));
    }
    let values = i128::from(max) - i128::from(min) + 1;
    if 2 * values > MOST_NODES as i128 {
        return Err(refused(format!(
            "too large a domain: a taxonomy has at most {MOST_NODES} nodes, two for each value"
        )));
    }
    let mut tree = Tree::new("*");
    halve(&mut tree, 0, (min, max));
    let tree = tree
        .finish()
        .map_err(|error| FormError::of_tree("range", &error))?;
    let rule = LeafRule::Integers {
        min,
        max,
        open: false,
    };
    Ok(FormResult {
        domain: Domain { tree, rule },
        kind: Kind::Int,
        warnings: Vec::new(),
    })
}

/// Adds the halves of the values from `low` to `high` below a node. The depth is logarithmic.
fn halve(tree: &mut Tree, above: usize, (low, high): (i64, i64)) {
    assert!(low <= high, "a range of numbers");
    let label = |low: i64, high: i64| {
        if low == high {
            low.to_string()
        } else {
            format!("{low}-{high}")
        }
    };
    if low == high {
        // A single value is a node already, except for a range of one value, which is the root.
        if above == 0 {
            tree.add(above, &label(low, high), 1);
        }
        return;
    }
    // Not the mean of the sum of both ends, which may overflow.
    let middle = low + ((i128::from(high) - i128::from(low)) / 2) as i64;
    for (low, high) in [(low, middle), (middle + 1, high)] {
        let node = tree.add(above, &label(low, high), 1);
        halve(tree, node, (low, high));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Taxonomy};

    fn tree(min: i64, max: i64) -> Result<Taxonomy, FormError> {
        let table = TaxonomyTable {
            range: Some(vec![min, max]),
            ..TaxonomyTable::default()
        };
        build(&table).map(|built| built.domain.tree)
    }

    /// Each node with several values has two children, whose numbers of values differ by at most
    /// one.
    #[test]
    fn every_node_is_divided_by_halves() {
        for (min, max) in [
            (0, 120),
            (-5, 5),
            (7, 8),
            (0, 0),
            (i64::MAX - 8, i64::MAX),
            (i64::MIN, i64::MIN + 6),
        ] {
            let tree = tree(min, max).expect("a taxonomy");
            assert_eq!(tree.leaves() as i128, i128::from(max) - i128::from(min) + 1);
            for node in 0..tree.nodes() as Node {
                let children: Vec<u64> = tree
                    .children(node)
                    .map(|child| tree.values(child))
                    .collect();
                match children[..] {
                    [] | [_] => assert!(tree.values(node) == 1),
                    [lower, upper] => {
                        assert!(lower + upper == tree.values(node) && lower - upper <= 1)
                    }
                    _ => panic!("more than two children"),
                }
            }
        }
        let tree = tree(0, 120).expect("a taxonomy");
        let halves: Vec<&str> = tree.children(0).map(|node| tree.label(node)).collect();
        assert_eq!(halves, ["0-60", "61-120"]);
        assert!(tree.find("118-119").is_some() && tree.find("7").is_some());
    }

    #[test]
    fn ranges_that_are_none_are_refused() {
        for (min, max) in [(1, 0), (0, i64::MAX), (i64::MIN, i64::MAX)] {
            assert!(
                tree(min, max).is_err_and(|error| error.key == Some("range")),
                "{min} {max}"
            );
        }
    }
}
