//! What a release is still worth (SCIENCE 8, BCF 5.2): Loss over its generalised cells, and discernibility.

use crate::histogram::Release;
use crate::model::Taxonomy;

/// Loss of one column: the mean over the rows of (domain values under the node − 1) / (domain values − 1).
pub fn column_loss(release: &Release, column: usize, tree: &Taxonomy) -> f64 {
    let (all, rows) = (tree.values(0), release.rows());
    if all <= 1 || rows == 0 {
        return 0.0;
    }
    let lost =
        |class: usize| u128::from(release.size(class)) * u128::from(tree.values(release.class(class)[column]) - 1);
    let sum: u128 = (0..release.classes()).map(lost).sum();
    sum as f64 / (rows as f64 * (all - 1) as f64)
}

/// Loss of a release: the geometric mean over the columns of (loss + 1), minus 1.
pub fn loss(release: &Release, trees: &[&Taxonomy]) -> f64 {
    let product: f64 =
        trees.iter().enumerate().map(|(column, tree)| column_loss(release, column, tree) + 1.0).product();
    if trees.is_empty() { 0.0 } else { product.powf(1.0 / trees.len() as f64) - 1.0 }
}

/// Σ|class|² / N².
pub fn discernibility(release: &Release) -> f64 {
    let square = |class: usize| u128::from(release.size(class)).pow(2);
    let sum: u128 = (0..release.classes()).map(square).sum();
    sum as f64 / (release.rows() as f64).powi(2)
}
