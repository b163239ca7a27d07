//! Draws a class as the boxes that its labels divide into one layer further down: the first column
//! from top to bottom, the second from left to right, and one drawing for each combination of the
//! others. The size of a drawing is bounded however large the class is.

use maud::{Markup, display, html};

use super::subject::AttackSubject;
use crate::engine::gate::refinement::{AttackTarget, HeldRows};
use crate::engine::release::html::{CountedNoun, GroupedDigits, Text};

/// The most boxes that are drawn of one class, and along one side.
const BOXES: usize = 512;
const SIDE: usize = 24;
/// The width of a box, and the room for labels beside and above it, in pixels.
const WIDTH: usize = 86;
const HEIGHT: usize = 30;
const BESIDE: usize = 96;
const ABOVE: usize = 18;
/// Letters that fit beside a box, and above it.
const LETTERS: [usize; 2] = [13, 12];

/// The number of rows in a box, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Earlier classes have taken the whole box.
    Gone,
    /// The box holds no row, whatever the rows are.
    Empty,
    /// The box certainly holds this many rows.
    Certain(u64),
    /// The number of rows is between these two.
    Open(u64, u64),
    /// The sampled numbers of rows were between these two; others may be possible.
    Drawn(u64, u64),
}

impl Known {
    fn of(held: Option<&HeldRows>) -> Known {
        let Some(support) = held.map(|held| held.support) else {
            return Known::Gone;
        };
        match (support.exact, support.certain()) {
            (true, Some(0)) => Known::Empty,
            (true, Some(rows)) => Known::Certain(rows),
            (true, None) => Known::Open(support.least, support.most),
            (false, _) => Known::Drawn(support.least, support.most),
        }
    }

    fn class(self, k: u64) -> &'static str {
        match self {
            Known::Gone => "gone",
            Known::Empty => "empty",
            Known::Certain(rows) if rows < k => "small",
            Known::Certain(_) => "certain",
            Known::Open(..) | Known::Drawn(..) => "open",
        }
    }

    fn shown(self) -> String {
        match self {
            Known::Gone => String::new(),
            Known::Empty => "0".to_owned(),
            Known::Certain(rows) => format!("= {rows}"),
            Known::Open(least, most) => format!("{least} – {most}"),
            Known::Drawn(least, most) => format!("{least} – {most} ?"),
        }
    }

    fn words(self) -> String {
        match self {
            Known::Gone => "covered by earlier classes".to_owned(),
            Known::Empty => "certainly empty".to_owned(),
            Known::Certain(rows) => format!("certainly {}", CountedNoun(rows, "row")),
            Known::Open(least, most) => format!("{least} to {most} rows"),
            Known::Drawn(least, most) => format!("{least} to {most} rows in the draws"),
        }
    }
}

/// The legend of the colours.
pub(super) fn key(k: u64) -> Markup {
    let small = format!("certain number of rows, smaller than k = {k}");
    let kinds = [
        (Known::Gone, "completely covered by earlier classes"),
        (Known::Empty, "certainly empty"),
        (
            Known::Open(0, k - 1),
            "minimum and maximum number of rows; ? marks a range that may be incomplete",
        ),
        (Known::Certain(1), &small),
        (Known::Certain(k), "certain number of rows"),
    ];
    html! {
        div class="key" { ul {
            @for (known, words) in kinds {
                li {
                    svg class="boxes" width=(WIDTH) height="24" aria-hidden="true" { (draw_box(known, (0, 0, 24), k)) }
                    " " (words)
                }
            }
        } }
    }
}

/// The rectangle and the figure of a box, at a position, with a height.
fn draw_box(known: Known, (x, y, height): (usize, usize, usize), k: u64) -> Markup {
    let (wide, tall) = (WIDTH - 3, height - 3);
    let shown = known.shown();
    html! {
        g class=(known.class(k)) {
            rect x=(x + 1) y=(y + 1) width=(wide) height=(tall) {}
            // Distinguishable without colours, too.
            @if known == Known::Gone { line x1=(x + 1) y1=(y + 1 + tall) x2=(x + 1 + wide) y2=(y + 1) {} }
            @if !shown.is_empty() { text class="middle" x=(x + WIDTH / 2) y=(y + height / 2 + 4) { (shown) } }
        }
    }
}

/// Draws a target.
pub(super) fn draw(target: &AttackTarget, subject: &AttackSubject) -> Markup {
    let labels = labels(target, subject);
    let sides: Vec<usize> = labels.iter().map(Vec::len).collect();
    let boxes = sides.iter().try_fold(1usize, |product, side| {
        product.checked_mul(*side).filter(|all| *all <= BOXES)
    });
    match boxes {
        _ if target.blocks.is_empty() => {
            html! { p { "The attack ran out of budget on its parts." } }
        }
        _ if sides.is_empty() => {
            html! { p { "A single cell, which cannot be divided: the attacker learns nothing." } }
        }
        Some(_) if sides.iter().take(2).all(|side| *side <= SIDE) => {
            plots(target, &labels, subject)
        }
        _ => {
            let certain = target
                .blocks
                .iter()
                .filter(|held| held.support.certain().is_some_and(|rows| rows > 0));
            let [all, certain] = [target.blocks.len(), certain.count()]
                .map(|boxes| display(GroupedDigits(boxes as u64)));
            html! {
                p {
                    "Too many parts to show: " (all) " with something free, " (certain)
                    " of them with a certain number of rows other than 0."
                }
            }
        }
    }
}

