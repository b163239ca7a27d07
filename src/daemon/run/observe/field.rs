//! The types that an event may contain. Nothing that can hold a value of a record is here or may be
//! added: the only texts are names that the operator gave to files and columns, names of checks,
//! words of this program and texts of its own errors.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use super::line::LogLine;
use crate::engine::gate::verdict::Verdict;
use crate::engine::model::Columns;
use crate::engine::release::Sha256;
use crate::error::{Complaint, Error, ErrorCategory};
use crate::intake_counts::IntakeCounts;

/// A field of an event.
///
/// ```compile_fail
/// fn may_be_shown<T: tidegate_run::observe::EventField>() {}
/// may_be_shown::<String>();
/// ```
///
/// ```
/// fn may_be_shown<T: tidegate_run::observe::EventField>() {}
/// may_be_shown::<u64>();
/// ```
pub trait EventField: sealed::Sealed {
    /// Writes it into a line.
    fn write(&self, key: &'static str, line: &mut LogLine);
}

pub(super) mod sealed {
    /// Only this room decides which types are fields.
    pub trait Sealed {}
}

/// Makes types fields, one way of writing each.
macro_rules! fields {
    ($($type:ty: |$this:ident, $key:ident, $line:ident| $write:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl EventField for $type {
            fn write(&self, $key: &'static str, $line: &mut LogLine) {
                let $this = self;
                $write
            }
        }
    )*};
}

fields! {
    u64: |this, key, line| line.number(key, this);
    f64: |this, key, line| line.number(key, if this.is_finite() { *this } else { 0.0 });
    bool: |this, key, line| line.number(key, this);
    Duration: |this, key, line| line.number(key, format_args!("{:.3}", this.as_secs_f64()));
    jiff::SignedDuration: |this, key, line| line.number(key, format_args!("{:.3}", this.as_secs_f64()));
    jiff::Timestamp: |this, key, line| line.text(key, &format!("{this:.0}"));
    &'static str: |this, key, line| line.text(key, this);
    SocketAddr: |this, key, line| line.text(key, &this.to_string());
    Sha256: |this, key, line| line.text(key, &this.to_string());
    ErrorCategory: |this, key, line| line.text(key, kind(*this));
    FileName: |this, key, line| line.text(key, &this.0);
    ErrorText: |this, key, line| line.text(key, &this.0);
    ColumnNames: |this, key, line| line.list(key, this.0.iter().map(String::as_str));
    VariableNames: |this, key, line| line.list(key, this.0.iter().map(String::as_str));
    Checks: |this, key, line| line.list(key, this.0.iter().map(String::as_str));
    IntakeCounts: |this, _key, line| write_counts(this, line);
    UnpublishedRows: |this, _key, line| this.write_all(line);
}

impl<T: EventField> sealed::Sealed for Option<T> {}

impl<T: EventField> EventField for Option<T> {
    /// An absent field is not written.
    fn write(&self, key: &'static str, line: &mut LogLine) {
        if let Some(this) = self {
            this.write(key, line);
        }
    }
}

fn write_counts(counts: &IntakeCounts, line: &mut LogLine) {
    line.number("seen", counts.seen);
    line.number("kept", counts.kept);
    line.number("duplicate", counts.duplicate);
    line.number("skipped", counts.skipped);
    line.number("quarantined", counts.quarantined);
}

/// Accepted rows that are not published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnpublishedRows {
    /// Rows whose class is still too small.
    pub waiting: u64,
    /// Rows in atoms that are in no release yet.
    pub pending: u64,
}

impl UnpublishedRows {
    fn write_all(&self, line: &mut LogLine) {
        line.number("waiting", self.waiting);
        line.number("pending", self.pending);
    }
}

/// The name of a file of a directory source, without its folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName(String);

impl FileName {
    /// The last part of a path.
    pub fn of(path: &Path) -> FileName {
        FileName(
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
        )
    }
}

/// The text of one of this program's errors, with its place; by construction it contains no value
/// of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorText(String);

impl From<&Error> for ErrorText {
    fn from(error: &Error) -> ErrorText {
        ErrorText(error.to_string())
    }
}

impl From<Complaint> for ErrorText {
    fn from(complaint: Complaint) -> ErrorText {
        ErrorText(complaint.text().to_owned())
    }
}

/// Names of columns of the feed file, which each release publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnNames(Vec<String>);

impl ColumnNames {
    /// Those of these names that the feed file declares: no other text is accepted.
    pub fn declared(columns: &Columns, names: &[String]) -> ColumnNames {
        ColumnNames(
            names
                .iter()
                .filter(|name| columns.named(name).is_some())
                .cloned()
                .collect(),
        )
    }
}

/// Names of variables of the environment, never their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableNames(Vec<String>);

impl VariableNames {
    /// These names.
    pub fn new(names: Vec<String>) -> VariableNames {
        VariableNames(names)
    }
}

/// Names of checks of the gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks(Vec<String>);

impl Checks {
    /// The checks that were made.
    pub fn made(verdict: &Verdict) -> Checks {
        Checks::named(
            verdict
                .checks
                .iter()
                .filter(|check| check.made)
                .map(|check| check.check.name()),
        )
    }

    /// The checks that reject the release.
    pub fn against(verdict: &Verdict) -> Checks {
        let against = verdict
            .checks
            .iter()
            .filter(|check| !check.reasons.is_empty());
        Checks::named(against.map(|check| check.check.name()))
    }

    /// The checks with these names. A text that does not look like the name of a check becomes
    /// `unnamed`.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Checks {
        let fits = |name: &str| {
            (1..=32).contains(&name.len())
                && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_'))
        };
        Checks(
            names
                .into_iter()
                .map(|name| if fits(name) { name } else { "unnamed" }.to_owned())
                .collect(),
        )
    }
}

fn kind(kind: ErrorCategory) -> &'static str {
    match kind {
        ErrorCategory::Usage => "usage",
        ErrorCategory::Feed => "feed",
        ErrorCategory::Taxonomy => "taxonomy",
        ErrorCategory::Input => "input",
        ErrorCategory::Io => "io",
        ErrorCategory::Internal => "internal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_part_of_a_path_is_shown() {
        assert_eq!(
            FileName::of(Path::new("/var/spool/in/ward.csv")),
            FileName("ward.csv".to_owned())
        );
        assert_eq!(FileName::of(Path::new("/")), FileName(String::new()));
    }

    #[test]
    fn unknown_names_of_checks_are_not_shown() {
        let checks = Checks::named(["crowd", "HIV positive", "", "max_loss", &"x".repeat(33)]);
        assert_eq!(
            checks.0,
            ["crowd", "unnamed", "unnamed", "max_loss", "unnamed"]
        );
    }
}
