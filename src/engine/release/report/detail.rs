//! How much detail is left of each column where each class has labels of its own: how many rows show labels of which size. No one list
//! of labels would show this.

use super::Cutting;
use super::html::{Page, Text, put};
use super::words::{Words, fill};

/// The largest labels of a kind, as parts of 100 of the column's values.
const SIZES: [u64; 4] = [10, 25, 50, 99];

/// Rows of a column by the size of their label: the value itself, the kinds of `SIZES`, everything.
fn rows(column: &Cutting) -> [u64; SIZES.len() + 2] {
    let (tree, domain) = (column.tree, column.tree.values(0));
    let mut rows = [0; SIZES.len() + 2];
    for &node in &column.nodes {
        let values = tree.values(node);
        let kind = match values {
            1 => 0,
            _ if values == domain => SIZES.len() + 1,
            _ => {
                let fits = |&most: &u64| u128::from(values) * 100 <= u128::from(most) * u128::from(domain);
                1 + SIZES.iter().position(fits).unwrap_or(SIZES.len() - 1)
            }
        };
        rows[kind] += column.shown.at(node);
    }
    rows
}

/// The table over all columns.
pub fn write(page: &mut Page, words: &Words, columns: &[Cutting]) {
    put!(page, "<table>\n<thead><tr><th scope=\"col\">{}</th>", words.column);
    let sizes = SIZES.iter().enumerate().map(|(at, most)| match at {
        0 => fill(words.share_of_domain_first, &[("most", most)]),
        3 => words.share_of_domain_rest.to_owned(),
        _ => fill(words.share_of_domain, &[("most", most)]),
    });
    let names = [words.loss.to_owned(), words.value_itself.to_owned()].into_iter().chain(sizes);
    for name in names.chain([words.no_detail.to_owned()]) {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for column in columns {
        put!(page, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", Text(column.name));
        put!(page, "<td class=\"number\">{}</td>", words.decimal(column.shown.loss(column.tree), 4));
        for rows in rows(column) {
            put!(page, "<td class=\"number\">{}</td>", words.share(rows, column.shown.all()));
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, Release, SensitiveValues};
    use crate::model::Tree;
    use crate::release::overview::Overview;
    use crate::release::utility::LabelCounts;

    #[test]
    fn rows_are_counted_by_the_size_of_their_label() {
        let mut tree = Tree::new("*");
        let half = tree.add(0, "half", 1);
        (0..2).for_each(|leaf| _ = tree.add(half, &format!("{leaf}"), 1));
        tree.add(0, "other", 2);
        let tree = tree.finish().expect("a tree");
        let (values, _) = SensitiveValues::from_distinct(0, vec![Vec::new().into()]);
        let cells = [3, 4, 5].map(|count| Cell { increment: 0, value: 0, count });
        let table = Release::from_own_labels(&Histogram::of_counts(&[vec![0, 1, 2]], values, &cells));
        let table = Overview::of(&table);
        let column = Cutting { name: "column", tree: &tree, nodes: table.labels(0), shown: LabelCounts::of(&table, 0) };
        assert_eq!(rows(&column), [5, 0, 0, 4, 0, 3]);
    }
}
