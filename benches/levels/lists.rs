//! Other ways to keep a monotonic property, for comparison (ARX, table 1), and their times.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tidegate::engine::label::levels::{CountedProperty, Levels, Monotonicity, Property, Usage};

/// A list of states that is searched from end to end; an antichain, if states that follow from
/// others are removed.
pub struct List {
    inherited: Monotonicity,
    antichain: bool,
    states: Vec<Vec<u8>>,
    usage: Usage,
}

impl List {
    pub fn new(inherited: Monotonicity, antichain: bool) -> List {
        List {
            inherited,
            antichain,
            states: Vec::new(),
            usage: Usage::default(),
        }
    }
}

/// Whether a state has the property because another one has it.
fn follows(inherited: Monotonicity, levels: &[u8], from: &[u8]) -> bool {
    let mut pairs = from.iter().zip(levels);
    match inherited {
        Monotonicity::Upward => pairs.all(|(from, level)| from <= level),
        Monotonicity::Downward => pairs.all(|(from, level)| from >= level),
    }
}

impl Property for List {
    fn cause(&mut self, levels: &[u8]) -> Option<Levels> {
        let cause = self
            .states
            .iter()
            .find(|state| follows(self.inherited, levels, state));
        self.usage.queries += 1;
        self.usage.hits += u64::from(cause.is_some());
        cause.cloned()
    }

    fn insert(&mut self, levels: &[u8]) {
        if self.antichain {
            if self
                .states
                .iter()
                .any(|state| follows(self.inherited, levels, state))
            {
                return;
            }
            self.states
                .retain(|state| !follows(self.inherited, state, levels));
        }
        self.states.push(levels.to_vec());
        self.usage.inserts += 1;
        self.usage.largest = self.usage.largest.max(self.states.len());
    }
}

impl CountedProperty for List {
    fn usage(&self) -> Usage {
        self.usage
    }
}

/// The time that a property takes.
pub struct Timed<P> {
    pub property: P,
    pub spent: Rc<Cell<Duration>>,
}

impl<P> Timed<P> {
    fn timed<T>(&mut self, what: impl FnOnce(&mut P) -> T) -> T {
        let start = Instant::now();
        let found = what(&mut self.property);
        self.spent.set(self.spent.get() + start.elapsed());
        found
    }
}

impl<P: Property> Property for Timed<P> {
    fn cause(&mut self, levels: &[u8]) -> Option<Levels> {
        self.timed(|property| property.cause(levels))
    }

    fn insert(&mut self, levels: &[u8]) {
        self.timed(|property| property.insert(levels));
    }
}

impl<P: CountedProperty> CountedProperty for Timed<P> {
    fn usage(&self) -> Usage {
        self.property.usage()
    }
}
