//! One JSON object per line (HOUSE 4, Decoding): the fields that are read, as they are written, and what a field says.
//! Strict: the line is one object and nothing else, no field on a path is there twice, 42.9 is not 42 and "42" is not 42.
//! What nobody reads is passed over without recursion, so nesting costs nothing, and is not looked at beyond its form.
//!
//! A field is decoded apart from its line, so that one that is sensitive cannot keep a row out. The parser's own words
//! are never repeated: they quote the line.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::paths::{Field, Node, Paths};
use super::strange::Strange;
use crate::engine::histogram::{MisfitKind, RawCell};
use crate::engine::model::whole_number;

/// Walks through one object after another.
pub struct Walk<'p> {
    paths: &'p Paths,
    fields: usize,
    /// Per node the last line that had it.
    seen: Vec<u64>,
    line: u64,
    /// Keys of the last line that lead nowhere, where somebody listens.
    strange: Option<Strange>,
}

impl<'p> Walk<'p> {
    /// Through objects with so many fields to read.
    pub fn new(paths: &'p Paths, fields: usize) -> Walk<'p> {
        Walk { paths, fields, seen: vec![0; paths.len()], line: 0, strange: None }
    }

    /// Whether the keys of the next line are wanted that lead to no field.
    pub fn listen(&mut self, wanted: bool) {
        self.strange = wanted.then(Strange::default);
    }

    /// Those keys.
    pub fn strange(&self) -> Option<&Strange> {
        self.strange.as_ref()
    }

    /// Shows the fields of a line; `None` when it is not one object and nothing else.
    pub fn object<'t, T>(&mut self, line: &'t str, show: impl FnOnce(Option<&[Field<'t>]>) -> T) -> T {
        self.line += 1;
        let mut found = vec![Ok(&b""[..]); self.fields];
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let whole = deserializer.deserialize_map(Object { walk: self, node: 0, found: &mut found });
        let whole = whole.is_ok() && deserializer.end().is_ok();
        show(whole.then_some(&found))
    }

    /// Takes in the value of a node; `None` when there is an object in it that is none.
    fn value<'t>(&mut self, node: usize, text: &'t str, found: &mut [Field<'t>]) -> Option<()> {
        if std::mem::replace(&mut self.seen[node], self.line) == self.line {
            self.paths.spoil(node, MisfitKind::Twice, found);
            return Some(());
        }
        let here: &Node = self.paths.node(node);
        let first = text.as_bytes().first();
        let nested = matches!(first, Some(b'[' | b'{'));
        for &field in &here.fields {
            found[field] = if nested { Err(MisfitKind::Nested) } else { Ok(text.as_bytes()) };
        }
        if here.is_last() || text == "null" {
            return Some(());
        }
        // What is neither leads nowhere; a list is no object, nor the other way round.
        if first != Some(&b'{') {
            let kind = if nested { MisfitKind::Nested } else { MisfitKind::NoPath };
            here.keys.iter().for_each(|&(_, below)| self.paths.spoil(below, kind, found));
        }
        if first != Some(&b'[') {
            here.items.iter().for_each(|&(_, below)| self.paths.spoil(below, MisfitKind::NoList, found));
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        match first {
            Some(b'{') if !here.keys.is_empty() => {
                deserializer.deserialize_map(Object { walk: self, node, found }).ok()
            }
            Some(b'[') if !here.items.is_empty() => deserializer.deserialize_seq(List { walk: self, node, found }).ok(),
            _ => Some(()),
        }
    }
}

/// A list on the way: one that is too short has nothing at the places behind its end.
struct List<'w, 'p, 'f, 't> {
    walk: &'w mut Walk<'p>,
    node: usize,
    found: &'f mut [Field<'t>],
}

impl<'t> Visitor<'t> for List<'_, '_, '_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<(), A::Error> {
        let node = self.walk.paths.node(self.node);
        for place in 0.. {
            let Some(child) = node.item(place) else {
                if list.next_element::<IgnoredAny>()?.is_none() {
                    break;
                }
                continue;
            };
            let Some(value) = list.next_element::<&'t RawValue>()? else { break };
            let taken = self.walk.value(child, value.get(), self.found);
            taken.ok_or_else(|| serde::de::Error::custom("no object"))?;
        }
        Ok(())
    }
}

/// An object on the way.
struct Object<'w, 'p, 'f, 't> {
    walk: &'w mut Walk<'p>,
    node: usize,
    found: &'f mut [Field<'t>],
}

impl<'t> Visitor<'t> for Object<'_, '_, '_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<(), A::Error> {
        let paths = self.walk.paths;
        loop {
            let strange = if self.node == 0 { self.walk.strange.as_mut() } else { None };
            let Some(child) = map.next_key_seed(Key { node: paths.node(self.node), strange })? else { return Ok(()) };
            match child {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(child) => {
                    let value: &'t RawValue = map.next_value()?;
                    let taken = self.walk.value(child, value.get(), self.found);
                    taken.ok_or_else(|| serde::de::Error::custom("no object"))?;
                }
            }
        }
    }
}

/// The node that a key leads to, if it is on a path.
struct Key<'p, 's> {
    node: &'p Node,
    strange: Option<&'s mut Strange>,
}

impl<'t> DeserializeSeed<'t> for Key<'_, '_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<usize>, E> {
        let child = self.node.child(key);
        if let (None, Some(strange)) = (child, self.strange) {
            strange.add(key);
        }
        Ok(child)
    }
}

/// What a field says, in the type that JSON writes it in.
pub fn read<'s>(field: &'s [u8], unescaped: &'s mut String) -> Result<RawCell<'s>, MisfitKind> {
    let text = std::str::from_utf8(field).map_err(|_| MisfitKind::NotUtf8)?;
    Ok(match field.first() {
        None | Some(b'n') => RawCell::Null,
        Some(b't') => RawCell::Bool(true),
        Some(b'f') => RawCell::Bool(false),
        Some(b'"') if memchr::memchr(b'\\', field).is_none() => RawCell::Text(&text[1..text.len() - 1]),
        Some(b'"') => {
            *unescaped = serde_json::from_str(text).map_err(|_| MisfitKind::NotUtf8)?;
            RawCell::Text(unescaped)
        }
        // A whole number beyond 64 bits is no number of any column, a fraction beyond a float is not finite.
        Some(_) if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) || text == "-0" => {
            RawCell::Float(text.parse().unwrap_or(f64::NAN))
        }
        Some(_) => whole_number(text).map_or(RawCell::Float(f64::NAN), RawCell::Int),
    })
}
