//! Figures of an attack (SCIENCE 6), each with its precision: exact counts, floats with an error
//! bound, lower bounds, or unknown. A bound is on the safe side: fewer solutions, a larger ratio.

use num_bigint::BigUint;

use super::budget::RefinementBudget;
use super::count;
use super::wide_float::{UNIT, WideFloat};

/// The number of solutions or assignments.
#[derive(Debug, Clone, PartialEq)]
pub enum SolutionCount {
    /// The exact number.
    Exact(BigUint),
    /// Ten to this power, with an error of the power of at most `error`.
    Near {
        /// The decimal logarithm.
        log10: f64,
        /// The largest error.
        error: f64,
    },
    /// A lower bound: ten to this power, wrong with a probability below 10^−9.
    AtLeast {
        /// The decimal logarithm.
        log10: f64,
    },
    /// The budget was not enough for any figure.
    Unknown,
}

impl SolutionCount {
    /// C(volume, rows) if the rows are distinct, otherwise volume^rows, as precise as the budget
    /// allows.
    pub(super) fn of_all(
        volume: u128,
        rows: u64,
        distinct: bool,
        budget: RefinementBudget,
    ) -> SolutionCount {
        let bits = (volume.max(1) as f64).log2() * rows as f64;
        if bits <= budget.bits as f64 || (distinct && u128::from(rows) > volume) {
            return SolutionCount::Exact(count::all(volume, rows, distinct));
        }
        if rows > budget.operations {
            return SolutionCount::Unknown;
        }
        let (number, units) = count::all_near(volume, rows, distinct);
        SolutionCount::near(number, units)
    }

    /// Whether the attack proves that it is at least this.
    pub fn is_at_least(&self, least: u64) -> bool {
        match self {
            SolutionCount::Exact(count) => *count >= BigUint::from(least),
            // The logarithm of `least` is rounded, too.
            SolutionCount::Near { log10, error } => log10 - error - 1e-12 >= (least as f64).log10(),
            SolutionCount::AtLeast { log10 } => log10 - 1e-12 >= (least as f64).log10(),
            SolutionCount::Unknown => false,
        }
    }

    /// An upper bound of its decimal logarithm, if one is known.
    pub fn most(&self) -> Option<f64> {
        match self {
            SolutionCount::Exact(_) => self.log10().map(|log10| log10 + (1.0 + log10) * 1e-14),
            SolutionCount::Near { log10, error } => Some(log10 + error),
            SolutionCount::AtLeast { .. } | SolutionCount::Unknown => None,
        }
    }

    /// From a number with an error of this many units of [`UNIT`].
    pub(super) fn near(number: WideFloat, units: f64) -> SolutionCount {
        assert!(units >= 0.0, "an error is not negative");
        let (log10, rounding) = number.log10();
        SolutionCount::Near {
            log10,
            error: rounding + error(units),
        }
    }

    /// The decimal logarithm, or a lower bound of it; `None` if it is unknown or there are no
    /// solutions.
    pub fn log10(&self) -> Option<f64> {
        match self {
            SolutionCount::Exact(count) if *count == BigUint::ZERO => None,
            SolutionCount::Exact(count) => Some(wide(count).log10().0),
            SolutionCount::Near { log10, .. } | SolutionCount::AtLeast { log10 } => Some(*log10),
            SolutionCount::Unknown => None,
        }
    }
}

/// LR / CRA as a decimal logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioFigure {
    /// From two whole numbers, correct to 10^−12.
    Exact {
        /// The decimal logarithm.
        log10: f64,
    },
    /// From floats.
    Near {
        /// The decimal logarithm.
        log10: f64,
        /// The largest error.
        error: f64,
    },
    /// An upper bound, wrong with a probability below 10^−9.
    AtMost {
        /// The decimal logarithm.
        log10: f64,
    },
    /// There is no solution: ARX-LR did not make this release.
    Impossible,
    /// The budget was not enough for any figure.
    Unknown,
}

impl RatioFigure {
    /// The decimal logarithm, or an upper bound of it.
    pub fn log10(&self) -> Option<f64> {
        match self {
            RatioFigure::Exact { log10 }
            | RatioFigure::Near { log10, .. }
            | RatioFigure::AtMost { log10 } => Some(*log10),
            RatioFigure::Impossible | RatioFigure::Unknown => None,
        }
    }

    /// An upper bound of the ratio, if one is known.
    pub fn most(&self) -> Option<f64> {
        match self {
            RatioFigure::Exact { log10 } => Some(log10 + 1e-12),
            RatioFigure::Near { log10, error } => Some(log10 + error),
            RatioFigure::AtMost { log10 } => Some(*log10),
            RatioFigure::Impossible | RatioFigure::Unknown => None,
        }
    }

    /// Whether the attack proves that it is at most this; for a limit that a whole number of
    /// solutions may meet exactly, use [`super::AttackTarget::ratio_is_at_most`].
    pub fn is_at_most(&self, limit: f64) -> bool {
        self.most().is_some_and(|most| most <= limit.log10())
    }

