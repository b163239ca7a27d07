//! The fields of a schema that columns read, looked up once per schema: fields on no path are
//! skipped without looking at their names.

use std::collections::HashMap;
use std::sync::Arc;

use super::schema::{Schema, Type};
use crate::paths::FieldPaths;

/// A schema and the paths through it.
pub(crate) struct SchemaPlan {
    schema: Arc<Schema>,
    /// By the index of a record and the node as which it is read: the node of each field.
    fields: HashMap<(usize, usize), Box<[Option<usize>]>>,
}

impl SchemaPlan {
    /// The paths to these fields.
    pub(crate) fn new(schema: Arc<Schema>, paths: &FieldPaths) -> SchemaPlan {
        let mut fields = HashMap::new();
        let mut open = vec![(schema.root(), 0)];
        while let Some((place, node)) = open.pop() {
            match schema.at(place) {
                Type::Record(all) => {
                    if fields.contains_key(&(place, node)) {
                        continue;
                    }
                    let below = |(name, _): &(Box<str>, usize)| paths.node(node).child(name);
                    let nodes: Box<[Option<usize>]> = all.iter().map(below).collect();
                    open.extend(
                        all.iter()
                            .zip(&nodes)
                            .filter_map(|((_, kind), node)| Some((*kind, (*node)?))),
                    );
                    fields.insert((place, node), nodes);
                }
                Type::Union(branches) => open.extend(branches.iter().map(|&branch| (branch, node))),
                Type::Array(items) => {
                    open.extend(paths.node(node).list_nodes().map(|below| (*items, below)));
                }
                // The keys of a map differ between messages.
                Type::Map(values) => open.extend(
                    paths
                        .node(node)
                        .keys
                        .iter()
                        .map(|&(_, below)| (*values, below)),
                ),
                _ => {}
            }
        }
        SchemaPlan { schema, fields }
    }

    /// The schema.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The nodes of the fields of a record that is read as a node.
    pub(crate) fn fields(&self, place: usize, node: usize) -> &[Option<usize>] {
        self.fields.get(&(place, node)).map_or(&[], |nodes| nodes)
    }
}
