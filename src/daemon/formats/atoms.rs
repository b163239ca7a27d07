//! What a tick has fixed, as two sealed objects (HOUSE 3): the atoms, which hold rows with their people as long as they are
//! not published or the raw rows are kept; and the counts, which hold what later ticks need for ever: how many of each
//! value there are per atom, and a keyed hash of everybody who came.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::aggregates::{Aggregates, numbers};
use super::row_columns::{LabelColumn, Roll, bytes, other, parse};
use crate::daemon::error::Result;
use crate::engine::feed::Fixed;
use crate::engine::histogram::{Cell, Histogram, Person, Release, SensitiveValues, ValueCode};
use crate::engine::measures::SumSuppression;
use crate::engine::model::{Carving, Cut, Leaf, Node, Recoding, Taxonomy};
use crate::engine::policy::{ChainPromise, Policy};

const VERSION: u32 = 4;
/// Of counts with the aggregates of measures behind them.
const WITH_MEASURES: u32 = 5;

/// Per quasi column the labels of a cut.
type Cuts = Vec<Vec<Box<str>>>;

/// Specialisations of a cut, in order, by column and label.
type Steps = Vec<(usize, Box<str>)>;

/// Classes by their labels, which may be those of leaves. Where labels do not tell who is in which class, an empty list follows, and
/// for each class the leaves of its tuples, one after the other.
#[derive(Clone, Serialize, Deserialize)]
struct Classes(Vec<Vec<Box<str>>>);

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Classes({})", self.0.len())
    }
}

/// Rows by the tick of their arrival.
pub type Since = Vec<(u32, Roll)>;

/// Who is where after a tick.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Atoms {
    tick: u32,
    cut: Option<Cuts>,
    steps: Steps,
    arrived: u64,
    proposed: Option<Cuts>,
    finer: Option<Cuts>,
    /// Classes with labels of their own, in the order in which they were formed.
    carving: Option<Classes>,
    /// Who waits.
    pub waiting: Since,
    /// Who is withheld from the chain.
    pub withheld: Since,
    /// Who is in the atoms that this tick formed.
    pub formed: Since,
    /// Whoever this tick brought is published, and the rows are not kept here any more: the counts have them.
    pub told: bool,
}

/// What of a tick is kept for ever.
#[derive(Serialize, Deserialize)]
pub struct AtomCounts {
    tick: u32,
    cut: Option<Cuts>,
    steps: Steps,
    arrived: u64,
    proposed: Option<Cuts>,
    finer: Option<Cuts>,
    /// Classes of the cut, or leaves.
    nodes: Vec<LabelColumn>,
    values: SensitiveValues,
    codes: Vec<ValueCode>,
    counts: Vec<u32>,
    /// Hashes in their order, so that none tells which row is whose.
    people: Vec<[u8; 16]>,
    /// The aggregates of measures, label by label; written behind the counts, where there are any.
    #[serde(skip)]
    measures: Option<Aggregates>,
}

impl Atoms {
    /// Of what a tick has fixed and of the people in it.
    pub fn of(fixed: &Fixed, [waiting, withheld, formed]: [Since; 3], trees: &[&Taxonomy]) -> Atoms {
        Atoms {
            tick: fixed.tick,
            cut: fixed.cut.as_ref().map(|cut| labels(cut, trees)),
            steps: fixed.steps.iter().map(|&(column, node)| (column, trees[column].label(node).into())).collect(),
            arrived: fixed.arrived,
            proposed: fixed.proposed.as_ref().map(|cut| labels(cut, trees)),
            finer: fixed.finer.as_ref().map(|cut| labels(cut, trees)),
            carving: fixed.carving.as_ref().map(|carving| classes(carving, trees)),
            waiting,
            withheld,
            formed,
            told: false,
        }
    }

