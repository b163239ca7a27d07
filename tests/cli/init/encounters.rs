//! Samples with several rows for a person (FHIR Encounters, admissions): `init` takes the person
//! for the identifier, and no number of a person gets into a taxonomy, a table, a report or a
//! manifest; `check --in` and `preview` warn of feed files that others wrote.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Place, role, tidegate};

const PATIENTS: usize = 1_350;
const DAYS: usize = 9;
const A_DAY: usize = 225;

/// The patient of an encounter: every patient has one, and half of them a second one.
fn patient(encounter: usize) -> String {
    format!("PAT{:06}", 7_000 + encounter * 631 % PATIENTS)
}

/// One day of FHIR Encounters, as a server exports them.
fn encounters(day: usize) -> String {
    let mut text = String::new();
    for at in day * A_DAY..(day + 1) * A_DAY {
        let patient = patient(at);
        let class = ["IMP", "AMB", "EMER"][at % 3];
        let service = ["Cardiology", "Surgery", "Neurology", "Paediatrics"][at % 4];
        let end = ["home", "other-hcf", "exp"][at % 7 % 3];
        let encounter = serde_json::json!({
            "resourceType": "Encounter",
            "id": format!("enc-{:07}", 40_000 + at * 7),
            "meta": { "lastUpdated": format!("2024-03-{:02}T10:{:02}:00Z", day + 1, at % 60) },
            "status": "finished",
            "class": { "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": class },
            "subject": { "reference": format!("Patient/{patient}"), "display": format!("Mx {patient}") },
            "participant": [{ "individual": { "reference": format!("Practitioner/{}", at % 40) } }],
            "serviceType": { "text": service },
            "period": { "start": format!("2024-03-{:02}", day + 1) },
            "length": { "value": 1 + at % 9, "unit": "d" },
            "serviceProvider": { "reference": format!("Organization/{}", at % 5) },
            "hospitalization": { "dischargeDisposition": { "text": end } }
        });
        writeln!(text, "{encounter}").expect("text");
    }
    text
}

/// Nine files, and one with all of them as a sample.
fn write_encounters(place: &Place) -> Vec<String> {
    let mut all = String::new();
    let mut names = Vec::new();
    for day in 0..DAYS {
        let text = encounters(day);
        let name = format!("day-{day}.jsonl");
        fs::write(place.path(&name), &text).expect("a file");
        all.push_str(&text);
        names.push(name);
    }
    fs::write(place.path("all.jsonl"), all).expect("the sample");
    names
}

/// The text of every file below a folder, with tables as bytes.
fn below(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => all.extend(below(&path)),
            path => all.extend(fs::read(path).expect("a file")),
        }
    }
    all
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes
        .windows(word.len())
        .any(|window| window == word.as_bytes())
}

/// Standard output of a command that succeeds, on one line.
fn said(args: &[&str]) -> String {
    let output = tidegate(&args.iter().map(Path::new).collect::<Vec<_>>());
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn no_patient_number_of_fhir_encounters_is_published() {
    let place = Place::new();
    let days = write_encounters(&place);
    let report = place.init(Some("all.jsonl"));
    assert_eq!(
        role(&report, "subject_reference").0,
        "identifier",
        "{report}"
    );
    for column in ["id", "subject_display", "participant", "meta_lastUpdated"] {
        assert_eq!(role(&report, column).0, "dropped", "{column}: {report}");
    }
    assert_eq!(role(&report, "class_code").0, "quasi", "{report}");
    let (feed, out) = (place.path("feed/feed.toml"), place.path("releases"));
    let inputs: Vec<_> = days.iter().map(|day| place.path(day)).collect();
    let mut args = vec!["anonymize", "--feed", text(&feed), "--out", text(&out)];
    inputs
        .iter()
        .for_each(|input| args.extend(["--in", text(input)]));
    said(&args);
    // The private state is sealed, and keys are drawn: neither holds a word.
    let published = [
        below(&out),
        place.everything().into_bytes(),
        report.to_string().into_bytes(),
    ]
    .concat();
    assert!(contains(&below(&out), "EMER"), "something was published");
    for word in ["PAT00", "Patient/", "enc-00"] {
        assert!(!contains(&published, word), "{word} is published");
    }
    let tables = readable(&out);
    assert!(
        !contains(tables.as_bytes(), "PAT00"),
        "a table shows a patient"
    );
    // The feed of one day is the same.
    let place = Place::new();
    write_encounters(&place);
    let report = place.init(Some("day-0.jsonl"));
    assert_eq!(
        role(&report, "subject_reference").0,
        "identifier",
        "{report}"
    );
    let inputs = ["--in", text(&place.path("all.jsonl"))].map(str::to_owned);
    let checked = said(&[
        "check",
        text(&place.path("feed/feed.toml")),
        &inputs[0],
        &inputs[1],
    ]);
    assert!(
        !checked.contains("key of a person") && !checked.contains("occur once"),
        "{checked}"
    );
}

/// All cells of text in the tables of releases.
fn readable(folder: &Path) -> String {
    use arrow_array::cast::AsArray;
    let mut all = String::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all += &readable(&path);
        } else if path.extension().is_some_and(|end| end == "parquet") {
            let file = fs::File::open(&path).expect("a table");
            let reader =
                parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file)
                    .expect("a table");
            for batch in reader.build().expect("a table") {
                let batch = batch.expect("rows");
                for column in batch.columns() {
                    let Some(cells) = column.as_string_opt::<i32>() else {
                        continue;
                    };
                    cells.iter().flatten().for_each(|cell| all.push_str(cell));
                }
            }
        }
    }
    all
}

