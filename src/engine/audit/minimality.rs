//! Minimality attacks on one release that others made by generalising until l-diversity held (SCIENCE 5, the gate's check
//! (c)): people of equal leaf tuples are the classes C_i that were generalised, l is the policy's m.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::gate::minimality::requirement::l_diverse;
use crate::gate::minimality::{Attack, Credibility, Origin};
use crate::histogram::{Histogram, Release};
use crate::model::{Columns, Node};

/// How strongly people are tied to guarded sets.
#[derive(Debug)]
pub struct Minimality {
    /// Nobody is to be tied with more than 1/m.
    pub m: u64,
    /// By class of the release, then by leaf tuple, then by set.
    pub ties: Vec<Tie>,
}

/// People who were equal before the release was generalised, and one guarded set.
#[derive(Debug)]
pub struct Tie {
    /// Their class in the release.
    pub class: usize,
    /// Their leaves, as nodes.
    pub leaves: Vec<Node>,
    /// How many they are.
    pub people: u64,
    /// The guarded set, in the order of the feed file.
    pub set: usize,
    /// `None` where no class can have violated l-diversity: the release was made in another way.
    pub credibility: Option<Credibility>,
}

/// People of one leaf tuple.
struct Equals {
    leaves: Vec<Node>,
    people: u64,
    /// Per guarded set, how many of them have a value in it.
    sensitive: Vec<u64>,
}

/// A class of the release and a guarded set.
struct Case<'c> {
    class: usize,
    set: usize,
    people: &'c [Equals],
    attack: Attack,
    /// Whether the class shows leaves: there is nothing that was generalised.
    bare: bool,
}

impl Minimality {
    /// Steps of work that all classes of a release may cost together; about five seconds.
    pub const WORK: u64 = 6_000_000_000;

    /// Of a release and the rows behind it, which give exactly that release; beyond so much work figures are bounds.
    pub fn of(release: &Release, raw: &Histogram, columns: &Columns, m: u64, work: u64) -> Minimality {
        let sets = raw.values().guarded(columns);
        let equals = equals(release, raw, columns, &sets);
        let trees = columns.trees();
        let bare = |class: usize| release.class(class).iter().zip(&trees).all(|(&node, tree)| tree.is_leaf(node));
        let case = |class: usize, set: usize| {
            let people: &[Equals] = &equals[class];
            let origins: Vec<Origin> = people.iter().map(|equals| Origin::whole(equals.people)).collect();
            let sensitive = people.iter().map(|equals| equals.sensitive[set]).sum();
            Case { class, set, people, attack: Attack::new(&origins, sensitive, l_diverse(m)), bare: bare(class) }
        };
        let cases: Vec<(usize, usize)> =
            (0..release.classes()).flat_map(|class| (0..sets.len()).map(move |set| (class, set))).collect();
        let cases: Vec<Case<'_>> = cases.into_par_iter().map(|(class, set)| case(class, set)).collect();
        let counted = affordable(&cases, m, work);
        let found: Vec<Vec<Tie>> = cases.par_iter().zip(counted).map(|(case, counted)| case.ties(counted)).collect();
        let mut ties: Vec<Tie> = found.into_iter().flatten().collect();
        ties.sort_by(|a, b| (a.class, &a.leaves, a.set).cmp(&(b.class, &b.leaves, b.set)));
        Minimality { m, ties }
    }

    /// The strongest tie, to one set or to any; the first where several are as strong.
    pub fn strongest(&self, set: Option<usize>) -> Option<(&Tie, &Credibility)> {
        let among = self.ties.iter().filter(|tie| set.is_none_or(|set| tie.set == set));
        let known = among.filter_map(|tie| Some((tie, tie.credibility.as_ref()?)));
        known.reduce(|most, next| if next.1.compare(most.1).is_gt() { next } else { most })
    }

    /// How many guarded sets there are.
    pub fn sets(&self) -> usize {
        self.ties.iter().map(|tie| tie.set + 1).max().unwrap_or(0)
    }
}

/// Which cases are counted exactly, as long as there is work left: first those that their bounds leave open, the cheapest
/// of them first.
fn affordable(cases: &[Case<'_>], m: u64, mut work: u64) -> Vec<bool> {
    let rank = |case: &Case<'_>| {
        let open = case.attack.at_most().into_iter().flatten().any(|bound| !bound.is_at_most_one_in(m));
        (!open, case.attack.cost())
    };
    let mut order: Vec<((bool, u64), usize)> = cases.par_iter().map(rank).zip(0..cases.len()).collect();
    order.sort_unstable();
    let mut counted = vec![false; cases.len()];
    for ((_, cost), at) in order {
        let Some(left) = work.checked_sub(cost) else { continue };
        (work, counted[at]) = (left, true);
    }
    counted
}

impl Case<'_> {
    fn ties(&self, counted: bool) -> Vec<Tie> {
        let found = if self.bare {
            let seen = |equals: &Equals| Some(Credibility::seen(equals.sensitive[self.set], equals.people));
            self.people.iter().map(seen).collect()
        } else if counted {
            self.attack.exact()
        } else {
            self.attack.at_most()
        };
        let tie = |(equals, credibility): (&Equals, Option<Credibility>)| Tie {
            class: self.class,
            leaves: equals.leaves.clone(),
            people: equals.people,
            set: self.set,
            credibility,
        };
        self.people.iter().zip(found).map(tie).collect()
    }
}

/// The people of every class by their leaf tuples.
fn equals(release: &Release, raw: &Histogram, columns: &Columns, sets: &[Vec<bool>]) -> Vec<Vec<Equals>> {
    let number: BTreeMap<&[Node], usize> = (0..release.classes()).map(|class| (release.class(class), class)).collect();
    let trees = columns.trees();
    let mut equals: Vec<Vec<Equals>> = (0..release.classes()).map(|_| Vec::new()).collect();
    let mut key = vec![0; release.width()];
    for tuple in 0..raw.tuples() {
        for (slot, (cut, leaf)) in key.iter_mut().zip(release.recoding().iter().zip(raw.tuple_at(tuple))) {
            *slot = cut.at(leaf);
        }
        let class = number.get(key.as_slice()).expect("the rows give the release");
        let count = |within: &dyn Fn(usize) -> bool| {
            let cells = raw.cells_of(tuple).iter().filter(|cell| within(cell.value as usize));
            cells.map(|cell| u64::from(cell.count)).sum()
        };
        equals[*class].push(Equals {
            leaves: raw.tuple_at(tuple).zip(&trees).map(|(leaf, tree)| tree.leaf_node(leaf)).collect(),
            people: count(&|_| true),
            sensitive: sets.iter().map(|set| count(&|value| set[value])).collect(),
        });
    }
    equals
}
