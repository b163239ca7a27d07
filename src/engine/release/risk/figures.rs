//! All figures of one table (SCIENCE 12).

use super::attackers::{Journalist, Prosecutor};
use super::sizes::Sizes;
use super::uniques::PopulationUniques;

/// The risks of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskFigures {
    /// Against an attacker who knows that the person is in the table.
    pub prosecutor: Prosecutor,
    /// Against an attacker who does not; its average is the marketer's figure.
    pub journalist: Journalist,
    /// The number of rows that are alone in their class.
    pub sample_uniques: u64,
    /// The number of people who are alone in their class of the population; `None` if the size of
    /// the population is unknown.
    pub population_uniques: Option<PopulationUniques>,
}

impl RiskFigures {
    /// For a table with classes of these sizes, as a sample of a population of this size, if that
    /// is known. `None` if the table has no rows, or more than the population.
    pub fn of(sizes: &Sizes, population: Option<u64>) -> Option<RiskFigures> {
        let prosecutor = Prosecutor::of(sizes)?;
        if population.is_some_and(|population| population < prosecutor.rows) {
            return None;
        }
        let journalist = match population {
            Some(population) => {
                Journalist::estimated(sizes, prosecutor.rows as f64 / population as f64)?
            }
            None => Journalist::at_most(&prosecutor),
        };
        let sample_uniques = sizes.of_size(1);
        assert!(sample_uniques <= prosecutor.rows, "who is alone is a row");
        let population_uniques =
            population.map(|population| PopulationUniques::of(sizes, population));
        Some(RiskFigures {
            prosecutor,
            journalist,
            sample_uniques,
            population_uniques,
        })
    }

    /// The share of all rows that an attacker re-identifies who tries every row.
    pub fn marketer(&self) -> f64 {
        self.journalist.average
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::Estimator;

    fn of(sizes: &[(u64, u64)], population: Option<u64>) -> Option<RiskFigures> {
        RiskFigures::of(&sizes.iter().copied().collect(), population)
    }

    #[test]
    fn a_table_on_its_own_has_bounds() {
        // 2 rows alone, 3 classes of 4, 1 class of 5, 1 of 11: 30 rows in 7 classes.
        let found = of(&[(1, 2), (4, 3), (5, 1), (11, 1)], None).expect("rows");
        let Prosecutor {
            rows,
            classes,
            smallest,
            at_highest,
            at_risk,
        } = found.prosecutor;
        assert_eq!(
            (rows, classes, smallest, at_highest, at_risk),
            (30, 7, 1, 2, 14)
        );
        assert_eq!(
            (found.prosecutor.highest(), found.prosecutor.average()),
            (1.0, 7.0 / 30.0)
        );
        let bound = Journalist {
            highest: 1.0,
            average: 7.0 / 30.0,
            at_risk: 14,
            estimated: false,
        };
        assert_eq!((found.journalist, found.sample_uniques), (bound, 2));
        assert_eq!(found.population_uniques, None);
    }

    #[test]
    fn a_table_of_all_people_is_its_own_population() {
        let found = of(&[(1, 2), (4, 3), (5, 1), (11, 1)], Some(30)).expect("rows");
        let bound = Journalist::at_most(&found.prosecutor);
        assert_eq!(
            found.journalist,
            Journalist {
                estimated: true,
                average: found.journalist.average,
                ..bound
            }
        );
        assert!((found.marketer() - 7.0 / 30.0).abs() < 1e-15);
        let uniques = found.population_uniques.expect("a population");
        let all = [Estimator::Pitman, Estimator::Zayatz, Estimator::Snb].map(|of| uniques.by(of));
        assert_eq!((all, uniques.dankar()), ([Some(2.0); 3], Some(2.0)));
    }

    #[test]
    fn fewer_people_than_rows_and_no_rows_have_no_figures() {
        assert_eq!(
            (of(&[(5, 2)], Some(9)), of(&[], None), of(&[], Some(3))),
            (None, None, None)
        );
        assert!(of(&[(5, 2)], Some(10)).is_some());
    }
}
