//! One table file of any format: compares its columns with the declared ones, counts its rows in a
//! histogram, and finds the row of an error again.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;

use super::coder::Coder;
use super::header::{distinct, raw_name, undeclared, wanted};
use super::people::RowPeople;
use super::rows::{BadRowPolicy, gather};
use super::source::SourceFile;
use crate::config::RecordRules;
use crate::engine::histogram::{
    Builder, CellReading, Encoder, Histogram, Misfit, MisfitKind, RawCell, ReadableColumn, value_of,
};
use crate::engine::model::{self, Column, Columns, Node, Role, Taxonomy, Value};
use crate::error::{Error, ErrorCategory, Result, printable};

/// The remedy if a table turns out not to be a release.
const RAW_ROWS: &str = "If the file holds raw rows, `tidegate anonymize` makes a release of them";

/// The columns that a release may have, and identifiers, which it must not have.
fn published(columns: &Columns) -> Columns {
    let all = columns.iter().filter(|column| column.role != Role::Input);
    Columns::new(all.cloned().collect()).with_release(columns.release().clone())
}

/// An open table file whose columns fit.
pub struct TableFile {
    path: PathBuf,
    source: SourceFile,
    /// Columns of the file that the feed file does not declare.
    pub undeclared: Vec<String>,
    /// The column with the release in which each row came, if one is read.
    release: Option<String>,
}

impl TableFile {
    /// Opens a release: exactly the quasi and sensitive columns, and optionally the release in
    /// which each row came.
    ///
    /// # Errors
    /// The file cannot be read or does not fit its name; a column is missing, undeclared or an
    /// identifier.
    pub fn release(path: &Path, columns: &Columns) -> Result<TableFile> {
        TableFile::release_in(SourceFile::open(path)?, columns)
    }

    /// [`TableFile::release`], of a file that is open.
    ///
    /// # Errors
    /// As [`TableFile::release`].
    pub fn release_in(source: SourceFile, columns: &Columns) -> Result<TableFile> {
        let mut table = TableFile::of(source, &published(columns), |column| &column.name)?
            .published(columns)?;
        let name = columns
            .release()
            .name()
            .filter(|name| columns.named(name).is_none() && table.has(name));
        table.release = name.map(str::to_owned);
        if table.release.is_some() {
            table.want(&published(columns), |column| &column.name)?;
        }
        Ok(table)
    }

    /// Opens a release for its labels alone, so that sensitive columns may be missing.
    ///
    /// # Errors
    /// The file cannot be read or does not fit its name; a quasi column is missing; a column is
    /// undeclared or an identifier.
    pub fn labels_in(source: SourceFile, columns: &Columns) -> Result<TableFile> {
        TableFile::of(source, &columns.only(Role::Quasi), |column| &column.name)?.published(columns)
    }

    /// Checks that it may be a release.
    fn published(self, columns: &Columns) -> Result<TableFile> {
        if self.source.is_lines() {
            let text = "a release is a table: write it as CSV, Parquet or Arrow, not as JSON";
            return Err(Error::new(ErrorCategory::Input, text).in_file(&self.path));
        }
        for name in self.source.header() {
            let text = match columns.named(name).map(|column| column.role) {
                None if columns.release().name() == Some(name) => continue,
                None => {
                    "the feed file declares no such column: declare it, or remove it from the release"
                }
                Some(Role::Input) => {
                    "this column is read for others only, and must not be in a release: remove it"
                }
                Some(Role::Identifier) => {
                    "an identifier column in a release links rows to people: remove it"
                }
                Some(_) => continue,
            };
            let text = format!("{text}. {RAW_ROWS}");
            return Err(Error::new(ErrorCategory::Input, text)
                .in_file(&self.path)
                .in_field(name));
        }
        Ok(self)
    }

    /// Opens raw rows; undeclared columns are ignored, and so are identifiers that a table lacks.
    ///
    /// # Errors
    /// The file cannot be read or does not fit its name; a quasi or sensitive column is missing.
    pub fn increment(path: &Path, columns: &Columns) -> Result<TableFile> {
        let source = SourceFile::open(path)?;
        let of_source = Columns::new(columns.of_source().cloned().collect());
        TableFile::of(source, &of_source, raw_name)
    }

