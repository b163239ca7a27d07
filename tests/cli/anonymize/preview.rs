//! Tests `tidegate preview` from outside: it shows what `anonymize` then does with the same files,
//! its alternatives have the figures that it shows, nothing is written, and no value is shown.

use std::process::{Command, Output};

use serde_json::Value as Json;

use super::place::{FEED, HEADER, PLANTED, Place, counts, files, fits, has, people, text};

/// `preview` with these files and options.
pub fn output(place: &Place, inputs: &[&str], options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .arg("preview")
        .arg("--feed")
        .arg(place.path("feed.toml"));
    inputs
        .iter()
        .for_each(|input| _ = command.arg("--in").arg(place.path(input)));
    let output = command.args(options).output().expect("the program starts");
    PLANTED.iter().for_each(|word| {
        assert!(
            !has(&output.stdout, word) && !has(&output.stderr, word),
            "{word} is told"
        )
    });
    output
}

fn preview(place: &Place, inputs: &[&str], options: &[&str]) -> Json {
    let before = files(place.path("").as_path());
    let output = output(place, inputs, &[&["--json"], options].concat());
    assert!(
        before == files(place.path("").as_path()),
        "something was written"
    );
    let answer: Json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    fits("preview", &answer);
    assert_eq!(
        output.status.code(),
        Some(i32::from(answer["outcome"] != "published")),
        "{answer}"
    );
    answer
}

/// The sample feed under a policy, with a column that cannot keep any detail.
fn feed(kind: &str, policy: &str) -> String {
    let feed = FEED.replace("name = \"t\"", &format!("name = \"t\"\nchain = \"{kind}\""));
    feed.replace("k = 3\n", &format!("k = 3\n{policy}\n"))
}

fn number(json: &Json) -> f64 {
    json.as_f64()
        .unwrap_or_else(|| panic!("{json} is no number"))
}

const ONE_LIST: [(&str, &str); 6] = [
    ("cumulative", "search = \"top-down\""),
    ("cumulative", "search = \"levels\"\nset_aside = 0.1"),
    ("cumulative", "search = \"top-down\"\nguarantee = \"bcf\""),
    ("disjoint", "search = \"top-down\""),
    ("disjoint", "search = \"levels\"\nsuppression = 0.1"),
    ("disjoint", "output = \"two-table\""),
];

#[test]
fn it_shows_what_anonymize_then_does() {
    for (kind, policy) in ONE_LIST {
        let place = Place::new(&feed(kind, policy));
        place.people("a.csv", 0..120);
        // Twenty people are repeated.
        place.people("b.csv", 100..200);
        let inputs = ["a.csv", "b.csv"];
        let shown = preview(&place, &inputs, &["--no-alternatives"]);
        let entries = place.entries(&inputs);
        let last = &entries[1];
        assert_eq!(shown["rows"], 220, "{policy}");
        assert_eq!(
            (&shown["repeats"], &shown["published"]),
            (&last["duplicate"], &last["rows"]),
            "{policy}"
        );
        assert_eq!(shown["repeats"], 20, "{policy}");
        let [waiting, withheld, pending] = counts(last, ["waiting", "withheld", "pending"]);
        assert_eq!(shown["waiting"], waiting + withheld + pending, "{policy}");
        let manifest = place.json(&format!("{}/manifest.json", last["release"]));
        assert_eq!(
            number(&shown["loss"]),
            number(&manifest["loss"]),
            "{policy}"
        );
        assert_eq!(shown["checks"], manifest["checks"], "{policy}");
        // Loss is the geometric mean over the columns; two tables show each value.
        let columns = shown["columns"].as_array().expect("columns");
        if policy.contains("two-table") {
            assert_eq!((columns.len(), &shown["count_error"]), (0, &Json::Null));
            continue;
        }
        let loss = columns
            .iter()
            .map(|column| number(&column["loss"]) + 1.0)
            .product::<f64>()
            .sqrt()
            - 1.0;
        assert!(
            (loss - number(&shown["loss"])).abs() < 1e-9,
            "{policy}: {loss}"
        );
        for column in columns {
            let labels = column["labels"].as_array().expect("labels");
            let rows: u64 = labels
                .iter()
                .map(|label| label["rows"].as_u64().expect("rows"))
                .sum();
            assert_eq!(last["rows"], rows, "{policy}");
        }
        assert_eq!(shown["alternatives"], Json::Array(Vec::new()));
        assert_eq!(shown["ticks"].as_array().map(Vec::len), Some(10));
    }
}

