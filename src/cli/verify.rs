//! `tidegate verify` (CONTRACTS 3): whether the log, its objects and the published files are as
//! they were written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::newest::{NewestArgs, newest_line};
use super::place::feed_in;
use super::{CommandResult, Exit, Out};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::folder::{begun, beside, find_key, read_key, roots};
use crate::daemon::journal::KeyRing;
use crate::daemon::journal::store::{Packs, ReadOnlyFolder, Store};
use crate::daemon::service::root_opening;
use crate::daemon::sign::PublicKey;
use crate::daemon::small_file;
use crate::daemon::verify::{self, FileFault, Private, public};
use crate::daemon::view::verify::VerifyAnswer;
use crate::engine::release::Layout;

/// Check that the log and everything published are complete and unchanged
#[derive(clap::Args)]
#[command(after_help = "\
With a feed file the command checks the private and the public root. With a folder it checks a public root, which any \
reader of releases can do, or a folder of `anonymize`, including the private part if the key is available. It names \
everything that is missing or was changed, and says which release is the newest one and of when. A place that was set back to \
an earlier state is complete and unchanged: --at-least and --since refuse it. --private and --public check a backup in its own \
place before you restore it; nothing is written.

Exit code 0: nothing is missing or changed. 1: something is, or the newest release is too old. 2: an error.")]
pub struct Args {
    /// A feed file, the folder of a public root, or a folder of `anonymize`
    #[arg(value_name = "FEED|DIR")]
    place: PathBuf,
    /// The operator's key, instead of the one that the feed file names or the one beside the folder
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// A copy of the private root, instead of the one that the feed file names: a backup before it
    /// is restored
    #[arg(long, value_name = "DIR")]
    private: Option<PathBuf>,
    /// A copy of the public root, instead of the one that the feed file names
    #[arg(long, value_name = "DIR")]
    public: Option<PathBuf>,
    /// A public key of signed manifests, 64 hexadecimal digits in a file; give several if the
    /// signing key was changed
    #[arg(long, value_name = "FILE")]
    public_key: Vec<PathBuf>,
    #[command(flatten)]
    newest: NewestArgs,
}

/// Runs the command.
///
/// # Errors
/// A file cannot be read.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let keys = args
        .public_key
        .iter()
        .map(|file| public_key(file))
        .collect::<CommandResult<Vec<_>>>()?;
    let feed = if args.place.is_dir() {
        feed_in(&args.place)
    } else {
        Some(args.place.clone())
    };
    let answer = match feed {
        Some(feed) => of_feed(&args, &feed, keys)?,
        None if args.private.is_some() || args.public.is_some() => {
            let text =
                "a copy of a root is checked under its feed file: name that in place of the folder";
            return Err(Error::new(ErrorCategory::Usage, text)
                .in_file(&args.place)
                .into());
        }
        None => of_folder(&args, &keys)?,
    };
    if out.json() {
        out.value(&answer);
    } else {
        out.text(&words(&answer, &args.place));
    }
    Ok(if answer.intact {
        Exit::Done
    } else {
        Exit::Unsafe
    })
}

fn of_folder(args: &Args, keys: &[PublicKey]) -> CommandResult<VerifyAnswer> {
    let place = &args.place;
    let expected = args.newest.expected(None);
    if place.join("manifest").is_dir() {
        let seen = public(&ReadOnlyFolder::open(place)?, Layout::Root, keys)?;
        return Ok(VerifyAnswer::of(seen, None, &expected));
    }
    if !begun(place).unwrap_or(false) && !place.join("1").join("manifest.json").is_file() {
        let text = "there are no releases here: name the public root of a feed, a folder of `anonymize`, or, to check \
                    a private root, the feed file";
        return Err(Error::new(ErrorCategory::Usage, text).in_file(place).into());
    }
    // Readers of releases need not have the key of the private root.
    let keyed = args.key.is_some() || beside(place).is_ok_and(|file| file.exists());
    if keyed && begun(place)? {
        let operator = find_key(args.key.as_deref(), None, place, false)?.key;
        if let Some(folder) = roots(place, &operator)? {
            let (seen, found) = verify::roots(
                &*folder.private,
                &folder.ring,
                &*folder.public,
                Layout::Folders,
                keys,
            )?;
            return Ok(VerifyAnswer::of(seen, Some(found), &expected));
        }
    }
    let seen = public(&ReadOnlyFolder::open(place)?, Layout::Folders, keys)?;
    Ok(VerifyAnswer::of(seen, None, &expected))
}

fn of_feed(args: &Args, file: &Path, mut keys: Vec<PublicKey>) -> CommandResult<VerifyAnswer> {
    let feed = FeedConfig::load(file)?;
    let operator = match &args.key {
        Some(file) => read_key(file)?,
        None => root_opening::key(&feed)?,
    };
    if keys.is_empty() {
        keys.extend(
            root_opening::settings(&feed)?
                .signing
                .map(|signing| signing.public()),
        );
    }
    let store: Arc<dyn Store> = match &args.private {
        Some(copy) => Arc::new(Packs::over(Arc::new(ReadOnlyFolder::open(copy)?))),
        None => root_opening::look(&feed, true)?,
    };
    let ring = match KeyRing::open(&*store, &operator) {
        Ok(None) if args.private.is_some() => {
            let text =
                "this folder has neither a log nor keys: name a copy of a whole private root";
            return Err(Error::new(ErrorCategory::Usage, text)
                .in_field("--private")
                .into());
        }
        Ok(None) => return Err(root_opening::not_begun(&feed).into()),
        Ok(Some(ring)) => Ok(ring),
        Err(error) => Err(error),
    };
    let shown: Arc<dyn Store> = match &args.public {
        Some(copy) => Arc::new(ReadOnlyFolder::open(copy)?),
        None => root_opening::look(&feed, false)?,
    };
    let (seen, found) = match ring {
        Ok(ring) => verify::roots(&*store, &ring, &*shown, Layout::Root, &keys)?,
        Err(error) => (
            public(&*shown, Layout::Root, &keys)?,
            Private::unopened(error)?,
        ),
    };
    let expected = args.newest.expected(Some(feed.name.clone()));
    Ok(VerifyAnswer::of(seen, Some(found), &expected))
}

fn public_key(file: &Path) -> CommandResult<PublicKey> {
    let text = small_file::text(file, "read the key", small_file::SECRET)?;
    let none = || {
        Error::new(
            ErrorCategory::Usage,
            "this is not a public key: a public key has 64 hexadecimal digits",
        )
        .in_file(file)
    };
    Ok(PublicKey::parse(&text).ok_or_else(none)?)
}

fn words(answer: &VerifyAnswer, place: &Path) -> String {
    let many = |count: u64, one: &str, more: &str| {
        format!("{count} {}", if count == 1 { one } else { more })
    };
    let mut parts = vec![many(answer.releases, "release", "releases")];
    parts.extend(
        answer
            .entries
            .map(|entries| many(entries, "entry", "entries")),
    );
    parts.extend(
        answer
            .objects
            .map(|objects| many(objects, "sealed object", "sealed objects")),
    );
    parts.push(many(answer.signatures, "signature", "signatures"));
    let mut text = format!("{}: {}\n", place.display(), parts.join(", "));
    if let Some(newest) = &answer.newest {
        text.push_str(&newest_line(newest));
    }
    if answer.intact {
        text.push_str("everything is complete and unchanged\n");
    }
    for FileFault { file, text: what } in &answer.findings {
        text.push_str(&format!("  {file}: {what}\n"));
    }
    text
}
