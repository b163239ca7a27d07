//! CONTRACTS 2 from outside: every form with its labels, and every fault with its place. The cases
//! are the files of `tests/hierarchies/`; a case never reads anything outside its own temporary
//! directory.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use serde::Deserialize;
use tidegate::daemon::config::hierarchy::{LoadedTaxonomy, load};
use tidegate::daemon::error::ErrorCategory;
use tidegate::engine::model::forms::{TaxonomyTable, dates};
use tidegate::engine::model::{Kind, Taxonomy};

use crate::common::needs;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// One case: a table, the file it names, and the expected result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    table: TaxonomyTable,
    file: Option<String>,
    /// Leaf-to-root paths in the order of leaves, ` | ` between labels.
    paths: Option<Vec<String>>,
    /// Some of those paths, for large trees.
    has: Option<Vec<String>>,
    leaves: Option<usize>,
    kind: Option<Kind>,
    /// The type for `finds`, if it is not the default one.
    r#as: Option<Kind>,
    #[serde(default)]
    finds: BTreeMap<String, String>,
    #[serde(default)]
    misses: Vec<String>,
    /// Domain values under labels.
    #[serde(default)]
    values: BTreeMap<String, u64>,
    #[serde(default)]
    warns: Vec<String>,
    error: Option<String>,
    field: Option<String>,
    line: Option<u64>,
}

fn path(tree: &Taxonomy, leaf: u32) -> String {
    let mut labels = Vec::new();
    let mut node = Some(tree.leaf_node(leaf));
    while let Some(at) = node {
        labels.push(tree.label(at));
        node = tree.parent(at);
    }
    labels.join(" | ")
}

fn paths(tree: &Taxonomy) -> Vec<String> {
    (0..tree.leaves() as u32)
        .map(|leaf| path(tree, leaf))
        .collect()
}

fn check(case: &Case) {
    let name = &case.name;
    let dir = tempfile::tempdir().expect("a temporary directory");
    if let (Some(content), Some((_, file))) = (&case.file, case.table.reads()) {
        std::fs::write(dir.path().join(file), content).expect("the case's file");
    }
    let loaded = match (load(&case.table, dir.path()), &case.error) {
        (Ok(loaded), None) => loaded,
        (Ok(_), Some(error)) => panic!("{name}: loads, and should say `{error}`"),
        (Err(error), None) => panic!("{name}: {error}"),
        (Err(error), Some(text)) => {
            assert!(
                error.text.contains(text.as_str()),
                "{name}: `{}` does not say `{text}`",
                error.text
            );
            assert_eq!(error.kind, ErrorCategory::Taxonomy, "{name}");
            assert_eq!(error.field, case.field, "{name}");
            assert_eq!(error.line, case.line, "{name}: {}", error.text);
            assert_eq!(
                error.file.is_some(),
                case.file.is_some(),
                "{name}: the file is named when it is at fault"
            );
            return;
        }
    };
    let tree = &loaded.domain.tree;
    if let Some(expected) = &case.paths {
        assert_eq!(&paths(tree), expected, "{name}");
    }
    for expected in case.has.iter().flatten() {
        assert!(paths(tree).contains(expected), "{name}: no path {expected}");
    }
    assert_eq!(
        case.leaves.unwrap_or(tree.leaves()),
        tree.leaves(),
        "{name}"
    );
    assert_eq!(case.kind.unwrap_or(loaded.kind), loaded.kind, "{name}");
    let kind = case.r#as.unwrap_or(loaded.kind);
    for (raw, label) in &case.finds {
        let leaf = loaded
            .domain
            .leaf_of_text(kind, raw)
            .map(|leaf| tree.label(tree.leaf_node(leaf)));
        assert_eq!(leaf, Some(label.as_str()), "{name}: {raw}");
    }
    for raw in &case.misses {
        assert_eq!(loaded.domain.leaf_of_text(kind, raw), None, "{name}: {raw}");
    }
    for (label, values) in &case.values {
        assert_eq!(
            tree.values(tree.find(label).expect(label)),
            *values,
            "{name}: {label}"
        );
    }
    assert_eq!(
        loaded.warnings.len(),
        case.warns.len(),
        "{name}: {:?}",
        loaded.warnings
    );
    for (warning, text) in loaded.warnings.iter().zip(&case.warns) {
        assert!(warning.contains(text.as_str()), "{name}: {warning}");
    }
    check_shape(tree);
}

