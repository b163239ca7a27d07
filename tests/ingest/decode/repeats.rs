//! Rows of people who have one already are set aside if the feed file says so, from every format:
//! with their place and everything that is needed to offer them again, and nothing of them is left
//! among the rows that count.

use std::path::Path;

use arrow_ipc::CompressionType;
use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::error::{Error, ErrorCategory};
use tidegate::daemon::ingest::{
    InputFile, Offer, Repeats, TakenRows, retry_sifted, take, take_cut, take_sifted,
};
use tidegate::engine::histogram::{MisfitKind, Person};

use super::{FEED, Folder, batch, columns, csv, hasher, ipc, json_lines, parquet};

/// Offers set-aside rows again, when these people are known.
fn again(aside: &Offer, known: &dyn Fn(Person) -> bool) -> TakenRows {
    let offer = Offer::parse(&aside.bytes()).expect("what was written");
    let mut repeats = Repeats::of(known);
    retry_sifted(
        &offer,
        &columns(),
        &hasher(),
        &RecordRules::default(),
        Some(&mut repeats),
    )
    .expect("the same columns")
}

#[test]
fn repeats_are_set_aside_from_every_format() {
    let folder = Folder::new();
    let bad = "{\"id\":\"9\",\"age\":500}\n";
    let lines = json_lines() + bad + &json_lines();
    let twice = csv() + csv().split_once('\n').expect("a header").1;
    let packed = Some(CompressionType::ZSTD);
    let files = [
        ("a.csv", twice.into_bytes(), 0),
        ("a.jsonl", lines.into_bytes(), 1),
        ("a.parquet", parquet(&[batch(), batch()]), 0),
        ("a.arrow", ipc(&[batch(), batch()], false, packed), 0),
        ("a.arrows", ipc(&[batch(), batch()], true, None), 0),
    ];
    let first = take(
        &folder.file("first.csv", csv()),
        &columns(),
        &hasher(),
        &mut |_| {},
    )
    .expect("rows");
    let people = first.rows.people().expect("people").to_vec();
    for (name, content, faults) in files {
        let path = folder.file(name, content);
        let took = |known: &dyn Fn(Person) -> bool| {
            let mut repeats = Repeats::of(known);
            take_sifted(
                &path,
                &columns(),
                &hasher(),
                Some(&mut repeats),
                &mut |_| {},
            )
            .expect("rows")
        };
        let taken = took(&|_| false);
        assert!(
            taken.rows == first.rows && taken.nulled == first.nulled,
            "{name}: the first five"
        );
        let messages = taken.aside.messages();
        assert_eq!(
            (messages.len() as u64, taken.aside.faults(), taken.seen()),
            (5 + faults, faults, 10 + faults)
        );
        let places: Vec<u64> = messages
            .iter()
            .filter(|one| one.place.is_repeat())
            .map(|one| one.place.row)
            .collect();
        assert_eq!(
            places,
            (6 + faults..11 + faults).collect::<Vec<_>>(),
            "{name}"
        );
        assert!(messages.iter().all(|one| one.raw.is_some()), "{name}");
        // They are repeats for as long as their people are known, and ordinary rows when they are
        // not.
        let same = again(&taken.aside, &|_| true);
        assert!(
            same.rows.is_empty() && same.aside == taken.aside,
            "{name}: still repeats"
        );
        let rows = again(&taken.aside, &|_| false);
        assert!(
            rows.rows == first.rows && rows.aside.messages().len() as u64 == faults,
            "{name}: rows again"
        );
        // For people who were known before, nothing is left; neither are values that only they
        // have.
        let taken = took(&|person| people[..4].contains(&person));
        assert_eq!(
            (
                taken.rows.len(),
                taken.rows.values().len(),
                taken.aside.faults()
            ),
            (1, 1, faults),
            "{name}"
        );
        assert_eq!(taken.rows.people(), Some(&people[4..]), "{name}");
        // Removes those of one person from an offer.
        let asked = [people[2]].into();
        let rest = taken
            .aside
            .without(&asked, &columns(), &hasher(), &RecordRules::default())
            .expect("two are theirs")
            .rest;
        assert_eq!(
            rest.messages().len(),
            taken.aside.messages().len() - 2,
            "{name}"
        );
        assert!(
            rest.without(&asked, &columns(), &hasher(), &RecordRules::default())
                .is_none(),
            "{name}"
        );
        assert!(
            rest.messages()
                .iter()
                .all(|one| taken.aside.messages().contains(one)),
            "{name}"
        );
    }
}

