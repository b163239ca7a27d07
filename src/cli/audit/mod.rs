//! `tidegate audit` (CONTRACTS 3): reads releases that anyone made, and the raw rows where they are given, and says
//! whether the releases, taken together, give people away. Reads and prints; judging is the engine's.

mod crowds;
mod request;
mod requirement;
mod risk_words;
pub mod sums;
mod words;

use std::path::PathBuf;

use rayon::prelude::*;

use request::AuditRequest;

use super::released::labels;
use super::tell::name;
use super::{CommandResult, Exit, Out, progress};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::daemon::ingest::{RowPeople, TableFile, count, count_behind, first_row_with};
use crate::daemon::view::audit::audit;
use crate::engine::audit::{
    Amiss, Astray, Attacked, AuditFigures, AuditSubject, Coarse, Guards, MinimalityFigures, Requirement, Unfit, judge,
    risks,
};
use crate::engine::gate::chain::Shrunk;
use crate::engine::gate::refinement::{AttackedRows, Unlike};
use crate::engine::histogram::{Histogram, Release, describe};
use crate::engine::model::{Columns, Role};
use crate::engine::policy::{OnRepeat, Output, Policy};
use crate::engine::safeguards::search_inference::{TraceTerms, told};

/// Judge releases that anyone made, as their readers see them
#[derive(clap::Args)]
#[command(
    override_usage = "tidegate audit --feed <FILE> --release <FILE>… [--increment <FILE>…] [--population <N>]\n       \
tidegate audit --feed <FILE> --release <FILE> --increment <FILE> --minimality [--requirement <REQUIREMENT>]\n       \
tidegate audit --dir <DIR> [--key <FILE>]\n       \
tidegate audit --feed <FILE> [--key <FILE>]\n       \
tidegate audit --sums <FILE> [--p <SHARE>] [--dominance <n=N,share=SHARE>] [--hierarchy <COLUMN=FILE>…] [--protect <FILE>]",
    after_help = "\
Releases are CSV (comma or semicolon), Parquet or Arrow IPC with one row per record: labels of the taxonomies in the quasi columns, \
sensitive columns as they are. Give them in the order in which they were published; each holds all rows of the one before, \
unless the feed is disjoint. Where one label of a column lies above another one, or a column `tidegate_release` says in which \
release a row came, each row has to keep its label, and judged is how many rows of a label came together.

With --sums a table of published sums is judged instead: which of them give a contribution away, and which of those that are left out readers \
can compute.

Without --release the newest chain in the roots of the feed is judged, with the people who really came with each release.

Exit code 0: safe. 1: unsafe, or not decided. 2: an error."
)]
pub struct Args {
    /// The feed file with the policy, the columns and their taxonomies
    #[arg(long, value_name = "FILE", required_unless_present_any = ["dir", "sums"])]
    pub feed: Option<PathBuf>,
    /// A published table, or the manifest of one; once per release, oldest first
    #[arg(long = "release", value_name = "FILE")]
    pub releases: Vec<PathBuf>,
    /// The raw rows that were new in a release; none, or one per release in the same order
    #[arg(long = "increment", value_name = "FILE", requires = "releases")]
    pub increments: Vec<PathBuf>,
    /// Judge, too, what the release tells a reader who knows that it was generalised until l-diversity held, l being policy.m:
    /// one release with its raw rows
    #[arg(long)]
    pub minimality: bool,
    /// How many people the rows were drawn from, for the risk of re-identification by attackers who do not know who is in the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub population: Option<u64>,
    /// Another requirement than policy.m until which that release was generalised: l=2, alpha=0.5,k=2, c=3,l=3, t=0.2,
    /// k=2,e=5000 or p=0.5 with --guarding
    #[arg(long, value_name = "REQUIREMENT", requires = "minimality")]
    pub requirement: Option<String>,
    /// The column of the increment in which each person names what they guard, a label of the sensitive column's taxonomy or
    /// nothing, where the requirement is personal privacy
    #[arg(long, value_name = "COLUMN", requires = "requirement")]
    pub guarding: Option<String>,
    /// A folder that `anonymize` writes to: its newest chain is judged with the people who really came with each release
    #[arg(long, value_name = "DIR", conflicts_with_all = ["releases", "increments"])]
    pub dir: Option<PathBuf>,
    /// The key of that folder or feed; the file beside the folder, or the one that the feed file names, when left out
    #[arg(long, value_name = "FILE", conflicts_with = "releases")]
    pub key: Option<PathBuf>,
    /// Options of tables of sums.
    #[command(flatten)]
    pub sums: Box<sums::SumsArgs>,
}

