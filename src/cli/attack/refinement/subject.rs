//! A release under attack, with what is needed to name its parts. This module knows no sensitive
//! values.

use crate::engine::gate::refinement::{AttackedRows, Attacker, CarvedRelease, Layers, Names};
use crate::engine::histogram::describe;
use crate::engine::model::{Column, Columns, Node, Role};

/// The attacked release and its attacker.
pub(super) struct AttackSubject {
    /// The file's name.
    pub name: String,
    /// All declared columns.
    pub columns: Columns,
    /// The quasi columns as layers.
    pub layers: Layers,
    /// The classes, in the order in which they are shown.
    pub release: CarvedRelease,
    /// The attacker.
    pub attacker: Attacker,
}

impl AttackSubject {
    /// The names of its targets.
    pub(super) fn names(&self) -> Names<'_> {
        Names::new(&self.columns, &self.layers, &self.release)
    }

    /// The labels of a target.
    pub(super) fn describe(&self, place: AttackedRows) -> String {
        describe(&self.names().nodes(place), &self.columns)
    }

    /// The quasi columns.
    pub(super) fn quasi(&self) -> Vec<&Column> {
        self.columns.of(Role::Quasi).collect()
    }

    /// The label of a node of a quasi column.
    pub(super) fn label(&self, column: usize, node: Node) -> &str {
        self.columns.trees()[column].label(node)
    }
}
