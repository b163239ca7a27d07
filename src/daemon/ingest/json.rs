//! One JSON object per line (HOUSE 4, Decoding): the fields that are read, in their written form,
//! and their values. Strict where rows are validated: the line is exactly one object, no field on a
//! path occurs twice, 42.9 is not 42 and "42" is not 42. Fields that no column reads are skipped,
//! so their nesting costs nothing.
//!
//! A field is decoded separately from its line: if its end can be found, a field that is no JSON is
//! only wrong by itself, so that a sensitive one does not make the row invalid. The parser's own
//! messages are never repeated: they quote the line.
//!
//! The walk over a line is code of our own: decoders of whole rows take the last of two equal keys,
//! convert types, or refuse a row for a field that no column reads.

use serde_json::value::RawValue;

use super::page::{Element, TakeRow, WrittenField};
use super::paths::{FieldPaths, PathStep, is_missing};
use super::scan::{STRANGE, Scan, is_number};
use super::unknown_keys::UnknownKeys;
use crate::engine::histogram::{MOST_TEXT, MisfitKind, RawCell};
use crate::engine::model::whole_number;

/// The most bytes of a written value: the longest text, with every byte as an escape of six.
pub(super) const MOST_WRITTEN: usize = 6 * MOST_TEXT + 2;

/// Replaces an overlong value; no JSON contains it either.
pub(super) const LONG: u8 = 2;

/// Walks over one object after another.
pub(crate) struct JsonWalk<'p> {
    paths: &'p FieldPaths,
    fields: usize,
    /// For each node the last object that had it: a line, or a chosen element of a list.
    seen: Vec<u64>,
    object: u64,
    objects: u64,
    /// Keys of the last line that no column reads, if they are recorded.
    strange: Option<UnknownKeys>,
}

