//! `tidegate show` (CONTRACTS 3): the history of a folder of releases and its verdicts in words;
//! the rows that wait, and what the next release would be. Reads and prints, changes nothing.

mod candidate;
mod feed;
mod operators_copy;
mod words;

use std::path::PathBuf;

pub use operators_copy::CopyWritten;

use self::operators_copy::CopyChoice;
use super::place::feed_in;
use super::{CommandResult, Exit, Out};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::feed_writer::{FeedSnapshot, FeedState};
use crate::daemon::folder::{begun, beside, find_key, look, read_key, roots};
use crate::daemon::view::folder::{ReleaseShown, ShowAnswer};

/// Show the releases of a feed or folder, waiting rows, and what the next release would be
#[derive(clap::Args)]
#[command(after_help = "\
Manifests are public, verdicts are for the operator, and waiting rows are sealed with the key. Without --key the command \
uses the key file beside the folder; without any key it omits the sealed part.

Exit code 0: shown. 2: an error.")]
pub struct Args {
    /// A feed file, or a folder of `anonymize`
    #[arg(value_name = "FEED|DIR")]
    folder: PathBuf,
    /// One release, with its recoding and every check
    #[arg(value_name = "RELEASE")]
    release: Option<u32>,
    /// The release that waits for approval: its content, the differences from the release before,
    /// and its digest
    #[arg(long, conflicts_with = "release")]
    candidate: bool,
    /// Write the operator's copy of the report to this new file: the page with approvals, private
    /// figures and lines for signatures; of the newest release, of RELEASE, or with --candidate of
    /// the one that waits
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The key of the folder: 64 hexadecimal digits in a file
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// The folder cannot be read, the key is another one, or there is no such release.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let feed = if args.folder.is_file() {
        Some(args.folder.clone())
    } else {
        feed_in(&args.folder)
    };
    if let Some(feed) = feed {
        let key = args.key.as_deref().map(read_key).transpose()?;
        let feed = FeedConfig::load(&feed)?;
        let which = match args.release {
            Some(release) => CopyChoice::Release(release),
            None if args.candidate => CopyChoice::Candidate,
            None => CopyChoice::Newest,
        };
        match (&args.report, which) {
            (Some(file), which) => operators_copy::write_copy(&feed, key, which, file, out)?,
            (None, CopyChoice::Candidate) => candidate::show(&feed, key, out)?,
            (None, _) => feed::show(&feed, key, args.release, out)?,
        }
        return Ok(Exit::Done);
    }
    let refused = args
        .report
        .as_ref()
        .map(|_| "--report")
        .or(args.candidate.then_some("--candidate"));
    if let Some(option) = refused {
        let text =
            "releases of a folder need no approval: name the feed file of a feed of `tidegate run`";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&args.folder)
            .in_field(option)
            .into());
    }
    let seen = look(&args.folder)?;
    let saved = sealed(&args)?;
    if let Some(number) = args.release {
        let shown = ReleaseShown::of(&seen, number).ok_or_else(|| {
            let text = format!(
                "there is no release {number} here; the newest is {}",
                seen.manifests.len()
            );
            Error::new(ErrorCategory::Usage, text)
                .in_file(&args.folder)
                .in_field("RELEASE")
        })?;
        if out.json() {
            out.value(&shown)
        } else {
            out.text(&words::release(&shown))
        }
        return Ok(Exit::Done);
    }
    let shown = ShowAnswer::of(&seen, saved.as_ref());
    if out.json() {
        out.value(&shown)
    } else {
        out.text(&words::folder(&shown, &args.folder))
    }
    Ok(Exit::Done)
}

/// The sealed state, if there is a key for it.
fn sealed(args: &Args) -> CommandResult<Option<FeedState>> {
    if args.key.is_none() && !beside(&args.folder).is_ok_and(|file| file.exists()) {
        return Ok(None);
    }
    let found = find_key(args.key.as_deref(), None, &args.folder, false)?;
    if !begun(&args.folder)? {
        return Ok(None);
    }
    // A first run that was killed leaves no chain.
    let Some(seen) = roots(&args.folder, &found.key)?
        .map(FeedSnapshot::quickly)
        .transpose()?
        .flatten()
    else {
        return Ok(None);
    };
    seen.state
        .releases
        .iter()
        .try_for_each(|line| seen.manifest(line).map(drop))?;
    Ok(Some(seen.state))
}