    /// The tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Removes the classes that have no people left in the atoms of this tick.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn dissolved(&mut self, sensitive: usize, trees: &[&Taxonomy]) -> Result<()> {
        let (Some(carving), rows) =
            (carving(self.carving.as_ref(), trees)?, histogram(&self.formed, sensitive, trees)?)
        else {
            return Ok(());
        };
        let people = Release::carved(&rows, 0..u32::MAX, &carving, trees);
        let left = carving.without(|class| people.size_of(&carving.classes()[class]) == 0);
        self.carving = Some(classes(&left, trees));
        Ok(())
    }

    /// Forgets leaf tuples that no person in the atoms of this tick has any more, where classes name their tuples.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn forget_tuples(&mut self, sensitive: usize, trees: &[&Taxonomy]) -> Result<()> {
        let Some(carving) = carving(self.carving.as_ref(), trees)?.filter(Carving::has_groups) else { return Ok(()) };
        let people = histogram(&self.formed, sensitive, trees)?.headcount();
        let left = carving.with_tuples(|tuple| people.find(tuple).is_some());
        self.carving = Some(classes(&left, trees));
        Ok(())
    }

    /// The classes with labels of their own that formed.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn carved(&self, trees: &[&Taxonomy]) -> Result<Option<Carving>> {
        carving(self.carving.as_ref(), trees)
    }

    /// So many had come.
    pub fn came(&mut self, arrived: u64) {
        self.arrived = arrived;
    }

    /// To be sealed.
    pub fn bytes(&self) -> Vec<u8> {
        bytes(VERSION, self)
    }

    /// From what was sealed.
    ///
    /// # Errors
    /// It is of another version.
    pub fn parse(bytes: &[u8]) -> Result<Atoms> {
        parse(VERSION, bytes)
    }

    /// What the tick has fixed.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn fixed(&self, sensitive: usize, policy: &Policy, trees: &[&Taxonomy]) -> Result<Fixed> {
        let formed = histogram(&self.formed, sensitive, trees)?;
        Ok(Fixed {
            tick: self.tick,
            cut: recoding(self.cut.as_ref(), trees)?,
            steps: steps(&self.steps, trees)?,
            arrived: self.arrived,
            waiting: histogram(&self.waiting, sensitive, trees)?,
            withheld: histogram(&self.withheld, sensitive, trees)?,
            formed: Some(formed).filter(|formed| formed.rows() > 0),
            proposed: recoding(self.proposed.as_ref(), trees)?,
            carving: carving(self.carving.as_ref(), trees)?,
            finer: recoding(self.finer.as_ref(), trees)?,
            turns: None,
            measures: self.measures(policy, trees)?,
        })
    }

    /// The aggregates of the measures of the people whose atoms formed, where there are measures; where no atoms are formed, of the people
    /// who waited. Where people join the classes of earlier releases, their addends.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn measures(&self, policy: &Policy, trees: &[&Taxonomy]) -> Result<Option<Histogram>> {
        let people = if policy.forms() { &self.formed } else { &self.waiting };
        let Some(rows) = numbers(people, trees)?.filter(|rows| !rows.is_empty()) else { return Ok(None) };
        let suppression = SumSuppression::of(policy);
        if let Some(carving) = carving(self.carving.as_ref(), trees)? {
            let finder = carving.finder(trees);
            return Ok(Some(
                suppression.aggregates(&rows, |leaves| finder.class(leaves).map(|(_, label)| label.to_vec())),
            ));
        }
        let grain = Grain::of(policy);
        let cuts = if grain == Grain::Atoms { &self.cut } else { &self.proposed };
        let Some(cuts) = recoding(cuts.as_ref(), trees)? else { return Ok(None) };
        let class = |leaves: &[Leaf]| Some(cuts.iter().zip(leaves).map(|(cut, &leaf)| cut.at(leaf)).collect());
        if !policy.joins() {
            return Ok(Some(suppression.aggregates(&rows, class)));
        }
        // A later release may be finer, where leaf tuples are kept.
        let tuple =
            |leaves: &[Leaf]| Some(trees.iter().zip(leaves).map(|(tree, &leaf)| tree.leaf_node(leaf)).collect());
        Ok(Some(match grain {
            Grain::Atoms => suppression.addends(&rows, class),
            _ => suppression.addends(&rows, tuple),
        }))
    }
}