#[test]
fn repeats_that_became_faults_leave_with_their_person() {
    let folder = Folder::new();
    let row = |id: u64, age: u64| format!("{id},{age},1990-01-02,A,x,1\n");
    let rows = [row(1, 30), row(2, 110), row(1, 30), row(2, 110), row(1, 40)].concat();
    let path = folder.file("a.csv", format!("id,age,born,ward,diagnosis,stay\n{rows}"));
    let mut repeats = Repeats::of(&|_| false);
    let taken = take_sifted(
        &path,
        &columns(),
        &hasher(),
        Some(&mut repeats),
        &mut |_| {},
    )
    .expect("rows");
    let people = taken.rows.people().expect("people").to_vec();
    // No person is that old any more.
    let fewer = FeedConfig::parse(&FEED.replace("119", "99"), Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let rest = |person: Person| {
        taken
            .aside
            .without(&[person].into(), &fewer, &hasher(), &RecordRules::default())
    };
    let rows = |person: Person| -> Vec<u64> {
        rest(person)
            .expect("some are theirs")
            .rest
            .messages()
            .iter()
            .map(|one| one.place.row)
            .collect()
    };
    assert_eq!((rows(people[0]), rows(people[1])), (vec![4], vec![3, 5]));
    assert!(rest(Person(1)).is_none());
}

#[test]
fn a_person_who_is_set_aside_for_a_fault_is_no_first_row() {
    let folder = Folder::new();
    let row = |age: u64, stay: u64| format!("1,{age},1990-01-02,A,x,{stay}\n");
    let text = format!(
        "id,age,born,ward,diagnosis,stay\n{}{}{}",
        row(500, 1),
        row(30, 2),
        row(30, 3)
    );
    let mut repeats = Repeats::of(&|_| false);
    let path = folder.file("a.csv", text);
    let taken = take_sifted(
        &path,
        &columns(),
        &hasher(),
        Some(&mut repeats),
        &mut |_| {},
    )
    .expect("rows");
    let kinds: Vec<(u64, MisfitKind)> = taken
        .aside
        .messages()
        .iter()
        .map(|one| (one.place.row, one.place.kind))
        .collect();
    assert_eq!(
        (taken.rows.len(), kinds),
        (1, vec![(1, MisfitKind::Outside), (3, MisfitKind::Repeat)])
    );
}

/// However many there are, few of them are in memory at a time.
#[test]
fn many_are_handed_on_in_several_offers() {
    let folder = Folder::new();
    let csv = csv() + &csv().split_once('\n').expect("a header").1.repeat(9);
    let packed = Some(CompressionType::ZSTD);
    let batches = vec![batch(); 10];
    let files = [
        ("a.csv", csv.into_bytes()),
        ("a.jsonl", json_lines().repeat(10).into_bytes()),
        ("a.parquet", parquet(&batches)),
        ("a.arrow", ipc(&batches, false, packed)),
    ];
    for (name, content) in files {
        let path = folder.file(name, content);
        let mut repeats = Repeats::of(&|_| false);
        let all = take_sifted(
            &path,
            &columns(),
            &hasher(),
            Some(&mut repeats),
            &mut |_| {},
        )
        .expect("rows");
        assert_eq!(all.aside.messages().len(), 45, "{name}");
        let bytes = all
            .aside
            .messages()
            .iter()
            .map(|one| one.raw.as_ref().expect("there").bytes().len());
        let (longest, most) = (bytes.max().expect("some"), 2_000);
        let (mut repeats, mut offers) = (Repeats::of(&|_| false), Vec::new());
        let mut put = |offer: Offer| {
            offers.push(offer);
            Ok(())
        };
        let taken = take_cut(
            &InputFile::open(&path).expect("a file"),
            &columns(),
            &hasher(),
            &RecordRules::default(),
            Some(&mut repeats),
            most,
            &mut put,
        )
        .expect("rows");
        assert!(
            taken.rows == all.rows && taken.nulled == all.nulled,
            "{name}"
        );
        assert!(offers.len() > 2, "{name}: {}", offers.len());
        offers.push(taken.aside);
        for offer in &offers {
            let bytes = offer
                .messages()
                .iter()
                .map(|one| one.raw.as_ref().expect("there").bytes().len());
            assert!(bytes.sum::<usize>() <= most + longest, "{name}");
            let rows = again(offer, &|_| false);
            assert_eq!(
                rows.rows.len() + rows.aside.messages().len(),
                offer.messages().len(),
                "{name}: each can be read"
            );
        }
        let messages: Vec<_> = offers
            .iter()
            .flat_map(|offer| offer.messages())
            .cloned()
            .collect();
        assert_eq!(messages, all.aside.messages(), "{name}");
    }
}

/// The code that accepts an offer may fail.
#[test]
fn what_cannot_be_handed_on_ends_it() {
    let folder = Folder::new();
    let path = folder.file("a.jsonl", json_lines().repeat(10));
    let mut repeats = Repeats::of(&|_| false);
    let mut put = |_| Err(Error::new(ErrorCategory::Io, "the disk is full"));
    let failed = take_cut(
        &InputFile::open(&path).expect("a file"),
        &columns(),
        &hasher(),
        &RecordRules::default(),
        Some(&mut repeats),
        500,
        &mut put,
    );
    assert_eq!(
        failed.err().map(|error| error.text),
        Some("the disk is full".to_owned())
    );
}
