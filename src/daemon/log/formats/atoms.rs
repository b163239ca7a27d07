//! The places of people after a tick, as a sealed object (HOUSE 3): rows with their people, as long
//! as they are unpublished or the raw rows are kept.

use serde::{Deserialize, Serialize};

use super::aggregates::numbers;
use super::label_texts::{Classes, CourseTexts, carving, classes};
use super::row_columns::RowColumns;
use super::sealed_format::SealedFormat;
use crate::engine::feed::{FixedTick, Increment};
use crate::engine::histogram::{Histogram, Release};
use crate::engine::label::LabellerMemory;
use crate::engine::measures::SumSuppression;
use crate::engine::model::{Carving, Leaf, Taxonomy};
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::wiped_bytes::WipedBytes;

/// Rows by the tick of their arrival.
pub type RowsByTick = Vec<(u32, RowColumns)>;

/// The places of people after a tick.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Atoms {
    tick: u32,
    /// The recoding that labels all ticks; `None` until it is found, and with other labellers.
    standing: Option<CourseTexts>,
    /// The recoding whose classes the atoms are; `None` if they have labels of their own.
    course: Option<CourseTexts>,
    /// The labels of the atoms, in the order in which they were formed; none if none formed.
    labels: Classes,
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
        let atoms = fixed.formed.as_ref();
        let course = atoms.and_then(|atoms| atoms.course.as_ref());
        let none = Carving::default();
        let labels = atoms.and_then(|atoms| atoms.labels.as_ref());
        Atoms {
            tick: fixed.tick,
            standing: fixed.memory.recoding().map(|of| CourseTexts::of(of, trees)),
            course: course.map(|of| CourseTexts::of(of, trees)),
            labels: classes(labels.unwrap_or(&none), trees),
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
        let labels = self.labels(trees)?;
        let rows = histogram(&self.formed, sensitive, trees)?;
        let people = Release::carved(&rows, 0..u32::MAX, &labels, trees);
        let left = labels.without(|class| people.size_of(&labels.classes()[class]) == 0);
        self.labels = classes(&left, trees);
        Ok(())
    }

    /// Removes leaf tuples that no person in the atoms of this tick has any more, if classes list
    /// their tuples.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn forget_tuples(&mut self, sensitive: usize, trees: &[&Taxonomy]) -> Result<()> {
        let labels = self.labels(trees)?;
        if !labels.has_groups() {
            return Ok(());
        }
        let people = histogram(&self.formed, sensitive, trees)?.headcount();
        let left = labels.with_tuples(|tuple| people.find(tuple).is_some());
        self.labels = classes(&left, trees);
        Ok(())
    }

    /// The labels of the atoms that formed.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn labels(&self, trees: &[&Taxonomy]) -> Result<Carving> {
        carving(&self.labels, trees)
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
        let rows = histogram(&self.formed, sensitive, trees)?;
        let formed = Increment {
            course: CourseTexts::read(self.course.as_ref(), trees)?,
            labels: Some(self.labels(trees)?),
            rows,
            ledger: None,
            measures: self.measures(policy, trees)?,
        };
        let standing = CourseTexts::read(self.standing.as_ref(), trees)?;
        Ok(FixedTick {
            tick: self.tick,
            memory: standing.map_or(LabellerMemory::Nothing, LabellerMemory::Recoding),
            waiting: histogram(&self.waiting, sensitive, trees)?,
            formed: Some(formed).filter(|formed| formed.rows.rows() > 0),
        })
    }

    /// The aggregates of the measures of the people whose atoms formed, if there are measures.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn measures(&self, policy: &Policy, trees: &[&Taxonomy]) -> Result<Option<Histogram>> {
        let Some(rows) = numbers(&self.formed, trees)?.filter(|rows| !rows.is_empty()) else {
            return Ok(None);
        };
        let labels = self.labels(trees)?;
        let finder = labels.finder(trees);
        let label = |leaves: &[Leaf]| finder.class(leaves).map(|(_, label)| label.to_vec());
        Ok(Some(SumSuppression::of(policy).aggregates(&rows, label)))
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
