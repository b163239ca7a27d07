//! What k means where the rows of a feed outnumber the people of a sample: an admission is the
//! identifier, and another column says whose admission it is. That column goes through the ticks of
//! the sample as one more sensitive column, in memory, so that the people of each class can be
//! counted. Counts only; no value.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::config::FeedConfig;
use crate::engine::model::{Column, ColumnSource, Columns, DetailSettings, Role, Value};
use crate::guess::{self, PersonKey, sample};
use crate::opened_release::Opened;

/// The people behind the rows of a sample's newest release.
#[derive(Debug)]
pub struct PeopleBehindRows {
    /// The column that looks like the key of a person.
    pub column: String,
    /// The identifier of the feed file, if it has one.
    pub identifier: Option<String>,
    /// The number of published rows.
    pub rows: u64,
    /// The number of people who have them.
    pub people: u64,
    /// The number of classes.
    pub classes: u64,
    /// The k of the policy.
    pub k: u64,
    /// The number of classes with fewer people than that.
    pub below: u64,
    /// The smallest number of people in a class.
    pub fewest: u64,
}

/// Counts the people of a release whose last sensitive column is the key; `None` if each of them
/// has one row.
pub(super) fn count(
    opened: &Opened,
    feed: &FeedConfig,
    key: PersonKey,
) -> Option<PeopleBehindRows> {
    let found = in_classes(opened, feed.policy.k())?;
    let identifier = feed
        .columns
        .of(Role::Identifier)
        .next()
        .map(|column| column.name.to_string());
    if found.people >= found.rows {
        return None;
    }
    Some(PeopleBehindRows {
        column: key.name,
        identifier,
        ..found
    })
}

/// The column that looks like the key of a person and is no identifier of the feed file.
pub(super) fn key(feed: &FeedConfig, inputs: &[PathBuf]) -> Option<PersonKey> {
    // A sample that `init` refuses gives no hint.
    let facts = sample::read(inputs.first()?).ok()?;
    let is_identifier = |name: &str, path: Option<&str>| {
        feed.columns.of(Role::Identifier).any(|column| {
            match column.source.paths.first().map(|path| &**path) {
                Some(own) => Some(own) == path || own.strip_prefix("$.") == Some(name),
                None => path.is_none() && *column.name == *name,
            }
        })
    };
    guess::person_key(&facts, is_identifier)
}

/// The feed with the key as its last sensitive column. Nothing is masked, so that each row shows
/// its own key.
pub(super) fn with_key(feed: &FeedConfig, key: &PersonKey) -> FeedConfig {
    let mut columns: Vec<Column> = feed.columns.iter().cloned().collect();
    columns.iter_mut().for_each(|column| column.guarded.clear());
    let mut name = format!("{} (key)", key.name);
    while columns.iter().any(|column| *column.name == *name) {
        name.push('+');
    }
    let path = key
        .path
        .clone()
        .unwrap_or_else(|| format!("$.{}", key.name));
    columns.push(Column {
        name: name.into(),
        source: ColumnSource {
            paths: vec![path.into()],
            ..ColumnSource::default()
        },
        role: Role::Sensitive,
        kind: key.kind,
        taxonomy: None,
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    });
    feed.with_columns(Columns::new(columns).with_release(feed.columns.release().clone()))
}

/// Rows, people and classes of a release whose last sensitive column is the key.
fn in_classes(opened: &Opened, k: u64) -> Option<PeopleBehindRows> {
    let last = opened.values.width().checked_sub(1)?;
    let mut found = PeopleBehindRows {
        column: String::new(),
        identifier: None,
        rows: 0,
        people: 0,
        classes: 0,
        k,
        below: 0,
        fewest: u64::MAX,
    };
    let mut all: BTreeSet<&Value> = BTreeSet::new();
    for table in &opened.tables {
        for class in 0..table.classes() {
            let mut people: BTreeSet<&Value> = BTreeSet::new();
            // Rows without a key may each be of another person.
            let mut unknown = 0;
            for group in table.range(class) {
                match &opened.values.get(table.values()[group])[last] {
                    Value::Null => unknown += table.counts()[group],
                    key => _ = people.insert(key),
                }
            }
            let number = people.len() as u64 + unknown;
            found.rows += table.size(class);
            found.people += unknown;
            found.classes += 1;
            found.below += u64::from(number < k);
            found.fewest = found.fewest.min(number);
            all.extend(people);
        }
    }
    found.people += all.len() as u64;
    Some(found)
}
