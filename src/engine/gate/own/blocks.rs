//! What a release may tell of the measures of its classes where people join the classes of earlier releases (SCIENCE 7). It is worked out
//! again from the beginning of the chain: which people's numbers were told together so far, in sets that the rules let pass and that no
//! published sum ever divides. A class may only tell the numbers of whole sets.

use std::collections::BTreeMap;

use super::addends::{Addends, Aggregate, Rules, Told, addends, earlier};
use super::case::{Newest, Ready};
use crate::model::{Cut, Leaf, Node, Taxonomy};
use crate::policy::Chain;

/// People's numbers that came in the same way.
struct Part {
    /// Where they are: no person of it is anywhere else.
    label: Vec<Node>,
    numbers: Addends,
    /// Whether they were told, or could have been.
    told: bool,
}

/// What has to be told of each class of the release; `None` if the numbers of the people of some release are not known.
pub(super) fn meant(ready: &Ready<'_>, measures: usize) -> Option<BTreeMap<Vec<Node>, Told>> {
    let (case, rules) = (ready.case, Rules::of(ready.case.policy));
    // For each measure the parts by which numbers are counted, and those by which they are added up.
    let mut parts: Vec<[Vec<Part>; 2]> = (0..measures).map(|_| Default::default()).collect();
    for older in case.older {
        come(&mut parts, earlier(older.addends?, measures, rules.read())?);
        tell(&mut parts, &rules, older.known, &ready.trees);
    }
    for newest in case.newest {
        come(&mut parts, addends(newest, measures, |leaves| Some(label(ready, newest, leaves)))?);
    }
    tell(&mut parts, &rules, case.recoding, &ready.trees);
    let seen: Vec<[Seen<'_>; 2]> =
        parts.iter().map(|kinds| kinds.each_ref().map(|kind| Seen::new(kind, case.recoding, &ready.trees))).collect();
    let told = |class: &[Node]| -> Told {
        let of = |[counts, sums]: &[Seen<'_>; 2]| {
            let count = counts.numbers(class, &ready.trees).map(|numbers| numbers.count);
            let sum = sums.numbers(class, &ready.trees).map(|numbers| numbers.sum);
            Aggregate { count, sum: sum.filter(|_| count.is_some()) }
        };
        seen.iter().map(of).collect()
    };
    let classes = (0..ready.table.classes()).map(|class| ready.table.class(class));
    Some(classes.map(|class| (class.to_vec(), told(class))).collect())
}

/// Where a new person is: in an atom, or where later releases may be finer, at a leaf tuple.
fn label(ready: &Ready<'_>, newest: &Newest<'_>, leaves: &[Leaf]) -> Vec<Node> {
    match ready.case.policy.chain() {
        Chain::Blind(_) => newest.atoms.iter().zip(leaves).map(|(cut, &leaf)| cut.at(leaf)).collect(),
        _ => ready.trees.iter().zip(leaves).map(|(tree, &leaf)| tree.leaf_node(leaf)).collect(),
    }
}

fn come(parts: &mut [[Vec<Part>; 2]], new: impl IntoIterator<Item = (Vec<Node>, Vec<Addends>)>) {
    for (label, numbers) in new {
        for (kinds, numbers) in parts.iter_mut().zip(numbers) {
            kinds.iter_mut().for_each(|kind| {
                kind.push(Part { label: label.clone(), numbers: numbers.clone(), told: false });
            });
        }
    }
}

/// A release is published under this recoding: parts of one class that were never told are told together from now on, where they may be.
fn tell(parts: &mut [[Vec<Part>; 2]], rules: &Rules, recoding: &[Cut], trees: &[&Taxonomy]) {
    for [counts, sums] in parts {
        become_one(counts, recoding, trees, |numbers| !rules.are_few(numbers));
        become_one(sums, recoding, trees, |numbers| !rules.are_few(numbers) && !rules.gives_away(numbers));
    }
}

fn become_one(parts: &mut Vec<Part>, recoding: &[Cut], trees: &[&Taxonomy], passes: impl Fn(&Addends) -> bool) {
    let (mut told, untold): (Vec<Part>, Vec<Part>) = std::mem::take(parts).into_iter().partition(|part| part.told);
    let mut classes: BTreeMap<Vec<Node>, Vec<Part>> = BTreeMap::new();
    for part in untold {
        classes.entry(class_of(&part.label, recoding, trees).0).or_default().push(part);
    }
    for (label, untold) in classes {
        let mut numbers = Addends::default();
        untold.iter().for_each(|part| numbers.join(&part.numbers));
        if passes(&numbers) {
            told.push(Part { label, numbers, told: true });
        } else {
            parts.extend(untold);
        }
    }
    // Parts that were told of one label are in the same class for ever.
    let mut together: BTreeMap<Vec<Node>, Part> = BTreeMap::new();
    for part in told {
        match together.get_mut(&part.label) {
            Some(known) => known.numbers.join(&part.numbers),
            None => _ = together.insert(part.label.clone(), part),
        }
    }
    parts.extend(together.into_values());
}

/// Parts as the classes of a release hold them.
#[derive(Default)]
struct Seen<'p> {
    /// Those that were told, class by class.
    whole: BTreeMap<Vec<Node>, Addends>,
    /// Classes with people whose numbers were never told.
    untold: Vec<Vec<Node>>,
    /// Parts that were told and that classes of this release divide.
    divided: Vec<&'p Part>,
}

impl<'p> Seen<'p> {
    fn new(parts: &'p [Part], recoding: &[Cut], trees: &[&Taxonomy]) -> Seen<'p> {
        let mut seen = Seen::default();
        for part in parts {
            match class_of(&part.label, recoding, trees) {
                (class, _) if !part.told => seen.untold.push(class),
                (class, true) => seen.whole.entry(class).or_default().join(&part.numbers),
                (_, false) if part.numbers.count > 0 => seen.divided.push(part),
                _ => {}
            }
        }
        seen.untold.sort_unstable();
        seen
    }

    /// All numbers of a class, if they may be told.
    fn numbers(&self, class: &[Node], trees: &[&Taxonomy]) -> Option<Addends> {
        let meets = |part: &&Part| {
            let mut columns = part.label.iter().zip(class).zip(trees);
            columns.all(|((&one, &other), tree)| tree.common(one, other) == one.min(other))
        };
        let untold = self.untold.binary_search_by(|known| known[..].cmp(class)).is_ok();
        if untold || self.divided.iter().any(meets) {
            return None;
        }
        Some(self.whole.get(class).cloned().unwrap_or_default())
    }
}

/// The class in which people of this label are, and whether it holds all of them: where the recoding is finer, classes divide them.
fn class_of(label: &[Node], recoding: &[Cut], trees: &[&Taxonomy]) -> (Vec<Node>, bool) {
    let mut whole = true;
    let nodes = label.iter().zip(recoding).zip(trees).map(|((&node, cut), tree)| {
        let class = cut.at(tree.leaf_range(node).start);
        whole &= tree.covers(class, node);
        if tree.covers(class, node) { class } else { node }
    });
    (nodes.collect(), whole)
}
