//! The options of `tidegate audit`, and their help texts.

use std::path::PathBuf;

use super::sums::SumsArgs;

/// Attack releases of any program, as their readers see them
#[derive(clap::Args)]
#[command(
    override_usage = "tidegate audit --feed <FILE> --release <FILE>… [--increment <FILE>…] [--population <N>]\n       \
tidegate audit --feed <FILE> --release <FILE> --increment <FILE> --minimality [--requirement <REQUIREMENT>]\n       \
tidegate audit --dir <DIR> [--key <FILE>]\n       \
tidegate audit --feed <FILE> [--key <FILE>]\n       \
tidegate audit --sums <FILE> [--p <SHARE>] [--dominance <n=N,share=SHARE>] [--hierarchy <COLUMN=FILE>…] [--protect <FILE>]",
    after_help = "\
Releases are CSV (comma or semicolon), Parquet or Arrow IPC with one row per record: labels of the taxonomies in the quasi \
columns, sensitive columns as they are. Give them in the order of publication; each contains all rows of the one before, \
unless the feed is disjoint. If a label of a column contains another one, or if a column `tidegate_release` says in which \
release each row came, then every row has to keep its label, and the audit checks how many rows of a label came together.

With --sums the command audits a table of published sums instead: which sums reveal a contribution, and which suppressed \
sums readers can compute.

Without --release the command audits the newest chain in the roots of the feed, with the people who really came with each \
release.

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
    /// Also check what one release reveals to an attacker who knows that it was generalised until
    /// l-diversity held, with l = policy.m; needs its raw rows
    #[arg(long)]
    pub minimality: bool,
    /// The size of the population that the rows come from, for the risk of re-identification by
    /// attackers who do not know who is in the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub population: Option<u64>,
    /// The requirement until which that release was generalised, instead of policy.m: l=2,
    /// alpha=0.5,k=2, c=3,l=3, t=0.2, k=2,e=5000 or p=0.5 with --guarding
    #[arg(long, value_name = "REQUIREMENT", requires = "minimality")]
    pub requirement: Option<String>,
    /// For personal privacy: the column of the increment with the label of the sensitive column's
    /// taxonomy that each person guards, or nothing
    #[arg(long, value_name = "COLUMN", requires = "requirement")]
    pub guarding: Option<String>,
    /// A folder of `anonymize`: audit its newest chain, with the people who really came with each
    /// release
    #[arg(long, value_name = "DIR", conflicts_with_all = ["releases", "increments"])]
    pub dir: Option<PathBuf>,
    /// The key of that folder or feed; by default the file beside the folder, or the one that the
    /// feed file names
    #[arg(long, value_name = "FILE", conflicts_with = "releases")]
    pub key: Option<PathBuf>,
    /// Options for tables of sums.
    #[command(flatten)]
    pub sums: Box<SumsArgs>,
}
