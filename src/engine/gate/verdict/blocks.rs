//! The measures that a release may publish about its classes, if people join the classes of earlier
//! releases (SCIENCE 7). This is computed from the beginning of the chain: whose numbers were
//! published together so far, in sets that the rules allow and that no published sum ever divides.
//! A class may only publish the numbers of whole sets.

use std::collections::BTreeMap;

use super::addends::{Aggregate, LabelAddends, PersonAddends, SumRules, addends, earlier};
use super::comparison::PreparedCase;
use super::next_release::NewIncrement;
use crate::model::{Cut, Leaf, Node, Taxonomy};
use crate::policy::ChainPromise;

/// Numbers to which no rule is applied any more.
#[derive(Clone, Copy, Default)]
struct Total {
    count: u64,
    sum: i128,
}

impl Total {
    fn join(&mut self, count: u64, sum: i128) {
        self.count += count;
        self.sum += sum;
    }
}

/// The numbers of all people so far, in parts: each has a label, and no person is in two parts.
#[derive(Default)]
struct Parts {
    /// Parts that were published, or could have been. People of one label are in the same class for
    /// ever, so they are one part.
    published: BTreeMap<Vec<Node>, Total>,
    /// Parts that were never published, as they came.
    hidden: Vec<(Vec<Node>, PersonAddends)>,
}

/// The figures that each class of the release has to publish; `None` if the numbers of the people
/// of some release are unknown.
pub(super) fn meant(
    ready: &PreparedCase<'_>,
    measures: usize,
) -> Option<BTreeMap<Vec<Node>, LabelAddends>> {
    let (case, rules) = (ready.case, SumRules::of(ready.case.policy));
    // For each measure the parts by which numbers are counted, and those by which they are added
    // up.
    let mut parts: Vec<[Parts; 2]> = (0..measures).map(|_| Default::default()).collect();
    for older in case.older {
        come(&mut parts, earlier(older.addends?, measures, rules.read())?);
        publish(&mut parts, &rules, older.known, &ready.trees);
    }
    for newest in case.newest {
        come(
            &mut parts,
            addends(newest, measures, |leaves| {
                Some(label(ready, newest, leaves))
            })?,
        );
    }
    publish(&mut parts, &rules, case.recoding, &ready.trees);
    let seen: Vec<[ClassParts<'_>; 2]> = parts
        .iter()
        .map(|kinds| {
            kinds
                .each_ref()
                .map(|kind| ClassParts::new(kind, case.recoding, &ready.trees))
        })
        .collect();
    let published = |class: &[Node]| -> LabelAddends {
        let of = |[counts, sums]: &[ClassParts<'_>; 2]| {
            let count = counts
                .numbers(class, &ready.trees)
                .map(|numbers| numbers.count);
            let sum = sums.numbers(class, &ready.trees).map(|numbers| numbers.sum);
            Aggregate {
                count,
                sum: sum.filter(|_| count.is_some()),
            }
        };
        seen.iter().map(of).collect()
    };
    assert_eq!(seen.len(), measures, "what is seen of each measure");
    let classes = (0..ready.table.classes()).map(|class| ready.table.class(class));
    Some(
        classes
            .map(|class| (class.to_vec(), published(class)))
            .collect(),
    )
}

/// The place of a new person: an atom, or, if later releases may be finer, a leaf tuple.
fn label(ready: &PreparedCase<'_>, newest: &NewIncrement<'_>, leaves: &[Leaf]) -> Vec<Node> {
    match ready.case.policy.chain() {
        ChainPromise::Blind(_) => newest
            .atoms
            .iter()
            .zip(leaves)
            .map(|(cut, &leaf)| cut.at(leaf))
            .collect(),
        _ => ready
            .trees
            .iter()
            .zip(leaves)
            .map(|(tree, &leaf)| tree.leaf_node(leaf))
            .collect(),
    }
}

fn come(parts: &mut [[Parts; 2]], new: impl IntoIterator<Item = (Vec<Node>, Vec<PersonAddends>)>) {
    for (label, numbers) in new {
        assert_eq!(numbers.len(), parts.len(), "numbers of each measure");
        for (kinds, numbers) in parts.iter_mut().zip(numbers) {
            kinds
                .iter_mut()
                .for_each(|kind| kind.hidden.push((label.clone(), numbers.clone())));
        }
    }
}

/// Publishes a release under this recoding: unpublished parts of one class are published together
/// from now on, if the rules allow.
fn publish(parts: &mut [[Parts; 2]], rules: &SumRules, recoding: &[Cut], trees: &[&Taxonomy]) {
    for [counts, sums] in parts {
        counts.become_one(recoding, trees, |numbers| !rules.are_few(numbers));
        sums.become_one(recoding, trees, |numbers| {
            !rules.are_few(numbers) && !rules.gives_away(numbers)
        });
    }
}

impl Parts {
    fn become_one(
        &mut self,
        recoding: &[Cut],
        trees: &[&Taxonomy],
        passes: impl Fn(&PersonAddends) -> bool,
    ) {
        let mut classes: BTreeMap<Vec<Node>, Vec<(Vec<Node>, PersonAddends)>> = BTreeMap::new();
        let before = self.people();
        for part in self.hidden.drain(..) {
            classes
                .entry(class_of(&part.0, recoding, trees).0)
                .or_default()
                .push(part);
        }
        for (label, parts) in classes {
            let mut numbers = PersonAddends::default();
            parts.iter().for_each(|(_, part)| numbers.join(part));
            match passes(&numbers) {
                true => self
                    .published
                    .entry(label)
                    .or_default()
                    .join(numbers.count, numbers.sum),
                false => self.hidden.extend(parts),
            }
        }
        assert_eq!(
            self.people(),
            before,
            "numbers are published or are not, and none is lost"
        );
    }

    fn people(&self) -> u64 {
        let hidden: u64 = self.hidden.iter().map(|(_, numbers)| numbers.count).sum();
        self.published
            .values()
            .map(|total| total.count)
            .sum::<u64>()
            + hidden
    }
}

/// The parts as they are in the classes of a release.
#[derive(Default)]
struct ClassParts<'p> {
    /// The published parts of each class.
    whole: BTreeMap<Vec<Node>, Total>,
    /// Classes with people whose numbers were never published.
    hidden: Vec<Vec<Node>>,
    /// Labels of published parts that classes of this release divide.
    divided: Vec<&'p [Node]>,
}