/// Rows as counts.
///
/// # Errors
/// The taxonomies are others.
pub fn histogram(rolls: &Since, sensitive: usize, trees: &[&Taxonomy]) -> Result<Histogram> {
    let part = |(since, roll): &(u32, Roll)| -> Result<Histogram> { Ok(roll.rows(trees)?.histogram(*since)) };
    let parts = rolls.iter().map(part).collect::<Result<Vec<_>>>()?;
    Ok(Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(trees.len(), sensitive)))
}

/// How finely those are told apart for ever whom a release brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// By atom: no release will be finer.
    Atoms,
    /// By atom, where each has a label of its own.
    Labels,
    /// Those in atoms by leaf tuple.
    Leaves,
    /// Whoever waits, by leaf tuple.
    Waiting,
}

impl Grain {
    /// Of a chain that promises this.
    pub fn of(policy: &Policy) -> Grain {
        match policy.chain() {
            ChainPromise::Blind(_) => Grain::Atoms,
            ChainPromise::Crowds { .. } => Grain::Labels,
            ChainPromise::Tested { .. } => Grain::Leaves,
            ChainPromise::Disjoint { .. } if policy.forms() => Grain::Leaves,
            ChainPromise::Bcf | ChainPromise::Disjoint { .. } => Grain::Waiting,
        }
    }

    /// Whether a tick says who comes out.
    fn forms(self) -> bool {
        self != Grain::Waiting
    }
}

impl AtomCounts {
    /// Of what a tick has fixed and of everybody who came since the one before.
    pub fn of(fixed: &Fixed, grain: Grain, mut people: Vec<Person>, trees: &[&Taxonomy]) -> AtomCounts {
        people.sort_unstable();
        let none = Histogram::empty(trees.len(), fixed.waiting.values().width());
        let rows = match (&fixed.formed, &fixed.cut) {
            (Some(formed), Some(cut)) if grain == Grain::Atoms => formed.clone().as_one(0).coarsened(cut, trees),
            (Some(formed), _) if grain == Grain::Leaves => formed.clone().as_one(0),
            (Some(formed), _) if grain == Grain::Labels => match &fixed.carving {
                Some(carving) => formed.clone().as_one(0).labelled(carving, trees),
                None => formed.clone().as_one(0),
            },
            (None, _) if grain == Grain::Waiting && fixed.proposed.is_some() => fixed.waiting.clone().as_one(0),
            _ => none,
        };
        let node = |column: usize, leaf: Leaf| match &fixed.cut {
            Some(cut) if grain == Grain::Atoms => cut[column].at(leaf),
            _ if grain == Grain::Labels => leaf,
            _ => trees[column].leaf_node(leaf),
        };
        let tuples: Vec<usize> =
            (0..rows.tuples()).flat_map(|tuple| rows.cells_of(tuple).iter().map(move |_| tuple)).collect();
        let cells: Vec<Cell> = (0..rows.tuples()).flat_map(|tuple| rows.cells_of(tuple).to_vec()).collect();
        let column =
            |at: usize| LabelColumn::of(tuples.iter().map(|&tuple| node(at, rows.column(at)[tuple])), trees[at]);
        AtomCounts {
            tick: fixed.tick,
            cut: fixed.cut.as_ref().map(|cut| labels(cut, trees)),
            steps: fixed.steps.iter().map(|&(column, node)| (column, trees[column].label(node).into())).collect(),
            arrived: fixed.arrived,
            proposed: fixed.proposed.as_ref().map(|cut| labels(cut, trees)),
            finer: fixed.finer.as_ref().map(|cut| labels(cut, trees)),
            nodes: (0..trees.len()).map(column).collect(),
            values: rows.values().clone(),
            codes: cells.iter().map(|cell| cell.value).collect(),
            counts: cells.iter().map(|cell| cell.count).collect(),
            people: people.iter().map(|person| person.0.to_le_bytes()).collect(),
            measures: fixed.measures.as_ref().map(|table| Aggregates::of(table, trees)),
        }
    }

