//! `tidegate query` (CONTRACTS 3): how many rows of a release have certain values, from public
//! files alone. Reads and prints; the engine estimates.

mod file;
mod words;

use std::path::PathBuf;

use super::newest::NewestArgs;
use super::place::{PublicPlace, feed_in, public_of, public_root};
use super::{CommandResult, Exit, Out, progress};
use crate::daemon::config::{FeedConfig, nearest};
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::daemon::opened_release::{FoundManifest, NewestRelease, Opened, find_manifest};
use crate::daemon::view::query::QueryAnswer;
use crate::engine::counting::{CellEstimate, CountQuestion, Countable, QuestionError};
use crate::engine::model::predicate::{Condition, parse};
use crate::engine::model::{Column, Role};

/// Count rows of a release: an estimate, its standard error, and certain bounds
#[derive(clap::Args)]
#[command(after_help = "\
The predicate is `column = value`, `column in (value, …)` or `column between value and value`, joined by `and`; text is \
written in '…', a column with spaces in \"…\". Values of quasi columns are labels of any level, or numbers and dates at \
which a label begins or ends; missing sensitive values are `null`. Without a predicate all rows are counted.

  tidegate query admissions \"age between 20 and 39 and ward = 'Cardiology'\"
  tidegate query admissions \"age in ('0-19', '20-39', '40+')\" --by age,ward --out ages.parquet

`low` and `high` are certain bounds. The estimate has a standard error if classes have labels of their own (`method` is \
`em`), because those labels do not depend on where people lie in them. In other releases rows are spread evenly over the \
values of their labels (`uniform`), and the error is not known.

Exit code 0: answered. 2: an error, or the newest release is older than --at-least or --since allows.")]
pub struct Args {
    /// A feed file, the folder of a public root, or a folder of `anonymize`
    #[arg(value_name = "FEED|DIR")]
    place: PathBuf,
    /// The rows to count
    #[arg(value_name = "PREDICATE", default_value = "")]
    predicate: String,
    /// Columns whose values are counted separately; of a column for which the predicate lists
    /// labels, those labels
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    by: Vec<String>,
    /// Write the counts of --by as Parquet to this file
    #[arg(long, value_name = "FILE", requires = "by")]
    out: Option<PathBuf>,
    /// The release; by default the newest one
    #[arg(long, value_name = "NUMBER")]
    release: Option<u32>,
    #[command(flatten)]
    newest: NewestArgs,
}

/// Runs the command.
///
/// # Errors
/// The release cannot be read, or the question does not fit it.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let conditions = parse(&args.predicate).map_err(|why| misread(&why.to_string()))?;
    let shown = progress::ProgressLine::new("reading");
    let QueriedRelease {
        opened,
        newest,
        masked,
    } = opened(&args)?;
    let by: Vec<&str> = args.by.iter().map(|name| name.trim()).collect();
    exact(&conditions, &by, masked.as_deref(), &opened)?;
    shown.say("counting".to_owned());
    let all = question_of(&opened, &conditions, &[])?;
    assert_eq!(
        all.question.cells(),
        1,
        "without `--by` there is one answer"
    );
    let apart = if by.is_empty() {
        None
    } else {
        Some(question_of(&opened, &conditions, &by)?)
    };
    let countable = Countable::learn(&opened.tables, &opened.columns.trees(), opened.method());
    let counted = counts(&countable, &all, "PREDICATE")?;
    let apart = match apart {
        Some(question) => Some((counts(&countable, &question, "--by")?, question)),
        None => None,
    };
    drop(shown);
    let answer = QueryAnswer::of(
        &opened,
        newest,
        counted[0],
        apart
            .as_ref()
            .map(|(counts, question)| (question, &**counts)),
        &by,
    );
    if let (Some(file), Some((counts, question))) = (&args.out, &apart) {
        file::write(file, (question, counts), &by, &opened)?;
    }
    if out.json() {
        out.value(&answer);
    } else {
        out.text(&words::answer(&answer, &opened, &by, args.out.as_deref()));
    }
    Ok(Exit::Done)
}

