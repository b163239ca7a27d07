//! Feed files (CONTRACTS 1): converts text into a [`FeedConfig`] that cannot contradict itself, and
//! reports errors with their lines. First syntax, then keys and types, then meanings, then missing
//! safeguards; of each kind the first in the file.
//!
//! This room connects to nothing, reads no secret and changes no file; it reads only taxonomies.

mod allowed_hosts;
mod approvers;
mod column_path;
mod columns;
mod file;
mod floor;
pub mod hierarchy;
mod key_check;
mod layers;
mod limits;
mod nearest;
mod notes;
mod notify;
mod places;
mod reading;
mod records;
mod removed;
pub mod schema;
mod secret;
mod secret_files;
mod services;
mod setting;
mod source;
mod unbuilt_safeguards;
mod words;

pub use allowed_hosts::AllowedHosts;
pub use approvers::{Approvers, MOST_NAME};
pub use column_path::{PathPart, path_parts, path_text};
pub use columns::named as kind_name;
pub use file::{Approval, Format, LogFormat, Mechanism, Start, Unwanted};
pub use nearest::nearest;
pub use notify::{Notify, UNENCRYPTED, WebhookSettings};
pub use records::{RecordRules, TextPattern};
pub use secret::{Secret, WebAddress, is_local, parts};
pub use services::{Http, PageTexts, Schedule, Services, StoreSettings, Ticks};
pub use setting::Setting;
pub use source::{RegistrySettings, Sasl, Security, SourcePlace, SourceSettings};
pub use words::{Period, Root};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use self::file::{ColumnTable, FeedFile};
use self::notes::Notes;
use self::places::{ConfigProblem, Places};
use self::reading::{FeedFileText, Reading};
use self::unbuilt_safeguards::{Purpose, UnbuiltSafeguard, unbuilt};
use crate::engine::delta::same_but_for_capitals;
use crate::engine::model::forms::TaxonomyForm;
use crate::engine::model::{Column, Columns, Role};
use crate::engine::policy::{ChainKind, ColumnFacts, Policy};
use crate::error::{Error, ErrorCategory, Result};

/// A feed file that has been read and checked.
#[derive(Debug, Clone)]
pub struct FeedConfig {
    /// The path of the file.
    pub file: PathBuf,
    /// The name of the feed.
    pub name: String,
    /// The columns, in the order of the file.
    pub columns: Columns,
    /// The promise to the people in the data.
    pub policy: Policy,
    /// How messages become records.
    pub records: Arc<RecordRules>,
    /// The settings that only the daemon needs.
    pub services: Arc<Services>,
    /// Harmless findings that an operator should know, in no particular order.
    pub warnings: Vec<Warning>,
    /// The names of quasi columns whose taxonomy lists its leaves (`file`, `flat`, or `prefix`).
    pub listed: Vec<String>,
    /// Whether the file names no search, and the default is halving.
    halves_by_default: bool,
}

/// A harmless finding that an operator should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The path of the key concerned.
    pub field: Option<String>,
    /// What it is, and what can be done.
    pub text: String,
}

/// The most bytes a feed file may have.
const MOST_BYTES: u64 = 4 << 20;

impl FeedConfig {
    /// Reads a feed file and the taxonomies it names.
    ///
    /// # Errors
    /// The first problem; see the head of this file.
    pub fn load(file: &Path) -> Result<FeedConfig> {
        FeedConfig::load_for(file, Purpose::Releases)
    }

    /// The same for judging releases of others, for which a policy may ask for checks that only an
    /// audit makes.
    ///
    /// # Errors
    /// As for [`FeedConfig::load`].
    pub fn load_to_judge(file: &Path) -> Result<FeedConfig> {
        FeedConfig::load_for(file, Purpose::Judging)
    }

    /// The same, with other values for some keys.
    ///
    /// # Errors
    /// As for [`FeedConfig::load`], about the file as it is; or a setting names no key of it, or
    /// has an invalid value.
    pub fn load_with(file: &Path, settings: &[Setting]) -> Result<FeedConfig> {
        let text = read(file)?;
        let feed = FeedConfig::parse(&text, file);
        if settings.is_empty() {
            return feed;
        }
        let written =
            setting::written(&text, settings).map_err(|error| feed.err().unwrap_or(error))?;
        // A setting has no line in the file; the key identifies it.
        FeedConfig::parse(&written, file).map_err(|error| {
            let all = settings
                .iter()
                .map(|setting| format!("--set {setting}"))
                .collect::<Vec<_>>()
                .join(" ");
            let key = error
                .field
                .map(|field| format!("`{field}`: "))
                .unwrap_or_default();
            Error::new(error.kind, format!("with {all}: {key}{}", error.text))
                .in_file(file)
                .in_field("--set")
        })
    }

