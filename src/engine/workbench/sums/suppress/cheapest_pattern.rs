//! The cheapest pattern of suppressed cells, by branch and bound: a pattern that violates a cut
//! needs one of the cells that count in it.

use super::cut::CoverInequality;
use super::search::SuppressionSearch;

/// The most cuts that are stored.
const MOST_CUTS: usize = 400;

/// The cheapest pattern that the limit on work allows to find, and whether it is proved that none
/// is cheaper.
pub(super) fn pattern(search: &mut SuppressionSearch<'_>, found: Vec<bool>) -> (Vec<bool>, bool) {
    let cost = search.cost(&found);
    let mut branches = Branches {
        best: found,
        cost,
        cuts: Vec::new(),
    };
    let (mut pattern, mut closed) = (search.base.clone(), vec![false; search.base.len()]);
    let least = branches.descend(search, &mut pattern, &mut closed);
    assert!(
        branches.cost <= cost,
        "what is found costs no more than what was known"
    );
    // Costs may be sums of values: they are not shown.
    assert!(
        search.cost(&branches.best) == branches.cost,
        "the cost is that of the pattern"
    );
    assert!(
        pattern == search.base && !closed.contains(&true),
        "each branch is left as it was entered"
    );
    (branches.best, least)
}

struct Branches {
    best: Vec<bool>,
    cost: u128,
    cuts: Vec<CoverInequality>,
}

impl Branches {
    /// Examines all patterns with the cells of `pattern` and none of `closed`; false if the limit
    /// on work was reached.
    fn descend(
        &mut self,
        search: &mut SuppressionSearch<'_>,
        pattern: &mut Vec<bool>,
        closed: &mut Vec<bool>,
    ) -> bool {
        if search.work > search.problem.work {
            return false;
        }
        // Examining stored cuts is work as well.
        search.work += self
            .cuts
            .iter()
            .map(|cut| cut.weights.len() as u64)
            .sum::<u64>()
            + 1;
        let Some(broken) = self.broken(search, pattern, closed) else {
            return true;
        };
        let Some(broken) = broken.or_else(|| self.next_cut(search, pattern)) else {
            self.cost = search.cost(pattern);
            self.best.clone_from(pattern);
            return true;
        };
        let mut open: Vec<(usize, u64, i128)> =
            open(search, &self.cuts[broken], pattern, closed).collect();
        open.sort_by_key(|&(cell, price, _)| (price, cell));
        let mut done = true;
        let mut now_closed = Vec::new();
        for (cell, _, _) in open {
            pattern[cell] = true;
            done = self.descend(search, pattern, closed);
            pattern[cell] = false;
            if !done {
                break;
            }
            closed[cell] = true;
            now_closed.push(cell);
        }
        now_closed.into_iter().for_each(|cell| closed[cell] = false);
        done
    }

    /// A stored cut that the pattern violates, the one with the fewest cells left; `None` if
    /// nothing here can be cheaper than the best pattern. Cuts without a common cell each cost at
    /// least their cheapest one.
    #[allow(
        clippy::option_option,
        reason = "no branch, a branch by a new cut, a branch by this cut"
    )]
    fn broken(
        &self,
        search: &SuppressionSearch<'_>,
        pattern: &[bool],
        closed: &[bool],
    ) -> Option<Option<usize>> {
        let mut bound = search.cost(pattern);
        let mut used = vec![false; pattern.len()];
        let mut first: Option<(usize, usize)> = None;
        let mut broken: Vec<(u64, usize, Vec<usize>)> = Vec::new();
        for (at, cut) in self.cuts.iter().enumerate() {
            let lacks = cut.lacks(pattern);
            if lacks <= 0 {
                continue;
            }
            let (mut cells, mut cheapest, mut most) = (Vec::new(), u64::MAX, 0i128);
            for (cell, price, weight) in open(search, cut, pattern, closed) {
                cells.push(cell);
                cheapest = cheapest.min(price);
                most = most.saturating_add(weight);
            }
            if most < lacks {
                return None;
            }
            if first.is_none_or(|(fewest, _)| cells.len() < fewest) {
                first = Some((cells.len(), at));
            }
            broken.push((cheapest, at, cells));
        }
        broken.sort_by_key(|(cheapest, at, _)| (std::cmp::Reverse(*cheapest), *at));
        for (cheapest, _, cells) in broken {
            if cells.iter().all(|&cell| !used[cell]) {
                cells.into_iter().for_each(|cell| used[cell] = true);
                bound += u128::from(cheapest);
            }
        }
        (bound < self.cost).then(|| first.map(|first| first.1))
    }

    /// A new cut that the pattern violates; `None` if it is safe.
    fn next_cut(&mut self, search: &mut SuppressionSearch<'_>, pattern: &[bool]) -> Option<usize> {
        let cuts = search.cuts(pattern);
        if cuts.is_empty() {
            return None;
        }
        let kept = cuts.len().min(MOST_CUTS / 4);
        if self.cuts.len() + kept > MOST_CUTS {
            self.cuts.drain(..kept);
        }
        let first = self.cuts.len();
        self.cuts.extend(cuts.into_iter().take(kept));
        assert!(self.cuts.len() <= MOST_CUTS, "older cuts are forgotten");
        (first..self.cuts.len()).min_by_key(|&at| self.cuts[at].weights.len())
    }
}

/// The cells that would help to satisfy a cut, with their costs and weights.
fn open<'a>(
    search: &'a SuppressionSearch<'_>,
    cut: &'a CoverInequality,
    pattern: &'a [bool],
    closed: &'a [bool],
) -> impl Iterator<Item = (usize, u64, i128)> + 'a {
    let cells = cut
        .weights
        .iter()
        .filter(|weight| !pattern[weight.0] && !closed[weight.0]);
    cells.filter_map(|&(cell, weight)| Some((cell, search.price(cell)?, weight)))
}
