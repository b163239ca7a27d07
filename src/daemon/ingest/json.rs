//! One JSON object per line (HOUSE 4, Decoding): the fields that are read, as they are written, and what a field says.
//! Strict where a row is decided: the line is one object and nothing else, no field on a path is there twice, 42.9 is not
//! 42 and "42" is not 42. The walk passes over fields that no column reads, so their nesting costs
//! nothing.
//!
//! A field is decoded apart from its line: where its end can be found, one that is no JSON is wrong by itself, so that a
//! sensitive one cannot keep a row out. The parser's own words are never repeated: they quote the line.
//!
//! The walk over a line is code of our own: decoders of whole rows take the last of two equal keys, turn one type into another, or refuse a row
//! for a field that no column reads.

use serde_json::value::RawValue;

use super::paths::{FieldPaths, PathStep, WrittenField};
use super::scan::{Scan, is_number};
use super::unknown_keys::UnknownKeys;
use crate::engine::histogram::{MOST_TEXT, MisfitKind, RawCell};
use crate::engine::model::whole_number;

/// Bytes that a value is written in at most: a text that may be long enough, every byte of it as an escape of six.
pub(super) const MOST_WRITTEN: usize = 6 * MOST_TEXT + 2;

/// Stands for bytes that are no UTF-8: no JSON has it, within a string or without.
pub(super) const STRANGE: u8 = 1;
/// Stands for a value that is longer than any may be; no JSON has it either.
pub(super) const LONG: u8 = 2;

/// Walks through one object after another.
pub struct JsonWalk<'p> {
    paths: &'p FieldPaths,
    fields: usize,
    /// Per node the last line that had it.
    seen: Vec<u64>,
    line: u64,
    /// Keys of the last line that lead nowhere, where they are asked for.
    strange: Option<UnknownKeys>,
}

