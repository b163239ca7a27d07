//! Lower and upper bounds, in floats, of the probability that some child of a class holds 1..a−1
//! people (SCIENCE 6). Only positive numbers are added up, so nothing cancels, and logarithms
//! represent numbers that are too small for a float.
//!
//! For two children it is a sum of two tails. For more children: if it is unlikely for each child,
//! it is nearly the sum over children, and the error due to two at once is bounded (Bonferroni).
//! Otherwise children are filled one after the other, keeping the share of tables without a small
//! child so far, by the number of people left.

use super::pmf::{Pmf, ln_sum};
use crate::policy::Values;

/// The largest relative error due to two small children at once.
const TWICE: f64 = 1e-6;
/// Tables with a smaller share are left out, and counted against the figure.
const LEFT_OUT: f64 = 1e-24;

/// A probability between two bounds, as natural logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ProbabilityBounds {
    /// The lower bound.
    pub least: f64,
    /// The upper bound.
    pub most: f64,
}

impl ProbabilityBounds {
    /// Around a logarithm that was computed in this many steps.
    fn around(ln: f64, steps: u64) -> ProbabilityBounds {
        let error = 1e-11 + steps as f64 * 1e-15;
        ProbabilityBounds {
            least: ln - error,
            most: (ln + error).min(0.0),
        }
    }
}

/// The probability that some child with these volumes, none of which is 0, holds 1..a−1 of the
/// people of a class; `None` if the budget of terms is not enough.
pub(super) fn small(
    rows: u64,
    volumes: &[f64],
    a: u64,
    values: Values,
    terms: &mut u64,
) -> Option<ProbabilityBounds> {
    if rows < a || volumes.len() < 2 {
        let certain = (1..a).contains(&rows);
        let ln = if certain { 0.0 } else { f64::NEG_INFINITY };
        return Some(ProbabilityBounds {
            least: ln,
            most: ln,
        });
    }
    let mut volumes = volumes.to_vec();
    volumes.sort_by(|one, other| other.total_cmp(one));
    let whole: f64 = volumes.iter().sum();
    let pmfs: Vec<Pmf> = volumes
        .iter()
        .map(|&inside| Pmf::new(rows, inside, whole - inside, values))
        .collect();
    for pmf in &pmfs {
        *terms = terms.checked_sub(2 * pmf.cost() + a)?;
    }
    let steps = rows + volumes.len() as u64;
    if let [one, _] = pmfs[..] {
        // Few on one side, or few on the other side but not on both.
        let other = a.max((rows + 1).saturating_sub(a));
        let ln = ln_sum(&[one.ln_range(1, a - 1), one.ln_range(other, rows - 1)]);
        return Some(ProbabilityBounds::around(ln, steps));
    }
    let each: Vec<f64> = pmfs.iter().map(|pmf| pmf.ln_range(1, a - 1)).collect();
    let sum = ln_sum(&each);
    let twice: f64 = volumes
        .iter()
        .map(|&inside| second(rows, inside, (volumes[0], whole), a, values))
        .sum();
    if twice <= TWICE {
        let ProbabilityBounds { least, most } = ProbabilityBounds::around(sum, steps);
        return Some(ProbabilityBounds {
            least: least + (-twice).ln_1p(),
            most,
        });
    }
    fill(rows, &volumes, a, values, terms)
}

/// An upper bound of the probability that a child holds 1..a−1 people if another one does. Without
/// those few people and without that child's room there are fewer people to be distributed, and
/// more of them come here.
fn second(rows: u64, inside: f64, (largest, whole): (f64, f64), a: u64, values: Values) -> f64 {
    let at_least_one = rows as f64 * inside / (whole - largest);
    let few = match (rows + 1).checked_sub(a) {
        Some(rest) if rest > 0 => Pmf::new(rest, inside, whole - inside, values)
            .ln_range(0, a - 1)
            .exp(),
        _ => 1.0,
    };
    few.min(at_least_one) * 1.000_001
}

