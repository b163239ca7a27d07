//! `--protect`: the table as it can be published, without suppressed sums and without what is known
//! about contributions.

use std::path::{Path, PathBuf};

use super::file::SumsFile;
use super::number::written;
use super::options::SumsArgs;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::engine::dominance::DominanceRule;
use crate::engine::sums::{CellMark, TableCell};
use crate::new_files::{self, NewFile};

/// What `--protect` has written.
pub struct Protected {
    /// The file.
    pub file: PathBuf,
    /// The cost of the secondary suppressions.
    pub cost: u128,
    /// Whether no pattern costs less.
    pub least: bool,
}

/// Suppresses cells and writes the table.
///
/// # Errors
/// A value is missing, a cell cannot be protected, or the file exists already.
pub(super) fn protect(
    read: &mut SumsFile,
    rules: &[DominanceRule],
    args: &SumsArgs,
    target: &Path,
) -> Result<Protected> {
    let source = args.sums.as_deref().expect("the caller has checked it");
    if let Some(cell) = read.table.complete() {
        let text = format!(
            "{} has no value: --protect decides again which cells to suppress, so it needs the values of all cells, or \
             --contributions",
            read.name(cell)
        );
        let error = Error::new(ErrorCategory::Input, text)
            .in_file(source)
            .in_field(args.value.as_str());
        return Err(match read.lines[cell] {
            Some(line) => error.at_line(line),
            None => error,
        });
    }
    let marked = read
        .table
        .entries
        .iter()
        .any(|entry| entry.mark == CellMark::Primary);
    if rules.is_empty() && !marked {
        let text = "--protect suppresses the cells that a rule finds sensitive, and those with the status u: name a \
                    rule with --p or --dominance";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--protect"));
    }
    let is_judged = |entry: &TableCell| entry.contributions.is_some() && entry.value != Some(0);
    let is_judged =
        |entry: &TableCell| is_judged(entry) || entry.has_few_contributors() == Some(true);
    if !marked && !read.table.entries.iter().any(is_judged) {
        let text = "no rule can be applied: the table has no contributions. Give the largest ones in columns max1, \
                    max2, …, or all of them with --contributions";
        return Err(Error::new(ErrorCategory::Input, text).in_file(source));
    }
    let work = args.work.saturating_mul(1_000_000);
    let (cost, least) = read.table.protect(rules, args.cost == "value", work).map_err(|cell| {
        let text = format!(
            "{} cannot be protected: even if all other cells that may be suppressed are, readers can compute it too \
             closely. Remove or join codes of a dimension, or give fewer cells the status z or p",
            read.name(cell)
        );
        Error::new(ErrorCategory::Input, text).in_file(source)
    })?;
    let (folder, name) = match (target.parent(), target.file_name()) {
        (Some(folder), Some(name)) if folder.as_os_str().is_empty() => (Path::new("."), name),
        (Some(folder), Some(name)) => (folder, name),
        _ => {
            return Err(
                Error::new(ErrorCategory::Usage, "write the name of a file").in_field("--protect")
            );
        }
    };
    let file = NewFile {
        path: name.into(),
        content: table(read, args)?,
        secret: false,
    };
    new_files::write(folder, &[file], &[])?.keep();
    Ok(Protected {
        file: target.to_path_buf(),
        cost,
        least,
    })
}

/// The cells in the order of the dimensions, as CSV.
fn table(read: &SumsFile, args: &SumsArgs) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let internal = |_| {
        Error::new(
            ErrorCategory::Internal,
            "a table in memory could not be written (this is a bug)",
        )
    };
    let counted = read.counts.iter().any(Option::is_some);
    let names = read
        .dimensions
        .iter()
        .map(|dimension| dimension.name.as_str());
    let names = names
        .chain(counted.then_some("freq"))
        .chain([args.value.as_str(), "status"]);
    writer.write_record(names).map_err(internal)?;
    for (cell, entry) in read.table.entries.iter().enumerate() {
        let status = match entry.mark {
            CellMark::Published => "s",
            CellMark::Kept => "z",
            CellMark::Primary => "u",
            CellMark::Secondary | CellMark::LeftOut => "x",
            CellMark::Absent => continue,
        };
        let seen = entry.mark.is_published();
        let count = counted.then(|| {
            read.counts[cell]
                .filter(|_| seen)
                .map_or(String::new(), |count| count.to_string())
        });
        let value = entry
            .value
            .filter(|_| seen)
            .map_or(String::new(), |value| written(value, read.scale));
        let codes = read
            .codes(cell)
            .into_iter()
            .map(|(_, code)| code.to_owned());
        writer
            .write_record(codes.chain(count).chain([value, status.to_owned()]))
            .map_err(internal)?;
    }
    let bytes = writer.into_inner().map_err(|_| {
        Error::new(
            ErrorCategory::Internal,
            "a table in memory could not be written (this is a bug)",
        )
    })?;
    Ok(String::from_utf8(bytes).expect("codes and digits are UTF-8"))
}
