//! A lower confidence bound on a probability, given the number of hits in a number of draws
//! (Clopper and Pearson 1934). The result is slightly below the exact bound, never above it.

/// The probability that the bound is wrong.
pub const DELTA: f64 = 1e-9;

/// A lower bound on a probability, wrong in at most one run of 1 / [`DELTA`]: the largest p with
/// P(Binomial(draws, p) ≥ hits) ≤ delta.
pub fn least(hits: u64, draws: u64) -> f64 {
    assert!(hits <= draws, "of all draws some hit");
    if hits == 0 {
        return 0.0;
    }
    // Logarithms of factorials have relative errors of about 10^−16, far less than the margin.
    let limit = DELTA.ln() - 1e-4;
    let ln_choose: f64 = (0..hits)
        .map(|at| ((draws - at) as f64 / (hits - at) as f64).ln())
        .sum();
    let (mut low, mut high) = (0.0, hits as f64 / draws as f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if ln_tail(ln_choose, hits, draws, middle) <= limit {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

/// ln P(Binomial(draws, p) ≥ hits), for p up to hits / draws.
fn ln_tail(ln_choose: f64, hits: u64, draws: u64, p: f64) -> f64 {
    let first = ln_choose + hits as f64 * p.ln() + (draws - hits) as f64 * (-p).ln_1p();
    let odds = p / (1.0 - p);
    let (mut sum, mut term) = (1.0, 1.0);
    for at in hits..draws {
        term *= (draws - at) as f64 / (at + 1) as f64 * odds;
        sum += term;
        if term < sum * 1e-18 {
            break;
        }
    }
    first + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bounds() {
        // All hits: p^n = delta.
        assert!((least(30, 30) - DELTA.powf(1.0 / 30.0)).abs() < 1e-5);
        assert!(least(30, 30) < DELTA.powf(1.0 / 30.0));
        // One hit: 1 − (1 − p)^n = delta.
        assert!((least(1, 1000) / (DELTA / 1000.0) - 1.0).abs() < 1e-3);
        assert_eq!(least(0, 10), 0.0);
        // 0.5 minus about six standard deviations.
        let bound = least(50_000, 100_000);
        assert!((0.489..0.4915).contains(&bound), "{bound}");
        assert!(least(5_000_000, 10_000_000) > 0.4985);
    }

    /// The sum by its definition.
    fn tail(hits: i32, draws: i32, p: f64) -> f64 {
        let choose = |of: i32| {
            (0..of).fold(1.0, |product, at| {
                product * f64::from(draws - at) / f64::from(at + 1)
            })
        };
        (hits..=draws)
            .map(|of| choose(of) * p.powi(of) * (1.0 - p).powi(draws - of))
            .sum()
    }

    #[test]
    fn bounds_are_below_the_exact_ones_and_close_to_them() {
        for (hits, draws) in [
            (1, 2),
            (1, 10),
            (2, 3),
            (5, 20),
            (10, 12),
            (19, 20),
            (30, 60),
            (59, 60),
        ] {
            let share = tail(hits, draws, least(hits as u64, draws as u64)) / DELTA;
            assert!(
                (1.0 - 2e-4..1.0).contains(&share),
                "{hits} of {draws}: {share}"
            );
        }
    }
}
