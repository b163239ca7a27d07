//! Errors outside a verdict (a rejection is a result, not an error). There are six kinds; each says
//! what the operator does next. No text here may contain a value of a record: errors contain
//! places, names and counts.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use schemars::JsonSchema;
use serde::Serialize;

/// The kind of an error, which says who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ErrorCategory {
    /// The command line: correct it.
    Usage,
    /// The feed file: correct the line it names.
    Feed,
    /// A taxonomy, in a feed file or a hierarchy file: correct the line it names.
    Taxonomy,
    /// A data file: correct or replace it.
    Input,
    /// The file system: check permissions and space, then try again.
    Io,
    /// A fault of this program: report it.
    Internal,
}

/// Another process that uses the same feed, if it is the reason of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherProcess {
    /// It holds the lock: this process can begin when the other one has ended.
    Works,
    /// It has written its fence after our last entry: it has taken the feed over from this process.
    TookOver,
}

/// An error with its place. Created with [`Error::new`] and the `in_…` methods.
#[derive(Debug, Clone)]
pub struct Error {
    /// The kind, which says who has to act.
    pub kind: ErrorCategory,
    /// The file concerned.
    pub file: Option<PathBuf>,
    /// The line (text files) or row (tables), counted from 1.
    pub line: Option<u64>,
    /// The key, option or column concerned.
    pub field: Option<String>,
    /// What is wrong and what to do.
    pub text: String,
    /// The line of the file, for people.
    pub passage: Option<Box<SourceLine>>,
    /// The other process, if it is the reason.
    pub rival: Option<OtherProcess>,
}

/// The line of an error, to be shown with a caret. The code that creates it has masked every secret
/// in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The line, without its end.
    pub line: String,
    /// The bytes of the line to which the caret points.
    pub at: Range<usize>,
}

/// An error for programs (CONTRACTS 3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Described {
    /// The kind, which says who has to act.
    pub kind: ErrorCategory,
    /// The file concerned.
    pub file: Option<String>,
    /// The line (text files) or row (tables), counted from 1.
    pub line: Option<u64>,
    /// The key, option or column concerned.
    pub field: Option<String>,
    /// What is wrong and what to do.
    pub text: String,
}

/// The return type of fallible functions of the daemon and the commands.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without a place.
    pub fn new(kind: ErrorCategory, text: impl Into<String>) -> Error {
        Error {
            kind,
            file: None,
            line: None,
            field: None,
            text: text.into(),
            passage: None,
            rival: None,
        }
    }

    /// The error if reading or writing `file` failed.
    pub fn io(file: &Path, doing: &str, error: &io::Error) -> Error {
        Error::new(
            ErrorCategory::Io,
            format!("cannot {doing}: {}", cause(error)),
        )
        .in_file(file)
    }

    /// The error for a pipe or a device in place of a file: opening one may wait for ever, and it
    /// cannot be read twice.
    pub fn irregular(kind: ErrorCategory, file: &Path) -> Error {
        Error::new(
            kind,
            "not a regular file: unpack or copy it to a file first",
        )
        .in_file(file)
    }

    /// Adds the file, unless there is one already.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Error {
        self.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// Adds the line or row, unless there is one already.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Error {
        self.line.get_or_insert(line);
        self
    }

    /// Adds the key, option or column, unless there is one already.
    #[must_use]
    pub fn in_field(mut self, field: impl Into<String>) -> Error {
        self.field.get_or_insert_with(|| field.into());
        self
    }

    /// Adds the other process that is the reason.
    #[must_use]
    pub fn because_of(mut self, rival: OtherProcess) -> Error {
        self.rival = Some(rival);
        self
    }

    /// The error for programs.
    pub fn describe(&self) -> Described {
        Described {
            kind: self.kind,
            file: self.file.as_ref().map(|file| file.display().to_string()),
            line: self.line,
            field: self.field.clone(),
            text: self.text.clone(),
        }
    }
}

/// A library's message about hosts and connections, in its own words; such a library knows nothing
/// about the content of records.
#[derive(Debug, Clone)]
pub struct Complaint(String);

impl Complaint {
    /// From these words, without terminal control characters, and truncated.
    pub fn of(words: &str) -> Complaint {
        Complaint(printable(&words.chars().take(200).collect::<String>()))
    }

    /// The words.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Why the operating system refuses, in words for people; never its own message, which may quote
/// anything.
pub fn cause(error: &io::Error) -> String {
    let known = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file",
        io::ErrorKind::PermissionDenied => "there is no permission to",
        io::ErrorKind::AlreadyExists => "it exists already",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::QuotaExceeded => "no more space is allowed here",
        io::ErrorKind::ReadOnlyFilesystem => "nothing can be written here",
        io::ErrorKind::IsADirectory => "this is a folder, not a file",
        io::ErrorKind::NotADirectory => "what should be a folder on the way to it is a file",
        io::ErrorKind::InvalidFilename => "the name is too long, or not valid for a file",
        io::ErrorKind::InvalidData => "the content is not valid",
        io::ErrorKind::UnexpectedEof => "the file ends too early",
        other => match Errno::from_io_error(error) {
            Some(Errno::IO) => "the disk fails",
            Some(Errno::MFILE | Errno::NFILE) => "too many files are open",
            Some(errno) => {
                return format!("the system refuses it with error {}", errno.raw_os_error());
            }
            None => return other.to_string(),
        },
    };
    known.to_owned()
}

/// Text with its control characters escaped, so that a name cannot control a terminal or break a
/// line.
pub fn printable(text: &str) -> String {
    printable_but(text, |_| false)
}

/// The same for text of several lines.
pub fn printable_lines(text: &str) -> String {
    printable_but(text, |c| matches!(c, '\n' | '\t'))
}

/// The same, except for some characters.
pub fn printable_but(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if commands_a_terminal(c) && !is_kept(c) {
            printable.extend(c.escape_default())
        } else {
            printable.push(c)
        }
    }
    printable
}

/// Whether a terminal obeys a character instead of showing it: control characters, and those that
/// reverse the order in which other characters are shown.
pub fn commands_a_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(&printable(&file.display().to_string()))?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            write!(f, ": ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "`{}`: ", printable(field))?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_draw_on_a_terminal() {
        let error = Error::new(ErrorCategory::Input, "wrong")
            .in_file(Path::new("a\n\u{1b}[31mb.csv"))
            .in_field("x\ty");
        assert_eq!(error.to_string(), "a\\n\\u{1b}[31mb.csv: `x\\ty`: wrong");
        assert_eq!(
            printable("\u{9b}31m\u{202e}csv\u{2066}Zürich"),
            "\\u{9b}31m\\u{202e}csv\\u{2066}Zürich"
        );
        assert_eq!(printable_lines("a\tb\nc\r\u{1b}"), "a\tb\nc\\r\\u{1b}");
    }

    #[test]
    fn causes_are_words_for_people() {
        for (kind, words) in [
            (
                io::ErrorKind::NotFound,
                "cannot open it: there is no such file",
            ),
            (
                io::ErrorKind::StorageFull,
                "cannot open it: the disk is full",
            ),
        ] {
            assert_eq!(
                Error::io(Path::new("a"), "open it", &kind.into()).text,
                words
            );
        }
        let failed = io::Error::from(Errno::IO);
        assert_eq!(
            Error::io(Path::new("a"), "write it", &failed).text,
            "cannot write it: the disk fails"
        );
    }
}
