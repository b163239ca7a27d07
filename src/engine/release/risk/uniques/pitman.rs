//! Pitman's sampling formula (Hoshino 2001): the θ and α with the largest likelihood for the sizes
//! of the sample's classes, and the mean number of people who are alone in their class in a
//! population with these parameters: N · Π (θ + α + i)/(θ + 1 + i), i from 0 to N − 2. (For large N
//! that is Γ(θ + 1)/Γ(θ + α) · N^α.)
//!
//! 0 < α < 1: there is no estimate if the likelihood is largest for an α of 0 or less.

use crate::arithmetic::exp;
use crate::arithmetic::{ln_quotients, reciprocals};
use crate::risk::sizes::Sizes;

/// The smallest α that is distinguished from 0.
const LEAST: f64 = 1e-6;
/// The number of bisections, after which an interval is empty.
const HALVINGS: u32 = 64;

/// Population uniques.
pub(super) fn uniques(sizes: &Sizes, population: u64) -> Option<f64> {
    assert!(
        population >= sizes.rows(),
        "a sample is a part of its population"
    );
    let (theta, alpha) = Sample::of(sizes)?.most_likely()?;
    let [x, y] = [theta + alpha, theta + 1.0];
    Some(population as f64 * exp(ln_quotients(x, y, population.saturating_sub(1))))
}

/// The sample, as the likelihood needs it.
struct Sample<'s> {
    sizes: &'s Sizes,
    rows: u64,
    classes: u64,
}

impl Sample<'_> {
    /// A sample with one class, or of people who are all alone, has no parameters with a largest
    /// likelihood.
    fn of(sizes: &Sizes) -> Option<Sample<'_>> {
        let (rows, classes) = (sizes.rows(), sizes.classes());
        (classes > 1 && classes < rows).then_some(Sample {
            sizes,
            rows,
            classes,
        })
    }

    /// Σ 1/(θ + iα) over i from 1 to the number of classes − 1.
    fn classes_at(&self, theta: f64, alpha: f64) -> f64 {
        reciprocals(theta / alpha, self.classes - 1) / alpha
    }

    /// The derivative of the log-likelihood by θ.
    fn by_theta(&self, theta: f64, alpha: f64) -> f64 {
        self.classes_at(theta, alpha) - reciprocals(theta, self.rows - 1)
    }

    /// The derivative of the log-likelihood by α.
    fn by_alpha(&self, theta: f64, alpha: f64) -> f64 {
        let classes = ((self.classes - 1) as f64 - theta * self.classes_at(theta, alpha)) / alpha;
        let within = |(size, of): (u64, u64)| of as f64 * reciprocals(-alpha, size - 1);
        classes - self.sizes.iter().map(within).sum::<f64>()
    }

    /// The likeliest θ for an α: the likelihood increases up to it and decreases from there on,
    /// since there are fewer classes than rows.
    fn theta(&self, alpha: f64) -> f64 {
        assert!(alpha > 0.0 && alpha < 1.0, "a share");
        let (mut low, mut high) = (1e-12, 1.0);
        while self.by_theta(high - alpha, alpha) > 0.0 && high < 1e18 {
            high *= 4.0;
        }
        for _ in 0..2 * HALVINGS {
            let middle = if high > 2.0 * low {
                (low * high).sqrt()
            } else {
                low + (high - low) / 2.0
            };
            if self.by_theta(middle - alpha, alpha) > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        low - alpha
    }

    /// The likeliest θ and α.
    fn most_likely(&self) -> Option<(f64, f64)> {
        let slope = |alpha: f64| self.by_alpha(self.theta(alpha), alpha);
        if slope(LEAST) <= 0.0 {
            return None;
        }
        let (mut low, mut high) = (LEAST, 1.0 - LEAST);
        if slope(high) >= 0.0 {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if slope(middle) > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        Some((self.theta(low), low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(of: &[(u64, u64)]) -> Sizes {
        of.iter().copied().collect()
    }

    /// The logarithm of Pitman's formula, without terms that depend on no parameter.
    fn likelihood(of: &[(u64, u64)], theta: f64, alpha: f64) -> f64 {
        let (rows, classes) = (sizes(of).rows(), sizes(of).classes());
        let ln = |number: f64| number.ln();
        let classes: f64 = (1..classes).map(|i| ln(theta + i as f64 * alpha)).sum();
        let rows: f64 = (1..rows).map(|i| ln(theta + i as f64)).sum();
        let within = |&(size, n): &(u64, u64)| {
            n as f64 * (1..size).map(|i| ln(i as f64 - alpha)).sum::<f64>()
        };
        classes - rows + of.iter().map(within).sum::<f64>()
    }

    #[test]
    fn nothing_is_more_likely() {
        for of in [
            &[(1, 60), (2, 20), (3, 10), (4, 5), (9, 2), (30, 1)][..],
            &[(1, 5), (2, 1), (40, 1)],
            &[(1, 900), (2, 90), (3, 30)],
        ] {
            let all = sizes(of);
            let (theta, alpha) = Sample::of(&all)
                .and_then(|sample| sample.most_likely())
                .expect("a solution");
            let best = likelihood(of, theta, alpha);
            for at in 1..100 {
                let alpha = f64::from(at) / 100.0;
                for theta in (-20..60).map(|at| 1.5_f64.powi(at) - alpha) {
                    assert!(
                        likelihood(of, theta, alpha) <= best + 1e-9,
                        "{of:?}: {theta} {alpha}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_mean_is_that_of_the_urn() {
        // People come one by one: the n-th is alone with probability (θ + α · classes)/(θ + n), so
        // of those alone before it each stays so with probability 1 − (1 − α)/(θ + n).
        let (theta, alpha, all) = (2.5, 0.4, 50_u64);
        let (mut classes, mut alone) = (0.0, 0.0);
        for n in 0..all {
            let new = if n == 0 {
                1.0
            } else {
                (theta + alpha * classes) / (theta + n as f64)
            };
            alone = if n == 0 {
                1.0
            } else {
                alone * (1.0 - (1.0 - alpha) / (theta + n as f64)) + new
            };
            classes += new;
        }
        let found = all as f64 * exp(ln_quotients(theta + alpha, theta + 1.0, all - 1));
        assert!((found - alone).abs() < 1e-9, "{found} {alone}");
    }

    #[test]
    fn what_the_model_does_not_hold_has_no_estimate() {
        // One class, all alone, and classes of one size without others, which a finite number of
        // classes explains better.
        for of in [&[(5, 1)][..], &[(1, 9)], &[(1, 1), (10, 40)]] {
            assert_eq!(uniques(&sizes(of), 100_000), None, "{of:?}");
        }
    }
}
