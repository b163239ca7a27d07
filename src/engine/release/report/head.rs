//! The head of the report: which release it is, its purpose, and how readers reach the people who
//! are responsible for it.

use maud::{Markup, html};

use super::Report;
use super::html::{Text, name};
use super::words::fill;

/// The head.
pub(super) fn head(report: &Report) -> Markup {
    let (words, manifest) = (report.words, report.manifest);
    html! {
        header {
            h1 { (fill(words.title, &[("feed", &name(&manifest.feed)), ("release", &manifest.release)])) }
            p class="due" { (fill(words.due, &[("time", &Text(&minute(&manifest.time))), ("chain", &manifest.chain)])) }
            @for (what, text) in [(words.purpose, &manifest.purpose), (words.contact, &manifest.contact)] {
                @if let Some(text) = text {
                    p class="due" { (what) ": " (name(text)) }
                }
            }
        }
    }
}

/// A time in a readable form: `2026-11-21 10:00:00 UTC`.
pub(super) fn minute(time: &str) -> String {
    time.replacen('T', " ", 1).replacen('Z', " UTC", 1)
}
