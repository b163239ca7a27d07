//! Begins a new chain (CONTRACTS 1): under the current feed file, with all people who wait or
//! are in unpublished atoms. Published people stay published: the columns that identify
//! people never change, unless there are no such people yet.

use std::collections::BTreeSet;

use super::super::publish::make_visible::void;
use super::super::recovery::replay::{ReplayedLog, past};
use super::super::state::FeedState;
use super::super::writer::{FeedWriter, terms};
use super::request::{Request, RequestKind, RequestOutcome};
use crate::config;
use crate::engine::model::{Column, Columns, Leaf, Role};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::ChainStart;
use crate::terms::ChainTerms;

pub(in crate::feed_writer) fn new_chain(
    writer: &mut FeedWriter,
    request: &Request,
    feed: &dyn Fn() -> Result<config::FeedConfig>,
) -> Result<RequestOutcome> {
    let ask = RequestKind::NewChain;
    let feed = match feed() {
        Ok(feed) => feed,
        Err(error) => return Ok(ask.refused(error.to_string())),
    };
    if let Err(error) = fits(&writer.state, &feed) {
        return Ok(ask.refused(error.to_string()));
    }
    let frozen = ChainTerms::of(&feed);
    let number = writer.state.feed.chain() + 1;
    let (delta, wanted) = (
        writer.settings.writes_delta(&feed),
        Some(request.wanted.clone()),
    );
    let (terms, release_column) = (
        terms(&mut writer.log, &frozen)?,
        feed.columns.release().clone(),
    );
    let chain = ChainStart {
        chain: number,
        terms,
        wanted,
        delta,
        release_column,
    };
    writer.log.append(chain)?;
    let void = void(&writer.log, &mut writer.state)?;
    reload(writer)?;
    let waiting = writer.state.feed.waiting().rows() + writer.state.feed.new_rows();
    let text = format!("chain {number} has begun; {waiting} rows wait for its first release{void}");
    Ok(RequestOutcome {
        chain: Some(number),
        count: Some(waiting),
        ..ask.done(text)
    })
}

/// Reads the state again: it is the fold of the log, whatever has happened.
pub(in crate::feed_writer) fn reload(writer: &mut FeedWriter) -> Result<()> {
    let ReplayedLog { state, .. } = past(writer.log.store(), &*writer.public, writer.log.ring())?;
    // Entries that another writer has appended after the last one of this writer were read too.
    writer.log.ours()?;
    writer.state =
        state.ok_or_else(|| Error::new(ErrorCategory::Internal, "a feed has a chain"))?;
    writer.policy = writer.state.terms.policy()?;
    Ok(())
}

/// Checks that all people who wait can continue under a feed file.
fn fits(state: &FeedState, feed: &config::FeedConfig) -> Result<()> {
    let changed = |field: String, text: &str| {
        Err(Error::new(ErrorCategory::Feed, text.to_owned())
            .in_file(&feed.file)
            .in_field(field))
    };
    let now = &state.terms;
    if now.name != feed.name {
        return changed("feed.name".to_owned(), "the name of a feed cannot change");
    }
    if !holds_people(state) {
        return Ok(());
    }
    let same = |old: &Column, new: &Column| {
        (&old.name, old.kind, &old.source) == (&new.name, new.kind, &new.source)
    };
    let roles = [
        (Role::Identifier, "identifier"),
        (Role::Quasi, "quasi"),
        (Role::Sensitive, "sensitive"),
        (Role::Measure, "measure"),
        (Role::Input, "input"),
    ];
    for (role, name) in roles {
        let [old, new] =
            [&now.columns, &feed.columns].map(|columns| columns.of(role).collect::<Vec<_>>());
        if old.len() != new.len() || !old.iter().zip(&new).all(|(old, new)| same(old, new)) {
            let text = format!(
                "the {name} columns differ from those of the waiting and published people, but a feed keeps them \
                 in all its chains. Change them back, or begin another feed, whose releases must not be published \
                 beside these"
            );
            return changed("column".to_owned(), &text);
        }
    }
    places_of(state, &feed.columns).map_err(|error| error.in_file(&feed.file).in_field("column"))
}

/// Whether a person waits or was ever published. If not, a chain may begin under
/// any columns.
fn holds_people(state: &FeedState) -> bool {
    let feed = &state.feed;
    let unpublished = feed.waiting().rows() + feed.new_rows();
    unpublished > 0 || !state.formed.is_empty() || !state.releases.is_empty()
}

/// Checks that all people who wait have leaves in these taxonomies.
fn places_of(state: &FeedState, columns: &Columns) -> Result<()> {
    let (old, new) = (state.terms.columns.trees(), columns.trees());
    let lacks = |at: usize, leaf: Leaf| {
        let label = old[at].label(old[at].leaf_node(leaf));
        new[at].find_leaf(label).is_none()
    };
    for rows in state.feed.unpublished_rows() {
        for (_, rows) in rows.iter() {
            let used = |at: usize| -> BTreeSet<Leaf> { rows.column(at).iter().copied().collect() };
            if (0..old.len()).any(|at| used(at).into_iter().any(|leaf| lacks(at, leaf))) {
                let text = "a waiting row has a value that the new taxonomies lack: add the earlier leaves again";
                return Err(Error::new(ErrorCategory::Taxonomy, text));
            }
        }
    }
    Ok(())
}
