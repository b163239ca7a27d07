//! Limits of Parquet (HOUSE 4, Limits): the headers of all pages that will be read are examined
//! before one of them is unpacked, so that memory depends on batches and not on the file. A file of
//! a few kilobytes may contain pages of gigabytes, cells that repeat the same gigabyte, or more
//! rows than its bytes can distinguish.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::description::is_sound;
use super::lengths::{self, Lengths};
use super::limits::few_rows;
use super::page_header::{PageContent, PageHeader};
use super::quietly::guarded;
use super::unpack;
use crate::error::{Error, ErrorCategory, Result};

/// The most bytes of the description at the end of a file.
pub(super) const MOST_FOOTER: u64 = 16 << 20;
/// The most bytes of an unpacked page, and of its cells.
pub(super) const MOST_PAGE: u64 = 128 << 20;
/// The most bytes of all pages that are unpacked at a time: for each column one page and its
/// dictionary.
pub(super) const MOST_UNPACKED: u64 = 512 << 20;
/// The most bytes of a cell of a column with a fixed length.
pub(super) const MOST_FIXED: i32 = 1 << 16;
/// The approximate number of bytes of a batch; a row with more is a batch of its own.
const BATCH: u64 = 8 << 20;
/// The most rows of a batch.
const MOST_ROWS: u64 = 65_536;
/// The most bytes of a page header.
const MOST_HEADER: usize = 1 << 20;
/// The size that most headers do not exceed.
const HEADER: usize = 1 << 12;

/// The columns of a file to be read.
pub struct ColumnPages<'f, R> {
    /// Its name, for errors.
    pub path: &'f Path,
    /// The file.
    pub file: &'f Arc<R>,
    /// Its footer.
    pub metadata: &'f ParquetMetaData,
}

/// The facts about a column of a row group.
#[derive(Default)]
struct Column {
    /// The number of cells: one for each row, or for each element of a list.
    values: u64,
    /// The number of bytes of the dictionary.
    dictionary: u64,
    /// The number of bytes of the largest page, packed and unpacked.
    page: u64,
    /// The number of bytes of a cell in a batch: the mean of the page with the largest mean.
    cell: u64,
    /// Whether cells refer to a dictionary.
    refers: bool,
    /// Whether cells are in the pages themselves.
    is_inline: bool,
    /// Whether the cells of a page may be longer than their bytes in the page.
    grows: bool,
    /// Pages that may unpack to more than they declare: their positions, their sizes, and the
    /// declared sizes.
    doubtful: Vec<(u64, u64, u64)>,
}

/// Checks the size of the description of a file, and its number of rows.
///
/// # Errors
/// They exceed a limit.
pub fn footer<R: ChunkReader>(path: &Path, file: &R) -> Result<()> {
    let tail = file
        .get_bytes(file.len().saturating_sub(8), 8)
        .map_err(|_| unreadable(path))?;
    let footer = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if !tail.ends_with(b"PAR1") {
        return Err(unreadable(path));
    }
    if footer <= MOST_FOOTER {
        let from = file.len().saturating_sub(8).checked_sub(footer);
        let description =
            from.and_then(|from| file.get_bytes(from, usize::try_from(footer).ok()?).ok());
        let sound = description.is_some_and(|description| is_sound(&description));
        return if sound { Ok(()) } else { Err(unreadable(path)) };
    }
    let text = format!(
        "the description of the columns and row groups has {footer} bytes, and at most {} MiB are read: write the file again \
         with fewer, larger row groups",
        MOST_FOOTER >> 20
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(path))
}

