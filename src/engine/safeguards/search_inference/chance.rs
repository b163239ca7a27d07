//! Chance from a seed that comes from outside, and what a share is at least that was seen so often (Clopper and Pearson
//! 1934). For estimates only, never for secrets.

/// A stream of numbers (Steele, Lea and Flood 2014).
pub struct TraceDraws(u64);

impl TraceDraws {
    /// The stream with this number of a seed.
    pub fn new(seed: u64, stream: u64) -> TraceDraws {
        let mut chance = TraceDraws(seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(32));
        chance.0 = chance.bits();
        chance
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Any of 0, 1, … below a bound that is not 0, all alike.
    pub fn below(&mut self, bound: u64) -> u64 {
        let mask = u64::MAX >> (bound - 1).leading_zeros().min(63);
        loop {
            let found = self.bits() & mask;
            if found < bound {
                return found;
            }
        }
    }
}

/// The chance to be misled.
const DELTA: f64 = 1e-9;

/// A share that is not above the truth, but for one run in 1 / [`DELTA`]: about the largest p, and never above it, with
/// P(Binomial(draws, p) ≥ hits) ≤ delta.
pub fn least(hits: u64, draws: u64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    // The logarithms are off by far less than the margin.
    let limit = DELTA.ln() - 1e-4;
    let ways: f64 = (0..hits).map(|at| ((draws - at) as f64 / (hits - at) as f64).ln()).sum();
    let tail = |p: f64| {
        let first = ways + hits as f64 * p.ln() + (draws - hits) as f64 * (-p).ln_1p();
        let (mut sum, mut term) = (1.0, 1.0);
        for at in hits..draws {
            term *= (draws - at) as f64 / (at + 1) as f64 * p / (1.0 - p);
            sum += term;
            if term < sum * 1e-18 {
                break;
            }
        }
        first + sum.ln()
    };
    let (mut low, mut high) = (0.0, hits as f64 / draws as f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if tail(middle) <= limit { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bounds() {
        assert!((least(30, 30) - DELTA.powf(1.0 / 30.0)).abs() < 1e-5);
        assert!((least(1, 1000) / (DELTA / 1000.0) - 1.0).abs() < 1e-3);
        assert_eq!(least(0, 10), 0.0);
        assert!((0.489..0.4915).contains(&least(50_000, 100_000)));
    }

    #[test]
    fn all_numbers_come_equally_often() {
        let mut chance = TraceDraws::new(7, 1);
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[chance.below(6) as usize] += 1);
        assert!(seen.iter().all(|&seen| (9_600..10_400).contains(&seen)), "{seen:?}");
        assert_eq!(chance.below(1), 0);
        assert_ne!(TraceDraws::new(7, 2).bits(), TraceDraws::new(7, 3).bits());
    }
}
