//! The JSON of the risk of re-identification in a release (CONTRACTS 3), as a part of that of
//! `tidegate audit`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::audit;
use crate::engine::risk::{self, RiskFigures, THRESHOLD};

/// The risk of re-identification in a release, from this release alone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RiskEntry {
    /// For the classes that the release shows.
    #[serde(flatten)]
    pub after: Risks,
    /// For the raw rows behind the release, whose classes have equal leaves; null without
    /// `--increment`.
    pub before: Option<Risks>,
}

/// The risks in one table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Risks {
    /// The attacker knows that the person is in the table.
    pub prosecutor: ProsecutorEntry,
    /// The attacker does not know it.
    pub journalist: JournalistEntry,
    /// The expected share of correct answers if an attacker tries to re-identify all rows; an upper
    /// bound or an estimate, as the journalist's figures are.
    pub marketer: f64,
    /// Rows that are alone in their class.
    pub sample_uniques: Uniques,
    /// People who are alone in their class of the population; null without `--population`.
    pub population_uniques: Option<PopulationUniquesEntry>,
}

/// 1 over the size of the class in the table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProsecutorEntry {
    /// In the smallest classes.
    pub highest: f64,
    /// The mean over all rows: classes over rows.
    pub average: f64,
    /// The share of rows whose risk is above the threshold.
    pub records_at_risk: f64,
    /// 0.2: rows in classes of fewer than five are above it.
    pub threshold: f64,
    /// Rows in the smallest classes.
    pub records_at_highest: u64,
}

/// 1 over the size of the class in the population.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JournalistEntry {
    /// In the smallest classes.
    pub highest: f64,
    /// The mean over all rows.
    pub average: f64,
    /// The share of rows whose risk is above the threshold.
    pub records_at_risk: f64,
    /// 0.2, as for the prosecutor.
    pub threshold: f64,
    /// True: estimates, from the share of the population that is in the table. False: no population
    /// was given, and these are the prosecutor's figures, which are upper bounds.
    pub estimated: bool,
}

/// Rows that are alone in their class.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Uniques {
    /// The number of rows.
    pub rows: u64,
    /// Their share of all rows.
    pub share: f64,
}

/// Estimates of how many people are alone in their class of the population.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PopulationUniquesEntry {
    /// The population that `--population` gives.
    pub population: u64,
    /// People, by estimator.
    pub estimators: Estimators,
    /// The estimator that the rule of Dankar et al. chooses; null if nothing had to be estimated.
    pub chosen: Option<EstimatorName>,
}

/// People by estimator; null if its equations have no solution.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Estimators {
    /// Pitman's sampling formula (Hoshino 2001).
    pub pitman: Option<f64>,
    /// The equivalence class model (Zayatz 1991).
    pub zayatz: Option<f64>,
    /// The slide negative binomial model (Chen and Keller-McNulty 1998).
    pub snb: Option<f64>,
    /// The one that the rule of Dankar et al. (2012) chooses.
    pub dankar: Option<f64>,
}

/// An estimator.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EstimatorName {
    /// Pitman's sampling formula.
    Pitman,
    /// The equivalence class model.
    Zayatz,
    /// The slide negative binomial model.
    Snb,
}

/// The entry of a release.
pub fn risk(of: &audit::Risk) -> RiskEntry {
    RiskEntry {
        after: risks(&of.after),
        before: of.before.as_ref().map(risks),
    }
}

fn risks(of: &RiskFigures) -> Risks {
    let rows = of.prosecutor.rows as f64;
    let prosecutor = ProsecutorEntry {
        highest: of.prosecutor.highest(),
        average: of.prosecutor.average(),
        records_at_risk: of.prosecutor.at_risk as f64 / rows,
        threshold: THRESHOLD,
        records_at_highest: of.prosecutor.at_highest,
    };
    let journalist = JournalistEntry {
        highest: of.journalist.highest,
        average: of.journalist.average,
        records_at_risk: of.journalist.at_risk as f64 / rows,
        threshold: THRESHOLD,
        estimated: of.journalist.estimated,
    };
    Risks {
        prosecutor,
        journalist,
        marketer: of.marketer(),
        sample_uniques: Uniques {
            rows: of.sample_uniques,
            share: of.sample_uniques as f64 / rows,
        },
        population_uniques: of.population_uniques.as_ref().map(uniques),
    }
}

fn uniques(of: &risk::PopulationUniques) -> PopulationUniquesEntry {
    let estimators = Estimators {
        pitman: of.by(risk::Estimator::Pitman),
        zayatz: of.by(risk::Estimator::Zayatz),
        snb: of.by(risk::Estimator::Snb),
        dankar: of.dankar(),
    };
    let chosen = of.chosen().map(|chosen| match chosen {
        risk::Estimator::Pitman => EstimatorName::Pitman,
        risk::Estimator::Zayatz => EstimatorName::Zayatz,
        risk::Estimator::Snb => EstimatorName::Snb,
    });
    PopulationUniquesEntry {
        population: of.population,
        estimators,
        chosen,
    }
}
