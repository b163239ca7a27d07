//! The published labels of a column as a table: what each stands for and how many rows show it. Long lists are cut to the
//! labels with the most rows, and the rest is counted in one line.

use super::Cutting;
use super::html::{Bar, Count, Many, Page, Share, Text, put};
use crate::model::Node;

/// Longer lists are cut, and to how many labels.
const ALL: usize = 24;
const SOME: usize = 16;
/// Labels without rows that are listed all the same.
const FEW: usize = 3;

/// The table of one column.
pub fn write(page: &mut Page, column: &Cutting, rows: u64) {
    let listed = listed(column);
    put!(page, "<table class=\"labels\">\n<caption>{}", Many(column.nodes.len() as u64, "published label"));
    let seen = column.nodes.iter().filter(|&&node| column.shown.at(node) > 0).count();
    if listed.len() < seen {
        put!(page, "; the {} with the most rows, in the order of the taxonomy", Count(listed.len() as u64));
    }
    put!(
        page,
        "</caption>\n<thead><tr><th scope=\"col\">Label</th><th scope=\"col\" class=\"number\">Values in it</th>"
    );
    put!(page, "<th scope=\"col\" class=\"number\">Rows</th><th scope=\"col\" class=\"number\">Share</th>");
    put!(
        page,
        "<th scope=\"col\" class=\"graph\"><span class=\"unseen\">Share, drawn</span></th></tr></thead>\n<tbody>\n"
    );
    let (mut values, mut shown) = (column.nodes.iter().map(|&node| column.tree.values(node)).sum::<u64>(), 0);
    for &node in &listed {
        values -= column.tree.values(node);
        shown += column.shown.at(node);
        let label = format!("<bdi>{}</bdi>", Text(column.tree.label(node)));
        line(page, &label, column.tree.values(node), column.shown.at(node), rows);
    }
    if listed.len() < column.nodes.len() {
        let rest = column.nodes.len() - listed.len();
        let more = if listed.len() < seen { "more label" } else { "label" };
        let nobody = if listed.len() < seen { "" } else { " without rows" };
        let label = format!("<i>{}{nobody}</i>", Many(rest as u64, more));
        line(page, &label, values, rows - shown, rows);
    }
    put!(page, "</tbody>\n</table>\n");
}

fn line(page: &mut Page, label: &str, values: u64, rows: u64, all: u64) {
    put!(page, "<tr><th scope=\"row\">{label}</th><td class=\"number\">{}</td>", Count(values));
    put!(page, "<td class=\"number\">{}</td><td class=\"number\">{}</td>", Count(rows), Share(rows, all));
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
