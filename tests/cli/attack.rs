//! Tests `tidegate attack refinement` from outside (CONTRACTS 3): known answers by both attackers,
//! exit codes, thousands of rows, the page, and errors about bad input that name file and field
//! without a value of a record.

mod audit_section;
mod errors;
mod halving;
mod known_answers;
mod large_tables;
mod page;
mod verdict;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value as Json;
use tempfile::TempDir;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// A folder with the files of an attack.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    /// Calls the command; options that name files are pairs.
    fn call(&self, options: &[(&str, &str)], more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .args(["attack", "refinement", "--feed"])
            .arg(self.path("feed.toml"));
        for (option, file) in options {
            command.arg(format!("--{option}")).arg(self.path(file));
        }
        command.args(more).output().expect("the program starts")
    }

    /// Attacks successfully; checks exit code against verdict, and the answer against its schema.
    #[track_caller]
    fn attack(&self, options: &[(&str, &str)], more: &[&str]) -> Json {
        let output = self.call(options, &[more, &["--json"]].concat());
        let found: Json = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let safe = found["safe"].as_bool().unwrap_or_else(|| panic!("{found}"));
        assert_eq!(output.status.code(), Some(i32::from(!safe)));
        assert_eq!(text(&output.stderr), "");
        let schema = fs::read_to_string("schemas/v1/attack-refinement.schema.json")
            .expect("a shipped schema");
        let schema: Json = serde_json::from_str(&schema).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<String> = validator
            .iter_errors(&found)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        found
    }

    /// Attacks with an error: checks the file and field that it names, and its words; never a
    /// secret.
    #[track_caller]
    fn refused(
        &self,
        options: &[(&str, &str)],
        (file, field): (Option<&str>, Option<&str>),
        words: &str,
    ) {
        for json in [true, false] {
            let output = self.call(options, if json { &["--json"] } else { &[] });
            let said = text(if json { &output.stdout } else { &output.stderr });
            assert_eq!(output.status.code(), Some(2), "{said}");
            for secret in ["SECRET", "P-47"] {
                assert!(!said.contains(secret), "{said}");
            }
            if json {
                let error = &serde_json::from_str::<Json>(&said).expect("JSON")["error"];
                let reported = error["file"]
                    .as_str()
                    .map(|path| path.rsplit('/').next().unwrap_or_default());
                assert_eq!(
                    (reported, error["field"].as_str()),
                    (file, field),
                    "{error}"
                );
                assert!(
                    error["text"].as_str().expect("a text").contains(words),
                    "{error}"
                );
            }
        }
    }
}

/// A feed over quasi columns `q0`, … with these intervals and repeated halves above them.
pub fn feed(edges: &[Vec<u64>], policy: &str) -> String {
    let mut feed =
        format!("[feed]\nname = \"attacked\"\nchain = \"disjoint\"\n[policy]\n{policy}\n");
    for (at, edges) in edges.iter().enumerate() {
        let layers = vec![2; (edges.len() - 1).ilog2() as usize];
        feed += &format!(
            "[[column]]\nname = \"q{at}\"\nrole = \"quasi\"\ntaxonomy = {{ leaves = {edges:?}, layers = {layers:?} }}\n"
        );
    }
    feed + "[[column]]\nname = \"s\"\nrole = \"sensitive\"\n"
}
