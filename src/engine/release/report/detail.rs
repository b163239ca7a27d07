//! The remaining detail of each column if each class has labels of its own: how many rows show
//! labels of which size. A list of labels would not show this.

use maud::{Markup, html};

use super::ColumnCut;
use super::html::{head, name, numbers};
use super::words::{Words, fill};

/// The size limits of the kinds of labels, in percent of the column's values.
const SIZES: [u64; 4] = [10, 25, 50, 99];

/// The rows of a column by the size of their label: a single value, the kinds of `SIZES`, all
/// values.
fn rows(column: &ColumnCut) -> [u64; SIZES.len() + 2] {
    let (tree, domain) = (column.tree, column.tree.values(0));
    let mut rows = [0; SIZES.len() + 2];
    for &node in &column.nodes {
        let values = tree.values(node);
        let kind = match values {
            1 => 0,
            _ if values == domain => SIZES.len() + 1,
            _ => {
                let fits =
                    |&most: &u64| u128::from(values) * 100 <= u128::from(most) * u128::from(domain);
                1 + SIZES.iter().position(fits).unwrap_or(SIZES.len() - 1)
            }
        };
        rows[kind] += column.shown.at(node);
    }
    rows
}

/// The table over all columns.
pub(super) fn table(words: &Words, columns: &[ColumnCut]) -> Markup {
    let sizes = SIZES.iter().enumerate().map(|(at, most)| match at {
        0 => fill(words.share_of_domain_first, &[("most", most)]),
        3 => html! { (words.share_of_domain_rest) },
        _ => fill(words.share_of_domain, &[("most", most)]),
    });
    let kinds = [words.loss, words.value_itself]
        .map(|kind| html! { (kind) })
        .into_iter()
        .chain(sizes);
    html! {
        table {
            (head([words.column], kinds.chain([html! { (words.no_detail) }])))
            tbody {
                @for column in columns {
                    tr {
                        th scope="row" { (name(column.name)) }
                        td class="number" { (words.decimal(column.shown.loss(column.tree), 4)) }
                        (numbers(rows(column).map(|rows| words.share(rows, column.shown.all()))))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, Release, SensitiveValues};
    use crate::model::Tree;
    use crate::overview::Overview;
    use crate::utility::LabelCounts;

    #[test]
    fn rows_are_counted_by_the_size_of_their_label() {
        let mut tree = Tree::new("*");
        let half = tree.add(0, "half", 1);
        (0..2).for_each(|leaf| _ = tree.add(half, &format!("{leaf}"), 1));
        tree.add(0, "other", 2);
        let tree = tree.finish().expect("a tree");
        let (values, _) = SensitiveValues::from_distinct(0, vec![Vec::new().into()]);
        let cells = [3, 4, 5].map(|count| Cell {
            increment: 0,
            value: 0,
            count,
        });
        let table =
            Release::from_own_labels(&Histogram::of_counts(&[vec![0, 1, 2]], values, &cells));
        let table = Overview::of(&table);
        let column = ColumnCut {
            name: "column",
            tree: &tree,
            nodes: table.labels(0),
            shown: LabelCounts::of(&table, 0),
        };
        assert_eq!(rows(&column), [5, 0, 0, 4, 0, 3]);
    }
}
