//! The closed forms (SCIENCE 6): a refusal says that some class had a child with 1..a−1 people, so
//! the ratio of all pre-images to the remaining ones is 1 / (1 − Π P(no small child)), over the
//! classes that held the node.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::clean::{self, WayCounts};
use super::figure::TraceRatio;
use super::log_bounds::{self, ProbabilityBounds};
use super::pmf::ln_sum;
use super::refusals;
use super::terms::TraceBudget;
use crate::histogram::Release;
use crate::model::{Node, Taxonomy};
use crate::policy::Values;

/// The leakage of final maximality: the node of the recoding with the largest one. Only a lower
/// bound of the whole leakage.
#[derive(Debug, Clone, PartialEq)]
pub struct Maximality {
    /// The column.
    pub column: usize,
    /// The node, which could not have been split without making a small class.
    pub node: Node,
    /// The ratio of all pre-images to those in which it could not be split; the leakage of the
    /// whole course of the search is never less.
    pub at_least: TraceRatio,
}

/// The number of classes with each number of people and of combinations of values in the other
/// columns.
type Crowds = BTreeMap<(u64, u128), u64>;

/// Among the nodes that were not split in the end the one with the largest leakage, the first of
/// several; `None` if there is none, or the budget is not enough for any.
pub fn maximality(
    release: &Release,
    trees: &[&Taxonomy],
    a: u64,
    values: Values,
    mut budget: TraceBudget,
) -> Option<Maximality> {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let mut crowds: BTreeMap<(usize, Node), Crowds> = BTreeMap::new();
    for class in 0..release.classes() {
        let nodes = release.class(class);
        for (column, &node) in nodes
            .iter()
            .enumerate()
            .filter(|&(column, &node)| !trees[column].is_leaf(node))
        {
            let others = nodes
                .iter()
                .zip(trees)
                .enumerate()
                .filter(|&(other, _)| other != column);
            let beside =
                |(_, (&node, tree)): (usize, (&Node, &&Taxonomy))| u128::from(tree.values(node));
            let beside = match values {
                Values::Repeated => 1,
                Values::Distinct => others.map(beside).fold(1, u128::saturating_mul),
            };
            *crowds
                .entry((column, node))
                .or_default()
                .entry((release.size(class), beside))
                .or_default() += 1;
        }
    }
    let most_likely = |((column, node), crowds): ((usize, Node), Crowds)| {
        let at_least = refusal(
            &children(trees[column], node),
            &crowds,
            a,
            values,
            &mut budget,
        );
        Maximality {
            column,
            node,
            at_least,
        }
    };
    let high = |most_likely: &Maximality| match most_likely.at_least {
        TraceRatio::Impossible => f64::INFINITY,
        _ => most_likely.at_least.log10().unwrap_or(f64::NEG_INFINITY),
    };
    let first_highest = |best: Maximality, next: Maximality| {
        if high(&next) > high(&best) {
            next
        } else {
            best
        }
    };
    crowds
        .into_iter()
        .map(most_likely)
        .reduce(first_highest)
        .filter(|most_likely| most_likely.at_least != TraceRatio::Unknown)
}

/// The leakage of the whole course of the search, if values may be repeated.
pub(super) fn whole(
    release: &Release,
    trees: &[&Taxonomy],
    a: u64,
    mut budget: TraceBudget,
) -> TraceRatio {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    if (0..release.classes()).any(|class| release.size(class) < a) {
        return TraceRatio::Impossible;
    }
    let ratios: Vec<TraceRatio> = refusals::refusals(release, trees)
        .iter()
        .map(|refused| {
            let mut crowds = Crowds::new();
            refused
                .crowds
                .iter()
                .for_each(|&rows| *crowds.entry((rows, 1)).or_default() += 1);
            refusal(
                &children(trees[refused.column], refused.node),
                &crowds,
                a,
                Values::Repeated,
                &mut budget,
            )
        })
        .collect();
    together(&ratios)
}

fn children(tree: &Taxonomy, node: Node) -> Vec<u64> {
    tree.children(node)
        .map(|child| tree.values(child))
        .filter(|&volume| volume > 0)
        .collect()
}

