//! How messages become records (CONTRACTS 1, `each` and `where`): whether a message is one record or
//! has a list of them, which of these are read, and what happens to messages that are none.

use std::collections::BTreeMap;
use std::fmt;

use super::column_path::{PathPart, path_parts, record_parts};
use super::file::{Format, SourceTable, Unwanted, WhereTables};
use super::notes::Notes;
use crate::engine::model::{Column, ColumnSource, Kind};

/// How messages become records. It may change while a chain runs.
#[derive(Debug, Clone)]
pub struct RecordRules {
    /// Where the records of a message are; `None`: the message is one.
    pub each: Option<Vec<PathPart>>,
    /// The fields that decide which records are read.
    pub tests: Vec<Column>,
    /// A record is read if every test of one of these has its text; without any, every record is.
    pub wanted: Vec<Vec<(usize, TextPattern)>>,
    /// What happens to a message without content.
    pub tombstones: Unwanted,
    /// What happens to a message that deletes a record.
    pub deletes: Unwanted,
}

impl Default for RecordRules {
    fn default() -> RecordRules {
        RecordRules {
            each: None,
            tests: Vec::new(),
            wanted: Vec::new(),
            tombstones: Unwanted::Quarantine,
            deletes: Unwanted::Quarantine,
        }
    }
}

/// A text, or the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPattern {
    text: Box<str>,
    is_beginning: bool,
}

impl TextPattern {
    fn of(written: &str) -> TextPattern {
        let (text, is_beginning) = match written.strip_suffix('*') {
            Some(text) => (text, true),
            None => (written, false),
        };
        TextPattern {
            text: text.into(),
            is_beginning,
        }
    }

    /// Whether a text is like this.
    pub fn fits(&self, text: &str) -> bool {
        match self.is_beginning {
            true => text.starts_with(&*self.text),
            false => *text == *self.text,
        }
    }
}

/// As it is written.
impl fmt::Display for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        f.write_str(if self.is_beginning { "*" } else { "" })
    }
}

/// Reads `each`, `where` and what happens to messages that are no records.
pub(super) fn read(table: &SourceTable, notes: &mut Notes) -> RecordRules {
    let mut rules = RecordRules {
        tombstones: table.tombstones.unwrap_or(Unwanted::Quarantine),
        deletes: table.deletes.unwrap_or(Unwanted::Quarantine),
        ..RecordRules::default()
    };
    if let Some(each) = &table.each {
        rules.each = record_parts(each);
        let text = "`each` is the path of a list in a message, with a step for its elements: \"$.entry[*]\", \
                    \"$.entry[*].resource\", or \"$[*]\" for a message that is a list";
        notes.refuse_if(rules.each.is_none(), "source.each", text);
        let text = "`each` looks into messages of JSON: write `format = \"json\"`, or remove it";
        notes.refuse_if(table.format != Some(Format::Json), "source.each", text);
    }
    let alternatives: Vec<&BTreeMap<String, String>> = match &table.wanted {
        None => Vec::new(),
        Some(WhereTables::One(one)) => vec![one],
        Some(WhereTables::Several(all)) => all.iter().collect(),
    };
    let no_test = alternatives.iter().any(|tests| tests.is_empty());
    if table.wanted.is_some() && (alternatives.is_empty() || no_test) {
        let text = "`where` without a test reads nothing or everything: write `{ \"$.resourceType\" = \"Encounter\" }`, \
                    or remove it";
        notes.refuse("source.where", text);
    }
    for tests in alternatives {
        let mut all = Vec::new();
        for (path, written) in tests {
            let sound = path_parts(path).is_some();
            let text = "a test is a path and the text that must be there: `{ \"$.request.method\" = \"PUT\" }`; `*` at \
                        the end stands for any further text";
            notes.refuse_if(!sound || written.is_empty(), "source.where", text);
            let known = rules.tests.iter().position(|column| *column.name == **path);
            let at = known.unwrap_or(rules.tests.len());
            if known.is_none() && sound {
                rules.tests.push(tested(path));
            }
            all.push((at, TextPattern::of(written)));
        }
        rules.wanted.push(all);
    }
    rules
}

/// The field of a test.
fn tested(path: &str) -> Column {
    let source = ColumnSource {
        paths: vec![path.into()],
        ..ColumnSource::default()
    };
    Column::read_only(path, source, Kind::String)
}
