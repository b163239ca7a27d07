//! Every world of a tiny release, one by one: the owner of each row. A reader knows the release,
//! the people with their leaves, and that no class could have been published with the leaves of its
//! people. The audit's result must follow from the remaining worlds.
//!
//! A row of q1 may be under `q1`, `Q` or `*`, so that classes overlap.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use proptest::prelude::*;
use tidegate::engine::audit::Guards;
use tidegate::engine::histogram::{CellReading, Encoder, Histogram, Release};
use tidegate::engine::model::{Column, Columns, Domain, Kind, LeafRule};

use crate::common::{self, Row};

/// One tree: q1 and q2 below Q, q3 and q4 below P, all below `*`.
pub const LEAVES: [&str; 4] = ["q1", "q2", "q3", "q4"];

/// Labels above a leaf, and itself.
fn labels(leaf: usize) -> [&'static str; 3] {
    [LEAVES[leaf], ["Q", "P"][leaf / 2], "*"]
}

/// A row: the leaf of its owner, how far it was generalised, its value.
pub type Made = (usize, usize, usize);

/// A guarded set has one value.
pub const VALUES: [&str; 3] = ["HIV", "Flu", "Cold"];

/// Numbers in place of the values.
pub const NUMBERS: [&str; 3] = ["-1.5", "0.2", "2"];

pub struct World {
    pub columns: Columns,
    pub release: Release,
    pub raw: Histogram,
    rows: Vec<Made>,
    /// Generalised labels that rows have.
    classes: Vec<&'static str>,
}

/// Rows by value, in the order of [`VALUES`].
pub type Counts = [u64; 3];

/// Whether people of a leaf with such rows violate the requirement.
pub type Violates<'v> = &'v dyn Fn(usize, &Counts) -> bool;

impl World {
    /// A guarded set of the first value, if anything is guarded.
    pub fn of(rows: &[Made], values: [&str; 3], guarded: bool) -> World {
        let tree = common::taxonomy(
            &serde_json::json!({"*": {"Q": {"q1": {}, "q2": {}}, "P": {"q3": {}, "q4": {}}}}),
        );
        let mut all: Vec<Column> = common::columns(vec![tree]).iter().cloned().collect();
        all[1].guarded = if guarded {
            vec![vec![values[0].into()]]
        } else {
            Vec::new()
        };
        all[1].kind = if values == NUMBERS {
            Kind::Float
        } else {
            Kind::String
        };
        let below = serde_json::json!({"all": {"X": {"HIV": {}, "Flu": {}}, "Cold": {}}});
        let domain = Domain {
            tree: common::taxonomy(&below),
            rule: LeafRule::Label,
        };
        all[1].taxonomy = (values == VALUES).then(|| Arc::new(domain));
        let columns = Columns::new(all);
        let text = |label: &str, value: usize| (vec![label.to_owned()], values[value].to_owned());
        let shown: Vec<Row> = rows
            .iter()
            .map(|&(leaf, up, value)| text(labels(leaf)[up], value))
            .collect();
        let raw: Vec<Row> = rows
            .iter()
            .map(|&(leaf, _, value)| text(LEAVES[leaf], value))
            .collect();
        let read = |reading, rows: &[Row]| {
            Histogram::of(
                &Encoder::new(&columns, reading),
                0,
                &[common::batch(rows, 1)],
            )
            .expect("rows that fit")
        };
        let release = Release::from_own_labels(&read(CellReading::Labels { text: true }, &shown));
        let raw = read(CellReading::Text, &raw);
        let mut classes: Vec<&str> = rows
            .iter()
            .filter(|row| row.1 > 0)
            .map(|row| labels(row.0)[row.1])
            .collect();
        classes.sort_unstable();
        classes.dedup();
        World {
            release,
            raw,
            columns,
            rows: rows.to_vec(),
            classes,
        }
    }

    /// People of a leaf.
    pub fn people(&self, leaf: usize) -> u64 {
        self.rows.iter().filter(|row| row.0 == leaf).count() as u64
    }

