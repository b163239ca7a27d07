//! `tidegate audit` (CONTRACTS 3): reads releases of any origin, and the raw rows where they are
//! given, and says whether the releases, taken together, identify people. This module reads and
//! prints; the engine judges.

mod args;
mod crowds;
mod request;
mod requirement;
mod risk_words;
pub mod sums;
mod unfit_tables;
mod words;

pub use args::Args;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use request::AuditRequest;
use unfit_tables::{all_behind, misfit, one_row_each, shrunken, unfit};

use super::common_texts::name;
use super::release_tables::labels;
use super::{CommandResult, Exit, Out, progress};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::daemon::ingest::{RowPeople, TableFile, count, count_behind};
use crate::daemon::view::audit::audit;
use crate::engine::audit::{
    AuditFigures, AuditSubject, CoarsenessLeak, Guards, MinimalityFigures, Requirement, judge,
    risks,
};
use crate::engine::histogram::{Histogram, Release};
use crate::engine::model::{Columns, ReleaseColumn};
use crate::engine::policy::{ChainKind, OnRepeat, Output};
use crate::engine::safeguards::search_inference::{TraceTerms, leakage};

/// Runs the command.
///
/// # Errors
/// The feed file or a table cannot be read, or they do not belong together.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if args.sums.sums.is_some() {
        return sums::run(&args.sums, out);
    }
    let (audited, figures) = attacked(&args)?;
    let AuditRequest {
        columns,
        policy,
        subject,
        names,
        ..
    } = &audited;
    let verdict = judge(&figures, policy, &subject.releases, columns, names);
    if out.json() {
        out.value(&audit(
            &figures,
            &verdict,
            subject,
            (columns, policy),
            (names, args.requirement.is_some()),
        ));
    } else {
        out.text(&words::report(&figures, &verdict, subject, policy, names));
    }
    Ok(if verdict.safe {
        Exit::Done
    } else {
        Exit::Unsafe
    })
}

/// The smallest number of candidates that a chain leaves a person; `None` for a disjoint chain.
///
/// # Errors
/// As for [`run`].
pub fn least(args: &Args) -> error::Result<Option<u64>> {
    let (_, figures) = attacked(args)?;
    if let Some(crowds) = &figures.crowds {
        return Ok(Some(crowds.anonymity()));
    }
    let chain = figures.chain.as_ref();
    let realised = chain.and_then(|chain| chain.realised.as_ref());
    let least = realised.and_then(|realised| {
        realised
            .all
            .iter()
            .flatten()
            .map(|weakest| weakest.left)
            .min()
    });
    Ok(least.or_else(|| chain?.all.iter().map(|weakest| weakest.left).min()))
}

/// The request, and all figures that answer it.
fn attacked(args: &Args) -> error::Result<(AuditRequest, AuditFigures)> {
    if args.minimality && (args.releases.len() != 1 || args.increments.len() != 1) {
        let text = "--minimality audits one release of another program: name it with --release, and all its raw rows \
                    with --increment";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--minimality"));
    }
    let requirement = args
        .requirement
        .as_deref()
        .map(requirement::parse)
        .transpose()?;
    let audited = if let Some(dir) = &args.dir {
        request::of_folder(dir, args.key.as_deref(), args.feed.as_deref())?
    } else {
        let feed = FeedConfig::load_to_judge(
            args.feed
                .as_ref()
                .expect("the command line asks for it without --dir"),
        )?;
        if args.releases.is_empty() {
            request::of_feed(&feed, args.key.as_deref())?
        } else {
            given(args, feed)?
        }
    };
    let AuditRequest {
        columns,
        policy,
        subject,
        names,
        joined,
        behind,
    } = &audited;
    drawn_from(args.population, subject, names)?;
    let _shown = progress::ProgressLine::new("attacking");
    let mut figures = AuditFigures::of(subject, columns, policy)
        .map_err(|shrunk| shrunken(&shrunk, names, args, columns))?;
    figures
        .refinement
        .iter()
        .try_for_each(|attacked| all_behind(attacked, columns, args))?;
    let terms = TraceTerms::of(&policy.refinement(), 1);
    let ratios = |release: &Release| leakage(release, &columns.trees(), policy.a(), terms);
    // Rows of different releases may then be counted as one class, and the risk would be too low.
    if !joined {
        figures.risks = risks(subject, policy, args.population);
    }
    // Where a minimality attack assumes another method, this figure is not shown.
    if !args.minimality {
        figures.coarse = CoarsenessLeak::of(subject, columns, policy, ratios);
    }
    let requirement = match (requirement, policy.masking()) {
        (None, Some(masking)) => Some(Requirement::Diverse { l: masking.m }),
        (named, _) => named,
    };
    if let (Some(rows), Some(requirement)) = (behind, requirement) {
        let rows = subject.recoded(rows);
        let guards = args
            .guarding
            .as_deref()
            .map(|name| guards(name, args, columns))
            .transpose()?;
        let wanted = (requirement, guards.as_ref());
        let found = MinimalityFigures::guarding(
            &subject.releases[0],
            &rows,
            columns,
            wanted,
            MinimalityFigures::WORK,
        );
        figures.minimality = Some(found.map_err(|amiss| unfit(&amiss, args, columns))?);
    }
    Ok((audited, figures))
}

