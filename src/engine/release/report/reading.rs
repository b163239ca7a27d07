//! Instructions for reading and counting a table whose rows keep their labels.

use maud::{Markup, html};

use super::html::fixed;
use super::{Form, Report};

/// The section; empty for other tables.
pub(super) fn section(report: &Report) -> Markup {
    if !report.form.keeps() {
        return Markup::default();
    }
    let (words, masked) = (report.words, report.manifest.policy["m"].is_number());
    let exact = if masked {
        words.reading_masked
    } else {
        words.reading_exact
    };
    // Labels of one list do not overlap, and data chose them, so that a better estimate than an even
    // spread is not sound.
    let of_classes = match report.form {
        Form::LastingLabels => &[words.reading_overlap, words.reading_spread][..],
        _ => &[],
    };
    html! {
        section {
            h2 { (words.reading) }
            ul {
                @for text in [&[words.reading_rows], of_classes, &[exact]].concat() {
                    li { (fixed(text)) }
                }
            }
        }
    }
}
