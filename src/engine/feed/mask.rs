//! Fixes the published values of an increment for the life of the chain (SCIENCE 5, MASK inside a
//! chain): once, when its atoms have formed, and before anything is based on them.
//!
//! Which rows are in which atom was decided without any value; this module looks at values, and
//! decides only which values are published.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::ledger::{ChangedRows, Ledger};
use super::mask_sources::{LabelValue, MaskSources};
use super::parts::Increment;
use super::state::Feed;
use crate::histogram::{Histogram, SensitiveValues, ValueCode};
use crate::label::Course;
use crate::model::{ClassFinder, Columns, Leaf, Node, Recoding, Taxonomy};
use crate::policy::Policy;
use crate::safeguards;
use crate::safeguards::mask::{
    Draws, EqualRows, NoReplacement, ReplacementSources, ReplacementValues,
};

/// Rows with a value outside every guarded set, by their class.
type Classes = BTreeMap<Vec<Node>, Vec<(ValueCode, u64)>>;

/// The classes of the people, and the larger classes around them.
enum SurroundingClasses<'a> {
    /// Those of one recoding, and of its undone specialisations.
    Course(&'a Course),
    /// Those of a release whose classes have labels of their own, and the class of all people.
    Carved(ClassFinder<'a>),
}

/// The rows of the chain with values outside every guarded set, by the classes of its people.
struct ChainValues<'a> {
    around: SurroundingClasses<'a>,
    trees: &'a [&'a Taxonomy],
    /// The leaves of all people who count, with the value and the number of rows.
    outside: Vec<(Vec<Leaf>, ValueCode, u64)>,
    /// One leaf tuple of each atom.
    atoms: Vec<Vec<Leaf>>,
    known: RefCell<BTreeMap<usize, (Option<Recoding>, Classes)>>,
}

/// The published values of the people whose atoms formed last, if values are masked and not
/// fixed yet.
///
/// # Errors
/// Rows have to be changed, and no person has a value that they could be changed to.
pub fn mask(
    feed: &Feed,
    policy: &Policy,
    columns: &Columns,
    draws: &mut dyn Draws,
) -> Result<Option<Ledger>, NoReplacement> {
    let Some(masking) = policy.masking().filter(|masking| masking.mask) else {
        return Ok(None);
    };
    let trees = columns.trees();
    let (Some(around), Some((rows, earlier))) = (around(feed, &trees), feed.fresh()) else {
        return Ok(None);
    };
    let all = all(feed, rows, earlier, policy, &trees);
    let sets = all.values().guarded(columns);
    let (values, maps) = SensitiveValues::union(&[all.values(), rows.values()]);
    let formed = rows.clone().with_values(&values, &maps[1]);
    let mut classes: BTreeMap<Vec<Node>, (Vec<Leaf>, Vec<EqualRows>)> = BTreeMap::new();
    let mut cells: Vec<(usize, u32)> = Vec::new();
    for tuple in 0..formed.tuples() {
        let leaves: Vec<Leaf> = formed.tuple_at(tuple).collect();
        let class = around.class(around.cut(), 0, &leaves);
        let (_, rows) = classes.entry(class).or_insert_with(|| (leaves, Vec::new()));
        for cell in formed.cells_of(tuple) {
            if cells.last() != Some(&(tuple, cell.increment)) {
                cells.push((tuple, cell.increment));
            }
            rows.push(EqualRows {
                cell: cells.len() as u32 - 1,
                value: cell.value,
                rows: u64::from(cell.count),
            });
        }
    }
    let (atoms, rows): (Vec<Vec<Leaf>>, Vec<Vec<EqualRows>>) = classes.into_values().unzip();
    let counted: u64 = rows.iter().flatten().map(|equal| equal.rows).sum();
    assert_eq!(counted, formed.rows(), "each row is in one class");
    let outside = outside(&all, &sets);
    let held: Box<dyn ReplacementSources> = match policy.halves() {
        true => {
            let division = policy.division(&trees).expect("the feed file was checked");
            let labels: Vec<Vec<Node>> = atoms
                .iter()
                .map(|leaves| around.class(None, 0, leaves))
                .collect();
            Box::new(MaskSources::new(
                outside,
                &labels,
                &division,
                policy.refusals(),
                &trees,
            ))
        }
        false => Box::new(ChainValues {
            around,
            trees: &trees,
            outside: if policy.has_atoms() {
                first_leaves(outside, &trees)
            } else {
                outside
            },
            atoms,
            known: RefCell::default(),
        }),
    };
    let changes = safeguards::mask::mask(&rows, &sets, masking.l(), &*held, draws)?;
    assert!(
        changes
            .iter()
            .all(|change| change.from != change.to && change.rows > 0),
        "what is changed is another value"
    );
    let changed = changes.into_iter().map(|change| {
        let (tuple, since) = cells[change.cell as usize];
        let rows = u32::try_from(change.rows).expect("as many as there are");
        ChangedRows {
            leaves: formed.tuple_at(tuple).collect(),
            since,
            from: change.from,
            to: change.to,
            rows,
        }
    });
    Ok(Some(
        Ledger {
            changed: changed.collect(),
            values,
        }
        .with_values_in_use(),
    ))
}

