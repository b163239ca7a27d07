//! One level for each column, rows that are left waiting, weights and floors, as a user of
//! `anonymize` sees them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::carving::rows;
use super::global_recoding::check;
use super::place::{FEED, HEADER, Place, counts, text};
use super::show_and_verify::asked;
use crate::common::needs;

/// The sample feed with another chain and policy, and more settings of the age.
fn feed(kind: &str, policy: &str, age: &str) -> String {
    let feed = FEED.replace("name = \"t\"", &format!("name = \"t\"\nchain = \"{kind}\""));
    let feed = feed.replace("k = 3\n", &format!("k = 3\n{policy}\n"));
    feed.replace(
        "bands = [10, 20], min = 0, max = 39 }\n",
        &format!("bands = [10, 20], min = 0, max = 39 }}\n{age}\n"),
    )
}

/// People by age and sex, with different diagnoses.
fn people(from: u32, of: &[(u32, &str, u32)]) -> String {
    let all = of
        .iter()
        .flat_map(|&(age, sex, count)| (0..count).map(move |_| (age, sex)));
    let line = |(at, (age, sex)): (u32, (u32, &str))| format!("person{at},{age},{sex},d{at}\n");
    HEADER.to_owned() + &(from..).zip(all).map(line).collect::<String>()
}

fn labels(place: &Place, release: u32) -> [Json; 2] {
    let manifest = place.json(&format!("{release}/manifest.json"));
    ["age", "sex"].map(|column| manifest["recoding"][column].clone())
}

/// Thirty women of 25, nine men of 5, and two women of 15.
const RARE: &[(u32, &str, u32)] = &[(25, "F", 30), (5, "M", 9), (15, "F", 2)];

#[test]
fn the_first_release_takes_the_best_levels_and_later_ones_keep_them() {
    let place = Place::new(&feed(
        "cumulative",
        "search = \"levels\"\nset_aside = 0.05",
        "",
    ));
    place.put("a.csv", people(0, RARE));
    place.put(
        "b.csv",
        people(100, &[(25, "F", 4), (15, "F", 1), (35, "M", 3)]),
    );
    let entries = place.entries(&["a.csv", "b.csv"]);
    // Two of 41 may wait: every other row keeps its value.
    assert_eq!(
        counts(&entries[0], ["added", "waiting", "rows"]),
        [39, 2, 39]
    );
    assert_eq!(labels(&place, 1)[1], json!(["F", "M"]));
    assert_eq!(
        labels(&place, 1)[0].as_array().map(Vec::len),
        Some(40),
        "each year for itself"
    );
    // With the third woman of 15 there are enough.
    assert_eq!(
        counts(&entries[1], ["added", "waiting", "rows"]),
        [10, 0, 49]
    );
    let manifest = place.json("1/manifest.json");
    assert_eq!(manifest["policy"]["set_aside"], 0.05);
    assert_eq!(check(&manifest, "certainty")["made"], true);
    assert_eq!(
        check(&manifest, "max_global_ratio")["made"],
        false,
        "it is said that the figure is not known"
    );
    let levels = &entries[0]["levels"];
    assert_eq!(
        (&levels["minimised"], &levels["stopped"]),
        (&json!("loss"), &json!(false)),
        "{levels}"
    );
    assert!(
        levels["found"] == levels["lower_bound"] && entries[1].get("levels").is_none(),
        "{levels}"
    );
    let report = String::from_utf8(place.bytes("1/report.html")).expect("text");
    assert!(report.contains("Leakage from coarseness"));
    // If no rows may wait, the women of 15 cost all others detail.
    let place = Place::new(&feed("cumulative", "search = \"levels\"", ""));
    place.put("a.csv", people(0, RARE));
    assert_eq!(
        counts(&place.entries(&["a.csv"])[0], ["added", "waiting"]),
        [41, 0]
    );
    assert_ne!(labels(&place, 1)[0].as_array().map(Vec::len), Some(40));
}

#[test]
fn top_down_leaves_as_many_waiting() {
    let place = Place::new(&feed(
        "cumulative",
        "search = \"top-down\"\nset_aside = 0.05",
        "",
    ));
    place.put("a.csv", people(0, RARE));
    assert_eq!(
        counts(&place.entries(&["a.csv"])[0], ["added", "waiting"]),
        [39, 2]
    );
    assert_eq!(place.json("1/manifest.json")["loss"], 0.0);
    let place = Place::new(&feed(
        "cumulative",
        "search = \"top-down\"\nset_aside = 0.03",
        "",
    ));
    place.put("a.csv", people(0, RARE));
    assert_eq!(
        counts(&place.entries(&["a.csv"])[0], ["added", "waiting"]),
        [41, 0]
    );
    let verdict = place.json(".private/verdicts/000000.json");
    assert!(
        verdict
            .to_string()
            .contains("more than 1 rows would be left waiting"),
        "{verdict}"
    );
}

