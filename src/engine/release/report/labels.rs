//! The published labels of a column as a table: what each means and how many rows show it. Long
//! lists are shortened to the labels with the most rows, and the rest is counted in one line.

use maud::{Markup, html};

use super::ColumnCut;
use super::html::{Text, bar, name, numbers, wide};
use super::words::{Words, fill};
use crate::model::Node;

/// The most labels of a list.
const ALL: usize = 24;
const SOME: usize = 16;
/// The most labels without rows that are listed nevertheless.
const FEW: usize = 3;

/// The table of one column.
pub(super) fn table(words: &Words, column: &ColumnCut) -> Markup {
    let (nodes, shown) = (&column.nodes, &column.shown);
    let listed = listed(column);
    let seen = nodes.iter().filter(|&&node| shown.at(node) > 0).count();
    let mut caption = html! { (words.many(nodes.len() as u64, words.published_label)) };
    if listed.len() < seen {
        let count = words.count(listed.len() as u64);
        caption = fill(
            words.label_caption_most,
            &[("labels", &caption), ("count", &count)],
        );
    }
    let sums = |nodes: &[Node]| {
        let values: u64 = nodes.iter().map(|&node| column.tree.values(node)).sum();
        (
            values,
            nodes.iter().map(|&node| shown.at(node)).sum::<u64>(),
        )
    };
    let ((values, rows), (all_values, _)) = (sums(&listed), sums(nodes));
    let rest = (nodes.len() - listed.len()) as u64;
    let rest_is_called = if listed.len() < seen {
        html! { (words.many(rest, words.more_label)) }
    } else {
        fill(
            words.without_rows,
            &[("labels", &words.many(rest, words.label))],
        )
    };
    let table = html! {
        table class="labels" {
            caption { (caption) }
            (head_of_parts(words, words.label_column, [words.values_in_it, words.rows, words.share]))
            tbody {
                @for &node in &listed {
                    (line(words, name(column.tree.label(node)), column.tree.values(node), (shown.at(node), shown.all())))
                }
                @if rest > 0 {
                    (line(words, html! { i { (rest_is_called) } }, all_values - values, (shown.all() - rows, shown.all())))
                }
            }
        }
    };
    wide(html! { (Text(column.name)) ": " (caption) }, table)
}

/// The head of a table whose last column shows shares as bars.
pub(super) fn head_of_parts(words: &Words, first: &str, numbers: [&str; 3]) -> Markup {
    html! {
        thead { tr {
            th scope="col" { (first) }
            @for number in numbers { th scope="col" class="number" { (number) } }
            th scope="col" class="graph" { span class="unseen" { (words.share_drawn) } }
        } }
    }
}

fn line(words: &Words, label: Markup, values: u64, (rows, all): (u64, u64)) -> Markup {
    html! {
        tr {
            th scope="row" { (label) }
            (numbers([words.count(values), words.count(rows), words.share(rows, all)]))
            td class="graph" { (bar(rows, all)) }
        }
    }
}

/// All labels, or those with rows, or those with the most rows (the earlier of equals), in
/// preorder.
fn listed(column: &ColumnCut) -> Vec<Node> {
    let mut nodes = column.nodes.clone();
    let seen = nodes
        .iter()
        .filter(|&&node| column.shown.at(node) > 0)
        .count();
    if nodes.len() > seen + FEW {
        nodes.retain(|&node| column.shown.at(node) > 0);
    }
    if nodes.len() > ALL {
        nodes.sort_by_key(|&node| std::cmp::Reverse(column.shown.at(node)));
        nodes.truncate(SOME);
        nodes.sort_unstable();
    }
    assert!(nodes.len() <= ALL, "a table that is read");
    nodes
}
