//! Asks the gate (HOUSE 3, Publish): every public file of a candidate is staged and read back, and
//! what was read is judged with the people of the increments from the journal.

use super::super::publish::make_visible::stage;
use super::super::publish::release_index::earlier_releases;
use super::super::state::FeedState;
use super::super::state_parts::UndecidedRelease;
use super::super::writer::{FeedSettings, FeedWriter};
use super::parts::{new_measures, new_parts};
use crate::engine::feed::{Increment, ProposedRelease};
use crate::engine::gate::verdict;
use crate::engine::gate::verdict::{
    Approved, JudgedTable, NewIncrement, NextRelease, OlderIncrement, RecodingGain, Verdict, judge,
};
use crate::engine::histogram::{CodedRows, Histogram};
use crate::engine::policy::{Inference, Output, Policy};
use crate::engine::release::{
    PastRelease, Presentation, ReleaseFacts, ReleasePages, ReleasePart, Tables,
};
use crate::engine::safeguards::search_inference::{TraceTerms, leakage};
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::LeavingAtom;
use crate::formats::{Atoms, LedgerColumns, RecordedTick, other};
use crate::journal::{Log, Ref};

/// The gate's answer about a candidate, and its staged files.
pub(in crate::feed_writer) enum GateAnswer {
    Approved(Box<Approved>, Vec<String>),
    Refused(Verdict),
}

/// Stages every file of a candidate, reads it back, and asks the gate.
pub(in crate::feed_writer) fn ask_gate(
    writer: &mut FeedWriter,
    candidate: &ProposedRelease,
    due: &UndecidedRelease,
    recorded: &mut RecordedTick,
) -> Result<GateAnswer> {
    let mut stages = Vec::new();
    let release = candidate.release;
    let tables = staged_tables(writer, candidate, &mut stages)?;
    let judged = ask(
        &writer.log,
        &writer.state,
        &writer.policy,
        candidate,
        tables.clone(),
    )?;
    recorded.verdict(judged.verdict());
    let Some(table) = judged.overview() else {
        return Ok(GateAnswer::Refused(judged.verdict().clone()));
    };
    let earlier = earlier_releases(&writer.state);
    let lines = judged.lines();
    let pages = ReleasePages::of(
        &facts(&writer.state, &writer.settings, &due.time, &earlier)?,
        &judged.terms(&lines),
        &table,
        &tables,
    );
    let pages = staged_pages(
        &mut writer.log,
        &mut writer.staged,
        release,
        pages,
        &mut stages,
    )?;
    Ok(
        match judged.approve(
            &facts(&writer.state, &writer.settings, &due.time, &earlier)?,
            pages,
        ) {
            Ok(approved) => {
                recorded.verdict(approved.verdict());
                GateAnswer::Approved(Box::new(approved), stages)
            }
            Err(verdict) => {
                recorded.verdict(&verdict);
                GateAnswer::Refused(verdict)
            }
        },
    )
}

/// Stages the tables of a candidate; for a table that grows the new files.
fn staged_tables(
    writer: &mut FeedWriter,
    candidate: &ProposedRelease,
    stages: &mut Vec<String>,
) -> Result<Tables> {
    let columns = &writer.state.terms.columns;
    let tables = if writer.policy.has_atoms() {
        let (state, retain) = (&writer.state, writer.settings.retain);
        Tables::parts(
            &new_parts(state, candidate, &writer.policy, retain),
            columns,
        )
        .with_measures(
            &new_measures(state, candidate, &writer.policy, retain),
            columns,
        )
    } else {
        let exact = candidate.exact(writer.policy.output());
        Tables::of(
            candidate.table(),
            candidate.rows().values(),
            exact.as_ref(),
            columns,
        )
        .with_own_measures(candidate.measures().as_ref(), columns)
    };
    let file = |(at, part): (usize, &ReleasePart)| (staged_name(at, part), part.bytes.clone());
    let files = tables.0.iter().enumerate().map(file).collect();
    let back = stage(
        &mut writer.log,
        &mut writer.staged,
        candidate.release,
        files,
        stages,
    )?;
    tables.with_bytes(back).ok_or_else(|| {
        Error::new(
            ErrorCategory::Internal,
            "as many files are read back as were written",
        )
    })
}

/// Stages the files that accompany a table, in the order of their paths in the manifest, and
/// the manifest last.
fn staged_pages(
    log: &mut Log,
    staged: &mut u64,
    release: u32,
    pages: ReleasePages,
    stages: &mut Vec<String>,
) -> Result<ReleasePages> {
    let ReleasePages {
        taxonomy,
        report,
        manifest,
        notice,
    } = pages;
    let noticed = notice.is_some();
    let files = [
        ("taxonomy.json", Some(taxonomy)),
        ("report.html", Some(report)),
        ("erased.json", notice),
    ];
    let files = files.into_iter().chain([("manifest.json", Some(manifest))]);
    let files = files
        .filter_map(|(name, bytes)| Some((name.to_owned(), bytes?)))
        .collect();
    let mut back = stage(log, staged, release, files, stages)?.into_iter();
    let mut next = || {
        back.next()
            .expect("as many files are read back as were written")
    };
    let (taxonomy, report) = (next(), next());
    let notice = noticed.then(&mut next);
    Ok(ReleasePages {
        taxonomy,
        report,
        notice,
        manifest: next(),
    })
}