/// Rows that a release suppresses wait for the next one, in which they may be published.
#[test]
fn suppressed_rows_wait_for_the_next_release() {
    for search in ["levels", "top-down"] {
        let place = Place::new(&feed(
            "disjoint",
            &format!("search = \"{search}\"\nsuppression = 0.05"),
            "",
        ));
        place.put("a.csv", people(0, RARE));
        place.put("b.csv", people(100, &[(15, "F", 5), (35, "M", 30)]));
        place.put("c.csv", HEADER);
        let entries = place.entries(&["a.csv", "b.csv", "c.csv"]);
        assert_eq!(
            counts(&entries[0], ["added", "waiting", "rows"]),
            [39, 2, 39],
            "{search}"
        );
        assert_eq!(
            counts(&entries[1], ["added", "waiting", "rows"]),
            [37, 0, 37],
            "{search}"
        );
        assert_eq!(entries[2]["outcome"], "waiting", "no person is left");
        let all: Vec<_> = (1..=2)
            .flat_map(|release| {
                rows(&place, release)
                    .into_iter()
                    .map(move |row| (release, row))
            })
            .collect();
        let diagnoses: BTreeSet<&str> = all
            .iter()
            .map(|(_, (.., diagnosis))| diagnosis.as_str())
            .collect();
        assert_eq!((all.len(), diagnoses.len()), (76, 76), "each person once");
        let classes = all.iter().fold(
            BTreeMap::<_, u32>::new(),
            |mut classes, (release, (age, sex, _))| {
                *classes.entry((release, age, sex)).or_default() += 1;
                classes
            },
        );
        assert!(classes.values().all(|&rows| rows >= 3), "{classes:?}");
    }
}

