//! The records of a message of JSON (CONTRACTS 1, `each`): the elements that a path leads to, each in
//! its written form. Whether an element is a record is decided when its fields are read; here only
//! the way to it counts, so that one bad element is set aside alone.

use super::json::text;
use super::page::Element;
use super::raw::SecretBytes;
use super::scan::{Scan, as_text};
use crate::config::PathPart;
use crate::engine::histogram::MisfitKind;

/// The most records of a message.
pub(crate) const MOST_RECORDS: usize = 1 << 16;

/// The records of a message.
///
/// # Errors
/// The message is not exactly one value, the way to its lists leads through something else, or they
/// are too many.
pub(crate) fn elements<'t>(
    message: &'t str,
    each: &[PathPart],
) -> Result<Vec<Element<'t>>, MisfitKind> {
    let mut found = Vec::new();
    let mut scan = Scan::new(message);
    // The end of the message is compared with the end of its value.
    let value = scan.value().filter(|value| !value.is_empty());
    let value = value
        .filter(|_| scan.is_at_end())
        .ok_or(MisfitKind::NoMessage)?;
    collect(value, each, &mut found)?;
    Ok(found)
}

/// Elements of a message that was read before, each as bytes of its own; `None` is the message.
pub(crate) fn cut(
    content: &[u8],
    each: &[PathPart],
    wanted: impl Iterator<Item = Option<u32>>,
) -> impl Iterator<Item = SecretBytes> {
    let written = as_text(content);
    let all: Vec<Option<u32>> = wanted.collect();
    let elements = match all.iter().any(Option::is_some) {
        true => elements(&written, each).unwrap_or_default(),
        false => Vec::new(),
    };
    let cut = |element: &Option<u32>| match element {
        None => SecretBytes::of(content),
        Some(at) => SecretBytes::of(elements[*at as usize].0.as_bytes()),
    };
    all.iter().map(cut).collect::<Vec<_>>().into_iter()
}

/// Adds the elements that a path leads to from a value.
fn collect<'t>(
    value: &'t str,
    each: &[PathPart],
    found: &mut Vec<Element<'t>>,
) -> Result<(), MisfitKind> {
    let Some((step, rest)) = each.split_first() else {
        return add((value, None), found);
    };
    match (step, value.as_bytes().first()) {
        (_, _) if value == "null" => Ok(()),
        (PathPart::Key(key), Some(b'{')) => match field(value, key)? {
            Some(value) => collect(value, rest, found),
            None => Ok(()),
        },
        (PathPart::Key(_), _) => Err(MisfitKind::NoPath),
        (_, Some(b'[')) => list(value, step, rest, found),
        _ => Err(MisfitKind::NoList),
    }
}

fn add<'t>(element: Element<'t>, found: &mut Vec<Element<'t>>) -> Result<(), MisfitKind> {
    if found.len() == MOST_RECORDS {
        return Err(MisfitKind::ManyRecords);
    }
    found.push(element);
    Ok(())
}

/// Adds what the elements of a list lead to. A fault below an element is its own.
fn list<'t>(
    value: &'t str,
    step: &PathPart,
    rest: &[PathPart],
    found: &mut Vec<Element<'t>>,
) -> Result<(), MisfitKind> {
    let mut scan = Scan::new(value);
    scan.is(b'[');
    if scan.is(b']') {
        return Ok(());
    }
    for place in 0.. {
        let element = scan.value().filter(|value| !value.is_empty());
        let element = element.ok_or(MisfitKind::NotJson)?;
        let chosen = match step {
            PathPart::Place(wanted) => Ok(*wanted == place),
            PathPart::Where { field: name, text } => is_of(element, name, text),
            PathPart::Any | PathPart::Key(_) => Ok(true),
        };
        let below = match chosen {
            Ok(true) => collect(element, rest, found),
            Ok(false) => Ok(()),
            Err(kind) => Err(kind),
        };
        match below {
            Err(MisfitKind::ManyRecords) => return Err(MisfitKind::ManyRecords),
            Err(kind) => add((element, Some(kind)), found)?,
            Ok(()) => {}
        }
        if !scan.is(b',') {
            break;
        }
    }
    let ended = scan.is(b']') && scan.is_at_end();
    ended.then_some(()).ok_or(MisfitKind::NotJson)
}

/// Whether a field of an element has this text.
fn is_of(element: &str, name: &str, wanted: &str) -> Result<bool, MisfitKind> {
    if !element.starts_with('{') {
        return Ok(false);
    }
    let Some(value) = field(element, name)? else {
        return Ok(false);
    };
    let mut unescaped = String::new();
    Ok(text(value, &mut unescaped).is_ok_and(|text| text == wanted))
}

/// The value of a field of an object, in its written form.
fn field<'t>(object: &'t str, name: &str) -> Result<Option<&'t str>, MisfitKind> {
    let mut scan = Scan::new(object);
    let (mut found, mut unescaped) = (None, String::new());
    scan.is(b'{');
    if scan.is(b'}') {
        return Ok(None);
    }
    loop {
        let key = scan.string().ok_or(MisfitKind::NotJson)?;
        let is_it = text(key, &mut unescaped)? == name;
        let value = scan.is(b':').then(|| scan.value()).flatten();
        let value = value
            .filter(|value| !value.is_empty())
            .ok_or(MisfitKind::NotJson)?;
        if is_it && found.replace(value).is_some() {
            return Err(MisfitKind::Twice);
        }
        if !scan.is(b',') {
            let ended = scan.is(b'}') && scan.is_at_end();
            return ended.then_some(found).ok_or(MisfitKind::NotJson);
        }
    }
}
