//! The position of each key of a feed file, so that every problem found later can be shown with its
//! line and a caret; and the positions of secrets, which are masked before a line is shown.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorCategory, SourceLine};

/// A range of bytes in the text.
pub(super) type TextSpan = Range<usize>;

/// The text of a feed file and the positions of its keys.
pub(super) struct Places<'t> {
    file: PathBuf,
    text: &'t str,
    /// From the path of a key, such as `column[1].taxonomy.bands`, to the positions of the key and
    /// its value.
    known: BTreeMap<String, KeyPlace>,
    secrets: Vec<TextSpan>,
}

/// The positions of a key and its value.
#[derive(Debug, Clone)]
pub(super) struct KeyPlace {
    /// The key; for a list item, the item.
    pub key: TextSpan,
    /// The value.
    pub value: TextSpan,
}

/// A problem, by the path of its key.
#[derive(Debug, Clone)]
pub(super) struct ConfigProblem {
    /// The path of the key concerned.
    pub path: String,
    /// The problem, without a place in the feed file.
    pub error: Error,
}

impl ConfigProblem {
    /// A problem with the value of a key.
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> ConfigProblem {
        ConfigProblem {
            path: path.into(),
            error: Error::new(ErrorCategory::Feed, text),
        }
    }
}

impl<'t> Places<'t> {
    /// Starts without keys.
    pub(super) fn new(file: &Path, text: &'t str) -> Places<'t> {
        Places {
            file: file.to_path_buf(),
            text,
            known: BTreeMap::new(),
            secrets: Vec::new(),
        }
    }

    /// Records the position of a key.
    pub(super) fn learn(&mut self, path: &str, key: TextSpan, value: TextSpan) {
        self.known.insert(path.to_owned(), KeyPlace { key, value });
    }

    /// Records the position of a secret.
    pub(super) fn learn_secret(&mut self, value: TextSpan) {
        self.secrets.push(value);
    }

    /// The position of a key; if it is missing, that of the table that it belongs to.
    pub(super) fn find(&self, path: &str) -> Option<&KeyPlace> {
        let mut path = path;
        loop {
            if let Some(place) = self.known.get(path) {
                return Some(place);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// The innermost key whose value contains this position.
    pub(super) fn around(&self, at: &TextSpan) -> Option<&str> {
        let holds = |place: &KeyPlace| place.value.start <= at.start && at.end <= place.value.end;
        let inside = self.known.iter().filter(|(_, place)| holds(place));
        inside
            .min_by_key(|(_, place)| place.value.len())
            .map(|(path, _)| path.as_str())
    }

    /// The first problem in the order of the file, with its place.
    pub(super) fn first(&self, problems: Vec<ConfigProblem>) -> Option<Error> {
        let start =
            |problem: &ConfigProblem| self.find(&problem.path).map_or(0, |place| place.key.start);
        problems
            .into_iter()
            .min_by_key(start)
            .map(|problem| self.place(problem))
    }

    /// Adds the place of its value, or of the table that should contain the key.
    pub(super) fn place(&self, problem: ConfigProblem) -> Error {
        let ConfigProblem { path, mut error } = problem;
        if error.file.is_some() {
            return error.in_field(path);
        }
        error.field = Some(path.clone());
        match (self.known.get(&path), self.find(&path)) {
            (Some(place), _) => self.at(&place.value, error),
            (None, Some(table)) => self.at(&table.key, error),
            (None, None) => error.in_file(&self.file),
        }
    }

    /// Adds the place of these bytes.
    pub(super) fn at(&self, span: &TextSpan, error: Error) -> Error {
        let span = span.start.min(self.text.len())..span.end.min(self.text.len());
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let number = self.text[..start].matches('\n').count() as u64 + 1;
        let end = self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |at| start + at);
        let line = self.masked(start..end);
        let from = (span.start - start).min(line.len());
        let at = from..(span.end - start).clamp(from, line.len());
        let mut error = error.in_file(&self.file).at_line(number);
        error.passage = Some(Box::new(SourceLine { line, at }));
        error
    }

    /// Some bytes of the text, with an asterisk for each byte of a secret.
    fn masked(&self, span: TextSpan) -> String {
        let mut bytes = self.text[span.clone()]
            .trim_end_matches('\r')
            .as_bytes()
            .to_vec();
        for secret in &self.secrets {
            let (from, to) = (
                secret.start.max(span.start),
                secret.end.min(span.start + bytes.len()),
            );
            if from < to {
                bytes[from - span.start..to - span.start].fill(b'*');
            }
        }
        String::from_utf8(bytes)
            .expect("secrets are whole TOML values, so whole characters are masked")
    }
}

/// Keys that may hold a secret, for lines that cannot be parsed.
const SECRET_KEYS: [&str; 6] = ["password", "key", "token", "webhook", "url", "secret"];

impl Places<'_> {
    /// The TOML parser's message, with its place. Nothing is known about such a text, so a line is
    /// shown only if it looks harmless.
    pub(super) fn of_syntax(&self, error: &toml::de::Error) -> Error {
        let mut text = format!("this is not TOML: {}", error.message().replace('\n', ", "));
        // The most common mistake: a list of tables written as a table.
        let twice = error
            .span()
            .and_then(|span| self.text.get(span))
            .is_some_and(|key| key.contains("column"));
        if twice && error.message().contains("duplicate key") {
            text.push_str("; a feed has several columns, so each begins with `[[column]]`, in two pairs of brackets");
        }
        let found = Error::new(ErrorCategory::Feed, text);
        let Some(span) = error.span() else {
            return found.in_file(&self.file);
        };
        let mut found = self.at(&span, found);
        let several_lines = self.text.contains("\"\"\"") || self.text.contains("'''");
        let suspicious = |line: &str| {
            SECRET_KEYS
                .iter()
                .any(|key| line.to_lowercase().contains(key))
        };
        if several_lines
            || found
                .passage
                .as_ref()
                .is_some_and(|passage| suspicious(&passage.line))
        {
            found.passage = None;
        }
        found
    }
}
