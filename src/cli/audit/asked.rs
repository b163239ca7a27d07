//! What an audit is about: tables, their columns and the policy; and how they are had from a folder of our own releases.

use std::path::Path;

use crate::cli::place::feed_in;
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::live::Seen;
use crate::daemon::oneshot::{begun, find_key, read_key, roots};
use crate::daemon::run::seen_with;
use crate::engine::audit::{ErasedAtoms, Subject};
use crate::engine::histogram::Histogram;
use crate::engine::model::Columns;
use crate::engine::policy::{ChainKind, Policy};

/// What is audited, and by what.
pub struct Asked {
    pub columns: Columns,
    pub policy: Policy,
    pub subject: Subject,
    pub names: Vec<String>,
    /// The rows behind the release, as finely as they were given, where minimality attacks are asked for.
    pub behind: Option<Histogram>,
}

/// The newest chain of a folder, with the people who really came with each release.
///
/// # Errors
/// The folder cannot be read, the key is another one, or a feed file that was named is not the chain's.
pub fn of_folder(folder: &Path, key: Option<&Path>, feed: Option<&Path>) -> Result<Asked> {
    let nothing = || {
        let text = "there are no releases here: name the folder that `anonymize` writes to";
        Error::new(Kind::Usage, text).in_file(folder).in_field("--dir")
    };
    // The folder of a feed at work has its feed file in it.
    if let Some(file) = feed_in(folder).filter(|_| feed.is_none()) {
        return of_feed(&Feed::load_to_judge(&file)?, key);
    }
    if !begun(folder)? {
        return Err(nothing());
    }
    let feed = feed.map(Feed::load_to_judge).transpose()?;
    let secret = feed.as_ref().and_then(|feed| feed.services.key());
    let found = find_key(key, secret, folder, false)?;
    let seen = roots(folder, &found.key)?.map(Seen::quickly).transpose()?.flatten().ok_or_else(nothing)?;
    if let Some(feed) = &feed {
        let terms = &seen.state.terms;
        terms.frozen(feed.running(&terms.policy()?)?, "name the feed file that the chain began with")?;
    }
    of_chain(&seen, folder)
}

/// The newest chain of a feed at work.
///
/// # Errors
/// The feed names no roots, nothing has begun there, or the key is another one.
pub fn of_feed(feed: &Feed, key: Option<&Path>) -> Result<Asked> {
    if feed.services.store.is_none() {
        let text = "name the tables to be judged with --release, or a folder of `anonymize` with --dir; the feed file names no \
                    roots (`[store]`) with releases of its own";
        return Err(Error::new(Kind::Usage, text).in_file(&feed.file).in_field("--release"));
    }
    let key = key.map(read_key).transpose()?;
    of_chain(&seen_with(feed, key)?.0, &feed.file)
}

/// The newest chain, as it was published.
fn of_chain(seen: &Seen, place: &Path) -> Result<Asked> {
    let terms = &seen.state.terms;
    let policy = terms.policy()?;
    let (numbers, tables): (Vec<u32>, Vec<_>) = seen.tables()?.into_iter().unzip();
    if tables.is_empty() {
        return Err(Error::new(Kind::Input, "there is no release of the newest chain yet").in_file(place));
    }
    let tables: Vec<_> = tables.into_iter().map(|table| (table.release, table.values)).collect();
    let increments = seen
        .state
        .feed
        .published()
        .iter()
        .take(tables.len())
        .map(|published| Histogram::clone(&published.rows))
        .collect();
    let increments = (policy.kind() == ChainKind::Cumulative).then_some(increments);
    let state = &seen.state;
    let left_out = state.of_chain().map(|line| state.for_the_gate(&line.erased)).collect::<Result<Vec<_>>>()?;
    let (shown, on_their_way) = left_out.split_at(tables.len().min(left_out.len()));
    let next = on_their_way.iter().flatten().cloned().chain(state.for_the_gate(&state.erased)?).collect();
    let erased = ErasedAtoms { releases: shown.to_vec(), next };
    let subject = Subject::of_chain(&terms.columns, policy.kind(), tables, increments, &erased).map_err(|_| {
        let text = "the releases are not those of the people in the private state: one of them was changed";
        Error::new(Kind::Input, text).in_file(place)
    })?;
    let names = numbers.iter().map(|number| format!("release {number}")).collect();
    Ok(Asked { columns: terms.columns.clone(), policy, subject, names, behind: None })
}
