//! `tidegate init DIR` (CONTRACTS 3): a commented feed file, keys and taxonomies to start from,
//! with roles guessed from a sample. The feed file that it writes has passed `check`. Must never
//! overwrite a file, and never show a value of an identifier or of a sensitive column.

mod example;
mod feed;
mod guarded_values;
mod report;
mod toml_text;

pub use report::InitReport;

use std::path::{Path, PathBuf};

use super::new_files::{self, NewFile};
use super::{CommandResult, Exit, Out};
use crate::daemon::chance;
use crate::daemon::config::{FeedConfig, schema};
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::guess::{self, Guess, sample};
use crate::daemon::sign::Signing;
use crate::engine::model::Role;

/// Write a commented feed file, keys and taxonomies to start from
#[derive(clap::Args)]
pub struct Args {
    /// The directory to write them into; it is created if it does not exist
    dir: PathBuf,
    /// A CSV, JSON lines, Parquet or Arrow file of the feed's data, to guess columns and taxonomies
    /// from
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
}

/// Guesses, writes, and reads the files back.
///
/// # Errors
/// A sample cannot be read or contains nothing to publish, a file exists already, or the file
/// system fails.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if args.dir.is_file() {
        let text = "this is a file, but `init` writes into a directory: to guess from the file, name a new directory, \
            and the file with --sample";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&args.dir)
            .into());
    }
    let sample = args.sample.as_deref().map(sample::read).transpose()?;
    let mut columns = sample.as_ref().map_or_else(example::columns, guess::guess);
    if let (Some(file), false) = (
        &args.sample,
        columns
            .iter()
            .any(|column| column.role == Some(Role::Quasi)),
    ) {
        return Err(nothing_to_generalise(file, &columns).into());
    }
    let name = feed_name(&args.dir);
    let mut files = taxonomy_files(&mut columns);
    let plan = feed::FeedPlan {
        name: &name,
        origin: match &sample {
            Some(sample) if sample.more => {
                format!("Roles and taxonomies are guesses from the first {} rows of a sample.", sample.rows)
            }
            Some(sample) => format!("Roles and taxonomies are guesses from a sample of {} rows.", sample.rows),
            None => {
                "It is an example: replace its columns by those of your data, or run `init` with `--sample`.".to_owned()
            }
        },
        format: sample.as_ref().map(|sample| sample.format),
        columns: &columns,
    };
    files.insert(
        0,
        NewFile {
            path: "feed.toml".into(),
            content: feed::text(&plan),
            secret: false,
        },
    );
    files.insert(
        1,
        NewFile {
            path: feed::SCHEMA.into(),
            content: schema_text(),
            secret: false,
        },
    );
    files.extend(keys(&name)?);
    let made = new_files::write(&args.dir, &files, &[feed::INCOMING])?;
    FeedConfig::load(&args.dir.join("feed.toml")).map_err(|error| {
        let text = format!(
            "`init` removed its files, because they do not pass `check` (this is a bug, please report it): {}",
            error.text
        );
        Error::new(ErrorCategory::Internal, text)
    })?;
    made.keep();
    let report = InitReport::new(
        &args.dir,
        &name,
        sample.as_ref().map(|sample| sample.rows),
        &files,
        &columns,
    );
    let sample = args.sample.as_deref();
    if out.json() {
        out.value(&report);
    } else {
        out.text(&report.text(sample));
    }
    Ok(Exit::Done)
}

/// The JSON Schema of feed files, which editors look for where the feed file says.
fn schema_text() -> String {
    serde_json::to_string_pretty(schema::feed()).expect("serialisation failed (this is a bug)")
        + "\n"
}

/// The operator's key, the signing key, and its public key, for all readers of releases.
fn keys(name: &str) -> CommandResult<[NewFile; 3]> {
    let file = |suffix: &str, key: &str, secret: bool| NewFile {
        path: format!("keys/{name}.{suffix}").into(),
        content: format!("{key}\n"),
        secret,
    };
    let (operator, signing) = (chance::key()?, chance::key()?);
    let public = Signing::parse(&signing)
        .expect("a key was drawn")
        .public()
        .text();
    let secret = true;
    Ok([
        file("key", &operator, secret),
        file("signing.key", &signing, secret),
        file("signing.pub", &public, !secret),
    ])
}

fn nothing_to_generalise(file: &Path, columns: &[Guess]) -> Error {
    // If no name says what its column contains, the names may be the values of a row.
    let shown = columns
        .iter()
        .any(|column| guess::says_something(&column.name));
    let named = |at: usize, name: &str| {
        if shown {
            toml_text::quoted(name)
        } else {
            format!("column {}", at + 1)
        }
    };
    let reasons = columns
        .iter()
        .enumerate()
        .map(|(at, column)| (named(at, &column.name), &column.reason));
    let reasons: Vec<String> = reasons
        .map(|(name, reason)| format!("{name}: {reason}"))
        .collect();
    let text = "the sample has no column that can be generalised, so there is nothing to anonymise: add columns that \
                others may know about a person, such as age or postal code";
    Error::new(
        ErrorCategory::Input,
        format!("{text} ({})", reasons.join("; ")),
    )
    .in_file(file)
}

/// The name of the directory, in the characters that a feed's name may have.
fn feed_name(dir: &Path) -> String {
    let whole = dir
        .canonicalize()
        .or_else(|_| std::path::absolute(dir))
        .unwrap_or_else(|_| dir.to_path_buf());
    let last = whole
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let name = file_name(&last, |c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if name.is_empty() {
        "feed".to_owned()
    } else {
        name.chars().take(64).collect()
    }
}

/// A name with a dash for every run of other characters.
fn file_name(text: &str, fits: impl Fn(char) -> bool) -> String {
    let mut name = String::new();
    for c in text.chars() {
        match c {
            c if fits(c) || c == '_' => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.trim_end_matches('-').to_owned()
}

/// Hierarchy files and code lists, whose names are written into the tables.
fn taxonomy_files(columns: &mut [Guess]) -> Vec<NewFile> {
    let mut files: Vec<NewFile> = Vec::new();
    for column in columns {
        let Some(proposal) = &mut column.taxonomy else {
            continue;
        };
        let Some(rows) = &proposal.rows else { continue };
        let stem = file_name(&column.name, |c| c.is_ascii_alphanumeric());
        let stem: String = if stem.is_empty() {
            "column".into()
        } else {
            stem.chars().take(100).collect()
        };
        let candidates =
            std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
        let free = |name: &String| {
            !files
                .iter()
                .any(|file| file.path.to_string_lossy().eq_ignore_ascii_case(name))
        };
        let path = candidates
            .map(|stem| format!("taxonomies/{stem}.csv"))
            .find(free)
            .expect("numbers never run out");
        let content = rows.iter().map(|row| {
            row.iter()
                .map(|label| label_text(label))
                .collect::<Vec<_>>()
                .join(";")
                + "\n"
        });
        files.push(NewFile {
            path: path.clone().into(),
            content: content.collect(),
            secret: false,
        });
        feed::name_file(&mut proposal.table, path);
    }
    files
}

/// A label as a field of a hierarchy file.
fn label_text(label: &str) -> String {
    if label.contains(['"', ';', ',', '\n', '\r']) || label.starts_with('\u{feff}') {
        format!("\"{}\"", label.replace('"', "\"\""))
    } else {
        label.to_owned()
    }
}
