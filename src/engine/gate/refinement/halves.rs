//! Releases of halving as the attack sees them (SCIENCE 11): the classes have to be regions that
//! the public rule can produce; one may be inside another. No placement of rows becomes impossible,
//! and its odds change by a factor that follows from the label. This module trusts no search: it
//! uses only labels and counts.

use num_bigint::BigUint;

use super::budget::RefinementBudget;
use super::cover;
use super::figure::{RatioFigure, SolutionCount};
use super::labels::Layers;
use super::malformed_release::Malformed;
use super::release::{CarvedClass, CarvedRelease, CarvingRule};
use super::target::{AttackTarget, HeldRows, Support};
use crate::model::{Node, Taxonomy};
use crate::policy::{Division, Policy};

impl Layers {
    /// A release that was made by the halving of this policy.
    ///
    /// # Errors
    /// As for [`Layers::crowds`]; or the columns have more combinations of values than can be
    /// counted.
    pub fn regions_of(
        &self,
        classes: &[(&[Node], u64)],
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Result<CarvedRelease, Malformed> {
        let division = policy.division(trees).ok_or(Malformed::TooLarge)?;
        self.crowds(classes.iter().copied(), (&division, policy.refusals()))
    }

    /// A release that was made by halving with a coin that may refuse this many splits. Labels may
    /// contain each other. A class with `*` in all columns is treated as outliers.
    ///
    /// # Errors
    /// These are no classes, or such halving cannot produce one of them; the latter error names its
    /// number, in the order given.
    pub fn crowds<'n>(
        &self,
        classes: impl IntoIterator<Item = (&'n [Node], u64)>,
        (division, most): (&Division<'_>, u32),
    ) -> Result<CarvedRelease, Malformed> {
        let classes: Vec<(&[Node], u64)> = classes.into_iter().collect();
        let labels: Vec<&[Node]> = classes.iter().map(|(nodes, _)| *nodes).collect();
        let unreached = division.unreached(&labels, most);
        let (mut refusals, mut at_root) = (Vec::with_capacity(classes.len()), None);
        for (at, (nodes, rows)) in classes.iter().enumerate() {
            if *rows < division.people() {
                return Err(Malformed::Small(at));
            }
            if unreached.binary_search(&at).is_ok() {
                return Err(Malformed::Region(at));
            }
            let refused = division.most_refused(nodes, most);
            if is_root(nodes) {
                at_root = Some(refused);
            } else {
                refusals.push(refused);
            }
        }
        refusals.extend(at_root);
        assert!(
            refusals.len() <= classes.len(),
            "refusals on the way to a label"
        );
        self.regions(
            classes,
            (division.people(), CarvingRule::Crowds { refusals }),
        )
    }

    /// Classes without an order; one with `*` in all columns is treated as outliers.
    pub(super) fn regions(
        &self,
        classes: Vec<(&[Node], u64)>,
        made: (u64, CarvingRule),
    ) -> Result<CarvedRelease, Malformed> {
        let (mut formed, mut all_rows) = (Vec::new(), 0u64);
        for (nodes, rows) in classes {
            if is_root(nodes) {
                all_rows = all_rows.checked_add(rows).ok_or(Malformed::Rows)?;
                continue;
            }
            let (state, nodes) = self.lowest(nodes).unzip();
            formed.push(CarvedClass { state, nodes, rows });
        }
        CarvedRelease::of_halves(self.columns().to_vec(), formed, all_rows, made)
    }
}

fn is_root(nodes: &[Node]) -> bool {
    nodes.iter().all(|&node| node == 0)
}

/// The figures of a target that nothing narrows down.
pub(super) fn open(
    release: &CarvedRelease,
    marginals: bool,
    budget: RefinementBudget,
    target: &mut AttackTarget,
) {
    let cells = cover::cells(&release.segment(target.place));
    assert!(cells > 0, "a segment has combinations");
    (target.free_volume, target.free_cells) = (Some(target.volume), Some(cells));
    target.cra = target.lr.clone();
    target.ratio = match &target.lr {
        // There are more rows than combinations, and no two rows may be equal.
        SolutionCount::Exact(sets) if *sets == BigUint::ZERO => RatioFigure::Impossible,
        SolutionCount::Unknown => RatioFigure::Unknown,
        _ => RatioFigure::Exact { log10: 0.0 },
    };
    target.assignments = SolutionCount::of_all(
        u128::from(cells) + u128::from(target.rows) - 1,
        target.rows,
        true,
        budget,
    );
    let marginals = match &target.cra {
        SolutionCount::Exact(count) if marginals => Some(vec![(target.rows, count.clone())]),
        _ => None,
    };
    let support = Support {
        least: target.rows,
        most: target.rows,
        exact: true,
    };
    target.blocks = vec![HeldRows {
        children: Vec::new(),
        volume: target.volume,
        cells,
        support,
        marginals,
    }];
}