/// The size of the population: it has at least as many people as the table has rows.
fn drawn_from(
    population: Option<u64>,
    subject: &AuditSubject,
    names: &[String],
) -> error::Result<()> {
    let Some(population) = population else {
        return Ok(());
    };
    match subject
        .releases
        .iter()
        .zip(names)
        .find(|(release, _)| release.rows() > population)
    {
        None => Ok(()),
        Some((release, name)) => {
            let text = format!(
                "{name} has {} rows, more than the population of {population}: give the number of people from whom the \
                 rows were drawn, including those in the releases",
                release.rows()
            );
            Err(Error::new(ErrorCategory::Usage, text).in_field("--population"))
        }
    }
}

/// The request that the options describe.
fn given(args: &Args, feed: FeedConfig) -> error::Result<AuditRequest> {
    if !args.increments.is_empty() && args.increments.len() != args.releases.len() {
        let (given, wanted) = (args.increments.len(), args.releases.len());
        let text = format!(
            "{given} increment(s) for {wanted} release(s): give one per release, in the same order, or none"
        );
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--increment"));
    }
    if feed.policy.output() == Output::TwoTable {
        let text = "--release takes single tables with generalised labels, and releases of this feed are in two tables: name the \
                    folder of `anonymize` with --dir, or write `output = \"one-table\"` to check tables of other programs";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .in_field("policy.output"));
    }
    if args.minimality && args.requirement.is_none() && feed.policy.masking().is_none() {
        let text = "--minimality checks `m`, or the requirement of --requirement: write `m = 2` in [policy], and in \
                    `guarded = [[\"…\"]]` of a sensitive column the values that no attacker may link to a person with \
                    a probability above 1/m";
        return Err(Error::new(ErrorCategory::Feed, text)
            .in_file(&feed.file)
            .in_field("policy.m"));
    }
    let (feed, (subject, behind)) = meant(feed, args)?;
    if args.minimality && subject.is_stated() {
        let text = "--minimality checks a table that was made in one step, but the rows of this table name the release \
                    that added them: audit it without --minimality";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&args.releases[0])
            .in_field("--minimality"));
    }
    let names = args.releases.iter().map(|path| name(path)).collect();
    Ok(AuditRequest {
        columns: feed.columns,
        policy: feed.policy,
        subject,
        names,
        joined: false,
        behind,
    })
}

/// The feed file, and the tables that are judged by it.
type AuditedTables = (FeedConfig, (AuditSubject, Option<Histogram>));

/// Reads the tables. Without a search in the feed file it is unknown how labels were chosen, but
/// labels of runs are recognised.
fn meant(feed: FeedConfig, args: &Args) -> error::Result<AuditedTables> {
    if let Some(one_list) = feed.with_one_list()
        && let Ok(found) = read(&one_list, args)
    {
        return Ok((one_list, found));
    }
    let found = read(&feed, args)?;
    Ok((feed, found))
}

