//! Classes by their labels, as the attack uses them (SCIENCE 6): the layer of each label, and its
//! position there. It shows no labels.

use std::ops::Range;

use super::column::LayeredColumn;
use super::malformed_release::Malformed;
use super::release::{CarvedClass, CarvedRelease};
use crate::model::{Leaf, Node, Taxonomy};

/// The quasi columns as layers.
#[derive(Debug, Clone)]
pub struct Layers {
    columns: Vec<LayeredColumn>,
    /// For each column, layer and leaf its node.
    nodes: Vec<Vec<Vec<Node>>>,
    /// For each column and node its layer, from 1, and its position among the nodes of that layer.
    /// A node on several layers counts as on the lowest: a person in it is in a class there, or in
    /// none.
    places: Vec<Vec<(usize, usize)>>,
}

/// Why a column, counted among quasi columns, has no layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoLayers {
    /// The number of the column.
    pub column: usize,
    /// The reason.
    pub why: Malformed,
}

impl Layers {
    /// The layers of the taxonomies of all quasi columns.
    ///
    /// # Errors
    /// The first column that has no layers of equal intervals.
    pub fn of(trees: &[&Taxonomy]) -> Result<Layers, NoLayers> {
        let nodes = |tree: &Taxonomy| tree.layers().ok_or(Malformed::Hierarchy);
        Layers::with(trees, nodes, LayeredColumn::new)
    }

    /// The layers of any taxonomies, for classes that were formed in steps: leaves that are not as
    /// deep as others are on several layers.
    ///
    /// # Errors
    /// The first column that is too large.
    pub fn of_any(trees: &[&Taxonomy]) -> Result<Layers, NoLayers> {
        Layers::with(trees, |tree| Ok(tree.by_level()), LayeredColumn::uneven)
    }

    fn with(
        trees: &[&Taxonomy],
        nodes: impl Fn(&Taxonomy) -> Result<Vec<Vec<Node>>, Malformed>,
        column_of: impl Fn(Vec<u64>, &[Vec<Range<usize>>]) -> Result<LayeredColumn, Malformed>,
    ) -> Result<Layers, NoLayers> {
        let mut layers = Layers {
            columns: Vec::new(),
            nodes: Vec::new(),
            places: Vec::new(),
        };
        for (column, tree) in trees.iter().enumerate() {
            let nodes = nodes(tree).map_err(|why| NoLayers { column, why })?;
            let lengths = (0..tree.leaves() as Leaf)
                .map(|leaf| tree.values(tree.leaf_node(leaf)))
                .collect();
            let mut places = vec![(0, 0); tree.nodes()];
            let mut ranges: Vec<Vec<Range<usize>>> = Vec::new();
            for (layer, of_leaf) in nodes.iter().enumerate() {
                let mut distinct = of_leaf.clone();
                distinct.dedup();
                for (at, &node) in distinct.iter().enumerate() {
                    let place = &mut places[node as usize];
                    *place = if place.0 == 0 {
                        (layer + 1, at)
                    } else {
                        *place
                    };
                }
                let range = |node: &Node| {
                    let leaves = tree.leaf_range(*node);
                    leaves.start as usize..leaves.end as usize
                };
                ranges.push(distinct.iter().map(range).collect());
            }
            layers
                .columns
                .push(column_of(lengths, &ranges).map_err(|why| NoLayers { column, why })?);
            layers.nodes.push(nodes);
            layers.places.push(places);
        }
        Ok(layers)
    }

    /// The columns.
    pub fn columns(&self) -> &[LayeredColumn] {
        &self.columns
    }

    /// A release with these classes and rows, in order of formation; the class with `*` in all
    /// columns is its outliers, wherever it is in the list. The other classes are numbered without
    /// it.
    ///
    /// # Errors
    /// These are no classes.
    pub fn release<'n>(
        &self,
        classes: impl IntoIterator<Item = (&'n [Node], u64)>,
        k: u64,
    ) -> Result<CarvedRelease, Malformed> {
        assert!(k >= 1, "a class has at least one person");
        let (mut formed, mut outliers) = (Vec::new(), 0u64);
        for (nodes, rows) in classes {
            if nodes.iter().all(|&node| node == 0) {
                outliers = outliers.checked_add(rows).ok_or(Malformed::Rows)?;
            } else {
                let (state, nodes) = self.lowest(nodes).unzip();
                formed.push(CarvedClass { state, nodes, rows });
            }
        }
        CarvedRelease::new(self.columns.clone(), formed, outliers, k)
    }

    /// Classes in the order of their public keys, those with equal keys as given; the class with
    /// `*` in all columns is last.
    ///
    /// # Errors
    /// These are no classes.
    pub fn ranked<C: AsRef<[Node]>>(
        &self,
        classes: impl IntoIterator<Item = (C, u64)>,
        k: u64,
    ) -> Result<Vec<(C, u64)>, Malformed> {
        let root = |nodes: &C| nodes.as_ref().iter().all(|&node| node == 0);
        let (outliers, formed): (Vec<_>, Vec<_>) =
            classes.into_iter().partition(|(nodes, _)| root(nodes));
        let keyed = self.release(
            formed.iter().map(|(nodes, rows)| (nodes.as_ref(), *rows)),
            k,
        )?;
        let mut order: Vec<_> = keyed.keys().iter().zip(formed).collect();
        order.sort_by_key(|(key, _)| **key);
        Ok(order
            .into_iter()
            .map(|(_, class)| class)
            .chain(outliers)
            .collect())
    }

    /// The lowest layer of each label, and its position there.
    pub(super) fn lowest<'l>(
        &'l self,
        nodes: &'l [Node],
    ) -> impl Iterator<Item = (usize, usize)> + 'l {
        assert_eq!(
            nodes.len(),
            self.columns().len(),
            "one node for each column"
        );
        self.places
            .iter()
            .zip(nodes)
            .map(|(places, &node)| places[node as usize])
    }

    /// The label of a column's node, given its layer and position.
    pub fn node(&self, column: usize, (layer, node): (usize, usize)) -> Node {
        self.nodes[column][layer - 1][self.columns[column].node(layer, node).start as usize]
    }

    /// The label of the child of a column's node, given the node's layer and position: in the order
    /// of [`LayeredColumn::children`].
    pub fn child(
        &self,
        column: usize,
        (layer, node): (usize, usize),
        child: usize,
    ) -> Option<Node> {
        let leaves = self.columns[column].children(layer, node).nth(child)?;
        Some(self.nodes[column][layer.checked_sub(2)?][leaves.start as usize])
    }
}
