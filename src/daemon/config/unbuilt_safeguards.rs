//! Safeguards that a feed file may name and that this version does not have (CONTRACTS, preface). Written, they are
//! refused by every command, but for what an audit of releases that others made judges: a promise that is not kept is
//! worse than none. Nothing in this file may grow.

use toml::de::DeTable;

use super::places::ConfigProblem;

/// What a feed file is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Releases are made under it.
    Releases,
    /// Releases that others made are judged by it.
    Judging,
}

/// A safeguard that is written and not built.
pub struct UnbuiltSafeguard {
    path: String,
    /// That it is not built, in words.
    pub text: String,
}

impl UnbuiltSafeguard {
    /// As an error of its own.
    pub fn problem(&self) -> ConfigProblem {
        ConfigProblem::new(&self.path, format!("{}, and nothing is promised that is not kept: leave it out", self.text))
    }
}

/// What is written in a feed file and not built.
pub fn unbuilt(file: &DeTable<'_>, purpose: Purpose) -> Vec<UnbuiltSafeguard> {
    masking(file).filter(|_| purpose == Purpose::Releases).into_iter().collect()
}

/// Guarded values are masked in chains of one kind; an audit judges releases of any.
fn masking(file: &DeTable<'_>) -> Option<UnbuiltSafeguard> {
    let policy = file.get("policy")?.get_ref().as_table()?;
    policy.get("m")?;
    let text = |table: &str, key: &str| file.get(table)?.get_ref().as_table()?.get(key)?.get_ref().as_str();
    let (key, what) = match () {
        () if text("policy", "guarantee") == Some("bcf") => ("m", "`m` under `guarantee = \"bcf\"`"),
        () if policy.get("mask").and_then(|mask| mask.get_ref().as_bool()) == Some(false) => ("mask", "`mask = false`"),
        () => return None,
    };
    Some(UnbuiltSafeguard { path: format!("policy.{key}"), text: format!("{what} is not built in this version") })
}
