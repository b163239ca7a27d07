//! Errors about tables that cannot be audited together (CONTRACTS 3, audit), which name the file
//! and what to do. Counts and labels, no value of a record.

use super::args::Args;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::daemon::ingest::{RowPeople, first_row_with};
use crate::engine::audit::{AttackOutcome, ForeignRows, MinimalityProblem, UnfitTables};
use crate::engine::gate::chain::ShrunkRelease;
use crate::engine::gate::refinement::{AttackedRows, RowsMismatch};
use crate::engine::histogram::describe;
use crate::engine::model::{Columns, Role};

/// If classes have labels of their own, the rows behind a release are those of its classes.
pub(super) fn all_behind(
    attacked: &AttackOutcome,
    columns: &Columns,
    args: &Args,
) -> error::Result<()> {
    let (Ok(judged), Some(RowsMismatch { place, rows })) = (&attacked.judged, attacked.unlike)
    else {
        return Ok(());
    };
    let class = match place {
        AttackedRows::Class(_) => format!(
            "class {}",
            describe(&judged.names(columns).nodes(place), columns)
        ),
        AttackedRows::Outliers => "who is in no class".to_owned(),
    };
    let text = format!(
        "the increments do not match the release {}: {class} has {} rows in it, and {rows} according to the \
         increments, if each class takes the rows that it covers in the order in which classes were formed; remove \
         rows that wait or were not published",
        args.releases[attacked.release].display(),
        judged.release.rows(place)
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(&args.increments[attacked.release]))
}

/// Rows that a release cannot be checked with.
pub(super) fn unfit(amiss: &MinimalityProblem, args: &Args, columns: &Columns) -> Error {
    match amiss {
        MinimalityProblem::Astray(ForeignRows { nodes }) => {
            let text = format!(
                "the increments do not match the release {}: some of their rows cannot be in {} under its labels",
                args.releases[0].display(),
                describe(nodes, columns)
            );
            Error::new(ErrorCategory::Input, text).in_file(&args.increments[0])
        }
        MinimalityProblem::Numbers => {
            let text = "(k, e)-anonymity applies to one number per person: the feed needs one sensitive column, with \
                        `type = \"int\"` or \"float\", and a value in every row";
            Error::new(ErrorCategory::Usage, text).in_field("--requirement")
        }
        MinimalityProblem::Guards => {
            let text = "--guarding names the column with the values that each person guards, and needs --requirement p=0.5";
            Error::new(ErrorCategory::Usage, text).in_field("--guarding")
        }
    }
}

/// The audit counts rows as people, so a person with two rows would count as two people of a class.
pub(super) fn one_row_each(people: &[RowPeople], args: &Args) -> error::Result<()> {
    for at in 0..people.len() {
        let repeats = RowPeople::repeats(&people[..=at].iter().collect::<Vec<_>>());
        if repeats > 0 {
            let rows = if repeats == 1 {
                "1 row is".to_owned()
            } else {
                format!("{repeats} rows are")
            };
            let text = format!(
                "{rows} of a person who already has a row, here or in an earlier increment: classes count rows, so \
                 remove duplicates from increments and releases (or write policy.on_repeat = \"none\" if every row is \
                 a different person)"
            );
            return Err(Error::new(ErrorCategory::Input, text).in_file(&args.increments[at]));
        }
    }
    Ok(())
}

/// Tables that do not belong together, with their files.
pub(super) fn misfit(unfit: UnfitTables, feed: &FeedConfig, args: &Args) -> Error {
    match unfit {
        UnfitTables::Rows {
            release,
            rows: [published, raw],
        } => {
            let text = format!(
                "the increments do not match the release {}: it has {published} new rows, and they have {raw}",
                args.releases[release].display()
            );
            Error::new(ErrorCategory::Input, text).in_file(&args.increments[release])
        }
        UnfitTables::Erased => Error::new(
            ErrorCategory::Internal,
            "tables of a command line have no erased rows",
        ),
        UnfitTables::Increments => Error::new(
            ErrorCategory::Usage,
            "give one increment per release, or none",
        )
        .in_field("--increment"),
        UnfitTables::Mismatch {
            release,
            class,
            rows: [published, raw],
        } => {
            let differ = if published == raw {
                format!("class {class} has {raw} rows in both, but different sensitive values")
            } else {
                format!(
                    "class {class} has {published} rows in the release, and {raw} according to the increments"
                )
            };
            let text = format!(
                "the increments do not match the release {}: {differ}",
                args.releases[release].display()
            );
            Error::new(ErrorCategory::Input, text).in_file(&args.increments[release])
        }
        UnfitTables::Crossing {
            release,
            column,
            upper,
            lower,
        } => {
            let file = &args.releases[release];
            let tree = feed.columns.trees()[column];
            let named = feed
                .columns
                .of(Role::Quasi)
                .nth(column)
                .map_or("", |column| &column.name);
            let rows = [upper, lower].map(|node| first_row_with(file, &feed.columns, column, node));
            let row = |at: Option<(u64, u64)>| {
                at.map_or(String::new(), |(row, _)| format!(" (row {row})"))
            };
            let text = format!(
                "`{}`{} is above `{}`{}: labels of one column must not contain each other",
                tree.label(upper),
                row(rows[0]),
                tree.label(lower),
                row(rows[1])
            );
            let error = Error::new(ErrorCategory::Input, text)
                .in_file(file)
                .in_field(named);
            match rows.into_iter().flatten().map(|(_, line)| line).max() {
                Some(line) => error.at_line(line),
                None => error,
            }
        }
    }
}

/// A release of a cumulative chain that lacks rows of an earlier one.
pub(super) fn shrunken(
    shrunk: &ShrunkRelease,
    names: &[String],
    args: &Args,
    columns: &Columns,
) -> Error {
    let text = format!(
        "it lacks rows of {}: in class {} some value has fewer rows. Each release of a cumulative chain contains all \
         rows of the one before; for releases of different people write feed.chain = \"disjoint\"",
        args.releases.get(shrunk.earlier).map_or_else(
            || names[shrunk.earlier].clone(),
            |path| path.display().to_string()
        ),
        describe(&shrunk.place.cell, columns)
    );
    let error = Error::new(ErrorCategory::Input, text);
    match args.releases.get(shrunk.later) {
        Some(path) => error.in_file(path),
        None => error.in_field(names[shrunk.later].as_str()),
    }
}
