//! The report of a release: one self-contained page for people who are no experts (CONTRACTS 4). A pure function of the
//! manifest, the taxonomies and how many rows there are under each label.
//!
//! Never a sensitive value, nor a count per sensitive value: of the table only class sizes are read. Nothing is fetched,
//! nothing is run. The manifest's files and its decision are not looked at, so that the report can be one of those files
//! and whoever judges it can write it again.

mod checks;
mod detail;
mod facts;
pub mod html;
mod icicle;
mod known;
mod labels;
mod recoding;
mod risk;
mod sizes;
mod verdict;

use super::manifest::Manifest;
use super::overview::Overview;
use super::utility::Shown;
use crate::model::{Column, Columns, Node, Role, Taxonomy};
use html::{Page, STYLE, Text, put};

/// A quasi column: its name, its tree, its published labels, and how many rows show which.
struct Cutting<'a> {
    name: &'a str,
    tree: &'a Taxonomy,
    nodes: Vec<Node>,
    shown: Shown,
}

/// The report as HTML.
///
/// # Panics
/// If the manifest is another table's.
pub fn report(manifest: &Manifest, columns: &Columns, table: &Overview<'_>) -> Vec<u8> {
    let sums = &table.sums;
    assert_eq!((manifest.rows, manifest.classes), (sums.rows(), sums.classes()), "the manifest of this table");
    let quasi = columns.of(Role::Quasi).zip(columns.trees()).enumerate();
    let cutting = |(at, (column, tree))| {
        let column: &Column = column;
        Cutting { name: &column.name, tree, nodes: table.labels(at), shown: Shown::of(table, at) }
    };
    let cuttings: Vec<Cutting> = quasi.map(cutting).collect();
    let sizes: Vec<(u64, u64)> = sums.sizes().collect();
    let mut page = Page::default();
    let title = format!("{}, release {}", manifest.feed, manifest.release);
    put!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put!(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    put!(page, "<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n", Text(&title));
    facts::write_head(&mut page, manifest);
    verdict::write(&mut page, manifest, &cuttings, manifest.two_tables());
    facts::write(&mut page, manifest);
    let sensitive: Vec<&str> = columns.of(Role::Sensitive).map(|column| &*column.name).collect();
    let form = match (manifest.two_tables(), table.local) {
        (true, _) => recoding::Form::Two,
        _ if manifest.has_crowds() => recoding::Form::Crowds { masked: manifest.policy["m"].is_number() },
        (_, true) => recoding::Form::Local,
        _ => recoding::Form::Global,
    };
    recoding::write(&mut page, &cuttings, &sensitive, form);
    checks::write(&mut page, &manifest.checks, manifest.is_divided());
    sizes::write(&mut page, manifest.k, &sizes);
    risk::write(&mut page, &sums.together().collect(), form);
    facts::write_policy(&mut page, manifest);
    put!(page, "</body>\n</html>\n");
    page.into_bytes()
}