/// Fills child after child, the largest first.
fn fill(
    rows: u64,
    volumes: &[f64],
    a: u64,
    values: Values,
    terms: &mut u64,
) -> Option<ProbabilityBounds> {
    // The volumes of this child and all later ones.
    let mut behind: Vec<f64> = volumes
        .iter()
        .rev()
        .scan(0.0, |sum, volume| {
            *sum += volume;
            Some(*sum)
        })
        .collect();
    behind.reverse();
    assert_eq!(behind.len(), volumes.len(), "what lies behind each child");
    let mut clean = vec![0.0; rows as usize + 1];
    clean[rows as usize] = 1.0;
    let (mut small, mut left_out) = (0.0, 0.0);
    let mut counts = Vec::new();
    for (at, &inside) in volumes.iter().enumerate().take(volumes.len() - 1) {
        let mut next = vec![0.0; clean.len()];
        *terms = terms.checked_sub(rows)?;
        for (left, &share) in clean.iter().enumerate().filter(|&(_, &share)| share > 0.0) {
            if share < LEFT_OUT {
                left_out += share;
                continue;
            }
            if left == 0 {
                next[0] += share;
                continue;
            }
            let first = spread(
                &Pmf::new(left as u64, inside, behind[at + 1], values),
                &mut counts,
            );
            *terms = terms.checked_sub(counts.len() as u64)?;
            left_out += share * LEFT_OUT;
            for (count, part) in (first..).zip(&counts) {
                match count {
                    0 => next[left] += share * part,
                    _ if count < a => small += share * part,
                    _ => next[left - count as usize] += share * part,
                }
            }
        }
        clean = next;
    }
    small += clean.iter().take(a as usize).skip(1).sum::<f64>();
    let ProbabilityBounds { least, most } =
        ProbabilityBounds::around(small.ln(), rows + volumes.len() as u64);
    let least = if small > 2.0 * left_out {
        least + (-left_out / small).ln_1p()
    } else {
        f64::NEG_INFINITY
    };
    Some(ProbabilityBounds {
        least,
        most: (most.exp() + left_out).ln().clamp(most, 0.0),
    })
}

/// The probabilities of all counts that are not left out, and the first of these counts.
fn spread(pmf: &Pmf, counts: &mut Vec<f64>) -> u64 {
    let ((least, most), mode) = (pmf.support(), pmf.mode());
    counts.clear();
    counts.push(1.0);
    let mut first = mode;
    let (mut term, mut sum) = (1.0, 1.0);
    while first > least && term > sum * LEFT_OUT * 1e-5 {
        first -= 1;
        term /= pmf.step(first);
        sum += term;
        counts.push(term);
    }
    counts.reverse();
    term = 1.0;
    let mut last = mode;
    while last < most && term > sum * LEFT_OUT * 1e-5 {
        term *= pmf.step(last);
        last += 1;
        sum += term;
        counts.push(term);
    }
    counts.iter_mut().for_each(|count| *count /= sum);
    assert_eq!(
        counts.len() as u64,
        last - first + 1,
        "a share for each count"
    );
    first
}

#[cfg(test)]
mod tests {
    use super::super::clean::ways;
    use super::super::terms::TraceBudget;
    use super::*;

    /// The exact value is between the bounds, and these are close together.
    fn check(rows: u64, volumes: &[u128], a: u64, values: Values) {
        let budget = TraceBudget {
            bits: 1 << 20,
            sums: 1 << 40,
            ..TraceBudget::FULL
        };
        let ways = ways(rows, volumes, a, values, &mut budget.clone()).expect("small numbers");
        let small = &ways.all - &ways.clean;
        let floats: Vec<f64> = volumes.iter().map(|&volume| volume as f64).collect();
        let found = super::small(
            rows,
            &floats,
            a,
            values,
            &mut TraceBudget::FULL.terms.clone(),
        )
        .expect("terms");
        if small == num_bigint::BigUint::ZERO {
            assert!(
                found.least == f64::NEG_INFINITY && found.most < -40.0,
                "{found:?}"
            );
            return;
        }
        // The first 64 bits of the share.
        let share = |part: num_bigint::BigUint| {
            let shift = 64 + ways.all.bits() - part.bits();
            let quotient = (part << shift) / &ways.all;
            let top = quotient.bits().saturating_sub(64);
            let digits = (quotient >> top).iter_u64_digits().next().unwrap_or(0);
            (digits as f64).ln() + (top as f64 - shift as f64) * std::f64::consts::LN_2
        };
        let truth = share(small);
        let of = format!("{rows} over {volumes:?}, a = {a}: {found:?}, {truth}");
        assert!(
            found.least - 1e-12 <= truth && truth <= found.most + 1e-12,
            "{of}"
        );
        assert!(found.most - found.least < 1e-5, "{of}");
    }

    #[test]
    fn bounds_hold_the_truth() {
        for values in [Values::Repeated, Values::Distinct] {
            for a in [2, 3, 7, 20] {
                for rows in [a, a + 1, 2 * a - 1, 2 * a, 5 * a, 150] {
                    check(rows, &[100, 100], a, values);
                    check(rows, &[3, 400], a, values);
                    check(rows, &[100, 90, 80], a, values);
                    check(rows, &[1, 2, 3, 500], a, values);
                    check(rows, &[40; 9], a, values);
                }
            }
        }
        // If it is unlikely for each child.
        check(400, &[1; 3], 20, Values::Repeated);
        check(600, &[2, 3, 5, 2], 5, Values::Repeated);
    }
}
