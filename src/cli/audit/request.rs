//! The request for an audit: tables, their columns and the policy; and how they are read from a
//! folder of our own releases.

use std::collections::BTreeSet;
use std::path::Path;

use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::feed_writer::{DecidedRelease, FeedSnapshot};
use crate::daemon::folder::{begun, find_key, read_key, roots};
use crate::daemon::formats::LeavingAtom;
use crate::daemon::service::seen_with;
use crate::engine::audit::{AuditSubject, MissingRows, RowsLeftOut};
use crate::engine::histogram::Histogram;
use crate::engine::model::{Columns, Node};
use crate::engine::policy::{ChainKind, Policy};
use crate::place::feed_in;

/// The audited tables, and what they are judged by.
pub(super) struct AuditRequest {
    pub columns: Columns,
    pub policy: Policy,
    pub subject: AuditSubject,
    pub names: Vec<String>,
    /// Whether rows of one label may be from several releases that can no longer be told apart,
    /// since their manifests have expired.
    pub joined: bool,
    /// The raw rows behind the release, in full detail, where a minimality attack is requested.
    pub behind: Option<Histogram>,
}

/// The newest chain of a folder, with the people who were new in each release.
///
/// # Errors
/// The folder cannot be read, the key does not fit, or a feed file that was named is not that of
/// the chain.
pub(super) fn of_folder(
    folder: &Path,
    key: Option<&Path>,
    feed: Option<&Path>,
) -> Result<AuditRequest> {
    let nothing = || {
        let text = "there are no releases here: name a folder of `anonymize`";
        Error::new(ErrorCategory::Usage, text)
            .in_file(folder)
            .in_field("--dir")
    };
    // The folder of a running feed contains its feed file.
    if let Some(file) = feed_in(folder).filter(|_| feed.is_none()) {
        return of_feed(&FeedConfig::load_to_judge(&file)?, key);
    }
    if !begun(folder)? {
        return Err(nothing());
    }
    let feed = feed.map(FeedConfig::load_to_judge).transpose()?;
    let secret = feed.as_ref().and_then(|feed| feed.services.key());
    let found = find_key(key, secret, folder, false)?;
    let seen = roots(folder, &found.key)?
        .map(FeedSnapshot::quickly)
        .transpose()?
        .flatten()
        .ok_or_else(nothing)?;
    if let Some(feed) = &feed {
        let terms = &seen.state.terms;
        terms.frozen(feed, "name the feed file with which the chain began")?;
    }
    of_chain(&seen, folder)
}

/// The newest chain of a running feed.
///
/// # Errors
/// The feed names no roots, its roots are empty, or the key does not fit.
pub(super) fn of_feed(feed: &FeedConfig, key: Option<&Path>) -> Result<AuditRequest> {
    if feed.services.store.is_none() {
        let text = "name the tables to audit with --release, or a folder of `anonymize` with --dir; the feed file names no \
                    roots (`[store]`) with releases of its own";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .in_field("--release"));
    }
    let key = key.map(read_key).transpose()?;
    of_chain(&seen_with(feed, key)?.0, &feed.file)
}

/// The newest chain, as it was published.
fn of_chain(seen: &FeedSnapshot, place: &Path) -> Result<AuditRequest> {
    let terms = &seen.state.terms;
    let policy = terms.policy()?;
    let (numbers, tables): (Vec<u32>, Vec<_>) = seen.tables()?.into_iter().unzip();
    if tables.is_empty() {
        return Err(Error::new(
            ErrorCategory::Input,
            "there is no release of the newest chain yet",
        )
        .in_file(place));
    }
    let tables: Vec<_> = tables
        .into_iter()
        .map(|table| (table.release, table.values))
        .collect();
    let of_chain: Vec<&DecidedRelease> = seen.state.of_chain().collect();
    let (increments, left_out) = match policy.kind() {
        ChainKind::Disjoint => (None, RowsLeftOut::default()),
        ChainKind::Cumulative => (
            Some(increments(seen, &of_chain, &numbers)),
            left_out(seen, &of_chain, &numbers)?,
        ),
    };
    let subject = AuditSubject::of_chain(
        &terms.columns,
        policy.kind(),
        tables,
        increments,
        &left_out,
    )
    .map_err(|_| {
        let text =
            "the releases do not match the people in the private state: one of the two was changed";
        Error::new(ErrorCategory::Input, text).in_file(place)
    })?;
    let names = numbers
        .iter()
        .map(|number| format!("release {number}"))
        .collect();
    let joined = policy.keeps_labels() && of_chain.len() > numbers.len();
    Ok(AuditRequest {
        columns: terms.columns.clone(),
        policy,
        subject,
        names,
        joined,
        behind: None,
    })
}

/// The people of each visible release: its new people, and the new people of earlier releases whose
/// manifests are gone.
fn increments(
    seen: &FeedSnapshot,
    of_chain: &[&DecidedRelease],
    visible: &[u32],
) -> Vec<Histogram> {
    let published = seen.state.feed.published().iter().zip(of_chain);
    let mut people: Vec<Vec<Histogram>> = vec![Vec::new(); visible.len()];
    for (published, line) in published {
        if let Some(of) = people.get_mut(place_of(visible, line.release)) {
            of.push(Histogram::clone(&published.rows).as_one(0));
        }
    }
    let columns = &seen.state.terms.columns;
    let no_rows = || Histogram::empty(columns.trees().len(), seen.state.sensitive());
    people
        .into_iter()
        .map(|people| Histogram::merge_all(people).unwrap_or_else(no_rows))
        .collect()
}

/// Rows that earlier visible releases hold and later ones do not: erased rows, and rows that are
/// older than the retention.
fn left_out(
    seen: &FeedSnapshot,
    of_chain: &[&DecidedRelease],
    visible: &[u32],
) -> Result<RowsLeftOut> {
    let lines: Vec<&DecidedRelease> = of_chain
        .iter()
        .filter(|line| visible.contains(&line.release))
        .copied()
        .collect();
    let mut gone: Vec<BTreeSet<LeavingAtom>> = vec![BTreeSet::new(); visible.len() + 1];
    for line in of_chain {
        gone[place_of(visible, line.release)]
            .extend(line.erased.iter().chain(&line.retired).cloned());
    }
    let state = &seen.state;
    gone[visible.len()].extend(state.erased.iter().chain(&state.retired).cloned());
    let trees = state.terms.columns.trees();
    let mut found: Vec<Vec<MissingRows>> = Vec::new();
    for (at, atoms) in gone.into_iter().enumerate() {
        let mut missing = Vec::new();
        // Rows that came and went between two visible releases are in neither of them.
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        for came in 0..before.map_or(0, |_| at) {
            let of_them = atoms
                .iter()
                .filter(|atom| place_of(visible, atom.release) == came);
            let labels = of_them.map(|atom| Ok((atom.release, atom.nodes(&trees)?)));
            let labels: BTreeSet<(u32, Vec<Node>)> = labels.collect::<Result<_>>()?;
            if let (Some(before), false) = (before, labels.is_empty()) {
                let (rows, values) = seen.rows_where(before, |release, label| {
                    labels.contains(&(release, label.to_vec()))
                })?;
                missing.extend((rows.rows() > 0).then_some(MissingRows { came, rows, values }));
            }
        }
        found.push(missing);
    }
    let next = found.pop().unwrap_or_default();
    Ok(RowsLeftOut {
        releases: found,
        next,
    })
}

/// The first of the visible releases that holds the people of a release.
fn place_of(visible: &[u32], release: u32) -> usize {
    visible.partition_point(|number| *number < release)
}
