//! `tidegate audit` (CONTRACTS 3): reads releases that anyone made, and the raw rows where they are given, and says
//! whether the releases, taken together, give people away. Reads and prints; judging is the engine's.

pub mod json;
mod words;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Exit, Out, Result, progress};
use crate::daemon::config::Feed;
use crate::daemon::error::{self, Error, Kind};
use crate::daemon::ingest::{Table, count, first_row_with};
use crate::engine::audit::{Figures, Subject, Unfit, judge};
use crate::engine::gate::chain::Shrunk;
use crate::engine::histogram::{Histogram, describe};
use crate::engine::model::Role;

/// Judge releases that anyone made, as their readers see them
#[derive(clap::Args)]
#[command(after_help = "\
Releases are CSV (comma or semicolon) or Parquet with one row per record: labels of the taxonomies in the quasi columns, \
sensitive columns as they are. Give them in the order in which they were published; each holds all rows of the one before, \
unless the feed is disjoint.

Exit code 0: safe. 1: unsafe, or not decided. 2: an error.")]
pub struct Args {
    /// The feed file with the policy, the columns and their taxonomies
    #[arg(long, value_name = "FILE")]
    pub feed: PathBuf,
    /// A published table; once per release, oldest first
    #[arg(long = "release", value_name = "FILE", required = true)]
    pub releases: Vec<PathBuf>,
    /// The raw rows that were new in a release; none, or one per release in the same order
    #[arg(long = "increment", value_name = "FILE")]
    pub increments: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// The feed file or a table cannot be read, or they do not belong together.
pub fn run(args: Args, out: &mut Out) -> Result<Exit> {
    let feed = Feed::load(&args.feed)?;
    if !args.increments.is_empty() && args.increments.len() != args.releases.len() {
        let (given, wanted) = (args.increments.len(), args.releases.len());
        let text =
            format!("{given} increment(s) for {wanted} release(s): give one per release, in the same order, or none");
        return Err(Error::new(Kind::Usage, text).in_field("--increment").into());
    }
    let subject = read(&feed, &args)?;
    let names: Vec<String> = args.releases.iter().map(|path| name(path)).collect();
    let figures = {
        let _shown = progress::Shown::new("attacking");
        Figures::of(&subject, &feed.columns, &feed.policy).map_err(|shrunk| shrunken(&shrunk, &args, &feed))?
    };
    let trees = feed.columns.trees();
    let verdict = judge(&figures, &feed.policy, &subject.releases, &trees, &names);
    if out.json() {
        out.value(&json::audit(&figures, &verdict, &subject.releases, &feed.columns, &names));
    } else {
        out.text(&words::report(&figures, &verdict, &feed.policy, &names));
    }
    Ok(if verdict.safe { Exit::Done } else { Exit::Unsafe })
}

/// The file's own name.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Reads all tables, as many at once as there are cores.
fn read(feed: &Feed, args: &Args) -> error::Result<Subject> {
    let shown = progress::Shown::files(args.releases.len() + args.increments.len());
    let columns = &feed.columns;
    let release = |path: &PathBuf| {
        let table = Table::release(path, columns)?;
        let reading = table.labels();
        let rows = count(table, columns, reading)?;
        shown.one_more();
        if rows.rows() == 0 {
            return Err(Error::new(Kind::Input, "the release has a header and no rows").in_file(path));
        }
        Ok(rows)
    };
    let increment = |path: &PathBuf| {
        let table = Table::increment(path, columns)?;
        let reading = table.raw();
        let rows = count(table, columns, reading);
        shown.one_more();
        rows
    };
    let labels: Vec<error::Result<Histogram>> = args.releases.par_iter().map(release).collect();
    let labels = labels.into_iter().collect::<error::Result<Vec<Histogram>>>()?;
    let raw: Vec<error::Result<Histogram>> = args.increments.par_iter().map(increment).collect();
    let raw = raw.into_iter().collect::<error::Result<Vec<Histogram>>>()?;
    let raw = (!raw.is_empty()).then_some(raw);
    Subject::new(columns, feed.chain(), labels, raw).map_err(|unfit| misfit(unfit, feed, args))
}

/// Tables that do not belong together, with their files.
fn misfit(unfit: Unfit, feed: &Feed, args: &Args) -> Error {
    match unfit {
        Unfit::Increments => Error::new(Kind::Usage, "give one increment per release, or none").in_field("--increment"),
        Unfit::Mismatch { release, class } => {
            let text = format!(
                "the increments up to this one do not give the release {}: class {class} has other rows there",
                args.releases[release].display()
            );
            Error::new(Kind::Input, text).in_file(&args.increments[release])
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
            let error = Error::new(Kind::Input, text).in_file(file).in_field(named);
            match rows.into_iter().flatten().map(|(_, line)| line).max() {
                Some(line) => error.at_line(line),
                None => error,
            }
        }
    }
}

fn shrunken(shrunk: &Shrunk, args: &Args, feed: &Feed) -> Error {
    let text = format!(
        "not all rows of {} are in it: in class {} some value has fewer rows. Each release of a cumulative chain holds all \
         rows of the one before; for releases of different people write feed.chain = \"disjoint\"",
        args.releases[shrunk.earlier].display(),
        describe(&shrunk.place.cell, &feed.columns.trees())
    );
    Error::new(Kind::Input, text).in_file(&args.releases[shrunk.later])
}
