//! The Python code in the guide, run unchanged on releases that the program has made:
//! page by page, one block after the other, in a folder with the files that the pages name.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::needs;

const PAGES: [&str; 3] = [
    "src/guide/start.md",
    "src/guide/releases.md",
    "src/guide/analysts.md",
];

/// A page that continues after the last of those.
const COUNTING: &str = "src/guide/counting.md";

/// The program's estimator, written a second time.
const ESTIMATOR: &str = include_str!("counting.py");

/// The blocks of a page that are Python, in order; without those for a cluster that does not exist
/// here.
fn blocks(page: &str) -> Vec<String> {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).expect("a page");
    let blocks = text
        .split("```python\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("an end").to_owned());
    blocks.filter(|block| !block.contains("pyspark")).collect()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn tidegate(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .current_dir(folder)
        .output();
    said(&output.expect("the program starts"))
}

/// Two releases of a feed in `admissions`, and two in the folder `releases`.
fn made(folder: &Path) {
    let tidegate = |args: &[&str]| tidegate(folder, args);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/samples/hospital");
    let file = |name: &str| sample.join(name).to_str().expect("text").to_owned();
    let (one, two) = (file("admissions-1.csv"), file("admissions-2.csv"));
    tidegate(&["init", "admissions", "--sample", &one]);
    for file in [&one, &two] {
        let name = Path::new(file).file_name().expect("a name");
        fs::copy(file, folder.join("admissions/incoming").join(name)).expect("a copy");
        assert!(tidegate(&["run", "admissions/feed.toml", "--once"]).contains("is published"));
    }
    fs::copy(
        folder.join("admissions/keys/admissions.signing.pub"),
        folder.join("admissions.signing.pub"),
    )
    .expect("a key");
    tidegate(&[
        "anonymize",
        "--feed",
        &file("feed.toml"),
        "--in",
        &one,
        "--in",
        &two,
        "--out",
        "releases",
    ]);
    // The same people in two tables.
    let text = fs::read_to_string(file("feed.toml")).expect("a feed file");
    let kept = text.lines().filter(|line| {
        !["guarantee", "search", "m =", "guarded"]
            .iter()
            .any(|key| line.starts_with(key))
    });
    let text: String = kept.map(|line| format!("{line}\n")).collect();
    let text = text
        .replace("chain = \"cumulative\"", "chain = \"disjoint\"")
        .replace("k = 10 ", "k = 10\noutput = \"two-table\" ");
    fs::write(folder.join("two.toml"), text).expect("a feed file");
    fs::copy(sample.join("ward.csv"), folder.join("ward.csv")).expect("a copy");
    tidegate(&[
        "anonymize",
        "--feed",
        "two.toml",
        "--in",
        &one,
        "--out",
        "two",
    ]);
}

/// Runs each text by itself, one after the other in one Python process; returns the output of each.
fn all(python: &OsStr, folder: &Path, texts: &[(&str, String)]) -> Vec<String> {
    const ALL: &str = "import sys\n\
        for page, text in zip(sys.argv[1::2], sys.argv[2::2]):\n    \
            exec(compile(text, page, 'exec'), {'__name__': '__main__'})\n    \
            print('\\x1e', end='')\n";
    let texts = texts.iter().flat_map(|(page, text)| [*page, text.as_str()]);
    let output = Command::new(python)
        .args(["-W", "error", "-c", ALL])
        .args(texts)
        .current_dir(folder)
        .output();
    let output =
        output.unwrap_or_else(|error| panic!("{} cannot be started: {error}", python.display()));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said(&output).split('\u{1e}').map(str::to_owned).collect()
}

#[test]
fn what_pages_show_to_analysts_works() {
    let Some(python) = needs::tool("TIDEGATE_PYTHON") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    made(folder.path());
    for page in PAGES {
        assert!(!blocks(page).is_empty(), "{page} shows nothing");
    }
    let read = blocks(PAGES[2]).concat();
    let counts = [blocks(COUNTING).concat(), ESTIMATOR.to_owned()].map(|text| read.clone() + &text);
    let of_pages = PAGES.iter().map(|page| (*page, blocks(page).concat()));
    let of_counts = counts.into_iter().map(|text| (COUNTING, text));
    let texts: Vec<(&str, String)> = of_pages
        .chain(of_counts)
        .chain([(PAGES[2], blocks(PAGES[2])[0].clone())])
        .collect();
    let said = all(&python, folder.path(), &texts);
    let [plain, same, begins, _] = &said[PAGES.len()..] else {
        panic!("what each says")
    };
    // Three readers estimate the same from two tables, up to the last few digits.
    let said = &said[2];
    let number = said
        .lines()
        .rev()
        .find(|line| line.parse::<f64>().is_ok())
        .expect("an estimate");
    let first = number.get(..6).expect("no whole number");
    assert!(said.matches(first).count() >= 3, "{first}: {said}");
    // The program's counts follow from its description; the counts of a few lines are possible.
    let asked = "age between 25 and 44 and ward = 'Surgery'";
    let answer = tidegate(
        folder.path(),
        &["query", "admissions/releases/admissions", asked, "--json"],
    );
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    let [estimate, low, high] =
        ["estimate", "low", "high"].map(|key| answer[key].as_f64().expect("a number"));
    let count = |said: &str| {
        said.lines()
            .rev()
            .find_map(|line| line.parse::<f64>().ok())
            .expect("a count")
    };
    let (plain, same) = (count(plain), count(same));
    assert!(
        (same - estimate).abs() < 1e-6 * estimate.max(1.0),
        "{same}: {answer}"
    );
    assert!(
        low - 1e-6 <= plain && plain <= high + 1e-6,
        "{plain}: {answer}"
    );
    // The newest release, not the first one; and a change of it is noticed.
    let page = PAGES[2];
    let manifest = folder
        .path()
        .join("admissions/releases/admissions/manifest/0000000002.json");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let reported: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rows = reported["rows"].as_u64().expect("a count");
    assert!(
        begins.starts_with(&format!("admissions 2 {rows} rows")),
        "{begins}"
    );
    let forged = text.replace(
        &format!("\"rows\": {rows}"),
        &format!("\"rows\": {}", rows + 1),
    );
    fs::write(&manifest, forged).expect("a manifest");
    let output = Command::new(&python)
        .args(["-c", &blocks(page)[0]])
        .current_dir(folder.path())
        .output()
        .expect("Python");
    assert!(String::from_utf8_lossy(&output.stderr).contains("InvalidSignature"));
    fs::write(&manifest, text).expect("a manifest");
    links_are_not_followed(&python, folder.path());
}

/// A whole and signed release, which a link moves to another place of the reader's machine.
fn links_are_not_followed(python: &OsStr, folder: &Path) {
    for (page, manifest) in [
        (
            PAGES[0],
            "admissions/releases/admissions/manifest/0000000002.json",
        ),
        (PAGES[0], "releases/2/manifest.json"),
        (PAGES[1], "releases/2/manifest.json"),
        (
            PAGES[2],
            "admissions/releases/admissions/manifest/0000000002.json",
        ),
    ] {
        let (manifest, elsewhere) = (folder.join(manifest), folder.join("elsewhere.json"));
        fs::rename(&manifest, &elsewhere).expect("a move");
        std::os::unix::fs::symlink(&elsewhere, &manifest).expect("a link");
        let output = Command::new(python)
            .args(["-c", &blocks(page).concat()])
            .current_dir(folder)
            .output();
        let said = String::from_utf8_lossy(&output.expect("Python").stderr).into_owned();
        assert!(said.contains("is no file of this root"), "{page}: {said}");
        fs::remove_file(&manifest).expect("a link");
        fs::rename(&elsewhere, &manifest).expect("a move");
    }
}