    /// To be sealed.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.measures {
            Some(measures) => bytes(WITH_MEASURES, &(self, measures)),
            None => bytes(VERSION, self),
        }
    }

    /// From what was sealed.
    ///
    /// # Errors
    /// It is of another version.
    pub fn parse(bytes: &[u8]) -> Result<AtomCounts> {
        match parse::<(AtomCounts, Aggregates)>(WITH_MEASURES, bytes) {
            Ok((counts, measures)) => Ok(AtomCounts { measures: Some(measures), ..counts }),
            Err(_) => parse(VERSION, bytes),
        }
    }

    /// The same of a tick in which these people came.
    #[must_use]
    pub fn with_people(mut self, mut people: Vec<Person>) -> AtomCounts {
        people.sort_unstable();
        self.people = people.iter().map(|person| person.0.to_le_bytes()).collect();
        self
    }

    /// The same without the rows of these labels, and without values that no other row has.
    #[must_use]
    pub fn without_labels(mut self, labels: &BTreeSet<Vec<Box<str>>>) -> AtomCounts {
        let label =
            |cell: usize| -> Vec<Box<str>> { self.nodes.iter().map(|column| column.text(cell).into()).collect() };
        let left: Vec<usize> = (0..self.counts.len()).filter(|&cell| !labels.contains(&label(cell))).collect();
        let mut used = vec![false; self.values.len()];
        left.iter().for_each(|&cell| used[self.codes[cell] as usize] = true);
        let (values, codes) = self.values.only(&used);
        self.nodes = self.nodes.iter().map(|column| column.only(&left)).collect();
        self.codes = left.iter().map(|&cell| codes[self.codes[cell] as usize]).collect();
        self.counts = left.iter().map(|&cell| self.counts[cell]).collect();
        self.values = values;
        self.measures = self.measures.map(|measures| measures.without(labels));
        self
    }

    /// Everybody who came.
    pub fn people(&self) -> impl Iterator<Item = Person> + '_ {
        self.people.iter().map(|bytes| Person(u128::from_le_bytes(*bytes)))
    }

    /// What a tick has fixed, where its atoms are told from here.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn completed(&self, fixed: Fixed, grain: Grain, trees: &[&Taxonomy]) -> Result<Fixed> {
        let counted = self.fixed(grain, trees)?;
        let carving = fixed.carving.filter(|_| grain != Grain::Labels);
        let fixed = Fixed { carving, measures: counted.measures, ..fixed };
        Ok(match grain.forms() {
            true => Fixed { formed: counted.formed, ..fixed },
            false => Fixed { waiting: counted.waiting, ..fixed },
        })
    }

    /// What the tick has fixed, as far as it is kept: nobody waits or is withheld in it, unless the rows of a release are
    /// whoever waited.
    ///
    /// # Errors
    /// The taxonomies are others.
    pub fn fixed(&self, grain: Grain, trees: &[&Taxonomy]) -> Result<Fixed> {
        let told = |node: Node, tree: &Taxonomy| match grain {
            Grain::Labels => node,
            _ => tree.leaf_range(node).start,
        };
        let columns = self
            .nodes
            .iter()
            .zip(trees)
            .map(|(labels, tree)| Ok(labels.nodes(tree)?.into_iter().map(|node| told(node, tree)).collect()));
        let columns: Vec<Vec<Leaf>> = columns.collect::<Result<_>>()?;
        let sound = columns.len() == trees.len()
            && columns.iter().all(|column| column.len() == self.counts.len())
            && self.codes.len() == self.counts.len();
        if !sound {
            return Err(other());
        }
        let cells = self.codes.iter().zip(&self.counts);
        let cells: Vec<Cell> = cells.map(|(&value, &count)| Cell { increment: 0, value, count }).collect();
        if cells.iter().any(|cell| cell.value as usize >= self.values.len()) {
            return Err(other());
        }
        let rows = Histogram::of_counts(&columns, self.values.clone(), &cells);
        let none = Histogram::empty(trees.len(), self.values.width());
        let (formed, waiting) = if grain.forms() { (Some(rows), none.clone()) } else { (None, rows) };
        Ok(Fixed {
            tick: self.tick,
            cut: recoding(self.cut.as_ref(), trees)?,
            steps: steps(&self.steps, trees)?,
            arrived: self.arrived,
            waiting,
            withheld: none,
            formed: formed.filter(|formed| formed.rows() > 0),
            proposed: recoding(self.proposed.as_ref(), trees)?,
            carving: None,
            finer: recoding(self.finer.as_ref(), trees)?,
            turns: None,
            measures: self.measures.as_ref().map(|measures| measures.table(trees)).transpose()?,
        })
    }
}

