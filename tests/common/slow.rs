//! A second implementation of the anonymizer, written from the definitions with plain maps and row
//! by row, and slow: the top-down search computes everything again in every round, the standing
//! recoding places persons one at a time (SCIENCE 4).

use std::collections::{BTreeMap, BTreeSet};

use tidegate::engine::model::{Cut, Recoding, Taxonomy};

/// A leaf per column.
pub type Leaves = Vec<u32>;

fn class(leaves: &Leaves, cuts: &[Cut]) -> Vec<u32> {
    leaves
        .iter()
        .zip(cuts)
        .map(|(&leaf, cut)| cut.at(leaf))
        .collect()
}

/// Rows per class.
pub fn classes<'r>(
    rows: impl IntoIterator<Item = &'r Leaves>,
    cuts: &[Cut],
) -> BTreeMap<Vec<u32>, u64> {
    let mut classes = BTreeMap::new();
    rows.into_iter()
        .for_each(|row| *classes.entry(class(row, cuts)).or_default() += 1);
    classes
}

pub fn squares<'r>(rows: impl IntoIterator<Item = &'r Leaves>, cuts: &[Cut]) -> u64 {
    classes(rows, cuts).values().map(|size| size * size).sum()
}

/// The recoding with one more specialisation.
pub fn specialised(cuts: &[Cut], column: usize, node: u32, trees: &[&Taxonomy]) -> Recoding {
    let mut cuts = cuts.to_vec();
    let mut nodes = cuts[column].nodes().to_vec();
    nodes.retain(|&kept| kept != node);
    nodes.extend(trees[column].children(node));
    cuts[column] = Cut::completed(trees[column], &nodes).expect("a cut");
    cuts
}

/// The recodings that a search tried, in order, and its result.
pub struct Searched {
    pub cuts: Recoding,
    pub trace: Vec<(usize, u32, bool)>,
    /// The recoding that each rejection was about.
    pub refused: Vec<Recoding>,
}

/// Top-down specialisation; `None` if the root is not valid.
pub fn top_down(
    rows: &[&Leaves],
    trees: &[&Taxonomy],
    valid: impl Fn(&[Cut]) -> bool,
) -> Option<Searched> {
    let mut cuts: Recoding = trees.iter().map(|tree| Cut::root(tree)).collect();
    let (mut trace, mut refused, mut dropped) = (Vec::new(), Vec::new(), BTreeSet::new());
    if !valid(&cuts) {
        return None;
    }
    loop {
        let mut best: Option<(u64, usize, u32)> = None;
        for (column, tree) in trees.iter().enumerate() {
            for &node in cuts[column].nodes() {
                if tree.is_leaf(node) || dropped.contains(&(column, node)) {
                    continue;
                }
                let holds = |(class, _): &(&Vec<u32>, &u64)| class[column] == node;
                let sizes = classes(rows.iter().copied(), &cuts);
                let score = sizes
                    .iter()
                    .filter(holds)
                    .map(|(_, size)| size * size)
                    .sum();
                if best.is_none_or(|(most, _, _)| score > most) {
                    best = Some((score, column, node));
                }
            }
        }
        let Some((_, column, node)) = best else {
            return Some(Searched {
                cuts,
                trace,
                refused,
            });
        };
        let next = specialised(&cuts, column, node, trees);
        let accepted = valid(&next);
        trace.push((column, node, accepted));
        if accepted {
            cuts = next;
        } else {
            dropped.insert((column, node));
            refused.push(next);
        }
    }
}

/// The place of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Waiting,
    /// The atom with this number.
    Atom(usize),
}

#[derive(Clone)]
pub struct Person {
    pub leaves: Leaves,
    pub since: u64,
    pub place: Place,
}

/// A chain, person by person.
pub struct Chain {
    pub people: Vec<Person>,
    pub cut: Option<Recoding>,
    pub atoms: usize,
    pub a: u64,
}

impl Chain {
    fn at(&self, wanted: impl Fn(Place) -> bool) -> Vec<&Leaves> {
        self.people
            .iter()
            .filter(|person| wanted(person.place))
            .map(|person| &person.leaves)
            .collect()
    }

    fn pool(&self) -> Vec<&Leaves> {
        self.at(|place| place == Place::Waiting)
    }

    /// One tick; returns what was done.
    pub fn tick(&mut self, arrivals: &[Leaves], now: u64, trees: &[&Taxonomy]) -> &'static str {
        let person = |leaves: &Leaves| Person {
            leaves: leaves.clone(),
            since: now,
            place: Place::Waiting,
        };
        self.people.extend(arrivals.iter().map(person));
        let a = self.a;
        let step = match self.cut.clone() {
            None if (self.pool().len() as u64) < a => return "hold",
            None => {
                let pool = self.pool();
                let crowds = |cuts: &[Cut]| {
                    classes(pool.iter().copied(), cuts)
                        .values()
                        .all(|&size| size >= a)
                };
                self.cut = Some(top_down(&pool, trees, crowds).expect("enough rows").cuts);
                "first"
            }
            Some(_) => "",
        };
        let cut = self.cut.clone().expect("found by now");
        for (of, _) in classes(self.pool(), &cut)
            .into_iter()
            .filter(|&(_, size)| size >= a)
        {
            for person in self
                .people
                .iter_mut()
                .filter(|person| person.place == Place::Waiting)
            {
                if class(&person.leaves, &cut) == of {
                    person.place = Place::Atom(self.atoms);
                }
            }
            self.atoms += 1;
        }
        step
    }
}