/// Runs the command.
///
/// # Errors
/// The feed file or a table cannot be read, or they do not belong together.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if args.sums.sums.is_some() {
        return sums::run(&args.sums, out);
    }
    let (asked, figures) = attacked(&args)?;
    let AuditRequest { columns, policy, subject, names, .. } = &asked;
    let verdict = judge(&figures, policy, &subject.releases, columns, names);
    if out.json() {
        out.value(&audit(&figures, &verdict, subject, (columns, policy), (names, args.requirement.is_some())));
    } else {
        out.text(&words::report(&figures, &verdict, subject, policy, names));
    }
    Ok(if verdict.safe { Exit::Done } else { Exit::Unsafe })
}

/// The fewest candidates that a chain leaves a person; `None` of a disjoint one.
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
    let least = realised.and_then(|realised| realised.all.iter().flatten().map(|weakest| weakest.left).min());
    Ok(least.or_else(|| chain?.all.iter().map(|weakest| weakest.left).min()))
}

/// What is asked about, and all figures of it.
fn attacked(args: &Args) -> error::Result<(AuditRequest, AuditFigures)> {
    if args.minimality && (args.releases.len() != 1 || args.increments.len() != 1) {
        let text = "--minimality judges one release that was made elsewhere: name it with --release, and all the rows behind \
                    it with --increment";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--minimality"));
    }
    let requirement = args.requirement.as_deref().map(requirement::parse).transpose()?;
    let asked = if let Some(dir) = &args.dir {
        request::of_folder(dir, args.key.as_deref(), args.feed.as_deref())?
    } else {
        let feed = FeedConfig::load_to_judge(args.feed.as_ref().expect("the command line asks for it without --dir"))?;
        if args.releases.is_empty() { request::of_feed(&feed, args.key.as_deref())? } else { given(args, feed)? }
    };
    let AuditRequest { columns, policy, subject, names, joined, behind } = &asked;
    drawn_from(args.population, subject, names)?;
    let _shown = progress::ProgressLine::new("attacking");
    let mut figures =
        AuditFigures::of(subject, columns, policy).map_err(|shrunk| shrunken(&shrunk, names, args, columns))?;
    figures.refinement.iter().try_for_each(|attacked| all_behind(attacked, columns, args))?;
    let terms = TraceTerms::of(&policy.refinement(), 1);
    let ratios = |release: &Release| told(release, &columns.trees(), policy.a(), terms);
    // Rows that came apart may be counted as one class then, and the risk would be too low.
    if !joined {
        figures.risks = risks(subject, policy, args.population);
    }
    // Where another method is taken for granted, this one is not.
    if !args.minimality {
        figures.coarse = Coarse::of(subject, columns, policy, ratios);
    }
    let requirement = match (requirement, policy.masking()) {
        (None, Some(masking)) => Some(Requirement::Diverse { l: masking.m }),
        (named, _) => named,
    };
    if let (Some(rows), Some(requirement)) = (behind, requirement) {
        let rows = subject.recoded(rows);
        let guards = args.guarding.as_deref().map(|name| guards(name, args, columns)).transpose()?;
        let asked = (requirement, guards.as_ref());
        let found = MinimalityFigures::guarding(&subject.releases[0], &rows, columns, asked, MinimalityFigures::WORK);
        figures.minimality = Some(found.map_err(|amiss| unfit(&amiss, args, columns))?);
    }
    Ok((asked, figures))
}

