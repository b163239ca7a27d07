//! A folder to run the command in: a feed file, a key, inputs and a folder of releases that is
//! checked after each run.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;
use tidegate::engine::release::Sha256;

use crate::common::draw::one_list;
use crate::common::secret;

/// Two quasi columns, an identifier and a diagnosis.
pub const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 3\n\
    [[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [10, 20], min = 0, max = 39 }\n\
    [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n";
pub const HEADER: &str = "patient,age,sex,diagnosis\n";
/// Texts in every identifier and in every diagnosis of [`people`], and in no other text.
pub const PLANTED: [&str; 2] = ["Pq7person", "Sq7secret"];

pub struct Place(tempfile::TempDir);

/// The files of a folder by path, with their bytes; folders have none.
pub type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl Place {
    /// With this feed file; if it names no search, one list of labels is meant.
    pub fn new(feed: &str) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        place.put_feed(feed);
        place.put("a.key", "0123456789abcdef".repeat(4));
        place
    }

    /// Writes the feed file; without a search all rows have one list of labels.
    pub fn put_feed(&self, feed: &str) {
        let one_list = format!("[policy]\n{}", one_list(feed));
        self.put("feed.toml", feed.replace("[policy]\n", &one_list));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file that other accounts cannot read: some are keys.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        secret::write(&path, content);
        path
    }

    /// A file of distinct people.
    pub fn people(&self, name: &str, numbers: std::ops::Range<u64>) -> PathBuf {
        self.put(name, HEADER.to_owned() + &people(numbers))
    }

    pub fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// The command without `--json`.
    pub fn plain(&self, inputs: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .arg("anonymize")
            .arg("--feed")
            .arg(self.path("feed.toml"));
        command
            .arg("--out")
            .arg(self.out())
            .arg("--key")
            .arg(self.path("a.key"));
        inputs
            .iter()
            .for_each(|input| _ = command.arg("--in").arg(self.path(input)));
        command
    }

    pub fn command(&self, inputs: &[&str]) -> Command {
        let mut command = self.plain(inputs);
        command.arg("--json");
        command
    }

    /// Runs a command that must not fail, checks everything that holds for all of them, and returns
    /// its entries.
    pub fn entries(&self, inputs: &[&str]) -> Vec<Json> {
        self.answered(&mut self.command(inputs), inputs.len()).0
    }

    /// The entries of a command that must not fail, and its standard error.
    pub fn answered(&self, command: &mut Command, inputs: usize) -> (Vec<Json>, String) {
        let output = command.output().expect("the program starts");
        let said = text(&output.stderr);
        let answer: Json =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        assert!(answer.get("error").is_none(), "{answer}");
        fits("anonymize", &answer);
        assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1));
        let entries = answer["releases"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"))
            .clone();
        assert_eq!(entries.len(), inputs);
        let bad = entries
            .iter()
            .any(|entry| entry["outcome"] == "rejected" || entry["outcome"] == "stopped");
        let held = entries
            .last()
            .is_some_and(|entry| entry["outcome"] == "held");
        assert_eq!(
            output.status.code(),
            Some(i32::from(bad || held)),
            "{answer}"
        );
        for (at, entry) in entries.iter().enumerate() {
            assert_eq!(entry["input"], at);
            assert_eq!(
                entry["release"].is_u64(),
                entry["outcome"] == "published",
                "{entry}"
            );
            let refused = entry["outcome"] == "rejected" || entry["outcome"] == "stopped";
            assert_eq!(
                entry["reasons"].as_array().map(Vec::is_empty),
                Some(!refused),
                "{entry}"
            );
        }
        nothing_planted(&output);
        whole(&self.out());
        (entries, said)
    }

    /// Runs a command that must be refused: exit 2 and an error object, which is returned.
    pub fn refused(&self, command: &mut Command) -> Json {
        let output = command.output().expect("the program starts");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let answer: Json =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {said}"));
        fits("error", &answer);
        nothing_planted(&output);
        answer["error"].clone()
    }

    /// Like [`Place::refused`], and the folder is as it was, byte for byte.
    pub fn unchanged(&self, command: &mut Command) -> Json {
        let before = files(&self.out());
        let error = self.refused(command);
        assert!(before == files(&self.out()), "the folder changed: {error}");
        error
    }

    pub fn json(&self, name: &str) -> Json {
        serde_json::from_slice(&self.bytes(name)).expect("JSON")
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let path = self.out().join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// Rows of distinct people, one line each, in any mix.
pub fn people(numbers: std::ops::Range<u64>) -> String {
    let row = |n: u64| {
        let mix = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let sex = if mix & 64 == 0 { "F" } else { "M" };
        format!(
            "{}{n},{},{sex},{}{}\n",
            PLANTED[0],
            mix % 40,
            PLANTED[1],
            mix % 7
        )
    };
    numbers.map(row).collect()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The members of an entry, in the order of `names`.
pub fn counts<const N: usize>(entry: &Json, names: [&str; N]) -> [u64; N] {
    names.map(|name| {
        entry[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name} of {entry}"))
    })
}

pub fn fits(schema: &str, value: &Json) {
    let schema =
        fs::read_to_string(format!("schemas/v1/{schema}.schema.json")).expect("a shipped schema");
    let schema: Json = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// Everything under a folder; empty if there is none.
pub fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path.clone());
                found.insert(path, None);
            } else {
                let bytes = fs::read(&path).expect("a file");
                found.insert(path, Some(bytes));
            }
        }
    }
    found
}