/// Nearly all people are in one interval: the loss is small, but the column says nothing about
/// them.
#[test]
fn it_names_labels_that_most_rows_share() {
    let policy = feed("cumulative", "search = \"top-down\"");
    let place = Place::new(&policy.replace(
        "bands = [10, 20], min = 0, max = 39",
        "leaves = [0, 40, 80, 1000], layers = [3]",
    ));
    place.people("a.csv", 0..120);
    let shown = preview(&place, &["a.csv"], &["--no-alternatives"]);
    let broad =
        serde_json::json!([{ "column": "age", "label": "[0, 40[", "values": 40, "share": 1.0 }]);
    assert_eq!(shown["broad_labels"], broad);
    let words = text(&output(&place, &["a.csv"], &["--no-alternatives"]).stdout).replace('\n', " ");
    assert!(
        words.contains("age: 100.0 % of the sample's rows have one of its finest labels, [0, 40[,"),
        "{words}"
    );
    assert!(
        words.contains("would be wrong by 0.0 % on average, 0.0 % in the median"),
        "{words}"
    );
    // More than half of the people are women, which is one value.
    let place = Place::new(&policy);
    place.people("a.csv", 0..120);
    assert_eq!(
        preview(&place, &["a.csv"], &["--no-alternatives"])["broad_labels"],
        serde_json::json!([])
    );
}

/// Random draws decide, so figures differ from run to run; the people counted do not.
#[test]
fn crowds_are_shown_as_well() {
    let place = Place::new(&feed("cumulative", "search = \"halves\""));
    place.people("a.csv", 0..400);
    let shown = preview(&place, &["a.csv"], &["--no-alternatives"]);
    let [rows, published, waiting] = counts(&shown, ["rows", "published", "waiting"]);
    assert_eq!((rows, published + waiting), (400, 400));
    let error = &shown["count_error"];
    assert!(
        number(&error["mean"]) < 2.0 && number(&error["median"]) <= number(&error["mean"]) * 2.0,
        "{error}"
    );
    let searches = preview(&place, &["a.csv"], &[])["alternatives"].to_string();
    assert!(
        searches.contains("top-down")
            && searches.contains("levels")
            && searches.contains("max_ratio=1000"),
        "{searches}"
    );
}

#[test]
fn alternatives_give_what_they_say() {
    let place = Place::new(&feed("cumulative", "search = \"top-down\"").replace("k = 3", "k = 6"));
    place.people("a.csv", 0..150);
    let shown = preview(&place, &["a.csv"], &[]);
    let alternatives = shown["alternatives"].as_array().expect("alternatives");
    let of = |set: &str| {
        let found = alternatives.iter().find(|one| one["set"] == set);
        found
            .unwrap_or_else(|| panic!("{set} is not among {alternatives:?}"))
            .clone()
    };
    let errors: Vec<f64> = alternatives
        .iter()
        .map(|one| number(&one["count_error"]["mean"]))
        .collect();
    assert!(errors.is_sorted(), "{errors:?}");
    // Each of them as a user would write it into the file.
    let original = std::fs::read_to_string(place.path("feed.toml")).expect("a feed file");
    let sex =
        "[[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n";
    for (set, from, to) in [
        ("policy.k=3", "k = 6", "k = 3"),
        ("policy.set_aside=0.05", "k = 6", "k = 6\nset_aside = 0.05"),
        (
            "policy.search=levels",
            "search = \"top-down\"",
            "search = \"levels\"",
        ),
        (
            "policy.search=levels policy.set_aside=0.05",
            "search = \"top-down\"",
            "search = \"levels\"\nset_aside = 0.05",
        ),
        ("column.sex=none", sex, ""),
    ] {
        let reported = of(set);
        let file = original.replace(from, to);
        assert_ne!(file, original, "{set}");
        let other = Place::new(&file);
        other.people("a.csv", 0..150);
        let entry = &other.entries(&["a.csv"])[0];
        let manifest = other.json("1/manifest.json");
        assert_eq!(
            number(&reported["loss"]),
            number(&manifest["loss"]),
            "{set}"
        );
        let [waiting, withheld, pending] = counts(entry, ["waiting", "withheld", "pending"]);
        assert_eq!(reported["waiting"], waiting + withheld + pending, "{set}");
        // Given as an option it has the same result, which the preview then shows.
        let again = preview(&place, &["a.csv"], &["--set", set, "--no-alternatives"]);
        assert_eq!(
            (&again["loss"], &again["waiting"]),
            (&reported["loss"], &reported["waiting"]),
            "{set}"
        );
    }
}

#[test]
fn the_text_names_columns_without_detail_and_what_gives_more() {
    // One person of 35 costs the others all detail of their ages.
    let place = Place::new(&feed("cumulative", "search = \"top-down\""));
    let mut rows = String::from("patient,age,sex,diagnosis\n") + &people(0..0);
    (0..60)
        .for_each(|at| rows += &format!("p{at},{},{},d{}\n", at % 10, ["F", "M"][at % 2], at % 5));
    rows += "p99,35,F,d1\n";
    place.put("a.csv", rows);
    let said = text(&output(&place, &["a.csv"], &[]).stdout);
    assert!(
        said.contains("Without any detail (each row shows `*`): `age`"),
        "{said}"
    );
    assert!(said.contains("--set policy.set_aside=0.05"), "{said}");
    assert!(said.contains("As 10 ticks of the same size"), "{said}");
    // If rows may wait nothing more can be gained from it.
    let said = text(
        &output(
            &place,
            &["a.csv"],
            &["--set", "policy.set_aside=0.05", "--no-alternatives"],
        )
        .stdout,
    );
    assert!(
        said.contains("61 rows: 60 would be published, 1 would wait. Loss 0.000."),
        "{said}"
    );
}

