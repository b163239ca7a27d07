//! Tests `tidegate check` from outside: streams, exit codes, JSON, and the warnings that CONTRACTS
//! 1 lists.

mod connect;

use std::io::Read;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn tidegate(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON value on standard output")
}

fn assert_fits(schema: &str, value: &Value) {
    let text = std::fs::read_to_string(format!("schemas/v1/{schema}.schema.json"))
        .expect("a shipped schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

const SAMPLES: [&str; 5] = [
    "deploy/samples/admissions.toml",
    "deploy/samples/fhir.toml",
    "deploy/samples/minimal.toml",
    "deploy/samples/registry.toml",
    "deploy/samples/fhir-bundles.toml",
];

#[test]
fn samples_pass_and_are_explained() {
    for sample in SAMPLES {
        let output = tidegate(&["check", sample]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stderr(&output), "");
        for word in ["Columns", "Policy", "What can go wrong", "quasi", "k = "] {
            assert!(stdout(&output).contains(word), "{sample}: {word}");
        }
        assert!(
            !stdout(&output).contains('\u{1b}'),
            "colours without a terminal"
        );
    }
}

#[test]
fn what_a_record_is_and_which_are_read_is_said() {
    let said = stdout(&tidegate(&["check", "deploy/samples/fhir-bundles.toml"]));
    let said: Vec<&str> = said.split_whitespace().collect();
    let said = said.join(" ");
    for wanted in [
        "Records A message has many records: what $.entry[*] leads to.",
        "$.request.method is `P*` and $.resource.resourceType is `Encounter`; the others are counted as skipped",
    ] {
        assert!(said.contains(wanted), "{said}");
    }
    assert!(!stdout(&tidegate(&["check", SAMPLES[0]])).contains("\nRecords\n"));
}

/// What releases are checked for, how they are made, and what only the daemon uses are separate.
#[test]
fn keys_of_the_daemon_alone_are_listed_apart() {
    for sample in SAMPLES {
        let said = stdout(&tidegate(&["check", sample]));
        let (judged, rest) = said
            .split_once("How releases are made")
            .expect("a heading of its own");
        let (made, rest) = rest
            .split_once("When it runs")
            .expect("a heading of its own");
        for words in [
            "wait for",
            "decides from quasi",
            "second row",
            "set aside",
            "search",
        ] {
            assert!(!judged.contains(words), "{sample}: {words}");
        }
        for words in ["release is made", "Records come"] {
            assert!(
                !judged.contains(words) && !made.contains(words),
                "{sample}: {words}"
            );
        }
        assert!(
            judged.contains("k = ")
                && (made.contains("Recodings") || made.contains("labels that they keep"))
                && !rest.contains("`m`"),
            "{said}"
        );
    }
    let report = json(&tidegate(&["check", "--json", SAMPLES[0]]));
    assert!(
        report["feeds"][0]["publishing"]
            .to_string()
            .contains("labels that they keep"),
        "{report}"
    );
    assert!(
        report["feeds"][0]["for_daemon"]
            .to_string()
            .contains("The feed makes a release"),
        "{report}"
    );
    let said = stdout(&tidegate(&["check", "deploy/samples/registry.toml"]));
    assert!(said.contains("(a disjoint chain)"), "{said}");
    for words in [
        "Releases are announced to a web address at data.example.",
        "halts are announced to a web address.",
    ] {
        assert!(said.contains(words) && !said.contains("hooks"), "{said}");
    }
}

/// The text about bad rows fits the command that the feed is for.
#[test]
fn bad_rows_of_a_running_feed_are_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let checked = |private: &str, search: &str| {
        let text = format!(
            "[feed]\nname = \"one\"\n[source]\nkind = \"directory\"\npath = \"in\"\nmax_quarantine_share = 0.05\n\
             [store]\nprivate = \"{private}\"\npublic = \"out\"\nkey = \"file:key\"\n[schedule]\nevery = \"1d\"\n\
             [policy]\nk = 3\n{search}[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
             [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [\"F\", \"M\"] }}\n"
        );
        let file = folder.path().join("feed.toml");
        std::fs::write(&file, text).expect("a feed file");
        stdout(&tidegate(&["check", file.to_str().expect("text")]))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let said = checked("private", "");
    assert!(
        said.contains("set aside, sealed")
            && said.contains("more than 0.05")
            && said.contains("`run` halts"),
        "{said}"
    );
    assert!(
        !said.contains("anonymize` stops") && !said.contains("versioning"),
        "{said}"
    );
    // A value outside the taxonomy cannot be added as a new leaf if labels depend on the whole
    // taxonomy.
    let grows = |said: &str| !said.contains("its taxonomies do not grow");
    assert!(
        !grows(&said) && grows(&checked("private", "search = \"top-down\"\n")),
        "{said}"
    );
    let said = checked("s3://bucket/private", "");
    assert!(
        said.contains("versioning or object lock") && said.contains("erased"),
        "{said}"
    );
}

/// Variables of the environment that do not reach a bucket, by their names alone.
#[test]
fn variables_that_look_like_settings_of_a_bucket_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("feed.toml");
    let checked = |public: &str| {
        let store = format!("[store]\nprivate = \"private\"\npublic = \"{public}\"\n");
        let text = format!("[feed]\nname = \"one\"\n[policy]\nk = 2\n{store}{COLUMNS}");
        std::fs::write(&file, text).expect("a feed file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .args(["check", "--json"])
            .arg(&file)
            .env("AWS_ALLOW_INVALID_CERTIFICATES", "planted");
        command
            .env("AWS_ACCESS_KEY_ID", "planted")
            .env("TIDEGATE_PUBLIC_AWS_PROXY_URL", "planted");
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{}", stderr(&output));
        json(&output)["feeds"][0]["warnings"].to_string()
    };
    let said = checked("s3://bucket/public");
    for name in [
        "AWS_ALLOW_INVALID_CERTIFICATES",
        "TIDEGATE_PUBLIC_AWS_PROXY_URL",
    ] {
        assert!(said.contains(name), "{name}: {said}");
    }
    assert!(
        !said.contains("AWS_ACCESS_KEY_ID") && !said.contains("planted"),
        "{said}"
    );
    assert!(!checked("public").contains("AWS_"), "no bucket is named");
}

#[test]
fn json_has_a_schema() {
    let args: Vec<&str> = ["check", "--json"].into_iter().chain(SAMPLES).collect();
    let output = tidegate(&args);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(0), "")
    );
    let report = json(&output);
    assert_fits("check", &report);
    let first = &report["feeds"][0];
    assert_eq!(
        (&first["name"], &first["policy"]["search"]),
        (&"admissions".into(), &Value::from("halves"))
    );
    assert_eq!(first["columns"][1]["taxonomy"]["leaves"], 120);
    assert_eq!(report["feeds"][3]["chain"], "disjoint");
}

/// A sample in which every row is at the root, and the same people under a policy that shows more.
#[test]
fn columns_that_a_sample_shows_no_detail_of_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (feed, sample) = (path("feed.toml"), path("a sample.csv"));
    let rows = |n: u64| {
        format!(
            "Pq7person{n},{},{},Sq7secret\n",
            if n < 30 { "F" } else { "M" },
            n % 40
        )
    };
    std::fs::write(
        &sample,
        "id,sex,age,ill\n".to_owned() + &(0..60).map(rows).collect::<String>(),
    )
    .expect("a sample");
    let checked = |policy: &str, more: &[&str]| {
        let text = format!(
            "[feed]\nname = \"one\"\n[policy]\n{policy}\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
             [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [\"F\", \"M\"] }}\n\
             [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = {{ bands = [20, 40], min = 0, max = 39 }}\n\
             [[column]]\nname = \"ill\"\nrole = \"sensitive\"\n"
        );
        std::fs::write(&feed, text).expect("a feed file");
        tidegate(&[&["check", &feed], more].concat())
    };
    let warned = |policy: &str| {
        let output = checked(policy, &["--json", "--in", &sample]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        assert!(!stdout(&output).contains("Pq7") && !stdout(&output).contains("Sq7"));
        assert_fits("check", &json(&output));
        let texts = json(&output)["feeds"][0]["warnings"]
            .as_array()
            .expect("a list")
            .clone();
        texts
            .iter()
            .map(|warning| warning["text"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let all = "k = 55\nsearch = \"top-down\"";
    let said = warned(all);
    let paste = format!("`tidegate preview --feed {feed} --in '{sample}'`");
    assert!(
        said[0].starts_with("`sex` would be published without any detail")
            && said[0].contains(&paste),
        "{said:?}"
    );
    assert!(
        said[1].starts_with("`age` would be") && !said[2].contains("without any detail"),
        "{said:?}"
    );
    assert!(
        !warned("k = 5\nsearch = \"top-down\"")
            .iter()
            .any(|text| text.contains("without any detail"))
    );
    let said = warned("k = 61\nsearch = \"top-down\"");
    assert!(
        said[0].contains("adds no release (held)") && said[0].contains(&paste),
        "{said:?}"
    );
    let words = stdout(&checked(all, &["--in", &sample]));
    assert!(words.contains("`sex` would be published"), "{words}");
    assert!(!stdout(&checked(all, &[])).contains("without any detail"));
    let two = checked(all, &[SAMPLES[0], "--in", &sample]);
    assert!(
        two.status.code() == Some(2) && stderr(&two).contains("name one only"),
        "{}",
        stderr(&two)
    );
}

#[test]
fn an_error_is_shown_with_its_line() {
    let output = tidegate(&["check", "tests/feeds/policy_k_small.toml"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(2), "")
    );
    let said = stderr(&output);
    assert!(
        said.contains("tests/feeds/policy_k_small.toml:5:5")
            && said.contains("k = 1")
            && said.contains('^'),
        "{said}"
    );
}

#[test]
fn an_error_for_programs_has_its_five_keys() {
    let output = tidegate(&["check", "tests/feeds/policy_k_small.toml", "--json"]);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(2), "")
    );
    let report = json(&output);
    assert_fits("error", &report);
    let keys: Vec<&String> = report["error"]
        .as_object()
        .expect("an object")
        .keys()
        .collect();
    assert_eq!(keys, ["kind", "file", "line", "field", "text"]);
    assert_eq!(
        (&report["error"]["line"], &report["error"]["field"]),
        (&5.into(), &"policy.k".into())
    );
    let missing = json(&tidegate(&["check", "tests/nowhere.toml", "--json"]));
    assert_fits("error", &missing);
    assert_eq!(
        (&missing["error"]["kind"], &missing["error"]["line"]),
        (&"io".into(), &Value::Null)
    );
}

#[test]
fn all_errors_of_several_feeds_are_shown() {
    let files = [
        "tests/feeds/policy_k_small.toml",
        SAMPLES[2],
        "tests/feeds/word_unknown.toml",
    ];
    let output = tidegate(&["check", files[0], files[1], files[2]]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("policy_k_small") && stderr(&output).contains("word_unknown"));
    assert!(stdout(&output).contains("minimal"));
    let report = json(&tidegate(&[
        "--json", "check", files[0], files[1], files[2],
    ]));
    assert_fits("error", &report);
    assert_eq!(report["more"][0]["field"], "policy.guarantee");
}

#[test]
fn a_wrong_command_line_is_an_error_too() {
    for args in [
        &["check"][..],
        &["chekc"],
        &["check", "--connect"],
        &["check", "--colour", SAMPLES[2]],
        &[],
    ] {
        let output = tidegate(args);
        assert_eq!(
            (output.status.code(), stdout(&output).as_str()),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(!stderr(&output).is_empty());
        let output = tidegate(&[args, &["--json"]].concat());
        assert_eq!(
            (output.status.code(), stderr(&output).as_str()),
            (Some(2), ""),
            "{args:?}"
        );
        assert_fits("error", &json(&output));
        assert_eq!(json(&output)["error"]["kind"], "usage");
    }
    for args in [&["--help"][..], &["--version"], &["check", "--help"]] {
        assert_eq!(tidegate(args).status.code(), Some(0), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn errors_that_cannot_be_shown_are_still_errors() {
    let audit = [
        "audit",
        "--feed",
        "tests/nowhere.toml",
        "--release",
        "tests/nowhere.csv",
    ];
    for args in [
        &["check", "tests/nowhere.toml"][..],
        &["chekc"],
        &[],
        &audit,
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("a full device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        let status = command
            .args(args)
            .stdout(Stdio::null())
            .stderr(full)
            .status()
            .expect("the program starts");
        assert_eq!(status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .arg("check")
        .args(std::iter::repeat_n(SAMPLES[2], 200))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let mut said = String::new();
    child
        .stderr
        .take()
        .expect("piped")
        .read_to_string(&mut said)
        .expect("text");
    assert_eq!(
        (child.wait().expect("it ends").code(), said.as_str()),
        (Some(0), "")
    );
}

/// A feed file of its own in a temporary directory.
fn written(directory: &tempfile::TempDir, name: &str, text: &str) -> String {
    let file = directory.path().join(name);
    std::fs::write(&file, text).expect("a temporary file");
    file.display().to_string()
}

const COLUMNS: &str = "[[column]]\nname = \"id\"\nrole = \"identifier\"\n[[column]]\nname = \"sex\"\nrole = \
                       \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n[[column]]\nname = \"drug\"\nrole = \
                       \"sensitive\"\n";

#[test]
fn warnings_say_what_can_go_wrong() {
    let directory = tempfile::tempdir().expect("a directory");
    let feed = |policy: &str, columns: &str| {
        format!("[feed]\nname = \"one\"\n[policy]\nk = 2\n{policy}\n{columns}")
    };
    let without_id = COLUMNS
        .split_once("[[column]]\nname = \"sex\"")
        .map(|(_, rest)| format!("[[column]]\nname = \"sex\"{rest}"));
    let without_id = without_id.expect("the identifier comes first");
    let cases = [
        ("", COLUMNS.to_owned(), "`diversity` is not set"),
        (
            "search = \"top-down\"",
            COLUMNS.to_owned(),
            "Write `m = 2` and `guarded` values",
        ),
        (
            "guarantee = \"bcf\"",
            COLUMNS.to_owned(),
            "not safe against a reader who knows these of everybody, nor against one who knows the algorithm",
        ),
        ("", without_id, "no column is an identifier"),
        (
            "on_repeat = \"none\"",
            COLUMNS.to_owned(),
            "counts every row as a different person",
        ),
        (
            "",
            COLUMNS.to_owned(),
            "classes are only as good as the source",
        ),
        ("", COLUMNS.to_owned(), "one row stands for one person"),
        (
            "",
            format!("{COLUMNS}guarded = [[\"x\"]]\n"),
            "no requirement uses them",
        ),
        (
            "[store]\nprivate = \"a\"\npublic = \"b\"",
            COLUMNS.to_owned(),
            "unsigned",
        ),
        (
            "[http]\nbind = \"0.0.0.0:80\"\ntokens = [\"file:t\"]",
            COLUMNS.to_owned(),
            "put a proxy with TLS in front",
        ),
        (
            "[schedule]\nevery = \"1d\"\ntimezone = \"Asia/Tokyo\"",
            COLUMNS.to_owned(),
            "no effect without `cron`",
        ),
        (
            "[source]\nkind = \"kafka\"\nbrokers = \"far:9092\"\ntopic = \"t\"\nformat = \"json\"\nallow_plaintext = \
             true",
            COLUMNS.to_owned(),
            "travel unencrypted",
        ),
    ];
    for (policy, columns, warning) in cases {
        let file = written(&directory, "one.toml", &feed(policy, &columns));
        let report = json(&tidegate(&["check", "--json", &file]));
        let warnings = report["feeds"][0]["warnings"].to_string();
        assert!(warnings.contains(warning), "{warning}: {report}");
        // If a value is common, the requirement would stop the chain.
        assert!(!warnings.contains("distinct_l"), "{report}");
    }
}

/// Opening a pipe without a writer would never end.
#[cfg(unix)]
#[test]
fn pipes_are_no_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("pipe.csv").display().to_string();
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo")
            .success()
    );
    let columns = COLUMNS.replace("{ flat = [\"F\", \"M\"] }", "{ file = \"pipe.csv\" }");
    let text = format!("[feed]\nname = \"one\"\n[policy]\nk = 2\n{columns}");
    let feed = written(&directory, "one.toml", &text);
    let target = directory.path().join("new").display().to_string();
    let release = ["audit", "--feed", SAMPLES[2], "--release", &pipe];
    for args in [
        &["check", &feed][..],
        &["check", &pipe],
        &["init", &target, "--sample", &pipe],
        &release,
    ] {
        let output = tidegate(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).contains("not a regular file"),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn names_of_people_are_not_shown() {
    let directory = tempfile::tempdir().expect("a directory");
    let columns = COLUMNS
        .replace("\"sex\"", "\"Nachname\"")
        .replace("[\"F\", \"M\"]", "[\"Miller\", \"Young\"]");
    let file = written(
        &directory,
        "one.toml",
        &format!("[feed]\nname = \"one\"\n[policy]\nk = 2\n{columns}"),
    );
    for args in [&["check", &file][..], &["check", "--json", &file]] {
        let said = stdout(&tidegate(args));
        assert!(
            said.contains("suggests people") && !said.contains("Miller") && !said.contains("Young"),
            "{said}"
        );
    }
}

#[test]
fn feeds_that_share_an_identifier_are_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let feed = |name: &str| format!("[feed]\nname = \"{name}\"\n[policy]\nk = 2\n{COLUMNS}");
    let (one, two) = (
        written(&directory, "1.toml", &feed("one")),
        written(&directory, "2.toml", &feed("two")),
    );
    let output = tidegate(&["check", &one, &two]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("`one` and `two` share the identifier `id`"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_repeated_row_of_a_hierarchy_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    written(&directory, "drug.csv", "a;x;*\nb;x;*\na;x;*\n");
    let columns = COLUMNS.replace("{ flat = [\"F\", \"M\"] }", "{ file = \"drug.csv\" }");
    let file = written(
        &directory,
        "one.toml",
        &format!("[feed]\nname = \"one\"\n[policy]\nk = 2\n{columns}"),
    );
    let report = json(&tidegate(&["check", "--json", &file]));
    assert!(
        report["feeds"][0]["warnings"]
            .to_string()
            .contains("drug.csv"),
        "{report}"
    );
}

/// Labels of a taxonomy and names of files may be anyone's: none controls a terminal or reverses
/// what it shows.
#[test]
fn labels_do_not_control_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let feed = path("feed.toml");
    let first = "A\u{9b}31m\u{202e}txt";
    std::fs::write(path("ward.csv"), format!("{first};*\nB\u{2067}2;*\n")).expect("a taxonomy");
    let text = "[feed]\nname = \"one\"\n[policy]\nk = 10\n[[column]]\nname = \"ward\"\nrole = \"quasi\"\n\
                taxonomy = { file = \"ward.csv\" }\n[[column]]\nname = \"ill\"\nrole = \"sensitive\"\n";
    std::fs::write(&feed, text).expect("a feed file");
    let obeyed = ['\u{9b}', '\u{202e}', '\u{2067}', '\u{1b}'];
    let said = stdout(&tidegate(&["check", &feed]));
    assert!(
        said.contains(r"A\u{9b}31m\u{202e}txt") && said.contains(r"B\u{2067}2"),
        "{said}"
    );
    let output = tidegate(&["check", "--json", &feed]);
    assert!(!said.contains(obeyed) && !stdout(&output).contains(obeyed));
    assert_eq!(
        json(&output)["feeds"][0]["columns"][0]["taxonomy"]["first"],
        first
    );
    // Errors quote a line of the taxonomy, the name of a file, and arguments.
    std::fs::write(path("ward.csv"), format!("{first};*\n{first};B;*\n")).expect("a taxonomy");
    for args in [
        &["check", &feed][..],
        &["check", "\u{9b}31m\u{202e}.toml"],
        &["\u{9b}31m\u{202e}"],
    ] {
        let output = tidegate(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains("txt") || args.len() < 2 || args[1] != feed,
            "{}",
            stderr(&output)
        );
        assert!(
            !stderr(&output).contains(&obeyed[..3]),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}