/// The release that is asked.
struct QueriedRelease {
    opened: Opened,
    newest: NewestRelease,
    /// The names of its masked columns: None without a feed file, since the public files do not
    /// contain them.
    masked: Option<Vec<String>>,
}

fn opened(args: &Args) -> error::Result<QueriedRelease> {
    let place = &args.place;
    let file = if place.is_dir() {
        feed_in(place)
    } else {
        Some(place.clone())
    };
    let mut masked = None;
    let public = match &file {
        None => public_of(place)?,
        Some(file) => {
            let feed = FeedConfig::load(file)?;
            let guarded = feed
                .columns
                .of(Role::Sensitive)
                .filter(|column| !column.guarded.is_empty());
            masked = Some(
                guarded
                    .map(|column: &Column| column.name.to_string())
                    .collect(),
            );
            public_root(&feed)?
        }
    };
    let PublicPlace {
        store,
        layout,
        feed,
    } = public;
    let place = file.as_ref().unwrap_or(place);
    let expected = args.newest.expected(feed);
    let FoundManifest { manifest, newest } =
        find_manifest(&*store, layout, args.release, &expected, place)?;
    Ok(QueriedRelease {
        opened: Opened::in_store(&*store, manifest, place)?,
        newest,
        masked,
    })
}

/// Whether the values in the question are those of the people.
fn exact(
    conditions: &[Condition],
    by: &[&str],
    masked: Option<&[String]>,
    opened: &Opened,
) -> error::Result<()> {
    if !opened.masks() {
        return Ok(());
    }
    let names = conditions
        .iter()
        .map(|condition| (&*condition.column, "PREDICATE"));
    for (name, field) in names.chain(by.iter().map(|name| (*name, "--by"))) {
        let sensitive = opened
            .columns
            .named(name)
            .is_some_and(|column| column.role == Role::Sensitive);
        let text = match masked {
            Some(masked) if masked.iter().any(|masked| masked == name) => {
                "this column is masked: some of its values were replaced, so counts of them would be wrong by an \
                  unknown amount"
            }
            None if sensitive => {
                "the policy masks guarded values, and the files do not say in which columns, so counts of them would \
                  be wrong by an unknown amount. Name the feed file, which says which columns are not masked"
            }
            _ => continue,
        };
        return Err(Error::new(ErrorCategory::Usage, format!("`{name}`: {text}")).in_field(field));
    }
    Ok(())
}

fn question_of(
    opened: &Opened,
    conditions: &[Condition],
    by: &[&str],
) -> error::Result<CountQuestion> {
    CountQuestion::of(conditions, by, &opened.columns, &opened.values)
        .map_err(|why| unasked(&why, opened))
}

fn counts(
    countable: &Countable,
    question: &CountQuestion,
    field: &str,
) -> error::Result<Vec<CellEstimate>> {
    countable
        .count(&question.question)
        .map_err(|why| Error::new(ErrorCategory::Usage, why.to_string()).in_field(field))
}

fn misread(why: &str) -> Error {
    Error::new(
        ErrorCategory::Usage,
        format!("the predicate is not valid: {why}"),
    )
    .in_field("PREDICATE")
}

/// The error for a question that does not fit the release, with the column that was probably meant.
fn unasked(why: &QuestionError, opened: &Opened) -> Error {
    let names = || opened.columns.iter().map(|column| &*column.name);
    let mut text = format!("`{}`: {}", why.column, why.what);
    if opened.columns.named(&why.column).is_none() {
        text.push_str(&match nearest(&why.column, names()) {
            Some(name) => format!("; did you mean `{name}`?"),
            None => format!(
                "; it has {}",
                names()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        });
    }
    Error::new(ErrorCategory::Usage, text)
}