#[test]
fn what_cannot_be_shown_is_refused_with_the_place() {
    let place = Place::new(&feed("cumulative", "search = \"top-down\""));
    place.people("a.csv", 0..20);
    place.put("few.csv", "patient,age,sex,diagnosis\np1,5,F,d\n");
    place.put("none.csv", "patient,age,sex,diagnosis\n");
    let refused = |inputs: &[&str], options: &[&str]| {
        let output = output(&place, inputs, &[options, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        let answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        fits("error", &answer);
        answer["error"]["text"].as_str().expect("a text").to_owned()
    };
    for (setting, part) in [
        (
            "policy.k=1",
            "with --set policy.k=1: `policy.k`: `k` is the smallest class",
        ),
        ("policy.kk=1", "no key `kk`"),
        ("column.zip=none", "no column `zip`"),
        ("k=3", "names no table"),
    ] {
        let said = refused(&["a.csv"], &["--set", setting]);
        assert!(said.contains(part), "{setting}: {said}");
    }
    assert!(refused(&["none.csv"], &[]).contains("no rows"));
    let shown = preview(&place, &["few.csv"], &["--no-alternatives"]);
    assert_eq!(
        (&shown["outcome"], &shown["loss"], &shown["published"]),
        (&"held".into(), &Json::Null, &0.into())
    );
    assert_eq!(shown["waiting"], 1);
}

/// The number of sums of measures that would be left out, in both forms of the answer.
#[test]
fn it_says_how_many_sums_would_be_left_out() {
    let measure = "[[column]]\nname = \"cost\"\nrole = \"measure\"\n";
    let rules = "search = \"halves\"\nmin_solutions = 1\ndominance = { n = 1, share = 0.6 }";
    let place = Place::new(&format!("{}{measure}", feed("cumulative", rules)));
    // Every tenth person contributes nearly all of any sum that they are in.
    let cost = |at: usize| if at.is_multiple_of(10) { 1_000_000 } else { 10 };
    let rows: String = people(0..200)
        .lines()
        .enumerate()
        .map(|(at, row)| format!("{row},{}\n", cost(at)))
        .collect();
    place.put("a.csv", format!("{},cost\n{rows}", HEADER.trim_end()));
    let shown = preview(&place, &["a.csv"], &["--no-alternatives"]);
    let [measure] = shown["measures"].as_array().expect("measures").as_slice() else {
        panic!("one measure: {shown}")
    };
    let [labels, sums, left_out] = ["labels", "shown", "left_out"].map(|key| number(&measure[key]));
    assert!(
        measure["name"] == "cost" && left_out >= 1.0 && labels == sums + left_out,
        "{measure}"
    );
    let said = text(&output(&place, &["a.csv"], &["--no-alternatives"]).stdout);
    assert!(said.contains("would show their sum"), "{said}");
}

/// `p1`, `P1 ` and `P1` are three people, each published, and `HIV ` is not `HIV`: the operator is
/// told the columns.
#[test]
fn values_that_differ_in_spelling_alone_are_named_by_column_and_number() {
    let place = Place::new(&feed("cumulative", "search = \"top-down\""));
    let spelled = "P1,5,F,HIV\nP1 ,5,F,HIV \np1,5,F,hiv\nP2,5,F,Me\u{301}nie\u{300}re\nP3,5,F,Ménière\nP4,5,F,\n";
    place.put("a.csv", format!("{HEADER}{spelled}"));
    let shown = preview(&place, &["a.csv"], &["--no-alternatives"]);
    let named = serde_json::json!([{"column": "patient", "values": 2}, {"column": "diagnosis", "values": 3}]);
    assert_eq!(shown["spellings"], named);
    let said = text(&output(&place, &["a.csv"], &["--no-alternatives"]).stdout);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("2 values of `patient` differ from another one in spelling alone"),
        "{said}"
    );
    let check = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .arg("check")
            .arg(place.path("feed.toml"))
            .arg("--in")
            .arg(place.path("a.csv"));
        let output = command.args(more).output().expect("the program starts");
        text(&output.stdout)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    for said in [check(&[]), check(&["--json"])] {
        assert!(said.contains("3 values of `diagnosis` differ"), "{said}");
        assert!(
            !said.contains("hiv") && !said.contains("HIV") && !said.contains("P1"),
            "{said}"
        );
    }
    let (_, said) = place.answered(&mut place.command(&["a.csv"]), 1);
    assert!(
        said.contains("a.csv: 2 values of `patient` differ"),
        "{said}"
    );
    place.put("b.csv", format!("{HEADER}P5,5,F,Flu\nP6,5,F,1\nP7,5,F,2\n"));
    assert_eq!(
        preview(&place, &["b.csv"], &["--no-alternatives"])["spellings"],
        serde_json::json!([])
    );
}
