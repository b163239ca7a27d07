//! The checks of every page: at the width of a phone and of a desktop, light and dark, and on
//! paper.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use super::browser::Browser;

const PHONE: u32 = 360;
const DESK: u32 = 1280;
/// An A4 page between its margins, in CSS pixels.
const PAPER: u32 = 680;
/// Width, medium, colours.
const VIEWS: [(u32, &str, &str); 5] = [
    (PHONE, "screen", "light"),
    (PHONE, "screen", "dark"),
    (DESK, "screen", "light"),
    (DESK, "screen", "dark"),
    (PAPER, "print", "light"),
];
/// The violations that the checker finds, with their rules. Undecided cases (text on drawings) are
/// not violations.
const VIOLATIONS: &str = "axe.run(document, {resultTypes: ['violations'], RULES}).then(found => found.violations.map(one => \
    `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map(node => node.html).join(' ')} (${one.nodes.length})`))";
/// The number of pixels by which the page is too wide, and the element that reaches farthest.
const SCROLLS: &str = "(() => { const wide = document.documentElement.clientWidth; \
    const right = one => one.getBoundingClientRect().right; \
    const far = [...document.body.querySelectorAll('*')].sort((a, b) => right(b) - right(a))[0]; \
    const beyond = document.documentElement.scrollWidth - wide; \
    return beyond > 0 ? `scrolls sideways by ${beyond} pixels: ${far.cloneNode().outerHTML}` : '' })()";

/// The script of the accessibility checker, from the Python package that contains it.
pub fn checker(python: &Path) -> String {
    let find = "import importlib.util as u; print(u.find_spec('axe_playwright_python').submodule_search_locations[0])";
    let output = Command::new(python)
        .args(["-c", find])
        .output()
        .expect("Python starts");
    let folder = String::from_utf8(output.stdout).expect("text");
    let script = PathBuf::from(folder.trim()).join("axe.min.js");
    std::fs::read_to_string(&script).unwrap_or_else(|error| panic!("{}: {error}", script.display()))
}

/// The defects of a page, which may take this many sheets of A4.
pub fn defects(browser: &mut Browser, checker: &str, page: &Path, sheets: usize) -> Vec<String> {
    browser.open(page);
    let mut found = browser.noise();
    browser.value(checker);
    for (width, medium, colours) in VIEWS {
        browser.show(width, medium, colours);
        let view = format!("{width} pixels, {medium}, {colours}");
        // Colours and paper do not change the structure.
        let rules = if (medium, colours) == ("screen", "light") {
            ""
        } else {
            "runOnly: ['color-contrast']"
        };
        let Json::Array(violations) = browser.value(&VIOLATIONS.replace("RULES", rules)) else {
            panic!("the checker gives a list")
        };
        found.extend(
            violations
                .iter()
                .map(|one| format!("{view}: {}", one.as_str().expect("text"))),
        );
        let scrolls = browser.value(SCROLLS);
        found.extend(
            scrolls
                .as_str()
                .filter(|said| !said.is_empty())
                .map(|said| format!("{view}: {said}")),
        );
    }
    let printed = printed_sheets(&browser.print());
    if printed > sheets {
        found.push(format!("takes {printed} sheets of paper, not {sheets}"));
    }
    found
}

/// The number of pages of a PDF of Chromium: each is an object of its own, which is not compressed.
fn printed_sheets(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    let sheets = text.matches("/Type /Page\n").count();
    assert!(sheets > 0, "a PDF has pages");
    sheets
}