    /// From two whole numbers.
    pub(super) fn exact(lr: &BigUint, cra: &BigUint) -> RatioFigure {
        assert!(cra <= lr, "the attack leaves a part of all solutions");
        match *cra == BigUint::ZERO {
            true => RatioFigure::Impossible,
            false if lr == cra => RatioFigure::Exact { log10: 0.0 },
            false => RatioFigure::Exact {
                log10: (wide(lr) / wide(cra)).log10().0,
            },
        }
    }

    /// From LR and CRA, each with an error of this many units of [`UNIT`].
    pub(super) fn near(lr: (WideFloat, f64), cra: (WideFloat, f64)) -> RatioFigure {
        let (log10, rounding) = (lr.0 / cra.0).log10();
        RatioFigure::Near {
            log10,
            error: rounding + error(lr.1 + cra.1 + 2.0),
        }
    }
}

/// The largest effect of this many roundings on a decimal logarithm: ln((1 + u)^n) ≤ 1.01 · n · u,
/// for small values.
fn error(units: f64) -> f64 {
    assert!(units >= 0.0, "an error is not negative");
    let part = units * UNIT;
    if part < 0.01 {
        1.01 * part / std::f64::consts::LN_10
    } else {
        f64::INFINITY
    }
}

/// A whole number as a float, with an error of at most one unit.
pub(super) fn wide(number: &BigUint) -> WideFloat {
    let shift = number.bits().saturating_sub(128);
    let top = (number >> shift)
        .iter_u64_digits()
        .rev()
        .fold(0u128, |top, digit| (top << 64) | u128::from(digit));
    WideFloat::from(top).scaled(shift as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_certainly_that_many() {
        let exact = SolutionCount::Exact(BigUint::from(1_000u32));
        assert_eq!(
            [1_000, 1_001].map(|least| exact.is_at_least(least)),
            [true, false]
        );
        let near = |log10, error| SolutionCount::Near { log10, error };
        let found =
            [near(3.0, 0.0), near(3.1, 0.2), near(3.3, 0.2)].map(|count| count.is_at_least(1_000));
        assert_eq!(
            found,
            [false, false, true],
            "what may be less is not certain"
        );
        let found = [3.0, 3.1].map(|log10| SolutionCount::AtLeast { log10 }.is_at_least(1_000));
        assert_eq!(found, [false, true]);
        assert!(!SolutionCount::Unknown.is_at_least(1));
        assert_eq!(
            (
                near(3.0, 0.5).most(),
                SolutionCount::AtLeast { log10: 3.0 }.most()
            ),
            (Some(3.5), None)
        );
        let most = exact.most().expect("a number");
        assert!((3.0..3.0 + 1e-12).contains(&most));
        assert_eq!(SolutionCount::Exact(BigUint::ZERO).log10(), None);
    }

    #[test]
    fn what_is_certainly_no_more_than_a_limit() {
        let near = |log10, error| RatioFigure::Near { log10, error };
        let found = [
            (RatioFigure::Exact { log10: 1.999 }, true),
            (RatioFigure::Exact { log10: 2.001 }, false),
            (near(1.9, 0.05), true),
            (near(1.9, 0.2), false),
            (RatioFigure::AtMost { log10: 2.0 }, true),
            (RatioFigure::AtMost { log10: 2.001 }, false),
            (RatioFigure::Impossible, false),
            (RatioFigure::Unknown, false),
        ];
        found
            .into_iter()
            .for_each(|(figure, kept)| assert_eq!(figure.is_at_most(100.0), kept, "{figure:?}"));
    }

    #[test]
    fn ratios_of_what_was_counted() {
        let [lr, cra] = [600u32, 6].map(BigUint::from);
        let RatioFigure::Exact { log10 } = RatioFigure::exact(&lr, &cra) else {
            panic!("both are exact")
        };
        assert!((log10 - 2.0).abs() < 1e-12);
        assert_eq!(
            RatioFigure::exact(&lr, &BigUint::ZERO),
            RatioFigure::Impossible
        );
        let wide = [600u128, 6].map(WideFloat::from);
        let [sure, less] =
            [0.0, 1e12].map(
                |units| match RatioFigure::near((wide[0], units), (wide[1], 0.0)) {
                    RatioFigure::Near { log10, error } if (log10 - 2.0).abs() < 1e-12 => error,
                    other => panic!("{other:?}"),
                },
            );
        assert!(sure > 0.0 && sure < 1e-12 && less > 1e-5, "{sure}, {less}");
    }

    #[test]
    fn large_numbers_keep_their_first_digits() {
        let number = BigUint::from(10u32).pow(300);
        let (log10, rounding) = wide(&number).log10();
        assert!((log10 - 300.0).abs() <= rounding + 1e-9);
    }
}
