//! A copy of a stored root in a temporary folder, for the program to work on. No test changes the
//! stored root.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/roots");

/// Major and minor number of a version of the program: the name of a folder of stored roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32, u32);

impl Version {
    pub fn parse(text: &str) -> Version {
        let (major, minor) = text
            .split_once('.')
            .unwrap_or_else(|| panic!("`{text}` is no version"));
        let number = |text: &str| {
            text.parse()
                .unwrap_or_else(|_| panic!("`{text}` is no number of a version"))
        };
        Version(number(major), number(minor))
    }

    /// All versions that have stored roots, oldest first.
    pub fn all() -> Vec<Version> {
        let mut found: Vec<Version> = folders(Path::new(STORED))
            .iter()
            .map(|name| Version::parse(name))
            .collect();
        found.sort();
        found
    }

    /// The names of its roots.
    pub fn names(self) -> Vec<String> {
        folders(&self.path())
    }

    fn path(self) -> PathBuf {
        Path::new(STORED).join(self.to_string())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

fn folders(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let entries = entries
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_dir());
    entries
        .map(|entry| entry.file_name().into_string().expect("text"))
        .collect()
}

/// A copy of a stored root.
pub struct Root {
    /// Version and name of the stored root, for messages.
    pub name: String,
    /// The expectations that `tests/roots/write` recorded for it.
    pub expected: Json,
    folder: tempfile::TempDir,
}

impl Root {
    /// Copies of the roots of this name, one for each version that has stored it.
    pub fn copies(name: &str) -> Vec<Root> {
        let versions = Version::all().into_iter();
        let versions = versions.filter(|version| version.path().join(name).is_dir());
        versions.map(|version| Root::copy(version, name)).collect()
    }

    fn copy(version: Version, name: &str) -> Root {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&version.path().join(name), folder.path(), false);
        // A feed without a release has an empty public root, which git does not keep.
        if folder.path().join("private").exists() {
            fs::create_dir_all(folder.path().join("public")).expect("a folder");
        }
        let expected = fs::read(folder.path().join("expected.json")).expect("what is expected");
        let expected = serde_json::from_slice(&expected).expect("JSON");
        Root {
            name: format!("{name} of version {version}"),
            expected,
            folder,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name))
            .unwrap_or_else(|error| panic!("{}: {name}: {error}", self.name))
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file");
    }

    pub fn edit(&self, name: &str, old: &str, new: &str) {
        let text = self.read(name);
        assert!(
            text.contains(old),
            "{}: `{old}` is not in {name}",
            self.name
        );
        self.put(name, text.replace(old, new));
    }

    /// A command with `--json` in the folder of the root: its exit code and its answer.
    pub fn json(&self, words: &[&str]) -> (Option<i32>, Json) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .current_dir(self.folder.path())
            .args(words)
            .arg("--json")
            .stdin(Stdio::null());
        let output = command.output().expect("the program starts");
        let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{}: {words:?}: {error}: {}",
                self.name,
                String::from_utf8_lossy(&output.stderr)
            )
        });
        (output.status.code(), answer)
    }

    /// The answer of a command that must succeed.
    pub fn run(&self, words: &[&str]) -> Json {
        let (code, answer) = self.json(words);
        assert_eq!(code, Some(0), "{}: {words:?}: {answer}", self.name);
        answer
    }

    /// Asserts that each member of an expected object has the same value in another object, which
    /// may have more members.
    pub fn assert_members(&self, expected: &Json, found: &Json) {
        let Some(members) = expected.as_object() else {
            assert_eq!(expected, found, "{}", self.name);
            return;
        };
        for (member, expected) in members {
            match expected.is_object() {
                true => self.assert_members(expected, &found[member]),
                false => assert_eq!(
                    expected, &found[member],
                    "{}: `{member}` of {found}",
                    self.name
                ),
            }
        }
    }

    /// The files below a folder of the root, with their bytes.
    pub fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path(folder)];
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(&next).into_iter().flatten() {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => open.push(path),
                    false => _ = found.insert(path.clone(), fs::read(&path).expect("a file")),
                }
            }
        }
        found
    }
}

/// Copies a folder. Git does not store modes, so private folders and keys get those that the
/// program requires.
fn copy(from: &Path, to: &Path, private: bool) {
    for entry in fs::read_dir(from).expect("a stored folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("text");
        let (from, to) = (entry.path(), to.join(&name));
        let private = private || name == "private" || name == ".private";
        let mode = if from.is_dir() {
            fs::create_dir(&to).expect("a folder");
            copy(&from, &to, private);
            if private { 0o700 } else { 0o755 }
        } else {
            fs::copy(&from, &to).expect("a file");
            if private || name.ends_with(".key") {
                0o600
            } else {
                0o644
            }
        };
        fs::set_permissions(&to, Permissions::from_mode(mode)).expect("a mode");
    }
}
