//! The page for contributors names every bench and every test program of the package, and no other.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../CONTRIBUTING.md");
const MANIFEST: &str = include_str!("../../Cargo.toml");

/// First cells in backticks of the rows of a table.
fn first_cells(table: &str) -> BTreeSet<&str> {
    table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect()
}

/// Names in backticks.
fn in_backticks(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_bench_has_a_line() {
    let named = MANIFEST
        .split("[[bench]]\nname = \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let (_, table) = PAGE.split_once("| bench |").expect("the table of benches");
    let table = table.split("\n\n").next().expect("a table ends");
    assert_eq!(first_cells(table), named.collect());
}

#[test]
fn every_test_program_is_named() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = std::fs::read_dir(tests)
        .expect("tests")
        .map(|entry| entry.expect("an entry").path());
    let programs = folders.filter(|folder| folder.join("main.rs").is_file());
    let programs = programs.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
    let (_, sentence) = PAGE
        .split_once("one program for each folder: ")
        .expect("the sentence about test programs");
    let sentence = sentence.split('.').next().expect("a sentence ends");
    assert_eq!(
        in_backticks(sentence),
        programs
            .collect::<BTreeSet<String>>()
            .iter()
            .map(String::as_str)
            .collect()
    );
}

#[test]
fn the_first_day_is_a_page() {
    let (_, rest) = PAGE.split_once("## The first day\n").expect("its heading");
    let (first, _) = rest.split_once("\n## The rest\n").expect("the rest");
    let lines = first.lines().count();
    assert!(lines <= 60, "{lines} lines");
}
