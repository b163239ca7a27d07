//! The recoding as a manifest states it: for each quasi column the labels of its cut. An object in
//! JSON, whose keys keep the order of the feed file; a duplicate key is refused, not overwritten.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::overview::Overview;
use crate::model::{Columns, Role};

/// Columns in the order of the feed file, each with its labels in preorder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishedLabels(pub Vec<(String, Vec<String>)>);

impl PublishedLabels {
    /// The labels of a table.
    pub fn of(table: &Overview<'_>, columns: &Columns) -> PublishedLabels {
        let trees = columns.trees();
        let labels = columns
            .of(Role::Quasi)
            .zip(trees)
            .enumerate()
            .map(|(at, (column, tree))| {
                let nodes = table.labels(at);
                (
                    column.name.to_string(),
                    nodes
                        .iter()
                        .map(|&node| tree.label(node).to_owned())
                        .collect(),
                )
            });
        let labels: Vec<(String, Vec<String>)> = labels.collect();
        let some = table.sums.rows() > 0;
        assert!(
            labels
                .iter()
                .all(|(_, labels)| !(some && labels.is_empty())),
            "each column of a row has a label"
        );
        PublishedLabels(labels)
    }
}

impl Serialize for PublishedLabels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(column, labels)| (column, labels)))
    }
}

impl<'de> Deserialize<'de> for PublishedLabels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PublishedLabels, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = PublishedLabels;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of columns with their labels")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut object: A,
            ) -> Result<PublishedLabels, A::Error> {
                let mut columns: Vec<(String, Vec<String>)> = Vec::new();
                while let Some((column, labels)) = object.next_entry()? {
                    if columns.iter().any(|(known, _)| *known == column) {
                        return Err(A::Error::custom("a column comes twice"));
                    }
                    columns.push((column, labels));
                }
                Ok(PublishedLabels(columns))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl schemars::JsonSchema for PublishedLabels {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Labels".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "additionalProperties": { "type": "array", "items": { "type": "string" } }
        })
    }
}