impl<'p> JsonWalk<'p> {
    /// For objects with this many fields to read.
    pub(crate) fn new(paths: &'p FieldPaths, fields: usize) -> JsonWalk<'p> {
        JsonWalk {
            paths,
            fields,
            seen: vec![0; paths.len()],
            object: 0,
            objects: 0,
            strange: None,
        }
    }

    /// Says whether unknown keys of the next line are recorded.
    pub(crate) fn listen(&mut self, wanted: bool) {
        self.strange = wanted.then(UnknownKeys::default);
    }

    /// Takes the unknown keys of the last line, if they are recorded and there are any.
    pub(crate) fn strange(&mut self) -> Option<UnknownKeys> {
        self.strange.take_if(|keys| !keys.is_empty())
    }

    /// Calls `show` with the fields of a line; `None` if the line is not exactly one object.
    pub(crate) fn object<'t, T>(
        &mut self,
        line: &'t str,
        show: impl FnOnce(Option<&[WrittenField<'t>]>) -> T,
    ) -> T {
        self.objects += 1;
        self.object = self.objects;
        let mut found = vec![Ok(&b""[..]); self.paths.width().max(self.fields)];
        let mut scan = Scan::new(line);
        let whole = self.keys(&mut scan, 0, &mut found).is_some() && scan.is_at_end();
        for &(field, other) in self.paths.others() {
            if is_missing(&found[field], read) {
                found[field] = found[other];
            }
        }
        show(whole.then_some(&found[..self.fields]))
    }

    /// Takes the fields of each of these records of a message.
    pub(crate) fn elements(&mut self, elements: &[Element<'_>], take: TakeRow<'_>) {
        for (at, &(element, fault)) in (0..).zip(elements) {
            match fault {
                Some(kind) => take(Some(at), Err(kind)),
                None => self.object(element, |found| {
                    take(Some(at), found.ok_or(MisfitKind::NoRecord))
                }),
            }
        }
    }

    /// Walks over an object; `None` if it is invalid.
    fn keys<'t>(
        &mut self,
        scan: &mut Scan<'t>,
        node: usize,
        found: &mut [WrittenField<'t>],
    ) -> Option<()> {
        scan.is(b'{').then_some(())?;
        if scan.is(b'}') {
            return Some(());
        }
        let mut next = 0;
        loop {
            let child = self.key(node, scan.string()?, &mut next)?;
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

    /// Walks over a list; `None` if it is invalid. Missing elements have no value.
    fn items<'t>(
        &mut self,
        scan: &mut Scan<'t>,
        node: usize,
        found: &mut [WrittenField<'t>],
    ) -> Option<()> {
        scan.is(b'[').then_some(())?;
        if scan.is(b']') {
            return Some(());
        }
        for place in 0.. {
            let value = scan.value().filter(|value| !value.is_empty())?;
            if let Some(child) = self.paths.node(node).item(place) {
                self.value(child, value, found);
            }
            self.picks(node, value, found);
            if !scan.is(b',') {
                break;
            }
        }
        scan.is(b']').then_some(())
    }

    /// Takes from an element of a list what is chosen by its content, and not found before.
    fn picks<'t>(&mut self, node: usize, element: &'t str, found: &mut [WrittenField<'t>]) {
        let paths = self.paths;
        for pick in &paths.node(node).picks {
            // A list among the elements has none of the fields that are read.
            if element.starts_with('[') && !paths.node(pick.node).leads_list_nodes() {
                continue;
            }
            let mut inside = vec![Ok(&b""[..]); found.len()];
            self.objects += 1;
            let around = std::mem::replace(&mut self.object, self.objects);
            self.value(pick.node, element, &mut inside);
            self.object = around;
            if !pick.fits(&inside, read) {
                continue;
            }
            for field in paths.fields_below(pick.node) {
                if is_missing(&found[field], read) && !is_missing(&inside[field], read) {
                    found[field] = inside[field];
                }
            }
        }
    }

    /// The node of a key, if it is on a path; `None` if the key is no valid text.
    fn key(&mut self, node: usize, written: &str, next: &mut usize) -> Option<Option<usize>> {
        let mut unescaped = String::new();
        let key = text(written, &mut unescaped).ok()?;
        let child = self.paths.node(node).child_from(key, next);
        if let (None, 0, Some(strange)) = (child, node, self.strange.as_mut()) {
            strange.add(key);
        }
        Some(child)
    }

    /// Processes the value of a node.
    fn value<'t>(&mut self, node: usize, text: &'t str, found: &mut [WrittenField<'t>]) {
        if std::mem::replace(&mut self.seen[node], self.object) == self.object {
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
        // A value of another type leads nowhere; a list is no object, and the reverse.
        let (object, list) = (first == Some(&b'{'), first == Some(&b'['));
        if !object {
            let kind = if list {
                MisfitKind::Nested
            } else {
                MisfitKind::NoPath
            };
            here.keys
                .iter()
                .for_each(|&(_, below)| self.paths.spoil(below, kind, found));
        }
        if !list {
            here.list_nodes()
                .for_each(|below| self.paths.spoil(below, MisfitKind::NoList, found));
        }
        let mut scan = Scan::new(text);
        let whole = match first {
            Some(b'{') if !here.keys.is_empty() => self.keys(&mut scan, node, found),
            Some(b'[') if here.leads_list_nodes() => self.items(&mut scan, node, found),
            _ => return,
        };
        if whole.is_none() || !scan.is_at_end() {
            here.below()
                .for_each(|below| self.paths.spoil(below, MisfitKind::NotJson, found));
        }
    }
}

/// The content of a string, or what is wrong with it.
pub(super) fn text<'s>(written: &'s str, unescaped: &'s mut String) -> Result<&'s str, MisfitKind> {
    let [b'"', plain @ .., b'"'] = written.as_bytes() else {
        return Err(MisfitKind::NotJson);
    };
    let special = |any, &byte: &u8| any | (byte < b' ') | (byte == b'\\');
    if !plain.iter().fold(false, special) {
        return Ok(&written[1..written.len() - 1]);
    }
    match serde_json::from_str(written) {
        Ok(text) => *unescaped = text,
        Err(_) => return Err(wrong(written)),
    }
    Ok(unescaped)
}

/// What is wrong with an invalid value.
fn wrong(written: &str) -> MisfitKind {
    match written {
        _ if written.as_bytes().contains(&LONG) => MisfitKind::TooLong,
        _ if written.as_bytes().contains(&STRANGE) => MisfitKind::NotUtf8,
        // An escape for half of a surrogate pair.
        _ if serde_json::from_str::<&RawValue>(written).is_ok() => MisfitKind::NotUtf8,
        _ => MisfitKind::NotJson,
    }
}

/// The key in this written form, with its quotes; `None` if it is invalid.
pub(super) fn key(written: &[u8]) -> Option<String> {
    serde_json::from_slice(written).ok()
}

/// The value of a field, in its JSON type.
pub(crate) fn read<'s>(
    field: &'s [u8],
    unescaped: &'s mut String,
) -> Result<RawCell<'s>, MisfitKind> {
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
        // A whole number beyond 64 bits is no number of any column, and a fraction outside the
        // range of floats is not finite.
        _ if written == "-0"
            || written
                .bytes()
                .any(|byte| matches!(byte, b'.' | b'e' | b'E')) =>
        {
            RawCell::Float(written.parse().unwrap_or(f64::NAN))
        }
        _ => whole_number(written).map_or(RawCell::Float(f64::NAN), RawCell::Int),
    })
}
