//! Second rows of people with `on_repeat = "dead-letter"` (CONTRACTS 1): set aside and listed,
//! never counted as faults of the source, never accepted, and removed with a person who is erased.

use super::place::{NEVER, PLANTED, Place, files, people, person};
use super::requests::{ended, erase, running, twice};

fn place() -> Place {
    Place::with(NEVER, "k = 3\non_repeat = \"dead-letter\"\n", "")
}

/// The number of messages that are set aside, and how many of them are repeats.
fn aside(place: &Place) -> (u64, u64) {
    let answer = place.done(&["quarantine", "feed.toml"]);
    assert!(
        PLANTED
            .iter()
            .all(|planted| !answer.to_string().contains(planted)),
        "{answer}"
    );
    let groups = answer["groups"].as_array().expect("groups").iter();
    let repeats = groups.filter(|group| {
        group["text"]
            .as_str()
            .expect("a text")
            .contains("already has a row")
    });
    let count = |group: &serde_json::Value| group["messages"].as_u64().expect("a number");
    (
        answer["messages"].as_u64().expect("a number"),
        repeats.map(count).sum(),
    )
}

#[test]
fn repeats_are_set_aside_and_stay() {
    twice(|alive| {
        let place = place();
        place.offer("0.csv", people((0..40).chain(0..6)));
        let tick = place.once();
        // A larger share than may be set aside, if they were faults.
        assert_eq!(
            (&tick["outcome"], &tick["rows"]),
            (&"published".into(), &40.into()),
            "{tick}"
        );
        assert_eq!(aside(&place), (6, 6));
        place.offer("1.csv", people([0, 1]));
        place.once();
        assert_eq!(aside(&place), (8, 8));
        place.verified();
        let daemon = running(&place, alive);
        let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (&answer["count"], &answer["changed"]),
            (&8.into(), &0.into()),
            "{answer}"
        );
        assert_eq!(aside(&place), (8, 8), "a repeat is a repeat");
        // A person who is erased is removed from there too: of the two files that name them one
        // contains others as well.
        let named = |number: u64| format!("patient\n{}{number}\n", PLANTED[0]);
        erase(&place, &named(0));
        assert_eq!(aside(&place), (6, 6));
        erase(&place, &named(1));
        assert_eq!(aside(&place), (4, 4));
        let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (&answer["count"], &answer["changed"]),
            (&4.into(), &0.into()),
            "{answer}"
        );
        ended(daemon);
        place.verified();
        // The next start finds what the log contains.
        place.once();
        assert_eq!(aside(&place), (4, 4));
        place.verified();
    });
}

#[test]
fn faults_and_repeats_are_counted_beside_each_other() {
    let place = place();
    place.edit(
        "settle = \"0s\"",
        "settle = \"0s\"\nmax_quarantine_share = 0.5",
    );
    let strange = |number: u64| {
        person(number)
            .replace(",A1,", ",C1,")
            .replace(",A2,", ",C1,")
            .replace(",B1,", ",C1,")
            .replace(",B2,", ",C1,")
    };
    // A person with a faulty row and a good one, a new person, and a repeat.
    place.offer(
        "0.csv",
        people(0..40) + &strange(3) + &strange(50) + &person(5),
    );
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    assert_eq!(aside(&place), (3, 1));
    place.put("ward.csv", "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;B;*\n");
    let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&3.into(), &1.into()),
        "{answer}"
    );
    assert_eq!(
        aside(&place),
        (2, 2),
        "now that it can be read, it is seen whose it is"
    );
    place.verified();
}

/// Many set-aside messages of one file are in several objects, and are offered, erased and
/// forgotten all the same.
#[test]
fn many_repeats_are_in_several_objects() {
    let place = place();
    let many = person(0).repeat(250_000);
    place.offer("0.csv", people((0..40).chain([1, 2])) + &many);
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    assert_eq!(aside(&place), (250_002, 250_002));
    let objects = || files(&place.path("private/quarantine")).len();
    assert!((2..8).contains(&objects()), "{}", objects());
    place.verified();
    let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&250_002.into(), &0.into()),
        "{answer}"
    );
    erase(&place, &format!("patient\n{}0\n", PLANTED[0]));
    assert_eq!(aside(&place), (2, 2));
    assert_eq!(objects(), 1);
    place.verified();
}

/// A file that cannot be read to its end leaves none of its set-aside messages behind.
#[test]
fn a_file_that_fails_leaves_nothing_behind() {
    let place = place();
    place.offer("0.csv", people(0..40));
    place.once();
    let [objects, keys] = ["private/quarantine", "private/keys"].map(|folder| place.path(folder));
    let before = files(&keys).len();
    place.offer(
        "1.csv",
        people(0..40) + &person(0).repeat(250_000) + "\"1,2,A1,x\n",
    );
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert!(
        code == 2
            && answer
                .to_string()
                .contains("Nothing of this file was accepted"),
        "{answer}"
    );
    assert_eq!((files(&objects).len(), files(&keys).len()), (0, before));
    place.put("in/1.csv", people(40..80));
    place.once();
    assert_eq!(aside(&place), (0, 0));
    place.verified();
}
