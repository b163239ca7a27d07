//! Published atoms that are erased from a chain of crowds (SCIENCE 11, erasure): the whole atom of
//! each person who is erased with rows, since erasing fewer of its rows would show whose they were.
//! Its people stay known, so that no release contains them again.

use std::collections::{BTreeMap, BTreeSet};

use super::super::state::FeedState;
use super::person_search::{Absent, found_in};
use crate::engine::histogram::Person;
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::formats::{AtomMembers, LabelTexts, LeavingAtom};
use crate::journal::{Erase, ErasedRows, Log, Ref};

/// Published atoms that are erased.
#[derive(Default)]
pub(in crate::feed_writer) struct Leaving {
    /// Their labels, by the release that added them; also of atoms whose rows were removed from the
    /// table before.
    pub labels: BTreeMap<u32, BTreeSet<LabelTexts>>,
    /// Those whose rows are in the table, or were removed from it because they were older than the
    /// retention.
    pub atoms: Vec<LeavingAtom>,
    /// The people of these.
    pub people: BTreeSet<Person>,
    /// Their rows in the table.
    pub rows: u64,
    /// How many of these atoms were removed from the table before.
    pub before: u64,
}

/// Why `--rows` is refused if atoms have no labels of their own.
const NO_ATOMS: &str = "--rows is for chains whose rows keep their labels (`chain = \"cumulative\"`, `guarantee = \
     \"blind\"`). In this chain labels or rows change from release to release: to remove a published row would \
     reveal whose row it was. Without --rows the raw rows are deleted, and the published ones stay until the chain ends";

/// Why `--rows` is refused in a chain that has stopped.
const STOPPED: &str = "this chain has stopped and makes no more releases, so none can leave rows out. Without --rows \
     the raw rows are deleted; a new chain (`tidegate new-chain`) contains no published row of this one";

/// Why no published row can be erased from this chain; `None` if whole atoms can.
pub(in crate::feed_writer) fn keeps_rows(
    policy: &Policy,
    state: &FeedState,
) -> Option<&'static str> {
    match () {
        () if !policy.keeps_labels() => Some(NO_ATOMS),
        () if state.feed.stopped() => Some(STOPPED),
        () => None,
    }
}

/// The atoms in which people are published, with all their people, in the running chain; these
/// people are removed from the feed.
pub(in crate::feed_writer) fn leaving(
    log: &Log,
    state: &mut FeedState,
    known: &BTreeSet<Person>,
) -> Result<Leaving> {
    let columns = state.terms.columns.clone();
    let (trees, mut leaving) = (columns.trees(), Leaving::default());
    let first = state
        .of_chain()
        .next()
        .map_or(u32::MAX, |line| line.release);
    let members = state
        .members
        .iter()
        .filter_map(|of| Some((&of.object, of.release?)));
    let members: Vec<(&Ref, u32)> = members.filter(|(_, release)| *release >= first).collect();
    let all: Vec<Ref> = members
        .iter()
        .map(|(object, _)| Ref::clone(object))
        .collect();
    let labels = |object: &Ref, content: &[u8]| {
        let labels: Vec<LabelTexts> = AtomMembers::parse(content)?
            .labels_of(known)
            .cloned()
            .collect();
        Ok(Some((object.clone(), labels)))
    };
    for (object, labels) in found_in(log, (&all, Absent::Lost), known, labels)? {
        let of = members.iter().find(|(of, _)| **of == object);
        of.into_iter().for_each(|(_, release)| {
            leaving
                .labels
                .entry(*release)
                .or_default()
                .extend(labels.clone())
        });
    }
    leaving.labels.retain(|_, labels| !labels.is_empty());
    // Atoms of several ticks may have been published in one release with one label.
    let mut published: BTreeMap<u32, Vec<AtomMembers>> = BTreeMap::new();
    for (object, release) in members
        .iter()
        .filter(|(_, release)| leaving.labels.contains_key(release))
    {
        let members = AtomMembers::parse(&log.objects().need(object)?)?;
        published.entry(*release).or_default().push(members);
    }
    for (&release, labels) in &leaving.labels {
        for label in labels {
            let atom = LeavingAtom {
                release,
                label: label.clone(),
            };
            let rows = state.feed.erase_rows(release, &atom.nodes(&trees)?);
            if rows == 0 && !state.is_retired(&atom) {
                // They were withdrawn.
                continue;
            }
            leaving.rows += rows;
            leaving.before += u64::from(rows == 0);
            leaving.atoms.push(atom);
            let label = BTreeSet::from([label.clone()]);
            let people = published[&release]
                .iter()
                .flat_map(|members| members.people_of(&label));
            leaving.people.extend(people);
        }
    }
    Ok(leaving)
}

/// Labels of published atoms that a tick formed and that are erased.
pub(in crate::feed_writer) fn leaving_of<'l>(
    state: &FeedState,
    tick: u32,
    leaving: &'l Leaving,
) -> Option<&'l BTreeSet<LabelTexts>> {
    let membership = state.members.iter().find(|members| members.tick == tick)?;
    leaving.labels.get(&membership.release?)
}

/// The result of an erasure, in words; `before`: atoms that were removed from the table earlier;
/// `elsewhere`: people whose published rows no later release would have contained in any case.
pub(in crate::feed_writer) fn erasure_text(
    erase: &Erase,
    before: u64,
    elsewhere: Option<usize>,
) -> String {
    let Erase {
        asked,
        erased,
        published,
        unknown,
        ..
    } = erase;
    let mut text = format!(
        "{asked} people: {erased} were removed, {published} are published (their raw rows are deleted, a tombstone \
         stays), {unknown} have no row here"
    );
    if let Some(ErasedRows { rows, atoms, .. }) = &erase.rows {
        if *rows > 0 {
            let atoms = atoms - before;
            text += &format!(
                ". The next release leaves out {rows} published rows (whole atoms: {atoms}), and its notice lists \
                 their labels. Then the feed deletes the manifests and parts that contain these rows"
            );
        }
        if before > 0 {
            text += &format!(
                ". The rows of {before} atoms were older than the retention period: manifests and parts that still \
                 contained them are deleted with the release that leaves them out, or now if it is published"
            );
        }
        text += ". Copies that readers have made cannot be recalled: ask readers to delete them";
    }
    if let Some(people) = elsewhere {
        text += &format!(
            ". {people} of the published people have no row in this chain: it was removed before, or it is in releases \
             of an earlier chain, which do not change"
        );
    }
    text
}
