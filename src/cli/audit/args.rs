//! The options of `tidegate audit`, and their help texts.

use std::path::PathBuf;

use super::sums::SumsArgs;

/// Judge releases of any origin, as their readers see them
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
release a row came, each row has to keep its label, and the audit checks how many rows of a label came together.

With --sums a table of published sums is audited instead: which of them give a contribution away, and which of those that are left out readers \
can compute.

Without --release the newest chain in the roots of the feed is audited, with the people who really came with each release.

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
    /// Options for tables of sums.
    #[command(flatten)]
    pub sums: Box<SumsArgs>,
}