impl<'p> JsonWalk<'p> {
    /// Through objects with so many fields to read.
    pub fn new(paths: &'p FieldPaths, fields: usize) -> JsonWalk<'p> {
        JsonWalk { paths, fields, seen: vec![0; paths.len()], line: 0, strange: None }
    }

    /// Whether the keys of the next line are wanted that lead to no field.
    pub fn listen(&mut self, wanted: bool) {
        self.strange = wanted.then(UnknownKeys::default);
    }

    /// Those keys.
    pub fn strange(&self) -> Option<&UnknownKeys> {
        self.strange.as_ref()
    }

    /// Shows the fields of a line; `None` when it is not one object and nothing else.
    pub fn object<'t, T>(&mut self, line: &'t str, show: impl FnOnce(Option<&[WrittenField<'t>]>) -> T) -> T {
        self.line += 1;
        let mut found = vec![Ok(&b""[..]); self.fields];
        let mut scan = Scan::new(line);
        let whole = self.keys(&mut scan, 0, &mut found).is_some() && scan.is_at_end();
        show(whole.then_some(&found))
    }

    /// Goes over an object; `None` when it is none.
    fn keys<'t>(&mut self, scan: &mut Scan<'t>, node: usize, found: &mut [WrittenField<'t>]) -> Option<()> {
        scan.is(b'{').then_some(())?;
        if scan.is(b'}') {
            return Some(());
        }
        loop {
            let child = self.key(node, scan.string()?)?;
            scan.is(b':').then_some(())?;
            let value = scan.value()?;
            if let Some(child) = child {
                self.value(child, value, found);
            }
            if !scan.is(b',') {
                return scan.is(b'}').then_some(());
            }
        }
    }

    /// Goes over a list; `None` when it is none. One that is too short has nothing at the places behind its end.
    fn items<'t>(&mut self, scan: &mut Scan<'t>, node: usize, found: &mut [WrittenField<'t>]) -> Option<()> {
        scan.is(b'[').then_some(())?;
        if scan.is(b']') {
            return Some(());
        }
        for place in 0.. {
            let value = scan.value().filter(|value| !value.is_empty())?;
            if let Some(child) = self.paths.node(node).item(place) {
                self.value(child, value, found);
            }
            if !scan.is(b',') {
                break;
            }
        }
        scan.is(b']').then_some(())
    }

    /// The node that a key leads to, if it is on a path; `None` when it is no text.
    fn key(&mut self, node: usize, written: &str) -> Option<Option<usize>> {
        let mut unescaped = String::new();
        let key = text(written, &mut unescaped).ok()?;
        let child = self.paths.node(node).child(key);
        if let (None, 0, Some(strange)) = (child, node, self.strange.as_mut()) {
            strange.add(key);
        }
        Some(child)
    }

    /// Takes in the value of a node.
    fn value<'t>(&mut self, node: usize, text: &'t str, found: &mut [WrittenField<'t>]) {
        if std::mem::replace(&mut self.seen[node], self.line) == self.line {
            return self.paths.spoil(node, MisfitKind::Twice, found);
        }
        let here: &PathStep = self.paths.node(node);
        let first = text.as_bytes().first();
        let field = match first {
            Some(b'[' | b'{') => Err(MisfitKind::Nested),
            None => Err(MisfitKind::NotJson),
            Some(_) => Ok(text.as_bytes()),
        };
        here.fields.iter().for_each(|&place| found[place] = field);
        if here.is_last() || text == "null" {
            return;
        }
        // What is neither leads nowhere; a list is no object, nor the other way round.
        let (object, list) = (first == Some(&b'{'), first == Some(&b'['));
        if !object {
            let kind = if list { MisfitKind::Nested } else { MisfitKind::NoPath };
            here.keys.iter().for_each(|&(_, below)| self.paths.spoil(below, kind, found));
        }
        if !list {
            here.items.iter().for_each(|&(_, below)| self.paths.spoil(below, MisfitKind::NoList, found));
        }
        let mut scan = Scan::new(text);
        let whole = match first {
            Some(b'{') if !here.keys.is_empty() => self.keys(&mut scan, node, found),
            Some(b'[') if !here.items.is_empty() => self.items(&mut scan, node, found),
            _ => return,
        };
        if whole.is_none() || !scan.is_at_end() {
            here.below().for_each(|below| self.paths.spoil(below, MisfitKind::NotJson, found));
        }
    }
}

/// What a string says, or what is wrong with it.
fn text<'s>(written: &'s str, unescaped: &'s mut String) -> Result<&'s str, MisfitKind> {
    let plain = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or(MisfitKind::NotJson)?;
    if plain.bytes().all(|byte| byte >= b' ' && byte != b'\\') {
        return Ok(plain);
    }
    match serde_json::from_str(written) {
        Ok(text) => *unescaped = text,
        Err(_) => return Err(wrong(written)),
    }
    Ok(unescaped)
}

/// What is wrong with a value that is none.
fn wrong(written: &str) -> MisfitKind {
    match written {
        _ if written.as_bytes().contains(&LONG) => MisfitKind::TooLong,
        _ if written.as_bytes().contains(&STRANGE) => MisfitKind::NotUtf8,
        // An escape that stands for half a character.
        _ if serde_json::from_str::<&RawValue>(written).is_ok() => MisfitKind::NotUtf8,
        _ => MisfitKind::NotJson,
    }
}

/// The key that is written so, with its quotes; `None` if it is none.
pub(super) fn key(written: &[u8]) -> Option<String> {
    serde_json::from_slice(written).ok()
}

/// What a field says, in the type that JSON writes it in.
pub fn read<'s>(field: &'s [u8], unescaped: &'s mut String) -> Result<RawCell<'s>, MisfitKind> {
    if field.len() > MOST_WRITTEN {
        return Err(MisfitKind::TooLong);
    }
    let written = std::str::from_utf8(field).map_err(|_| MisfitKind::NotUtf8)?;
    Ok(match written {
        "" | "null" => RawCell::Null,
        "true" => RawCell::Bool(true),
        "false" => RawCell::Bool(false),
        _ if field[0] == b'"' => RawCell::Text(text(written, unescaped)?),
        _ if !is_number(written) => return Err(wrong(written)),
        // A whole number beyond 64 bits is no number of any column, a fraction beyond a float is not finite.
        _ if written == "-0" || written.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            RawCell::Float(written.parse().unwrap_or(f64::NAN))
        }
        _ => whole_number(written).map_or(RawCell::Float(f64::NAN), RawCell::Int),
    })
}
