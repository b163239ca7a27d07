//! Personal privacy (MIN 5, after Xiao and Tao 2006): each person names a node of the sensitive
//! taxonomy, and an attacker may link them to the values below it with at most a given share. The
//! attacker knows which node each person names.
//!
//! Values below the same nodes form one kind, since nothing here distinguishes them.

use std::collections::BTreeMap;
use std::fmt;

use super::groups::Equals;
use crate::gate::diversity::node_of;
use crate::histogram::{Histogram, SensitiveValues, ValueCode};
use crate::model::{Column, Columns, DetailSettings, Kind, Leaf, Node, Role, Taxonomy, Value};

/// The nodes that people guard.
pub struct Guards {
    /// The nodes that people name, in preorder.
    nodes: Vec<Node>,
    /// By leaf tuple, the number of people who name each node.
    people: BTreeMap<Vec<Leaf>, BTreeMap<usize, u64>>,
}

impl fmt::Debug for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Guards({} nodes, {} leaf tuples)",
            self.nodes.len(),
            self.people.len()
        )
    }
}

/// Kinds of values, and which of them are guarded.
pub(super) struct Guarded {
    /// For each value its kind.
    pub kinds: Vec<usize>,
    /// For each node the kinds of values below it.
    pub sets: Vec<Vec<usize>>,
    /// For each leaf tuple of a release the number of people who name each node.
    pub people: Vec<Vec<(usize, u64)>>,
}

/// The one sensitive column with a taxonomy, and its index.
fn guarding(columns: &Columns) -> Option<(usize, &Column, &Taxonomy)> {
    let named = columns.of(Role::Sensitive).enumerate();
    let mut known =
        named.filter_map(|(at, column)| Some((at, column, &column.taxonomy.as_ref()?.tree)));
    known.next().filter(|_| known.next().is_none())
}

impl Guards {
    /// The columns for reading the rows once more: the last one is a sensitive column with the
    /// labels of nodes. `None` unless exactly one sensitive column has a taxonomy.
    pub fn columns(columns: &Columns, name: &str) -> Option<Columns> {
        guarding(columns)?;
        let mut all: Vec<Column> = columns.iter().cloned().collect();
        all.push(Column {
            name: name.into(),
            source: Default::default(),
            role: Role::Sensitive,
            kind: Kind::String,
            taxonomy: None,
            guarded: Vec::new(),
            optional: false,
            unknown: None,
            detail: DetailSettings::default(),
            unrelated: false,
        });
        Some(Columns::new(all))
    }

    /// From rows that were read in this way; a person without a label guards nothing. `None` if a
    /// label is not in the taxonomy.
    pub fn of(rows: &Histogram, columns: &Columns) -> Option<Guards> {
        let (_, _, tree) = guarding(columns)?;
        let node = |code: ValueCode| match rows.values().get(code).last() {
            Some(Value::Null) => Some(None),
            Some(Value::Text(label)) if label.is_empty() => Some(None),
            Some(Value::Text(label)) => tree.find(label).map(Some),
            _ => None,
        };
        let of: Vec<Option<Node>> = (0..rows.values().len() as u32)
            .map(node)
            .collect::<Option<_>>()?;
        let mut nodes: Vec<Node> = of.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut people: BTreeMap<Vec<Leaf>, BTreeMap<usize, u64>> = BTreeMap::new();
        for tuple in 0..rows.tuples() {
            let here = people.entry(rows.tuple_at(tuple).collect()).or_default();
            for cell in rows.cells_of(tuple) {
                if let Some(node) = of[cell.value as usize] {
                    let at = nodes.binary_search(&node).expect("a node that is named");
                    *here.entry(at).or_default() += u64::from(cell.count);
                }
            }
        }
        let guarded = people.values().flat_map(BTreeMap::keys);
        assert!(
            guarded.into_iter().all(|&at| at < nodes.len()),
            "who is guarded is guarded by a node"
        );
        Some(Guards { nodes, people })
    }

    /// The labels of the nodes.
    pub fn labels(&self, columns: &Columns) -> Vec<String> {
        guarding(columns).map_or(Vec::new(), |(_, _, tree)| {
            self.nodes
                .iter()
                .map(|&node| tree.label(node).to_owned())
                .collect()
        })
    }

    /// The values that the people of a release guard.
    pub(super) fn guarded(
        &self,
        values: &SensitiveValues,
        raw: &Histogram,
        people: &[Equals],
        columns: &Columns,
    ) -> Guarded {
        let (at, column, tree) = guarding(columns).expect("guards are read by it");
        let domain = column.taxonomy.as_ref().expect("it has one");
        let below = |code: u32| -> Vec<bool> {
            let node = node_of(domain, column, &values.get(code)[at]);
            self.nodes
                .iter()
                .map(|&upper| node.is_some_and(|node| tree.covers(upper, node)))
                .collect()
        };
        let below: Vec<Vec<bool>> = (0..values.len() as u32).map(below).collect();
        let mut kinds: Vec<&Vec<bool>> = below.iter().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = |of: &Vec<bool>| {
            kinds
                .binary_search(&of)
                .expect("a kind that some value has")
        };
        let set = |node: usize| (0..kinds.len()).filter(|&kind| kinds[kind][node]).collect();
        let of = |equals: &Equals| {
            let leaves: Vec<Leaf> = raw.tuple_at(equals.tuple).collect();
            self.people
                .get(&leaves)
                .into_iter()
                .flatten()
                .map(|(&node, &people)| (node, people))
                .collect()
        };
        assert!(
            kinds.len() <= values.len().max(1),
            "a kind is of some value"
        );
        Guarded {
            kinds: below.iter().map(kind).collect(),
            sets: (0..self.nodes.len()).map(set).collect(),
            people: people.iter().map(of).collect(),
        }
    }
}