impl<'p> ClassParts<'p> {
    fn new(parts: &'p Parts, recoding: &[Cut], trees: &[&Taxonomy]) -> ClassParts<'p> {
        let mut seen = ClassParts::default();
        for (label, &Total { count, sum }) in &parts.published {
            match class_of(label, recoding, trees) {
                (class, true) => seen.whole.entry(class).or_default().join(count, sum),
                (_, false) if count > 0 => seen.divided.push(label),
                _ => {}
            }
        }
        seen.hidden = parts
            .hidden
            .iter()
            .map(|(label, _)| class_of(label, recoding, trees).0)
            .collect();
        seen.hidden.sort_unstable();
        seen
    }

    /// All numbers of a class, if they may be published.
    fn numbers(&self, class: &[Node], trees: &[&Taxonomy]) -> Option<Total> {
        let meets = |label: &&[Node]| {
            let mut columns = label.iter().zip(class).zip(trees);
            columns.all(|((&one, &other), tree)| tree.common(one, other) == one.min(other))
        };
        let hidden = self
            .hidden
            .binary_search_by(|known| known[..].cmp(class))
            .is_ok();
        if hidden || self.divided.iter().any(meets) {
            return None;
        }
        Some(self.whole.get(class).copied().unwrap_or_default())
    }
}

/// The class of people with this label, and whether it contains all of them: if the recoding is
/// finer, classes divide them.
fn class_of(label: &[Node], recoding: &[Cut], trees: &[&Taxonomy]) -> (Vec<Node>, bool) {
    let mut whole = true;
    let nodes = label
        .iter()
        .zip(recoding)
        .zip(trees)
        .map(|((&node, cut), tree)| {
            let class = cut.at(tree.leaf_range(node).start);
            whole &= tree.covers(class, node);
            if tree.covers(class, node) {
                class
            } else {
                node
            }
        });
    (nodes.collect(), whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    /// People of one leaf of the second column were published together, and classes of that leaf
    /// divide them by the first column: only classes that they can be in are suppressed, and a part
    /// without numbers suppresses none.
    #[test]
    fn only_classes_that_divide_numbers_are_silent() {
        let tree = || {
            let mut tree = Tree::new("*");
            ["one", "other"]
                .into_iter()
                .for_each(|label| _ = tree.add(0, label, 1));
            tree.finish().expect("distinct labels")
        };
        let (first, second) = (tree(), tree());
        let trees = [&first, &second];
        let leaves = trees.map(Cut::leaves);
        for (count, silent) in [(3, true), (0, false)] {
            let mut parts = Parts::default();
            parts.published.insert(vec![0, 1], Total { count, sum: 7 });
            parts
                .published
                .insert(vec![1, 2], Total { count: 4, sum: 9 });
            let seen = ClassParts::new(&parts, &leaves, &trees);
            let published = |class: [Node; 2]| {
                seen.numbers(&class, &trees)
                    .map(|numbers| (numbers.count, numbers.sum))
            };
            assert_eq!(
                [published([1, 1]), published([2, 1])],
                if silent { [None; 2] } else { [Some((0, 0)); 2] }
            );
            assert_eq!(
                [published([1, 2]), published([2, 2])],
                [Some((4, 9)), Some((0, 0))]
            );
        }
    }
}
