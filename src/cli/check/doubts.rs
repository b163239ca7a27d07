//! What can go wrong with a correct feed file (CONTRACTS 1, below the key table). Each warning says
//! what happens to people and what can be done; none stops anything.

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::config::{FeedConfig, Root};
use crate::daemon::guess::speaks_of_people;
use crate::daemon::service::root_opening;
use crate::engine::model::Role;
use crate::engine::policy::{Guarantee, OnRepeat, Search};

/// A warning.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WarningReport {
    /// The key it is about.
    pub field: Option<String>,
    /// The warning, and what can be done.
    pub text: String,
}

/// Whether a second row of a person can be distinguished from another person's row.
fn repeats(feed: &FeedConfig) -> Option<WarningReport> {
    let text = match (
        feed.columns.of(Role::Identifier).count(),
        feed.policy.on_repeat(),
    ) {
        (0, OnRepeat::None) | (1.., OnRepeat::Ignore | OnRepeat::DeadLetter) => return None,
        (0, _) => {
            "no column is an identifier, so a second row of the same person cannot be recognised: declare one, or \
             write `on_repeat = \"none\"` if every row is a different person"
        }
        (_, _) => {
            "`on_repeat = \"none\"` counts every row as a different person, although there is an identifier"
        }
    };
    Some(warning(Some("policy.on_repeat"), text))
}

/// Labels of each class's own that no check attacks.
fn unattacked(feed: &FeedConfig) -> Option<WarningReport> {
    let policy = &feed.policy;
    let text = match policy.search() {
        search if !search.is_local() || policy.refinement().max_ratio.is_some() => return None,
        Search::Halves => return None,
        _ => {
            "`max_ratio = \"off\"` publishes classes whose labels and order may reveal the position of people in them: \
             remove it, or write a number"
        }
    };
    Some(warning(Some("policy.max_ratio"), text))
}

/// Diversity of many small classes, each of which is checked.
fn small_crowds(feed: &FeedConfig) -> Option<WarningReport> {
    let policy = &feed.policy;
    policy.diversity().filter(|_| policy.has_atoms())?;
    let a = policy.a();
    // For a value that three people in four have: the probability that a class shows nothing else,
    // and that one of ten does.
    let alike = 0.75f64.powf(a as f64);
    let any = 1.0 - (1.0 - alike).powi(10);
    let text = format!(
        "`diversity` checks every class of about {a} people, and one failure stops the chain. If three people in four \
         have the same value, {:.1} % of such classes show no other value, and one of ten classes does with a \
         probability of {:.0} %. Write a larger `k`, or replace `diversity` by `m = 2` and `guarded` values",
        100.0 * alike,
        100.0 * any
    );
    Some(warning(Some("policy.diversity"), &text))
}

/// Classes whose members may all have one sensitive value. A requirement that stops a chain when a
/// value is common is not recommended.
fn undivided(feed: &FeedConfig) -> Option<WarningReport> {
    let policy = &feed.policy;
    if feed.columns.of(Role::Sensitive).count() == 0 {
        let text = "no column is sensitive: releases contain quasi columns only, and only classes are checked";
        return Some(warning(Some("column"), text));
    }
    if policy.masking().is_some() || policy.diversity().is_some() {
        return None;
    }
    let remedy = match policy.has_atoms() {
        true => {
            "Write `m = 2` and `guarded` values: then no class links a person to such a value; a larger `k` makes such \
             classes rare"
        }
        false if policy.guarantee() == Some(Guarantee::Bcf) => {
            "`diversity` requires several values in every class, and stops the chain if a class has fewer"
        }
        false => {
            "Write `m = 2` and `guarded` values: then no class links a person to such a value with a probability above \
             1/2. `diversity` stops the chain at the first class that fails, which happens soon if one value is common"
        }
    };
    let text = format!(
        "`diversity` is not set: a class whose people share one diagnosis reveals the diagnosis of each of them. {remedy}"
    );
    Some(warning(Some("policy.diversity"), &text))
}

/// Sums that are suppressed only if they have too few values.
fn unruled(feed: &FeedConfig) -> Option<WarningReport> {
    let settings = feed.policy.in_force();
    let ruled = settings.dominance.is_some() || settings.p_rule.is_some();
    let text = "no rule decides which sums of a measure reveal a large value: if one person contributes most of a sum, \
                the sum reveals that contribution. Write `dominance = { n = 1, share = 0.6 }` and `p_rule = 0.1` in \
                [policy]";
    (feed.columns.has_measures() && !ruled).then(|| warning(Some("policy.dominance"), text))
}

/// Sums beside masked values.
fn unexamined(feed: &FeedConfig) -> Option<WarningReport> {
    feed.policy.masking()?;
    let measures = feed
        .columns
        .of(Role::Measure)
        .filter(|column| column.unrelated);
    let names: Vec<String> = measures
        .map(|column| format!("`{}`", column.name))
        .collect();
    if names.is_empty() {
        return None;
    }
    let text = format!(
        "{}: `unrelated = true` publishes sums beside masked values, and no check examines whether they depend on guarded \
         values: if they do, a sum shows which classes have such a value, and masking protects no person there",
        names.join(", ")
    );
    Some(warning(Some("column.unrelated"), &text))
}

