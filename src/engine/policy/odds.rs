//! The effect of the tests of `chain` on an attacker's belief (SCIENCE 4): each result is passed
//! through a coin, so that what is published is at most 1/rho times more or less likely, whatever
//! the result of the test is.

use num_bigint::BigUint;

use crate::model::Decimal;

/// The coin of a chain, and the limit on its leakage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odds {
    /// The probability with which the coin withholds a result.
    pub rho: Decimal,
    /// The largest factor by which the odds of a belief may change over the whole chain.
    pub most: Decimal,
}

impl Odds {
    /// The factor by which this many tests may change the odds of a belief: rho^-tests.
    pub fn after(&self, tests: u32) -> f64 {
        self.rho
            .get()
            .powi(-i32::try_from(tests).unwrap_or(i32::MAX))
    }

    /// Whether this many tests keep the limit: 1 ≤ most × rho^tests, in whole numbers.
    pub fn bear(&self, tests: u32) -> bool {
        assert!(self.most >= Decimal::ONE, "a factor on odds");
        let ten = |scale: u32| BigUint::from(10u8).pow(scale);
        let left = BigUint::from(self.rho.digits()).pow(tests) * self.most.digits();
        left >= ten(u32::from(self.rho.scale()) * tests + u32::from(self.most.scale()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odds(rho: &str, most: &str) -> Odds {
        let [rho, most] = [rho, most].map(|text| Decimal::parse(text).expect("a number"));
        Odds { rho, most }
    }

    #[test]
    fn the_cap_is_kept_exactly() {
        let half = odds("0.5", "8");
        assert!((0..=3).all(|tests| half.bear(tests)) && !half.bear(4));
        // 0.1 has no exact binary fraction: 10^17 is reached and not exceeded.
        let tenth = odds("0.1", "100000000000000000");
        assert!(tenth.bear(17) && !tenth.bear(18));
        assert!(!odds("0.9", "1.1").bear(1) && odds("0.9", "1.112").bear(1));
        assert_eq!((half.after(0), half.after(3)), (1.0, 8.0));
    }
}
