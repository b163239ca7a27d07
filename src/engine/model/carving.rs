//! A local recoding (SCIENCE 6): classes with labels of their own, in the order in which they were
//! formed. A person whom several classes cover is in the first, or, if people were grouped before
//! their classes had labels (SCIENCE 7), in the class that is stored for each leaf tuple.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::class_finder::ClassFinder;
use super::growth::TreeGrowth;
use super::members::LeafClasses;
use super::taxonomy::{Leaf, Node, Taxonomy};

/// Classes by their labels, one per quasi column.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Carving {
    classes: Vec<Vec<Node>>,
    /// The class of each leaf tuple, if labels do not determine it.
    members: Option<LeafClasses>,
}

impl fmt::Debug for Carving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Carving({} classes)", self.classes.len())
    }
}

impl Carving {
    /// From classes in the order in which they were formed.
    pub fn new(classes: Vec<Vec<Node>>) -> Carving {
        assert!(
            classes
                .windows(2)
                .all(|pair| pair[0].len() == pair[1].len()),
            "labels of the same columns"
        );
        Carving {
            classes,
            members: None,
        }
    }

    /// From classes and the leaf tuples in each of them; a tuple in no class waits.
    ///
    /// # Panics
    /// If a tuple is in two classes, or there are more lists of tuples than classes.
    pub fn of_groups(classes: Vec<Vec<Node>>, groups: &[Vec<Vec<Leaf>>]) -> Carving {
        assert!(
            classes
                .windows(2)
                .all(|pair| pair[0].len() == pair[1].len()),
            "labels of the same columns"
        );
        assert!(
            groups.len() <= classes.len(),
            "each group is that of a class"
        );
        Carving {
            classes,
            members: Some(LeafClasses::new(groups)),
        }
    }

    /// The classes.
    pub fn classes(&self) -> &[Vec<Node>] {
        &self.classes
    }

    /// The leaf tuples of each class, ascending, if labels do not determine them.
    pub fn groups(&self) -> Option<Vec<Vec<Vec<Leaf>>>> {
        self.members
            .as_ref()
            .map(|members| members.groups(self.classes.len()))
    }

    /// Whether the members of classes are stored because labels do not determine them.
    pub fn has_groups(&self) -> bool {
        self.members.is_some()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The classes without some of them.
    #[must_use]
    pub fn without(&self, gone: impl Fn(usize) -> bool) -> Carving {
        let kept: Vec<usize> = (0..self.classes.len())
            .filter(|&class| !gone(class))
            .collect();
        let groups = self.groups().map(|groups| {
            kept.iter()
                .map(|&class| groups[class].clone())
                .collect::<Vec<_>>()
        });
        let classes = kept
            .iter()
            .map(|&class| self.classes[class].clone())
            .collect();
        Carving {
            classes,
            members: groups.map(|groups| LeafClasses::new(&groups)),
        }
    }

    /// Adapts to taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[TreeGrowth]) {
        assert!(
            self.classes.iter().all(|class| class.len() == growth.len()),
            "one growth for each column"
        );
        for class in &mut self.classes {
            class
                .iter_mut()
                .zip(growth)
                .for_each(|(node, growth)| *node = growth.node(*node));
        }
        if let Some(mut groups) = self.groups() {
            for tuple in groups.iter_mut().flatten() {
                tuple
                    .iter_mut()
                    .zip(growth)
                    .for_each(|(leaf, growth)| *leaf = growth.leaf(*leaf));
            }
            self.members = Some(LeafClasses::new(&groups));
        }
    }

    /// The finder of classes.
    pub fn finder(&self, trees: &[&Taxonomy]) -> ClassFinder<'_> {
        assert!(
            self.classes.iter().all(|class| class.len() == trees.len()),
            "one taxonomy for each column"
        );
        ClassFinder::of(&self.classes, self.members.as_ref(), trees)
    }
}

/// The serialised form: the classes; and if labels do not determine their members, an empty list
/// and for each class its leaf tuples, one after the other.
#[derive(Serialize, Deserialize)]
struct Written {
    classes: Vec<Vec<u32>>,
}

impl Serialize for Carving {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut classes = self.classes.clone();
        if let Some(groups) = self.groups() {
            classes.push(Vec::new());
            classes.extend(groups.into_iter().map(|group| group.concat()));
        }
        Written { classes }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Carving {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Carving, D::Error> {
        let Written { mut classes } = Written::deserialize(deserializer)?;
        let Some(end) = classes.iter().position(Vec::is_empty) else {
            return Ok(Carving::new(classes));
        };
        let groups = classes.split_off(end).split_off(1);
        let width = classes.first().map_or(1, Vec::len);
        if groups.len() != classes.len()
            || groups
                .iter()
                .any(|group| !group.len().is_multiple_of(width))
        {
            return Err(serde::de::Error::custom(
                "classes and their leaf tuples do not belong together",
            ));
        }
        let tuples = |group: &Vec<Leaf>| group.chunks(width).map(<[Leaf]>::to_vec).collect();
        Ok(Carving::of_groups(
            classes,
            &groups.iter().map(tuples).collect::<Vec<_>>(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes with one label, and one beside them, over three columns.
    fn carving() -> Carving {
        let groups = [
            vec![vec![1, 0, 2], vec![0, 3, 1]],
            vec![vec![0, 0, 0]],
            vec![vec![5, 5, 5]],
        ];
        Carving::of_groups(vec![vec![0, 0, 0], vec![0, 0, 1], vec![7, 7, 7]], &groups)
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let first_match = Carving::new(carving().classes);
        for carving in [carving(), first_match, carving().without(|_| true)] {
            let written = serde_json::to_vec(&carving).expect("JSON");
            assert!(serde_json::from_slice::<Carving>(&written).expect("a carving") == carving);
        }
        assert!(serde_json::from_str::<Carving>(r#"{"classes": [[1, 2], [], [1]]}"#).is_err());
        assert_eq!(
            serde_json::to_string(&Carving::new(vec![vec![1]])).expect("JSON"),
            r#"{"classes":[[1]]}"#
        );
    }

    #[test]
    fn classes_that_go_take_their_tuples_along() {
        let groups = carving()
            .without(|class| class == 1)
            .groups()
            .expect("groups");
        assert_eq!(
            groups,
            [vec![vec![0, 3, 1], vec![1, 0, 2]], vec![vec![5, 5, 5]]]
        );
    }
}
