//! What an officer reads first: that the gate let the release leave, what was judged and what was not, and columns of which nothing is
//! left.

use super::Cutting;
use super::html::{Page, Text, put};
use super::known::known;
use crate::release::manifest::Manifest;

/// The section. `two`: the release shows each value in a table of its own.
pub fn write(page: &mut Page, manifest: &Manifest, columns: &[Cutting], two: bool) {
    put!(page, "<section aria-label=\"Verdict\">\n");
    let made = manifest.checks.iter().filter(|line| line.made).count();
    match made {
        0 => put!(page, "<p class=\"warning\">No check was made: nothing protects the people in this release.</p>\n"),
        _ => {
            put!(page, "<p class=\"rule\">The gate let this release leave: each check that was made has passed.</p>\n")
        }
    }
    for (judged, words) in [(true, "Judged"), (false, "Not judged")] {
        let titles: Vec<String> = titles(manifest, judged);
        if !titles.is_empty() {
            put!(page, "<p><b>{words}:</b> {}.</p>\n", titles.join("; "));
        }
    }
    let none: Vec<String> =
        columns.iter().filter(|_| !two).filter(|column| is_without_detail(column)).map(name).collect();
    if !none.is_empty() {
        put!(page, "<p class=\"warning\">Without any detail, the same label in each row: {}.</p>\n", none.join(", "));
    }
    put!(page, "</section>\n");
}

/// Checks that were made, or were not, as people call them.
fn titles(manifest: &Manifest, made: bool) -> Vec<String> {
    let title = |line: &crate::release::figure::CheckLine| {
        let about = known(&line.check, manifest.is_divided());
        about.map_or_else(|| format!("<code>{}</code>", Text(&line.check)), |about| about.title.to_owned())
    };
    manifest.checks.iter().filter(|line| line.made == made).map(title).collect()
}

/// Whether each row shows the root of a column that has several values.
fn is_without_detail(column: &Cutting) -> bool {
    column.tree.values(0) > 1 && column.shown.all() > 0 && column.shown.at(0) == column.shown.all()
}

fn name(column: &Cutting) -> String {
    format!("<bdi>{}</bdi>", Text(column.name))
}
