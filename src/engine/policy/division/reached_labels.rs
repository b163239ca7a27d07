//! Which of many labels halving can produce. They are divided as halving divides people, so that
//! each region on the way to several of them is examined once.

use super::{Division, RegionSplit};
use crate::model::Node;

/// The number of labels from which on two parts are examined on two threads.
const MANY: usize = 1 << 12;

/// A region on the way to labels, and the splits that were refused before it.
#[derive(Clone)]
struct Stop {
    region: Vec<Node>,
    refused: u32,
    closed: Vec<bool>,
}

impl Stop {
    /// The next region, if the split is made and this part is taken.
    fn at(&self, column: usize, part: Node) -> Stop {
        let mut next = self.clone();
        next.region[column] = part;
        next
    }
}

impl Division<'_> {
    /// The indices of the labels that halving cannot produce if it may refuse this many splits:
    /// those for which [`Division::way_to`] gives `None`.
    pub fn unreached(&self, labels: &[&[Node]], refusals: u32) -> Vec<usize> {
        let mut places: Vec<usize> = (0..labels.len()).collect();
        let root = Stop {
            region: self.root(),
            refused: 0,
            closed: vec![false; self.trees.len()],
        };
        let mut missed = self.missed(&mut places, root, labels, refusals);
        missed.sort_unstable();
        assert!(
            missed.is_sorted_by(|one, next| one < next),
            "a label is missed once"
        );
        missed
    }

    /// The indices among `places` whose labels cannot be reached through a region.
    fn missed(
        &self,
        places: &mut [usize],
        mut stop: Stop,
        labels: &[&[Node]],
        refusals: u32,
    ) -> Vec<usize> {
        let (_, places) = apart(places, |place| labels[place] == stop.region);
        if places.is_empty() {
            return Vec::new();
        }
        // Labels that are not reached yet need another division.
        let open = self
            .splits(&stop.region)
            .into_iter()
            .find(|split| !stop.closed[split.column]);
        let Some(RegionSplit { column, parts }) = open.filter(|_| stop.refused < refusals) else {
            return places.to_vec();
        };
        let (refused, divided) =
            apart(places, |place| labels[place][column] == stop.region[column]);
        let below =
            |part: Node| move |place: usize| self.trees[column].covers(part, labels[place][column]);
        let (first, others) = apart(divided, below(parts[0]));
        let (second, foreign) = apart(others, below(parts[1]));
        let mut missed = foreign.to_vec();
        let many = first.len() + second.len() >= MANY;
        let [one, other] = parts.map(|part| stop.at(column, part));
        let one = || self.missed(first, one, labels, refusals);
        let other = || self.missed(second, other, labels, refusals);
        let (one, other) = if many {
            rayon::join(one, other)
        } else {
            (one(), other())
        };
        missed.extend(one.into_iter().chain(other));
        stop.refused += 1;
        stop.closed[column] = true;
        missed.extend(self.missed(refused, stop, labels, refusals));
        missed
    }
}

/// Those for which a condition holds, and the others.
fn apart(places: &mut [usize], holds: impl Fn(usize) -> bool) -> (&mut [usize], &mut [usize]) {
    let mut held = 0;
    for at in 0..places.len() {
        if holds(places[at]) {
            places.swap(held, at);
            held += 1;
        }
    }
    assert!(held <= places.len(), "some of the places");
    places.split_at_mut(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Taxonomy, Tree};
    use crate::settings::Values;

    /// Halves of halves, and a leaf beside them.
    fn tree(deep: bool) -> Taxonomy {
        let mut tree = Tree::new("*");
        let halves = tree.add(0, "a", 1);
        for part in ["b", "c"] {
            let at = tree.add(halves, part, 1);
            (0..2)
                .filter(|_| deep)
                .for_each(|leaf| _ = tree.add(at, &format!("{part}{leaf}"), 1));
        }
        tree.add(0, "d", 1);
        tree.finish().expect("a tree")
    }

    #[test]
    fn it_misses_the_labels_that_no_way_leads_to() {
        let (deep, flat) = (tree(true), tree(false));
        let trees = [&deep, &flat, &deep];
        let nodes = |tree: &Taxonomy| 0..tree.nodes() as Node;
        let pairs = nodes(&deep).flat_map(|first| nodes(&flat).map(move |second| [first, second]));
        let all: Vec<Vec<Node>> = pairs
            .flat_map(|[first, second]| nodes(&deep).map(move |third| vec![first, second, third]))
            .collect();
        let labels: Vec<&[Node]> = all.iter().map(Vec::as_slice).collect();
        for least in [1, 3] {
            let division = Division::new(&trees, 1, least, Values::Repeated).expect("few values");
            for refusals in 0..4 {
                let no_way = |&place: &usize| division.way_to(labels[place], refusals).is_none();
                let missed: Vec<usize> = (0..labels.len()).filter(no_way).collect();
                // Halving always reaches the root; without refusals left it reaches nothing else.
                assert!(
                    missed.len() < labels.len()
                        && (refusals > 0 || missed.len() == labels.len() - 1)
                );
                assert_eq!(division.unreached(&labels, refusals), missed);
                assert_eq!(
                    division.unreached(&labels[..9], refusals),
                    missed
                        .iter()
                        .copied()
                        .filter(|at| *at < 9)
                        .collect::<Vec<_>>()
                );
            }
        }
    }
}