/// The invariants of every taxonomy: a node is the range of its leaves, labels and nodes find each
/// other.
fn check_shape(tree: &Taxonomy) {
    for node in 0..tree.nodes() as u32 {
        assert_eq!(tree.find(tree.label(node)), Some(node));
        let range = tree.leaf_range(node);
        assert!(!range.is_empty());
        assert_eq!(
            tree.is_leaf(node),
            tree.find_leaf(tree.label(node)).is_some()
        );
        let children: Vec<_> = tree.children(node).collect();
        if children.is_empty() {
            assert_eq!(tree.leaf_node(range.start), node);
            continue;
        }
        let mut at = range.start;
        for &child in &children {
            assert_eq!(tree.parent(child), Some(node));
            assert_eq!(
                tree.leaf_range(child).start,
                at,
                "children partition their parent"
            );
            at = tree.leaf_range(child).end;
        }
        assert_eq!(at, range.end);
        assert_eq!(
            tree.values(node),
            children
                .iter()
                .map(|&child| tree.values(child))
                .sum::<u64>()
        );
    }
}

fn check_file(text: &str) {
    let cases: Cases = toml::from_str(text).expect("a file of cases");
    for case in &cases.case {
        check(case);
    }
}

#[test]
fn files() {
    check_file(include_str!("../hierarchies/file.toml"));
}

#[test]
fn integers() {
    check_file(include_str!("../hierarchies/integers.toml"));
}

#[test]
fn codes_and_flat_lists() {
    check_file(include_str!("../hierarchies/codes.toml"));
}

#[test]
fn days() {
    check_file(include_str!("../hierarchies/dates.toml"));
}

#[test]
fn builtins() {
    check_file(include_str!("../hierarchies/builtin.toml"));
}

#[test]
fn forms_do_not_mix() {
    check_file(include_str!("../hierarchies/forms.toml"));
}

fn file_table() -> TaxonomyTable {
    TaxonomyTable {
        file: Some("x.csv".into()),
        ..TaxonomyTable::default()
    }
}

fn load_bytes(bytes: &[u8]) -> Result<LoadedTaxonomy, tidegate::daemon::error::Error> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(dir.path().join("x.csv"), bytes).expect("the file");
    load(&file_table(), dir.path())
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let error = load_bytes(b"a;*\nb\xff;*\n").expect_err("not UTF-8");
    assert_eq!((error.line, error.kind), (Some(2), ErrorCategory::Taxonomy));
    for bytes in [&b"PAR1\x15\x04\x15"[..], b"a;*\n\0", b"\xff\xfea\0;\0"] {
        assert!(
            load_bytes(bytes)
                .expect_err("no text")
                .text
                .contains("not a hierarchy file")
        );
    }
}

/// A quote inside a label is a letter, and does not hide the delimiter after it.
#[test]
fn a_quote_inside_a_label_is_a_letter() {
    for text in [
        "12\" arm;long;*\n5\" arm;short;*\n",
        "12\" arm,long,*\n5\" arm,short,*\n",
    ] {
        let tree = load_bytes(text.as_bytes()).expect("a tree").domain.tree;
        assert_eq!(paths(&tree), ["12\" arm | long | *", "5\" arm | short | *"]);
    }
}

#[test]
fn a_file_that_is_not_there_or_a_directory_is_an_error_of_the_file_system() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let error = load(&file_table(), dir.path()).expect_err("no file");
    assert_eq!(
        (error.kind, error.field.as_deref()),
        (ErrorCategory::Io, Some("file"))
    );
    std::fs::create_dir(dir.path().join("x.csv")).expect("a directory");
    assert_eq!(
        load(&file_table(), dir.path())
            .expect_err("a directory")
            .kind,
        ErrorCategory::Io
    );
}

