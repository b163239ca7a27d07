//! The releases of the chain as they were published, for the gate: read back from the published
//! bytes, each with the digest that was decided.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::super::publish::make_visible::not_as_decided;
use super::super::publish::public_root::PublicRoot;
use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::super::tick::judge::for_the_gate;
use crate::engine::gate::bytes;
use crate::engine::gate::bytes::PartRows;
use crate::engine::histogram::{Histogram, Release, SensitiveValues};
use crate::engine::measures::shown;
use crate::engine::policy::ChainKind;
use crate::engine::release::{Layout, PartLine, Sha256, TableKind};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::ReadStore;
use crate::journal::{Log, ObjectReader};

/// The number of files of a table that are decoded in parallel, and held in memory for that.
const AT_ONCE: usize = 8;

/// Reads the releases that are not in memory yet.
///
/// # Errors
/// As for the state, or another writer has taken over, which may have moved or removed a file.
pub(in crate::feed_writer) fn remember(
    log: &Log,
    state: &mut FeedState,
    public: &PublicRoot,
) -> Result<()> {
    let remembered = read_releases(state, log.objects(), &**public);
    remembered.or_else(|error| log.ours().and(Err(error)))
}

/// Reads the releases that are not in memory yet.
///
/// # Errors
/// A table is missing, or differs from the published one.
pub(in crate::feed_writer) fn read_releases(
    state: &mut FeedState,
    objects: ObjectReader<'_>,
    public: &dyn ReadStore,
) -> Result<()> {
    let policy = state.terms.policy()?;
    if policy.kind() == ChainKind::Disjoint {
        return Ok(());
    }
    let missing: Vec<DecidedRelease> = state
        .of_chain()
        .skip(state.history.len())
        .cloned()
        .collect();
    if policy.has_atoms() {
        return remember_parts(state, &missing, objects, public);
    }
    for line in missing {
        let (path, sha256) = line
            .files
            .first()
            .cloned()
            .unwrap_or((String::new(), Sha256::of(b"")));
        let data = file(state, &path, sha256, objects, public)?;
        let (table, _) = bytes::read(&data, &state.terms.columns);
        let known = state.feed.published().get(state.history.len());
        let pushed = table
            .zip(known)
            .and_then(|(table, known)| state.history.push(table, &known.recoding).ok());
        pushed.ok_or_else(|| unread(line.release))?;
    }
    Ok(())
}

/// The same for a table that grows: the rows that releases have added are in the files of the
/// newest one, except for atoms that were erased since, which are in no release any more.
fn remember_parts(
    state: &mut FeedState,
    missing: &[DecidedRelease],
    objects: ObjectReader<'_>,
    public: &dyn ReadStore,
) -> Result<()> {
    let Some(first) = missing.first() else {
        return Ok(());
    };
    let gone = missing
        .iter()
        .flat_map(|line| line.erased.iter().chain(&line.retired))
        .filter(|atom| atom.release < first.release);
    let gone = for_the_gate(state, &gone.cloned().collect::<Vec<_>>())?;
    if !state.history.erase(&gone) {
        return Err(unread(first.release));
    }
    let kinds = state.table_ids().into_iter().map(|id| id.kind);
    let mut set_files = Vec::new();
    for kind in kinds {
        let parts = state.parts_of(kind);
        let mut added = added(state, &parts, first.release, objects, public)?;
        let in_table = |release: u32| parts.iter().any(|part| part.span.holds(release));
        for line in missing {
            let found = added.remove(&line.release);
            let counted = || as_counted(state, kind, line.release, in_table(line.release));
            let (rows, values) = found.unwrap_or_else(counted);
            match kind {
                TableKind::Rows => state.history.grow(rows, &values),
                TableKind::Measures => state.history.grow_measures(&rows, &values),
            }
        }
        set_files.extend(parts);
    }
    state.history.set_files(set_files);
    Ok(())
}

