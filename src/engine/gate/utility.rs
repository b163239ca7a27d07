//! What a release is still worth (SCIENCE 8, BCF 5.2): Loss over its generalised cells, and discernibility.

use crate::histogram::{Release, TableSums};
use crate::model::{Node, Taxonomy};

/// Loss of one column: the mean over the rows of (domain values under the node − 1) / (domain values − 1).
pub fn column_loss(release: &Release, column: usize, tree: &Taxonomy) -> f64 {
    let classes = (0..release.classes()).map(|class| (release.class(class)[column], release.size(class)));
    mean(classes, release.rows(), tree)
}

/// The same of so many rows, of which so many show each of these nodes.
fn mean(shown: impl Iterator<Item = (Node, u64)>, rows: u64, tree: &Taxonomy) -> f64 {
    let all = tree.values(0);
    if all <= 1 || rows == 0 {
        return 0.0;
    }
    let sum: u128 = shown.map(|(node, rows)| u128::from(rows) * u128::from(tree.values(node) - 1)).sum();
    assert!(sum <= u128::from(rows) * u128::from(all - 1), "a label stands for no more than all values");
    sum as f64 / (rows as f64 * (all - 1) as f64)
}

/// Loss of a release: the geometric mean over the columns of (loss + 1), minus 1.
pub fn loss(release: &Release, trees: &[&Taxonomy]) -> f64 {
    over_columns(trees, |column, tree| column_loss(release, column, tree))
}

/// The same from sums over its rows: to the last bit, since they are of whole numbers.
pub fn loss_of_sums(sums: &TableSums, trees: &[&Taxonomy]) -> f64 {
    over_columns(trees, |column, tree| mean(sums.shown(column), sums.rows(), tree))
}

fn over_columns(trees: &[&Taxonomy], loss: impl Fn(usize, &Taxonomy) -> f64) -> f64 {
    let product: f64 = trees.iter().enumerate().map(|(column, tree)| loss(column, tree) + 1.0).product();
    if trees.is_empty() { 0.0 } else { product.powf(1.0 / trees.len() as f64) - 1.0 }
}

/// The discernibility of a release, from sums over its rows.
pub fn discernibility_of_sums(sums: &TableSums) -> f64 {
    let sum: u128 = sums.sizes().map(|(size, classes)| u128::from(size).pow(2) * u128::from(classes)).sum();
    assert!(sum <= u128::from(sums.rows()).pow(2), "classes share no row");
    sum as f64 / (sums.rows() as f64).powi(2)
}

/// Σ|class|² / N².
pub fn discernibility(release: &Release) -> f64 {
    let square = |class: usize| u128::from(release.size(class)).pow(2);
    let sum: u128 = (0..release.classes()).map(square).sum();
    assert!(sum <= u128::from(release.rows()).pow(2), "classes share no row");
    sum as f64 / (release.rows() as f64).powi(2)
}
