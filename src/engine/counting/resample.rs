//! Other numbers of rows that labels could have had: each is drawn around the number that there is, as if rows had come by chance. The
//! draws are the same for the same number of the draw.

use std::f64::consts::TAU;

/// Numbers that look drawn.
struct Source(u64);

impl Source {
    /// Above 0, at most 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON
    }

    /// Of the normal distribution.
    fn normal(&mut self) -> f64 {
        let (first, second) = (self.share().min(1.0), self.share());
        (-2.0 * first.ln()).sqrt() * (TAU * second).cos()
    }
}

/// A draw of the rows of all labels: of a gamma distribution whose mean and variance are the number of rows (by Wilson and
/// Hilferty).
pub fn drawn(rows: &[f64], variances: &[f64], number: u64) -> Vec<f64> {
    let mut source = Source(number.wrapping_mul(0xd134_2543_de82_ef95));
    let draw = |(&rows, &variance): (&f64, &f64)| {
        if rows == 0.0 {
            return 0.0;
        }
        let shape = rows * rows / variance;
        let root = 1.0 - 1.0 / (9.0 * shape) + source.normal() / (3.0 * shape.sqrt());
        rows * root.max(0.05).powi(3)
    };
    rows.iter().zip(variances).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::drawn;

    #[test]
    fn draws_lie_around_the_number_of_rows() {
        let rows = [0.0, 5.0, 400.0];
        let variances = [0.0, 5.0, 4_000.0];
        let draws: Vec<Vec<f64>> = (0..4_000).map(|number| drawn(&rows, &variances, number)).collect();
        assert_eq!(draws[7], drawn(&rows, &variances, 7));
        for (at, (rows, wanted)) in rows.into_iter().zip(variances).enumerate() {
            let mean = draws.iter().map(|draw| draw[at]).sum::<f64>() / 4_000.0;
            let variance = draws.iter().map(|draw| (draw[at] - mean).powi(2)).sum::<f64>() / 4_000.0;
            assert!(
                (mean - rows).abs() <= 0.03 * rows && (variance - wanted).abs() <= 0.15 * wanted,
                "{mean}, {variance}"
            );
        }
    }
}
