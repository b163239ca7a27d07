//! How much detail columns show, as a table for a terminal.

use super::paragraph::wrapped;
use super::table::{Head, TextTable};
use crate::daemon::error::printable;
use crate::daemon::opened_release::{ColumnDetail, LabelSize};

/// Shares of a column's values that labels are grouped by, and the names of the groups.
const SIZES: [(f64, &str); 4] = [
    (0.1, "to 10 %"),
    (0.25, "to 25 %"),
    (0.5, "to 50 %"),
    (1.0, "wider"),
];
/// Detail by column: the share of rows by the size of their label.
pub(crate) fn write(text: &mut String, columns: &[ColumnDetail]) {
    let sizes = SIZES.iter().map(|&(_, title)| title);
    let shares_of = ["Loss", "one value"]
        .into_iter()
        .chain(sizes)
        .chain(["*"])
        .map(Head::Right);
    let mut table = TextTable::new(
        &[Head::Left("column")]
            .into_iter()
            .chain(shares_of)
            .collect::<Vec<_>>(),
    );
    for column in columns {
        let shares = shares(&column.labels).map(percent);
        table.row(
            [printable(&column.name), format!("{:.3}", column.loss)]
                .into_iter()
                .chain(shares),
        );
    }
    table.write(text, "");
    let none: Vec<String> = without_detail(columns)
        .map(|column| format!("`{}`", printable(&column.name)))
        .collect();
    text.push('\n');
    if !none.is_empty() {
        wrapped(
            text,
            "",
            &format!(
                "Without any detail (each row shows `*`): {}.",
                none.join(", ")
            ),
        );
    }
}

/// Columns that show only their root.
fn without_detail(columns: &[ColumnDetail]) -> impl Iterator<Item = &ColumnDetail> {
    columns.iter().filter(|column| column.loss == 1.0)
}

/// Shares of the rows whose label is one value, by size, and those at the root.
fn shares(labels: &[LabelSize]) -> [f64; 6] {
    let all: u64 = labels.iter().map(|label| label.rows).sum();
    let mut shares = [0.0; 6];
    for label in labels {
        let share = label.share_of_domain;
        let place = match share {
            _ if label.values == 1 => 0,
            1.0 => 5,
            _ => {
                1 + SIZES
                    .iter()
                    .position(|&(most, _)| share <= most)
                    .unwrap_or(3)
            }
        };
        shares[place] += label.rows as f64 / all.max(1) as f64;
    }
    shares
}

/// A share in percent; a dash for zero.
fn percent(share: f64) -> String {
    if share == 0.0 {
        "-".to_owned()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}