/// The data sets of `TIDEGATE_DATA`: every hierarchy loads except the two that contradict
/// themselves.
#[test]
fn hierarchies_of_the_data_sets() {
    let Some(data) = needs::data() else { return };
    let load = |set: &Path, file: &str| {
        load(
            &TaxonomyTable {
                file: Some(file.into()),
                ..TaxonomyTable::default()
            },
            set,
        )
    };
    let mut loaded = 0;
    for set in std::fs::read_dir(&data).expect("the data sets").flatten() {
        let Ok(files) = std::fs::read_dir(set.path()) else {
            continue;
        };
        let set_name = set.file_name().into_string().expect("a name");
        for file in files
            .flatten()
            .map(|file| file.file_name().into_string().expect("a name"))
        {
            if !file.starts_with("hierarchy_") {
                continue;
            }
            let result = load(&set.path(), &file);
            match (set_name.as_str(), file.as_str()) {
                ("adult_int", "hierarchy_age.csv") | ("ss13acs5", "hierarchy_Relationship.csv") => {
                    let error = result.expect_err("contradicts itself");
                    assert!(
                        error.line.is_some() && error.text.contains("lines "),
                        "{set_name}/{file}: {error}"
                    );
                }
                ("fars_int", "hierarchy_iage.csv") => {
                    let warnings = result.expect("loads with a warning").warnings;
                    assert!(
                        warnings.len() == 1 && warnings[0].contains("repeats line"),
                        "{warnings:?}"
                    );
                    loaded += 1;
                }
                _ => {
                    let result = result.unwrap_or_else(|error| panic!("{set_name}: {error}"));
                    assert_eq!(result.warnings, Vec::<String>::new(), "{set_name}/{file}");
                    check_shape(&result.domain.tree);
                    loaded += 1;
                }
            }
        }
    }
    assert!(loaded > 100, "only {loaded} hierarchies found");
}

