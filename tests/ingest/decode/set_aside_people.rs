//! The messages of some people are removed from those that are set aside, in every format and for
//! every fault, as long as their identifiers can be read.

use std::path::Path;

use arrow_ipc::CompressionType;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::config::RecordRules;
use tidegate::daemon::ingest::{Offer, take};
use tidegate::engine::histogram::Person;
use tidegate::engine::model::Columns;

use super::{FEED, Folder, batch, columns, csv, hasher, ipc, json_lines, parquet};

/// The numbers of the remaining messages when this person is removed; None if none is theirs.
fn left(aside: &Offer, person: Person, columns: &Columns) -> Option<Vec<u64>> {
    let aside = Offer::parse(&aside.bytes()).expect("what was written");
    let without = aside.without(
        &[person].into(),
        columns,
        &hasher(),
        &RecordRules::default(),
    )?;
    assert_eq!(
        without.gone as usize + without.rest.messages().len(),
        aside.messages().len()
    );
    assert!(
        without
            .rest
            .messages()
            .iter()
            .all(|one| aside.messages().contains(one)),
        "others are as they were"
    );
    Some(
        without
            .rest
            .messages()
            .iter()
            .map(|one| one.place.row)
            .collect(),
    )
}

#[test]
fn what_is_set_aside_leaves_with_its_person_in_every_format() {
    let folder = Folder::new();
    let packed = Some(CompressionType::ZSTD);
    let files = [
        ("a.csv", csv().into_bytes()),
        ("a.jsonl", json_lines().into_bytes()),
        ("a.parquet", parquet(&[batch()])),
        ("a.arrow", ipc(&[batch()], false, packed)),
        ("a.arrows", ipc(&[batch()], true, None)),
    ];
    // Only ages from 10 to 40: the third, fourth and fifth person are set aside.
    let few = FEED.replace("min = 0, max = 119", "min = 10, max = 40");
    let few = FeedConfig::parse(&few, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let all = take(
        &folder.file("all.csv", csv()),
        &columns(),
        &hasher(),
        &mut |_| {},
    )
    .expect("rows");
    let people = all.rows.people().expect("people");
    for (name, content) in files {
        let taken = take(&folder.file(name, content), &few, &hasher(), &mut |_| {}).expect("rows");
        let places: Vec<u64> = taken
            .aside
            .messages()
            .iter()
            .map(|one| one.place.row)
            .collect();
        assert_eq!((taken.rows.len(), places), (2, vec![3, 4, 5]), "{name}");
        // With the columns of then or those of now.
        for columns in [&few, &columns()] {
            let left = |person| left(&taken.aside, person, columns);
            assert_eq!(left(people[2]), Some(vec![4, 5]), "{name}");
            assert_eq!(left(people[4]), Some(vec![3, 4]), "{name}");
            assert_eq!(
                (left(people[0]), left(Person(1))),
                (None, None),
                "{name}: nothing of theirs is set aside"
            );
        }
        let asked = people.iter().copied().collect();
        let without = taken
            .aside
            .without(&asked, &few, &hasher(), &RecordRules::default())
            .expect("all of them");
        assert!(
            (without.rest.messages().len(), without.gone) == (0, 3),
            "{name}"
        );
    }
}

#[test]
fn what_does_not_say_whose_it_is_stays() {
    let folder = Folder::new();
    let rows = [
        "1,500,1990-01-02,A,x,1",
        ",30,1990-01-02,A,x,1",
        "1,30,1990-01-02,A,x",
        "2,500,1990-01-02,A,x,1",
    ];
    let path = folder.file(
        "a.csv",
        format!("id,age,born,ward,diagnosis,stay\n{}\n", rows.join("\n")),
    );
    let taken = take(&path, &columns(), &hasher(), &mut |_| {}).expect("rows");
    assert_eq!(
        left(&taken.aside, hasher().person(&["1"]), &columns()),
        Some(vec![2, 3, 4]),
        "a row has no third field"
    );
    let lines = [
        r#"{"id": "1", "age": 500}"#,
        r#"{"id": "1, "age": 30}"#,
        r#"{"id": "1", "id": "1"}"#,
        r#"{"id": ["1"]}"#,
        r#"{"age": 30, "id": "1"}"#,
        "[1]",
    ];
    let taken = take(
        &folder.file("a.jsonl", lines.join("\n")),
        &columns(),
        &hasher(),
        &mut |_| {},
    )
    .expect("rows");
    assert_eq!(taken.aside.messages().len(), 6);
    assert_eq!(
        left(&taken.aside, hasher().person(&["1"]), &columns()),
        Some(vec![2, 3, 4, 6])
    );
    // A column whose name is not in the file does not help.
    let other = FEED.replace("\"id\"", "\"nr\"");
    let other = FeedConfig::parse(&other, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    assert_eq!(left(&taken.aside, hasher().person(&["1"]), &other), None);
    // Nor does a feed file without identifiers.
    let none = FEED.replace("[[column]]\nname = \"id\"\nrole = \"identifier\"\n", "");
    let none = FeedConfig::parse(&none, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    assert_eq!(left(&taken.aside, hasher().person(&["1"]), &none), None);
}
