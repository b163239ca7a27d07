//! The number of people of a population who are alone in their class, estimated from a sample
//! (SCIENCE 12), and the rule that chooses among the estimates (Dankar, El Emam, Neisa and Roffey
//! 2012).
//!
//! An estimator without a solution, or whose model does not fit the sample, says so: it never
//! invents a number.

mod pitman;
mod slide_negative_binomial;
mod zayatz;

use super::sizes::Sizes;

/// The estimators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// The classes of the sample are as large as those of the population (Zayatz 1991).
    Zayatz,
    /// Pitman's sampling formula (Hoshino 2001).
    Pitman,
    /// The slide negative binomial model (Chen and Keller-McNulty 1998).
    Snb,
}

/// Estimates of the people of a population who are alone in their class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationUniques {
    /// The number of people of the population.
    pub population: u64,
    pitman: Option<f64>,
    zayatz: Option<f64>,
    snb: Option<f64>,
    chosen: Option<Estimator>,
}

impl PopulationUniques {
    /// From a sample with classes of these sizes.
    pub fn of(sizes: &Sizes, population: u64) -> PopulationUniques {
        let (rows, alone) = (sizes.rows(), sizes.of_size(1));
        // All people are in the sample; or no one is alone in it, from which each estimator
        // concludes that no one is alone.
        if rows == population || alone == 0 {
            let known = Some(alone as f64);
            return PopulationUniques {
                population,
                pitman: known,
                zayatz: known,
                snb: known,
                chosen: None,
            };
        }
        let possible = |estimate: &f64| (0.0..=population as f64).contains(estimate);
        let pitman = pitman::uniques(sizes, population).filter(possible);
        let zayatz = zayatz::uniques(sizes, population).filter(possible);
        let snb = slide_negative_binomial::uniques(sizes, rows as f64 / population as f64)
            .filter(possible);
        let mut found = PopulationUniques {
            population,
            pitman,
            zayatz,
            snb,
            chosen: None,
        };
        // Up to a tenth of the population.
        let few = u128::from(rows) * 10 <= u128::from(population);
        found.chosen = match (few, pitman, snb, zayatz) {
            (true, Some(_), ..) => Some(Estimator::Pitman),
            (false, _, Some(snb), Some(zayatz)) if zayatz >= snb => Some(Estimator::Snb),
            (_, _, _, zayatz) => zayatz.map(|_| Estimator::Zayatz),
        };
        found
    }

    /// The estimate; `None` if the estimator's equations have no solution.
    pub fn by(&self, estimator: Estimator) -> Option<f64> {
        match estimator {
            Estimator::Zayatz => self.zayatz,
            Estimator::Pitman => self.pitman,
            Estimator::Snb => self.snb,
        }
    }

    /// The estimate by the rule of Dankar et al.: with at most a tenth of the population in the
    /// sample Pitman's, otherwise the smaller one of the other two; Zayatz's if these do not exist.
    pub fn dankar(&self) -> Option<f64> {
        self.chosen.map_or(self.zayatz, |chosen| self.by(chosen))
    }

    /// The estimator of that estimate; `None` if nothing had to be estimated.
    pub fn chosen(&self) -> Option<Estimator> {
        self.chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[(u64, u64)], population: u64) -> PopulationUniques {
        PopulationUniques::of(&sizes.iter().copied().collect(), population)
    }

    #[test]
    fn a_sample_without_uniques_estimates_none_in_the_population() {
        let found = of(&[(5, 10), (7, 3)], 10_000);
        assert_eq!(
            (found.dankar(), found.by(Estimator::Pitman), found.chosen()),
            (Some(0.0), Some(0.0), None)
        );
    }

    #[test]
    fn the_rule_chooses_by_share_and_size() {
        let sample = [(1, 60), (2, 20), (3, 10), (4, 5), (9, 2), (30, 1)];
        let found = of(&sample, 2_380);
        assert_eq!(
            (found.chosen(), found.dankar()),
            (Some(Estimator::Pitman), found.by(Estimator::Pitman))
        );
        let found = of(&sample, 400);
        let least = found
            .by(Estimator::Snb)
            .expect("a solution")
            .min(found.by(Estimator::Zayatz).expect("always"));
        assert_eq!(found.dankar(), Some(least));
    }

    #[test]
    fn without_a_solution_the_rule_falls_back_on_zayatz() {
        // All alone: Pitman's model does not fit, and without classes of two the negative binomial
        // cannot be fitted.
        let found = of(&[(1, 10)], 1_000);
        assert_eq!(
            (found.by(Estimator::Pitman), found.by(Estimator::Snb)),
            (None, None)
        );
        assert_eq!(
            (found.chosen(), found.dankar()),
            (Some(Estimator::Zayatz), Some(1_000.0))
        );
        let found = of(&[(1, 10)], 20);
        assert_eq!(
            (found.chosen(), found.dankar()),
            (Some(Estimator::Zayatz), Some(20.0))
        );
    }
}
