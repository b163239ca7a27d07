//! Tests `tidegate init` from outside (CONTRACTS 3): the feed files that it makes from samples pass
//! `check`, nothing is overwritten, and no value of an identifier or of a sensitive column is shown
//! anywhere.

mod encounters;
mod headers;
mod values;

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use serde_json::Value;

fn tidegate(args: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .output()
        .expect("the program runs")
}

/// A folder to work in.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a temporary directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `init` on a sample; the JSON on its standard output, after `check` has passed.
    fn init(&self, sample: Option<&str>) -> Value {
        let (dir, json) = (self.path("feed"), Path::new("--json"));
        let sample = sample.map(|name| self.path(name));
        let mut args = vec![Path::new("init"), &dir, json];
        if let Some(sample) = &sample {
            args.extend([Path::new("--sample"), sample]);
        }
        let output = tidegate(&args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        let check = tidegate(&[Path::new("check"), &dir.join("feed.toml"), json]);
        assert!(
            check.status.success(),
            "{}",
            String::from_utf8_lossy(&check.stdout)
        );
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Checks that `anonymize` reads every row of a sample under the feed file that `init` wrote.
    fn takes_in(&self, sample: &str, rows: usize) {
        let (feed, out) = (self.path("feed/feed.toml"), self.path("releases"));
        let [anonymize, flag, input, to, json] =
            ["anonymize", "--feed", "--in", "--out", "--json"].map(Path::new);
        let output = tidegate(&[
            anonymize,
            flag,
            &feed,
            input,
            &self.path(sample),
            to,
            &out,
            json,
        ]);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_ne!(output.status.code(), Some(2), "{answer}");
        let tick = &answer["releases"][0];
        let [published, waiting, twice] =
            ["rows", "waiting", "duplicate"].map(|key| tick[key].as_u64().unwrap_or(0));
        assert_eq!(published + waiting + twice, rows as u64, "{answer}");
    }

    /// The error of `init` on a sample; no file may have been written.
    fn refused(&self, sample: &str, content: &[u8]) -> Value {
        fs::write(self.path(sample), content).expect("the sample");
        let dir = self.path("feed");
        let args = [
            Path::new("init"),
            &dir,
            Path::new("--json"),
            Path::new("--sample"),
            &self.path(sample),
        ];
        let output = tidegate(&args);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        assert!(!dir.exists(), "nothing is left behind");
        let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(
            error["error"]["file"]
                .as_str()
                .is_some_and(|file| file.ends_with(sample)),
            "{error}"
        );
        error["error"].clone()
    }

    /// Everything that was written, in one text.
    fn everything(&self) -> String {
        let mut all = fs::read_to_string(self.path("feed/feed.toml")).expect("the feed file");
        for file in fs::read_dir(self.path("feed/taxonomies"))
            .into_iter()
            .flatten()
            .flatten()
        {
            all += &fs::read_to_string(file.path()).expect("a taxonomy");
        }
        all
    }
}

fn role<'r>(report: &'r Value, name: &str) -> (&'r str, &'r str) {
    let columns = report["columns"].as_array().expect("columns");
    let column = columns
        .iter()
        .find(|column| column["name"] == name)
        .unwrap_or_else(|| panic!("no column {name}"));
    (
        column["role"].as_str().unwrap_or("dropped"),
        column["taxonomy"].as_str().unwrap_or(""),
    )
}

/// A sample with a column of every kind.
fn hospital(delimiter: char) -> String {
    let header = [
        "patient_id",
        "age",
        "gender",
        "zip",
        "birthDate",
        "ward",
        "visits",
        "cost",
        "amount",
        "plz",
        "notes",
        "site",
        "email",
        "icd_code",
        "seen_at",
    ];
    let mut text = header.join(&delimiter.to_string()) + "\n";
    for row in 0..400 {
        let fields = [
            format!("SECRETID{row:05}"),
            (row * 7 % 95).to_string(),
            ["F", "M"][row % 2].to_owned(),
            format!("{:05}", 2100 + row * 37 % 900),
            format!(
                "{}-{:02}-{:02}",
                1930 + row % 80,
                1 + row % 12,
                1 + row % 28
            ),
            [
                "Intensive Care",
                "Surgery, general",
                "\u{d6}sophagus; ward",
                "",
            ][row % 4]
                .to_owned(),
            (row * row % 300).to_string(),
            format!("{}.{}", row % 77, 1 + row % 9),
            (row * 7919 % 1_000_003).to_string(),
            format!("D{:04}", row % 50),
            format!(
                "the patient number {row} said that something hurt very much, and so on and so forth"
            ),
            "Main".to_owned(),
            format!("someone{row}@example.org"),
            ["F32.1", "C50", "I21.9", "E11"][row % 4].to_owned(),
            format!("2024-03-{:02}T10:00:00", 1 + row % 28),
        ];
        let quoted: Vec<String> = fields
            .iter()
            .map(|field| match field.contains([',', ';', '"']) {
                true => format!("\"{field}\""),
                false => field.clone(),
            })
            .collect();
        writeln!(text, "{}", quoted.join(&delimiter.to_string())).expect("text");
    }
    text
}

