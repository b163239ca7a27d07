//! A taxonomy: the tree of labels of one quasi column (SCIENCE 1). Nodes are numbered in preorder,
//! so that a node *is* a range of leaves, an ancestor has a smaller number than its descendants,
//! and sorting by number gives the order of labels in every output. Built once by a form (`forms`),
//! never changed.
//!
//! This file knows nothing about files, columns or rows, and its `Debug` shows only the shape.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A node's preorder number. The root is 0.
pub type Node = u32;
/// A leaf's number among the leaves, left to right.
pub type Leaf = u32;

/// The most nodes of a taxonomy: codes stay far below the limit of `u32`, and a mistake in a feed
/// file (`max = 10000000000`) is an error instead of a machine that swaps.
pub const MOST_NODES: usize = 4_000_000;
/// The most labels on the path from a leaf to the root, both included.
pub const MOST_LEVELS: usize = 256;
/// The most bytes of a label.
pub const MOST_LABEL: usize = 4_096;

/// A tree of labels with preorder numbers.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taxonomy {
    labels: Vec<Box<str>>,
    parent: Vec<Node>,
    /// The number after the last node of the subtree.
    end: Vec<Node>,
    /// Leaves under the node: `first_leaf[w]..past_leaf(w)`.
    first_leaf: Vec<Leaf>,
    leaf_node: Vec<Node>,
    /// `below[l]` = domain values under the leaves before `l`; one entry more than leaves.
    below: Vec<u64>,
    height: Vec<u32>,
    /// The lowest level on which the node is: 0 for leaves.
    level: Vec<u32>,
    /// The number of levels.
    levels: u32,
    /// Leaves that a hierarchy file lists more than once, ascending, with the number of further
    /// lines.
    repeated: Vec<(Leaf, u64)>,
    by_label: Vec<Node>,
}

/// What a hierarchy file says beyond its tree, by the handles of the tree's nodes.
pub struct FileLevels {
    /// The lowest level of each node; leaves are on level 0 in any case.
    pub level: Vec<u32>,
    /// The number of levels.
    pub levels: u32,
    /// For each leaf the number of lines that repeat it.
    pub repeated: Vec<u64>,
}