#[test]
fn no_label_is_above_a_floor_and_the_other_people_wait() {
    for (kind, search) in [
        ("cumulative", "levels"),
        ("cumulative", "top-down"),
        ("disjoint", "levels"),
        ("disjoint", "top-down"),
    ] {
        // No other person is near the man of 35: he waits, and costs the others no detail.
        let place = Place::new(&feed(
            kind,
            &format!("search = \"{search}\""),
            "floor = \"10 years\"",
        ));
        place.put(
            "a.csv",
            people(0, &[(22, "F", 3), (25, "F", 3), (5, "M", 9), (35, "M", 1)]),
        );
        let entry = &place.entries(&["a.csv"])[0];
        assert_eq!(
            counts(entry, ["added", "waiting"]),
            [15, 1],
            "{kind} {search}"
        );
        let [ages, _] = labels(&place, 1);
        assert!(
            !ages.to_string().contains('*') && !ages.to_string().contains("0-19"),
            "{ages}"
        );
        // For however long he waits.
        for tick in 0..12 {
            place.put(
                &format!("{tick}.csv"),
                people(100 * (tick + 1), &[(25, "F", 3)]),
            );
        }
        let files: Vec<String> = (0..12).map(|tick| format!("{tick}.csv")).collect();
        let entries = place.entries(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let last = counts(&entries[11], ["waiting", "withheld"]);
        assert_eq!(last, [1, 0], "{kind} {search}: {}", entries[11]);
        // Two more of his age, and he is published.
        place.put("z.csv", people(5_000, &[(35, "M", 2), (25, "F", 3)]));
        assert_eq!(
            counts(&place.entries(&["z.csv"])[0], ["waiting"]),
            [0],
            "{kind} {search}"
        );
    }
}

/// If two columns cannot both keep their detail, the heavier one does.
#[test]
fn weights_decide_which_column_keeps_its_detail() {
    // Two people of each age and sex: one of the columns must be generalised.
    let one_of_each = [(5, "F", 2), (5, "M", 2), (35, "F", 2), (35, "M", 2)];
    let kept = |search: &str, weight: &str| {
        let place = Place::new(&feed(
            "cumulative",
            &format!("search = \"{search}\""),
            weight,
        ));
        place.put("a.csv", people(0, &one_of_each));
        assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
        labels(&place, 1)[1].clone()
    };
    for search in ["levels", "top-down"] {
        assert_eq!(
            kept(search, "weight = 20"),
            json!(["*"]),
            "{search}: the age is kept"
        );
        assert_eq!(
            kept(search, "weight = 0.05"),
            json!(["F", "M"]),
            "{search}: the sex is kept"
        );
    }
}

#[test]
fn weights_and_floors_are_frozen() {
    let place = Place::new(&feed("cumulative", "search = \"levels\"", "floor = 2"));
    place.put("a.csv", people(0, &[(25, "F", 30)]));
    place.entries(&["a.csv"]);
    let written = std::fs::read_to_string(place.path("feed.toml")).expect("the feed file");
    for (change, key) in [
        ("floor = 1", "column.age.floor"),
        ("floor = 2\nweight = 2", "column.age.weight"),
        ("", "column.age.floor"),
    ] {
        place.put("feed.toml", written.replace("floor = 2", change));
        place.put("b.csv", people(100, &[(25, "F", 3)]));
        let error = place.unchanged(&mut place.command(&["b.csv"]));
        assert_eq!(error["field"], key, "{error}");
    }
    // A width is the level that it names.
    place.put(
        "feed.toml",
        written.replace("floor = 2", "floor = \"20 years\""),
    );
    assert_eq!(place.entries(&["b.csv"])[0]["outcome"], "published");
}

/// Guarded values are masked within the classes of a release that leaves rows waiting.
#[test]
fn releases_that_leave_rows_waiting_are_masked() {
    let guarded = "suppression = 0.1\nsearch = \"levels\"\nm = 2";
    let text = feed("disjoint", guarded, "").replace(
        "role = \"sensitive\"\n",
        "role = \"sensitive\"\nguarded = [[\"HIV\"]]\n",
    );
    let place = Place::new(&text);
    let line = |at: u32| {
        let (age, sex) = if at < 20 {
            (5 + at % 3 * 10, "M")
        } else {
            (25, "F")
        };
        format!(
            "person{at},{age},{sex},{}\n",
            if at.is_multiple_of(3) {
                "HIV".to_owned()
            } else {
                format!("d{}", at % 5)
            }
        )
    };
    place.put(
        "a.csv",
        HEADER.to_owned() + &(0..60).map(line).collect::<String>(),
    );
    let entry = &place.entries(&["a.csv"])[0];
    assert_eq!(entry["outcome"], "published", "{entry}");
    let mut classes: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
    for (age, sex, diagnosis) in rows(&place, 1) {
        let class = classes.entry((age, sex)).or_default();
        class[0] += 1;
        class[1] += u64::from(diagnosis == "HIV");
    }
    assert!(
        classes
            .values()
            .all(|[rows, guarded]| *rows >= 8 && guarded * 4 <= *rows),
        "{classes:?}"
    );
}

/// Halving first divides the column with the greatest loss, weighted; the gate infers its labels in
/// the same order.
#[test]
fn weights_order_the_columns_that_halving_divides() {
    let kept = |weight: &str| {
        let place = Place::new(&feed(
            "cumulative",
            "search = \"halves\"\nmin_solutions = 1",
            weight,
        ));
        // Twelve people of an age and a sex each: one division is certain, of the first column in
        // order.
        place.put(
            "a.csv",
            people(0, &[(5, "F", 3), (5, "M", 3), (35, "F", 3), (35, "M", 3)]),
        );
        assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
        let rows = rows(&place, 1);
        let all = |column: fn(&(String, String, String)) -> &String| {
            rows.iter().all(|row| column(row) != "*")
        };
        [all(|row| &row.0), all(|row| &row.1)]
    };
    // The certain division leaves no label of its column at the root.
    assert!(kept("weight = 50")[0], "the age is divided first");
    assert!(kept("weight = 0.02")[1], "the sex is divided first");
}

/// Sixteen columns of public data: no search checks all levels, and the command says so.
#[test]
fn a_search_that_stops_says_what_it_found_and_what_is_possible() {
    let Some(data) = needs::data() else { return };
    let folder = data.join("mach2019_int");
    let table = std::fs::read_to_string(folder.join("mach2019_int.csv")).expect("a table");
    let rows: String = table
        .lines()
        .take(4_001)
        .map(|line| format!("{}\n", line.replace(';', ",")))
        .collect();
    let names: Vec<&str> = table.lines().next().expect("names").split(';').collect();
    let mut feed = String::from(
        "[feed]\nname = \"t\"\nchain = \"disjoint\"\n[policy]\nk = 5\nsearch = \"levels\"\n",
    );
    feed += "suppression = 0.05\n";
    for name in &names {
        feed += &format!("[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntype = \"string\"\n");
        feed += &format!("taxonomy = {{ file = \"hierarchy_{name}.csv\" }}\n");
    }
    let place = Place::new(&feed);
    for name in &names {
        let file = format!("hierarchy_{name}.csv");
        place.put(
            &file,
            std::fs::read(folder.join(&file)).expect("a hierarchy"),
        );
    }
    place.put("a.csv", rows);
    let levels = place.entries(&["a.csv"])[0]["levels"].clone();
    assert_eq!(levels["stopped"], true, "{levels}");
    let [found, bound] =
        ["found", "lower_bound"].map(|key| levels[key].as_f64().expect("a number"));
    assert!(0.0 < bound && bound < found && found < 1.0, "{levels}");
    let shown = text(&asked(&place, "show", &["1"]).stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(shown.contains("the search stopped at its limit"), "{shown}");
}
