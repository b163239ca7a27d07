//! Offers set-aside messages again (HOUSE 3 and 4), after the feed file was corrected: rows that
//! are valid now are accepted, other messages stay set aside.

use std::collections::BTreeSet;

use super::super::requests::request::{Request, RequestKind, RequestOutcome};
use super::super::state::FeedState;
use super::super::writer::{FeedSettings, FeedWriter};
use super::set_aside::UnnamedObjects;
use crate::engine::histogram::{CodedRows, Person};
use crate::engine::policy::OnRepeat;
use crate::error::Result;
use crate::formats::RowColumns;
use crate::ingest::topic::{KnownSchema, SchemaKey, ask_again, learn, unknown};
use crate::ingest::{Offer, Repeats, TakenRows, retry_sifted};
use crate::journal::{Drafts, Log, Quarantined, Ref, Retry, SealedRows, destroy_all};

/// An object whose messages were offered again and gave another result.
struct OfferedObject {
    object: Ref,
    rows: CodedRows,
    /// The messages that are still invalid, already written; `None`: none.
    rest: Option<Quarantined>,
}

pub(in crate::feed_writer) fn retry(
    writer: &mut FeedWriter,
    request: &Request,
) -> Result<RequestOutcome> {
    let ask = RequestKind::Retry;
    if writer.state.quarantine.is_empty() {
        return Ok(ask.refused("nothing is set aside"));
    }
    let tick = writer.state.feed.ticks();
    let mut drafts = Drafts::default();
    let mut entry = Retry {
        wanted: request.wanted.clone(),
        tick,
        of: Vec::new(),
        rest: Vec::new(),
        segments: Vec::new(),
        offered: 0,
        kept: 0,
        duplicate: 0,
        skipped: 0,
        quarantined: 0,
        cleared: 0,
    };
    let (schemas, unanswered) = schemas(&writer.log, &writer.state, &writer.settings)?;
    let all = match offered(writer, &schemas, &mut entry)? {
        Ok(all) => all,
        // At that time only people in entries are known.
        Err(error) => return Ok(ask.refused(error.to_string())),
    };
    let trees = writer.state.terms.columns.trees();
    let mut came = Vec::new();
    for OfferedObject { object, rows, rest } in all {
        let (rows, repeats) = writer.state.feed.accept(rows, &writer.policy);
        (entry.kept, entry.duplicate) = (
            entry.kept + rows.len() as u64,
            entry.duplicate + repeats.len() as u64,
        );
        entry.of.push(object);
        entry.rest.push(rest);
        if !rows.is_empty() {
            let roll = RowColumns::of(&rows, &trees);
            let object = writer.log.seal(&mut drafts, "seg", &roll.bytes())?;
            entry.segments.push(SealedRows {
                object,
                rows: roll.count() as u64,
            });
            came.push(rows);
        }
    }
    let answer = outcome(&entry, unanswered);
    if entry.of.is_empty() {
        return Ok(answer);
    }
    drafts.put(writer.log.store())?;
    writer.log.append(entry.clone())?;
    writer.state.retry(&entry);
    came.into_iter()
        .for_each(|rows| writer.state.feed.arrive(rows, tick));
    destroy_all(
        writer.log.store(),
        writer.log.ring(),
        entry.of.iter().map(|old| old.path.as_str()),
    )?;
    Ok(answer)
}

/// The new results of the messages, one offer after another: set-aside messages are never all
/// in memory. The inner error says why they cannot be offered.
fn offered(
    writer: &mut FeedWriter,
    schemas: &[(SchemaKey, KnownSchema)],
    entry: &mut Retry,
) -> Result<Result<Vec<OfferedObject>>> {
    let mut shelf = UnnamedObjects::default();
    let all = each_offered(writer, schemas, entry, &mut shelf);
    if !matches!(all, Ok(Ok(_))) {
        writer.let_go(shelf);
    }
    all
}

fn each_offered(
    writer: &mut FeedWriter,
    schemas: &[(SchemaKey, KnownSchema)],
    entry: &mut Retry,
    shelf: &mut UnnamedObjects,
) -> Result<Result<Vec<OfferedObject>>> {
    let FeedWriter {
        log,
        state,
        policy,
        settings,
        hasher,
        ..
    } = writer;
    let people = state.feed.people();
    let known = |person: Person| people.knows(person);
    let mut repeats = (policy.on_repeat() == OnRepeat::DeadLetter).then(|| Repeats::of(&known));
    let mut all = Vec::new();
    for aside in &state.quarantine {
        let sealed = log.objects().need(&aside.object)?;
        let again = Offer::parse(&sealed).and_then(|mut offer| {
            learn(&mut offer, schemas);
            let (columns, rules) = (&state.terms.columns, &settings.records);
            let taken = retry_sifted(&offer, columns, hasher, rules, repeats.as_mut())?;
            Ok((taken, offer.faults()))
        });
        let (
            TakenRows {
                rows,
                aside: rest,
                skipped,
                ..
            },
            faults,
        ) = match again {
            Ok(again) => again,
            Err(error) => return Ok(Err(error)),
        };
        // A message that was set aside as one may be many rows now.
        let left = rest.messages().len() as u64;
        entry.offered += rows.len() as u64 + left + skipped;
        entry.quarantined += left;
        entry.skipped += skipped;
        if rows.is_empty() && skipped == 0 && rest.faults() == faults {
            continue;
        }
        // Duplicates do not count among the messages since the last tick.
        entry.cleared += if aside.fresh {
            faults.saturating_sub(rest.faults())
        } else {
            0
        };
        let rest = if left > 0 {
            Some(shelf.put(&rest, log)?)
        } else {
            None
        };
        all.push(OfferedObject {
            object: aside.object.clone(),
            rows,
            rest,
        });
    }
    Ok(Ok(all))
}

/// Schemas that have become known for messages without one; and why others are still unknown.
fn schemas(
    log: &Log,
    state: &FeedState,
    settings: &FeedSettings,
) -> Result<(LearntSchemas, Option<String>)> {
    let Some(registry) = &settings.registry else {
        return Ok((Vec::new(), None));
    };
    let mut keys = BTreeSet::new();
    for aside in &state.quarantine {
        // Unreadable objects are reported when they are offered.
        let offer = Offer::parse(&log.objects().need(&aside.object)?);
        keys.extend(offer.iter().flat_map(unknown));
    }
    Ok(ask_again(keys, registry))
}

/// Schemas, by their keys.
type LearntSchemas = Vec<(SchemaKey, KnownSchema)>;

fn outcome(entry: &Retry, unanswered: Option<String>) -> RequestOutcome {
    let Retry {
        offered,
        kept,
        duplicate,
        skipped,
        quarantined,
        ..
    } = entry;
    let over = if *skipped > 0 {
        format!("{skipped} are skipped, ")
    } else {
        String::new()
    };
    let mut text = format!(
        "of {offered} messages that were set aside {kept} are accepted now, {duplicate} are duplicates, \
         {over}{quarantined} stay set aside"
    );
    if let Some(why) = unanswered {
        text +=
            &format!(". Messages among them whose schema was unknown may be decoded later: {why}");
    }
    RequestOutcome {
        count: Some(*offered),
        changed: Some(*kept),
        ..RequestKind::Retry.done(text)
    }
}