impl Taxonomy {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaf_node.len()
    }

    /// The label of a node.
    pub fn label(&self, node: Node) -> &str {
        &self.labels[node as usize]
    }

    /// The node with this label, inner or leaf.
    pub fn find(&self, label: &str) -> Option<Node> {
        self.by_label
            .binary_search_by(|&node| self.label(node).cmp(label))
            .ok()
            .map(|at| self.by_label[at])
    }

    /// The leaf with this label; `None` for inner nodes.
    pub fn find_leaf(&self, label: &str) -> Option<Leaf> {
        self.find(label)
            .filter(|&node| self.is_leaf(node))
            .map(|node| self.first_leaf[node as usize])
    }

    /// The node above; `None` for the root.
    pub fn parent(&self, node: Node) -> Option<Node> {
        (node != 0).then(|| self.parent[node as usize])
    }

    /// The nodes directly below, left to right.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let end = self.end[node as usize];
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.end[child as usize];
            Some(child)
        })
    }

    /// Whether the node has no children.
    pub fn is_leaf(&self, node: Node) -> bool {
        self.end[node as usize] == node + 1
    }

    /// The leaves under a node, as a range of leaf numbers.
    pub fn leaf_range(&self, node: Node) -> std::ops::Range<Leaf> {
        let end = self.end[node as usize] as usize;
        let past = self
            .first_leaf
            .get(end)
            .copied()
            .unwrap_or(self.leaves() as Leaf);
        self.first_leaf[node as usize]..past
    }

    /// The node of a leaf.
    pub fn leaf_node(&self, leaf: Leaf) -> Node {
        self.leaf_node[leaf as usize]
    }

    /// Whether `upper` is `lower` or is above it.
    pub fn covers(&self, upper: Node, lower: Node) -> bool {
        upper <= lower && lower < self.end[upper as usize]
    }

    /// The number of domain values under a node: leaves, or for intervals the integers in them
    /// (SCIENCE 8).
    pub fn values(&self, node: Node) -> u64 {
        let range = self.leaf_range(node);
        self.below[range.end as usize] - self.below[range.start as usize]
    }

    /// The number of edges from a node down to its deepest leaf.
    pub fn height(&self, node: Node) -> u32 {
        self.height[node as usize]
    }

    /// The lowest level on which a node is, from 0 for leaves (SCIENCE 8). It stays on the levels
    /// up to that of the node above.
    pub fn level(&self, node: Node) -> u32 {
        self.level[node as usize]
    }

    /// The number of levels. If a hierarchy file repeats a label, there are more levels than nodes
    /// on a path.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The number of values under a node as Loss counts them in a search of levels (SCIENCE 8):
    /// each line of a hierarchy file is one, also a line that repeats another. Nothing that
    /// protects people counts lines.
    pub fn lines(&self, node: Node) -> u64 {
        let range = self.leaf_range(node);
        let repeated = self
            .repeated
            .iter()
            .filter(|(leaf, _)| range.contains(leaf))
            .map(|(_, lines)| lines);
        self.values(node) + repeated.sum::<u64>()
    }

    /// The leaves that a hierarchy file lists more than once, with the number of further lines.
    pub fn repeated(&self) -> &[(Leaf, u64)] {
        &self.repeated
    }

    /// Whether levels are counted from the leaves of the longest paths, as without a hierarchy file
    /// that repeats labels.
    pub fn counts_from_longest_paths(&self) -> bool {
        let mut expected = vec![self.height(0); self.nodes()];
        for node in 1..self.nodes() {
            expected[node] = expected[self.parent[node] as usize].saturating_sub(1);
        }
        let is_expected =
            |node: Node| self.is_leaf(node) || self.level(node) == expected[node as usize];
        self.levels == self.height(0) + 1 && (0..self.nodes() as Node).all(is_expected)
    }

    /// Whether both trees have the same nodes with the same numbers of values, on whichever levels.
    pub fn has_same_nodes(&self, other: &Taxonomy) -> bool {
        self.labels == other.labels && self.parent == other.parent && self.below == other.below
    }

    /// The lowest node that is above, or equal to, both.
    pub fn common(&self, a: Node, b: Node) -> Node {
        assert!((a.max(b) as usize) < self.nodes(), "nodes of this taxonomy");
        let mut node = a.min(b);
        while !self.covers(node, a.max(b)) {
            node = self.parent[node as usize];
        }
        node
    }

    /// The same tree with one more leaf, last under the root, unless a leaf of this label exists.
    ///
    /// # Errors
    /// The label belongs to an inner node, or the tree is a single node.
    pub fn with_leaf(&self, label: &str) -> Result<Taxonomy, TreeError> {
        match self.find(label) {
            Some(node) if self.is_leaf(node) && node != 0 => return Ok(self.clone()),
            Some(_) => {
                return Err(TreeError::LeafIsInner {
                    label: label.into(),
                    at: 0,
                    other: 0,
                });
            }
            None => {}
        }
        let mut tree = Tree::new(self.label(0));
        let mut made = vec![0usize; self.nodes()];
        for node in 1..self.nodes() as Node {
            let range = self.leaf_range(node);
            let size = if self.is_leaf(node) {
                self.below[range.end as usize] - self.below[range.start as usize]
            } else {
                1
            };
            made[node as usize] = tree.add(
                made[self.parent[node as usize] as usize],
                self.label(node),
                size,
            );
        }
        tree.add(0, label, 1);
        let mut file = FileLevels {
            level: vec![0; tree.nodes()],
            levels: self.levels,
            repeated: vec![0; tree.nodes()],
        };
        for (node, &handle) in made.iter().enumerate() {
            file.level[handle] = self.level[node];
        }
        for &(leaf, lines) in &self.repeated {
            file.repeated[made[self.leaf_node(leaf) as usize]] = lines;
        }
        tree.finish_with_levels(&file)
    }
}

impl fmt::Debug for Taxonomy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Taxonomy({} nodes, {} leaves)",
            self.nodes(),
            self.leaves()
        )
    }
}

