//! A sample of JSON lines (CONTRACTS 3, `init`): every field of a line, including fields of nested
//! objects, is a column with a path. Errors name a line and never its content.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::{Map, Value};

use super::profile::Profile;
use crate::engine::model::Kind;
use crate::engine::model::forms::dates;
use crate::error::{Error, ErrorCategory, Result};

/// The most bytes of a line.
const LONGEST: u64 = 1 << 24;
/// The most levels of nested objects that are examined.
const DEEPEST: usize = 8;
/// The most fields.
const MOST_FIELDS: usize = 10_000;

/// The number of rows that were read, whether there are more, and the columns in the order in which
/// their fields first appear.
pub(super) fn read(path: &Path, most: u64) -> Result<(u64, bool, Vec<Profile>)> {
    let io = |error: std::io::Error| Error::io(path, "read the file", &error);
    let wrong = |text: &str, line: u64| {
        Error::new(ErrorCategory::Input, text.to_owned())
            .in_file(path)
            .at_line(line)
    };
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let mut columns = Columns::default();
    let (mut bytes, mut line, mut rows) = (Vec::new(), 0, 0);
    loop {
        bytes.clear();
        line += 1;
        if reader
            .by_ref()
            .take(LONGEST + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(io)?
            == 0
        {
            break;
        }
        let text = bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .filter(|_| line == 1)
            .unwrap_or(&bytes)
            .trim_ascii();
        if bytes.len() as u64 > LONGEST {
            return Err(wrong(
                "the line is longer than 16 MiB: give a sample with shorter lines",
                line,
            ));
        }
        if text.is_empty() {
            continue;
        }
        if rows == most {
            return Ok((rows, true, named(columns.all, rows)));
        }
        let object: Map<String, Value> = serde_json::from_slice(text).map_err(|_| {
            wrong(
                "the line is not a single JSON object: write one object per line",
                line,
            )
        })?;
        rows += 1;
        if fields(&object, &mut Vec::new(), &mut columns, &mut 0).is_none() {
            return Err(wrong(
                "the file has more than 10,000 different fields: give a sample with fewer",
                line,
            ));
        }
    }
    Ok((rows, false, named(columns.all, rows)))
}

/// Fields in the order in which they first appear, and the index of each.
#[derive(Default)]
struct Columns {
    all: Vec<(Vec<String>, Profile)>,
    at: BTreeMap<Vec<String>, usize>,
}

impl Columns {
    /// The index of a field, new or known; `None` if there are too many.
    fn place(&mut self, steps: &[String], next: usize) -> Option<usize> {
        if self.all.get(next).is_some_and(|(known, _)| known == steps) {
            return Some(next);
        }
        if let Some(&at) = self.at.get(steps) {
            return Some(at);
        }
        if self.all.len() == MOST_FIELDS {
            return None;
        }
        self.at.insert(steps.to_vec(), self.all.len());
        self.all
            .push((steps.to_vec(), Profile::new(&steps.join("_"), None)));
        Some(self.all.len() - 1)
    }
}

/// Adds the fields of an object and of nested objects; `None` if there are too many. `next` is the
/// likely index of the next field, if lines are alike.
fn fields(
    object: &Map<String, Value>,
    steps: &mut Vec<String>,
    columns: &mut Columns,
    next: &mut usize,
) -> Option<()> {
    for (key, value) in object {
        steps.push(key.clone());
        match value {
            Value::Object(below) if steps.len() < DEEPEST => fields(below, steps, columns, next)?,
            value => {
                let at = columns.place(steps, *next)?;
                *next = at + 1;
                take(value, &mut columns.all[at].1);
            }
        }
        steps.pop();
    }
    Some(())
}

/// Adds a value in its JSON type.
fn take(value: &Value, profile: &mut Profile) {
    let (kind, written) = match value {
        Value::Null => return,
        Value::String(text) => (Kind::String, text.clone()),
        Value::Bool(truth) => (Kind::Bool, truth.to_string()),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => (Kind::Int, whole.to_string()),
            (None, number) => (Kind::Float, number.unwrap_or(f64::NAN).to_string()),
        },
        Value::Array(_) | Value::Object(_) => {
            profile.declared =
                Err("its values are lists or objects; name a field in them with `path`");
            return;
        }
    };
    profile.declared = match profile.declared {
        Ok(None) => Ok(Some(kind)),
        Ok(Some(Kind::Int | Kind::Float))
            if matches!(kind, Kind::Int | Kind::Float) && profile.declared != Ok(Some(kind)) =>
        {
            Ok(Some(Kind::Float))
        }
        Ok(Some(known)) if known != kind => {
            Err("some of its values are text and others are not: write all of them in the same way")
        }
        known => known,
    };
    profile.add(&written);
}

/// The columns with their names, and with the paths of fields of objects.
fn named(columns: Vec<(Vec<String>, Profile)>, rows: u64) -> Vec<Profile> {
    let names: Vec<String> = columns
        .iter()
        .map(|(_, profile)| profile.name.clone())
        .collect();
    let twice = |at: usize| {
        names
            .iter()
            .enumerate()
            .any(|(other, name)| other != at && *name == names[at])
    };
    let finish = |(at, (steps, mut profile)): (usize, (Vec<String>, Profile))| {
        profile.missing = rows - profile.filled;
        // Days are text in JSON, and are read as days.
        if profile.declared == Ok(Some(Kind::String))
            && matches!(profile.range(dates::parse), Some((.., 0)))
        {
            profile.declared = Ok(Some(Kind::Date));
        }
        if steps.len() > 1 {
            let odd = |c: char| c.is_whitespace() || "$.[]\"'*".contains(c);
            if steps
                .iter()
                .any(|step| step.is_empty() || step.contains(odd))
                || twice(at)
            {
                profile.declared =
                    Err("`path` cannot describe its place, or two columns would have its name");
            }
            profile.path = Some(format!("$.{}", steps.join(".")));
        }
        profile
    };
    columns.into_iter().enumerate().map(finish).collect()
}
