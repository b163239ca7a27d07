//! Pseudo-random numbers from a given seed: the same seed and stream give the same numbers on every
//! machine. For estimates and samples only, never for secrets.

use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// The number of steps between 0 and 1: floats represent each of them exactly.
pub const STEPS: u64 = 1 << 53;

/// The number between 0 and 1 at a step.
pub fn portion(step: u64) -> f64 {
    assert!(step <= STEPS, "a step between 0 and 1");
    step as f64 * (f64::EPSILON / 2.0)
}

/// Spreads seeds and numbers of streams over all bits.
const SPREAD: u64 = 0xd134_2543_de82_ef95;

/// Combines a seed and the number of a stream into one seed.
fn mixed(seed: u64, stream: u64) -> u64 {
    seed ^ stream.wrapping_mul(SPREAD).rotate_left(32)
}

/// A stream of numbers.
#[derive(Debug, Clone)]
pub struct SeededDraws(Xoshiro256PlusPlus);

impl SeededDraws {
    /// The stream with this number, for a seed.
    pub fn new(seed: u64, stream: u64) -> SeededDraws {
        SeededDraws(Xoshiro256PlusPlus::seed_from_u64(mixed(seed, stream)))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform among 0, 1, … below [`STEPS`].
    pub fn step(&mut self) -> u64 {
        self.bits() >> 11
    }

    /// Uniform among 0, 1, … below a bound that is not 0.
    pub fn below(&mut self, bound: u128) -> u128 {
        assert!(bound > 0, "there is something to draw");
        let mask = u128::MAX >> (bound - 1).leading_zeros().min(127);
        loop {
            let low = u128::from(self.bits());
            let high = if mask >> 64 == 0 {
                0
            } else {
                u128::from(self.bits()) << 64
            };
            let found = (high | low) & mask;
            if found < bound {
                return found;
            }
        }
    }
}

/// A stream of numbers with a small state, which is fast to create.
#[derive(Debug, Clone)]
pub struct SmallDraws(SplitMix64);

impl SmallDraws {
    /// The numbers for a seed.
    pub fn new(seed: u64) -> SmallDraws {
        SmallDraws::of_state(seed.wrapping_mul(SPREAD))
    }

    /// The stream with this number, for a seed.
    pub fn of_stream(seed: u64, stream: u64) -> SmallDraws {
        SmallDraws::of_state(SmallDraws::of_state(mixed(seed, stream)).bits())
    }

    /// The numbers that follow a state of the generator.
    pub fn of_state(state: u64) -> SmallDraws {
        SmallDraws(SplitMix64::from_seed(state.to_le_bytes()))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform among 0, 1, … below a bound that is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is something to draw");
        let mask = u64::MAX >> (bound - 1).leading_zeros().min(63);
        loop {
            let found = self.bits() & mask;
            if found < bound {
                return found;
            }
        }
    }

    /// Uniform, above 0 and at most 1.
    pub fn share(&mut self) -> f64 {
        portion((self.bits() >> 11) + 1)
    }

    /// Exponentially distributed with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.share().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_come_equally_often() {
        let mut draws = SeededDraws::new(7, 1);
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[draws.below(6) as usize] += 1);
        assert!(
            seen.iter().all(|&seen| (9_600..10_400).contains(&seen)),
            "{seen:?}"
        );
        assert_eq!(draws.below(1), 0);
        let mean: f64 = (0..10_000).map(|_| portion(draws.step())).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02);
    }

    #[test]
    fn streams_differ_and_come_again() {
        let first = |seed, stream| {
            [(); 4].map({
                let mut draws = SeededDraws::new(seed, stream);
                move |()| draws.bits()
            })
        };
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
    }

    /// Generators and their seeds are part of what is computed: a seed gives the same numbers in
    /// every version.
    #[test]
    fn numbers_of_a_seed_stay_what_they_are() {
        let mut draws = SeededDraws::new(7, 1);
        assert_eq!(
            [(); 3].map(|()| draws.bits()),
            [
                0xeb8d_5b1b_eaf5_fbf6,
                0x1b5a_f680_ae66_e701,
                0xb40d_495b_9269_e1c2
            ]
        );
        let mut draws = SmallDraws::of_stream(7, 1);
        assert_eq!(
            [(); 3].map(|()| draws.bits()),
            [
                0x04f3_493b_31bd_aebd,
                0xa391_9d62_16ef_2750,
                0xe43d_3adb_77b0_4f7b
            ]
        );
        let mut draws = SmallDraws::new(7);
        assert_eq!(
            [(); 3].map(|()| draws.bits()),
            [
                0xd4d9_6839_27fb_3323,
                0xbcf3_bb3d_fd95_6cc3,
                0xd767_c315_887d_3abd
            ]
        );
    }

    #[test]
    fn small_draws_come_equally_often() {
        let mut draws = SmallDraws::of_stream(7, 1);
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[draws.below(6) as usize] += 1);
        assert!(
            seen.iter().all(|&seen| (9_600..10_400).contains(&seen)),
            "{seen:?}"
        );
        assert_eq!(draws.below(1), 0);
        assert_ne!(
            SmallDraws::of_stream(7, 2).bits(),
            SmallDraws::of_stream(7, 3).bits()
        );
    }

    #[test]
    fn exponential_draws_have_a_mean_of_one() {
        let draws = |seed: u64| {
            let mut source = SmallDraws::new(seed);
            (0..4_000)
                .map(move |_| source.exponential())
                .collect::<Vec<f64>>()
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
        let mean = draws(7).iter().sum::<f64>() / 4_000.0;
        let variance = draws(7)
            .iter()
            .map(|draw| (draw - mean).powi(2))
            .sum::<f64>()
            / 4_000.0;
        assert!(
            (mean - 1.0).abs() < 0.05 && (variance - 1.0).abs() < 0.15,
            "{mean}, {variance}"
        );
    }

    /// Below a power of two no draw is rejected, with and without a second half.
    #[test]
    fn bounds_take_as_few_bits_as_they_need() {
        for bits in [0, 1, 3, 63, 64, 65, 127] {
            let mut draws = SeededDraws::new(7, 1);
            let (low, high) = (u128::from(draws.bits()), u128::from(draws.bits()) << 64);
            let all = if bits > 64 { high | low } else { low };
            let mut draws = SeededDraws::new(7, 1);
            assert_eq!(
                draws.below(1 << bits),
                all & ((1 << bits) - 1),
                "{bits} bits"
            );
        }
        for bits in [0, 1, 3, 63] {
            let first = SmallDraws::of_stream(7, 1).bits();
            assert_eq!(
                SmallDraws::of_stream(7, 1).below(1 << bits),
                first & ((1 << bits) - 1),
                "{bits} bits"
            );
        }
    }
}
