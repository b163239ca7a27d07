//! People, grouped by the classes of a recoding.

use crate::histogram::{Headcount, Tuples};
use crate::model::{Cut, Node};

/// People, grouped by the classes of a recoding.
pub struct RecodedPeople {
    /// The classes.
    pub classes: Tuples,
    /// For each leaf tuple its class, by number.
    pub of_tuple: Vec<usize>,
    /// The number of people of each class.
    pub people: Vec<u64>,
}

impl RecodedPeople {
    /// Groups people by the classes of a cut.
    pub fn of(people: &Headcount, cut: &[Cut]) -> RecodedPeople {
        let mut found = RecodedPeople {
            classes: Tuples::new(people.width()),
            of_tuple: Vec::new(),
            people: Vec::new(),
        };
        for tuple in 0..people.tuples() {
            let nodes: Vec<Node> = cut
                .iter()
                .zip(people.tuple_at(tuple))
                .map(|(cut, leaf)| cut.at(leaf))
                .collect();
            let class = found.classes.number(&nodes) as usize;
            found.of_tuple.push(class);
            found.people.resize(found.classes.len(), 0);
            found.people[class] += people.count(tuple);
        }
        found
    }

    /// The class of a leaf tuple of other people.
    pub fn class_of(&self, people: &Headcount, tuple: usize, cut: &[Cut]) -> u32 {
        let nodes: Vec<Node> = cut
            .iter()
            .zip(people.tuple_at(tuple))
            .map(|(cut, leaf)| cut.at(leaf))
            .collect();
        self.classes.find(&nodes).expect("a class of these people")
    }
}