    fn load_for(file: &Path, purpose: Purpose) -> Result<FeedConfig> {
        FeedConfig::parse_for(&read(file)?, file, purpose)
    }

    /// Reads the text of a feed file at `file`, which need not exist.
    ///
    /// # Errors
    /// The first problem; see the head of this file.
    pub fn parse(text: &str, file: &Path) -> Result<FeedConfig> {
        FeedConfig::parse_for(text, file, Purpose::Releases)
    }

    fn parse_for(text: &str, file: &Path, purpose: Purpose) -> Result<FeedConfig> {
        let mut places = Places::new(file, text);
        let tree = DeTable::parse(text).map_err(|error| places.of_syntax(&error))?;
        limits::check(text, &tree, file)?;
        let walked = key_check::walk(schema::feed(), &tree, &mut places);
        for problems in [walked.wrong, walked.missing] {
            if let Some(error) = places.first(problems) {
                return Err(error);
            }
        }
        let unbuilt = unbuilt(tree.get_ref(), purpose);
        let secrets = secret_files::of(tree.get_ref(), file.parent().unwrap_or(Path::new("")));
        let written = deserialize(tree, &places)?;
        understand(written, file, &places, (unbuilt, purpose, &secrets))
    }

    /// Whether releases contain all people so far or only the newest ones.
    pub fn chain(&self) -> ChainKind {
        self.policy.kind()
    }

    /// Whether a chain whose table grows has a Delta log: the file asks for one, and its columns
    /// can be those of a Delta table.
    pub fn writes_delta(&self) -> bool {
        self.services.publish.delta && same_but_for_capitals(&self.columns).is_none()
    }

    /// The same feed with other columns, for a new chain in memory.
    #[must_use]
    pub fn with_columns(&self, columns: Columns) -> FeedConfig {
        FeedConfig {
            columns,
            ..self.clone()
        }
    }

    /// The same file as if all rows had one list of labels, if it names no search; `None` if it
    /// names one, or does not permit that.
    pub fn with_one_list(&self) -> Option<FeedConfig> {
        if !self.halves_by_default {
            return None;
        }
        FeedConfig::load_for(&self.file, Purpose::JudgingOneList).ok()
    }
}

/// Converts the file into the types; errors are shown at the value.
fn deserialize(tree: Spanned<DeTable<'_>>, places: &Places<'_>) -> Result<FeedFile> {
    FeedFile::deserialize(toml::de::Deserializer::from(tree)).map_err(|error| {
        let path = error
            .span()
            .and_then(|span| places.around(&span).map(str::to_owned))
            .unwrap_or_default();
        let text = format!("`{}` {}", key_check::last(&path), error.message());
        places.place(ConfigProblem::new(path, text))
    })
}

