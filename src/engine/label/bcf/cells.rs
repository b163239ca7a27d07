//! The join of the new release with each earlier recoding, kept up to date during the search
//! (SCIENCE 2): which join cell each class of the new release is in, and by how many rows of each
//! sensitive value a cell exceeds the earlier releases (N_s). A specialisation above an earlier cut
//! splits the cells of its classes; one at or below that cut leaves every cell unchanged (BCF 5.2,
//! procedure 3).

use std::collections::BTreeMap;

use super::super::table::NodeSplit;
use super::groups::{self, Groups};
use crate::histogram::{NumberedClasses, Release};
use crate::model::Cut;

/// The earlier releases, grouped by recoding.
pub(super) struct PastReleases<'a> {
    /// All earlier releases.
    pub releases: &'a [Release],
    /// One view for each recoding.
    pub views: Vec<PastView<'a>>,
}

/// The earlier releases of one recoding.
pub(super) struct PastView<'a> {
    /// The cuts of the recoding.
    pub cuts: &'a [Cut],
    /// The releases, in order.
    pub stages: Vec<usize>,
    /// The classes of the recoding, as in the last of the releases.
    pub numbered: &'a NumberedClasses,
}

impl<'a> PastReleases<'a> {
    /// Groups releases by their recoding.
    pub(super) fn new(
        releases: &'a [Release],
        number: &[usize],
        numbered: &'a [NumberedClasses],
    ) -> PastReleases<'a> {
        assert_eq!(
            releases.len(),
            number.len(),
            "a number for the recoding of each release"
        );
        let view = |(recoding, numbered): (usize, &'a NumberedClasses)| PastView {
            cuts: releases[numbered.last()].recoding(),
            stages: (0..releases.len())
                .filter(|&at| number[at] == recoding)
                .collect(),
            numbered,
        };
        PastReleases {
            releases,
            views: numbered.iter().enumerate().map(view).collect(),
        }
    }

    /// For each view, the last release before `increment`, if there is one: (view, stage).
    pub(super) fn before(&self, increment: usize) -> Vec<(usize, usize)> {
        assert!(
            increment <= self.releases.len(),
            "an increment of the chain"
        );
        let last = |(at, view): (usize, &PastView<'_>)| {
            let earlier = view.stages.partition_point(|&release| release < increment);
            (earlier > 0).then(|| (at, earlier - 1))
        };
        self.views.iter().enumerate().filter_map(last).collect()
    }

    /// For each view, the first release from `increment` on, if there is one: (view, stage).
    pub(super) fn from(&self, increment: usize) -> Vec<(usize, usize)> {
        assert!(
            increment <= self.releases.len(),
            "an increment of the chain"
        );
        let first = |(at, view): (usize, &PastView<'_>)| {
            let stage = view.stages.partition_point(|&release| release < increment);
            (stage < view.stages.len()).then_some((at, stage))
        };
        self.views.iter().enumerate().filter_map(first).collect()
    }
}

/// A join cell of the new release and one earlier recoding.
#[derive(Clone)]
pub(super) struct JoinCell {
    /// The classes of the earlier recoding in this cell.
    classes: Vec<u32>,
    /// For each stage of the recoding, N_s: rows of the new release in the cell minus those of the
    /// earlier release.
    excess: Vec<Groups>,
}

impl JoinCell {
    fn new(past: &PastReleases<'_>, view: usize, classes: Vec<u32>, now: &Groups) -> JoinCell {
        let PastView {
            stages, numbered, ..
        } = &past.views[view];
        let excess = |&release: &usize| {
            let inside = classes
                .iter()
                .filter_map(|&id| numbered.in_release(release, id));
            let before: Vec<Groups> = inside
                .map(|class| groups::of(&past.releases[release], class))
                .collect();
            groups::minus(now, &groups::sum(&before))
        };
        JoinCell {
            excess: stages.iter().map(excess).collect(),
            classes,
        }
    }

    /// N_s against one stage.
    pub(super) fn excess(&self, stage: usize) -> &Groups {
        &self.excess[stage]
    }
}

/// The cell of each class of the new release, for one earlier recoding.
pub(super) struct CellsByClass {
    view: usize,
    cells: Vec<JoinCell>,
    of_class: Vec<usize>,
}

/// The cells after a specialisation: for each (cell, child) the new cell. `None` if no cell
/// changes.
pub(super) type NewCells = Option<BTreeMap<(usize, usize), JoinCell>>;

impl CellsByClass {
    /// The cells of the state in which all rows are in one class.
    pub(super) fn start(past: &PastReleases<'_>, view: usize, now: &Groups) -> CellsByClass {
        let classes = (0..past.views[view].numbered.len() as u32).collect();
        CellsByClass {
            view,
            cells: vec![JoinCell::new(past, view, classes, now)],
            of_class: vec![0],
        }
    }

    /// The cell of a class.
    pub(super) fn of(&self, class: u32) -> &JoinCell {
        &self.cells[self.of_class[class as usize]]
    }

    /// The cell of a child of a class after a specialisation.
    pub(super) fn after<'c>(&'c self, new: &'c NewCells, class: u32, child: usize) -> &'c JoinCell {
        let old = self.of_class[class as usize];
        new.as_ref()
            .map_or(&self.cells[old], |new| &new[&(old, child)])
    }

    /// The cells that a specialisation would make; `parts[i]` holds the groups of each child of
    /// `split.classes[i]`.
    pub(super) fn split(
        &self,
        past: &PastReleases<'_>,
        split: &NodeSplit,
        parts: &[Vec<Groups>],
    ) -> NewCells {
        assert_eq!(parts.len(), split.classes.len(), "the parts of each class");
        let view = &past.views[self.view];
        if view.cuts[split.column].at(split.first_leaf()) <= split.node {
            return None; // at or below the earlier cut
        }
        let mut inside: BTreeMap<(usize, usize), Vec<&Groups>> = BTreeMap::new();
        for (&class, parts) in split.classes.iter().zip(parts) {
            let old = self.of_class[class as usize];
            for (child, part) in parts
                .iter()
                .enumerate()
                .filter(|(_, part)| !part.is_empty())
            {
                inside.entry((old, child)).or_default().push(part);
            }
        }
        let release = &past.releases[view.numbered.last()];
        let cell = |((old, child), parts): ((usize, usize), Vec<&Groups>)| {
            let under =
                |&&id: &&u32| split.part_of_node(release.class(id as usize)[split.column]) == child;
            let classes = self.cells[old]
                .classes
                .iter()
                .filter(under)
                .copied()
                .collect();
            (
                (old, child),
                JoinCell::new(past, self.view, classes, &groups::sum(parts)),
            )
        };
        Some(inside.into_iter().map(cell).collect())
    }

    /// Takes over the cells of a specialisation that was made.
    pub(super) fn accept(
        &mut self,
        split: &NodeSplit,
        new: NewCells,
        made: &[Vec<(usize, usize)>],
    ) {
        assert_eq!(made.len(), split.classes.len(), "the parts of each class");
        let first = self.cells.len();
        let new = new.map(|new| {
            let (keys, cells): (Vec<_>, Vec<_>) = new.into_iter().unzip();
            self.cells.extend(cells);
            keys.into_iter().zip(first..).collect::<BTreeMap<_, _>>()
        });
        for (&class, made) in split.classes.iter().zip(made) {
            let old = self.of_class[class as usize];
            for &(child, class) in made {
                let cell = new.as_ref().map_or(old, |new| new[&(old, child)]);
                if class == self.of_class.len() {
                    self.of_class.push(cell);
                } else {
                    self.of_class[class] = cell;
                }
            }
        }
    }
}
