//! The risk of a row if its class is known in the table but not in the population (SCIENCE 12): the
//! mean of 1/F, when a share p of the population is in the table and F, the size of the class in
//! the population, is negative binomial given its f rows there (Benedetti and Franconi 1998; the
//! estimator of mu-Argus). An estimate, never a bound.

use crate::arithmetic::ln;

/// From this size on, or with at least half of the population in the table, the series converges
/// quickly.
const LARGE: u64 = 64;

/// The mean of 1/F for a class of `size` rows, which are a share `fraction` of its people in the
/// population. 1/`size` if the fraction is 1.
///
/// With q = 1 − p it is p · Σ m! q^m / (f (f + 1) … (f + m)), m from 0 on; and −(p/q) ln p for f =
/// 1, from which mean(f + 1) = p/q · (1/f − mean(f)) follows.
pub fn expected_match(size: u64, fraction: f64) -> f64 {
    assert!(
        fraction > 0.0 && fraction <= 1.0,
        "a sample is a part of its population"
    );
    let (p, q) = (fraction, 1.0 - fraction);
    if p >= 0.5 || size >= LARGE {
        return series(size, p, q);
    }
    let ratio = p / q;
    (1..size).fold(-ratio * ln(p), |mean, size| {
        ratio * (1.0 / size as f64 - mean)
    })
}

fn series(size: u64, p: f64, q: f64) -> f64 {
    assert!(size > 0, "a class has a row");
    let (mut sum, mut term, mut m) = (0.0, p / size as f64, 0);
    while term > sum * (f64::EPSILON / 4.0) {
        sum += term;
        m += 1;
        term *= m as f64 * q / (size + m) as f64;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean by its definition.
    fn slowly(size: u64, p: f64) -> f64 {
        let (mut chance, mut mean) = (p.powi(size as i32), 0.0);
        for all in size..size + 100_000 {
            mean += chance / all as f64;
            chance *= all as f64 / (all + 1 - size) as f64 * (1.0 - p);
        }
        mean
    }

    #[test]
    fn the_mean_is_that_of_the_distribution() {
        for p in [0.01, 0.1, 0.3, 0.499, 0.5, 0.7, 0.99, 1.0] {
            for size in [1, 2, 3, 5, 17, 63, 64, 100] {
                let (found, meant) = (expected_match(size, p), slowly(size, p));
                assert!(
                    (found - meant).abs() <= 1e-9 * meant || meant < 1e-200,
                    "{size} {p}: {found} {meant}"
                );
                assert!(
                    found <= 1.0 / size as f64 && found >= p / size as f64,
                    "{size} {p}: {found}"
                );
            }
        }
    }

    #[test]
    fn both_ways_agree_where_they_meet() {
        for p in [1e-6_f64, 0.001, 0.2, 0.49] {
            let stepped = (1..LARGE).fold(-p / (1.0 - p) * ln(p), |mean, f| {
                p / (1.0 - p) * (1.0 / f as f64 - mean)
            });
            let found = expected_match(LARGE, p);
            assert!(
                (found - stepped).abs() < 1e-10 * found,
                "{p}: {found} {stepped}"
            );
        }
        assert_eq!(expected_match(7, 1.0), 1.0 / 7.0);
    }
}