/// Why labels do not form a tree. `at` and `other` are positions (lines of a file, counted from 1;
/// 0 = none).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TreeError {
    #[error("`{label}` is under `{parent}` and under `{other_parent}`")]
    TwoParents {
        label: Box<str>,
        parent: Box<str>,
        other_parent: Box<str>,
        at: u64,
        other: u64,
    },
    #[error("`{label}` is a leaf in one place and an inner node in another")]
    LeafIsInner {
        label: Box<str>,
        at: u64,
        other: u64,
    },
    #[error("`{label}` occurs twice on one path, with other labels in between")]
    Repeated { label: Box<str>, at: u64 },
    #[error("two roots: `{root}` and `{other_root}`; every row must end with the same label")]
    TwoRoots {
        root: Box<str>,
        other_root: Box<str>,
        at: u64,
        other: u64,
    },
    #[error("an empty label")]
    EmptyLabel { at: u64 },
    #[error("no labels at all")]
    Empty,
    #[error("more than {MOST_NODES} nodes")]
    TooLarge,
    #[error("the leaves stand for more values than can be counted")]
    TooManyValues,
    #[error("more than {MOST_LEVELS} labels from a leaf to the root")]
    TooDeep { at: u64 },
    #[error("a label of more than {MOST_LABEL} bytes")]
    LongLabel { at: u64 },
    #[error("two nodes have the label `{label}`")]
    TwiceInTree { label: Box<str> },
    #[error("`{label}` is on no higher level than a label below it")]
    LevelsCross { label: Box<str> },
}

impl TreeError {
    /// The position of the error, and the earlier one that it contradicts; 0 = none.
    pub fn places(&self) -> (u64, u64) {
        match *self {
            TreeError::TwoParents { at, other, .. }
            | TreeError::LeafIsInner { at, other, .. }
            | TreeError::TwoRoots { at, other, .. } => (at, other),
            TreeError::Repeated { at, .. }
            | TreeError::EmptyLabel { at }
            | TreeError::TooDeep { at }
            | TreeError::LongLabel { at } => (at, 0),
            TreeError::Empty
            | TreeError::TooLarge
            | TreeError::TooManyValues
            | TreeError::TwiceInTree { .. }
            | TreeError::LevelsCross { .. } => (0, 0),
        }
    }
}

/// A tree under construction: nodes in any order, children in the order they were added.
pub struct Tree {
    labels: Vec<Box<str>>,
    parent: Vec<usize>,
    children: Vec<Vec<usize>>,
    size: Vec<u64>,
}

impl Tree {
    /// A tree that is only a root.
    pub fn new(root: &str) -> Tree {
        Tree {
            labels: vec![root.into()],
            parent: vec![0],
            children: vec![Vec::new()],
            size: vec![1],
        }
    }

    /// Adds a node under `parent` (0 = root) and returns its handle. `size` is its number of domain
    /// values, used for leaves only.
    pub fn add(&mut self, parent: usize, label: &str, size: u64) -> usize {
        assert!(parent < self.labels.len(), "the node above is there");
        let handle = self.labels.len();
        self.labels.push(label.into());
        self.parent.push(parent);
        self.children.push(Vec::new());
        self.size.push(size);
        self.children[parent].push(handle);
        handle
    }

    /// The number of nodes so far.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// Sets the number of domain values of a node that turns out to be a leaf.
    pub fn resize(&mut self, handle: usize, size: u64) {
        assert!(size > 0, "a leaf stands for at least one value");
        self.size[handle] = size;
    }

    /// Numbers the nodes in preorder. Levels are counted from the leaves of the longest paths; a
    /// leaf that is not as deep as others is on several levels.
    ///
    /// # Errors
    /// A label that is empty, too long or stands for two nodes, or too many nodes or levels.
    pub fn finish(self) -> Result<Taxonomy, TreeError> {
        let mut depth = vec![0u32; self.labels.len()];
        for handle in 1..self.labels.len() {
            depth[handle] = depth[self.parent[handle]] + 1;
        }
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let level: Vec<u32> = depth.into_iter().map(|depth| deepest - depth).collect();
        let repeated = vec![0; level.len()];
        self.finish_with_levels(&FileLevels {
            level,
            levels: deepest + 1,
            repeated,
        })
    }