fn check_hospital(delimiter: char) {
    let place = Place::new();
    fs::write(place.path("sample.csv"), hospital(delimiter)).expect("the sample");
    let report = place.init(Some("sample.csv"));
    for (name, expected, taxonomy) in [
        ("patient_id", "identifier", ""),
        (
            "age",
            "quasi",
            "bands = [5, 10, 20, 40], min = 0, max = 119",
        ),
        ("gender", "quasi", "file = \"taxonomies/gender.csv\""),
        ("zip", "quasi", "builtin = \"us-zip3\""),
        // Days would give more combinations of values than can be counted.
        (
            "birthDate",
            "quasi",
            "date = [\"month\", \"year\", \"decade\"], from = \"1920-01-01\"",
        ),
        ("ward", "quasi", "file = \"taxonomies/ward.csv\""),
        ("visits", "quasi", "bands = ["),
        ("amount", "quasi", "leaves = ["),
        (
            "plz",
            "quasi",
            "prefix = [4, 3, 2, 1], length = 5, domain = \"taxonomies/plz.csv\"",
        ),
        ("cost", "quasi", "file = \"taxonomies/cost.csv\""),
        ("notes", "dropped", ""),
        ("site", "dropped", ""),
        ("email", "dropped", ""),
        ("seen_at", "dropped", ""),
        ("icd_code", "sensitive", "builtin = \"icd10\""),
    ] {
        let (got, table) = role(&report, name);
        assert_eq!(got, expected, "{name}");
        assert!(table.contains(taxonomy), "{name}: {table}");
    }
    let all = place.everything() + &report.to_string();
    for secret in ["SECRETID", "F32", "C50", "said that", "someone", "Main"] {
        assert!(!all.contains(secret), "{secret} is shown");
    }
    // Guarded values are proposed whatever values the sample has.
    assert!(all.contains("m = 2 ") && all.contains("\"Z21.9\"") && !all.contains("# m = 2"));
    assert!(
        all.contains("optional = true"),
        "rows of the sample lack a value"
    );
    // Amounts may be summed up instead of generalised.
    assert_eq!(
        report
            .to_string()
            .matches("`role = \\\"measure\\\"`")
            .count(),
        2,
        "{report}"
    );
    assert!(all.contains("Intensive Care"));
}

#[test]
fn a_sample_with_commas() {
    check_hospital(',');
}

#[test]
fn a_sample_with_semicolons() {
    check_hospital(';');
}

#[test]
fn without_a_sample() {
    let place = Place::new();
    let report = place.init(None);
    assert_eq!(role(&report, "patient_id").0, "identifier");
    assert_eq!(report["rows"], Value::Null);
    for name in ["keys/feed.key", "keys/feed.signing.key"] {
        let path = place.path("feed").join(name);
        let key = fs::read_to_string(&path).expect("a key");
        assert!(
            key.trim_end().len() == 64
                && key.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit())
        );
        assert_eq!(
            fs::metadata(&path).expect("a key").permissions().mode() & 0o777,
            0o600
        );
        assert!(!report.to_string().contains(key.trim_end()));
    }
    let public = place.path("feed/keys/feed.signing.pub");
    let signing = fs::read_to_string(place.path("feed/keys/feed.signing.key")).expect("a key");
    let half = tidegate::daemon::sign::Signing::parse(&signing)
        .expect("a key")
        .public()
        .text();
    assert_eq!(fs::read_to_string(&public).expect("a key"), half + "\n");
    assert_eq!(
        fs::metadata(&public).expect("a key").permissions().mode() & 0o777,
        0o644
    );
    assert_eq!(
        fs::metadata(place.path("feed/keys"))
            .expect("keys")
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    let text = fs::read_to_string(place.path("feed/feed.toml")).expect("the feed file");
    assert!(text.contains("key = \"file:keys/feed.key\""));
    // Editors find the schema where the first line says, on any machine.
    assert!(text.starts_with("#:schema ./feed.schema.json\n"), "{text}");
    let schema = fs::read_to_string(place.path("feed/feed.schema.json")).expect("the schema");
    assert_eq!(
        schema,
        fs::read_to_string("schemas/v1/feed.schema.json").expect("the shipped one")
    );
    assert!(
        text.contains("are for `tidegate run`")
            && text.contains("`anonymize` uses only `store.key`")
    );
}

