//! A recoding drawn on its taxonomy: the tree from the root down to the cut, every node as wide as
//! its share of the domain, and below it bars whose areas are the rows of each label.
//!
//! However large the tree is, the drawing is bounded: it ends at the cut, and adjacent nodes that
//! would be too narrow to see are drawn as one box with their number.

use maud::{Markup, html};

use super::ColumnCut;
use super::html::{Text, percent, wide};
use super::words::{Words, fill};
use crate::model::Node;

/// Boxes narrower than this many thousandths of the domain are too narrow to see.
const THIN: u64 = 6;
/// The most levels that are drawn.
const LEVELS: u32 = 12;
/// The height of a level, and of the rows below, in pixels.
const LEVEL: u32 = 24;
const ROWS: f64 = 48.0;
/// The width for which labels are shortened, and that of a letter: as on a screen and on paper.
const WIDTH: f64 = 680.0;
const LETTER: f64 = 7.0;

/// The content of a box.
enum Kind {
    /// A node above the cut.
    Above(Node),
    /// A node of the cut.
    Published(Node),
    /// This many adjacent labels of the cut.
    Several(u64),
}

/// A box: its level, its start and width in domain values, and the rows under it.
struct Box {
    kind: Kind,
    level: u32,
    from: u64,
    width: u64,
    rows: u64,
}

/// A subtree that is still to be drawn: its root, the number after its last node, its level and its
/// start.
#[derive(Clone, Copy)]
struct Part {
    node: Node,
    end: Node,
    level: u32,
    from: u64,
}

/// Boxes from left to right, upper ones first.
fn boxes(column: &ColumnCut) -> Vec<Box> {
    let (tree, nodes) = (column.tree, &column.nodes);
    let below = |from: Node, end: Node| {
        (nodes.partition_point(|&node| node < end) - nodes.partition_point(|&node| node < from))
            as u64
    };
    let mut drawn = Vec::new();
    let mut open = vec![Part {
        node: 0,
        end: tree.nodes() as Node,
        level: 0,
        from: 0,
    }];
    while let Some(Part {
        node,
        end,
        level,
        from,
    }) = open.pop()
    {
        let (width, rows) = (tree.values(node), column.shown.between(node, end));
        if nodes.binary_search(&node).is_ok() {
            drawn.push(Box {
                kind: Kind::Published(node),
                level,
                from,
                width,
                rows,
            });
            continue;
        }
        drawn.push(Box {
            kind: Kind::Above(node),
            level,
            from,
            width,
            rows,
        });
        let (mut inside, level, mut from) = (Vec::new(), level + 1, from);
        // Adjacent nodes that are drawn as one: the first node, the number after the last, their
        // start, their width.
        let mut thin: Option<(Node, Node, u64, u64)> = None;
        let children: Vec<Node> = tree.children(node).collect();
        for (at, &child) in children.iter().enumerate() {
            let (end, width) = (
                children.get(at + 1).copied().unwrap_or(end),
                tree.values(child),
            );
            let published = nodes.binary_search(&child).is_ok();
            let narrow =
                width * 1000 < tree.values(0) * THIN && !(published && children.len() == 1);
            if narrow || (level + 1 == LEVELS && !published) {
                thin = Some(
                    thin.map_or((child, end, from, width), |(first, _, from, sum)| {
                        (first, end, from, sum + width)
                    }),
                );
            } else {
                drawn.extend(thin.take().map(|part| several(part, level, below, column)));
                inside.push(Part {
                    node: child,
                    end,
                    level,
                    from,
                });
            }
            from += width;
        }
        drawn.extend(thin.take().map(|part| several(part, level, below, column)));
        open.extend(inside.into_iter().rev());
    }
    drawn
}

fn several(
    (first, end, from, width): (Node, Node, u64, u64),
    level: u32,
    below: impl Fn(Node, Node) -> u64,
    column: &ColumnCut,
) -> Box {
    let (labels, rows) = (below(first, end), column.shown.between(first, end));
    assert!(labels > 0, "what is drawn as one holds a label");
    let nodes = &column.nodes;
    let only = nodes[nodes.partition_point(|&node| node < first)];
    let kind = if labels == 1 {
        Kind::Published(only)
    } else {
        Kind::Several(labels)
    };
    Box {
        kind,
        level,
        from,
        width,
        rows,
    }
}