pub fn has(bytes: &[u8], word: &str) -> bool {
    bytes
        .windows(word.len())
        .any(|window| window == word.as_bytes())
}

fn nothing_planted(output: &Output) {
    for word in PLANTED {
        assert!(
            !has(&output.stdout, word) && !has(&output.stderr, word),
            "{word} is told"
        );
    }
}

/// The number of releases in a folder. Checks that they are whole: numbered from 1, chained, with
/// files that are those of their manifests; nothing else is public; private files are unreadable
/// for others and encrypted.
pub fn whole(out: &Path) -> u64 {
    held(out, false)
}

/// The same after a kill or on a full disk: the files of one more release may be there already,
/// without its manifest.
pub fn whole_so_far(out: &Path) -> u64 {
    held(out, true)
}

fn held(out: &Path, more: bool) -> u64 {
    let mut previous = Json::Null;
    let mut releases = 0;
    while let Ok(bytes) = fs::read(out.join(format!("{}/manifest.json", releases + 1))) {
        releases += 1;
        let manifest: Json = serde_json::from_slice(&bytes).expect("JSON");
        fits("manifest", &manifest);
        assert_eq!(
            (&manifest["release"], &manifest["previous"]),
            (&releases.into(), &previous)
        );
        previous = Sha256::of(&bytes).to_string().into();
        let named = manifest["files"].as_array().expect("files");
        let two = manifest["policy"]["output"] == "two-table";
        let tables = named.iter().filter(|file| file["rows"].is_u64()).count();
        assert!(
            if manifest["layout"] == 2 {
                tables > 0
            } else {
                tables == 1 + usize::from(two)
            },
            "{tables} tables"
        );
        assert_eq!(named.len(), tables + 2, "tables, their taxonomy, a report");
        for file in named {
            let bytes = fs::read(out.join(file["path"].as_str().expect("a path")))
                .expect("a published file");
            assert_eq!(file["sha256"], Sha256::of(&bytes).to_string());
        }
    }
    for (path, bytes) in files(out) {
        let inside = path.strip_prefix(out).expect("a path in it");
        let first = inside
            .components()
            .next()
            .expect("a name")
            .as_os_str()
            .to_string_lossy()
            .into_owned();
        if first == ".private" {
            let mode = fs::metadata(&path).expect("about it").permissions().mode();
            // Staged files are to be published: only the folder around them is private.
            let staged =
                inside.starts_with(".private/stage/") || inside.starts_with(".private/.new/");
            assert!(
                staged || mode & 0o077 == 0,
                "{}: {mode:o}",
                inside.display()
            );
        } else {
            let most = releases + u64::from(more);
            let known = ["taxonomy", "index.html"].contains(&&*first)
                || first.parse::<u64>().is_ok_and(|number| number <= most);
            assert!(known, "{} is public", inside.display());
        }
        let bytes = bytes.unwrap_or_default();
        assert!(!has(&bytes, PLANTED[0]), "{} tells who", inside.display());
        // A table, or one that is just being written.
        let table = inside
            .extension()
            .is_some_and(|extension| extension == "parquet")
            || inside.starts_with(".private/.new/");
        assert!(
            table || !has(&bytes, PLANTED[1]),
            "{} tells a diagnosis",
            inside.display()
        );
    }
    releases
}