/// All people of the chain, including those whose values are being fixed; if they are published in
/// atoms, with the nodes of their labels in the place of leaves.
fn all(
    feed: &Feed,
    rows: &Histogram,
    earlier: &[Increment],
    policy: &Policy,
    trees: &[&Taxonomy],
) -> Histogram {
    let formed = feed
        .unpublished
        .last()
        .and_then(|increment| increment.labels.as_ref());
    let crowds = formed.filter(|_| policy.has_atoms());
    let of_increment = |increment: &Increment| match crowds {
        Some(_) => increment.labelled(trees),
        None => increment.as_published().as_one(0),
    };
    let rows = rows.clone().as_one(0);
    let mut all = vec![feed.whole().clone().as_one(0)];
    all.push(crowds.map_or_else(|| rows.clone(), |carving| rows.labelled(carving, trees)));
    all.extend(earlier.iter().map(of_increment));
    Histogram::merge_all(all).expect("two at least")
}

/// The classes of the people whose atoms formed last.
fn around<'f>(feed: &'f Feed, trees: &[&Taxonomy]) -> Option<SurroundingClasses<'f>> {
    let formed = feed.unpublished.last()?;
    if let Some(course) = &formed.course {
        return Some(SurroundingClasses::Course(course));
    }
    let labels = formed.labels.as_ref()?;
    Some(SurroundingClasses::Carved(labels.finder(trees)))
}

/// Rows with the first leaves of their labels, which lie in the same classes of every coarser
/// recoding.
fn first_leaves(rows: Vec<LabelValue>, trees: &[&Taxonomy]) -> Vec<LabelValue> {
    let first = |label: Vec<Node>| -> Vec<Leaf> {
        let nodes = label.into_iter().zip(trees);
        nodes
            .map(|(node, tree)| tree.leaf_range(node).start)
            .collect()
    };
    rows.into_iter()
        .map(|(label, value, rows)| (first(label), value, rows))
        .collect()
}

/// The rows outside every guarded set.
fn outside(all: &Histogram, sets: &[Vec<bool>]) -> Vec<(Vec<Leaf>, ValueCode, u64)> {
    let of = |tuple: usize| {
        let cells = all
            .cells_of(tuple)
            .iter()
            .filter(|cell| !sets.iter().any(|set| set[cell.value as usize]));
        cells.map(move |cell| {
            (
                all.tuple_at(tuple).collect(),
                cell.value,
                u64::from(cell.count),
            )
        })
    };
    (0..all.tuples()).flat_map(of).collect()
}

impl SurroundingClasses<'_> {
    /// The recoding whose classes the people are in, if there is one.
    fn cut(&self) -> Option<&Recoding> {
        match self {
            SurroundingClasses::Course(course) => Some(course.cut()),
            SurroundingClasses::Carved(_) => None,
        }
    }

    /// The same with this many steps undone; `None` if there are not as many.
    fn higher(&self, higher: usize, trees: &[&Taxonomy]) -> Option<Option<Recoding>> {
        match self {
            SurroundingClasses::Course(course) => course.without(higher, trees).map(Some),
            SurroundingClasses::Carved(_) => (higher < 2).then_some(None),
        }
    }

    /// The class of these leaves, this many steps up.
    fn class(&self, cut: Option<&Recoding>, higher: usize, leaves: &[Leaf]) -> Vec<Node> {
        match (self, cut) {
            (SurroundingClasses::Carved(carved), _) if higher == 0 => carved
                .class(leaves)
                .map_or(vec![0; leaves.len()], |(_, class)| class.to_vec()),
            (_, Some(cut)) => cut
                .iter()
                .zip(leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect(),
            (_, None) => vec![0; leaves.len()],
        }
    }
}

impl ReplacementSources for ChainValues<'_> {
    fn around(&self, atom: usize, higher: usize) -> Option<ReplacementValues> {
        let mut known = self.known.borrow_mut();
        let (recoding, classes) = match known.entry(higher) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let recoding = self.around.higher(higher, self.trees)?;
                let mut classes = Classes::new();
                for (leaves, value, rows) in &self.outside {
                    let class = self.around.class(recoding.as_ref(), higher, leaves);
                    classes.entry(class).or_default().push((*value, *rows));
                }
                entry.insert((recoding, classes))
            }
        };
        let class = self
            .around
            .class(recoding.as_ref(), higher, &self.atoms[atom]);
        let found = classes.get(&class).cloned().unwrap_or_default();
        Some(ReplacementValues::of(found))
    }
}
