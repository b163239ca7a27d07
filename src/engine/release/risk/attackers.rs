//! The three attackers of the literature (SCIENCE 12; El Emam and Dankar 2008, Dankar and El Emam
//! 2010). The prosecutor knows that the person is in the table, the journalist does not, and the
//! marketer wants to identify as many people as possible.
//!
//! Without a population nothing is estimated: a class of the population contains at least the rows
//! of its class in the table, so the prosecutor's figures bound those of the others.

use super::matches::expected_match;
use super::sizes::Sizes;

/// Rows with a larger risk are counted: 0.2, the risk in a class of five.
pub const THRESHOLD: f64 = 0.2;

/// Against an attacker who knows that the person is in the table: 1 over the size of the class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prosecutor {
    /// The number of rows of the table.
    pub rows: u64,
    /// The number of classes.
    pub classes: u64,
    /// The number of rows of the smallest class.
    pub smallest: u64,
    /// The number of rows in classes of that size.
    pub at_highest: u64,
    /// The number of rows whose risk is above [`THRESHOLD`].
    pub at_risk: u64,
}

impl Prosecutor {
    /// For a table; `None` if it has no rows.
    pub fn of(sizes: &Sizes) -> Option<Prosecutor> {
        let smallest = sizes.smallest()?;
        assert!(smallest > 0, "a class has a row");
        Some(Prosecutor {
            rows: sizes.rows(),
            classes: sizes.classes(),
            smallest,
            at_highest: smallest * sizes.of_size(smallest),
            at_risk: rows_above(sizes, |size| 1.0 / size as f64),
        })
    }

    /// The risk of the rows with the highest risk.
    pub fn highest(&self) -> f64 {
        1.0 / self.smallest as f64
    }

    /// The mean over all rows.
    pub fn average(&self) -> f64 {
        self.classes as f64 / self.rows as f64
    }
}

/// Against an attacker who does not know whether the person is in the table: 1 over the size of the
/// class in the population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Journalist {
    /// The risk of the rows with the highest risk.
    pub highest: f64,
    /// The mean over all rows: the share of all rows that the marketer re-identifies.
    pub average: f64,
    /// The number of rows whose risk is above [`THRESHOLD`].
    pub at_risk: u64,
    /// Whether these are estimates; otherwise they are upper bounds, which hold for every
    /// population.
    pub estimated: bool,
}

impl Journalist {
    /// The bounds given by the prosecutor's figures, for every population.
    pub fn at_most(prosecutor: &Prosecutor) -> Journalist {
        let (highest, average) = (prosecutor.highest(), prosecutor.average());
        Journalist {
            highest,
            average,
            at_risk: prosecutor.at_risk,
            estimated: false,
        }
    }

    /// For a population of which this share is in the table.
    pub fn estimated(sizes: &Sizes, fraction: f64) -> Option<Journalist> {
        assert!(
            fraction > 0.0 && fraction <= 1.0,
            "a sample is a part of its population"
        );
        let risk = |size: u64| expected_match(size, fraction);
        assert!(sizes.rows() > 0, "there are rows");
        let found: f64 = sizes
            .iter()
            .map(|(size, classes)| (size * classes) as f64 * risk(size))
            .sum();
        Some(Journalist {
            highest: risk(sizes.smallest()?),
            average: found / sizes.rows() as f64,
            at_risk: rows_above(sizes, risk),
            estimated: true,
        })
    }
}

/// The number of rows in classes of a size with a risk above the threshold. Larger classes have
/// less risk.
fn rows_above(sizes: &Sizes, risk: impl Fn(u64) -> f64) -> u64 {
    sizes
        .iter()
        .take_while(|&(size, _)| risk(size) > THRESHOLD)
        .map(|(size, classes)| size * classes)
        .sum()
}
