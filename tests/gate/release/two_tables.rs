//! Releases in two tables: rows by the definition, bytes that reveal nothing of their origin, and
//! the one table that the gate's reader makes of both.

use tidegate::engine::gate::bytes::read_tables;
use tidegate::engine::histogram::SensitiveValues;
use tidegate::engine::release::{Tables, two_in_groups};

use super::table::{Table, random_table, read};
use crate::common::random;

fn tables(table: &Table) -> Tables {
    Tables::of(
        &table.release,
        &table.values,
        Some(&table.people()),
        &table.columns,
    )
}

#[test]
fn both_tables_hold_their_rows_in_canonical_order() {
    random::run("release_two_rows", 300, |draw| {
        let table = random_table(draw, 60);
        let group = draw.between(1, 40) as usize;
        let written = two_in_groups(
            &table.release,
            &table.values,
            &table.people(),
            &table.columns,
            group,
        );
        let found = written.map(read);
        assert_eq!(found, table.two());
    });
}

#[test]
fn bytes_of_two_tables_do_not_depend_on_how_they_were_made() {
    random::run("release_two_order", 100, |draw| {
        let table = random_table(draw, 60);
        assert_eq!(tables(&table.built_otherwise(draw)), tables(&table));
    });
}

/// The two tables, written, read back and joined by class, are the release.
#[test]
fn two_tables_join_to_the_release() {
    random::run("release_two_join", 300, |draw| {
        let table = random_table(draw, 60).as_accepted();
        let written = tables(&table);
        let (found, leaks) = read_tables(
            &written.iter().collect::<Vec<_>>(),
            &table.columns,
            table.release.recoding(),
        );
        assert_eq!(leaks, []);
        let found = found.expect("a table");
        assert_eq!(found.exact.as_ref(), Some(&table.people()));
        let (_, maps) = SensitiveValues::union(&[&table.values, &found.values]);
        let [meant, joined] = [(&table.release, &maps[0]), (&found.release, &maps[1])]
            .map(|(release, map)| release.clone().with_values(map));
        assert_eq!(meant, joined);
        assert_eq!(
            Tables::of(
                &found.release,
                &found.values,
                found.exact.as_ref(),
                &table.columns
            ),
            written
        );
    });
}

#[test]
fn two_tables_without_rows_have_their_columns() {
    let empty = random_table(&mut random::Draw::new(1, 1), 60).without_rows();
    let [quasi, sensitive] = two_in_groups(
        &empty.release,
        &empty.values,
        &empty.people(),
        &empty.columns,
        10,
    )
    .map(read);
    assert!(quasi.1.is_empty() && sensitive.1.is_empty());
    assert_eq!([quasi.0, sensitive.0], empty.two().map(|(names, _)| names));
}
