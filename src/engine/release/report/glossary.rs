//! The terms of the page, each in one sentence.

use maud::{Markup, html};

use super::html::fixed;
use super::words::{Term, Words};

/// The section.
pub(super) fn section(words: &Words) -> Markup {
    html! {
        section {
            h2 { (words.glossary) }
            dl class="terms" {
                @for Term { term, meaning } in words.terms {
                    div { dt { (fixed(term)) } dd { (fixed(meaning)) } }
                }
            }
        }
    }
}