/// Rows are drawn from a population that has at least as many people.
fn drawn_from(population: Option<u64>, subject: &AuditSubject, names: &[String]) -> error::Result<()> {
    let Some(population) = population else { return Ok(()) };
    match subject.releases.iter().zip(names).find(|(release, _)| release.rows() > population) {
        None => Ok(()),
        Some((release, name)) => {
            let text = format!(
                "{name} has {} rows, more than a population of {population}: give the number of people from whom the rows of the \
                 releases were drawn, those in the releases included",
                release.rows()
            );
            Err(Error::new(ErrorCategory::Usage, text).in_field("--population"))
        }
    }
}

/// What was given on the command line.
fn given(args: &Args, feed: FeedConfig) -> error::Result<AuditRequest> {
    if !args.increments.is_empty() && args.increments.len() != args.releases.len() {
        let (given, wanted) = (args.increments.len(), args.releases.len());
        let text =
            format!("{given} increment(s) for {wanted} release(s): give one per release, in the same order, or none");
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--increment"));
    }
    if feed.policy.output() == Output::TwoTable {
        let text = "--release takes single tables with generalised labels, and releases of this feed are in two tables: name the \
                    folder of `anonymize` with --dir, or write `output = \"one-table\"` to judge tables of others";
        return Err(Error::new(ErrorCategory::Usage, text).in_file(&feed.file).in_field("policy.output"));
    }
    if args.minimality && args.requirement.is_none() && feed.policy.masking().is_none() {
        let text = "--minimality judges by `m`, or by what --requirement names: write `m = 2` in [policy], and in `guarded = [[\"…\"]]` of a sensitive column the values \
                    that no attacker may tie a person to with more than 1/m";
        return Err(Error::new(ErrorCategory::Feed, text).in_file(&feed.file).in_field("policy.m"));
    }
    let ((columns, policy), (subject, behind)) = meant(&feed, args)?;
    if args.minimality && subject.is_stated() {
        let text = "--minimality judges a table that was made at once, and in this one rows say in which release they came: such \
                    tables are judged without --minimality";
        return Err(Error::new(ErrorCategory::Usage, text).in_file(&args.releases[0]).in_field("--minimality"));
    }
    let names = args.releases.iter().map(|path| name(path)).collect();
    Ok(AuditRequest { columns: columns.clone(), policy: policy.clone(), subject, names, joined: false, behind })
}

/// What tables are judged by, and they.
type Meant<'f> = ((&'f Columns, &'f Policy), (AuditSubject, Option<Histogram>));

/// Reads the tables. Of a feed file that names no search nothing is known of how labels were chosen; labels of runs are known where a
/// table has some. Disjoint chains used to halve by thresholds that were drawn, which lead to other labels than a coin.
fn meant<'f>(feed: &'f FeedConfig, args: &Args) -> error::Result<Meant<'f>> {
    if let Some(earlier) = feed.unnamed() {
        let (columns, found) = match read(earlier, args) {
            Ok(found) => (&earlier.columns, found),
            Err(_) => (&feed.columns, read(feed, args)?),
        };
        return Ok(((columns, &earlier.policy), found));
    }
    let found = read(feed, args);
    let coin = found.as_ref().is_ok_and(|(subject, _)| comes_to_all(feed, subject));
    if let Some(earlier) = feed.earlier().filter(|_| !coin)
        && let Ok(found) = read(earlier, args)
    {
        return Ok(((&earlier.columns, &earlier.policy), found));
    }
    Ok(((&feed.columns, &feed.policy), found?))
}

/// Whether halving with a coin comes to every label.
fn comes_to_all(feed: &FeedConfig, subject: &AuditSubject) -> bool {
    let (policy, trees) = (&feed.policy, feed.columns.trees());
    let comes = |release: &Release| {
        let division = policy.division(&trees)?;
        Some(division.unreached(&release.class_labels(), policy.refusals()).is_empty())
    };
    subject.releases.iter().all(|release| comes(release) == Some(true))
}

