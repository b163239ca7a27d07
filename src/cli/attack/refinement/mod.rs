//! `tidegate attack refinement` (CONTRACTS 3): reads a locally recoded release of any origin, and
//! says how far its classes can be narrowed down by an attacker who knows ARX-LR, or halving where
//! that is the search of the feed. This module reads, prints and draws; the engine attacks and
//! judges.

mod attack_input;
mod boxes;
mod page;
mod subject;
mod words;

use std::path::PathBuf;

use clap::ValueEnum;

use self::subject::AttackSubject;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::daemon::view::refinement::refinement;
use crate::engine::gate::refinement::{
    AttackResult, AttackTerms, AttackedRows, Attacker, JointAttack, Malformed, NoFinding,
    RefinementBudget, RepeatedValues,
};
use crate::engine::policy;
use crate::{CommandResult, Exit, Out, progress};

/// How solutions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolutionRule {
    /// Rows may be equal
    Repeated,
    /// No two rows are equal
    Distinct,
}

/// Compute what classes reveal to an attacker who knows ARX-LR or, if the feed uses it, halving
#[derive(clap::Args)]
#[command(after_help = "\
The release is CSV (comma or semicolon), Parquet or Arrow IPC with one row per record: labels of the taxonomies in the \
quasi columns, and rows without a class at the root in every one of them. Sensitive columns may be present and are ignored. \
Every taxonomy needs layers of intervals of equal length, as `leaves` with `layers` has them; with `search = \"halves\"` \
any taxonomy is possible. For a cumulative feed with that search, give the newest release, which contains all labels.

Exit code 0: safe. 1: a limit of the policy fails. 2: an error, or the algorithm cannot have made this table.")]
pub struct Args {
    /// The feed file with the policy, the columns and their taxonomies
    #[arg(long, value_name = "FILE")]
    pub feed: PathBuf,
    /// The published table
    #[arg(long, value_name = "FILE")]
    pub release: PathBuf,
    /// The order in which the classes were formed, as {"classes": [["label of column 1", …], …]}:
    /// the strongest attacker
    #[arg(long, value_name = "FILE")]
    pub classes: Option<PathBuf>,
    /// The raw rows of the release, to count cells with a single person; only if no label contains
    /// another one
    #[arg(long, value_name = "FILE")]
    pub increment: Option<PathBuf>,
    /// How solutions are counted; the default is policy.values
    #[arg(long, value_enum)]
    pub values: Option<SolutionRule>,
    /// Write the report as one page to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// The seed for the draws that decide figures beyond the budget. It is fixed, so that the same
/// files give the same answer.
const SEED: u64 = 1;

/// Runs the command.
///
/// # Errors
/// The feed file or a table cannot be read, they do not belong together, or ARX-LR did not make the
/// release.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let feed = FeedConfig::load_to_judge(&args.feed)?;
    let (feed, subject) = meant(feed, &args)?;
    let found = attacked(&feed, &subject, &args)?;
    if let Some(file) = &args.html {
        let page = page::page(&found, &subject);
        std::fs::write(file, page)
            .map_err(|error| Error::io(file, "write the page", &error).in_field("--html"))?;
    }
    if out.json() {
        out.value(&refinement(&found, subject.attacker, subject.names()));
    } else {
        out.text(&words::report(&found, &subject));
    }
    Ok(if found.against.is_empty() {
        Exit::Done
    } else {
        Exit::Unsafe
    })
}

/// Reads the release. If the feed file names no search, a table that ARX-LR cannot have made is
/// taken to be made by halving.
fn meant(feed: FeedConfig, args: &Args) -> error::Result<(FeedConfig, AttackSubject)> {
    let subject =
        |feed: &FeedConfig| attack_input::subject(feed, &args.release, args.classes.as_deref());
    let Some(one_list) = feed.with_one_list() else {
        let found = subject(&feed)?;
        return Ok((feed, found));
    };
    match subject(&one_list) {
        Ok(found) => Ok((one_list, found)),
        Err(error) => match subject(&feed) {
            Ok(found) => Ok((feed, found)),
            Err(_) => Err(error),
        },
    }
}

fn attacked(
    feed: &FeedConfig,
    subject: &AttackSubject,
    args: &Args,
) -> error::Result<AttackResult> {
    let _shown = progress::ProgressLine::new("attacking");
    let limits = feed.policy.refinement();
    let values = match (args.values, limits.values) {
        (Some(SolutionRule::Repeated), _) | (None, policy::Values::Repeated) => {
            RepeatedValues::Repeated
        }
        (Some(SolutionRule::Distinct), _) | (None, policy::Values::Distinct) => {
            RepeatedValues::Distinct
        }
    };
    if feed.policy.search().is_micro() && values == RepeatedValues::Distinct {
        let text = "the possible sets of rows of a group of neighbours can be counted only if rows may be equal: write \
                    `--values repeated`";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--values"));
    }
    let budget = RefinementBudget::shared(subject.release.places().len());
    let terms = AttackTerms {
        attacker: subject.attacker,
        values,
        marginals: false,
        seed: SEED,
        budget,
    };
    let fuzzy = args
        .increment
        .as_ref()
        .map(|file| attack_input::fuzzy(file, subject))
        .transpose()?;
    let found =
        AttackResult::of(subject.names(), terms, &limits, JointAttack::Yes).map_err(|nothing| {
            match nothing {
                NoFinding::Malformed(why) => disordered(why, subject, args),
                NoFinding::Impossible { place, targets } => {
                    impossible((place, targets), (values, subject), args)
                }
            }
        })?;
    Ok(AttackResult { fuzzy, ..found })
}

/// The error for a file that gives no valid order of formation.
fn disordered(why: Malformed, subject: &AttackSubject, args: &Args) -> Error {
    let text = match why {
        Malformed::OutOfOrder(at) => format!(
            "class {} of the list, {}, cannot have been formed after the one before it: ARX-LR forms classes in the \
             order of growing loss, and all classes of one state together",
            at + 1,
            subject.describe(AttackedRows::Class(at))
        ),
        other => other.to_string(),
    };
    Error::new(ErrorCategory::Input, text).in_file(args.classes.as_ref().unwrap_or(&args.release))
}

/// The error for a target that has no solution.
fn impossible(
    (place, targets): (AttackedRows, usize),
    (values, subject): (RepeatedValues, &AttackSubject),
    args: &Args,
) -> Error {
    if subject.release.rule().is_halving() {
        let text = format!(
            "class {} has more rows than combinations of values, so some rows are equal (--values repeated)",
            subject.describe(place)
        );
        return Error::new(ErrorCategory::Input, text).in_file(&args.release);
    }
    let others = if targets == 1 {
        String::new()
    } else {
        format!(" and for {} more", targets - 1)
    };
    let class = match place {
        AttackedRows::Class(_) => format!("class {}", subject.describe(place)),
        AttackedRows::Outliers => "the outliers".to_owned(),
    };
    let rows = match values {
        RepeatedValues::Repeated => String::new(),
        RepeatedValues::Distinct => ", or rows are equal (--values repeated)".to_owned(),
    };
    let order = if subject.attacker == Attacker::Strongest {
        ", or the order of formation is different"
    } else {
        ""
    };
    let text = format!(
        "no set of rows is possible for {class}{others}, so ARX-LR with k = {} did not make this table: the table was \
         made with a different k, different taxonomies or a different algorithm{rows}{order}",
        subject.release.k()
    );
    Error::new(ErrorCategory::Input, text).in_file(&args.release)
}
