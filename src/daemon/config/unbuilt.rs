//! Safeguards that a feed file may name and that this version does not have (CONTRACTS, preface). Written, they are
//! refused by every command, but for what an audit of releases that others made judges: a promise that nobody keeps is
//! worse than none. Building one deletes its line here, and nothing else in this file may grow.

use toml::de::{DeTable, DeValue};

use super::places::Problem;

/// Key, and the value that is not built (`None`: any).
const UNBUILT: &[(&str, Option<&str>)] = &[("policy.dominance_safe", None)];

/// What a feed file is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Releases are made under it.
    Releases,
    /// Releases that others made are judged by it.
    Judging,
}

/// A safeguard that is written and not built.
pub struct Unbuilt {
    path: String,
    /// That it is not built, in words.
    pub text: String,
}

impl Unbuilt {
    /// As an error of its own.
    pub fn problem(&self) -> Problem {
        Problem::new(&self.path, format!("{}, and nothing is promised that is not kept: leave it out", self.text))
    }
}

/// Whether a word that a key may have stands for something that is built.
pub fn is_built(path: &str, word: &str) -> bool {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    let table = table.split('[').next().unwrap_or(table);
    UNBUILT.iter().all(|(known, value)| known.split_once('.') != Some((table, key)) || *value != Some(word))
}

/// What is written in a feed file and not built.
pub fn unbuilt(file: &DeTable<'_>, purpose: Purpose) -> Vec<Unbuilt> {
    let mut found = Vec::new();
    if purpose == Purpose::Releases {
        found.extend(masking(file));
    }
    for (key, value) in UNBUILT {
        let (table, key) = key.split_once('.').expect("every line names a table and a key");
        let Some(table_value) = file.get(table) else { continue };
        match table_value.get_ref() {
            DeValue::Table(inner) => found.extend(look(inner, table, key, *value)),
            DeValue::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let inner = item.get_ref().as_table();
                    found.extend(inner.and_then(|inner| look(inner, &format!("{table}[{at}]"), key, *value)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Guarded values are masked in chains of one kind; an audit judges releases of any.
fn masking(file: &DeTable<'_>) -> Option<Unbuilt> {
    let policy = file.get("policy")?.get_ref().as_table()?;
    policy.get("m")?;
    let text = |table: &str, key: &str| file.get(table)?.get_ref().as_table()?.get(key)?.get_ref().as_str();
    let (key, what) = match () {
        () if text("policy", "guarantee") == Some("bcf") => ("m", "`m` under `guarantee = \"bcf\"`"),
        () if policy.get("mask").and_then(|mask| mask.get_ref().as_bool()) == Some(false) => ("mask", "`mask = false`"),
        () => return None,
    };
    Some(Unbuilt { path: format!("policy.{key}"), text: format!("{what} is not built in this version") })
}

fn look(table: &DeTable<'_>, path: &str, key: &str, value: Option<&str>) -> Option<Unbuilt> {
    let written = table.get(key)?.get_ref();
    let name = match value {
        None => format!("`{key}`"),
        Some(value) if written.as_str() == Some(value) => format!("`{key} = \"{value}\"`"),
        Some(_) => return None,
    };
    Some(Unbuilt { path: format!("{path}.{key}"), text: format!("{name} is not built in this version") })
}
