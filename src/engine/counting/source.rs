//! Numbers that look drawn, the same in every run: estimates follow from what is public alone.

/// SplitMix64.
pub struct SplitMix(u64);

impl SplitMix {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Above 0, at most 1.
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ mixed >> 31) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Of the exponential distribution, whose mean is 1.
    pub fn exponential(&mut self) -> f64 {
        -self.share().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix;

    #[test]
    fn numbers_look_drawn_and_are_the_same_again() {
        let draws = |seed: u64| {
            let mut source = SplitMix::new(seed);
            (0..4_000).map(move |_| source.exponential()).collect::<Vec<f64>>()
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
        let mean = draws(7).iter().sum::<f64>() / 4_000.0;
        let variance = draws(7).iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 4_000.0;
        assert!((mean - 1.0).abs() < 0.05 && (variance - 1.0).abs() < 0.15, "{mean}, {variance}");
    }
}
