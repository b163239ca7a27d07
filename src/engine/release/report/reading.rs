//! Instructions for reading and counting a table whose classes keep labels of their own.

use maud::{Markup, html};

use super::html::fixed;
use super::{Form, Report};

/// The section; empty for other tables.
pub fn section(report: &Report) -> Markup {
    if report.form != Form::LastingLabels {
        return Markup::default();
    }
    let (words, masked) = (report.words, report.manifest.policy["m"].is_number());
    let exact = if masked {
        words.reading_masked
    } else {
        words.reading_exact
    };
    html! {
        section {
            h2 { (words.reading) }
            ul {
                @for text in [words.reading_rows, words.reading_overlap, words.reading_spread, exact] {
                    li { (fixed(text)) }
                }
            }
        }
    }
}
