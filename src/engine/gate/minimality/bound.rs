//! Upper bounds on the credibility if counting is too much work (SCIENCE 5), in logarithms and in a
//! time that is linear in the rows.
//!
//! Sensitive rows are distributed over the classes like draws without replacement, and such counts
//! are negatively associated (Joag-Dev and Proschan 1983): the more there are in one class, the
//! fewer in the others. Let V_i be the event that class i violates, V that some class does, V' that
//! another class than i does, and let o be a generalised row of class i out of G with S sensitive
//! ones. Then P(V) ≥ 1 − Π (1 − P(V_k)), and P(V | o sensitive) ≤ P(V_i | o sensitive) + P(V' | o
//! sensitive), where P(V' | o sensitive) is at most P(V), and at most Σ P(V_k | o sensitive) over
//! the others. The credibility of o is S/G · P(V | o sensitive) / P(V).
//!
//! All of this requires that more sensitive rows never repair a violation; if a requirement also
//! forbids too few, the only bound is 1.

use super::residues::Factor;

/// The part that all classes share.
pub(super) struct ClassesBound {
    rows: u64,
    sensitive: u64,
    /// A lower bound of ln P(V); `None` if a class violates whatever it contains.
    violated: Option<f64>,
    /// For each factor an upper bound of P(V_k | a row elsewhere is sensitive) / P(V).
    elsewhere: Vec<f64>,
    /// Their sum over all classes.
    sum: f64,
    /// The largest possible rounding error, in logarithms.
    slack: f64,
    /// Whether more sensitive rows never repair a violation.
    sound: bool,
}

impl ClassesBound {
    /// From the factors of all classes; `surely` if there is a class without one, which violates
    /// whatever it contains.
    pub(super) fn of(factors: &[Factor], surely: bool, rows: u64, sensitive: u64) -> ClassesBound {
        // Every logarithm of a factorial has an error of a few units of its last place, and every
        // tail has nine of them; omitted terms and sums are far below that.
        let slack = 128.0 * f64::EPSILON * (rows as f64 + 2.0) * (rows as f64 + 2.0).ln();
        let sound = factors.iter().all(|factor| factor.low == 0);
        let mut bound = ClassesBound {
            rows,
            sensitive,
            violated: None,
            elsewhere: Vec::new(),
            sum: 0.0,
            slack,
            sound,
        };
        if !surely {
            bound.some_violates(factors);
        }
        bound
    }

    /// 1 − Π (1 − P(V_k)), and at least the largest P(V_k), if the former is too small for a float.
    fn some_violates(&mut self, factors: &[Factor]) {
        let beyond = |factor: &Factor| {
            tail(self.rows, factor.rows, self.sensitive, factor.high + 1).min(0.0)
        };
        let tails: Vec<f64> = factors.iter().map(beyond).collect();
        let each = tails.iter().zip(factors);
        let none: f64 = each
            .map(|(tail, factor)| factor.times as f64 * (-tail.exp()).ln_1p())
            .sum();
        let largest = tails.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let violated = f64::max((-none.exp_m1()).ln(), largest) - self.slack;
        let elsewhere = |factor: &Factor| match (self.rows - factor.rows, self.sensitive) {
            (1.., 1..) => tail(
                self.rows - 1,
                factor.rows,
                self.sensitive - 1,
                factor.high + 1,
            ),
            _ => f64::NEG_INFINITY,
        };
        self.elsewhere = factors
            .iter()
            .map(|factor| (elsewhere(factor) + self.slack - violated).exp())
            .collect();
        self.sum = self
            .elsewhere
            .iter()
            .zip(factors)
            .map(|(one, factor)| one * factor.times as f64)
            .sum();
        self.violated = Some(violated);
    }

