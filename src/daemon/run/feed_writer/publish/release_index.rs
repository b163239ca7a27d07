//! Earlier releases as reports and the page over all releases (`index.html`) show them. The page is
//! a convenience for people: it is rewritten with every release, and no decision reads it.

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::super::writer::FeedWriter;
use crate::engine::release::{ListedRelease, PastRelease, RemovalReason};
use crate::error::Result;

/// The most earlier releases that a report plots.
const PLOTTED: usize = 100;

/// The figures of earlier releases of the running chain, oldest first, without withdrawn ones.
pub(in crate::feed_writer) fn earlier_releases(state: &FeedState) -> Vec<PastRelease> {
    let (chain, lines) = (state.feed.chain(), state.releases.iter().rev());
    let withdrawn = |line: &DecidedRelease| {
        line.removed
            .is_some_and(|removed| removed.reason == RemovalReason::Withdrawn)
    };
    let lines = lines
        .take_while(|line| line.chain == chain)
        .filter(|line| !withdrawn(line));
    let mut earlier: Vec<PastRelease> = lines.map(|line| line.figures).take(PLOTTED).collect();
    earlier.reverse();
    earlier
}

/// Writes the page over all visible releases; `shown` is one that the log does not record as
/// visible yet.
///
/// # Errors
/// The public root cannot be read or written.
pub(in crate::feed_writer) fn write_index(
    writer: &mut FeedWriter,
    shown: Option<u32>,
) -> Result<()> {
    let pending = writer
        .state
        .publishing
        .as_ref()
        .map(|pending| pending.approved.release());
    let pending = pending.filter(|_| pending != shown);
    let visible = writer
        .state
        .releases
        .iter()
        .filter(|line| line.removed.is_none() && Some(line.release) != pending);
    let mut listed = Vec::new();
    for line in visible {
        let report = line
            .files
            .iter()
            .map(|(path, _)| path.as_str())
            .find(|path| path.ends_with(".html"));
        listed.push(ListedRelease {
            figures: line.figures,
            chain: line.chain,
            time: &line.time,
            report,
        });
    }
    let page = writer.public.replace_index(
        &writer.state.terms.name,
        writer.settings.pages.language,
        &listed,
    )?;
    writer.index = Some(page);
    Ok(())
}
