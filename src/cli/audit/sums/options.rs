//! The options of `tidegate audit --sums`.

use std::path::PathBuf;

use crate::daemon::error::{self, Error, ErrorCategory};
use crate::engine::dominance::DominanceRule;
use crate::engine::policy::Decimal;

/// Options of tables of sums.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Tables of sums")]
pub struct SumsArgs {
    /// A table of published sums (CSV): a column of codes for each dimension, `value`, and
    /// optionally `freq`, `max1`, `max2`, … and `status`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["feed", "dir", "releases", "increments", "key", "population", "minimality"])]
    pub sums: Option<PathBuf>,
    /// The codes of a column, indented by `@`; codes of other columns are below one total
    #[arg(long = "hierarchy", value_name = "COLUMN=FILE", requires = "sums")]
    pub hierarchies: Vec<String>,
    /// The p% rule: a sum is sensitive if the second largest contributor can compute the largest
    /// contribution to within this share
    #[arg(long = "p", value_name = "SHARE", requires = "sums")]
    pub percent: Option<String>,
    /// The (n, r)-dominance rule: a sum is sensitive if its n largest contributions are more than
    /// this share of it
    #[arg(long, value_name = "n=N,share=SHARE", requires = "sums")]
    pub dominance: Option<String>,
    /// The contributions behind the table (CSV): the table's columns of codes, the column of the
    /// sums, and one that names the person
    #[arg(long, value_name = "FILE", requires = "sums")]
    pub contributions: Option<PathBuf>,
    /// The column of the contributions that names the person
    #[arg(
        long,
        value_name = "COLUMN",
        default_value = "person",
        requires = "contributions"
    )]
    pub person: String,
    /// The column with the sums
    #[arg(
        long,
        value_name = "COLUMN",
        default_value = "value",
        requires = "sums"
    )]
    pub value: String,
    /// The code that stands for all codes of a column
    #[arg(long, value_name = "CODE", default_value = "Total", requires = "sums")]
    pub total: String,
    /// Contributions may be negative, and readers know that; otherwise readers are assumed to know
    /// that none is negative
    #[arg(long, requires = "sums")]
    pub signed: bool,
    /// Show the intervals that readers can compute, not only their width: for tables that are
    /// already public
    #[arg(long, requires = "sums")]
    pub intervals: bool,
    /// Write a protected table to this file, with sensitive cells suppressed (`u`) and others that
    /// protect them (`x`), at low cost; the audit then checks that table
    #[arg(long, value_name = "FILE", requires = "sums")]
    pub protect: Option<PathBuf>,
    /// The cost of suppressing a cell: its value, or the same for each
    #[arg(long, value_name = "value|one", default_value = "value", value_parser = ["value", "one"], requires = "protect")]
    pub cost: String,
    /// The limit of work in the search for cheaper patterns, in millions of numbers computed
    #[arg(
        long,
        value_name = "MILLIONS",
        default_value_t = 300,
        requires = "protect"
    )]
    pub work: u64,
}

/// The rules that the options ask for, p% first.
///
/// # Errors
/// An option is not a rule.
pub(super) fn rules(args: &SumsArgs) -> error::Result<Vec<DominanceRule>> {
    let share = |text: &str| {
        Decimal::parse(text).filter(|share| *share != Decimal::ZERO && share.get() <= 1.0)
    };
    let mut rules = Vec::new();
    if let Some(text) = &args.percent {
        let share = share(text).ok_or_else(|| {
            Error::new(
                ErrorCategory::Usage,
                "write a share above 0 and at most 1, such as 0.1 for 10 %",
            )
            .in_field("--p")
        })?;
        rules.push(DominanceRule::Percent(share));
    }
    if let Some(text) = &args.dominance {
        let refused = || {
            let text = "write the number of contributions and their share, such as n=1,share=0.6; n is 1 to 100, the share above 0 and at most 1";
            Error::new(ErrorCategory::Usage, text).in_field("--dominance")
        };
        let (largest, of) = text.split_once(',').ok_or_else(refused)?;
        let largest = largest
            .trim()
            .strip_prefix("n=")
            .and_then(|n| n.parse().ok())
            .filter(|n| (1..=100).contains(n));
        let of = of.trim().strip_prefix("share=").and_then(share);
        let (largest, share) = largest.zip(of).ok_or_else(refused)?;
        rules.push(DominanceRule::Dominance { largest, share });
    }
    Ok(rules)
}

/// A column and the file of its codes.
///
/// # Errors
/// The option does not name both.
pub(super) fn hierarchy_of(text: &str) -> error::Result<(String, PathBuf)> {
    let pair = text
        .split_once('=')
        .filter(|(column, file)| !column.is_empty() && !file.is_empty());
    let refused = || {
        let text =
            "write the column and the file of its codes, such as --hierarchy region=region.hrc";
        Error::new(ErrorCategory::Usage, text).in_field("--hierarchy")
    };
    pair.map(|(column, file)| (column.to_owned(), PathBuf::from(file)))
        .ok_or_else(refused)
}