    /// For a generalised row of a class with this factor; `None` for a class that violates whatever
    /// it contains.
    pub(super) fn of_generalised(&self, factor: Option<(usize, &Factor)>) -> f64 {
        let share = self.sensitive as f64 / self.rows.max(1) as f64;
        // If some class violates whatever it contains, nothing was excluded.
        let (Some(violated), Some((at, factor))) = (self.violated, factor) else {
            return share;
        };
        if !self.sound {
            return 1.0;
        }
        let anywhere = (self.slack - violated).exp();
        let here = match (factor.rows, self.sensitive) {
            (1.., 1..) => tail(
                self.rows - 1,
                factor.rows - 1,
                self.sensitive - 1,
                factor.high,
            ),
            _ => f64::NEG_INFINITY,
        };
        // The sum contains this class once; the possible rounding error remains in it.
        let others = (self.sum * (1.0 + 4.0 * self.slack) - self.elsewhere[at]).max(0.0);
        let with_here = (here + 2.0 * self.slack - violated).exp() + others.min(1.0);
        (share * f64::min(anywhere, with_here)).min(1.0)
    }
}

/// ln P(X ≥ least) for the number X of sensitive rows among `drawn` of `rows`.
fn tail(rows: u64, drawn: u64, sensitive: u64, least: u64) -> f64 {
    assert!(drawn <= rows && sensitive <= rows, "parts of the rows");
    let (fewest, most) = (
        (drawn + sensitive).saturating_sub(rows),
        drawn.min(sensitive),
    );
    if least <= fewest {
        return 0.0;
    }
    if least > most {
        return f64::NEG_INFINITY;
    }
    let chance = |j: u64| {
        ln_choose(drawn, j) + ln_choose(rows - drawn, sensitive - j) - ln_choose(rows, sensitive)
    };
    // P(j + 1) / P(j)
    let (n, s, all) = (drawn as f64, sensitive as f64, rows as f64);
    let up = |j: u64| {
        let j = j as f64;
        (n - j) * (s - j) / ((j + 1.0) * (all - n - s + j + 1.0))
    };
    // Towards the thinner side, so that terms only decrease.
    if up(least) <= 1.0 {
        let sum = falling((least..most).map(up));
        return chance(least) + sum.ln();
    }
    let below = least - 1;
    let sum = falling((fewest..below).rev().map(|j| 1.0 / up(j)));
    (-(chance(below) + sum.ln()).exp()).max(-1.0).ln_1p()
}

/// 1 + r1 + r1 r2 + … for decreasing ratios; the omitted rest is below the last place.
fn falling(ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for ratio in ratios {
        term *= ratio;
        sum += term;
        if ratio < 1.0 && term * ratio / (1.0 - ratio) < sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    sum
}

fn ln_choose(n: u64, j: u64) -> f64 {
    assert!(j <= n, "some of all");
    ln_factorial(n) - ln_factorial(j) - ln_factorial(n - j)
}

/// Stirling's series, or exact products if that would be too inaccurate.
fn ln_factorial(n: u64) -> f64 {
    if n < 64 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let n = n as f64;
    let inverse = 1.0 / n;
    let square = inverse * inverse;
    let tail = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0));
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + tail
}

/// An upper bound of a computed share, including rounding errors.
pub(super) fn above(share: f64) -> f64 {
    (share * (1.0 + 16.0 * f64::EPSILON)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::choose;

    /// The probability of each number of sensitive rows, from binomials.
    #[test]
    fn the_chance_of_many_is_the_sum_of_all() {
        let number = |of: num_bigint::BigUint| of.to_string().parse::<f64>().expect("a number");
        for rows in [1, 2, 7, 30, 61, 140] {
            for (drawn, sensitive) in [
                (1, 1),
                (rows / 2, rows / 3),
                (rows / 3, rows / 2),
                (rows, rows / 2),
                (rows - 1, rows - 1),
            ] {
                let all = number(choose(rows, sensitive));
                for least in 0..=rows + 1 {
                    let ways = (least..=sensitive)
                        .map(|j| number(choose(drawn, j) * choose(rows - drawn, sensitive - j)));
                    let (truth, found) = (
                        ways.sum::<f64>() / all,
                        tail(rows, drawn, sensitive, least).exp(),
                    );
                    let near = (truth - found).abs() <= 1e-9 * truth;
                    assert!(
                        near,
                        "{least} or more of {sensitive} among {drawn} of {rows}: {found}, not {truth}"
                    );
                }
            }
        }
    }
}
