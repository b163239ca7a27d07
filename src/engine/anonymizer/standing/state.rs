//! The state of a chain between ticks (SCIENCE 3 and 4): the recoding, who waits since when, who is
//! withheld, and how many people of atoms are in each class. It can be converted to its parts for
//! the log, and back.
//!
//! Nothing here decides: people move because a tick or a request says so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::course::Course;
use super::parts::Atom;
use crate::histogram::Headcount;
use crate::model::{Cut, Leaf, Node, Recoding, Taxonomy, TreeGrowth};

/// Everything that the next tick depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingState {
    course: Option<Course>,
    pool: Headcount,
    withheld: Headcount,
    arrived: u64,
    /// The people in atoms, per class of the recoding.
    crowds: BTreeMap<Vec<Node>, u64>,
}

impl StandingState {
    /// The state of a chain that begins.
    pub fn new(width: usize) -> StandingState {
        let no_rows = Headcount::empty(width);
        StandingState {
            course: None,
            pool: no_rows.clone(),
            withheld: no_rows,
            arrived: 0,
            crowds: BTreeMap::new(),
        }
    }

    /// Rebuilt from what was stored. `atoms` are all atoms ever formed in the chain, whether
    /// grouped by increment or not: only their people count.
    pub fn restore<'h>(
        course: Option<Course>,
        pool: Headcount,
        withheld: Headcount,
        arrived: u64,
        atoms: impl IntoIterator<Item = &'h Headcount>,
    ) -> StandingState {
        let mut state = StandingState {
            course,
            pool,
            withheld,
            arrived,
            crowds: BTreeMap::new(),
        };
        for atom in atoms {
            let leaves: Vec<Leaf> = atom.tuple_at(0).collect();
            let class = state
                .class(&leaves)
                .expect("there are no atoms before there is a recoding");
            *state.crowds.entry(class).or_default() += atom.rows();
        }
        state
    }

    /// The standing recoding; `None` until there are enough people for one.
    pub fn cut(&self) -> Option<&Recoding> {
        self.course.as_ref().map(Course::cut)
    }

    /// The standing recoding, with the specialisations that led to it.
    pub fn course(&self) -> Option<&Course> {
        self.course.as_ref()
    }

    /// The people who wait, by the tick in which they arrived.
    pub fn pool(&self) -> &Headcount {
        &self.pool
    }

    /// The people who are withheld from this chain, by the tick in which they arrived.
    pub fn withheld(&self) -> &Headcount {
        &self.withheld
    }

    pub(super) fn withheld_rows(&self) -> u64 {
        self.withheld.rows()
    }

    /// The number of people who ever arrived in the chain.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// The classes of the recoding with people in atoms, in preorder, and their numbers of people.
    pub fn crowds(&self) -> impl Iterator<Item = (&[Node], u64)> {
        self.crowds
            .iter()
            .map(|(class, &people)| (class.as_slice(), people))
    }

    /// The number of people in atoms.
    pub fn rows(&self) -> u64 {
        self.crowds.values().sum()
    }

    /// Applies the stored result of a tick: the recoding, the people who wait and who are withheld
    /// after it, the number of arrivals, and the people in the atoms that it formed.
    pub fn replay(
        &mut self,
        course: Option<Course>,
        pool: Headcount,
        withheld: Headcount,
        arrived: u64,
        formed: Option<&Headcount>,
        trees: &[&Taxonomy],
    ) {
        if let Some(course) = course.filter(|course| self.course.as_ref() != Some(course)) {
            self.set_course(course, trees);
        }
        for tuple in formed
            .iter()
            .flat_map(|people| (0..people.tuples()).map(move |tuple| (people, tuple)))
        {
            let (people, tuple) = tuple;
            let leaves: Vec<Leaf> = people.tuple_at(tuple).collect();
            let class = self
                .class(&leaves)
                .expect("there are no atoms before there is a recoding");
            *self.crowds.entry(class).or_default() += people.count(tuple);
        }
        (self.pool, self.withheld, self.arrived) = (pool, withheld, arrived);
    }

    /// Removes one waiting person; `false` if no person of this leaf tuple and arrival waits.
    pub fn erase_waiting(&mut self, leaves: &[Leaf], since: u32) -> bool {
        let rest = self.pool.without(leaves, since);
        rest.map(|rest| (self.pool, self.arrived) = (rest, self.arrived - 1))
            .is_some()
    }

    /// Removes one withheld person; `false` if no person of this leaf tuple and arrival is
    /// withheld.
    pub fn erase_withheld(&mut self, leaves: &[Leaf], since: u32) -> bool {
        let rest = self.withheld.without(leaves, since);
        rest.map(|rest| (self.withheld, self.arrived) = (rest, self.arrived - 1))
            .is_some()
    }

    /// Dissolves atoms that are not published: their people wait again, as of their arrival.
    ///
    /// # Panics
    /// If there are no such atoms.
    pub fn dissolve(&mut self, atoms: &Headcount) {
        for tuple in 0..atoms.tuples() {
            let leaves: Vec<Leaf> = atoms.tuple_at(tuple).collect();
            let class = self
                .class(&leaves)
                .expect("there are no atoms before there is a recoding");
            let people = self
                .crowds
                .get_mut(&class)
                .expect("the atom's class holds people");
            *people = people
                .checked_sub(atoms.count(tuple))
                .expect("the atom's class holds its people");
            if *people == 0 {
                self.crowds.remove(&class);
            }
        }
        self.pool = self.pool.merge(atoms);
    }

    fn class(&self, leaves: &[Leaf]) -> Option<Vec<Node>> {
        let cut = self.cut()?;
        Some(
            cut.iter()
                .zip(leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect(),
        )
    }

    /// Adapts the state to taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[TreeGrowth], trees: &[&Taxonomy]) {
        self.pool.grow(growth);
        self.withheld.grow(growth);
        self.course
            .iter_mut()
            .for_each(|course| course.grow(growth, trees));
        let classes = self.crowds.len();
        let moved = |class: Vec<Node>| {
            class
                .iter()
                .zip(growth)
                .map(|(&node, growth)| growth.node(node))
                .collect()
        };
        self.crowds = std::mem::take(&mut self.crowds)
            .into_iter()
            .map(|(class, people)| (moved(class), people))
            .collect();
        assert_eq!(self.crowds.len(), classes, "new leaves join no classes");
    }

    pub(super) fn arrive(&mut self, arrivals: &Headcount) {
        let waited = self.pool.rows();
        self.pool = self.pool.merge(arrivals);
        self.arrived += arrivals.rows();
        assert_eq!(
            self.pool.rows(),
            waited + arrivals.rows(),
            "each person who arrives waits"
        );
    }

    pub(super) fn withhold(&mut self, late: &Headcount, rest: Headcount) {
        assert_eq!(
            late.rows() + rest.rows(),
            self.pool.rows(),
            "each person who waited is withheld or waits"
        );
        self.withheld = self.withheld.merge(late);
        self.pool = rest;
    }

    /// Sets the recoding when it is found or becomes coarser.
    pub(super) fn set_course(&mut self, course: Course, trees: &[&Taxonomy]) {
        let cut = course.cut();
        assert!(
            self.cut()
                .into_iter()
                .flatten()
                .zip(cut)
                .all(|(old, new)| old.refines(new)),
            "a recoding only gets coarser"
        );
        let published = self.rows();
        for (class, people) in std::mem::take(&mut self.crowds) {
            let at = |((cut, tree), &node): ((&Cut, &&Taxonomy), &Node)| {
                cut.at(tree.leaf_range(node).start)
            };
            let class = cut.iter().zip(trees).zip(&class).map(at).collect();
            *self.crowds.entry(class).or_default() += people;
        }
        assert_eq!(
            self.rows(),
            published,
            "no person gets lost in a coarser class"
        );
        self.course = Some(course);
    }

    pub(super) fn publish(&mut self, atoms: &[Atom], rest: Headcount) {
        let formed: u64 = atoms.iter().map(|atom| atom.people.rows()).sum();
        assert_eq!(
            formed + rest.rows(),
            self.pool.rows(),
            "each person who waited is in an atom or waits"
        );
        let published = self.rows();
        for atom in atoms {
            *self.crowds.entry(atom.class.clone()).or_default() += atom.people.rows();
        }
        assert_eq!(
            self.rows(),
            published + formed,
            "people of atoms are in classes"
        );
        self.pool = rest;
    }
}
