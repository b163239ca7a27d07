//! The standing recoding of a chain (SCIENCE 4): tick by tick, rows arrive and wait, are withheld,
//! or become atoms. The recoding under which all rows are published is found once and can then only
//! become coarser.
//!
//! Every decision follows from leaf tuples and arrival times; no sensitive value, clock or random
//! number reaches this module. People with the same leaf tuple and arrival are always treated
//! alike, so they need not be told apart.

mod coarsen;
mod course;
mod parts;
mod recoder;
mod state;

use crate::histogram::Headcount;
use crate::model::{Node, Recoding, Taxonomy};
use coarsen::ClassPeople;
pub use course::Course;
pub use parts::{Atom, RareRowRules, RecodingStep, StandingTick};
pub use recoder::{FoundRecoding, LevelsQuality, RecodedPeople, Recoder};
pub use state::StandingState;

/// The standing recoding and all people of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingRecoding {
    rules: RareRowRules,
    /// How the recoding is searched for; `None`: from the top down, with every person in a class.
    recoder: Option<Recoder>,
    state: StandingState,
}

impl StandingRecoding {
    /// Begins a chain.
    pub fn new(rules: RareRowRules, width: usize) -> StandingRecoding {
        StandingRecoding::resume(rules, StandingState::new(width))
    }

    /// Continues a chain.
    pub fn resume(rules: RareRowRules, state: StandingState) -> StandingRecoding {
        assert!(rules.a > 0, "a class has at least one person");
        StandingRecoding {
            rules,
            recoder: None,
            state,
        }
    }

    /// The same chain, with this search.
    #[must_use]
    pub fn with(self, recoder: Recoder) -> StandingRecoding {
        StandingRecoding {
            recoder: Some(recoder),
            ..self
        }
    }

    fn recoder(&self, trees: &[&Taxonomy]) -> Recoder {
        self.recoder
            .clone()
            .unwrap_or_else(|| Recoder::top_down(self.rules.a, trees))
    }

    /// The state to be kept between ticks.
    pub fn state(&self) -> &StandingState {
        &self.state
    }

    /// The state, without the rules.
    pub fn into_state(self) -> StandingState {
        self.state
    }

    /// The state, for removing people.
    pub fn state_mut(&mut self) -> &mut StandingState {
        &mut self.state
    }

    /// One tick of the schedule: `arrivals` have the number of the tick in which they came, which
    /// is `now` or earlier.
    ///
    /// # Panics
    /// If a person arrives after `now`.
    pub fn tick(&mut self, arrivals: &Headcount, now: u32, trees: &[&Taxonomy]) -> StandingTick {
        assert!(
            arrivals.iter().all(|(_, heads)| heads.since <= now),
            "no person arrives after this tick"
        );
        self.state.arrive(arrivals);
        let mut tick = StandingTick {
            step: None,
            refusals: Vec::new(),
            levels: None,
            atoms: Vec::new(),
            withheld: Headcount::empty(trees.len()),
        };
        match self.state.cut().cloned() {
            None if self.state.pool().rows() < self.rules.a => tick.step = Some(RecodingStep::Hold),
            None => match self.recoder(trees).find(self.state.pool(), trees) {
                None => tick.step = Some(RecodingStep::Hold),
                Some(found) => {
                    self.state.set_course(found.course, trees);
                    tick.refusals = found.refusals;
                    tick.levels = found.levels;
                    tick.step = Some(RecodingStep::First);
                }
            },
            Some(cut) => tick.step = self.rare(&cut, now, trees, &mut tick),
        }
        if let Some(cut) = self.state.cut().cloned() {
            tick.atoms = self.form(&cut);
        }
        assert!(
            tick.atoms
                .iter()
                .all(|atom| atom.people.rows() >= self.rules.a),
            "an atom has enough people"
        );
        tick
    }

    /// Makes the recoding one step coarser for a class. The atoms of the last tick, which are not
    /// published, are formed again with the people who wait. Returns the column of the step and the
    /// atoms; returns `None` and changes nothing if no coarser recoding exists.
    ///
    /// # Panics
    /// If these are not atoms of the chain.
    pub fn raise(
        &mut self,
        class: &[Node],
        atoms: &Headcount,
        trees: &[&Taxonomy],
    ) -> Option<(usize, Vec<Atom>)> {
        let course = self
            .state
            .course()
            .expect("there are no atoms before there is a recoding");
        let (cut, steps) = (course.cut().clone(), course.steps().to_vec());
        let waiting = RecodedPeople::of(self.state.pool(), &cut);
        let waiting = (0..)
            .zip(&waiting.people)
            .map(|(at, &people)| (waiting.classes.get(at).to_vec(), people));
        let formed = self
            .state
            .crowds()
            .map(|(nodes, people)| (nodes.to_vec(), people));
        let people = formed.chain(waiting).collect();
        let (column, recoding) = self.recoder(trees).raise(people, &cut, class, trees)?;
        self.state.dissolve(atoms);
        self.state
            .set_course(Course::new(recoding.clone(), steps, trees), trees);
        Some((column, self.form(&recoding)))
    }