impl<R: ChunkReader + 'static> ColumnPages<'_, R> {
    /// Checks that there are no more rows than a file of this size may have.
    ///
    /// # Errors
    /// There are more, or the file contradicts itself.
    pub fn few_rows(&self) -> Result<()> {
        let count = |rows: i64| u64::try_from(rows).ok();
        let add = |sum: u64, group: &RowGroupMetaData| sum.checked_add(count(group.num_rows())?);
        let groups = self.metadata.row_groups().iter().try_fold(0, add);
        let said = count(self.metadata.file_metadata().num_rows());
        let rows = groups
            .filter(|_| groups == said)
            .ok_or_else(|| unreadable(self.path))?;
        few_rows(self.path, rows, self.file.len())
    }

    /// The number of rows of a group that may be decoded at a time; `leaves` says for each column,
    /// by the number of its leaf, whether text stays in dictionaries.
    ///
    /// # Errors
    /// Pages are damaged, or exceed a limit.
    pub fn batch(&self, group: usize, leaves: &[(usize, bool)]) -> Result<usize> {
        let (mut unpacked, mut row) = (0_u64, 1);
        for &(leaf, kept) in leaves {
            let column = self.column(group, leaf, kept)?;
            unpacked = unpacked.saturating_add(column.page + column.dictionary);
            row += column.cell;
        }
        together(self.path, group, unpacked)?;
        Ok(usize::try_from((BATCH / row).clamp(1, MOST_ROWS)).unwrap_or(1))
    }

    /// Examines the pages of a column.
    fn column(&self, group: usize, leaf: usize, kept: bool) -> Result<Column> {
        let chunk = self.chunk(group, leaf)?;
        let described = chunk.column_descr();
        let fixed = described.type_length();
        if chunk.column_type() == Type::FIXED_LEN_BYTE_ARRAY && fixed > MOST_FIXED {
            let text = format!(
                "each cell of this column has {fixed} bytes, more than the limit of {MOST_FIXED}: remove the \
                    column"
            );
            return Err(Error::new(ErrorCategory::Input, text)
                .in_file(self.path)
                .in_field(described.name()));
        }
        let mut column = self.headers(group, leaf)?;
        let rows = self.metadata.row_groups()[group].num_rows().cast_unsigned();
        let lists = described.max_rep_level() > 0;
        if column.values < rows || !lists && column.values > rows {
            return Err(unreadable(self.path));
        }
        self.doubts(chunk, &column)?;
        let cell = match chunk.column_type() {
            Type::BYTE_ARRAY => {
                let own = if column.is_inline { column.cell } else { 0 };
                // Text in lists is not dictionary-encoded.
                let longest = self.lengths(group, leaf, &column, kept && !lists)?;
                4 + own.max(longest)
            }
            Type::FIXED_LEN_BYTE_ARRAY => 1 + u64::try_from(fixed).unwrap_or(0),
            Type::BOOLEAN => 1,
            _ => 8,
        };
        column.cell = cell;
        if lists {
            self.short_lists(chunk, &column).map(|()| column)
        } else {
            Ok(column)
        }
    }

    /// Checks that the lists of a column are within the limit, all of them together: any row may
    /// have most of their cells.
    fn short_lists(&self, chunk: &ColumnChunkMetaData, column: &Column) -> Result<()> {
        let bytes = column.values.saturating_mul(column.cell.max(8));
        if bytes <= MOST_UNPACKED {
            return Ok(());
        }
        let text = format!(
            "the lists of this column may have {} MiB when they are unpacked, and at most {} MiB are: remove it",
            bytes >> 20,
            MOST_UNPACKED >> 20
        );
        Err(Error::new(ErrorCategory::Input, text)
            .in_file(self.path)
            .in_field(chunk.column_descr().path().string()))
    }

    fn chunk(&self, group: usize, leaf: usize) -> Result<&ColumnChunkMetaData> {
        let group = self.metadata.row_groups().get(group);
        group
            .and_then(|group| group.columns().get(leaf))
            .ok_or_else(|| unreadable(self.path))
    }