/// For each column that can be cut, the labels of its children.
fn labels<'s>(target: &AttackTarget, subject: &'s AttackSubject) -> Vec<Vec<&'s str>> {
    let names = subject.names();
    let children = |&column: &usize| {
        let nodes = (0..).map_while(|child| names.child(target.place, column, child));
        nodes.map(|node| subject.label(column, node)).collect()
    };
    target.columns.iter().map(children).collect()
}

fn plots(target: &AttackTarget, labels: &[Vec<&str>], subject: &AttackSubject) -> Markup {
    let others = &labels[labels.len().min(2)..];
    let number: usize = others.iter().map(Vec::len).product();
    let across = labels
        .get(1)
        .map(|_| format!(", {} from left to right", column(target, subject, 1)));
    let axes = format!(
        "{} from top to bottom{}",
        column(target, subject, 0),
        across.unwrap_or_default()
    );
    let chosen = |at: usize| {
        let mut left = at;
        let child = |labels: &Vec<&str>| {
            let child = left % labels.len();
            left /= labels.len();
            child
        };
        let mut chosen: Vec<usize> = others.iter().rev().map(child).collect();
        chosen.reverse();
        chosen
    };
    html! {
        p { (Text(&axes)) ":" }
        div class="plots" {
            @for at in 0..number { (plot(target, (labels, &chosen(at)), subject)) }
        }
    }
}

/// The name of a column that can be cut.
fn column<'s>(target: &AttackTarget, subject: &'s AttackSubject, at: usize) -> &'s str {
    subject.quasi()[target.columns[at]].name.as_ref()
}

/// One drawing, for one choice of children in all columns from the third on.
fn plot(
    target: &AttackTarget,
    (labels, chosen): (&[Vec<&str>], &[usize]),
    subject: &AttackSubject,
) -> Markup {
    let k = subject.release.k();
    let (down, across) = (&labels[0], labels.get(1));
    let (rows, columns) = (down.len(), across.map_or(1, Vec::len));
    let known = |row: usize, column: usize| {
        let children: Vec<usize> = [row, column]
            .into_iter()
            .take(labels.len())
            .chain(chosen.iter().copied())
            .collect();
        let found = target
            .blocks
            .binary_search_by(|held| held.children.cmp(&children));
        Known::of(found.ok().map(|at| &target.blocks[at]))
    };
    let fixed = |(at, &child): (usize, &usize)| {
        format!(
            "{} = {}",
            column(target, subject, at + 2),
            labels[at + 2][child]
        )
    };
    let fixed: Vec<String> = chosen.iter().enumerate().map(fixed).collect();
    let cell_text = |row: usize, column: usize| {
        let across = across.map_or(String::new(), |across| format!(", {}", across[column]));
        format!("{}{across}: {}", down[row], known(row, column).words())
    };
    let cell_texts = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let cell_texts: Vec<String> = cell_texts
        .map(|(row, column)| cell_text(row, column))
        .collect();
    let beside = if across.is_some() { ABOVE } else { 0 };
    let (width, height) = (BESIDE + columns * WIDTH, beside + rows * HEIGHT);
    let described = [&fixed[..], &cell_texts].concat().join("; ");
    html! {
        figure {
            @if !fixed.is_empty() { figcaption { (Text(&fixed.join("; "))) } }
            svg class="boxes" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img" aria-label=(Text(&described)) {
                @for (at, label) in across.into_iter().flatten().enumerate() {
                    text class="middle" x=(BESIDE + at * WIDTH + WIDTH / 2) y=(ABOVE - 5) { (Text(&cut(label, LETTERS[1]))) }
                }
                @for (row, label) in down.iter().enumerate() {
                    @let y = beside + row * HEIGHT;
                    text class="end" x=(BESIDE - 8) y=(y + HEIGHT / 2 + 4) { (Text(&cut(label, LETTERS[0]))) }
                    @for column in 0..columns {
                        g {
                            title { (Text(&cell_texts[row * columns + column])) }
                            (draw_box(known(row, column), (BESIDE + column * WIDTH, y, HEIGHT), k))
                        }
                    }
                }
            }
        }
    }
}

/// As many letters of a label as fit.
fn cut(label: &str, letters: usize) -> String {
    if label.chars().count() <= letters {
        return label.to_owned();
    }
    label.chars().take(letters - 1).chain(['…']).collect()
}
