//! The settings that are frozen while a chain runs (CONTRACTS 1): the policy, the columns and their
//! taxonomies, and the one change that a running chain permits, new leaves. They are kept with the
//! chain and compared with the feed file at every start.

use serde::{Deserialize, Serialize};

use crate::config;
use crate::engine::model::{Column, Columns, DetailSettings, ReleaseColumn, TreeGrowth};
use crate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings};
use crate::error::{Error, ErrorCategory, Result};

/// The settings that a chain was begun with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChainTerms {
    /// The feed's name.
    pub name: String,
    /// Whether each release contains other people.
    pub disjoint: bool,
    /// `[policy]` in force, as JSON.
    pub policy: String,
    /// The columns and their taxonomies.
    pub columns: Columns,
}

impl ChainTerms {
    /// The terms of a feed file.
    pub fn of(feed: &config::FeedConfig) -> ChainTerms {
        ChainTerms {
            name: feed.name.clone(),
            disjoint: feed.chain() == ChainKind::Disjoint,
            policy: in_force(&feed.policy),
            columns: feed.columns.clone(),
        }
    }

    /// The same, for tables that have this column for the number of the release.
    #[must_use]
    pub fn with_release(self, release: ReleaseColumn) -> ChainTerms {
        ChainTerms {
            columns: self.columns.with_release(release),
            ..self
        }
    }

    /// The same, with this much detail to keep of each quasi column.
    #[must_use]
    pub fn with_details(self, details: &[DetailSettings]) -> ChainTerms {
        ChainTerms {
            columns: self.columns.with_details(details),
            ..self
        }
    }

    /// The policy that the chain runs under.
    ///
    /// # Errors
    /// It was written by another version.
    pub fn policy(&self) -> Result<Policy> {
        let kind = if self.disjoint {
            ChainKind::Disjoint
        } else {
            ChainKind::Cumulative
        };
        let settings: Option<PolicySettings> = serde_json::from_str(&self.policy).ok();
        let policy = settings.and_then(|settings| {
            Policy::new(&settings, kind, &ColumnFacts::of(&self.columns)).ok()
        });
        policy.ok_or_else(|| {
            Error::new(
                ErrorCategory::Input,
                "the policy of the chain: another version of tidegate wrote it. Use that version",
            )
        })
    }

    /// How the taxonomies have grown to those of a feed file that is otherwise
    /// [`frozen`](ChainTerms::frozen); None if they have not.
    pub fn growth(&self, columns: &Columns) -> Option<Vec<TreeGrowth>> {
        let (old, new) = (self.columns.trees(), columns.trees());
        // A running chain keeps the levels that its taxonomies had when it began.
        if old
            .iter()
            .zip(&new)
            .all(|(old, new)| old.has_same_nodes(new))
        {
            return None;
        }
        let growth: Option<Vec<TreeGrowth>> = old
            .iter()
            .zip(&new)
            .map(|(old, new)| TreeGrowth::between(old, new))
            .collect();
        Some(growth.expect("everything else is unchanged"))
    }

    /// Checks that a feed file has the terms of the running chain.
    ///
    /// # Errors
    /// The frozen setting that was changed.
    pub fn frozen(&self, feed: &config::FeedConfig, remedy: &str) -> Result<()> {
        let grows = self.policy()?.taxonomies_grow();
        let changed = |field: String, what: &str| {
            let how = match () {
                () if !field.ends_with(".taxonomy") => "",
                () if grows => " by more than new leaves under existing inner nodes",
                () => " (with `search = \"halves\"` no leaf can be added to a running chain)",
            };
            let text = format!(
                "{what} was changed since the chain began{how}, but all its releases were made under the old one: \
                 change it back, or {remedy}"
            );
            Err(Error::new(ErrorCategory::Feed, text)
                .in_file(&feed.file)
                .in_field(field))
        };
        if self.name != feed.name {
            return changed("feed.name".to_owned(), "the name of the feed");
        }
        if self.disjoint != (feed.chain() == ChainKind::Disjoint) {
            return changed("feed.chain".to_owned(), "the kind of chain");
        }
        if let Some(key) = self.changed_key(feed)? {
            return changed(format!("policy.{key}"), "this key");
        }
        if self.columns.release() != feed.columns.release() {
            return changed("publish.release_column".to_owned(), "this key");
        }
        let names = |columns: &Columns| {
            columns
                .iter()
                .map(|column| column.name.clone())
                .collect::<Vec<_>>()
        };
        if names(&self.columns) != names(&feed.columns) {
            return changed("column".to_owned(), "the list of columns");
        }
        let columns = self.columns.iter().zip(feed.columns.iter());
        match columns
            .filter(|(old, new)| old != new)
            .find_map(|(old, new)| Some((old, differs(old, new, grows)?)))
        {
            Some((old, key)) => changed(format!("column.{}.{key}", old.name), "this key"),
            None => Ok(()),
        }
    }

