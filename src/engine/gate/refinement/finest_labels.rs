//! Groups of neighbours as the attack sees them (SCIENCE 7): the labels of a class are known to be
//! the finest that cover its rows, so that in each column at least two children of its label have
//! rows. Columns require that independently, and if rows may share all their values, the remaining
//! sets of rows are a product over columns: V^n minus the sets in which all rows are in one child.
//! This module does not know the rule by which neighbours were grouped; its leakage is not judged.

use num_bigint::BigUint;

use super::budget::RefinementBudget;
use super::column::LayeredColumn;
use super::cover;
use super::figure::{RatioFigure, SolutionCount};
use super::labels::Layers;
use super::malformed_release::Malformed;
use super::release::{CarvedRelease, CarvingRule, RepeatedValues};
use super::target::{AttackTarget, HeldRows, Support};
use crate::model::Node;

impl Layers {
    /// A release with these classes and rows, each with the finest labels that cover its rows; a
    /// class with `*` in all columns is treated as outliers.
    ///
    /// # Errors
    /// These are no classes, or one has fewer than `k` rows; the error names its number, in the
    /// order given.
    pub fn finest<'n>(
        &self,
        classes: impl IntoIterator<Item = (&'n [Node], u64)>,
        k: u64,
    ) -> Result<CarvedRelease, Malformed> {
        assert!(k >= 1, "a class has at least one person");
        let classes: Vec<(&[Node], u64)> = classes.into_iter().collect();
        if let Some(at) = classes.iter().position(|(_, rows)| *rows < k) {
            return Err(Malformed::Small(at));
        }
        self.regions(classes, (k, CarvingRule::Finest))
    }
}

/// A label of a target: its number of values, and those of its children if it has several.
struct Label {
    values: u64,
    children: Vec<u64>,
}

impl Label {
    fn of(column: &LayeredColumn, (layer, node): (usize, usize)) -> Label {
        let children: Vec<u64> = column
            .children(layer, node)
            .map(|leaves| column.values(&leaves))
            .collect();
        // A node with a single child excludes no set of rows.
        let children = if children.len() > 1 {
            children
        } else {
            Vec::new()
        };
        Label {
            values: column.values(&column.node(layer, node)),
            children,
        }
    }

    /// The number of combinations of values of the rows in this column.
    fn solutions(&self, rows: u32) -> BigUint {
        let all = |values: u64| BigUint::from(values).pow(rows);
        all(self.values)
            - self
                .children
                .iter()
                .map(|&values| all(values))
                .sum::<BigUint>()
    }

    /// A lower bound of their share among all; `None` if floats cannot represent it.
    fn share(&self, rows: u64) -> Option<f64> {
        let part = |&values: &u64| (values as f64 / self.values as f64).powf(rows as f64);
        let (inside, rounding) = (
            self.children.iter().map(part).sum::<f64>(),
            rows as f64 * 1e-15,
        );
        let share = 1.0 - inside * (1.0 + rounding) - 1e-15;
        (share > 0.0).then_some(share)
    }
}

/// The figures of a target whose labels are the finest that cover its rows.
pub(super) fn attack(
    release: &CarvedRelease,
    (values, budget): (RepeatedValues, RefinementBudget),
    target: &mut AttackTarget,
) {
    let cells = cover::cells(&release.segment(target.place));
    (target.free_volume, target.free_cells) = (Some(target.volume), Some(cells));
    if values == RepeatedValues::Distinct {
        return;
    }
    let nodes = release.nodes(target.place);
    let labels: Vec<Label> = release
        .columns()
        .iter()
        .zip(nodes)
        .map(|(column, node)| Label::of(column, node))
        .collect();
    solutions(&labels, budget, target);
    let divided = labels
        .iter()
        .enumerate()
        .filter(|(_, label)| !label.children.is_empty());
    for (column, Label { children, .. }) in divided {
        let least = u64::from(children.len() == 2);
        target.columns.push(column);
        target.slabs.push(vec![
            Support {
                least,
                most: target.rows - 1,
                exact: true
            };
            children.len()
        ]);
    }
    let support = Support {
        least: target.rows,
        most: target.rows,
        exact: true,
    };
    target.blocks = vec![HeldRows {
        children: Vec::new(),
        volume: target.volume,
        cells,
        support,
        marginals: None,
    }];
}

