//! The texts that a person reads at a terminal.

use std::process::Command;

use super::place::{FEED, HEADER, Place, text};

fn reported(place: &Place, inputs: &[&str]) -> String {
    let output = place.plain(inputs).output().expect("the program starts");
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

fn alike(numbers: std::ops::Range<u64>) -> String {
    HEADER.to_owned() + &numbers.map(|n| format!("{n},3,F,x\n")).collect::<String>()
}

#[test]
fn one_row_waits_and_several_wait() {
    let place = Place::new(FEED);
    for (name, numbers) in [
        ("a.csv", 0..1),
        ("b.csv", 1..2),
        ("c.csv", 2..3),
        ("d.csv", 3..4),
        ("e.csv", 4..5),
    ] {
        place.put(name, alike(numbers));
    }
    for (name, words) in [
        (
            "a.csv",
            "There is no release yet: 1 row is waiting, and a class has at least 3.",
        ),
        (
            "b.csv",
            "There is no release yet: 2 rows are waiting, and a class has at least 3.",
        ),
        (
            "c.csv",
            "with 3 rows. Its manifest lists all parts of the table: read these and no other files.",
        ),
        ("d.csv", "1 row is waiting for enough similar rows."),
        ("e.csv", "2 rows are waiting for enough similar rows."),
    ] {
        let said = reported(&place, &[name]);
        assert!(said.replace('\n', " ").contains(words), "{name}: {said}");
    }
}

#[test]
fn other_kinds_of_chains_have_their_own_words() {
    let place = Place::new(&FEED.replace("k = 3\n", "k = 3\nguarantee = \"bcf\"\n"));
    place.put("a.csv", alike(0..3));
    place.put("b.csv", alike(3..4));
    let said = reported(&place, &["a.csv", "b.csv"]).replace('\n', " ");
    assert!(
        said.contains("This file adds no release: 1 row is waiting"),
        "{said}"
    );
    assert!(
        said.contains("not safe against a reader who knows everybody's, nor against"),
        "{said}"
    );
    assert!(!said.contains("no release yet"), "{said}");
    let place = Place::new(&FEED.replace("name = \"t\"", "name = \"t\"\nchain = \"disjoint\""));
    place.put("a.csv", alike(0..3));
    let said = reported(&place, &["a.csv"]).replace('\n', " ");
    assert!(
        said.contains("different people from the releases before it") && !said.contains("replaces"),
        "{said}"
    );
    let place = Place::new(&FEED.replace("k = 3\n", "k = 3\nmax_loss = 0.1\n"));
    place.put("a.csv", HEADER.to_owned() + "1,3,F,x\n2,20,M,x\n3,30,F,x\n");
    let said = reported(&place, &["a.csv"]).replace('\n', " ");
    assert!(
        said.contains("a.csv: Loss is")
            && said.contains("3 rows have their class and are published"),
        "{said}"
    );
}

#[test]
fn columns_without_detail_are_reported_with_the_reason() {
    let place = Place::new(FEED);
    // One man among women: the sexes cannot be shown separately.
    place.put("a.csv", alike(0..9) + "9,3,M,x\n");
    place.put("b.csv", alike(0..9));
    let said = reported(&place, &["a.csv"]).replace('\n', " ");
    assert!(
        said.contains("Published without any detail: `sex`. Run `tidegate show")
            && said.contains(" 1` to see why"),
        "{said}"
    );
    let said = reported(&place, &["b.csv"]).replace('\n', " ");
    assert!(
        said.contains("The last file contained no new person."),
        "{said}"
    );
    let said = reported(&place, &["a.csv", "b.csv"]).replace('\n', " ");
    assert!(
        said.contains("Nothing new: all of these files are in the folder already."),
        "{said}"
    );
    let mut show = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    let output = show
        .arg("show")
        .arg(place.out())
        .arg("1")
        .output()
        .expect("the program starts");
    assert!(
        text(&output.stdout)
            .contains("sex, below `*`: a class below it would hold fewer than 3 people")
    );
}

#[test]
fn tables_are_straight_whatever_the_names_are() {
    let place = Place::new(FEED);
    let long = format!("{}-2026-11-21.csv", "admissions-of-all-wards".repeat(5));
    let names = [long.as_str(), "a.csv", "\u{fc}ber.csv", "b\u{1b}[31m.csv"];
    names
        .iter()
        .zip(0..)
        .for_each(|(name, n)| _ = place.put(name, alike(n * 10..n * 10 + 4)));
    let said = reported(&place, &names);
    let lines: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 1 + names.len());
    let widths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{said}");
    assert!(
        lines[1].contains("-2026-11-21.csv") && lines[3].contains("\u{fc}ber.csv"),
        "{said}"
    );
    assert!(
        !said.contains('\u{1b}'),
        "control characters never reach the terminal"
    );
}
