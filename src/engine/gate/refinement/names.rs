//! The names of targets and of their parts: by labels, as everywhere in reports. Besides `labels`
//! the only file of this room that knows taxonomies.

use super::labels::Layers;
use super::release::{AttackedRows, CarvedRelease};
use super::target::{AttackTarget, SegmentPart};
use crate::histogram::describe;
use crate::model::{Columns, Node};

/// Names of a release's targets.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    columns: &'a Columns,
    layers: &'a Layers,
    release: &'a CarvedRelease,
}

impl<'a> Names<'a> {
    /// For a release that was made of these layers, which belong to these columns.
    pub fn new(columns: &'a Columns, layers: &'a Layers, release: &'a CarvedRelease) -> Names<'a> {
        Names {
            columns,
            layers,
            release,
        }
    }

    /// The columns.
    pub fn columns(&self) -> &'a Columns {
        self.columns
    }

    /// The release.
    pub fn release(&self) -> &'a CarvedRelease {
        self.release
    }

    /// The node per quasi column.
    pub fn nodes(&self, place: AttackedRows) -> Vec<Node> {
        let places = self.release.nodes(place).into_iter().enumerate();
        places
            .map(|(column, place)| self.layers.node(column, place))
            .collect()
    }

    /// The child of a node of a target in a column.
    pub fn child(&self, place: AttackedRows, column: usize, child: usize) -> Option<Node> {
        self.layers
            .child(column, self.release.nodes(place)[column], child)
    }

    /// A target, or a part of it.
    pub fn of(&self, target: &AttackTarget, part: Option<SegmentPart>) -> String {
        let mut nodes = self.nodes(target.place);
        let lowered: Vec<(usize, usize)> = match part {
            None => Vec::new(),
            Some(SegmentPart::Slab(at, child)) => vec![(target.columns[at], child)],
            Some(SegmentPart::Cell(at) | SegmentPart::Block(at)) => target
                .columns
                .iter()
                .copied()
                .zip(target.blocks[at].children.iter().copied())
                .collect(),
        };
        for (column, child) in lowered {
            nodes[column] = self
                .child(target.place, column, child)
                .unwrap_or(nodes[column]);
        }
        let labels = describe(&nodes, self.columns);
        match (part, target.place) {
            (None, AttackedRows::Class(_)) => format!("class {labels}"),
            (None, AttackedRows::Outliers) if self.release.rule().is_unordered() => {
                format!("class {labels}")
            }
            (None, AttackedRows::Outliers) => "the outliers".to_owned(),
            (Some(SegmentPart::Cell(_)), _) => format!("one cell in {labels}"),
            (Some(_), _) => labels,
        }
    }
}
