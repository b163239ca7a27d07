//! Long sums of reciprocals and long products of quotients: their first terms, and Stirling's
//! series for the rest (differences of the digamma function and of the logarithm of the gamma
//! function). The results are the same on all machines.

use super::elementary::{ln_growth, ln_ratio};

/// From this argument on the series are accurate to the last digits.
const FAR: f64 = 32.0;

/// Σ 1/(x + i) over i from 1 to `terms`; x > −1.
pub fn reciprocals(x: f64, terms: u64) -> f64 {
    assert!(x > -1.0, "terms above 0");
    let near = (0..terms).take_while(|&at| x + (at as f64) < FAR).count() as u64;
    let first: f64 = (1..=near).map(|at| 1.0 / (x + at as f64)).sum();
    if near == terms {
        return first;
    }
    // ψ(y + ½) = ln y + 1/24y² − 7/960y⁴ + 31/8064y⁶ − …
    let [from, to] = [near, terms].map(|at| x + at as f64 + 0.5);
    let rest = |y: f64| {
        let square = 1.0 / (y * y);
        square * (1.0 / 24.0 - square * (7.0 / 960.0 - square * 31.0 / 8064.0))
    };
    first + ln_growth(from, (terms - near) as f64) + (rest(to) - rest(from))
}

/// ln of the product of (x + i)/(y + i) over i from 0 to `terms` − 1; x and y are positive and
/// close to each other.
pub fn ln_quotients(x: f64, y: f64, terms: u64) -> f64 {
    assert!(x > 0.0 && y > 0.0, "terms above 0");
    let near = (0..terms)
        .take_while(|&at| x.min(y) + (at as f64) < FAR)
        .count() as u64;
    let first: f64 = (0..near)
        .map(|at| ln_ratio(y + at as f64, x + at as f64))
        .sum();
    let [from, to] = [near, terms].map(|at| ln_gamma_ratio(x + at as f64, y + at as f64));
    if near == terms {
        first
    } else {
        first + to - from
    }
}

/// ln(Γ(x)/Γ(y)) for large x and y that are close to each other.
fn ln_gamma_ratio(x: f64, y: f64) -> f64 {
    let rest = |z: f64| {
        let square = 1.0 / (z * z);
        (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / z
    };
    (x - 0.5) * ln_ratio(y, x) + (x - y) * (ln_ratio(1.0, y) - 1.0) + (rest(x) - rest(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_those_of_their_terms() {
        for (x, terms) in [
            (-0.5, 3),
            (-0.999, 100_000),
            (0.0, 1_000_000),
            (7.3, 0),
            (31.9, 2),
            (12_345.6, 50_000),
            (1e9, 40),
            (1e24, 40),
        ] {
            let slowly: f64 = (1..=terms).rev().map(|at| 1.0 / (x + at as f64)).sum();
            let found = reciprocals(x, terms);
            assert!(
                (found - slowly).abs() <= 1e-12 * slowly,
                "{x} {terms}: {found} {slowly}"
            );
        }
        for (x, y, terms) in [
            (0.1, 1.0, 10),
            (0.4, 0.9, 100_000),
            (40.3, 41.0, 1),
            (1_000.2, 1_001.0, 300_000),
            (5.0, 5.0, 9),
        ] {
            let slowly: f64 = (0..terms)
                .map(|at| ((x + at as f64) / (y + at as f64)).ln())
                .sum();
            let found = ln_quotients(x, y, terms);
            assert!(
                (found - slowly).abs() <= 1e-9 * slowly.abs(),
                "{x} {y} {terms}: {found} {slowly}"
            );
        }
    }
}