    fn of(
        source: SourceFile,
        columns: &Columns,
        name_in_file: fn(&Column) -> &str,
    ) -> Result<TableFile> {
        let mut table = TableFile {
            path: source.path.clone(),
            source,
            undeclared: Vec::new(),
            release: None,
        };
        if !table.source.is_lines() {
            table.want(columns, name_in_file)?;
            table.undeclared = undeclared(table.source.header(), columns, name_in_file);
        }
        Ok(table)
    }

    /// Whether the file has such a column.
    fn has(&self, name: &str) -> bool {
        self.source.header().iter().any(|known| known == name)
    }

    /// Selects the declared columns, and the one with numbers of releases.
    fn want(&mut self, columns: &Columns, name_in_file: fn(&Column) -> &str) -> Result<()> {
        let header = self.source.header().to_vec();
        let counted = columns
            .iter()
            .filter(|column| matches!(column.role, Role::Quasi | Role::Sensitive | Role::Input));
        let mut wanted = wanted(&self.path, &header, counted, name_in_file)?;
        wanted.extend(self.release.iter().map(|name| (name.clone(), name.clone())));
        distinct(&self.path, &header, &wanted)?;
        self.source.want(&wanted)
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// A row is invalid, or the file is damaged.
    pub fn batch(&mut self) -> Result<Option<RecordBatch>> {
        self.source.batch()
    }

    /// The kind of an increment's cells.
    pub fn raw(&self) -> CellReading {
        self.source.reading()
    }

    /// The kind of a release's cells.
    pub fn labels(&self) -> CellReading {
        CellReading::Labels {
            text: self.source.is_text(),
        }
    }

    /// The error for a misfit with its place; `before` rows came before its batch.
    fn misfit(&self, misfit: &Misfit, before: u64, columns: &Columns) -> Error {
        let row = before + misfit.row;
        let whole = matches!(
            misfit.kind,
            MisfitKind::NoColumn | MisfitKind::WrongType | MisfitKind::NumbersForText
        );
        let text = if whole {
            misfit.kind.to_string()
        } else {
            format!("row {}: {}", row + 1, misfit.kind)
        };
        let domain = columns
            .named(&misfit.column)
            .and_then(|column| column.taxonomy.as_ref());
        let labels = domain
            .filter(|_| misfit.kind == MisfitKind::NoLabel)
            .map(|domain| labels(&domain.tree));
        let number = misfit.kind == MisfitKind::Malformed
            && self.release.as_deref() == Some(&*misfit.column);
        let text = text
            + if number {
                ": releases have whole numbers from 1 on"
            } else {
                ""
            };
        let text = text
            + &labels.map_or(String::new(), |labels| {
                format!(": it has {labels}. {RAW_ROWS}")
            });
        let error = Error::new(ErrorCategory::Input, text)
            .in_file(&self.path)
            .in_field(&*misfit.column);
        let line = self.source.line_of(row);
        match line.filter(|_| !whole) {
            Some(line) => error.at_line(line),
            None => error,
        }
    }
}

/// Counts all rows of a table, and their people. Cells of a release count as its readers see them;
/// raw rows are read as by `anonymize`, so that a malformed sensitive cell is null. Rows of a
/// release that state in which release they came have its number as their increment, others 0.
///
/// # Errors
/// The first row that does not fit.
pub fn count(
    table: TableFile,
    columns: &Columns,
    reading: CellReading,
) -> Result<(Histogram, RowPeople)> {
    count_behind(table, columns, reading, &[])
}

/// Counts the rows behind releases of any origin, like [`count`], but releases may show a malformed
/// sensitive cell unchanged instead of null: then it counts as these releases show it. A wrong
/// guess is harmless, since rows that are not those of the releases are refused.
///
/// # Errors
/// The first row that does not fit.
pub fn count_behind(
    mut table: TableFile,
    columns: &Columns,
    reading: CellReading,
    releases: &[Histogram],
) -> Result<(Histogram, RowPeople)> {
    if !reading.is_labels() {
        return count_raw(table, columns, releases);
    }
    let encoder = Encoder::new(columns, reading).as_seen();
    let mut builder = Builder::new(&encoder, 0);
    let mut before = 0;
    while let Some(batch) = table.batch()? {
        let added = match &table.release {
            Some(name) => releases_of(name, &batch, reading)
                .and_then(|numbers| builder.add_each(&batch, &numbers)),
            None => builder.add(&batch),
        };
        added.map_err(|misfit| table.misfit(&misfit, before, columns))?;
        before += batch.num_rows() as u64;
    }
    Ok((builder.finish(), RowPeople::default()))
}

/// Counts raw rows, read as by `anonymize`. Measures are not needed, and identifiers only if the
/// file has them.
fn count_raw(
    mut table: TableFile,
    columns: &Columns,
    releases: &[Histogram],
) -> Result<(Histogram, RowPeople)> {
    let is_read = |column: &&Column| match column.role {
        Role::Identifier => table.source.is_lines() || table.has(raw_name(column)),
        Role::Measure => false,
        _ => true,
    };
    let columns = Columns::new(columns.iter().filter(is_read).cloned().collect());
    let hasher = RowPeople::hasher();
    let rules = RecordRules::default();
    let coder = Coder::new(&columns, table.source.reading(), &hasher, &rules).behind(releases);
    let mut aside = BadRowPolicy::Refused(None);
    let source = &mut table.source;
    let decoded = gather(source, &coder, &columns, &mut aside, None, &mut |_| {})?;
    Ok((decoded.rows.histogram(0), RowPeople::of(&decoded.rows)))
}

/// The numbers of the releases in which rows came, counted from 1.
fn releases_of(
    name: &str,
    batch: &RecordBatch,
    reading: CellReading,
) -> std::result::Result<Vec<u32>, Misfit> {
    let misfit = |row: usize, kind| Misfit {
        row: row as u64,
        column: name.into(),
        kind,
    };
    let array = batch
        .column_by_name(name)
        .ok_or_else(|| misfit(0, MisfitKind::NoColumn))?;
    let cells = ReadableColumn::fitting(array, model::Kind::Int, Role::Measure, reading)
        .map_err(|kind| misfit(0, kind))?;
    let number = |cell: RawCell<'_>| match value_of(cell, model::Kind::Int, reading) {
        Some(Value::Int(number)) => u32::try_from(number)
            .ok()
            .filter(|&number| number > 0)
            .ok_or(MisfitKind::Malformed),
        Some(Value::Null) => Err(MisfitKind::Missing),
        _ => Err(MisfitKind::Malformed),
    };
    cells.codes(number).map_err(|(row, kind)| misfit(row, kind))
}