/// The product.
fn together(ratios: &[TraceRatio]) -> TraceRatio {
    let one = BigUint::from(1u8);
    let (mut all, mut left, mut log10, mut error) = (one.clone(), one, 0.0, 0.0);
    let mut exact = true;
    for ratio in ratios {
        match ratio {
            TraceRatio::Exact {
                all: more,
                left: fewer,
            } => {
                all *= more;
                left *= fewer;
            }
            TraceRatio::Near {
                log10: more,
                error: off,
            } => {
                exact = false;
                log10 += more;
                error += off;
            }
            ratio => return ratio.clone(),
        }
    }
    let whole = TraceRatio::exact(all, left);
    if exact {
        return whole;
    }
    let (Some(middle), Some(most)) = (whole.log10(), whole.most()) else {
        return whole;
    };
    TraceRatio::Near {
        log10: log10 + middle,
        error: error + (most - middle) + (log10 + middle) * 1e-15,
    }
}

/// The leakage of one refusal.
fn refusal(
    children: &[u64],
    crowds: &Crowds,
    a: u64,
    values: Values,
    budget: &mut TraceBudget,
) -> TraceRatio {
    exact(children, crowds, a, values, budget)
        .or_else(|| floats(children, crowds, a, values, &mut budget.terms))
        .unwrap_or(TraceRatio::Unknown)
}

fn exact(
    children: &[u64],
    crowds: &Crowds,
    a: u64,
    values: Values,
    budget: &mut TraceBudget,
) -> Option<TraceRatio> {
    let mut rest = *budget;
    let one = BigUint::from(1u8);
    let (mut clean, mut all) = (one.clone(), one);
    for (&(rows, beside), &times) in crowds {
        let volumes: Vec<u128> = children
            .iter()
            .map(|&volume| beside.checked_mul(volume.into()))
            .collect::<Option<_>>()?;
        let ways: WayCounts = clean::ways(rows, &volumes, a, values, &mut rest)?;
        // The first of them has been paid for.
        rest.bits = rest
            .bits
            .checked_sub(ways.all.bits().checked_mul(times - 1)?)?;
        let times = u32::try_from(times).ok()?;
        clean *= ways.clean.pow(times);
        all *= ways.all.pow(times);
    }
    // The limit on bits applies to each figure separately.
    budget.sums = rest.sums;
    let left = &all - &clean;
    Some(TraceRatio::exact(all, left))
}

fn floats(
    children: &[u64],
    crowds: &Crowds,
    a: u64,
    values: Values,
    terms: &mut u64,
) -> Option<TraceRatio> {
    let (mut least, mut most) = (Vec::new(), Vec::new());
    for (&(rows, beside), &times) in crowds {
        let volumes: Vec<f64> = children
            .iter()
            .map(|&volume| volume as f64 * beside as f64)
            .collect();
        if values == Values::Distinct && volumes.iter().sum::<f64>() < rows as f64 {
            return Some(TraceRatio::Impossible);
        }
        let small: ProbabilityBounds = log_bounds::small(rows, &volumes, a, values, terms)?;
        least.push(ln_of_none(small.least) + (times as f64).ln());
        most.push(ln_of_none(small.most) + (times as f64).ln());
    }
    let some = |parts: &[f64]| ln_of_some(ln_sum(parts));
    let (least, most) = (some(&least), some(&most));
    if most == f64::NEG_INFINITY {
        return Some(TraceRatio::Impossible);
    }
    let log10 = -0.5 * (least + most) / std::f64::consts::LN_10;
    let error = 0.5 * (most - least) / std::f64::consts::LN_10 + (1.0 + log10) * 1e-12;
    error
        .is_finite()
        .then_some(TraceRatio::Near { log10, error })
}

/// ln(−ln(1 − q)) from ln q.
fn ln_of_none(ln: f64) -> f64 {
    if ln < -30.0 {
        ln
    } else {
        (-(-ln.exp()).ln_1p()).ln()
    }
}

/// ln(1 − exp(−y)) from ln y.
fn ln_of_some(ln: f64) -> f64 {
    if ln < -30.0 {
        ln
    } else {
        (-(-ln.exp()).exp_m1()).ln()
    }
}
