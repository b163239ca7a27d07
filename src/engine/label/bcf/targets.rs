//! The targets that the new release must leave with enough candidates (SCIENCE 3): for every
//! published increment, every tuple of mutually comparable classes that its people may be in, with
//! the bound M_i(s) that the earlier releases set without the new one. With one earlier release the
//! targets are its classes. As in the paper, each class of every earlier release is also a target
//! on its own; among releases under one recoding, the first state of a class is the strictest.
//!
//! Comparable classes form a chain in every column, so a tuple is comparable to a class of the new
//! release exactly if its finest nodes are.

use super::cells::PastReleases;
use super::groups::{self, Groups};
use crate::histogram::{Excess, JoinCells};
use crate::model::{Node, Taxonomy};

/// The most tuples that are examined.
const MOST: usize = 4_000_000;

/// Targets on which the same earlier releases have a bearing.
pub(super) struct Family {
    /// The increment of the targets; `None` for all people of one earlier release.
    pub increment: Option<usize>,
    /// The newest release of each recoding before that increment: (view, stage).
    pub before: Vec<(usize, usize)>,
    width: usize,
    /// The finest nodes of target t: `keys[t * width..][..width]`.
    keys: Vec<Node>,
    /// The bound of each target, by sensitive value.
    pub left: Vec<Groups>,
}

impl Family {
    /// The finest nodes of a target.
    pub(super) fn key(&self, target: u32) -> &[Node] {
        &self.keys[target as usize * self.width..][..self.width]
    }

    fn push(&mut self, key: &[Node], left: Groups) {
        self.keys.extend_from_slice(key);
        self.left.push(left);
    }
}

/// All targets; `None` if there are too many.
pub(super) fn families(
    past: &PastReleases<'_>,
    trees: &[&Taxonomy],
    values: usize,
) -> Option<Vec<Family>> {
    let n = past.releases.len();
    let mut families = (0..n)
        .map(|at| tuples(past, at, trees, values))
        .collect::<Option<Vec<_>>>()?;
    if n > 1 {
        families.extend((0..past.views.len()).map(|view| classes(past, view, trees.len())));
    }
    (families
        .iter()
        .map(|family| family.left.len())
        .sum::<usize>()
        <= MOST)
        .then_some(families)
}

/// The classes of one recoding, each in its first state.
fn classes(past: &PastReleases<'_>, view: usize, width: usize) -> Family {
    let mut family = Family {
        increment: None,
        before: Vec::new(),
        width,
        keys: Vec::new(),
        left: Vec::new(),
    };
    let view = &past.views[view];
    for id in 0..view.numbered.len() as u32 {
        let first = |&release: &usize| Some((release, view.numbered.in_release(release, id)?));
        let (release, class) = view
            .stages
            .iter()
            .find_map(first)
            .expect("a class is at least in the last release");
        family.push(
            past.releases[release].class(class),
            groups::of(&past.releases[release], class),
        );
    }
    family
}

/// The tuples of mutually comparable classes for people of one increment.
fn tuples(
    past: &PastReleases<'_>,
    increment: usize,
    trees: &[&Taxonomy],
    values: usize,
) -> Option<Family> {
    let release = |(view, stage): (usize, usize)| past.views[view].stages[stage];
    let views: Vec<usize> = past.from(increment).into_iter().map(release).collect();
    let before = past.before(increment);
    let earlier: Vec<usize> = before.iter().copied().map(release).collect();
    let (&first, more) = views
        .split_first()
        .expect("the increment's own release is one of them");
    let start = bounds(past, first, &earlier, trees, values);
    let mut partial: Vec<(u32, Vec<Node>, Groups)> = (0..)
        .zip(start)
        .map(|(class, left)| {
            (
                class,
                past.releases[first].class(class as usize).to_vec(),
                left,
            )
        })
        .collect();
    for &next in more {
        let bounds = bounds(past, next, &earlier, trees, values);
        let (mine, other) = (&past.releases[first], &past.releases[next]);
        let cells = JoinCells::of(mine, other, trees);
        let mut longer = Vec::new();
        for (class, key, left) in partial {
            for &with in cells.later(cells.of_earlier(class as usize)) {
                if let Some(key) = finest(&key, other.class(with as usize), trees) {
                    longer.push((class, key, groups::least(&left, &bounds[with as usize])));
                }
            }
            if longer.len() > MOST {
                return None;
            }
        }
        partial = longer;
    }
    let mut family = Family {
        increment: Some(increment),
        before,
        width: trees.len(),
        keys: Vec::new(),
        left: Vec::new(),
    };
    partial
        .into_iter()
        .for_each(|(_, key, left)| family.push(&key, left));
    Some(family)
}

/// For each class of a release the bounds that it sets by itself: |g|, and N_s against each of
/// these earlier releases.
fn bounds(
    past: &PastReleases<'_>,
    release: usize,
    earlier: &[usize],
    trees: &[&Taxonomy],
    values: usize,
) -> Vec<Groups> {
    let later = &past.releases[release];
    let mut bounds: Vec<Groups> = (0..later.classes())
        .map(|class| groups::of(later, class))
        .collect();
    for &before in earlier {
        let before = &past.releases[before];
        let cells = JoinCells::of(before, later, trees);
        let excess = Excess::of(&cells, before, later, values)
            .expect("earlier releases are supersets of each other");
        for (class, bound) in bounds.iter_mut().enumerate() {
            let cell = cells.of_later(class);
            bound
                .iter_mut()
                .for_each(|(value, rows)| *rows = (*rows).min(excess.rows(cell, *value)));
            bound.retain(|&(_, rows)| rows > 0);
        }
    }
    bounds
}

/// The finer node in each column of two comparable classes; `None` if they are not comparable.
fn finest(a: &[Node], b: &[Node], trees: &[&Taxonomy]) -> Option<Vec<Node>> {
    assert_eq!(
        (a.len(), b.len()),
        (trees.len(), trees.len()),
        "one node for each column"
    );
    let finer = |((&a, &b), tree): ((&Node, &Node), &&Taxonomy)| {
        tree.covers(a.min(b), a.max(b)).then_some(a.max(b))
    };
    a.iter().zip(b).zip(trees).map(finer).collect()
}
