//! The form `edges`/`layers` (CONTRACTS 2): intervals of numbers with fractions, of which the first
//! has no lower end and the last no upper one, so that every number has a leaf. Nothing here
//! rounds.

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{TaxonomyForm, TaxonomyTable};
use crate::{Domain, Edge, Kind, LeafRule, Taxonomy, Tree};

/// The most digits after the decimal point of an edge.
const MOST_DIGITS: usize = 12;
/// Above this number floats lose fractions.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Intervals between ascending edges, under nodes with these numbers of children.
pub(super) fn build(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let edges = needed(&table.edges, TaxonomyForm::Edges, "edges")?;
    let layers = needed(&table.layers, TaxonomyForm::Edges, "layers")?;
    if edges.is_empty() {
        return Err(FormError::new(
            "edges",
            "`edges` needs at least one edge: [36.5] separates numbers below 36.5 from the others",
        ));
    }
    if let Some(pair) = edges.windows(2).find(|pair| pair[0] >= pair[1]) {
        let text = format!("{} after {}: the edges must ascend", pair[1], pair[0]);
        return Err(FormError::new("edges", text));
    }
    let units = units(edges)?;
    if let Some(layer) = layers.iter().find(|&&layer| layer < 1) {
        return Err(FormError::new(
            "layers",
            format!("a node cannot have {layer} children"),
        ));
    }
    let leaves = edges.len() as i64 + 1;
    let product = layers
        .iter()
        .fold(1i64, |product, &layer| product.saturating_mul(layer));
    if product != leaves {
        let text = format!(
            "the product of the layers is {product}, but {} edges give {leaves} intervals, including the outer two; \
             both numbers must be equal",
            edges.len()
        );
        return Err(FormError::new("layers", text));
    }
    let tree = tree(edges, &units, layers).map_err(|error| FormError::of_tree("edges", &error))?;
    assert_eq!(
        tree.leaves(),
        edges.len() + 1,
        "a leaf between two edges, and two outside"
    );
    Ok(FormResult {
        domain: Domain {
            tree,
            rule: LeafRule::Edges {
                edges: edges.clone(),
            },
        },
        kind: Kind::Float,
        warnings: Vec::new(),
    })
}

/// The edges, in units of the last digit that any of them has.
fn units(edges: &[Edge]) -> Result<Vec<i64>, FormError> {
    let written: Vec<String> = edges.iter().map(|edge| edge.to_string()).collect();
    let digits = written
        .iter()
        .filter_map(|edge| edge.split_once('.'))
        .map(|(_, behind)| behind.len())
        .max()
        .unwrap_or(0);
    let unit = 10f64.powi(digits as i32);
    let fits = |edge: &&Edge| edge.get().is_finite() && (edge.get() * unit).abs() < LARGEST;
    if digits > MOST_DIGITS || edges.iter().filter(fits).count() < edges.len() {
        let text = format!(
            "an edge is a number with at most {MOST_DIGITS} digits behind the point and about 15 in all"
        );
        return Err(FormError::new("edges", text));
    }
    Ok(edges
        .iter()
        .map(|edge| (edge.get() * unit).round() as i64)
        .collect())
}

fn tree(edges: &[Edge], units: &[i64], layers: &[i64]) -> Result<Taxonomy, crate::TreeError> {
    // An interval without an end counts as wide as its neighbour.
    let widths: Vec<u64> = units
        .windows(2)
        .map(|pair| pair[0].abs_diff(pair[1]))
        .collect();
    let [first, last] = [widths.first(), widths.last()].map(|width| width.copied().unwrap_or(1));
    let sizes: Vec<u64> = std::iter::once(first).chain(widths).chain([last]).collect();
    assert_eq!(sizes.len(), edges.len() + 1, "a width for each leaf");
    let mut tree = Tree::new("*");
    // The nodes of the layer above, with the leaves below each.
    let mut above = vec![(0usize, 0..sizes.len())];
    // A node with one child would have its label.
    for &children in layers.iter().rev().filter(|children| **children > 1) {
        let mut below = Vec::new();
        for (node, leaves) in above {
            let width = leaves.len() / children as usize;
            for from in leaves.step_by(width) {
                below.push((
                    tree.add(node, &label(edges, from, from + width - 1), sizes[from]),
                    from..from + width,
                ));
            }
        }
        above = below;
    }
    tree.finish()
}

/// The label of these leaves and all between them.
pub(crate) fn label(edges: &[Edge], first: usize, last: usize) -> String {
    assert!(
        first <= last && last <= edges.len(),
        "intervals of these edges"
    );
    match (first.checked_sub(1), edges.get(last)) {
        (None, None) => "*".to_owned(),
        (None, Some(end)) => format!("below {}", end),
        (Some(start), None) => format!("from {}", edges[start]),
        (Some(start), Some(end)) => format!("[{}, {}[", edges[start], end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finite;

    fn table(edges: &[f64], layers: &[i64]) -> TaxonomyTable {
        let edges = edges
            .iter()
            .map(|&edge| Edge::new(edge).expect("a number"))
            .collect();
        TaxonomyTable {
            edges: Some(edges),
            layers: Some(layers.to_vec()),
            ..TaxonomyTable::default()
        }
    }

    fn path(domain: &Domain, value: f64) -> Vec<String> {
        let leaf = domain
            .leaf_of_float(Finite::new(value).expect("a number"))
            .expect("every number has a leaf");
        let up = std::iter::successors(Some(domain.tree.leaf_node(leaf)), |&node| {
            domain.tree.parent(node)
        });
        up.map(|node| domain.tree.label(node).to_owned()).collect()
    }

    #[test]
    fn every_number_has_a_leaf() {
        let domain = build(&table(&[36.0, 36.5, 37.5], &[2, 2]))
            .expect("a taxonomy")
            .domain;
        for (value, leaf, above) in [
            (f64::MIN, "below 36", "below 36.5"),
            (35.999, "below 36", "below 36.5"),
            (36.0, "[36, 36.5[", "below 36.5"),
            (36.5, "[36.5, 37.5[", "from 36.5"),
            (37.5, "from 37.5", "from 36.5"),
            (1e300, "from 37.5", "from 36.5"),
        ] {
            assert_eq!(path(&domain, value), [leaf, above, "*"], "{value}");
        }
        assert_eq!(
            domain.leaf_of_int(36),
            domain.leaf_of_float(Finite::new(36.25).expect("a number"))
        );
        // Widths are counted in tenths.
        let sizes: Vec<u64> = (0..4)
            .map(|leaf| domain.tree.values(domain.tree.leaf_node(leaf)))
            .collect();
        assert_eq!(sizes, [5, 5, 10, 10]);
        let two = build(&table(&[-0.5], &[2])).expect("a taxonomy").domain;
        assert_eq!(
            (path(&two, -0.6), path(&two, -0.5)),
            (
                vec!["below -0.5".into(), "*".into()],
                vec!["from -0.5".into(), "*".into()]
            )
        );
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (edges, layers, key) in [
            (&[][..], &[1][..], "edges"),
            (&[1.0, 1.0], &[3], "edges"),
            (&[2.0, 1.0], &[3], "edges"),
            (&[1e300], &[2], "edges"),
            (&[1e-13], &[2], "edges"),
            (&[1.0, 2.0], &[2], "layers"),
            (&[1.0], &[0, 2], "layers"),
        ] {
            let error = build(&table(edges, layers))
                .err()
                .unwrap_or_else(|| panic!("{edges:?}"));
            assert_eq!(error.key, Some(key), "{edges:?}: {}", error.text);
        }
    }
}