/// Warnings about one feed.
pub(super) fn of(feed: &FeedConfig) -> Vec<WarningReport> {
    let mut found: Vec<WarningReport> = Vec::new();
    let policy = &feed.policy;
    found.extend(undivided(feed));
    let mut warn = |field: Option<&str>, text: &str| found.push(warning(field, text));
    if policy.guarantee() == Some(Guarantee::Bcf) {
        let text = "`bcf` assumes a reader who knows the quasi columns and increment of one person. It is not safe against a \
                    reader who knows these of everybody, nor against one who knows the algorithm: a recoding that was \
                    refused reveals why it would have been unsafe. Use it for comparison only; `blind` is safe against both";
        warn(Some("policy.guarantee"), text);
    }
    found.extend(unattacked(feed));
    found.extend(unruled(feed));
    found.extend(unexamined(feed));
    found.extend(small_crowds(feed));
    let mut warn = |field: Option<&str>, text: &str| found.push(warning(field, text));
    let guarded = feed
        .columns
        .of(Role::Sensitive)
        .any(|column| !column.guarded.is_empty());
    let capped = policy.masking().is_some()
        || policy
            .diversity()
            .is_some_and(|limits| limits.confidence.is_some());
    if guarded && !capped {
        let text = "guarded sets are declared and no requirement uses them: write `m = 2` in [policy], so that no person is \
                    linked to one with more than 1/2";
        warn(Some("column.guarded"), text);
    }
    found.extend(repeats(feed));
    for column in feed
        .columns
        .of(Role::Quasi)
        .filter(|column| speaks_of_people(&column.name))
    {
        let text = format!(
            "`{}` is quasi, and its name suggests people or free text: releases may publish labels of its taxonomy. \
             Remove it, or make it the identifier",
            column.name
        );
        found.push(warning(Some("column"), &text));
    }
    for column in feed
        .columns
        .of(Role::Sensitive)
        .filter(|column| speaks_of_people(&column.name))
    {
        let text = format!(
            "`{}` is sensitive, so every value is published unchanged, and its name suggests people or free text. \
             Remove it, or make it the identifier",
            column.name
        );
        found.push(warning(Some("column"), &text));
    }
    if let Some(Root::Bucket(_)) = feed
        .services
        .store
        .as_ref()
        .and_then(|store| store.private.as_ref())
    {
        let text = "the private root is a bucket: if it has versioning or object lock, erased people, forgotten rows \
                    and replaced keys stay there, readable with the operator's key. Turn both off; the program cannot \
                    check that";
        found.push(warning(Some("store.private"), text));
    }
    let ignored = root_opening::ignored_variables(feed);
    if !ignored.is_empty() {
        let text = format!(
            "these variables of the environment do not reach the buckets: {}. Only those that the guide lists do (operations, \
             section 13): certificates are always checked, and requests always signed",
            ignored.join(", ")
        );
        found.push(warning(Some("store"), &text));
    }
    found.extend(
        feed.warnings
            .iter()
            .map(|remark| warning(remark.field.as_deref(), &remark.text)),
    );
    let text = "classes are only as good as the source: rows without a real person (tests, duplicates, invented rows) \
                protect no person, and an attacker who can add rows can fill a class with them";
    found.push(warning(None, text));
    let text = "one row stands for one person: a person with several rows needs an identifier, or is counted several \
                times";
    found.push(warning(None, text));
    found
}

/// Warnings about several feeds together.
pub(super) fn together(feeds: &[FeedConfig]) -> Vec<WarningReport> {
    let mut found = Vec::new();
    for (at, one) in feeds.iter().enumerate() {
        for other in &feeds[at + 1..] {
            if one.name == other.name {
                let text = format!(
                    "{} and {} have the same name `{}`: their releases would mix",
                    file(one),
                    file(other),
                    one.name
                );
                found.push(warning(Some("feed.name"), &text));
            }
            for column in one.columns.of(Role::Identifier) {
                if other
                    .columns
                    .named(&column.name)
                    .is_some_and(|column| column.role == Role::Identifier)
                {
                    let text = format!(
                        "`{}` and `{}` share the identifier `{}`: a person in both can be found by comparing their \
                         releases, which are each checked alone",
                        one.name, other.name, column.name
                    );
                    found.push(warning(Some("column"), &text));
                }
            }
        }
    }
    found
}

fn file(feed: &FeedConfig) -> String {
    feed.file.display().to_string()
}

fn warning(field: Option<&str>, text: &str) -> WarningReport {
    WarningReport {
        field: field.map(str::to_owned),
        text: text.to_owned(),
    }
}
