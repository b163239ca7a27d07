//! The result of `check --connect` (CONTRACTS 3), as values and in words. The connections are made
//! elsewhere.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::config::FeedConfig;
use crate::daemon::service::{ConnectionCheck, connect};
use crate::paragraph::wrapped;

/// Something that a feed file names, and whether it can be used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectReport {
    /// The key that names it.
    pub what: String,
    /// Whether it can be used.
    pub ok: bool,
    /// What was found, or why it cannot be used.
    pub text: String,
    /// What may go wrong with it.
    pub warnings: Vec<String>,
}

/// Checks everything outside that a feed file names.
pub(super) fn reports(feed: &FeedConfig) -> Vec<ConnectReport> {
    let report = |ConnectionCheck {
                      what,
                      found,
                      doubts,
                  }| {
        let ok = found.is_ok();
        let text = found.unwrap_or_else(|error| error.to_string());
        ConnectReport {
            what: what.to_owned(),
            ok,
            text,
            warnings: doubts,
        }
    };
    connect(feed).into_iter().map(report).collect()
}

/// In words.
pub(super) fn words(reports: &[ConnectReport]) -> String {
    let mut text = String::from("What is there\n");
    for ConnectReport {
        what,
        ok,
        text: said,
        warnings,
    } in reports
    {
        let mut line = String::new();
        let _ = write!(line, "  {} {what}: ", if *ok { "✓" } else { "✗" });
        wrapped(&mut text, &line, said);
        for warning in warnings {
            wrapped(&mut text, "    - ", warning);
        }
    }
    if reports.is_empty() {
        text.push_str("  The feed file names no source and no store.\n");
    }
    text.push('\n');
    text
}
