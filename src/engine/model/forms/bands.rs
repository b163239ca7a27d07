//! The forms `bands` and `leaves`/`layers` (CONTRACTS 2): integers under bands of growing width,
//! and integers in intervals. Nothing here rounds: parameters that do not fit the domain are
//! refused.

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{TaxonomyForm, TaxonomyTable};
use crate::taxonomy::MOST_NODES;
use crate::{Domain, Kind, LeafRule, Taxonomy, Tree};

/// Integers `min..=max` under inclusive bands that start at `min`.
pub(super) fn bands(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let widths = needed(&table.bands, TaxonomyForm::Bands, "bands")?;
    let min = *needed(&table.min, TaxonomyForm::Bands, "min")?;
    let max = *needed(&table.max, TaxonomyForm::Bands, "max")?;
    if min > max {
        return Err(FormError::new(
            "min",
            format!("`min` = {min} is greater than `max` = {max}"),
        ));
    }
    if let Some(width) = widths.iter().find(|&&width| width < 1) {
        return Err(FormError::new(
            "bands",
            format!("a band cannot be {width} wide"),
        ));
    }
    if let Some(pair) = widths
        .windows(2)
        .find(|pair| pair[1] <= pair[0] || pair[1] % pair[0] != 0)
    {
        let text = "each width must be a multiple of the one before, and greater";
        return Err(FormError::new(
            "bands",
            format!("{} after {}: {text}", pair[1], pair[0]),
        ));
    }
    if i128::from(max) - i128::from(min) >= MOST_NODES as i128 {
        return Err(FormError::new(
            "max",
            format!("too large a domain: a taxonomy has at most {MOST_NODES} nodes"),
        ));
    }
    let tree = integers(widths, min, max, false)?;
    Ok(FormResult {
        domain: Domain {
            tree,
            rule: LeafRule::Integers {
                min,
                max,
                open: false,
            },
        },
        kind: Kind::Int,
        warnings: Vec::new(),
    })
}

/// The tree over `min..=max`, whose size has been checked. If it is `open`, the last leaf stands
/// for all values from `max` on, and so does every band that contains it.
pub(super) fn integers(
    widths: &[i64],
    min: i64,
    max: i64,
    open: bool,
) -> Result<Taxonomy, FormError> {
    let label = |low: i64, high: i64| match (open && high == max, low == high) {
        (true, _) => format!("{low}+"),
        (false, true) => low.to_string(),
        (false, false) => format!("{low}-{high}"),
    };
    let mut tree = Tree::new("*");
    grow(&mut tree, (0, "*"), widths, (min, max), &label, &|_| 1);
    tree.finish()
        .map_err(|error| FormError::of_tree("bands", &error))
}

/// Adds the values from `low` to `high` below a node: blocks of the last width, in them blocks of
/// the width before it, and so on down to single values. A block with the label of the node above
/// it is that node.
fn grow(
    tree: &mut Tree,
    (above, above_label): (usize, &str),
    widths: &[i64],
    (low, high): (i64, i64),
    label: &impl Fn(i64, i64) -> String,
    size: &impl Fn(i64) -> u64,
) {
    assert!(
        low < high || widths.is_empty() || low <= high,
        "a range of numbers"
    );
    let (width, finer) = widths
        .split_last()
        .map_or((1, None), |(&width, finer)| (width, Some(finer)));
    let mut from = low;
    loop {
        let to = from.saturating_add(width - 1).min(high);
        let name = label(from, to);
        let node = if name == above_label {
            above
        } else {
            tree.add(above, &name, size(from))
        };
        match finer {
            Some(finer) => grow(tree, (node, &name), finer, (from, to), label, size),
            None if node == above => tree.resize(node, size(from)),
            None => {}
        }
        if to >= high {
            return;
        }
        from = to + 1;
    }
}

/// Intervals between ascending edges, under nodes with these numbers of children.
pub(super) fn intervals(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let edges = needed(&table.leaves, TaxonomyForm::Intervals, "leaves")?;
    let layers = needed(&table.layers, TaxonomyForm::Intervals, "layers")?;
    if edges.len() < 2 {
        return Err(FormError::new(
            "leaves",
            "`leaves` needs at least two edges: [0, 30] is the interval `[0, 30[`",
        ));
    }
    if let Some(pair) = edges.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(FormError::new(
            "leaves",
            format!("{} after {}: the edges must ascend", pair[1], pair[0]),
        ));
    }
    let leaves = edges.len() as i64 - 1;
    if let Some(layer) = layers.iter().find(|&&layer| layer < 1) {
        return Err(FormError::new(
            "layers",
            format!("a node cannot have {layer} children"),
        ));
    }
    let mut widths = Vec::with_capacity(layers.len());
    let mut product: i64 = 1;
    for &layer in layers {
        product = product.saturating_mul(layer);
        widths.push(product);
    }
    if product != leaves {
        let text = format!(
            "the product of the layers is {product}, but there are {leaves} intervals; the two must be equal"
        );
        return Err(FormError::new("layers", text));
    }
    // The last layer is the root.
    widths.pop();
    let mut tree = Tree::new("*");
    let label =
        |low: i64, high: i64| format!("[{}, {}[", edges[low as usize], edges[high as usize + 1]);
    let size = |leaf: i64| edges[leaf as usize].abs_diff(edges[leaf as usize + 1]);
    grow(&mut tree, (0, "*"), &widths, (0, leaves - 1), &label, &size);
    let tree = tree
        .finish()
        .map_err(|error| FormError::of_tree("leaves", &error))?;
    Ok(FormResult {
        domain: Domain {
            tree,
            rule: LeafRule::Intervals {
                edges: edges.clone(),
            },
        },
        kind: Kind::Int,
        warnings: Vec::new(),
    })
}