/// Reads all tables, as many at once as there are cores; the second value is [`AuditRequest::behind`].
fn read(feed: &FeedConfig, args: &Args) -> error::Result<(AuditSubject, Option<Histogram>)> {
    let shown = progress::ProgressLine::files(args.releases.len() + args.increments.len());
    let columns = &feed.columns;
    let release = |path: &PathBuf| {
        let rows = labels(path, columns, |table| TableFile::release(table, columns));
        shown.one_more();
        rows
    };
    let labels: Vec<error::Result<Histogram>> = args.releases.par_iter().map(release).collect();
    let labels = labels.into_iter().collect::<error::Result<Vec<Histogram>>>()?;
    let increment = |path: &PathBuf| {
        let table = TableFile::increment(path, columns)?;
        let reading = table.raw();
        let read = count_behind(table, columns, reading, &labels);
        shown.one_more();
        read
    };
    let raw: Vec<error::Result<(Histogram, RowPeople)>> = args.increments.par_iter().map(increment).collect();
    let raw = raw.into_iter().collect::<error::Result<Vec<(Histogram, RowPeople)>>>()?;
    let (raw, people): (Vec<Histogram>, Vec<RowPeople>) = raw.into_iter().unzip();
    if feed.policy.on_repeat() != OnRepeat::None {
        one_row_each(&people, args)?;
    }
    let behind = raw.first().filter(|_| args.minimality).cloned();
    let raw = (!raw.is_empty()).then_some(raw);
    let kind = (feed.chain(), feed.policy.search().is_local());
    let subject = AuditSubject::new(columns, kind, labels, raw).map_err(|unfit| misfit(unfit, feed, args))?;
    Ok((subject, behind))
}

/// Where classes have labels of their own the rows behind a release are those of its classes.
fn all_behind(attacked: &Attacked, columns: &Columns, args: &Args) -> error::Result<()> {
    let (Ok(judged), Some(Unlike { place, rows })) = (&attacked.judged, attacked.unlike) else { return Ok(()) };
    let class = match place {
        AttackedRows::Class(_) => format!("class {}", describe(&judged.names(columns).nodes(place), columns)),
        AttackedRows::Outliers => "who is in no class".to_owned(),
    };
    let text = format!(
        "the increments do not give the release {}: {class} has {} rows in it and {rows} by the increments, each class taking the \
         rows that it covers, in the order in which classes were formed; leave out who waits or was not published",
        args.releases[attacked.release].display(),
        judged.release.rows(place)
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(&args.increments[attacked.release]))
}

/// Rows by which a release cannot be judged.
fn unfit(amiss: &Amiss, args: &Args, columns: &Columns) -> Error {
    match amiss {
        Amiss::Astray(Astray { nodes }) => {
            let text = format!(
                "the increments do not give the release {}: rows of theirs cannot lie in {} as it shows them",
                args.releases[0].display(),
                describe(nodes, columns)
            );
            Error::new(ErrorCategory::Input, text).in_file(&args.increments[0])
        }
        Amiss::Numbers => {
            let text = "(k, e)-anonymity is about one number of each person: the feed needs one sensitive column, with `type = \"int\"` or \
                        \"float\", and every row a value in it";
            Error::new(ErrorCategory::Usage, text).in_field("--requirement")
        }
        Amiss::Guards => {
            let text = "--guarding names the column that tells what each person guards, and goes with --requirement p=0.5 and no other";
            Error::new(ErrorCategory::Usage, text).in_field("--guarding")
        }
    }
}

/// Reads the raw rows once more, with what each person guards.
fn guards(name: &str, args: &Args, columns: &Columns) -> error::Result<Guards> {
    let refused = |text: &str| Error::new(ErrorCategory::Usage, text).in_field("--guarding");
    if columns.named(name).is_some() {
        return Err(refused("what people guard stands in a column of its own, which the feed file does not declare"));
    }
    let all = Guards::columns(columns, name).ok_or_else(|| {
        refused("people guard nodes of one taxonomy, so exactly one sensitive column has to have a `taxonomy`")
    })?;
    let table = TableFile::increment(&args.increments[0], &all)?;
    let reading = table.raw();
    let (rows, _) = count(table, &all, reading)?;
    let none = || {
        let text = "a row guards what is no label of the sensitive column's taxonomy: write one of its labels, or leave the cell empty";
        Error::new(ErrorCategory::Input, text).in_file(&args.increments[0]).in_field(name)
    };
    Guards::of(&rows, columns).ok_or_else(none)
}

