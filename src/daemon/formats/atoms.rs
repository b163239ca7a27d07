//! The places of people after a tick, as a sealed object (HOUSE 3): rows with their people, as long
//! as they are unpublished or the raw rows are kept.

use serde::{Deserialize, Serialize};

use super::aggregates::numbers;
use super::label_texts::{Classes, Cuts, Steps, carving, classes, labels, recoding, steps};
use super::row_columns::RowColumns;
use super::sealed_format::SealedFormat;
use crate::daemon::error::Result;
use crate::daemon::wiped_bytes::WipedBytes;
use crate::engine::feed::FixedTick;
use crate::engine::histogram::{Histogram, Release};
use crate::engine::measures::SumSuppression;
use crate::engine::model::{Carving, Leaf, Taxonomy};
use crate::engine::policy::Policy;

/// Rows by the tick of their arrival.
pub type RowsByTick = Vec<(u32, RowColumns)>;

/// The places of people after a tick.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Atoms {
    tick: u32,
    cut: Option<Cuts>,
    steps: Steps,
    proposed: Option<Cuts>,
    /// Classes with labels of their own, in the order in which they were formed.
    carving: Option<Classes>,
    /// People who wait.
    pub waiting: RowsByTick,
    /// People in the atoms that this tick formed.
    pub formed: RowsByTick,
    /// Whether the new people of this tick are published, so that the rows are not kept here any
    /// more: the counts have them.
    pub are_published: bool,
}

impl Atoms {
    /// From the decisions of a tick and its people.
    pub fn of(fixed: &FixedTick, [waiting, formed]: [RowsByTick; 2], trees: &[&Taxonomy]) -> Atoms {
        Atoms {
            tick: fixed.tick,
            cut: fixed.cut.as_ref().map(|cut| labels(cut, trees)),
            steps: fixed
                .steps
                .iter()
                .map(|&(column, node)| (column, trees[column].label(node).into()))
                .collect(),
            proposed: fixed.proposed.as_ref().map(|cut| labels(cut, trees)),
            carving: fixed
                .carving
                .as_ref()
                .map(|carving| classes(carving, trees)),
            waiting,
            formed,
            are_published: false,
        }
    }

    /// The tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Removes the classes that have no people left in the atoms of this tick.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn dissolved(&mut self, sensitive: usize, trees: &[&Taxonomy]) -> Result<()> {
        let (Some(carving), rows) = (
            carving(self.carving.as_ref(), trees)?,
            histogram(&self.formed, sensitive, trees)?,
        ) else {
            return Ok(());
        };
        let people = Release::carved(&rows, 0..u32::MAX, &carving, trees);
        let left = carving.without(|class| people.size_of(&carving.classes()[class]) == 0);
        self.carving = Some(classes(&left, trees));
        Ok(())
    }

    /// Removes leaf tuples that no person in the atoms of this tick has any more, if classes list
    /// their tuples.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn forget_tuples(&mut self, sensitive: usize, trees: &[&Taxonomy]) -> Result<()> {
        let Some(carving) = carving(self.carving.as_ref(), trees)?.filter(Carving::has_groups)
        else {
            return Ok(());
        };
        let people = histogram(&self.formed, sensitive, trees)?.headcount();
        let left = carving.with_tuples(|tuple| people.find(tuple).is_some());
        self.carving = Some(classes(&left, trees));
        Ok(())
    }

    /// The classes with labels of their own that formed.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn carved(&self, trees: &[&Taxonomy]) -> Result<Option<Carving>> {
        carving(self.carving.as_ref(), trees)
    }

    /// The bytes to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        SealedFormat::Atoms.bytes(self)
    }

    /// From the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<Atoms> {
        SealedFormat::Atoms.parse(bytes)
    }

    /// The decisions of the tick.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn fixed(
        &self,
        sensitive: usize,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Result<FixedTick> {
        let formed = histogram(&self.formed, sensitive, trees)?;
        Ok(FixedTick {
            tick: self.tick,
            cut: recoding(self.cut.as_ref(), trees)?,
            steps: steps(&self.steps, trees)?,
            waiting: histogram(&self.waiting, sensitive, trees)?,
            formed: Some(formed).filter(|formed| formed.rows() > 0),
            proposed: recoding(self.proposed.as_ref(), trees)?,
            carving: carving(self.carving.as_ref(), trees)?,
            turns: None,
            measures: self.measures(policy, trees)?,
        })
    }

    /// The aggregates of the measures of the people whose atoms formed, if there are measures; in
    /// policies without atoms, of the people who waited.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn measures(&self, policy: &Policy, trees: &[&Taxonomy]) -> Result<Option<Histogram>> {
        let people = if policy.forms() {
            &self.formed
        } else {
            &self.waiting
        };
        let Some(rows) = numbers(people, trees)?.filter(|rows| !rows.is_empty()) else {
            return Ok(None);
        };
        let suppression = SumSuppression::of(policy);
        if let Some(carving) = carving(self.carving.as_ref(), trees)? {
            let finder = carving.finder(trees);
            return Ok(Some(suppression.aggregates(&rows, |leaves| {
                finder.class(leaves).map(|(_, label)| label.to_vec())
            })));
        }
        let Some(cuts) = recoding(self.proposed.as_ref(), trees)? else {
            return Ok(None);
        };
        let class = |leaves: &[Leaf]| {
            Some(
                cuts.iter()
                    .zip(leaves)
                    .map(|(cut, &leaf)| cut.at(leaf))
                    .collect(),
            )
        };
        Ok(Some(suppression.aggregates(&rows, class)))
    }
}

/// Rows as counts.
///
/// # Errors
/// The taxonomies have changed.
pub fn histogram(rolls: &RowsByTick, sensitive: usize, trees: &[&Taxonomy]) -> Result<Histogram> {
    let part = |(since, roll): &(u32, RowColumns)| -> Result<Histogram> {
        Ok(roll.rows(trees)?.histogram(*since))
    };
    let parts = rolls.iter().map(part).collect::<Result<Vec<_>>>()?;
    Ok(Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(trees.len(), sensitive)))
}
