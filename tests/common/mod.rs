//! Code shared by the test files: taxonomies and tables from the compact JSON of `tests/golden`,
//! converted to the product's own types by the product's own code.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each test file uses its part"
)]

pub mod adult;
pub mod avro_write;
pub mod broker;
pub mod chain;
pub mod delta;
pub mod draw;
pub mod feed;
pub mod levels;
pub mod measures;
pub mod needs;
pub mod place;
pub mod ports;
pub mod public;
pub mod random;
pub mod refinement_cases;
pub mod secret;
pub mod server;
pub mod shim;
pub mod slow;
pub mod wait;
pub mod world;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::Value as Json;
use tidegate::engine::histogram::{
    CellReading, Encoder, Histogram, Release, SensitiveValues, number_recodings,
};
use tidegate::engine::model::{
    Column, Columns, Cut, DetailSettings, Domain, Kind, LeafRule, Recoding, Role, Taxonomy, Tree,
};

/// If a case is costly (a process that is killed, a whole chain) a long run draws this many times
/// as many, not all.
const LONG: u32 = 50;

/// A case's number of random tables: `TIDEGATE_CASES`, up to the limit of the test, or the everyday
/// number.
pub fn cases(everyday: u32) -> u32 {
    let asked: Option<u32> = std::env::var("TIDEGATE_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    asked.map_or(everyday, |asked| asked.min(everyday.saturating_mul(LONG)))
}

/// Whether this is a long run (`tests/long`), which leaves nothing out.
pub fn is_long() -> bool {
    std::env::var_os("TIDEGATE_CASES").is_some()
}

/// Whether a public file only helps people and readers to find others: it is written again with
/// each release.
pub fn is_advisory(path: &str) -> bool {
    ["LATEST", "index.html", "_last_checkpoint"]
        .iter()
        .any(|name| path.ends_with(name))
}

pub fn golden(name: &str) -> Json {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A nested object of labels as a taxonomy.
pub fn taxonomy(json: &Json) -> Taxonomy {
    let (root, below) = json
        .as_object()
        .expect("an object")
        .iter()
        .next()
        .expect("a root");
    let mut tree = Tree::new(root);
    grow(&mut tree, 0, below);
    tree.finish().expect("a tree")
}

fn grow(tree: &mut Tree, parent: usize, below: &Json) {
    for (label, below) in below.as_object().into_iter().flatten() {
        let node = tree.add(parent, label, 1);
        grow(tree, node, below);
    }
}

/// Leaf-to-root rows of a nested tree, as a hierarchy file writes them.
pub fn paths(tree: &Json, above: &mut Vec<String>, lines: &mut Vec<String>) {
    for (label, below) in tree.as_object().expect("an object") {
        above.push(label.clone());
        if below.as_object().is_none_or(|below| below.is_empty()) {
            lines.push(above.iter().rev().cloned().collect::<Vec<_>>().join(";"));
        } else {
            paths(below, above, lines);
        }
        above.pop();
    }
}

/// Quasi columns `q0`, `q1`, … with these trees and one sensitive column `s`.
pub fn columns(trees: Vec<Taxonomy>) -> Columns {
    let column = |name: String, role, taxonomy| Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind: Kind::String,
        taxonomy,
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    };
    let quasi = trees.into_iter().enumerate().map(|(at, tree)| {
        let domain = Domain {
            tree,
            rule: LeafRule::Label,
        };
        column(format!("q{at}"), Role::Quasi, Some(Arc::new(domain)))
    });
    let mut all: Vec<Column> = quasi.collect();
    all.push(column("s".into(), Role::Sensitive, None));
    Columns::new(all)
}

/// One row: labels (leaves for raw rows, nodes for releases) and the sensitive value.
pub type Row = (Vec<String>, String);

/// Rows as an Arrow batch of strings.
pub fn batch(rows: &[Row], quasi: usize) -> RecordBatch {
    let text = |of: &dyn Fn(&Row) -> String| {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of))) as ArrayRef
    };
    let mut named: Vec<(String, ArrayRef)> = (0..quasi)
        .map(|at| (format!("q{at}"), text(&|row: &Row| row.0[at].clone())))
        .collect();
    named.push(("s".into(), text(&|row: &Row| row.1.clone())));
    RecordBatch::try_from_iter(named).expect("columns of one length")
}

