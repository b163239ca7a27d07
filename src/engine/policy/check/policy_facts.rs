//! The common part of the checks of a policy: the facts about columns, and the list of findings.
//! Judges nothing itself.

use crate::model::{Columns, Decimal, DetailSettings, Role};

/// What a policy needs to know about the columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnFacts {
    /// The number of guarded sets of all sensitive columns.
    pub guarded_sets: usize,
    /// The number of sensitive columns.
    pub sensitive: usize,
    /// The number of sensitive columns with a taxonomy.
    pub sensitive_taxonomies: usize,
    /// The number of measures.
    pub measures: usize,
    /// The names of the quasi columns, in order.
    pub quasi: Vec<Box<str>>,
    /// How much detail each quasi column should keep, in order; empty if all have the default.
    pub details: Vec<DetailSettings>,
}

impl ColumnFacts {
    /// Counts the columns.
    pub fn of(columns: &Columns) -> ColumnFacts {
        ColumnFacts {
            guarded_sets: columns
                .of(Role::Sensitive)
                .map(|column| column.guarded.len())
                .sum(),
            sensitive: columns.of(Role::Sensitive).count(),
            sensitive_taxonomies: columns
                .of(Role::Sensitive)
                .filter(|column| column.taxonomy.is_some())
                .count(),
            measures: columns.of(Role::Measure).count(),
            quasi: columns
                .of(Role::Quasi)
                .map(|column| column.name.as_ref().into())
                .collect(),
            details: columns.details(),
        }
    }
}

/// A contradiction in a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {text}")]
pub struct PolicyError {
    /// The path of the key, from the root of the feed file.
    pub key: String,
    /// What is wrong and what to do.
    pub text: String,
}

/// The findings so far.
pub(super) struct PolicyFindings(pub Vec<PolicyError>);

impl PolicyFindings {
    /// Refuses a key.
    pub(super) fn refuse(&mut self, key: &str, text: impl Into<String>) {
        self.0.push(PolicyError {
            key: format!("policy.{key}"),
            text: text.into(),
        });
    }

    /// Refuses the key if the condition holds.
    pub(super) fn refuse_if(&mut self, condition: bool, key: &str, text: impl Into<String>) {
        if condition {
            self.refuse(key, text);
        }
    }

    /// Refuses each of the keys that the feed file has.
    pub(super) fn refuse_written(&mut self, keys: &[(&str, bool)], text: &str) {
        for (key, _) in keys.iter().filter(|(_, written)| *written) {
            self.refuse(key, format!("`{key}` {text}"));
        }
    }

    /// Refuses a number above 1.
    pub(super) fn at_most_one(&mut self, number: Option<Decimal>, key: &str, meaning: &str) {
        let above = number.is_some_and(|number| number > Decimal::ONE);
        self.refuse_if(
            above,
            key,
            format!("`{}` is {meaning}: a number from 0 to 1", last(key)),
        );
    }
}

/// The last part of a key.
pub(super) fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}