/// A random tree as rows: for each leaf its labels up to the root, from names that need quotes.
fn rows(shape: &[(u8, u8)]) -> Vec<Vec<String>> {
    let name = |text: String, style: u8| match style % 5 {
        0 => format!("{text}, {text}"),
        1 => format!("{text};"),
        2 => format!(" \"{text}\" "),
        3 => format!("{text}\nü"),
        _ => text,
    };
    let mut all = Vec::new();
    for (at, &(groups, leaves)) in shape.iter().enumerate() {
        for group in 0..=groups % 3 {
            for leaf in 0..=leaves % 4 {
                let mut row = vec![
                    name(format!("l{at}.{group}.{leaf}"), leaves + leaf),
                    name(format!("g{at}.{group}"), groups),
                    name(format!("t{at}"), groups + leaves),
                ];
                // Some branches are shorter, and some repeat a label next to itself.
                match leaves % 5 {
                    0 => drop(row.remove(1)),
                    1 => row.insert(1, row[0].clone()),
                    _ => {}
                }
                row.push("*".into());
                all.push(row);
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_written_as_a_file_reads_back(shape in prop::collection::vec((0u8..60, 0u8..60), 1..6), crlf: bool, comma: bool) {
        let rows = rows(&shape);
        let quote = |label: &String| format!("\"{}\"", label.replace('"', "\"\""));
        let delimiter = if comma { "," } else { ";" };
        let lines: Vec<String> =
            rows.iter().map(|row| row.iter().map(quote).collect::<Vec<_>>().join(delimiter)).collect();
        let loaded = load_bytes(lines.join(if crlf { "\r\n" } else { "\n" }).as_bytes()).expect("a tree");
        let mut expected: Vec<Vec<String>> = rows;
        expected.iter_mut().for_each(|row| row.dedup());
        expected.dedup();
        let got: Vec<Vec<String>> =
            paths(&loaded.domain.tree).iter().map(|path| path.split(" | ").map(String::from).collect()).collect();
        prop_assert_eq!(got, expected);
        check_shape(&loaded.domain.tree);
    }

    #[test]
    fn bands_partition_their_domain(min in -50i64..50, size in 0i64..120, factors in prop::collection::vec(2i64..5, 0..4)) {
        let widths: Vec<i64> = factors.iter().scan(1, |width, factor| { *width *= factor; Some(*width) }).collect();
        let max = min + size;
        let table = TaxonomyTable { bands: Some(widths.clone()), min: Some(min), max: Some(max), ..TaxonomyTable::default() };
        let domain = load(&table, Path::new(".")).expect("bands").domain;
        check_shape(&domain.tree);
        prop_assert_eq!(domain.tree.leaves() as i64, size + 1);
        for value in min..=max {
            let leaf = domain.leaf_of_int(value).expect("inside");
            prop_assert_eq!(domain.tree.label(domain.tree.leaf_node(leaf)), value.to_string());
            prop_assert_eq!(domain.leaf_of_text(Kind::Int, &value.to_string()), Some(leaf));
            for &width in &widths {
                let low = min + (value - min) / width * width;
                let high = (low + width - 1).min(max);
                let label = if low == high { low.to_string() } else { format!("{low}-{high}") };
                let node = domain.tree.find(&label).expect("a band");
                prop_assert!(domain.tree.covers(node, domain.tree.leaf_node(leaf)));
            }
        }
        prop_assert_eq!(domain.leaf_of_int(min - 1), None);
        prop_assert_eq!(domain.leaf_of_int(max + 1), None);
    }

    #[test]
    fn days_and_labels_agree(from in -200_000i32..200_000, length in 0i32..900, levels in prop::sample::subsequence(
        vec!["day", "month", "quarter", "year", "decade"], 1..=5)) {
        let text = format!("date = {levels:?}\nfrom = \"{}\"\nto = \"{}\"", dates::format(from), dates::format(from + length));
        let domain = load(&toml::from_str(&text).expect("a table"), Path::new(".")).expect("dates").domain;
        check_shape(&domain.tree);
        for days in from..=from + length {
            let leaf = domain.leaf_of_days(days).expect("inside");
            let label = domain.tree.label(domain.tree.leaf_node(leaf));
            prop_assert_eq!(domain.leaf_of_text(Kind::String, label), Some(leaf));
            prop_assert_eq!(domain.leaf_of_text(Kind::Date, &dates::format(days)), Some(leaf));
        }
        prop_assert_eq!(domain.leaf_of_days(from - 1), None);
        prop_assert_eq!(domain.leaf_of_days(from + length + 1), None);
    }
}

/// The calendar against a second implementation that only counts: every day of the years 0001 to
/// 9999.
#[test]
fn the_calendar_counts_right() {
    let mut days = dates::parse("0001-01-01").expect("the first day");
    for year in 1..=9999i32 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for (month, length) in [
            31,
            28 + u32::from(leap),
            31,
            30,
            31,
            30,
            31,
            31,
            30,
            31,
            30,
            31,
        ]
        .into_iter()
        .enumerate()
        {
            let month = month as u32 + 1;
            for day in 1..=length {
                assert_eq!(dates::days_from_civil(year, month, day), days);
                assert_eq!(dates::civil_from_days(days), (year, month, day));
                days += 1;
            }
            assert_eq!(
                dates::parse(&format!("{year:04}-{month:02}-{:02}", length + 1)),
                None
            );
        }
    }
    assert_eq!(dates::parse("1970-01-01"), Some(0));
    for text in [
        "",
        "2020-1-01",
        "2020-01-1",
        "20200101",
        "2020/01/01",
        "0000-01-01",
        "2020-00-10",
        "2020-13-01",
        "2020-01-00",
        "2021-02-29",
        "+020-01-01",
        "2020-01-01 ",
        "2020-01-01T00:00:00",
        "２020-01-01",
    ] {
        assert_eq!(dates::parse(text), None, "{text}");
    }
}
