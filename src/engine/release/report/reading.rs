//! How to read and count a table whose classes have labels of their own that they keep.

use super::html::{Page, put};
use super::{Form, Report};

/// The section; none for other tables.
pub fn write(page: &mut Page, report: &Report) {
    if report.form != Form::LastingLabels {
        return;
    }
    let (words, masked) = (report.words, report.manifest.policy["m"].is_number());
    let exact = if masked { words.reading_masked } else { words.reading_exact };
    put!(page, "<section>\n<h2>{}</h2>\n<ul>\n", words.reading);
    for text in [words.reading_rows, words.reading_overlap, words.reading_spread, exact] {
        put!(page, "<li>{text}</li>\n");
    }
    put!(page, "</ul>\n</section>\n");
}