    /// The first key of `[policy]` that differs; keys that others follow from come first. A key
    /// that the version that began the chain did not have counts as set to its default.
    fn changed_key(&self, feed: &config::FeedConfig) -> Result<Option<String>> {
        type Table = serde_json::Map<String, serde_json::Value>;
        let [old, new] = [in_force(&self.policy()?), in_force(&feed.policy)]
            .map(|text| serde_json::from_str::<Table>(&text).unwrap_or_default());
        let leading = ["guarantee", "search"].map(str::to_owned);
        let keys = leading.iter().chain(old.keys()).chain(new.keys());
        Ok(keys
            .into_iter()
            .find(|key| old.get(*key) != new.get(*key))
            .cloned())
    }
}

/// The first key in which two columns of one name differ. New leaves under the inner nodes of a
/// taxonomy are not a difference if it may grow.
fn differs(old: &Column, new: &Column, grows: bool) -> Option<&'static str> {
    let grown = match (&old.taxonomy, &new.taxonomy) {
        (Some(old), Some(new)) if grows => {
            old.rule == new.rule && TreeGrowth::between(&old.tree, &new.tree).is_some()
        }
        (Some(old), Some(new)) => old.rule == new.rule && old.tree.has_same_nodes(&new.tree),
        (old, new) => old.is_none() && new.is_none(),
    };
    let keys = [
        ("role", old.role != new.role),
        ("type", old.kind != new.kind),
        ("path", old.source.paths != new.source.paths),
        (
            "clean`, `format` or `derive",
            (&old.source.steps, &old.source.derived) != (&new.source.steps, &new.source.derived),
        ),
        ("optional", old.optional != new.optional),
        ("guarded", old.guarded != new.guarded),
        ("unknown", old.unknown != new.unknown),
        ("taxonomy", !grown),
        ("weight", old.detail.hundredths() != new.detail.hundredths()),
        ("floor", old.detail.floor() != new.detail.floor()),
        ("unrelated", old.unrelated != new.unrelated),
    ];
    keys.into_iter()
        .find(|(_, differs)| *differs)
        .map(|(key, _)| key)
}

fn in_force(policy: &Policy) -> String {
    serde_json::to_string(policy).expect("a policy is JSON")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::formats::{terms_from_bytes, terms_to_bytes};

    fn feeds() -> Vec<config::FeedConfig> {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/samples");
        let names = [
            "registry.toml",
            "fhir.toml",
            "minimal.toml",
            "admissions.toml",
            "debezium.toml",
            "costs.toml",
            "hospital/feed.toml",
            "hospital/carved.toml",
            "kafka/feed.toml",
            "three-releases/feed.toml",
        ];
        names
            .iter()
            .map(|name| config::FeedConfig::load_to_judge(&samples.join(name)).expect("a feed"))
            .collect()
    }

    /// Whether two terms are equal in every label.
    fn is_same(one: &ChainTerms, other: &ChainTerms) -> bool {
        let bytes = |terms: &ChainTerms| {
            postcard::to_stdvec(&(terms, terms.columns.details())).expect("bytes")
        };
        bytes(one) == bytes(other)
    }

    #[test]
    fn terms_are_read_as_they_were_written() {
        for feed in feeds() {
            let release = ReleaseColumn::default();
            let terms = ChainTerms::of(&feed).with_release(release);
            let newest = terms_to_bytes(&terms);
            assert_eq!(newest[0], 4);
            assert!(
                is_same(&terms_from_bytes(&newest).expect("version 4"), &terms),
                "{}",
                feed.name
            );
            assert!(terms_from_bytes(&newest[..newest.len() - 1]).is_err());
        }
    }

    /// The terms of a chain do not contain keys that the program did not have when the chain began.
    #[test]
    fn a_new_key_with_a_default_changes_no_chain() {
        let mut defaults = std::collections::BTreeSet::new();
        for feed in feeds() {
            let terms = ChainTerms::of(&feed);
            let written: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&terms.policy).expect("JSON");
            for key in written.keys() {
                let mut older = written.clone();
                older.remove(key);
                let older = ChainTerms {
                    policy: serde_json::Value::from(older).to_string(),
                    ..terms.clone()
                };
                let is_default = older
                    .policy()
                    .is_ok_and(|policy| in_force(&policy) == terms.policy);
                match older.frozen(&feed, "begin another chain") {
                    Ok(()) => {
                        assert!(is_default, "{key}");
                        defaults.insert(key.clone());
                    }
                    Err(error) => assert!(!is_default, "{}: policy.{key}: {error}", feed.name),
                }
            }
        }
        assert!(defaults.len() >= 5, "{defaults:?}");
    }
}