/// Examples of a taxonomy's labels: the first few from the top on, and how many more there are.
/// They are the operator's own words, never those of a file.
fn labels(tree: &Taxonomy) -> String {
    const SHOWN: usize = 8;
    let mut nodes: Vec<Node> = (0..tree.nodes() as Node).collect();
    nodes.sort_by_key(|&node| (std::cmp::Reverse(tree.height(node)), node));
    let shown: Vec<String> = nodes
        .iter()
        .take(SHOWN)
        .map(|&node| format!("`{}`", printable(tree.label(node))))
        .collect();
    let more = nodes.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

/// The first row of a release, counted from 1, that shows this node in a quasi column, and its line
/// in the file.
pub fn first_row_with(
    path: &Path,
    columns: &Columns,
    quasi: usize,
    node: Node,
) -> Option<(u64, u64)> {
    let mut table = TableFile::release(path, columns).ok()?;
    let encoder = Encoder::new(columns, table.labels());
    let mut before = 0;
    while let Ok(Some(batch)) = table.batch() {
        let codes = encoder.quasi_codes(&batch, quasi).ok()?;
        if let Some(at) = codes.iter().position(|&code| code == node) {
            let row = before + at as u64;
            return Some((row + 1, table.source.line_of(row)?));
        }
        before += batch.num_rows() as u64;
    }
    None
}
