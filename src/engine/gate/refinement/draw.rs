//! Numbers by chance from a seed that comes from outside (Blackman and Vigna 2018, xoshiro256++): the same seed and
//! stream give the same numbers on every machine. For estimates only, never for secrets.

/// Into how many steps the way from 0 to 1 is cut: floats hold each of them.
pub const STEPS: u64 = 1 << 53;

/// How far a step is on the way from 0 to 1.
pub fn portion(step: u64) -> f64 {
    step as f64 * (f64::EPSILON / 2.0)
}

/// A stream of numbers.
#[derive(Debug, Clone)]
pub struct SampleDraws {
    state: [u64; 4],
}

impl SampleDraws {
    /// The stream with this number of a seed.
    pub fn new(seed: u64, stream: u64) -> SampleDraws {
        // Steele, Lea and Flood 2014.
        let mut counter = seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(32);
        let state = [(); 4].map(|()| {
            counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (counter ^ (counter >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        });
        SampleDraws { state }
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let found = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        found
    }

    /// Any of 0, 1, … below [`STEPS`], all alike.
    pub fn step(&mut self) -> u64 {
        self.bits() >> 11
    }

    /// Any of 0, 1, … below a bound that is not 0, all alike.
    pub fn below(&mut self, bound: u128) -> u128 {
        let mask = u128::MAX >> (bound - 1).leading_zeros().min(127);
        loop {
            let low = u128::from(self.bits());
            let high = if mask >> 64 == 0 { 0 } else { u128::from(self.bits()) << 64 };
            let found = (high | low) & mask;
            if found < bound {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_come_equally_often() {
        let mut draws = SampleDraws::new(7, 1);
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[draws.below(6) as usize] += 1);
        assert!(seen.iter().all(|&seen| (9_600..10_400).contains(&seen)), "{seen:?}");
        assert_eq!(draws.below(1), 0);
        let mean: f64 = (0..10_000).map(|_| portion(draws.step())).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02);
    }

    #[test]
    fn streams_differ_and_come_again() {
        let first = |seed, stream| {
            [(); 4].map({
                let mut draws = SampleDraws::new(seed, stream);
                move |()| draws.bits()
            })
        };
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
    }
}