    /// What people guard, row by row: a label above the values or nothing.
    pub fn guards(&self, named: &[&str]) -> Guards {
        let columns = Guards::columns(&self.columns, "node").expect("one sensitive taxonomy");
        let rows: Vec<Row> = self
            .rows
            .iter()
            .map(|row| (vec![LEAVES[row.0].to_owned()], VALUES[row.2].to_owned()))
            .collect();
        let mut batch: Vec<(String, ArrayRef)> = common::batch(&rows, 1)
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .zip(common::batch(&rows, 1).columns().iter().cloned())
            .collect();
        batch.push((
            "node".into(),
            Arc::new(StringArray::from_iter_values(named.iter())),
        ));
        let batch = RecordBatch::try_from_iter(batch).expect("columns of one length");
        let rows = Histogram::of(&Encoder::new(&columns, CellReading::Text), 0, &[batch])
            .expect("rows that fit");
        Guards::of(&rows, &self.columns).expect("labels of the taxonomy")
    }

    /// By enumeration, for people of a leaf: the number of remaining worlds, and their rows by
    /// value over all of these. Without a world no class can have been generalised for this
    /// requirement.
    pub fn by_hand(&self, leaf: usize, violates: Violates<'_>) -> (u64, Counts) {
        let group = self.group(leaf);
        let all = self.worlds();
        let reason = |owners: &[usize], class: &str| self.has_reason(owners, class, violates);
        // A class that violates the requirement in no world excludes none, unless no class of the
        // group does.
        let asked: Vec<&str> = group
            .iter()
            .copied()
            .filter(|class| all.iter().any(|owners| reason(owners, class)))
            .collect();
        if asked.is_empty() && !group.is_empty() {
            return (0, [0; 3]);
        }
        let (mut total, mut held) = (0, [0; 3]);
        for owners in all
            .iter()
            .filter(|owners| asked.iter().all(|class| reason(owners, class)))
        {
            total += 1;
            let own = owners
                .iter()
                .zip(&self.rows)
                .filter(|(owner, _)| **owner == leaf);
            own.for_each(|(_, row)| held[row.2] += 1);
        }
        (total, held)
    }

    /// Per world the leaf of each row's owner; people of one leaf are equal.
    fn worlds(&self) -> Vec<Vec<usize>> {
        let mut worlds = vec![Vec::new()];
        for row in 0..self.rows.len() {
            let place = |owners: Vec<usize>| {
                let free = |leaf: &usize| {
                    let taken = owners.iter().filter(|owner| *owner == leaf).count() as u64;
                    taken < self.people(*leaf) && labels(*leaf).contains(&self.label(row))
                };
                let leaves: Vec<usize> = (0..4).filter(free).collect();
                leaves
                    .into_iter()
                    .map(move |leaf| [&owners[..], &[leaf]].concat())
                    .collect::<Vec<_>>()
            };
            worlds = worlds.into_iter().flat_map(place).collect();
        }
        worlds
    }

    fn label(&self, row: usize) -> &'static str {
        let (leaf, up, _) = self.rows[row];
        labels(leaf)[up]
    }

    /// Classes that may contain rows of the same people, starting from those of one leaf.
    fn group(&self, leaf: usize) -> Vec<&'static str> {
        let hidden = |leaf: usize| {
            let shown = (0..self.rows.len())
                .filter(|&row| self.label(row) == LEAVES[leaf])
                .count() as u64;
            self.people(leaf) > shown
        };
        let (mut leaves, mut group) = (vec![leaf], Vec::new());
        while let Some(leaf) = leaves.pop().filter(|&leaf| hidden(leaf)) {
            let new = |class: &&'static str| labels(leaf).contains(class) && !group.contains(class);
            let new: Vec<&str> = self.classes.iter().copied().filter(new).collect();
            leaves.extend((0..4).filter(|&other| {
                hidden(other) && new.iter().any(|class| labels(other).contains(class))
            }));
            group.extend(new);
        }
        group
    }

    /// Whether a class, with its original rows beside the published ones, violates the requirement.
    fn has_reason(&self, owners: &[usize], class: &str, violates: Violates<'_>) -> bool {
        (0..4).any(|leaf| {
            let (mut counts, mut here) = ([0; 3], false);
            for row in (0..owners.len()).filter(|&row| owners[row] == leaf) {
                let label = self.label(row);
                if label == class || label == LEAVES[leaf] {
                    counts[self.rows[row].2] += 1;
                    here |= label == class;
                }
            }
            here && violates(leaf, &counts)
        })
    }
}

/// Up to seven rows.
pub fn rows() -> impl Strategy<Value = Vec<Made>> {
    prop::collection::vec(
        (
            0..4usize,
            prop_oneof![Just(0usize), Just(1), Just(1), Just(2)],
            0..3usize,
        ),
        1..8,
    )
}
