//! Where each key of a feed file stands, so that whatever is found wrong later, by whomever, can be shown with its line
//! and a caret; and the places of secrets, which are masked before a line is shown.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::daemon::error::{Error, ErrorCategory, SourceLine};

/// Bytes of the text.
pub type TextSpan = Range<usize>;

/// The text of a feed file and where its keys stand.
pub struct Places<'t> {
    file: PathBuf,
    text: &'t str,
    /// Path of a key, such as `column[1].taxonomy.bands`, to the key and its value.
    known: BTreeMap<String, KeyPlace>,
    secrets: Vec<TextSpan>,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct KeyPlace {
    /// The key; of a list item, the item.
    pub key: TextSpan,
    /// The value.
    pub value: TextSpan,
}

/// Something wrong, by the path of its key.
#[derive(Debug, Clone)]
pub struct ConfigProblem {
    /// The path of the key it is about.
    pub path: String,
    /// What is wrong; has no place in the feed file yet.
    pub error: Error,
}

impl ConfigProblem {
    /// What is wrong with the value of a key.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> ConfigProblem {
        ConfigProblem { path: path.into(), error: Error::new(ErrorCategory::Feed, text) }
    }
}

impl<'t> Places<'t> {
    /// Knows no key yet.
    pub fn new(file: &Path, text: &'t str) -> Places<'t> {
        Places { file: file.to_path_buf(), text, known: BTreeMap::new(), secrets: Vec::new() }
    }

    /// Learns where a key stands.
    pub fn learn(&mut self, path: &str, key: TextSpan, value: TextSpan) {
        self.known.insert(path.to_owned(), KeyPlace { key, value });
    }

    /// Learns where a secret stands.
    pub fn learn_secret(&mut self, value: TextSpan) {
        self.secrets.push(value);
    }

    /// Where a key stands; if it is not written, the table that it belongs in.
    pub fn find(&self, path: &str) -> Option<&KeyPlace> {
        let mut path = path;
        loop {
            if let Some(place) = self.known.get(path) {
                return Some(place);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// The key whose value holds this place, the innermost one.
    pub fn around(&self, at: &TextSpan) -> Option<&str> {
        let holds = |place: &KeyPlace| place.value.start <= at.start && at.end <= place.value.end;
        let inside = self.known.iter().filter(|(_, place)| holds(place));
        inside.min_by_key(|(_, place)| place.value.len()).map(|(path, _)| path.as_str())
    }

    /// The first in the order of the file, at its place.
    pub fn first(&self, problems: Vec<ConfigProblem>) -> Option<Error> {
        let start = |problem: &ConfigProblem| self.find(&problem.path).map_or(0, |place| place.key.start);
        problems.into_iter().min_by_key(start).map(|problem| self.place(problem))
    }

    /// At the value of its key, or at the table that the key should stand in.
    pub fn place(&self, problem: ConfigProblem) -> Error {
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

    /// At these bytes.
    pub fn at(&self, span: &TextSpan, error: Error) -> Error {
        let span = span.start.min(self.text.len())..span.end.min(self.text.len());
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let number = self.text[..start].matches('\n').count() as u64 + 1;
        let end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let line = self.masked(start..end);
        let from = (span.start - start).min(line.len());
        let at = from..(span.end - start).clamp(from, line.len());
        let mut error = error.in_file(&self.file).at_line(number);
        error.passage = Some(Box::new(SourceLine { line, at }));
        error
    }

    /// Some bytes of the text, with a star for each byte of a secret.
    fn masked(&self, span: TextSpan) -> String {
        let mut bytes = self.text[span.clone()].trim_end_matches('\r').as_bytes().to_vec();
        for secret in &self.secrets {
            let (from, to) = (secret.start.max(span.start), secret.end.min(span.start + bytes.len()));
            if from < to {
                bytes[from - span.start..to - span.start].fill(b'*');
            }
        }
        String::from_utf8(bytes).expect("secrets are whole TOML values, so whole characters are masked")
    }
}

/// Keys that may hold a secret, for lines that cannot be parsed.
const SECRET_KEYS: [&str; 6] = ["password", "key", "token", "webhook", "url", "secret"];

impl Places<'_> {
    /// What the parser of TOML says, at its place. Nothing is known of such a text, so a line is shown only if it looks
    /// harmless.
    pub fn of_syntax(&self, error: &toml::de::Error) -> Error {
        let mut text = format!("this is not TOML: {}", error.message().replace('\n', ", "));
        // The commonest slip: a list of tables written as a table.
        let twice = error.span().and_then(|span| self.text.get(span)).is_some_and(|key| key.contains("column"));
        if twice && error.message().contains("duplicate key") {
            text.push_str("; a feed has several columns, so each begins with `[[column]]`, in two pairs of brackets");
        }
        let found = Error::new(ErrorCategory::Feed, text);
        let Some(span) = error.span() else { return found.in_file(&self.file) };
        let mut found = self.at(&span, found);
        let several_lines = self.text.contains("\"\"\"") || self.text.contains("'''");
        let suspicious = |line: &str| SECRET_KEYS.iter().any(|key| line.to_lowercase().contains(key));
        if several_lines || found.passage.as_ref().is_some_and(|passage| suspicious(&passage.line)) {
            found.passage = None;
        }
        found
    }
}
