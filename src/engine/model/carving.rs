//! A local recoding (SCIENCE 6): classes with labels of their own, in the order in which they were formed. Whoever lies under
//! several of them is in the first.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::carved::Carved;
use super::growth::Growth;
use super::taxonomy::{Node, Taxonomy};

/// Classes by their labels, one per quasi column.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carving {
    classes: Vec<Vec<Node>>,
}

impl fmt::Debug for Carving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Carving({} classes)", self.classes.len())
    }
}

impl Carving {
    /// Of classes in the order in which they were formed.
    pub fn new(classes: Vec<Vec<Node>>) -> Carving {
        Carving { classes }
    }

    /// The classes.
    pub fn classes(&self) -> &[Vec<Node>] {
        &self.classes
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The same without some of its classes.
    #[must_use]
    pub fn without(&self, gone: impl Fn(usize) -> bool) -> Carving {
        let kept = self.classes.iter().enumerate().filter(|(at, _)| !gone(*at));
        Carving { classes: kept.map(|(_, class)| class.clone()).collect() }
    }

    /// The same under taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[Growth]) {
        for class in &mut self.classes {
            class.iter_mut().zip(growth).for_each(|(node, growth)| *node = growth.node(*node));
        }
    }

    /// To find classes by.
    pub fn finder(&self, trees: &[&Taxonomy]) -> Carved<'_> {
        Carved::of(&self.classes, trees)
    }
}
