//! How much detail is left of each column where every crowd has labels of its own: how many rows show labels of which size.
//! There is no one list of labels that would tell it.

use super::Cutting;
use super::html::{Page, Share, Text, put};

/// The largest labels of a kind, as parts of 100 of the column's values, and the kind in words.
const SIZES: [(u64, &str); 4] =
    [(5, "up to 5\u{a0}% of all values"), (25, "up to 25\u{a0}%"), (50, "up to 50\u{a0}%"), (99, "more")];

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
                let fits = |&(most, _): &(u64, &str)| u128::from(values) * 100 <= u128::from(most) * u128::from(domain);
                1 + SIZES.iter().position(fits).unwrap_or(SIZES.len() - 1)
            }
        };
        rows[kind] += column.shown.at(node);
    }
    rows
}

/// The table over all columns.
pub fn write(page: &mut Page, columns: &[Cutting]) {
    put!(page, "<table>\n<thead><tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"number\">Loss</th>");
    put!(page, "<th scope=\"col\" class=\"number\">The value itself</th>");
    for (_, words) in SIZES {
        put!(page, "<th scope=\"col\" class=\"number\">{words}</th>");
    }
    put!(page, "<th scope=\"col\" class=\"number\">No detail left</th></tr></thead>\n<tbody>\n");
    for column in columns {
        put!(page, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", Text(column.name));
        put!(page, "<td class=\"number\">{:.4}</td>", column.shown.loss(column.tree));
        for rows in rows(column) {
            put!(page, "<td class=\"number\">{}</td>", Share(rows, column.shown.all()));
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n");
}

/// What a reader may do with such a table. `masked`: some values of sensitive columns may be others.
pub fn write_use(page: &mut Page, masked: bool) {
    let sensitive = match masked {
        true => {
            "Some values of guarded sets were replaced to protect people: their counts are approximate. All other columns that \
                 are not generalised are exact"
        }
        false => "Columns that are not generalised are exact",
    };
    put!(
        page,
        "<section>\n<h2>How to read and count</h2>\n<ul>\n\
        <li>A row that was published never changes. The next release holds it as it is and adds new rows, so work with the newest \
        release alone.</li>\n\
        <li>Labels of different crowds overlap: a person of 25 may be in a row that says <code>20-29</code> or in one that says \
        <code>0-59</code>. To count people aged 20 to 29, do not take the first kind alone.</li>\n\
        <li>Spread each row over the values of its label. Spreading evenly is a beginning; better, estimate how people are \
        distributed over the values (the distribution under which these labels are most likely) and spread rows by that, which \
        comes several times closer. That is sound because labels were not chosen by where in them people lie, but for the factor \
        that stands under <a href=\"#checks\">checks</a>.</li>\n\
        <li>{sensitive}.</li>\n</ul>\n</section>\n"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, Release, Values};
    use crate::model::Tree;
    use crate::release::overview::Overview;
    use crate::release::utility::Shown;

    #[test]
    fn rows_are_counted_by_the_size_of_their_label() {
        let mut tree = Tree::new("*");
        let half = tree.add(0, "half", 1);
        (0..2).for_each(|leaf| _ = tree.add(half, &format!("{leaf}"), 1));
        tree.add(0, "other", 2);
        let tree = tree.finish().expect("a tree");
        let (values, _) = Values::from_distinct(0, vec![Vec::new().into()]);
        let cells = [3, 4, 5].map(|count| Cell { increment: 0, value: 0, count });
        let table = Release::from_own_labels(&Histogram::of_counts(&[vec![0, 1, 2]], values, &cells));
        let table = Overview::of(&table);
        let column = Cutting { name: "column", tree: &tree, nodes: table.labels(0), shown: Shown::of(&table, 0) };
        assert_eq!(rows(&column), [5, 0, 0, 4, 0, 3]);
    }
}
