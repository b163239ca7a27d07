//! The meaning of every published label (CONTRACTS 4): the trees of the quasi columns as flat lists
//! in preorder, one line per node, which a reader can load as a table and walk without recursion.
//!
//! Only the taxonomies of the feed file are written: never a count, and nothing about any other
//! column.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Columns, Node, Role, Taxonomy, Tree};

/// The version of the format.
const SCHEMA: u32 = 1;

/// The taxonomies of all quasi columns, in the order of the feed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Taxonomies {
    /// The version of this format: 1.
    pub schema: u32,
    /// One per quasi column.
    pub columns: Vec<ColumnTree>,
}

/// The taxonomy of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnTree {
    /// The column.
    pub name: String,
    /// All labels in preorder: the root first, every label after its parent.
    pub nodes: Vec<Label>,
}

/// One label. Labels are unique in a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The label as the table shows it.
    pub label: String,
    /// The parent's label; null for the root.
    pub parent: Option<String>,
    /// The number of values of the domain that it stands for: the leaves under it, or for intervals
    /// the whole numbers in them.
    pub values: u64,
}

impl ColumnTree {
    /// The tree; `None` if the labels are not in preorder, or their numbers of values do not add
    /// up.
    pub fn tree(&self) -> Option<Taxonomy> {
        let (root, others) = self
            .nodes
            .split_first()
            .filter(|(root, _)| root.parent.is_none() && root.values > 0)?;
        let mut tree = Tree::new(&root.label);
        tree.resize(0, root.values);
        let mut handles = BTreeMap::from([(&*root.label, 0)]);
        for Label {
            label,
            parent,
            values,
        } in others
        {
            let above = *handles.get(parent.as_deref()?)?;
            handles.insert(label, tree.add(above, label, *values));
        }
        let tree = tree.finish().ok()?;
        let same = self
            .nodes
            .iter()
            .zip(0..)
            .all(|(same, node)| *same == label(&tree, node));
        same.then_some(tree)
    }
}

/// The taxonomies of the quasi columns as JSON.
///
/// # Panics
/// Never: labels are text.
pub fn taxonomy(columns: &Columns) -> Vec<u8> {
    let mut json = format!("{{\n  \"schema\": {SCHEMA},\n  \"columns\": [").into_bytes();
    for (at, (column, tree)) in columns.of(Role::Quasi).zip(columns.trees()).enumerate() {
        json.extend(if at == 0 {
            &b"\n    {\n      \"name\": "[..]
        } else {
            &b",\n    {\n      \"name\": "[..]
        });
        put(&mut json, &column.name);
        json.extend(b",\n      \"nodes\": [");
        for node in 0..tree.nodes() as Node {
            json.extend(if node == 0 {
                &b"\n        "[..]
            } else {
                &b",\n        "[..]
            });
            put(&mut json, &label(tree, node));
        }
        json.extend(b"\n      ]\n    }");
    }
    json.extend(b"\n  ]\n}\n");
    json
}

/// A value on one line.
fn put(json: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(json, value).expect("text and whole numbers are JSON");
}

fn label(tree: &Taxonomy, node: Node) -> Label {
    let parent = tree.parent(node).map(|above| tree.label(above).to_owned());
    Label {
        label: tree.label(node).to_owned(),
        parent,
        values: tree.values(node),
    }
}