/// `[[labels…], s]` or `[[labels…], s, count]`, repeated as often as the count says.
pub fn rows(json: &Json) -> Vec<Row> {
    let row = |row: &Json| -> Vec<Row> {
        let labels = strings(&row[0]);
        let count = row
            .get(2)
            .map_or(1, |count| count.as_u64().expect("a count"));
        vec![(labels, row[1].as_str().expect("a value").to_owned()); count as usize]
    };
    json.as_array()
        .expect("rows")
        .iter()
        .flat_map(row)
        .collect()
}

pub fn strings(json: &Json) -> Vec<String> {
    json.as_array()
        .expect("a list")
        .iter()
        .map(|label| label.as_str().expect("a label").to_owned())
        .collect()
}

/// A recoding from labels per column.
pub fn recoding(labels: &[Vec<String>], trees: &[&Taxonomy]) -> Recoding {
    let cut = |(labels, tree): (&Vec<String>, &&Taxonomy)| {
        let nodes: Vec<u32> = labels
            .iter()
            .map(|label| tree.find(label).expect("a label"))
            .collect();
        Cut::completed(tree, &nodes).expect("an antichain")
    };
    labels.iter().zip(trees).map(cut).collect()
}

/// Everything that an audit of some releases and increments needs, over one dictionary.
pub struct Tables {
    pub releases: Vec<Release>,
    pub number: Vec<usize>,
    pub histogram: Histogram,
    pub values: SensitiveValues,
}

/// Releases from published rows, and the increments' raw rows.
pub fn tables(columns: &Columns, releases: &[Vec<Row>], increments: &[Vec<Row>]) -> Tables {
    let trees = columns.trees();
    let read = |reading, increment: usize, rows: &Vec<Row>| {
        let encoder = Encoder::new(columns, reading);
        Histogram::of(&encoder, increment as u32, &[batch(rows, trees.len())])
            .expect("rows that fit")
    };
    let labels: Vec<Histogram> = releases
        .iter()
        .map(|rows| read(CellReading::Labels { text: true }, 0, rows))
        .collect();
    let parts = increments
        .iter()
        .enumerate()
        .map(|(at, rows)| read(CellReading::Text, at, rows))
        .collect();
    let raw = Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(trees.len(), 1));
    let all: Vec<&SensitiveValues> = labels.iter().chain([&raw]).map(Histogram::values).collect();
    let (values, maps) = SensitiveValues::union(&all);
    let recoded = labels
        .into_iter()
        .zip(&maps)
        .map(|(table, map)| table.with_values(&values, map));
    let release =
        |labels: Histogram| Release::from_labels(&labels, &trees).expect("labels form antichains");
    let mut releases: Vec<Release> = recoded.map(release).collect();
    let number = number_recodings(&mut releases, &trees);
    let histogram = raw.with_values(&values, &maps[maps.len() - 1]);
    Tables {
        releases,
        number,
        histogram,
        values,
    }
}

/// Checks that a page is well-formed: opened tags are closed, in order; attributes are quoted.
pub fn well_formed(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let (head, rest) = page.split_once("<style>").expect("a style");
    let (_, body) = rest.split_once("</style>").expect("the end of the style");
    for tag in head
        .split('<')
        .chain(body.split('<'))
        .filter(|tag| !tag.trim().is_empty() && !tag.starts_with("!DOCTYPE"))
    {
        let (tag, text) = tag.split_once('>').expect("a tag that ends");
        assert!(!text.contains('>'), "no bare angle bracket: {text}");
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in pairs: {tag}");
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closed in order");
        } else if !tag.ends_with('/') && name != "meta" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "all closed: {open:?}");
}
