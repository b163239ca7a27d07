//! The published labels of a column as a table: what each stands for and how many rows show it. Long lists are cut to the
//! labels with the most rows, and the rest is counted in one line.

use super::Cutting;
use super::html::{Bar, Page, Text, WideSection, put};
use super::words::{Words, fill};
use crate::model::Node;

/// Longer lists are cut, and to how many labels.
const ALL: usize = 24;
const SOME: usize = 16;
/// Labels without rows that are listed all the same.
const FEW: usize = 3;

/// The table of one column.
pub fn write(page: &mut Page, words: &Words, column: &Cutting) {
    let listed = listed(column);
    let seen = column.nodes.iter().filter(|&&node| column.shown.at(node) > 0).count();
    let mut caption = words.many(column.nodes.len() as u64, words.published_label);
    if listed.len() < seen {
        let count = words.count(listed.len() as u64);
        caption = fill(words.label_caption_most, &[("labels", &caption), ("count", &count)]);
    }
    let name = format!("{}: {caption}", Text(column.name));
    put!(page, "{}<table class=\"labels\">\n<caption>{caption}</caption>\n<thead><tr>", WideSection(&name));
    put!(page, "<th scope=\"col\">{}</th>", words.label_column);
    for name in [words.values_in_it, words.rows, words.share] {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "<th scope=\"col\" class=\"graph\"><span class=\"unseen\">{}</span></th>", words.share_drawn);
    put!(page, "</tr></thead>\n<tbody>\n");
    let (mut values, mut shown) = (column.nodes.iter().map(|&node| column.tree.values(node)).sum::<u64>(), 0);
    for &node in &listed {
        values -= column.tree.values(node);
        shown += column.shown.at(node);
        let label = format!("<bdi>{}</bdi>", Text(column.tree.label(node)));
        line(page, words, &label, column.tree.values(node), (column.shown.at(node), column.shown.all()));
    }
    if listed.len() < column.nodes.len() {
        let rest = (column.nodes.len() - listed.len()) as u64;
        let label = if listed.len() < seen {
            words.many(rest, words.more_label)
        } else {
            fill(words.without_rows, &[("labels", &words.many(rest, words.label))])
        };
        let (label, all) = (format!("<i>{label}</i>"), column.shown.all());
        line(page, words, &label, values, (all - shown, all));
    }
    put!(page, "</tbody>\n</table>\n</div>\n");
}

fn line(page: &mut Page, words: &Words, label: &str, values: u64, (rows, all): (u64, u64)) {
    put!(page, "<tr><th scope=\"row\">{label}</th><td class=\"number\">{}</td>", words.count(values));
    put!(page, "<td class=\"number\">{}</td>", words.count(rows));
    put!(page, "<td class=\"number\">{}</td>", words.share(rows, all));
    put!(page, "<td class=\"graph\">{}</td></tr>\n", Bar(rows, all));
}

/// All labels, or those with rows, or those with the most rows (the earlier of equals), in preorder.
fn listed(column: &Cutting) -> Vec<Node> {
    let mut nodes = column.nodes.clone();
    let seen = nodes.iter().filter(|&&node| column.shown.at(node) > 0).count();
    if nodes.len() > seen + FEW {
        nodes.retain(|&node| column.shown.at(node) > 0);
    }
    if nodes.len() > ALL {
        nodes.sort_by_key(|&node| std::cmp::Reverse(column.shown.at(node)));
        nodes.truncate(SOME);
        nodes.sort_unstable();
    }
    nodes
}