fn understand(
    mut written: FeedFile,
    file: &Path,
    places: &Places<'_>,
    (unbuilt, purpose, secrets): (Vec<UnbuiltSafeguard>, Purpose, &[PathBuf]),
) -> Result<FeedConfig> {
    let base = file.parent().unwrap_or(Path::new(""));
    let mut notes = Notes::default();
    let name_fits = |char: char| matches!(char, 'a'..='z' | '0'..='9' | '_' | '-');
    if !(1..=64).contains(&written.feed.name.len()) || !written.feed.name.chars().all(name_fits) {
        notes.refuse(
            "feed.name",
            "`name` is 1 to 64 small letters, digits, dashes and underscores: \"admissions\"",
        );
    }
    let read = columns::read(&written.column, base, secrets);
    notes.problems.extend(read.problems);
    notes.warnings.extend(read.warnings);
    notes.problems.extend(columns::class(&written));
    let min_records = written
        .schedule
        .as_ref()
        .and_then(|schedule| schedule.min_records);
    let records = match &written.source {
        Some(source) => records::read(source, &mut notes),
        None => RecordRules::default(),
    };
    let services = services::read(&mut written, base, &mut notes);
    if let Some(services) = &services
        && let Some(public) = services
            .store
            .as_ref()
            .and_then(|store| store.public.as_ref())
    {
        let source = services.source.as_ref().map(|source| &source.place);
        notes
            .problems
            .extend(secret_files::exposed(public, source, secrets, base));
    }
    let found = FeedFileText {
        file: &written,
        min_records,
        facts: facts(&written.column, &read.columns),
        columns: &read.columns,
        release: services
            .as_ref()
            .and_then(|services| services.publish.release_column.as_ref()),
        purpose,
        problems: &notes.problems,
        unbuilt: &unbuilt,
        places,
    };
    let Reading {
        policy,
        columns,
        halves_by_default,
    } = found.reading()?;
    let services = Arc::new(services.expect("sections that cannot be read have an error"));
    if let (true, Some((one, other))) = (services.publish.delta, alike(&columns)) {
        let text = format!(
            "the columns `{one}` and `{other}` differ only in capitals, which Delta tables do not distinguish: this \
             feed gets no Delta log. Rename one of them, or write `delta = false`"
        );
        notes.warn("publish.delta", &text);
    }
    let warning = |(path, text)| Warning {
        field: Some(path),
        text,
    };
    Ok(FeedConfig {
        file: file.to_path_buf(),
        name: written.feed.name,
        columns,
        policy,
        records: Arc::new(records),
        services,
        warnings: notes.warnings.into_iter().map(warning).collect(),
        listed: listed(&written.column),
        halves_by_default,
    })
}

/// The names of quasi columns whose taxonomy lists its leaves; in all other forms, ranges and
/// standards give them.
fn listed(tables: &[ColumnTable]) -> Vec<String> {
    let mut found = Vec::new();
    for table in tables.iter().filter(|table| table.role == Role::Quasi) {
        let form = table
            .taxonomy
            .as_ref()
            .and_then(|taxonomy| taxonomy.form().ok());
        if matches!(
            form,
            Some(TaxonomyForm::File | TaxonomyForm::Flat | TaxonomyForm::Prefix)
        ) {
            found.push(table.name.clone());
        }
    }
    found
}

/// Columns of a published table whose names differ only in case.
fn alike(columns: &Columns) -> Option<(String, String)> {
    let measures = columns.has_measures().then(|| columns.of_measures());
    same_but_for_capitals(columns).or_else(|| same_but_for_capitals(&measures?))
}

/// The text of a feed file.
fn read(file: &Path) -> Result<String> {
    let about =
        std::fs::metadata(file).map_err(|error| Error::io(file, "read the feed file", &error))?;
    if about.is_dir() {
        return Err(Error::new(
            ErrorCategory::Usage,
            "this is a directory: name the feed file in it",
        )
        .in_file(file));
    }
    if !about.is_file() {
        return Err(Error::irregular(ErrorCategory::Feed, file));
    }
    if about.len() > MOST_BYTES {
        return Err(Error::new(
            ErrorCategory::Feed,
            "larger than 4 MiB: this is not a feed file",
        )
        .in_file(file));
    }
    let bytes =
        std::fs::read(file).map_err(|error| Error::io(file, "read the feed file", &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let right = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + right.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let text = format!("line {line} is not UTF-8 text: save the file as UTF-8");
        Error::new(ErrorCategory::Feed, text)
            .in_file(file)
            .at_line(line)
    })
}

/// The facts about columns that the policy needs, before their taxonomies are read.
fn facts(tables: &[ColumnTable], columns: &[Column]) -> ColumnFacts {
    let count = |role: Role| tables.iter().filter(|table| table.role == role).count();
    let sensitive = || tables.iter().filter(|table| table.role == Role::Sensitive);
    let quasi = tables.iter().filter(|table| table.role == Role::Quasi);
    ColumnFacts {
        quasi: quasi.map(|table| table.name.as_str().into()).collect(),
        guarded_sets: sensitive()
            .flat_map(|table| &table.guarded)
            .map(Vec::len)
            .sum(),
        sensitive: count(Role::Sensitive),
        sensitive_taxonomies: sensitive().filter(|table| table.taxonomy.is_some()).count(),
        measures: count(Role::Measure),
        details: columns
            .iter()
            .filter(|column| column.role == Role::Quasi)
            .map(|column| column.detail)
            .collect(),
    }
}