/// Asks the gate, with the new people from their objects.
fn ask(
    log: &Log,
    state: &FeedState,
    policy: &Policy,
    candidate: &ProposedRelease,
    tables: Tables,
) -> Result<JudgedTable> {
    let kept = increments(log, state)?;
    let older = state.feed.published().iter();
    let older: Vec<OlderIncrement<'_>> =
        older.map(|of| OlderIncrement { rows: &of.rows }).collect();
    let newest = candidate.increments.iter().zip(&kept);
    let newest: Vec<NewIncrement<'_>> = newest
        .map(|(new, kept)| newest_of(new, kept))
        .collect::<Result<_>>()?;
    let case = NextRelease {
        policy,
        columns: &state.terms.columns,
        release: candidate.release,
        recoding: &candidate.recoding,
        learnt: learnt(state, policy, candidate),
        history: &state.history,
        erased: &for_the_gate(state, &[&state.erased[..], &state.retired].concat())?,
        before: state.feed.whole(),
        older: &older,
        newest: &newest,
    };
    Ok(judge(&case, tables))
}

/// By how much the course of a search reduces the possible tables, for the gate to judge.
fn learnt(state: &FeedState, policy: &Policy, candidate: &ProposedRelease) -> Option<RecodingGain> {
    let limits = policy.refinement();
    let looks = limits.looks_at_coarseness() && state.history.is_empty();
    let global = policy.output() == Output::OneTable && policy.inference() == Inference::Replay;
    if !looks || !global || policy.search().is_local() {
        return None;
    }
    let trees = state.terms.columns.trees();
    let terms = TraceTerms::of(&limits, candidate.release.into());
    let searched = candidate.searched()?;
    let [finally, wholly] = leakage(&searched, &trees, policy.a(), terms);
    Some(RecodingGain { finally, wholly })
}

/// The new rows, increment by increment, read back from the journal.
fn increments(log: &Log, state: &FeedState) -> Result<Vec<Read>> {
    let trees = state.terms.columns.trees();
    let mut increments = Vec::with_capacity(state.formed.len());
    for object in &state.formed {
        let atoms = Atoms::parse(&log.objects().need(object)?)?;
        let rows = atoms.formed.read(&trees)?;
        let counted = rows.histogram().ok_or_else(other)?;
        let ledger = state.ledgers.get(&atoms.tick());
        increments.push(Read {
            numbers: rows.together().filter(|rows| !rows.measures().is_empty()),
            ..as_published(log, state, counted, ledger)?
        });
    }
    Ok(increments)
}

/// Rows as they are published, if a ledger says that some values were changed.
fn as_published(
    log: &Log,
    state: &FeedState,
    rows: Histogram,
    ledger: Option<&Ref>,
) -> Result<Read> {
    let Some(ledger) = ledger else {
        return Ok(Read {
            shown_rows: rows,
            raw: None,
            numbers: None,
        });
    };
    let ledger =
        LedgerColumns::parse(&log.objects().need(ledger)?)?.ledger(&state.terms.columns.trees())?;
    Ok(Read {
        shown_rows: ledger.applied(&rows),
        raw: Some(rows),
        numbers: None,
    })
}

pub(in crate::feed_writer) fn facts<'f>(
    state: &'f FeedState,
    settings: &'f FeedSettings,
    time: &'f str,
    earlier: &'f [PastRelease],
) -> Result<ReleaseFacts<'f>> {
    let previous = match state.releases.last() {
        None => None,
        Some(line) => Some(
            line.manifest
                .ok_or_else(|| Error::new(ErrorCategory::Internal, "releases come one by one"))?,
        ),
    };
    Ok(ReleaseFacts {
        feed: &state.terms.name,
        chain: state.feed.chain(),
        time,
        signed: settings.signing.is_some(),
        decision: None,
        previous,
        layout: settings.layout,
        presentation: Presentation {
            purpose: settings.pages.purpose.as_deref(),
            contact: settings.pages.contact.as_deref(),
            language: settings.pages.language,
            earlier,
        },
    })
}

/// Atoms of the running chain in the gate's form.
///
/// # Errors
/// They belong to another chain.
pub(in crate::feed_writer) fn for_the_gate(
    state: &FeedState,
    atoms: &[LeavingAtom],
) -> Result<Vec<verdict::ErasedAtom>> {
    let trees = state.terms.columns.trees();
    let known = |atom: &LeavingAtom| {
        let release = state
            .of_chain()
            .position(|line| line.release == atom.release)
            .ok_or_else(other)?;
        Ok(verdict::ErasedAtom {
            release,
            label: atom.nodes(&trees)?,
        })
    };
    atoms.iter().map(known).collect()
}

/// The name of a file with rows while it is staged.
fn staged_name(at: usize, part: &ReleasePart) -> String {
    if part.span.is_none() {
        return format!("{}.parquet", part.content.name());
    }
    let [_, name] = part.content.table().names();
    format!("{name}-{at}.parquet")
}

fn newest_of<'a>(new: &'a Increment, kept: &'a Read) -> Result<NewIncrement<'a>> {
    let gone = "the labels of atoms are kept until they are published";
    Ok(NewIncrement {
        labels: new
            .labels
            .as_ref()
            .ok_or_else(|| Error::new(ErrorCategory::Internal, gone))?,
        rows: &kept.shown_rows,
        raw: kept.raw(),
        numbers: kept.numbers.as_ref(),
    })
}

/// People of an increment.
struct Read {
    /// The people as they are published.
    shown_rows: Histogram,
    /// The people before masking, if that may differ.
    raw: Option<Histogram>,
    /// The people with the numbers of their measures, if there are any.
    numbers: Option<CodedRows>,
}

impl Read {
    fn raw(&self) -> Option<&Histogram> {
        self.raw.as_ref()
    }
}
