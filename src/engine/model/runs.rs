//! Taxonomies that halving can divide (SCIENCE 11): a node with more than two children gets two
//! children, each a run of adjacent ones with numbers of values as equal as possible, and so on, so
//! that no node has more than two children. A run of several children is a new node, with a label
//! of its own.

use std::collections::BTreeSet;

use super::forms::edges;
use super::taxonomy::{Node, Taxonomy, Tree, TreeError};
use super::{Domain, LeafRule};

/// The longest label, in characters, that joins others.
const LONG: usize = 60;

impl Domain {
    /// The taxonomy with runs. The leaves stay the same, in the same order.
    ///
    /// # Errors
    /// The taxonomy would have too many nodes.
    pub fn with_runs(&self) -> Result<Domain, TreeError> {
        let mut halved = Halved {
            domain: self,
            tree: Tree::new(self.tree.label(0)),
            runs: BTreeSet::new(),
        };
        halved.below(0, 0);
        if self.tree.is_leaf(0) {
            halved.tree.resize(0, self.tree.values(0));
        }
        Ok(Domain {
            tree: halved.tree.finish()?,
            rule: self.rule.clone(),
        })
    }
}

impl Taxonomy {
    /// The node that represents a node where regions are divided: the node itself, or its only
    /// child.
    pub fn lowest(&self, mut node: Node) -> Node {
        while let [only] = children(self, node)[..] {
            node = only;
        }
        node
    }
}

fn children(tree: &Taxonomy, node: Node) -> Vec<Node> {
    tree.children(node).collect()
}

struct Halved<'d> {
    domain: &'d Domain,
    tree: Tree,
    /// The labels of runs.
    runs: BTreeSet<String>,
}

impl Halved<'_> {
    /// Adds the nodes below a node of the taxonomy under its counterpart.
    fn below(&mut self, at: usize, node: Node) {
        match &children(&self.domain.tree, node)[..] {
            [] => {}
            only @ [_] => self.part(at, only),
            run => self.divide(at, run),
        }
    }

    /// Adds the two parts of a run under its node.
    fn divide(&mut self, above: usize, run: &[Node]) {
        assert!(!run.is_empty(), "a run has nodes");
        let (first, second) = run.split_at(self.middle(run));
        self.part(above, first);
        self.part(above, second);
    }

    fn part(&mut self, above: usize, run: &[Node]) {
        match *run {
            [node] => {
                let tree = &self.domain.tree;
                let part = self.tree.add(above, tree.label(node), tree.values(node));
                self.below(part, node);
            }
            _ => {
                let label = self.free(self.label(run));
                let part = self.tree.add(above, &label, 1);
                self.runs.insert(label);
                self.divide(part, run);
            }
        }
    }

    /// The number of children in the first part: the smallest with which the numbers of values
    /// differ least.
    fn middle(&self, run: &[Node]) -> usize {
        assert!(run.len() >= 2, "a run that can be divided");
        let values = |nodes: &[Node]| {
            nodes
                .iter()
                .map(|&node| u128::from(self.domain.tree.values(node)))
                .sum::<u128>()
        };
        let (all, mut first) = (values(run), 0);
        let differences = (1..run.len()).map(|count| {
            first += values(&run[count - 1..count]);
            ((2 * first).abs_diff(all), count)
        });
        differences.min().map_or(1, |(_, count)| count)
    }

    /// A label that no other node has.
    fn free(&self, label: String) -> String {
        let taken =
            |label: &String| self.domain.tree.find(label).is_some() || self.runs.contains(label);
        let others = (2..).map(|number| format!("{label} ({number})"));
        std::iter::once(label.clone())
            .chain(others)
            .find(|label| !taken(label))
            .expect("there are more numbers than nodes")
    }

    /// The label of several adjacent nodes: in the taxonomy's notation for ranges, if it has one.
    fn label(&self, run: &[Node]) -> String {
        assert!(!run.is_empty(), "a run has nodes");
        let Domain { tree, rule } = self.domain;
        let (first, last) = (tree.lowest(run[0]), tree.lowest(run[run.len() - 1]));
        let leaves = tree.leaf_range(first).start..tree.leaf_range(last).end;
        let (low, high) = (i64::from(leaves.start), i64::from(leaves.end) - 1);
        match rule {
            // Missing values have a leaf after the others, which is in no range.
            LeafRule::Integers { min, max, open } if high <= max - min => {
                match *open && min + high == *max {
                    true => format!("{}+", min + low),
                    false => format!("{}-{}", min + low, min + high),
                }
            }
            LeafRule::Intervals { edges } if high + 1 < edges.len() as i64 => {
                format!("[{}, {}[", edges[low as usize], edges[high as usize + 1])
            }
            LeafRule::Edges { edges: of } if high <= of.len() as i64 => {
                edges::label(of, low as usize, high as usize)
            }
            LeafRule::Dates { from, to, level }
                if high <= i64::from(level.ordinal(*to) - level.ordinal(*from)) =>
            {
                ends(tree.label(first), tree.label(last))
            }
            _ => {
                let labels: Vec<&str> = run
                    .iter()
                    .map(|&node| tree.label(tree.lowest(node)))
                    .collect();
                let joined = labels.join(" | ");
                if joined.chars().count() <= LONG {
                    joined
                } else {
                    ends(labels[0], labels[labels.len() - 1])
                }
            }
        }
    }
}

