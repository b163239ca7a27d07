//! A release under attack, with what is needed to name its parts. Of values nothing is known here.

use crate::engine::gate::refinement::{AttackedRows, Attacker, CarvedRelease, Layers, Names};
use crate::engine::histogram::describe;
use crate::engine::model::{Column, Columns, Node, Role};

/// What is attacked, and by whom.
pub struct AttackSubject {
    /// The file's name.
    pub name: String,
    /// All declared columns.
    pub columns: Columns,
    /// The quasi columns as layers.
    pub layers: Layers,
    /// Its classes, in the order in which they are shown.
    pub release: CarvedRelease,
    /// Who attacks.
    pub attacker: Attacker,
}

impl AttackSubject {
    /// What its targets are called.
    pub fn names(&self) -> Names<'_> {
        Names::new(&self.columns, &self.layers, &self.release)
    }

    /// The labels of a target.
    pub fn describe(&self, place: AttackedRows) -> String {
        describe(&self.names().nodes(place), &self.columns)
    }

    /// The quasi columns.
    pub fn quasi(&self) -> Vec<&Column> {
        self.columns.of(Role::Quasi).collect()
    }

    /// The label of a node of a quasi column.
    pub fn label(&self, column: usize, node: Node) -> &str {
        self.columns.trees()[column].label(node)
    }
}
