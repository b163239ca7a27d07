//! The pages that commands write, in a browser: readable on a phone, on a desktop, on paper, in
//! light and dark schemes, and by screen readers; self-contained; and without a value of a record
//! that is not a published label.

mod browser;
mod judge;
mod page_samples;

use std::path::Path;

use crate::common::needs;
use browser::Browser;
use judge::{checker, defects};
use page_samples::{Made, pages, shown_values};

/// Text with too little contrast, a link without a name, no language, a wide line, an external
/// picture, and a long page.
const BAD: &str = "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>Bad</title></head><body><main><h1>Bad</h1>\
    <p style=\"color: #bbb; background: #fff\">Pale</p><p><a href=\"#\"></a></p><div style=\"width: 2000px\">Wide</div>\
    <img alt=\"Elsewhere\" src=\"elsewhere.png\"><div style=\"height: 3000px\">Long</div></main></body></html>";

/// One test, since one browser serves all pages.
#[test]
fn pages_are_readable_and_complete_and_show_no_record() {
    let made = Made::new();
    let pages = pages(&made);
    for page in &pages {
        let shown = shown_values(&std::fs::read_to_string(&page.path).expect("a page"));
        assert!(
            shown.is_subset(&made.labels),
            "{}: {shown:?} but published are {:?}",
            page.name,
            made.labels
        );
    }
    let python = needs::tool("TIDEGATE_PYTHON");
    let (Some(python), true) = (python, needs::program("chromium", Browser::is_there())) else {
        return;
    };
    let checker = checker(Path::new(&python));
    let mut browser = Browser::start();

    let bad = made.path("bad.html");
    std::fs::write(&bad, BAD).expect("a page");
    let found = defects(&mut browser, &checker, &bad, 1).join("\n");
    let missed = [
        "color-contrast",
        "link-name",
        "html-has-lang",
        "scrolls sideways",
        "asks for",
        "sheets of paper",
    ];
    missed
        .iter()
        .for_each(|word| assert!(found.contains(word), "{word}: {found}"));

    let mut found = Vec::new();
    for page in &pages {
        let defects = defects(&mut browser, &checker, &page.path, page.sheets);
        found.extend(
            defects
                .into_iter()
                .map(|defect| format!("{}: {defect}", page.name)),
        );
    }
    assert!(
        found.is_empty(),
        "{} defects:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn planted_values_are_found() {
    let shown = shown_values("<b>CqplantName3</b> <i title=\"CqplantWard01\">Wing</i>");
    assert_eq!(
        shown,
        ["CqplantName3", "CqplantWard01"].map(str::to_owned).into()
    );
}