/// The scale of a drawing.
struct Frame {
    /// The number of values of the domain.
    domain: u64,
    levels: u32,
    /// The most rows per value.
    most: f64,
    /// In pixels.
    height: f64,
}

/// Draws a column.
pub(super) fn drawing(words: &Words, column: &ColumnCut) -> Markup {
    let boxes = boxes(column);
    let levels = boxes.iter().map(|drawn| drawn.level + 1).max().unwrap_or(1);
    let most = boxes
        .iter()
        .filter(|drawn| drawn.is_cut())
        .map(Box::density)
        .fold(0.0, f64::max);
    let height = f64::from(levels * LEVEL) + ROWS;
    let cut: u64 = boxes
        .iter()
        .filter(|drawn| drawn.is_cut())
        .map(|drawn| drawn.width)
        .sum();
    assert_eq!(
        cut,
        column.tree.values(0),
        "what is published covers the domain once"
    );
    let frame = Frame {
        domain: column.tree.values(0),
        levels,
        most,
        height,
    };
    let labels = words.many(column.nodes.len() as u64, words.published_label);
    let name = fill(
        words.drawing,
        &[("column", &Text(column.name)), ("labels", &labels)],
    );
    let drawing = html! {
        svg class="icicle" height=(height) role="img" aria-label=(name) {
            @for drawn in &boxes { (drawn.draw(words, column, &frame)) }
        }
    };
    wide(&name, drawing)
}

impl Box {
    fn draw(&self, words: &Words, column: &ColumnCut, frame: &Frame) -> Markup {
        let (from, width) = (
            percent(self.from, frame.domain),
            percent(self.width, frame.domain),
        );
        // Published labels reach down to the last level, so that the cut is one row without gaps.
        let (top, bottom) = (
            self.level * LEVEL,
            if self.is_cut() {
                frame.levels
            } else {
                self.level + 1
            } * LEVEL,
        );
        let class = match self.kind {
            Kind::Above(_) => "above",
            Kind::Published(_) => "published",
            Kind::Several(_) => "several",
        };
        let label = self.label(words, column, width * WIDTH / 100.0);
        let tall =
            (self.is_cut() && self.rows > 0).then(|| (ROWS - 4.0) * self.density() / frame.most);
        let [x, width] = [from, width].map(|part| format!("{part:.3}%"));
        html! {
            svg class=(class) x=(x) y=(top) width=(width) height=(bottom - top) {
                title { (self.title(words, column)) }
                rect width="100%" height="100%" {}
                @if !label.is_empty() { text x="5" y="16" { (Text(&label)) } }
            }
            @if let Some(tall) = tall {
                @let [y, height] = [frame.height - tall, tall].map(|length| format!("{length:.2}"));
                rect class="rows" x=(x) y=(y) width=(width) height=(height) {}
            }
        }
    }

    fn is_cut(&self) -> bool {
        !matches!(self.kind, Kind::Above(_))
    }

    /// Rows per value of the domain: a bar of this height has the area of its rows.
    fn density(&self) -> f64 {
        self.rows as f64 / self.width.max(1) as f64
    }

    /// The text that appears when a reader points at it.
    fn title(&self, words: &Words, column: &ColumnCut) -> Markup {
        let (values, rows) = (
            words.many(self.width, words.value),
            words.many(self.rows, words.row),
        );
        let (text, label) = match self.kind {
            Kind::Above(node) => (words.divided_further, column.tree.label(node)),
            Kind::Published(node) => (words.several_labels, column.tree.label(node)),
            Kind::Several(labels) => (words.several_labels, &*words.many(labels, words.label)),
        };
        fill(
            text,
            &[
                ("label", &Text(label)),
                ("values", &values),
                ("rows", &rows),
            ],
        )
    }

    /// As much of its label as fits; `None` if nothing does.
    fn label(&self, words: &Words, column: &ColumnCut, pixels: f64) -> String {
        let label = match self.kind {
            Kind::Above(node) | Kind::Published(node) => column.tree.label(node).to_owned(),
            Kind::Several(labels) => words.many(labels, words.label),
        };
        let room = ((pixels - 8.0) / LETTER).max(0.0) as usize;
        // A shortened count would be another count.
        let whole = matches!(self.kind, Kind::Several(_));
        if label.chars().count() <= room {
            label
        } else if whole || room < 4 {
            String::new()
        } else {
            label.chars().take(room - 1).chain(['…']).collect()
        }
    }
}
