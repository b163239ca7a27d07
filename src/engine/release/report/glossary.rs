//! The terms of the page, each in a sentence.

use super::html::{Page, put};
use super::words::{Term, Words};

/// The section.
pub fn write(page: &mut Page, words: &Words) {
    put!(page, "<section>\n<h2>{}</h2>\n<dl class=\"terms\">\n", words.glossary);
    for Term { term, meaning } in words.terms {
        put!(page, "<div><dt>{term}</dt><dd>{meaning}</dd></div>\n");
    }
    put!(page, "</dl>\n</section>\n");
}
