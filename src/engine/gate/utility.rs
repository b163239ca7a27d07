//! The utility of a release (SCIENCE 8, BCF 5.2): Loss over its generalised cells, and
//! discernibility.

use crate::histogram::{Release, TableSums};
use crate::model::{Node, Taxonomy};

/// Loss of one column: the mean over the rows of (domain values under the node − 1) / (domain
/// values − 1).
pub fn column_loss(release: &Release, column: usize, tree: &Taxonomy) -> f64 {
    let classes =
        (0..release.classes()).map(|class| (release.class(class)[column], release.size(class)));
    mean(classes, release.rows(), tree)
}

/// The same for `rows` rows, with the number of rows that show each node.
fn mean(shown: impl Iterator<Item = (Node, u64)>, rows: u64, tree: &Taxonomy) -> f64 {
    let all = tree.values(0);
    if all <= 1 || rows == 0 {
        return 0.0;
    }
    let sum: u128 = shown
        .map(|(node, rows)| u128::from(rows) * u128::from(tree.values(node) - 1))
        .sum();
    assert!(
        sum <= u128::from(rows) * u128::from(all - 1),
        "a label stands for no more than all values"
    );
    sum as f64 / (rows as f64 * (all - 1) as f64)
}

/// Loss of a release: the geometric mean over the columns of (loss + 1), minus 1.
pub fn loss(release: &Release, trees: &[&Taxonomy]) -> f64 {
    over_columns(trees, |column, tree| column_loss(release, column, tree))
}

/// The same from sums over its rows: exactly equal, since the sums are whole numbers.
pub fn loss_of_sums(sums: &TableSums, trees: &[&Taxonomy]) -> f64 {
    over_columns(trees, |column, tree| {
        mean(sums.shown(column), sums.rows(), tree)
    })
}

fn over_columns(trees: &[&Taxonomy], loss: impl Fn(usize, &Taxonomy) -> f64) -> f64 {
    let product: f64 = trees
        .iter()
        .enumerate()
        .map(|(column, tree)| loss(column, tree) + 1.0)
        .product();
    if trees.is_empty() {
        0.0
    } else {
        product.powf(1.0 / trees.len() as f64) - 1.0
    }
}

/// The discernibility of a release, from sums over its rows.
pub fn discernibility_of_sums(sums: &TableSums) -> f64 {
    let sum: u128 = sums
        .sizes()
        .map(|(size, classes)| u128::from(size).pow(2) * u128::from(classes))
        .sum();
    assert!(
        sum <= u128::from(sums.rows()).pow(2),
        "classes share no row"
    );
    sum as f64 / (sums.rows() as f64).powi(2)
}

/// Σ|class|² / N².
pub fn discernibility(release: &Release) -> f64 {
    let square = |class: usize| u128::from(release.size(class)).pow(2);
    let sum: u128 = (0..release.classes()).map(square).sum();
    assert!(
        sum <= u128::from(release.rows()).pow(2),
        "classes share no row"
    );
    sum as f64 / (release.rows() as f64).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, SensitiveValues};
    use crate::model::{Cut, Tree};

    /// A column with one value is always exact, and a table without rows loses nothing.
    #[test]
    fn where_nothing_can_be_lost_nothing_is() {
        let tree = |labels: &[&str]| {
            let mut tree = Tree::new("*");
            labels.iter().for_each(|label| _ = tree.add(0, label, 1));
            tree.finish().expect("distinct labels")
        };
        let (one, two) = (tree(&["a"]), tree(&["a", "b"]));
        let trees = [&one, &two];
        let release = |counts: &[u32]| {
            let (values, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
            let cells: Vec<Cell> = counts
                .iter()
                .map(|&count| Cell {
                    increment: 0,
                    value: 0,
                    count,
                })
                .collect();
            let columns = [vec![0; counts.len()], (0..counts.len() as u32).collect()];
            Release::under(
                &Histogram::of_counts(&columns, values, &cells),
                0..1,
                &trees.map(Cut::root),
            )
        };
        let (some, none) = (release(&[2, 3]), release(&[]));
        assert_eq!(
            [column_loss(&some, 0, &one), column_loss(&some, 1, &two)],
            [0.0, 1.0]
        );
        assert_eq!(
            [column_loss(&none, 0, &one), column_loss(&none, 1, &two)],
            [0.0; 2]
        );
        assert!((loss(&some, &trees) - (2f64.sqrt() - 1.0)).abs() < 1e-15);
        assert_eq!([loss(&none, &trees), loss(&some, &[])], [0.0; 2]);
    }
}
