//! What an audit is about: tables, their columns and the policy; and how they are had from a folder of our own releases.

use std::path::Path;

use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::oneshot::{Folder, find_key, open_state, tables};
use crate::engine::audit::Subject;
use crate::engine::model::Columns;
use crate::engine::policy::{ChainKind, Policy};

/// What is audited, and by what.
pub struct Asked {
    pub columns: Columns,
    pub policy: Policy,
    pub subject: Subject,
    pub names: Vec<String>,
}

/// The newest chain of a folder, with the people who really came with each release.
///
/// # Errors
/// The folder cannot be read, the key is another one, or a feed file that was named is not the chain's.
pub fn of_folder(folder: &Path, key: Option<&Path>, feed: Option<&Path>) -> Result<Asked> {
    if !Folder::begun(folder)? {
        let text = "there are no releases here: name the folder that `anonymize` writes to";
        return Err(Error::new(Kind::Usage, text).in_file(folder).in_field("--dir"));
    }
    let feed = feed.map(Feed::load).transpose()?;
    let secret = feed.as_ref().and_then(|feed| feed.services.key());
    let found = find_key(key, secret, folder, false)?;
    let saved = open_state(folder, &found.key)?;
    if let Some(feed) = &feed {
        saved.frozen(feed)?;
    }
    let policy = saved.terms.policy()?;
    let (numbers, tables): (Vec<u32>, Vec<_>) = tables(folder, &saved)?.into_iter().unzip();
    if tables.is_empty() {
        return Err(Error::new(Kind::Input, "there is no release of the newest chain yet").in_file(folder));
    }
    let tables = tables.into_iter().map(|table| (table.release, table.values)).collect();
    let increments = saved.feed.published().iter().map(|published| published.rows.clone()).collect();
    let increments = (policy.kind() == ChainKind::Cumulative).then_some(increments);
    let subject = Subject::of_chain(&saved.terms.columns, policy.kind(), tables, increments).map_err(|_| {
        let text = "the releases are not those of the people in the private state: one of them was changed";
        Error::new(Kind::Input, text).in_file(folder)
    })?;
    let names = numbers.iter().map(|number| format!("release {number}")).collect();
    Ok(Asked { columns: saved.terms.columns, policy, subject, names })
}
