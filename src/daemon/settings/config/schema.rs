//! The JSON Schema of a feed file, generated from its types (STYLE 10). The same schema is shipped
//! in `schemas/v1` and defines which keys and types the loader accepts, so the two cannot diverge.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::file::FeedFile;

/// The schema of a feed file.
pub fn feed() -> &'static Value {
    static FEED: LazyLock<Value> = LazyLock::new(|| {
        let mut schema = schemars::schema_for!(FeedFile).to_value();
        without_null(&mut schema);
        schema["title"] = "Tidegate feed file".into();
        schema
    });
    &FEED
}

/// TOML has no null: an optional key is left out. Removes `null` from every alternative.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Object(object) => {
            object.values_mut().for_each(without_null);
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_mut_slice() {
                    let only = only.take();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type") != Some(&"null".into()));
                if let [only] = choices.as_mut_slice() {
                    let only = only.take();
                    object.shift_remove("anyOf");
                    merge(object, only);
                }
            }
        }
        _ => {}
    }
}

/// Adds the keys of a schema that are missing.
fn merge(object: &mut Map<String, Value>, other: Value) {
    let Value::Object(other) = other else { return };
    for (key, value) in other {
        object.entry(key).or_insert(value);
    }
}

/// A node of the schema, with references resolved.
#[derive(Clone, Copy)]
pub struct SchemaNode<'s> {
    root: &'s Value,
    here: &'s Value,
}

impl<'s> SchemaNode<'s> {
    /// The root of the schema.
    pub fn root(root: &'s Value) -> SchemaNode<'s> {
        SchemaNode { root, here: root }
    }

    fn at(self, here: &'s Value) -> SchemaNode<'s> {
        let mut here = here;
        while let Some(pointer) = here.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(pointer.trim_start_matches('#'));
            here = target.expect("a generated schema refers to itself only");
        }
        SchemaNode {
            root: self.root,
            here,
        }
    }

    /// The keys of a table, in the order of the type.
    pub fn keys(self) -> impl Iterator<Item = (&'s str, SchemaNode<'s>)> {
        let table = self.here.get("properties").and_then(Value::as_object);
        table
            .into_iter()
            .flatten()
            .map(move |(key, here)| (key.as_str(), self.at(here)))
    }

    /// The key of a table.
    pub fn key(self, key: &str) -> Option<SchemaNode<'s>> {
        let named = self.here.get("properties").and_then(|keys| keys.get(key));
        // If a table has user-defined keys, the schema describes all their values.
        let any = || {
            self.here
                .get("additionalProperties")
                .filter(|any| any.is_object())
        };
        named.or_else(any).map(|here| self.at(here))
    }

    /// The required keys.
    pub fn required(self) -> impl Iterator<Item = &'s str> {
        let list = self.here.get("required").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The schema of the items of a list.
    pub fn items(self) -> Option<SchemaNode<'s>> {
        self.here
            .get("items")
            .filter(|items| items.is_object())
            .map(|here| self.at(here))
    }

    /// The permitted words; empty if it is no enumeration.
    pub fn words(self) -> Vec<&'s str> {
        let list = |key: &str| {
            self.here
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let plain = list("enum")
            .chain(self.here.get("const"))
            .filter_map(Value::as_str);
        plain
            .chain(list("oneOf").flat_map(|one| self.at(one).words()))
            .collect()
    }

    /// The alternatives, or the node itself.
    pub fn choices(self) -> Vec<SchemaNode<'s>> {
        match self.here.get("anyOf").and_then(Value::as_array) {
            Some(choices) => choices
                .iter()
                .flat_map(|here| self.at(here).choices())
                .collect(),
            None => vec![self],
        }
    }

    /// The JSON type of the permitted values, if there is only one.
    pub fn kind(self) -> Option<&'s str> {
        let words = || (!self.words().is_empty()).then_some("string");
        self.here.get("type").and_then(Value::as_str).or_else(words)
    }

    /// Whether numbers below 0 are refused.
    pub fn is_unsigned(self) -> bool {
        self.here
            .get("minimum")
            .and_then(Value::as_f64)
            .is_some_and(|least| least >= 0.0)
    }

    /// The smallest permitted whole number; 0 if none is given.
    pub fn least(self) -> u64 {
        self.here
            .get("minimum")
            .and_then(Value::as_u64)
            .unwrap_or(0)
    }

    /// Whether the value is a secret.
    pub fn is_secret(self) -> bool {
        self.here.get("writeOnly") == Some(&Value::Bool(true))
    }

    /// Whether the value, or a value below it, may be a secret.
    pub fn holds_secret(self) -> bool {
        let below = || self.keys().any(|(_, key)| key.holds_secret());
        self.is_secret() || below() || self.items().is_some_and(SchemaNode::holds_secret)
    }
}
