//! The slide negative binomial model (Chen and Keller-McNulty 1998): the size of a class minus one
//! is negative binomial with α and β, so K β^α of K classes contain one person. α and β are chosen
//! so that the expected numbers of classes of one and of two rows in the sample are the observed
//! ones; K is estimated as by Shlosser, in the form of Haas and Stokes (1998, their D_Sh3).
//!
//! If the two equations have no solution, or more than one, there is no estimate.

use crate::arithmetic::{exp, ln, power};
use crate::risk::sizes::Sizes;

/// The number of points between which solutions are searched.
const GRID: u32 = 4_096;
/// The number of bisections, after which an interval is empty.
const HALVINGS: u32 = 80;

/// Population uniques, from a sample with this share of the population.
pub(super) fn uniques(sizes: &Sizes, fraction: f64) -> Option<f64> {
    assert!(
        fraction > 0.0 && fraction <= 1.0,
        "a sample is a part of its population"
    );
    let model = Model::of(sizes, classes(sizes, fraction), fraction)?;
    let (alpha, beta) = model.solution()?;
    Some(model.classes * exp(alpha * ln(beta)))
}

/// The number of classes of the population.
fn classes(sizes: &Sizes, f: f64) -> f64 {
    let g = 1.0 - f;
    let sum = |term: &dyn Fn(f64, u64) -> f64| -> f64 {
        sizes
            .iter()
            .map(|(size, classes)| classes as f64 * term(size as f64, size))
            .sum()
    };
    let once = sum(&|i, times| i * f * f * power(1.0 - f * f, times - 1));
    let seen = sum(&|_, times| power(1.0 - f * f, times) - power(g, times));
    let [missed, alone] = [
        sum(&|_, times| power(g, times)),
        sum(&|i, times| i * f * power(g, times - 1)),
    ];
    sizes.classes() as f64
        + sizes.of_size(1) as f64 * once / seen * (missed / alone) * (missed / alone)
}

/// The two equations in s = α (1 − r) and r = β/(f + (1 − f) β), which is between 0 and 1 as β is.
struct Model {
    classes: f64,
    fraction: f64,
    /// ln of the number of classes of one row divided by that of all classes.
    alone: f64,
    /// Twice the number of classes of two rows divided by that of classes of one row.
    pairs: f64,
}

impl Model {
    fn of(sizes: &Sizes, classes: f64, fraction: f64) -> Option<Model> {
        let [one, two] = [1, 2].map(|size| sizes.of_size(size) as f64);
        let fits = one > 0.0 && two > 0.0 && classes.is_finite() && classes > 0.0;
        fits.then(|| Model {
            classes,
            fraction,
            alone: ln(one / classes),
            pairs: 2.0 * two / one,
        })
    }

    /// The s with the right number of pairs: the positive root of (1 − f) s² + b s = pairs · f.
    fn s(&self, r: f64) -> f64 {
        let (f, g) = (self.fraction, 1.0 - self.fraction);
        let b = 2.0 * f + g * (1.0 - r) - self.pairs * g;
        let root = (b * b + 4.0 * g * self.pairs * f).sqrt();
        if b > 0.0 {
            2.0 * self.pairs * f / (b + root)
        } else {
            (root - b) / (2.0 * g)
        }
    }

    /// ln of the expected number of classes of one row divided by the observed one.
    fn excess(&self, r: f64) -> f64 {
        let s = self.s(r);
        ln(self.fraction + (1.0 - self.fraction) * s) + s / (1.0 - r) * ln(r) - self.alone
    }

    fn solution(&self) -> Option<(f64, f64)> {
        let place = |at: u32| {
            // With a finer grid close to both ends.
            let x = f64::from(at) / f64::from(GRID);
            x * x * (3.0 - 2.0 * x)
        };
        let signs: Vec<bool> = (1..GRID).map(|at| self.excess(place(at)) > 0.0).collect();
        let mut changes = (1..signs.len()).filter(|&at| signs[at] != signs[at - 1]);
        let at = changes.next().filter(|_| changes.next().is_none())?;
        let (mut low, mut high) = (place(at as u32), place(at as u32 + 1));
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if (self.excess(middle) > 0.0) == signs[at] {
                high = middle
            } else {
                low = middle
            }
        }
        let beta = low * self.fraction / (1.0 - low * (1.0 - self.fraction));
        Some((self.s(low) / (1.0 - low), beta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers of classes of one and of two rows, from the distribution of sizes and
    /// of samples.
    fn expected(alpha: f64, beta: f64, f: f64) -> [f64; 2] {
        let (mut chance, mut found) = (beta.powf(alpha), [0.0, 0.0]);
        for size in 1..20_000 {
            let n = f64::from(size);
            let none_of = |rest: i32| (1.0 - f).powi(rest);
            found[0] += chance * n * f * none_of(size - 1);
            found[1] += chance * n * (n - 1.0) / 2.0 * f * f * none_of((size - 2).max(0));
            chance *= (n - 1.0 + alpha) / n * (1.0 - beta);
        }
        found
    }

    #[test]
    fn the_parameters_are_those_of_the_model() {
        for (alpha, beta) in [(0.5, 0.05), (1.0, 0.1), (2.0, 0.3), (5.0, 0.6), (0.1, 0.01)] {
            for f in [0.02, 0.1, 0.5, 0.9] {
                let [one, two] = expected(alpha, beta, f);
                let model = Model {
                    classes: 1e6,
                    fraction: f,
                    alone: ln(one),
                    pairs: 2.0 * two / one,
                };
                let (a, b) = model.solution().expect("one solution");
                assert!(
                    (a / alpha - 1.0).abs() < 1e-6 && (b / beta - 1.0).abs() < 1e-6,
                    "{alpha} {beta} {f}: {a} {b}"
                );
            }
        }
    }

    #[test]
    fn what_the_model_does_not_hold_has_no_estimate() {
        let of = |sizes: &[(u64, u64)], f: f64| uniques(&sizes.iter().copied().collect(), f);
        assert_eq!(
            (of(&[(1, 5), (3, 2)], 0.3), of(&[(2, 5)], 0.3)),
            (None, None)
        );
        // More classes of one row than the model allows without others.
        assert_eq!(
            Model {
                classes: 10.0,
                fraction: 0.5,
                alone: ln(0.99),
                pairs: 0.01
            }
            .solution(),
            None
        );
    }

    #[test]
    fn the_number_of_classes_is_that_of_haas_and_stokes() {
        let (c, f): (&[(i32, f64)], f64) = (&[(1, 30.0), (2, 12.0), (5, 4.0)], 0.25);
        let sum = |term: &dyn Fn(i32) -> f64| -> f64 { c.iter().map(|&(i, n)| n * term(i)).sum() };
        let [once, seen, missed, alone] = [
            sum(&|i| f64::from(i) * f * f * (1.0 - f * f).powi(i - 1)),
            sum(&|i| (1.0 - f).powi(i) * ((1.0 + f).powi(i) - 1.0)),
            sum(&|i| (1.0 - f).powi(i)),
            sum(&|i| f64::from(i) * f * (1.0 - f).powi(i - 1)),
        ];
        let meant = 46.0 + 30.0 * once / seen * (missed / alone).powi(2);
        let found = classes(&c.iter().map(|&(i, n)| (i as u64, n as u64)).collect(), f);
        assert!((found - meant).abs() < 1e-9, "{found} {meant}");
    }
}