/// The rows that the releases from this one on have added to a table, according to these files.
fn added(
    state: &FeedState,
    parts: &[PartLine],
    first: u32,
    objects: ObjectReader<'_>,
    public: &dyn ReadStore,
) -> Result<BTreeMap<u32, (Release, SensitiveValues)>> {
    let (mut added, measures) = (BTreeMap::new(), state.terms.columns.of_measures());
    let decode = |(part, data): (&PartLine, Vec<u8>)| {
        let (rows, _) = match part.table() {
            TableKind::Rows => bytes::read_part(&data, &state.terms.columns, part.span.last),
            TableKind::Measures => bytes::read_part(&data, &measures, part.span.last),
        };
        rows.ok_or_else(|| unread(part.span.last))
    };
    let parts: Vec<&PartLine> = parts
        .iter()
        .filter(|part| part.span.last >= first)
        .collect();
    for some in parts.chunks(AT_ONCE) {
        // Files are read one after the other, and decoded on all cores.
        let file =
            |part: &PartLine| file(state, &part.file.path, part.file.sha256, objects, public);
        let files = some
            .iter()
            .map(|part| Ok((*part, file(part)?)))
            .collect::<Result<Vec<_>>>()?;
        // One by one, because the largest files are adjacent.
        let decoded = files.into_par_iter().with_max_len(1).map(decode);
        for part in decoded.collect::<Vec<Result<PartRows>>>() {
            let PartRows {
                releases, values, ..
            } = part?;
            added.extend(
                releases
                    .into_iter()
                    .map(|(release, rows)| (release, (rows, values.clone()))),
            );
        }
    }
    Ok(added)
}

/// The rows that a release has added and that are in no part: none, except for those that the
/// next release publishes again.
fn as_counted(
    state: &FeedState,
    kind: TableKind,
    release: u32,
    in_table: bool,
) -> (Release, SensitiveValues) {
    let known = state
        .feed
        .published()
        .iter()
        .find(|published| published.release == release && !in_table);
    let rows = known.and_then(|published| match kind {
        TableKind::Rows => Some(Histogram::clone(&published.rows)),
        TableKind::Measures => Some(shown(published.measures.as_deref()?, &state.terms.columns)),
    });
    match rows {
        Some(rows) => (Release::from_own_labels(&rows), rows.values().clone()),
        None => (
            Release::empty(state.terms.columns.trees().len(), Vec::new()),
            SensitiveValues::default(),
        ),
    }
}

/// A file of the chain with the decided content: published, or still staged.
fn file(
    state: &FeedState,
    path: &str,
    sha256: Sha256,
    objects: ObjectReader<'_>,
    public: &dyn ReadStore,
) -> Result<Vec<u8>> {
    let right = |data: &Vec<u8>| Sha256::of(data) == sha256;
    let mut pending = state
        .publishing
        .iter()
        .flat_map(|pending| pending.approved.files());
    let aside = pending.find(|file| file.path == path && file.sha256 == sha256);
    match (public.read(path)?.filter(right), aside) {
        // Another file may be in its place; `leave` reports it.
        (None, Some(staged)) => staged
            .read_staged(objects)?
            .ok_or_else(|| not_as_decided(&staged.stage)),
        (data, _) => data.ok_or_else(|| changed(public, path)),
    }
}

/// The bytes of the files of a visible release, in order, exactly as they were published.
///
/// # Errors
/// One of them is missing or was changed.
pub fn intact(
    public: &dyn ReadStore,
    layout: Layout,
    line: &DecidedRelease,
) -> Result<Vec<Vec<u8>>> {
    let manifest = line
        .manifest
        .map(|sha256| (layout.manifest(line.release), sha256));
    let right = |(path, sha256): (String, Sha256)| {
        let bytes = public
            .read(&path)?
            .filter(|bytes| Sha256::of(bytes) == sha256);
        bytes.ok_or_else(|| changed(public, &path))
    };
    line.files
        .iter()
        .cloned()
        .chain(manifest)
        .map(right)
        .collect()
}

/// The error for a release that differs from its decision.
fn unread(release: u32) -> Error {
    Error::new(
        ErrorCategory::Internal,
        format!("release {release} cannot be read back as it was published"),
    )
}

/// The error for a published file that was changed.
fn changed(public: &dyn ReadStore, path: &str) -> Error {
    let text = "this published file is missing or was changed: restore it as it was published, because every later \
                release is checked against it";
    Error::new(ErrorCategory::Input, text).in_file(&Path::new(&public.place()).join(path))
}