    /// Withholds overdue rows or coarsens the recoding for them.
    fn rare(
        &mut self,
        cut: &Recoding,
        now: u32,
        trees: &[&Taxonomy],
        tick: &mut StandingTick,
    ) -> Option<RecodingStep> {
        let RareRowRules {
            a,
            max_wait,
            max_withheld,
        } = self.rules;
        let (crowds, recoder) = (
            RecodedPeople::of(self.state.pool(), cut),
            self.recoder(trees),
        );
        // People whose class is too small even with every column at its floor wait.
        let floors = recoder
            .has_floors()
            .then(|| RecodedPeople::of(self.state.pool(), recoder.coarsest()));
        let fits = |tuple: usize| {
            floors
                .as_ref()
                .is_none_or(|floors| floors.people[floors.of_tuple[tuple]] >= a)
        };
        let overdue = |tuple: usize, since: u32| {
            now - since >= max_wait && crowds.people[crowds.of_tuple[tuple]] < a && fits(tuple)
        };
        let [late, rest] = self
            .state
            .pool()
            .divide(|tuple, heads| overdue(tuple, heads.since));
        if late.is_empty() {
            return None;
        }
        if max_withheld.times_is_at_least(
            self.state.arrived(),
            self.state.withheld_rows() + late.rows(),
        ) {
            self.state.withhold(&late, rest);
            tick.withheld = late;
            return Some(RecodingStep::Withhold);
        }
        if self.state.pool().rows() < a {
            return None;
        }
        let mut rows: Vec<ClassPeople> = self
            .state
            .crowds()
            .map(|(nodes, people)| ClassPeople::new(nodes, people, 0, false))
            .collect();
        for (tuple, &class) in crowds.of_tuple.iter().enumerate() {
            let pool = self.state.pool();
            let people = pool.count(tuple);
            let urgent = pool
                .heads_of(tuple)
                .iter()
                .any(|heads| overdue(tuple, heads.since));
            rows.push(ClassPeople::new(
                crowds.classes.get(class as u32),
                people,
                people,
                urgent,
            ));
        }
        assert_eq!(
            late.rows() + rest.rows(),
            self.state.pool().rows(),
            "each person who waits is late or is not"
        );
        let coarser =
            coarsen::coarsen(rows, cut, (recoder.coarsest(), recoder.weights()), a, trees);
        let before = self
            .state
            .course()
            .map(|course| course.steps().to_vec())
            .unwrap_or_default();
        let steps = coarser.steps.unwrap_or(before);
        tick.refusals = coarser.refusals;
        self.state
            .set_course(Course::new(coarser.recoding, steps, trees), trees);
        Some(coarser.step)
    }

    /// Every class with at least `a` waiting rows becomes an atom.
    fn form(&mut self, cut: &Recoding) -> Vec<Atom> {
        let crowds = RecodedPeople::of(self.state.pool(), cut);
        let full = |class: usize| crowds.people[class] >= self.rules.a;
        let [ready, rest] = self
            .state
            .pool()
            .divide(|tuple, _| full(crowds.of_tuple[tuple]));
        let mut rows = vec![Vec::new(); crowds.classes.len()];
        for tuple in 0..ready.tuples() {
            let class = crowds.class_of(&ready, tuple, cut);
            let leaves: Vec<_> = ready.tuple_at(tuple).collect();
            rows[class as usize].extend(
                ready
                    .heads_of(tuple)
                    .iter()
                    .map(|&heads| (leaves.clone(), heads)),
            );
        }
        let atom = |class: u32| Atom {
            class: crowds.classes.get(class).to_vec(),
            people: Headcount::of(ready.width(), std::mem::take(&mut rows[class as usize])),
        };
        let formed: Vec<u32> = crowds
            .classes
            .sorted()
            .into_iter()
            .filter(|&class| full(class as usize))
            .collect();
        let atoms: Vec<Atom> = formed.into_iter().map(atom).collect();
        self.state.publish(&atoms, rest);
        atoms
    }
}
