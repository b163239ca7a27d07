//! Tables for a terminal: columns two spaces apart, each as wide as its content.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};

/// The head of a column; a line break in it makes several lines.
#[derive(Clone, Copy)]
pub(crate) enum Head<'h> {
    /// Of text.
    Left(&'h str),
    /// Of numbers.
    Right(&'h str),
}

/// A table that is being filled.
pub(crate) struct TextTable(Table);

impl TextTable {
    /// With these columns.
    pub(crate) fn new(heads: &[Head<'_>]) -> TextTable {
        let mut table =
            TextTable::without_head(heads.iter().map(|head| matches!(head, Head::Right(_))));
        let text = |head: &Head<'_>| match head {
            Head::Left(text) | Head::Right(text) => (*text).to_owned(),
        };
        table.row(heads.iter().map(text));
        table
    }

    /// With columns that have no heads: whether each contains numbers.
    pub(crate) fn without_head(numbers: impl IntoIterator<Item = bool>) -> TextTable {
        let mut table = Table::new();
        table.load_style(NOTHING);
        // A table takes its columns from its first row.
        let numbers: Vec<bool> = numbers.into_iter().collect();
        table.set_header(numbers.iter().map(|_| Cell::new("")));
        for (column, numbers) in table.column_iter_mut().zip(numbers) {
            column.set_padding((0, 2));
            column.set_cell_alignment(if numbers {
                CellAlignment::Right
            } else {
                CellAlignment::Left
            });
        }
        TextTable(table)
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells);
    }

    /// Adds the lines to a text, each behind this indent.
    pub(crate) fn write(&self, text: &mut String, indent: &str) {
        // The first line is the empty head.
        for line in self.0.lines().skip(1) {
            text.push_str(format!("{indent}{line}").trim_end());
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, TextTable};

    #[test]
    fn columns_are_as_wide_as_what_they_hold() {
        let mut table = TextTable::new(&[
            Head::Right("\nrow"),
            Head::Left("name\nof it"),
            Head::Right("count"),
        ]);
        table.row(["1", "x", "12"].map(str::to_owned));
        table.row(["22", "ward\u{4e2d}\u{6587}", ""].map(str::to_owned));
        let mut text = String::new();
        table.write(&mut text, "  ");
        let lines = [
            "       name      count",
            "  row  of it",
            "    1  x            12",
            "   22  ward\u{4e2d}\u{6587}",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), lines);
    }
}