fn ends(first: &str, last: &str) -> String {
    format!("{first} … {last}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DateLevel;

    fn labels(domain: &Domain) -> Vec<String> {
        let tree = domain.with_runs().expect("a tree").tree;
        assert_eq!(tree.leaves(), domain.tree.leaves());
        (0..tree.nodes() as Node).for_each(|node| assert!(tree.children(node).count() <= 2));
        (0..tree.nodes() as Node)
            .map(|node| tree.label(node).to_owned())
            .collect()
    }

    fn domain(leaves: &[(&str, u64)], rule: LeafRule) -> Domain {
        let mut tree = Tree::new("*");
        leaves
            .iter()
            .for_each(|(label, values)| _ = tree.add(0, label, *values));
        Domain {
            tree: tree.finish().expect("a tree"),
            rule,
        }
    }

    #[test]
    fn runs_are_labelled_as_ranges_are() {
        let four: Vec<(&str, u64)> = ["7", "8", "9", "10"].map(|label| (label, 1)).to_vec();
        let numbers = |open| {
            domain(
                &four,
                LeafRule::Integers {
                    min: 7,
                    max: 10,
                    open,
                },
            )
        };
        assert_eq!(
            labels(&numbers(false)),
            ["*", "7-8", "7", "8", "9-10", "9", "10"]
        );
        assert_eq!(
            labels(&numbers(true)),
            ["*", "7-8", "7", "8", "9+", "9", "10"]
        );
        // As equal as possible: 5 and 4, not 1 and 8 or 8 and 1.
        let edges = vec![0, 1, 5, 8, 9];
        let widths = [("[0, 1[", 1), ("[1, 5[", 4), ("[5, 8[", 3), ("[8, 9[", 1)];
        let intervals = domain(&widths, LeafRule::Intervals { edges });
        assert_eq!(
            labels(&intervals),
            [
                "*", "[0, 5[", "[0, 1[", "[1, 5[", "[5, 9[", "[5, 8[", "[8, 9["
            ]
        );
        let months = ["2020-03", "2020-04", "2020-05"].map(|label| (label, 1));
        let dates = LeafRule::Dates {
            from: 18_322,
            to: 18_412,
            level: DateLevel::Month,
        };
        assert_eq!(
            labels(&domain(&months, dates)),
            ["*", "2020-03", "2020-04 … 2020-05", "2020-04", "2020-05"]
        );
    }

    #[test]
    fn a_missing_value_is_in_no_range() {
        let leaves = ["7", "8", "missing"].map(|label| (label, 1));
        let domain = domain(
            &leaves,
            LeafRule::Integers {
                min: 7,
                max: 8,
                open: false,
            },
        );
        assert_eq!(labels(&domain), ["*", "7", "8 | missing", "8", "missing"]);
    }

    #[test]
    fn labels_stay_unique_and_short() {
        let long = ["a".repeat(30), "b".repeat(30), "c".to_owned()];
        let leaves: Vec<(&str, u64)> = long.iter().map(|label| (label.as_str(), 1)).collect();
        // 30 + 3 + 30 characters are too many for a label, 30 + 3 + 1 are not.
        assert_eq!(
            labels(&domain(&leaves, LeafRule::Label))[2],
            format!("{} | c", long[1])
        );
        let more: Vec<(&str, u64)> = leaves.iter().copied().chain([("d", 1)]).collect();
        assert_eq!(
            labels(&domain(&more, LeafRule::Label))[1],
            format!("{} … {}", long[0], long[1])
        );
        let mut tree = Tree::new("*");
        ["x", "y"].iter().for_each(|leaf| _ = tree.add(0, leaf, 1));
        let only = tree.add(0, "x | y", 1);
        ["u", "v"]
            .iter()
            .for_each(|leaf| _ = tree.add(only, leaf, 1));
        let tree = tree.finish().expect("a tree");
        let clashes = Domain {
            tree,
            rule: LeafRule::Label,
        };
        assert_eq!(
            labels(&clashes),
            ["*", "x | y (2)", "x", "y", "x | y", "u", "v"]
        );
    }

    #[test]
    fn what_has_one_child_stays_and_is_passed_over() {
        let mut tree = Tree::new("*");
        let all = tree.add(0, "all", 1);
        let one = tree.add(all, "one", 1);
        ["a", "b", "c"]
            .iter()
            .for_each(|leaf| _ = tree.add(one, leaf, 2));
        let domain = Domain {
            tree: tree.finish().expect("a tree"),
            rule: LeafRule::Label,
        };
        assert_eq!(labels(&domain), ["*", "all", "one", "a", "b | c", "b", "c"]);
        let halved = domain.with_runs().expect("a tree").tree;
        assert_eq!(
            [0, 1, 2, 3, 4].map(|node| halved.lowest(node)),
            [2, 2, 2, 3, 4]
        );
        let alone = Domain {
            tree: Tree::new("only").finish().expect("a tree"),
            rule: LeafRule::Label,
        };
        assert_eq!(labels(&alone), ["only"]);
    }
}