/// A sample whose quasi columns contain labels of the written taxonomies can be audited directly;
/// for another one the text says how to make a release of it.
#[test]
fn the_sample_can_be_audited() {
    let place = Place::new();
    let mut text = String::from("age,sex,ward,icd\n");
    for row in 0..80 {
        let icd = ["F32.1", "C50.0", "I21.9"][row % 3];
        writeln!(
            text,
            "{},{},W{},{icd}",
            row % 4 * 33,
            ["Male", "F"][row % 2],
            row % 3
        )
        .expect("text");
    }
    fs::write(place.path("sample.csv"), &text).expect("the sample");
    place.init(Some("sample.csv"));
    let audit = |file: &str| {
        let [audit, flag, release, json] =
            ["audit", "--feed", "--release", "--json"].map(Path::new);
        let output = tidegate(&[
            audit,
            flag,
            &place.path("feed/feed.toml"),
            release,
            &place.path(file),
            json,
        ]);
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let answer = audit("sample.csv");
    assert_eq!(
        (&answer["safe"], &answer["releases"][0]["rows"]),
        (&false.into(), &80.into()),
        "{answer}"
    );
    fs::write(
        place.path("more.csv"),
        text.replacen("age", "patient_id,age", 1)
            .replace("\n", "\nP,"),
    )
    .expect("a file");
    let error = audit("more.csv")["error"]["text"].to_string();
    assert!(
        error.contains("`tidegate anonymize` makes a release"),
        "{error}"
    );
}

/// A sample of this many rows makes a feed that publishes them, if there are enough.
fn can_be_run(rows: u32) {
    let place = Place::new();
    let mut text = String::from("patient_id,age,ward\n");
    for row in 0..rows {
        writeln!(text, "P{row:05},{},W{}", 20 + row % 40, row % 3).expect("text");
    }
    fs::write(place.path("sample.csv"), &text).expect("the sample");
    let report = place.init(Some("sample.csv"));
    let feed = fs::read_to_string(place.path("feed/feed.toml")).expect("the feed file");
    assert!(
        feed.contains("search = \"halves\"") && !feed.contains("min_records"),
        "{feed}"
    );
    let incoming = place.path("feed/incoming");
    assert_eq!(report["incoming"], incoming.to_str().expect("text"));
    assert_eq!(
        fs::metadata(&incoming)
            .expect("a folder")
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    fs::write(incoming.join("1.csv"), text).expect("a file");
    let run = tidegate(&[
        Path::new("run"),
        Path::new("--once"),
        &place.path("feed/feed.toml"),
        Path::new("--json"),
    ]);
    let answer: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let outcome = answer["ticks"][0]["outcome"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert_eq!(outcome == "published", rows >= 10, "{rows}: {answer}");
}

/// `run` finds the folder that the feed file names, and publishes as soon as there are enough
/// people.
#[test]
fn what_was_sampled_can_be_run() {
    // At the same time, since each waits until its file no longer changes.
    std::thread::scope(|scope| {
        for rows in [400, 40, 10, 8, 3000] {
            scope.spawn(move || can_be_run(rows));
        }
    });
}

#[test]
fn nothing_is_written_over_and_nothing_is_left_behind() {
    let place = Place::new();
    let dir = place.path("feed");
    fs::create_dir_all(dir.join("keys")).expect("a directory");
    fs::write(dir.join("keys/feed.signing.key"), "old").expect("a key");
    let output = tidegate(&[Path::new("init"), &dir, Path::new("--json")]);
    assert_eq!(output.status.code(), Some(2));
    let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(
        error["error"]["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("feed.signing.key")),
        "{error}"
    );
    assert!(!dir.join("feed.toml").exists() && !dir.join("keys/feed.key").exists());
    assert_eq!(
        fs::read_to_string(dir.join("keys/feed.signing.key")).expect("the old key"),
        "old"
    );
    let file = place.path("file");
    fs::write(&file, "").expect("a file");
    let output = tidegate(&[Path::new("init"), &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the file with --sample"));
}

#[test]
fn a_parquet_sample() {
    let place = Place::new();
    let column = |name: &str, array: ArrayRef| (name.to_owned(), array);
    let batch = RecordBatch::try_from_iter([
        column(
            "mrn",
            Arc::new(Int64Array::from_iter_values(
                (0..200).map(|row| 900_000_000 + row * 7),
            )),
        ),
        column(
            "Age",
            Arc::new(Int64Array::from_iter(
                (0..200).map(|row| (row % 9 > 0).then_some(row % 90)),
            )),
        ),
        column(
            "birth",
            Arc::new(Date32Array::from_iter_values((0..200).map(|row| row * 100))),
        ),
        column(
            "admitted",
            Arc::new(TimestampMillisecondArray::from_iter_values(0..200)),
        ),
        column(
            "height",
            Arc::new(Float64Array::from_iter_values(
                (0..200).map(|row| 150.5 + f64::from(row % 40)),
            )),
        ),
        column(
            "seen",
            Arc::new(StringArray::from_iter_values(
                (0..200).map(|row| format!("2020-03-{:02}", 1 + row % 28)),
            )),
        ),
        column(
            "years",
            Arc::new(StringArray::from_iter_values(
                (0..200).map(|row| (row % 60).to_string()),
            )),
        ),
        column(
            "sex",
            Arc::new(Int64Array::from_iter_values((0..200).map(|row| row % 2))),
        ),
        column(
            "salary",
            Arc::new(Float64Array::from_iter_values(
                (0..200).map(|row| 1234.5 + f64::from(row)),
            )),
        ),
    ])
    .expect("a batch");
    let file = fs::File::create(place.path("sample.parquet")).expect("the sample");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("the sample");
    let report = place.init(Some("sample.parquet"));
    place.takes_in("sample.parquet", 200);
    assert_eq!(role(&report, "mrn").0, "identifier");
    assert_eq!(role(&report, "Age"), ("quasi", "{ builtin = \"age\" }"));
    assert_eq!(role(&report, "birth").0, "quasi");
    assert_eq!(role(&report, "admitted").0, "dropped");
    assert_eq!(
        role(&report, "seen"),
        ("quasi", "{ file = \"taxonomies/seen.csv\" }")
    );
    assert_eq!(
        role(&report, "height"),
        ("quasi", "{ file = \"taxonomies/height.csv\" }")
    );
    assert_eq!(
        role(&report, "years"),
        ("quasi", "{ file = \"taxonomies/years.csv\" }")
    );
    assert_eq!(
        role(&report, "sex"),
        ("quasi", "{ file = \"taxonomies/sex.csv\" }")
    );
    assert_eq!(role(&report, "salary").0, "sensitive");
    assert!(!place.everything().contains("900000") && !place.everything().contains("1234.5"));
}

#[test]
fn a_sample_of_json_lines() {
    let place = Place::new();
    let mut text = String::from("\u{feff}");
    for row in 0..120 {
        let ward = if row % 5 == 0 {
            String::new()
        } else {
            format!(",\"ward\":\"W{}\"", row % 3)
        };
        let patient = format!(
            "{{\"id\":\"SECRET{row:04}\",\"birthDate\":\"{}-03-{:02}\"}}",
            1930 + row % 80,
            1 + row % 28
        );
        let fields = format!(
            "\"patient\":{patient},\"age\":{},\"temp\":{}.{}",
            row % 90,
            36 + row % 4,
            1 + row % 9
        );
        let rest = format!(
            "\"mixed\":{},\"codes\":[1,2],\"result\":\"r{}\"",
            ["1", "\"x\""][row % 2],
            row % 4
        );
        writeln!(text, "{{{fields},{rest}{ward}}}").expect("text");
    }
    fs::write(place.path("sample.jsonl"), text).expect("the sample");
    let report = place.init(Some("sample.jsonl"));
    place.takes_in("sample.jsonl", 120);
    assert_eq!(role(&report, "patient_id").0, "identifier");
    assert_eq!(role(&report, "patient_birthDate").0, "quasi");
    assert_eq!(role(&report, "age"), ("quasi", "{ builtin = \"age\" }"));
    assert_eq!(
        role(&report, "temp"),
        ("quasi", "{ file = \"taxonomies/temp.csv\" }")
    );
    assert_eq!(role(&report, "ward").0, "quasi");
    assert_eq!(role(&report, "result").0, "sensitive");
    for column in ["mixed", "codes"] {
        assert_eq!(role(&report, column).0, "dropped", "{column}");
    }
    let all = place.everything();
    assert!(
        all.contains("path = \"$.patient.birthDate\"") && all.contains("format = \"json\""),
        "{all}"
    );
    assert!(
        all.contains("optional = true") && !all.contains("SECRET"),
        "{all}"
    );
}

#[test]
fn odd_names_and_labels() {
    let place = Place::new();
    let mut text =
        String::from("\"a \"\"b\"\"\",Gr\u{f6}\u{df}e (cm),Gr o e,\"x,y\",*,\\n \u{2028}#]\n");
    for row in 0..60 {
        let fields = [
            "\"p, \"\"q\"\"\"",
            "\"r; s\"",
            "*",
            "other",
            "unknown",
            "\"two\nlines\"",
        ];
        writeln!(
            text,
            "{0},{1},{1}0,{0},{0},{0}",
            fields[row % 6],
            150 + row % 40
        )
        .expect("text");
    }
    fs::write(place.path("sample.csv"), text).expect("the sample");
    let report = place.init(Some("sample.csv"));
    assert_eq!(report["columns"].as_array().map(Vec::len), Some(6));
    assert_eq!(role(&report, "Gr\u{f6}\u{df}e (cm)").0, "quasi");
    assert_eq!(
        role(&report, "\\n \u{2028}#]").0,
        "sensitive",
        "the last list of categories"
    );
}

#[test]
fn a_measurement_is_no_identifier_and_a_small_sample_proves_little() {
    let place = Place::new();
    let mut text = String::from("weight,code,diagnosis,age\n");
    for row in 0..60 {
        writeln!(
            text,
            "{}.{row:02},AB{row:06},d{},{}",
            50 + row,
            row % 5,
            20 + row
        )
        .expect("text");
    }
    fs::write(place.path("sample.csv"), text).expect("the sample");
    let report = place.init(Some("sample.csv"));
    assert_eq!(role(&report, "weight").0, "quasi");
    assert_eq!(role(&report, "code").0, "identifier");
    assert_eq!(role(&report, "age").0, "quasi");
    let place = Place::new();
    fs::write(place.path("sample.csv"), "age,diagnosis\n30,a\n").expect("the sample");
    assert_eq!(role(&place.init(Some("sample.csv")), "age").0, "quasi");
}

/// Possible content of a column that is named after a person's name, number or remarks, even with
/// few values.
#[test]
fn people_are_never_written_down() {
    for (columns, taken) in [
        (
            &["name", "Vorname", "Nachname", "surname", "Patientenname"][..],
            &["dropped"][..],
        ),
        (
            &[
                "Name",
                "phone number",
                "Wohnadresse",
                "pr\u{e9}nom",
                "apellidos",
            ],
            &["dropped"],
        ),
        (
            &["free text", "comment", "Bemerkung", "notes", "Freitext"],
            &["dropped"],
        ),
        (
            &[
                "Versichertennr",
                "Fallnummer",
                "SSN",
                "case_no",
                "insurance number",
            ],
            &["identifier", "dropped"],
        ),
        (
            &["Fallnummer", "insurance_id", "policy no", "Aufnahmenr"],
            &["identifier", "dropped"],
        ),
    ] {
        for (rows, distinct) in [(6, 3), (12, 12), (400, 5), (400, 90)] {
            let place = Place::new();
            let mut text = format!("age,ward,{},diagnosis\n", columns.join(","));
            for row in 0..rows {
                let cells: Vec<String> = columns
                    .iter()
                    .map(|_| format!("90{}", row % distinct))
                    .collect();
                writeln!(
                    text,
                    "{},W{},{},d{}",
                    20 + row % 50,
                    row % 3,
                    cells.join(","),
                    row % 4
                )
                .expect("text");
            }
            fs::write(place.path("sample.csv"), text.replace(",90", ",Person90"))
                .expect("the sample");
            let report = place.init(Some("sample.csv"));
            for column in columns {
                assert!(
                    taken.contains(&role(&report, column).0),
                    "{column}, {rows} rows: {report}"
                );
            }
            let check = tidegate(&[Path::new("check"), &place.path("feed/feed.toml")]);
            let all =
                place.everything() + &report.to_string() + &String::from_utf8_lossy(&check.stdout);
            assert!(!all.contains("Person90"), "{columns:?}");
        }
    }
}

#[test]
fn amounts_are_bands_and_codes_are_listed_in_order() {
    let place = Place::new();
    let mut text = String::from("age,length_of_stay,score,admission_type,ward,diagnosis\n");
    for row in 0..200 {
        let fields = [20 + row % 50, 1 + row % 14, row % 6, 1 + row % 11];
        let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        writeln!(text, "{},W{},d{}", fields.join(","), row % 3, row % 4).expect("text");
    }
    fs::write(place.path("sample.csv"), text).expect("the sample");
    let report = place.init(Some("sample.csv"));
    for name in ["length_of_stay", "score"] {
        assert!(
            role(&report, name).1.contains("bands = ["),
            "{name}: {report}"
        );
    }
    assert_eq!(
        role(&report, "admission_type"),
        ("quasi", "{ file = \"taxonomies/admission_type.csv\" }")
    );
    let list =
        fs::read_to_string(place.path("feed/taxonomies/admission_type.csv")).expect("a list");
    let first: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split(';').next())
        .collect();
    assert_eq!(
        first[..11],
        ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]
    );
}

#[test]
fn sentences_that_repeat_are_free_text() {
    let place = Place::new();
    let mut text = String::from("age,ward,info,diagnosis\n");
    for row in 0..200 {
        let info = [
            "Mrs Miller came in with her son",
            "was seen by the surgeon on call",
            "no",
        ][row % 3];
        writeln!(text, "{},W{},{info},d{}", 20 + row % 50, row % 3, row % 4).expect("text");
    }
    fs::write(place.path("sample.csv"), text).expect("the sample");
    assert_eq!(role(&place.init(Some("sample.csv")), "info").0, "dropped");
    assert!(!place.everything().contains("Miller"));
}

#[test]
fn samples_that_are_none() {
    let place = Place::new();
    assert!(
        place.refused("a.csv", b"")["text"]
            .as_str()
            .is_some_and(|text| text.contains("empty"))
    );
    assert!(
        place.refused("b.csv", b"age,sex\n")["text"]
            .as_str()
            .is_some_and(|text| text.contains("no rows"))
    );
    assert!(
        place.refused("c.csv", b"PAR1 and so on")["text"]
            .as_str()
            .is_some_and(|text| text.contains("Parquet"))
    );
    assert!(
        place.refused("d.parquet", b"age,sex\n1,F\n")["text"]
            .as_str()
            .is_some_and(|text| text.contains("Parquet"))
    );
    assert_eq!(place.refused("e.csv", b"age,sex\n1,F\nsecret\n")["line"], 3);
    assert_eq!(place.refused("f.csv", b"age,sex\n1,F\n1,\xff\n")["line"], 3);
    place.refused("g", b"PAR1");
    place.refused("h.csv", b"a\0b,c\n1,2\n");
    place.refused("i.csv", b"age\tsex\n1\tF\n");
    place.refused("j.csv", b"age,age\n1,2\n");
    assert_eq!(
        place.refused("l.jsonl", b"{\"age\":1}\n{\"age\":SECRET}\n")["line"],
        2
    );
    assert!(
        place.refused("m.jsonl", b"")["text"]
            .as_str()
            .is_some_and(|text| text.contains("no rows"))
    );
    let error = place.refused("k.csv", b"patient_id,notes\nSECRET1,a\nSECRET2,a\n");
    assert!(!error.to_string().contains("SECRET"), "{error}");
}
