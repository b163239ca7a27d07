//! Safeguards that a feed file may name and that this version does not have (CONTRACTS, preface).
//! Every command refuses them, except that an audit of releases of others may judge by them: a
//! promise that is not kept is worse than none. Nothing in this file may grow.

use toml::de::DeTable;

use super::places::ConfigProblem;

/// The purpose for which a feed file is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Releases are made under it.
    Releases,
    /// Releases of others are judged by it.
    Judging,
    /// The same, as if all rows had one list of labels where the file names no search.
    JudgingOneList,
}

/// A safeguard that the feed file names and this version does not have.
pub(super) struct UnbuiltSafeguard {
    path: String,
    /// The error, in words.
    pub text: String,
}

impl UnbuiltSafeguard {
    /// As an error of its own.
    pub(super) fn problem(&self) -> ConfigProblem {
        ConfigProblem::new(&self.path, format!("{}: remove it", self.text))
    }
}

/// The safeguards that a feed file names and this version does not have.
pub(super) fn unbuilt(file: &DeTable<'_>, purpose: Purpose) -> Vec<UnbuiltSafeguard> {
    masking(file)
        .filter(|_| purpose == Purpose::Releases)
        .into_iter()
        .collect()
}

/// Guarded values are masked only in chains of one kind; an audit judges releases of any kind.
fn masking(file: &DeTable<'_>) -> Option<UnbuiltSafeguard> {
    let policy = file.get("policy")?.get_ref().as_table()?;
    policy.get("m")?;
    let text = |table: &str, key: &str| {
        file.get(table)?
            .get_ref()
            .as_table()?
            .get(key)?
            .get_ref()
            .as_str()
    };
    let (key, what) = match () {
        () if text("policy", "guarantee") == Some("bcf") => {
            ("m", "`m` under `guarantee = \"bcf\"`")
        }
        () if policy.get("mask").and_then(|mask| mask.get_ref().as_bool()) == Some(false) => {
            ("mask", "`mask = false`")
        }
        () => return None,
    };
    Some(UnbuiltSafeguard {
        path: format!("policy.{key}"),
        text: format!("{what} is not built in this version"),
    })
}
