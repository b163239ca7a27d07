//! Names of types in a schema, with their namespaces. It knows no type.

use serde_json::{Map, Value as Json};

/// Types without names of their own.
const PLAIN: [&str; 8] = [
    "null", "boolean", "int", "long", "float", "double", "bytes", "string",
];

/// Whether a word names a type that needs no definition.
pub(super) fn is_plain(word: &str) -> bool {
    PLAIN.contains(&word)
}

/// The full name of a word inside a namespace.
pub(super) fn whole(word: &str, namespace: &str) -> String {
    match word.strip_prefix('.') {
        Some(word) => word.to_owned(),
        None if word.contains('.') || namespace.is_empty() => word.to_owned(),
        None => format!("{namespace}.{word}"),
    }
}

/// The full name of a defined type, and the namespace of its fields.
pub(super) fn defined(definition: &Map<String, Json>, namespace: &str) -> Option<(String, String)> {
    let name = definition
        .get("name")?
        .as_str()
        .filter(|name| !name.is_empty())?;
    let given = match definition.get("namespace") {
        None | Some(Json::Null) => namespace,
        Some(given) => given.as_str()?,
    };
    let name = whole(name, given);
    let inside = name
        .rsplit_once('.')
        .map_or_else(String::new, |(inside, _)| inside.to_owned());
    Some((name, inside))
}