/// Reads all tables, as many at once as there are cores; the second value is
/// [`AuditRequest::behind`].
fn read(feed: &FeedConfig, args: &Args) -> error::Result<(AuditSubject, Option<Histogram>)> {
    let shown = progress::ProgressLine::files(args.releases.len() + args.increments.len());
    let columns = &feed.columns;
    let release = |path: &PathBuf| {
        let rows = labels(path, columns, |table| TableFile::release_in(table, columns));
        shown.one_more();
        rows
    };
    let labels: Vec<error::Result<Histogram>> = args.releases.par_iter().map(release).collect();
    let labels = labels
        .into_iter()
        .collect::<error::Result<Vec<Histogram>>>()?;
    if feed.chain() == ChainKind::Disjoint {
        for (path, rows) in args.releases.iter().zip(&labels) {
            of_one_release(path, rows, columns)?;
        }
    }
    let increment = |path: &PathBuf| {
        let table = TableFile::increment(path, columns)?;
        let reading = table.raw();
        let read = count_behind(table, columns, reading, &labels);
        shown.one_more();
        read
    };
    let raw: Vec<error::Result<(Histogram, RowPeople)>> =
        args.increments.par_iter().map(increment).collect();
    let raw = raw
        .into_iter()
        .collect::<error::Result<Vec<(Histogram, RowPeople)>>>()?;
    let (raw, people): (Vec<Histogram>, Vec<RowPeople>) = raw.into_iter().unzip();
    if feed.policy.on_repeat() != OnRepeat::None {
        one_row_each(&people, args)?;
    }
    let behind = raw.first().filter(|_| args.minimality).cloned();
    let raw = (!raw.is_empty()).then_some(raw);
    let kind = (feed.chain(), feed.policy.search().is_local());
    let subject =
        AuditSubject::new(columns, kind, labels, raw).map_err(|unfit| misfit(unfit, feed, args))?;
    Ok((subject, behind))
}

/// In a disjoint feed all rows of a release came with it, so a column that says otherwise is not
/// that of releases, and is published unchecked.
fn of_one_release(path: &Path, rows: &Histogram, columns: &Columns) -> error::Result<()> {
    let mut stated = (0..rows.tuples())
        .flat_map(|tuple| rows.cells_of(tuple))
        .map(|cell| cell.increment);
    let first = stated.next();
    if stated.all(|number| Some(number) == first) {
        return Ok(());
    }
    let text = "in a disjoint feed all rows of a release came with it, but this column says that they came with several \
                releases: remove it, or declare it in the feed file so that it is checked like every other column";
    let name = columns.release().name().unwrap_or(ReleaseColumn::NAME);
    Err(Error::new(ErrorCategory::Input, text)
        .in_file(path)
        .in_field(name))
}

/// Reads the raw rows once more, with what each person guards.
fn guards(name: &str, args: &Args, columns: &Columns) -> error::Result<Guards> {
    let refused = |text: &str| Error::new(ErrorCategory::Usage, text).in_field("--guarding");
    if columns.named(name).is_some() {
        return Err(refused(
            "the feed file must not declare the column of the values that people guard",
        ));
    }
    let all = Guards::columns(columns, name).ok_or_else(|| {
        refused("people guard nodes of one taxonomy, so exactly one sensitive column needs a `taxonomy`")
    })?;
    let table = TableFile::increment(&args.increments[0], &all)?;
    let reading = table.raw();
    let (rows, _) = count(table, &all, reading)?;
    let none = || {
        let text = "a row guards a value that is not a label of the sensitive column's taxonomy: write one of its labels, or leave the cell empty";
        Error::new(ErrorCategory::Input, text)
            .in_file(&args.increments[0])
            .in_field(name)
    };
    Guards::of(&rows, columns).ok_or_else(none)
}