/// The audit counts rows as people, so a person with two rows would count as two people of a class.
fn one_row_each(people: &[RowPeople], args: &Args) -> error::Result<()> {
    for at in 0..people.len() {
        let repeats = RowPeople::repeats(&people[..=at].iter().collect::<Vec<_>>());
        if repeats > 0 {
            let rows = if repeats == 1 { "1 row stands".to_owned() } else { format!("{repeats} rows stand") };
            let text = format!(
                "{rows} for a person who has a row already, here or in an earlier increment: classes count rows, so leave \
                 duplicates out of increments and releases (or write policy.on_repeat = \"none\" if every row is another person)"
            );
            return Err(Error::new(ErrorCategory::Input, text).in_file(&args.increments[at]));
        }
    }
    Ok(())
}

/// Tables that do not belong together, with their files.
fn misfit(unfit: Unfit, feed: &FeedConfig, args: &Args) -> Error {
    match unfit {
        Unfit::Rows { release, rows: [published, raw] } => {
            let text = format!(
                "the increments do not give the release {}: it has {published} new rows, and they have {raw}",
                args.releases[release].display()
            );
            Error::new(ErrorCategory::Input, text).in_file(&args.increments[release])
        }
        Unfit::Erased => Error::new(ErrorCategory::Internal, "tables of a command line have no erased rows"),
        Unfit::Increments => {
            Error::new(ErrorCategory::Usage, "give one increment per release, or none").in_field("--increment")
        }
        Unfit::Mismatch { release, class, rows: [published, raw] } => {
            let differ = if published == raw {
                format!("class {class} has {raw} rows in both, with other sensitive values")
            } else {
                format!("class {class} has {published} rows in the release and {raw} by the increments")
            };
            let text = format!("the increments do not give the release {}: {differ}", args.releases[release].display());
            Error::new(ErrorCategory::Input, text).in_file(&args.increments[release])
        }
        Unfit::Crossing { release, column, upper, lower } => {
            let file = &args.releases[release];
            let tree = feed.columns.trees()[column];
            let named = feed.columns.of(Role::Quasi).nth(column).map_or("", |column| &column.name);
            let rows = [upper, lower].map(|node| first_row_with(file, &feed.columns, column, node));
            let row = |at: Option<(u64, u64)>| at.map_or(String::new(), |(row, _)| format!(" (row {row})"));
            let text = format!(
                "`{}`{} lies above `{}`{}: labels of one column must not contain each other",
                tree.label(upper),
                row(rows[0]),
                tree.label(lower),
                row(rows[1])
            );
            let error = Error::new(ErrorCategory::Input, text).in_file(file).in_field(named);
            match rows.into_iter().flatten().map(|(_, line)| line).max() {
                Some(line) => error.at_line(line),
                None => error,
            }
        }
    }
}

fn shrunken(shrunk: &Shrunk, names: &[String], args: &Args, columns: &Columns) -> Error {
    let text = format!(
        "not all rows of {} are in it: in class {} some value has fewer rows. Each release of a cumulative chain holds all \
         rows of the one before; for releases of different people write feed.chain = \"disjoint\"",
        args.releases
            .get(shrunk.earlier)
            .map_or_else(|| names[shrunk.earlier].clone(), |path| path.display().to_string()),
        describe(&shrunk.place.cell, columns)
    );
    let error = Error::new(ErrorCategory::Input, text);
    match args.releases.get(shrunk.later) {
        Some(path) => error.in_file(path),
        None => error.in_field(names[shrunk.later].as_str()),
    }
}
