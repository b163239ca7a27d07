//! The distribution of the number of people of a class in one child (SCIENCE 6): binomial if values
//! may be repeated, hypergeometric if they are distinct. Both increase up to one count and decrease
//! from there on, and the ratio of two consecutive probabilities is a short formula; so sums begin
//! at the count in question and go outward, without a factorial.

use crate::policy::Values;

/// Terms below this part of a sum do not change it.
const UNSEEN: f64 = 1e-25;

/// The distribution of one child's count.
#[derive(Clone, Copy)]
pub(super) struct Pmf {
    rows: f64,
    /// The number of combinations of values inside the child and outside.
    inside: f64,
    outside: f64,
    values: Values,
}

impl Pmf {
    /// For a number of people; neither the child nor the rest may be empty.
    pub(super) fn new(rows: u64, inside: f64, outside: f64, values: Values) -> Pmf {
        assert!(inside >= 0.0 && outside >= 0.0, "volumes are not negative");
        Pmf {
            rows: rows as f64,
            inside,
            outside,
            values,
        }
    }

    /// The smallest and the largest possible count.
    pub(super) fn support(&self) -> (u64, u64) {
        match self.values {
            Values::Repeated => (0, self.rows as u64),
            Values::Distinct => (
                (self.rows - self.outside).max(0.0) as u64,
                self.rows.min(self.inside) as u64,
            ),
        }
    }

    /// P(count + 1) / P(count).
    pub(super) fn step(&self, count: u64) -> f64 {
        let count = count as f64;
        let rest = self.rows - count;
        match self.values {
            Values::Repeated => rest / (count + 1.0) * (self.inside / self.outside),
            Values::Distinct => {
                (self.inside - count) / (count + 1.0) * (rest / (self.outside - rest + 1.0))
            }
        }
    }

    /// The likeliest count, or one next to it.
    pub(super) fn mode(&self) -> u64 {
        let share = self.inside / (self.inside + self.outside);
        let (least, most) = self.support();
        (((self.rows + 1.0) * share) as u64).clamp(least, most)
    }

    /// The most steps that [`Pmf::ln_range`] may need from a count below the mode.
    pub(super) fn cost(&self) -> u64 {
        self.mode() + 64 * (self.rows.sqrt() as u64 + 1)
    }

    /// ln P(from ≤ count ≤ to); minus infinity if that is impossible.
    pub(super) fn ln_range(&self, from: u64, to: u64) -> f64 {
        let (least, most) = self.support();
        let (from, to) = (from.max(least), to.min(most));
        if from > to {
            return f64::NEG_INFINITY;
        }
        let top = self.mode().clamp(from, to);
        self.ln_beside_mode(top) + self.around(top, from, to).ln()
            - self.around(self.mode(), least, most).ln()
    }

    /// ln of P(count) / P(mode).
    fn ln_beside_mode(&self, count: u64) -> f64 {
        let mode = self.mode();
        let (from, to) = (count.min(mode), count.max(mode));
        let (mut product, mut ln) = (1.0f64, 0.0);
        for at in from..to {
            let step = self.step(at);
            product *= if count < mode { step.recip() } else { step };
            if !(1e-200..1e200).contains(&product) {
                ln += product.ln();
                product = 1.0;
            }
        }
        ln + product.ln()
    }

    /// Σ P(count) / P(top) over a range in which no count is likelier than `top`.
    fn around(&self, top: u64, from: u64, to: u64) -> f64 {
        let (mut sum, mut term) = (1.0, 1.0);
        for at in top..to {
            term *= self.step(at);
            sum += term;
            if term < sum * UNSEEN {
                break;
            }
        }
        term = 1.0;
        for at in (from..top).rev() {
            term /= self.step(at);
            sum += term;
            if term < sum * UNSEEN {
                break;
            }
        }
        sum
    }
}

/// ln Σ exp.
pub(super) fn ln_sum(terms: &[f64]) -> f64 {
    assert!(
        !terms.iter().any(|term| term.is_nan()),
        "logarithms of numbers"
    );
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top.is_infinite() {
        top
    } else {
        top + terms
            .iter()
            .map(|term| (term - top).exp())
            .sum::<f64>()
            .ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_the_definition_says() {
        let choose = |n: u64, k: u64| {
            (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
        };
        for (rows, inside, outside) in [(7, 2, 5), (12, 9, 4), (5, 3, 3), (30, 1, 40), (3, 100, 1)]
        {
            let of = |count: u64| {
                choose(rows, count)
                    * (inside as f64).powi(count as i32)
                    * (outside as f64).powi((rows - count) as i32)
            };
            let pmf = Pmf::new(rows, inside as f64, outside as f64, Values::Repeated);
            let all = ((inside + outside) as f64).powi(rows as i32);
            for from in 0..=rows {
                for to in from..=rows {
                    let truth: f64 = (from..=to).map(of).sum::<f64>() / all;
                    assert!(
                        (pmf.ln_range(from, to) - truth.ln()).abs() < 1e-12,
                        "{rows} {from} {to}"
                    );
                }
            }
        }
        for (rows, inside, outside) in [(7, 4, 5), (3, 2, 9), (6, 3, 4)] {
            let pmf = Pmf::new(rows, inside as f64, outside as f64, Values::Distinct);
            let of = |count: u64| {
                if count > inside || rows - count > outside {
                    0.0
                } else {
                    choose(inside, count) * choose(outside, rows - count)
                }
            };
            for count in 0..=rows {
                let truth = of(count) / choose(inside + outside, rows);
                let found = pmf.ln_range(count, count).exp();
                assert!(
                    (found - truth).abs() < 1e-12,
                    "{rows} {count}: {found} {truth}"
                );
            }
        }
    }

    #[test]
    fn tails_that_no_float_holds() {
        // 2^−100000.
        let pmf = Pmf::new(100_000, 1.0, 1.0, Values::Repeated);
        let found = pmf.ln_range(0, 0);
        assert!(
            (found + 100_000.0 * std::f64::consts::LN_2).abs() < 1e-8,
            "{found}"
        );
    }
}
