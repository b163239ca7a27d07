//! By how much the tests of `chain` move an attacker's belief (SCIENCE 4): each is answered through a coin, so that what is
//! published is by a factor of 1/rho more or less likely at most, whatever the test has said.

use num_bigint::BigUint;

use crate::model::Decimal;

/// The coin of a chain, and the cap on what it lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odds {
    /// The probability with which the coin withholds.
    pub rho: Decimal,
    /// The most by which the odds of a belief may move over the whole chain.
    pub most: Decimal,
}

impl Odds {
    /// By which factor so many tests may move the odds of a belief: rho^-tests.
    pub fn after(&self, tests: u32) -> f64 {
        self.rho.get().powi(-i32::try_from(tests).unwrap_or(i32::MAX))
    }

    /// Whether so many tests keep to the cap: 1 ≤ most × rho^tests, in whole numbers.
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
        // 0.1 has no binary fraction: 10^17 is reached and not passed.
        let tenth = odds("0.1", "100000000000000000");
        assert!(tenth.bear(17) && !tenth.bear(18));
        assert!(!odds("0.9", "1.1").bear(1) && odds("0.9", "1.112").bear(1));
        assert_eq!((half.after(0), half.after(3)), (1.0, 8.0));
    }
}