    /// The declarations of a column's page headers.
    fn headers(&self, group: usize, leaf: usize) -> Result<Column> {
        let broken = || unreadable(self.path);
        let chunk = self.chunk(group, leaf)?;
        let before: i64 = self.metadata.row_groups()[..group]
            .iter()
            .map(RowGroupMetaData::num_rows)
            .sum();
        let before = before.cast_unsigned();
        // It panics if a position is negative.
        let (mut at, bytes) = guarded(|| chunk.byte_range()).ok_or_else(broken)?;
        let end = at
            .checked_add(bytes)
            .filter(|end| *end <= self.file.len())
            .ok_or_else(broken)?;
        let mut column = Column::default();
        while at < end {
            let header = self.header(at, end)?;
            let body = at + header.size as u64;
            at = body
                .checked_add(header.packed)
                .filter(|at| *at <= end)
                .ok_or_else(broken)?;
            let first = column.page == 0 && column.dictionary == 0;
            match header.holds {
                PageContent::Index => continue,
                PageContent::Dictionary if !first => return Err(broken()),
                PageContent::Dictionary => {}
                PageContent::Data | PageContent::DataV2 => {
                    column.values = column.values.saturating_add(header.values)
                }
            }
            let size = header.unpacked.max(header.packed);
            if size > MOST_PAGE {
                let place = match header.holds {
                    PageContent::Dictionary => None,
                    _ if chunk.column_descr().max_rep_level() > 0 => None,
                    _ => Some((
                        before + column.values - header.values + 1,
                        before + column.values,
                    )),
                };
                return Err(self.too_large(group, chunk, place, size));
            }
            column.see(&header, chunk, body);
        }
        Ok(column)
    }

    fn header(&self, at: u64, end: u64) -> Result<PageHeader> {
        for size in [HEADER, MOST_HEADER] {
            let size = size.min(usize::try_from(end - at).unwrap_or(usize::MAX));
            let bytes = self
                .file
                .get_bytes(at, size)
                .map_err(|_| unreadable(self.path))?;
            if let Some(header) = PageHeader::parse(&bytes) {
                return Ok(header);
            }
        }
        Err(unreadable(self.path))
    }

    /// Checks that pages that could unpack to more than they declare do not.
    fn doubts(&self, chunk: &ColumnChunkMetaData, column: &Column) -> Result<()> {
        for &(from, packed, unpacked) in &column.doubtful {
            let bytes = usize::try_from(packed)
                .ok()
                .and_then(|packed| self.file.get_bytes(from, packed).ok());
            let bytes = bytes.ok_or_else(|| unreadable(self.path))?;
            if guarded(|| unpack::fits(chunk.compression(), &bytes, unpacked)) != Some(true) {
                return Err(unreadable(self.path));
            }
        }
        Ok(())
    }

    /// The number of bytes of a cell of text that are not in the pages of rows themselves.
    fn lengths(&self, group: usize, leaf: usize, column: &Column, kept: bool) -> Result<u64> {
        // Cells of a single dictionary stay numbers.
        let looked_up = column.refers && (column.is_inline || !kept);
        if !looked_up && !column.grows {
            return Ok(0);
        }
        let chunk = self.chunk(group, leaf)?;
        let levels = [
            chunk.column_descr().max_rep_level(),
            chunk.column_descr().max_def_level(),
        ];
        let rows = usize::try_from(self.metadata.row_groups()[group].num_rows()).unwrap_or(0);
        let open = || SerializedPageReader::new(Arc::clone(self.file), chunk, rows, None).ok();
        let mut pages = guarded(open)
            .flatten()
            .ok_or_else(|| unreadable(self.path))?;
        let mut cell = 0;
        loop {
            let page = guarded(|| pages.get_next_page().ok())
                .flatten()
                .ok_or_else(|| unreadable(self.path))?;
            let Some(page) = page else { return Ok(cell) };
            let found = lengths::of(&page, levels).ok_or_else(|| unreadable(self.path))?;
            if found.all > MOST_PAGE {
                return Err(self.too_large(group, chunk, None, found.all));
            }
            cell = cell.max(of_a_row(&page, found));
            if !column.grows {
                // The dictionary is the first page.
                return Ok(cell);
            }
        }
    }