    /// Numbers the nodes in preorder, on the levels of a file.
    ///
    /// # Errors
    /// As for [`Tree::finish`], and a node that is not on a higher level than all nodes below it.
    pub fn finish_with_levels(mut self, file: &FileLevels) -> Result<Taxonomy, TreeError> {
        let (n, levels) = (self.labels.len(), file.levels);
        assert!(
            file.level.len() == n && file.repeated.len() == n,
            "a level for each node"
        );
        if n > MOST_NODES {
            return Err(TreeError::TooLarge);
        }
        let (order, number) = self.preorder();
        let mut end: Vec<Node> = (1..=n as Node).collect();
        let mut height = vec![0; n];
        let parent: Vec<Node> = order
            .iter()
            .map(|&handle| number[self.parent[handle]])
            .collect();
        for node in (1..n).rev() {
            let above = parent[node] as usize;
            end[above] = end[above].max(end[node]);
            height[above] = height[above].max(height[node] + 1);
        }
        if height[0] as usize >= MOST_LEVELS || levels as usize > MOST_LEVELS {
            return Err(TreeError::TooDeep { at: 0 });
        }
        let (mut first_leaf, mut leaf_node, mut below) =
            (Vec::with_capacity(n), Vec::new(), vec![0]);
        let mut level: Vec<u32> = order.iter().map(|&handle| file.level[handle]).collect();
        let mut repeated: Vec<(Leaf, u64)> = Vec::new();
        for node in 0..n {
            first_leaf.push(leaf_node.len() as Leaf);
            if end[node] as usize == node + 1 {
                level[node] = 0;
                if file.repeated[order[node]] > 0 {
                    repeated.push((leaf_node.len() as Leaf, file.repeated[order[node]]));
                }
                leaf_node.push(node as Node);
                let before = below.last().copied().unwrap_or(0);
                below.push(
                    u64::checked_add(before, self.size[order[node]])
                        .ok_or(TreeError::TooManyValues)?,
                );
            }
        }
        let labels: Vec<Box<str>> = order
            .iter()
            .map(|&handle| std::mem::take(&mut self.labels[handle]))
            .collect();
        let by_label = index(&labels)?;
        if let Some(node) = (1..n).find(|&node| level[node] >= level[parent[node] as usize]) {
            return Err(TreeError::LevelsCross {
                label: labels[parent[node] as usize].clone(),
            });
        }
        if level[0] >= levels {
            return Err(TreeError::LevelsCross {
                label: labels[0].clone(),
            });
        }
        assert_eq!(end[0] as usize, n, "each node lies below the root");
        assert!(
            (1..n).all(|node| parent[node] < node as Node),
            "nodes are numbered in preorder"
        );
        assert_eq!(
            below.len(),
            leaf_node.len() + 1,
            "a number of values for each leaf"
        );
        Ok(Taxonomy {
            labels,
            parent,
            end,
            first_leaf,
            leaf_node,
            below,
            height,
            level,
            levels,
            repeated,
            by_label,
        })
    }

    /// Handles in preorder, and each handle's preorder number.
    fn preorder(&self) -> (Vec<usize>, Vec<Node>) {
        let (mut order, mut number) = (
            Vec::with_capacity(self.labels.len()),
            vec![0; self.labels.len()],
        );
        let mut stack = vec![0];
        while let Some(handle) = stack.pop() {
            number[handle] = order.len() as Node;
            order.push(handle);
            stack.extend(self.children[handle].iter().rev());
        }
        assert_eq!(order.len(), self.labels.len(), "each node is met once");
        (order, number)
    }
}

/// Nodes sorted by label, for lookups; an empty or duplicate label is an error.
fn index(labels: &[Box<str>]) -> Result<Vec<Node>, TreeError> {
    let mut by_label: Vec<Node> = (0..labels.len() as Node).collect();
    by_label.sort_unstable_by(|&a, &b| labels[a as usize].cmp(&labels[b as usize]));
    if labels.iter().any(|label| label.is_empty()) {
        return Err(TreeError::EmptyLabel { at: 0 });
    }
    if labels.iter().any(|label| label.len() > MOST_LABEL) {
        return Err(TreeError::LongLabel { at: 0 });
    }
    match by_label
        .windows(2)
        .find(|pair| labels[pair[0] as usize] == labels[pair[1] as usize])
    {
        Some(pair) => Err(TreeError::TwiceInTree {
            label: labels[pair[0] as usize].clone(),
        }),
        None => Ok(by_label),
    }
}

#[cfg(test)]
impl Taxonomy {
    /// `*` with the children `a` and `b`, and the leaves `a0`, `a1`, `b0` and `b1`: for the tests
    /// of several rooms.
    pub(crate) fn two_halves() -> Taxonomy {
        let mut tree = Tree::new("*");
        for half in ["a", "b"] {
            let at = tree.add(0, half, 1);
            (0..2).for_each(|leaf| _ = tree.add(at, &format!("{half}{leaf}"), 1));
        }
        tree.finish().expect("distinct labels")
    }
}
