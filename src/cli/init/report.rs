//! The result of `init`, as a value and in words (CONTRACTS 3): files, and the guess for every
//! column. It contains names, counts and reasons; never a value of the sample and never a key.

use std::fmt::Write;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::feed;
use crate::common_texts::shell;
use crate::daemon::guess::Guess;
use crate::engine::model::{Kind, Role};
use crate::new_files::NewFile;
use crate::table::TextTable;

/// The output of `init --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitReport {
    /// The feed file.
    pub feed: String,
    /// The name of the feed.
    pub name: String,
    /// Rows of the sample that were read; null without a sample.
    pub rows: Option<u64>,
    /// All files that were written.
    pub files: Vec<String>,
    /// The folder that `run` watches.
    pub incoming: String,
    /// The guess for every column, in the order of the sample.
    pub columns: Vec<SampledColumn>,
}

/// One column.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SampledColumn {
    /// Its name.
    pub name: String,
    /// Its role; null if it is dropped.
    pub role: Option<Role>,
    /// The type of its values, if that is written.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Its taxonomy as it is written.
    pub taxonomy: Option<String>,
    /// The reason.
    pub reason: String,
}

impl InitReport {
    /// From the files that were written.
    pub fn new(
        dir: &Path,
        name: &str,
        rows: Option<u64>,
        files: &[NewFile],
        columns: &[Guess],
    ) -> InitReport {
        let path = |file: &Path| dir.join(file).display().to_string();
        let column = |column: &Guess| SampledColumn {
            name: column.name.clone(),
            role: column.role,
            kind: column.kind,
            taxonomy: column
                .taxonomy
                .as_ref()
                .map(|proposal| feed::inline(&proposal.table)),
            reason: column.reason.clone(),
        };
        InitReport {
            feed: path(Path::new("feed.toml")),
            name: name.to_owned(),
            rows,
            files: files.iter().map(|file| path(&file.path)).collect(),
            incoming: path(Path::new(feed::INCOMING)),
            columns: columns.iter().map(column).collect(),
        }
    }

    /// In words; `sample` is the file that columns were guessed from.
    pub fn text(&self, sample: Option<&Path>) -> String {
        let mut text = String::new();
        let mut table = TextTable::without_head([false; 4]);
        for column in &self.columns {
            let role = match column.role {
                Some(Role::Identifier) => "identifier",
                Some(Role::Quasi) => "quasi",
                Some(Role::Sensitive) => "sensitive",
                Some(Role::Measure) => "measure",
                Some(Role::Input) => "input",
                None => "dropped",
            };
            // Debug output escapes control characters; the quotes are removed.
            let name = format!("{:?}", column.name);
            let form = column.taxonomy.as_deref().map(short).unwrap_or_default();
            table.row([
                name[1..name.len() - 1].to_owned(),
                role.to_owned(),
                form,
                column.reason.to_string(),
            ]);
        }
        table.write(&mut text, "  ");
        text.push_str("\nwritten:\n");
        for file in &self.files {
            let _ = writeln!(text, "  {file}");
        }
        let _ = writeln!(
            text,
            "\n`run` reads the files that you put into {}.",
            self.incoming
        );
        if self.files.iter().any(|file| file.contains("taxonomies")) {
            text.push_str(
                "\nThe files in taxonomies/ contain values of the sample's quasi columns.\n",
            );
        }
        let feed = shell(Path::new(&self.feed));
        let _ = write!(
            text,
            "\nNext: read {}, then\n  tidegate check {feed}\n",
            self.feed
        );
        if let Some(sample) = sample {
            let sample = shell(sample);
            let _ = write!(
                text,
                "  tidegate preview --feed {feed} --in {sample}     # what it would publish from the sample\n  tidegate run {feed} \
                 --once                      # a first release, once there are files in {incoming}\n\
                 or make releases of the sample beside the feed:\n  tidegate anonymize --feed {feed} --in {sample} --out \
                 releases\n  \
                 tidegate audit --feed {feed} --dir releases\n",
                incoming = self.incoming
            );
        }
        text
    }
}

/// The form of a taxonomy and its name, without numbers: `bands`, `builtin age`, `file
/// taxonomies/ward.csv`.
fn short(table: &str) -> String {
    let (form, rest) = table
        .trim_start_matches("{ ")
        .split_once(" = ")
        .unwrap_or((table, ""));
    match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((named, _)) => format!("{form} {named}"),
        None => form.to_owned(),
    }
}