/// Classes by their labels.
fn classes(carving: &Carving, trees: &[&Taxonomy]) -> Classes {
    let label = |(&node, tree): (&Node, &&Taxonomy)| tree.label(node).into();
    let labels = |nodes: &Vec<Node>| -> Vec<Box<str>> { nodes.iter().zip(trees.iter().cycle()).map(label).collect() };
    let mut written: Vec<Vec<Box<str>>> = carving.classes().iter().map(labels).collect();
    if let Some(groups) = carving.groups() {
        let leaves = |tuple: &Vec<Leaf>| -> Vec<Node> {
            tuple.iter().zip(trees).map(|(&leaf, tree)| tree.leaf_node(leaf)).collect()
        };
        written.push(Vec::new());
        written.extend(groups.iter().map(|group| labels(&group.iter().flat_map(leaves).collect())));
    }
    Classes(written)
}

fn carving(classes: Option<&Classes>, trees: &[&Taxonomy]) -> Result<Option<Carving>> {
    let Some(Classes(classes)) = classes else { return Ok(None) };
    let class = |class: &Vec<Box<str>>| -> Option<Vec<Node>> {
        let nodes = class.iter().zip(trees).map(|(label, tree)| tree.find(label));
        (class.len() == trees.len()).then(|| nodes.collect()).flatten()
    };
    let end = classes.iter().position(Vec::is_empty);
    let (classes, groups) = classes.split_at(end.unwrap_or(classes.len()));
    let classes: Option<Vec<Vec<Node>>> = classes.iter().map(class).collect();
    let classes = classes.ok_or_else(other)?;
    let Some((_, groups)) = groups.split_first() else { return Ok(Some(Carving::new(classes))) };
    let tuple = |labels: &[Box<str>]| -> Option<Vec<Leaf>> {
        let leaves = labels.iter().zip(trees).map(|(label, tree)| tree.find_leaf(label));
        (labels.len() == trees.len()).then(|| leaves.collect()).flatten()
    };
    let tuples = |group: &Vec<Box<str>>| group.chunks(trees.len()).map(tuple).collect();
    let groups: Option<Vec<Vec<Vec<Leaf>>>> = groups.iter().map(tuples).collect();
    let groups = groups.filter(|groups| groups.len() == classes.len()).ok_or_else(other)?;
    Ok(Some(Carving::of_groups(classes, &groups)))
}

fn labels(cut: &[Cut], trees: &[&Taxonomy]) -> Cuts {
    let of = |(cut, tree): (&Cut, &&Taxonomy)| cut.nodes().iter().map(|&node| tree.label(node).into()).collect();
    cut.iter().zip(trees).map(of).collect()
}

fn steps(steps: &Steps, trees: &[&Taxonomy]) -> Result<Vec<(usize, Node)>> {
    let node = |(column, label): &(usize, Box<str>)| Some((*column, trees.get(*column)?.find(label)?));
    steps.iter().map(|step| node(step).ok_or_else(other)).collect()
}

/// A cut by its labels: what is new in a taxonomy since lies under one of them, or is one.
fn recoding(cuts: Option<&Cuts>, trees: &[&Taxonomy]) -> Result<Option<Recoding>> {
    let Some(cuts) = cuts else { return Ok(None) };
    let of = |(labels, tree): (&Vec<Box<str>>, &&Taxonomy)| {
        let nodes: Option<Vec<Node>> = labels.iter().map(|label| tree.find(label)).collect();
        nodes.and_then(|nodes| Cut::completed(tree, &nodes).ok()).ok_or_else(other)
    };
    if !cuts.is_empty() && cuts.len() != trees.len() {
        return Err(other());
    }
    cuts.iter().zip(trees).map(of).collect::<Result<Recoding>>().map(Some)
}