/// The number of remaining sets of rows, and their share among all.
fn solutions(labels: &[Label], budget: RefinementBudget, target: &mut AttackTarget) {
    let bits = (target.volume.max(1) as f64).log2() * target.rows as f64;
    if let (SolutionCount::Exact(all), Ok(rows), true) = (
        &target.lr,
        u32::try_from(target.rows),
        bits <= budget.bits as f64,
    ) {
        let left: BigUint = labels.iter().map(|label| label.solutions(rows)).product();
        target.ratio = RatioFigure::exact(all, &left);
        target.cra = SolutionCount::Exact(left);
        return;
    }
    let Some(shares) = labels
        .iter()
        .map(|label| label.share(target.rows))
        .collect::<Option<Vec<f64>>>()
    else {
        return;
    };
    let log10 = shares.iter().map(|share| -share.log10()).sum::<f64>() + 1e-12;
    let least = match target.lr {
        SolutionCount::Near { log10, error } => Some(log10 - error),
        _ => target.lr.log10(),
    };
    if let Some(least) = least {
        target.cra = SolutionCount::AtLeast {
            log10: least - log10,
        };
        target.ratio = RatioFigure::AtMost { log10 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Taxonomy, Tree};
    use crate::refinement::{AttackTerms, Attacker, RefinementAttack};

    /// A root with three children of one to three leaves with these numbers of values.
    fn tree(values: &[&[u64]]) -> Taxonomy {
        let mut tree = Tree::new("*");
        for (at, values) in values.iter().enumerate() {
            let above = if values.len() == 1 {
                0
            } else {
                tree.add(0, &format!("{at}"), 1)
            };
            values
                .iter()
                .enumerate()
                .for_each(|(leaf, &values)| _ = tree.add(above, &format!("{at}.{leaf}"), values));
        }
        tree.finish().expect("a tree")
    }

    /// The child of a node that contains a value, counted over the whole column; `None` for a leaf,
    /// which has no children.
    fn child(tree: &Taxonomy, node: Node, value: u64) -> Option<Node> {
        let first = |node: Node| {
            (0..tree.leaf_range(node).start)
                .map(|leaf| tree.values(tree.leaf_node(leaf)))
                .sum::<u64>()
        };
        tree.children(node)
            .find(|&child| (first(child)..first(child) + tree.values(child)).contains(&value))
    }

    /// All sets of rows below a label of which in no column all are in one child, counted one by
    /// one.
    fn counted(trees: &[&Taxonomy], nodes: &[Node], rows: u32) -> u64 {
        let column = |(tree, &node): (&&Taxonomy, &Node)| {
            let first: u64 = (0..tree.leaf_range(node).start)
                .map(|leaf| tree.values(tree.leaf_node(leaf)))
                .sum();
            let values = tree.values(node);
            let is_left = |set: &u64| {
                let children: Vec<_> = (0..rows)
                    .map(|row| child(tree, node, first + set / values.pow(row) % values))
                    .collect();
                children[0].is_none() || children.iter().any(|child| *child != children[0])
            };
            (0..values.pow(rows)).filter(is_left).count() as u64
        };
        trees.iter().zip(nodes).map(column).product()
    }

    #[test]
    fn sets_of_rows_are_those_in_which_no_child_has_all_rows() {
        let trees = [tree(&[&[1, 2], &[2], &[1, 1]]), tree(&[&[3], &[1]])];
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let layers = Layers::of_any(&trees).expect("layers");
        let nodes = |tree: &Taxonomy| 0..tree.nodes() as Node;
        for (one, other) in
            nodes(trees[0]).flat_map(|one| nodes(trees[1]).map(move |other| (one, other)))
        {
            for rows in 2..=4 {
                let labels = [one, other];
                let release = layers.finest([(&labels[..], rows)], 2).expect("a release");
                let terms = |bits| AttackTerms {
                    attacker: Attacker::Paper,
                    values: RepeatedValues::Repeated,
                    marginals: false,
                    seed: 1,
                    budget: RefinementBudget {
                        bits,
                        ..RefinementBudget::FULL
                    },
                };
                let target = RefinementAttack::new(&release, terms(1 << 10))
                    .expect("an attack")
                    .targets()
                    .remove(0);
                let left = counted(&trees, &labels, rows as u32);
                assert_eq!(
                    target.cra,
                    SolutionCount::Exact(left.into()),
                    "{labels:?}, {rows} rows"
                );
                let certain = target.certain_crowds().expect("it is known");
                let halves = [(trees[0], one), (trees[1], other)]
                    .map(|(tree, node)| tree.children(node).count() == 2);
                let expected = if rows == 2 {
                    2 * halves.iter().filter(|half| **half).count()
                } else {
                    0
                };
                assert_eq!(certain.len(), expected, "{labels:?}, {rows} rows");
                // The bounds from floats are on the safe side, and close.
                let exact = target.ratio.log10().expect("a ratio");
                let bound = RefinementAttack::new(&release, terms(0))
                    .expect("an attack")
                    .targets()
                    .remove(0)
                    .ratio;
                let most = bound.most().expect("a bound");
                assert!(most >= exact && most < exact + 1e-6, "{most}, {exact}");
            }
        }
        assert_eq!(
            layers.finest([(&[0, 0][..], 2)], 3).expect_err("too few"),
            Malformed::Small(0)
        );
    }

    #[test]
    fn no_class_reveals_an_only_child() {
        let two = vec![0..1, 1..2];
        let root = std::iter::once(0..2).collect();
        let column = LayeredColumn::uneven(vec![3, 4], &[two.clone(), two, root]).expect("layers");
        let label = |layer: usize| Label::of(&column, (layer, 0));
        assert_eq!(
            (label(3).children, label(2).children),
            (vec![3, 4], Vec::new())
        );
        assert_eq!(label(2).solutions(2), BigUint::from(9u8));
        assert_eq!(label(3).solutions(2), BigUint::from(49u8 - 9 - 16));
    }
}
