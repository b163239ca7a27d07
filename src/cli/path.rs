//! `tidegate path` (CONTRACTS 3): the paths of a release's files, for scripts. Reads a manifest and
//! prints.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::newest::{NewestArgs, newest_line};
use super::place::{PublicPlace, public_of};
use super::{CommandResult, Exit, Out};
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::opened_release::{FoundManifest, NewestRelease, find_manifest};
use crate::engine::release::{FileLine, Manifest, TableKind};

/// Print the paths of a release's files, for scripts: the tables that its manifest lists, one a
/// line
#[derive(clap::Args)]
#[command(after_help = "\
  duckdb -c \"select count(*) from read_parquet([$(tidegate path releases | sed \"s/.*/'&'/\" | paste -sd,)])\"

Standard error says which release is the newest one, and of when.

Exit code 0: printed. 2: an error, there is no release, or the newest one is older than --at-least or --since allows.")]
pub struct Args {
    /// A feed file, the folder of a public root, or a folder of `anonymize`
    #[arg(value_name = "FEED|DIR")]
    place: PathBuf,
    /// The release; by default the newest one
    #[arg(long, value_name = "NUMBER")]
    release: Option<u32>,
    /// Its manifest
    #[arg(long, group = "file")]
    manifest: bool,
    /// Its report
    #[arg(long, group = "file")]
    report: bool,
    /// The taxonomies of its labels
    #[arg(long, group = "file")]
    taxonomy: bool,
    /// The tables of its measures, one a line
    #[arg(long, group = "file")]
    measures: bool,
    #[command(flatten)]
    newest: NewestArgs,
}

/// The paths of a release's files.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "path")]
pub struct ReleasePaths {
    /// The release.
    pub release: u32,
    /// The newest release.
    pub newest: NewestRelease,
    /// Its manifest.
    pub manifest: String,
    /// Its report.
    pub report: Option<String>,
    /// The taxonomies of its labels.
    pub taxonomy: Option<String>,
    /// Its tables: all parts, including those of earlier releases.
    pub parts: Vec<String>,
    /// The tables of its measures: all parts, including those of earlier releases. Empty if the
    /// feed has no measures.
    pub measures: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// There is no such release, or its manifest cannot be read.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let PublicPlace {
        store,
        layout,
        feed,
    } = public_of(&args.place)?;
    let expected = args.newest.expected(feed);
    let FoundManifest { manifest, newest } =
        find_manifest(&*store, layout, args.release, &expected, &args.place)?;
    let root = root(&store.place());
    let at = |path: &str| format!("{root}/{path}");
    let tables = |kind: TableKind| -> Vec<String> {
        let of = manifest
            .files
            .iter()
            .filter(|file| file.rows.is_some() && TableKind::of(&file.path) == kind);
        of.map(|file| at(&file.path)).collect()
    };
    // A script opens these files without asking what they are.
    let there: BTreeSet<String> = store
        .list("")?
        .into_iter()
        .map(|object| object.path)
        .collect();
    if let Some(gone) = manifest
        .files
        .iter()
        .find(|file| !there.contains(&file.path))
    {
        let text = "this published file is missing, or a link or a pipe is in its place: `tidegate verify` says which";
        return Err(Error::new(ErrorCategory::Input, text)
            .in_file(Path::new(&gone.path))
            .into());
    }
    let paths = ReleasePaths {
        release: manifest.release,
        newest,
        manifest: at(&layout.manifest(manifest.release)),
        report: first(&manifest, |file| file.path.ends_with(".html")).map(at),
        taxonomy: first(&manifest, |file| file.path.starts_with("taxonomy/")).map(at),
        parts: tables(TableKind::Rows),
        measures: tables(TableKind::Measures),
    };
    if out.json() {
        out.value(&paths);
        return Ok(Exit::Done);
    }
    let shown: Vec<&String> = match &args {
        Args { manifest: true, .. } => vec![&paths.manifest],
        Args { report: true, .. } => paths.report.iter().collect(),
        Args { taxonomy: true, .. } => paths.taxonomy.iter().collect(),
        Args { measures: true, .. } => paths.measures.iter().collect(),
        _ => paths.parts.iter().collect(),
    };
    // Standard output is for scripts.
    let _ = write!(anstream::stderr(), "{}", newest_line(&paths.newest));
    out.text(
        &shown
            .into_iter()
            .map(|path| format!("{path}\n"))
            .collect::<String>(),
    );
    Ok(Exit::Done)
}

/// A folder as an absolute path, so that a script may run anywhere; a bucket as its URL.
fn root(place: &str) -> String {
    let whole = if place.contains("://") {
        None
    } else {
        std::path::absolute(place).ok()
    };
    let text = whole.map_or_else(|| place.to_owned(), |path| path.display().to_string());
    text.trim_end_matches('/').to_owned()
}

fn first(manifest: &Manifest, is: impl Fn(&FileLine) -> bool) -> Option<&str> {
    manifest
        .files
        .iter()
        .find(|file| is(file))
        .map(|file| file.path.as_str())
}
