//! The places of people after a tick, as a sealed object (HOUSE 3): rows with their people, as long
//! as they are unpublished or the raw rows are kept.

use serde::{Deserialize, Serialize};

use super::label_texts::{Classes, CourseTexts, carving, classes};
use super::row_columns::RowColumns;
use super::sealed_format::SealedFormat;
use crate::engine::feed::{Arrivals, Increment, TickAtoms};
use crate::engine::label::LabellerMemory;
use crate::engine::model::{Carving, Taxonomy};
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::wiped_bytes::WipedBytes;

/// Rows by the tick of their arrival.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RowsByTick(Vec<(u32, RowColumns)>);

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
}

impl RowsByTick {
    /// From rows.
    pub fn of(rows: &Arrivals, trees: &[&Taxonomy]) -> RowsByTick {
        let rows = rows.by_tick();
        RowsByTick(
            rows.map(|(since, rows)| (since, RowColumns::of(&rows, trees)))
                .collect(),
        )
    }

    /// The rows.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn read(&self, trees: &[&Taxonomy]) -> Result<Arrivals> {
        let mut rows = Arrivals::default();
        for (since, columns) in &self.0 {
            rows.add(*since, columns.rows(trees)?);
        }
        Ok(rows)
    }

    /// The rows, tick by tick.
    pub fn columns(&self) -> impl Iterator<Item = &RowColumns> {
        self.0.iter().map(|(_, columns)| columns)
    }
}

impl Atoms {
    /// From what a tick decided.
    pub fn of(
        tick: u32,
        memory: &LabellerMemory,
        waiting: &Arrivals,
        formed: Option<&Increment>,
        trees: &[&Taxonomy],
    ) -> Atoms {
        let atoms = Atoms {
            tick,
            standing: memory.recoding().map(|of| CourseTexts::of(of, trees)),
            course: None,
            labels: classes(&Carving::default(), trees),
            waiting: RowsByTick::of(waiting, trees),
            formed: RowsByTick::default(),
        };
        match formed {
            Some(formed) => atoms.with_formed(formed, trees),
            None => atoms,
        }
    }

    /// The same with these rows that wait.
    #[must_use]
    pub fn with_waiting(self, waiting: RowsByTick) -> Atoms {
        Atoms { waiting, ..self }
    }

    /// The same with these atoms.
    #[must_use]
    pub fn with_formed(self, formed: &Increment, trees: &[&Taxonomy]) -> Atoms {
        let course = formed.course.as_ref();
        let none = Carving::default();
        Atoms {
            course: course.map(|of| CourseTexts::of(of, trees)),
            labels: classes(formed.labels.as_ref().unwrap_or(&none), trees),
            formed: RowsByTick::of(&formed.people, trees),
            ..self
        }
    }

    /// The same without its atoms.
    #[must_use]
    pub fn without_formed(self) -> Atoms {
        Atoms {
            course: None,
            labels: Classes::default(),
            formed: RowsByTick::default(),
            ..self
        }
    }

    /// The tick.
    pub fn tick(&self) -> u32 {
        self.tick
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

    /// The atoms, without masked values; `None` if none formed.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn increment(&self, policy: &Policy, trees: &[&Taxonomy]) -> Result<Option<Increment>> {
        let course = CourseTexts::read(self.course.as_ref(), trees)?;
        let (labels, people) = (carving(&self.labels, trees)?, self.formed.read(trees)?);
        Ok(Increment::of_rows(course, labels, people, policy, trees))
    }

    /// The decisions of the tick.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn read(&self, policy: &Policy, trees: &[&Taxonomy]) -> Result<TickAtoms> {
        let standing = CourseTexts::read(self.standing.as_ref(), trees)?;
        Ok(TickAtoms {
            tick: self.tick,
            memory: standing.map_or(LabellerMemory::Nothing, LabellerMemory::Recoding),
            waiting: self.waiting.read(trees)?,
            formed: self.increment(policy, trees)?,
        })
    }
}
