//! The guide describes each check, and what to do when it fails.

use std::collections::BTreeSet;
use std::fs;

use tidegate::engine::release::Check;

/// The names in the first column of the table of checks. The other columns say more than the one
/// line of a command.
fn named() -> BTreeSet<String> {
    let guide = fs::read_to_string("src/guide/releases.md").expect("the guide");
    let (_, table) = guide
        .split_once("| check | it requires that |")
        .expect("a table of checks");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let first = rows.map(|row| row.split('|').nth(1).expect("a column").to_owned());
    let names = first.flat_map(|cell| {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    names.collect()
}

#[test]
fn the_guide_knows_all_checks_and_no_other() {
    // The search rejects before the gate is asked.
    let meant = Check::ALL
        .into_iter()
        .map(|check| check.name().to_owned())
        .chain(["search".to_owned()]);
    assert_eq!(named(), meant.collect());
}