    fn too_large(
        &self,
        group: usize,
        chunk: &ColumnChunkMetaData,
        rows: Option<(u64, u64)>,
        bytes: u64,
    ) -> Error {
        let place = match rows {
            Some((from, to)) if from < to => format!("rows {from} to {to}: their page"),
            Some((from, _)) => format!("row {from}: its page"),
            None => format!("row group {}: a page or the dictionary", group + 1),
        };
        let text = format!(
            "{place} of this column has {} MiB when it is unpacked, and at most {} MiB are: write the file again with shorter \
             cells or smaller pages",
            bytes >> 20,
            MOST_PAGE >> 20
        );
        let error = Error::new(ErrorCategory::Input, text)
            .in_file(self.path)
            .in_field(chunk.column_descr().name());
        match rows {
            Some((from, _)) => error.at_line(from),
            None => error,
        }
    }
}

/// The error for a damaged or foreign file.
pub fn unreadable(path: &Path) -> Error {
    Error::new(
        ErrorCategory::Input,
        "the file is not readable Parquet: it may be cut off or damaged",
    )
    .in_file(path)
}

/// Checks that the pages of a row group that are unpacked at a time are within the limit.
fn together(path: &Path, group: usize, unpacked: u64) -> Result<()> {
    if unpacked <= MOST_UNPACKED {
        return Ok(());
    }
    let text = format!(
        "row group {}: the pages of the columns that are read, one of each, have {} MiB together when they are unpacked, and at \
         most {} MiB are: write the file again with smaller pages",
        group + 1,
        unpacked >> 20,
        MOST_UNPACKED >> 20
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(path))
}

/// The bytes of each cell of a page in a batch: those of the longest if cells refer to a
/// dictionary, otherwise the mean.
fn of_a_row(page: &Page, found: Lengths) -> u64 {
    match page {
        Page::DictionaryPage { .. } => found.longest,
        Page::DataPage { num_values, .. } | Page::DataPageV2 { num_values, .. } => {
            found.all.div_ceil(u64::from(*num_values).max(1))
        }
    }
}

impl Column {
    /// Adds one more page, whose bytes begin here.
    fn see(&mut self, header: &PageHeader, chunk: &ColumnChunkMetaData, body: u64) {
        let size = header.unpacked.max(header.packed);
        let codec = chunk.compression();
        if !unpack::is_small(codec, header.packed, MOST_PAGE) {
            let levels = header.levels.min(header.packed);
            self.doubtful.push((
                body + levels,
                header.packed - levels,
                header.unpacked.saturating_sub(levels),
            ));
        }
        if header.holds == PageContent::Dictionary {
            self.dictionary = size.max(1);
            return;
        }
        self.page = self.page.max(size).max(1);
        let encoding = |known: Encoding| header.encoding == known as i64;
        if encoding(Encoding::RLE_DICTIONARY) || header.encoding == PLAIN_DICTIONARY {
            self.refers = true;
            return;
        }
        self.is_inline = true;
        self.grows |=
            encoding(Encoding::DELTA_BYTE_ARRAY) || encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY);
        self.cell = self.cell.max(size.div_ceil(header.values.max(1)));
    }
}

/// The number of an encoding that only older writers use.
const PLAIN_DICTIONARY: i64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_all_columns_have_a_limit_together() {
        let path = Path::new("a.parquet");
        assert!(together(path, 0, MOST_UNPACKED).is_ok());
        let error = together(path, 2, MOST_UNPACKED + (1 << 20)).expect_err("too much");
        assert_eq!(error.file.as_deref(), Some(path));
        assert!(
            error.text.starts_with("row group 3: ") && error.text.contains("513 MiB"),
            "{}",
            error.text
        );
        assert!(together(path, 2, MOST_UNPACKED + 1).is_err());
    }
}