/// What `init` wrote before, and others still write: the encounter is the person, and the person a
/// quasi column.
#[test]
fn a_list_of_patients_in_a_taxonomy_is_named() {
    let place = Place::new();
    write_encounters(&place);
    let mut patients: Vec<String> = (0..DAYS * A_DAY)
        .map(|at| format!("Patient/{};*", patient(at)))
        .collect();
    patients.sort();
    patients.dedup();
    assert_eq!(patients.len(), PATIENTS);
    fs::write(place.path("patients.csv"), patients.join("\n")).expect("a taxonomy");
    let feed = place.path("feed.toml");
    let column = |name: &str, role: &str, path: &str, more: &str| {
        format!("[[column]]\nname = \"{name}\"\nrole = \"{role}\"\npath = \"{path}\"\n{more}\n")
    };
    let columns = [
        column("encounter", "identifier", "$.id", ""),
        column(
            "who",
            "quasi",
            "$.subject.reference",
            "taxonomy = { file = \"patients.csv\" }\nunknown = \"other\"",
        ),
        column(
            "class",
            "quasi",
            "$.class.code",
            "taxonomy = { flat = [\"IMP\", \"AMB\", \"EMER\"] }",
        ),
        column(
            "end",
            "sensitive",
            "$.hospitalization.dischargeDisposition.text",
            "",
        ),
    ];
    fs::write(
        &feed,
        format!(
            "[feed]\nname = \"one\"\n[policy]\nk = 10\n{}",
            columns.concat()
        ),
    )
    .expect("a feed file");
    let sample = place.path("all.jsonl");
    let named =
        "its taxonomy lists 1,351 leaves, of which this sample has 1,350 and 675 occur once";
    for command in [
        &["check", text(&feed), "--in"][..],
        &[
            "preview",
            "--no-alternatives",
            "--feed",
            text(&feed),
            "--in",
        ],
    ] {
        let said = said(&[command, &[text(&sample)]].concat());
        assert!(
            said.contains(named) && said.contains("Releases publish every leaf"),
            "{said}"
        );
        assert_eq!(said.matches("occur once").count(), 1, "{said}");
        assert!(!said.contains("PAT00") || command[0] == "check", "{said}");
        assert_eq!(
            command[0] == "check",
            said.contains("`subject_reference` looks like the key of a person"),
            "{said}"
        );
    }
    let shown = said(&[
        "preview",
        "--json",
        "--no-alternatives",
        "--feed",
        text(&feed),
        "--in",
        text(&sample),
    ]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let list =
        serde_json::json!([{ "column": "who", "leaves": 1_351, "values": 1_350, "once": 675 }]);
    assert_eq!(shown["sample_lists"], list);
}

#[test]
fn where_admissions_are_the_identifier_k_is_said_in_people() {
    let place = Place::new();
    let feed = place.path("feed.toml");
    let checked = |patient: &dyn Fn(usize) -> usize| {
        // Forty women with six patient numbers, and forty men.
        let mut rows = String::from("admission_id,patient_id,sex,ill\n");
        for at in 0..80 {
            let sex = ["F", "M"][usize::from(at >= 40)];
            writeln!(rows, "A{at:05},Pq7{:05},{sex},d{}", patient(at), at % 5).expect("text");
        }
        let sample = place.path("sample.csv");
        fs::write(&sample, rows).expect("the sample");
        said(&["check", text(&feed), "--in", text(&sample)])
    };
    let identifier = |name: &str| {
        let column =
            |name: &str, role: &str| format!("[[column]]\nname = \"{name}\"\nrole = \"{role}\"\n");
        let written = format!(
            "[feed]\nname = \"one\"\n[policy]\nk = 10\nsearch = \"top-down\"\n{}{}taxonomy = {{ flat = [\"F\", \"M\"] }}\n{}",
            column(name, "identifier"),
            column("sex", "quasi"),
            column("ill", "sensitive")
        );
        fs::write(&feed, written).expect("a feed file");
    };
    identifier("admission_id");
    let few = checked(&|at| if at < 40 { at % 6 } else { at });
    assert!(
        few.contains("the 80 published rows of this sample are of 46 people"),
        "{few}"
    );
    assert!(
        few.contains("1 of 2 classes hold fewer than 10 people, the fewest 6"),
        "{few}"
    );
    assert!(
        few.contains("values of the identifier `admission_id`, not people") && !few.contains("Pq7"),
        "{few}"
    );
    let enough = checked(&|at| at / 2);
    assert!(
        enough.contains("each of 2 classes holds 10 people or more"),
        "{enough}"
    );
    let alone = checked(&|at| at);
    assert!(!alone.contains("looks like the key of a person"), "{alone}");
    identifier("patient_id");
    assert!(!checked(&|at| at % 40).contains("looks like the key of a person"));
}

/// Nothing about the names of these columns says what they are.
#[test]
fn keys_of_people_are_no_list() {
    let place = Place::new();
    let mut rows = String::from("kurz,plz,ward,bett,age,diagnosis\n");
    for at in 0..600 {
        // 220 keys that recur; 300 postal codes, 250 wards and 210 beds of 600 rows.
        let key = format!("Kq{:06x}", at * 7 % 220 * 1_931);
        let (plz, ward, bed) = (
            format!("{:05}", 1_000 + at % 300),
            format!("Wq{}x", at % 250),
            format!("B{:03}", at % 210),
        );
        writeln!(
            rows,
            "{key},{plz},{ward},{bed},{},d{}",
            20 + at % 60,
            at % 4
        )
        .expect("text");
    }
    fs::write(place.path("sample.csv"), &rows).expect("the sample");
    let report = place.init(Some("sample.csv"));
    assert_eq!(role(&report, "kurz").0, "identifier", "{report}");
    assert_eq!(role(&report, "age").0, "quasi", "{report}");
    for column in ["plz", "ward", "bett"] {
        assert_eq!(role(&report, column).0, "dropped", "{column}: {report}");
    }
    let reasons = report.to_string();
    assert!(
        reasons.contains("A GUESS: its values look like keys of people"),
        "{reasons}"
    );
    assert!(
        reasons.contains("more than a third of its values in the sample are different"),
        "{reasons}"
    );
    assert!(!place.everything().contains("Kq") && !place.everything().contains("Wq"));
    // A third is not more than a third, and a small sample says little.
    for (rows, wards, expected) in [
        (600, 200, "quasi"),
        (600, 201, "dropped"),
        (99, 60, "quasi"),
    ] {
        let place = Place::new();
        let mut text = String::from("patient_id,ward,diagnosis\n");
        for at in 0..rows {
            writeln!(text, "P{at:05},Ward {},d{}", at % wards, at % 4).expect("text");
        }
        // Another column can be generalised, so that there is a feed in any case.
        let text =
            text.replace(",Ward", &format!(",{},Ward", 30))
                .replacen("id,ward", "id,age,ward", 1);
        let text: String = text
            .lines()
            .enumerate()
            .map(|(at, line)| line.replace(",30,", &format!(",{},", 20 + at % 50)) + "\n")
            .collect();
        fs::write(place.path("sample.csv"), text).expect("the sample");
        assert_eq!(
            role(&place.init(Some("sample.csv")), "ward").0,
            expected,
            "{wards} of {rows}"
        );
    }
}
