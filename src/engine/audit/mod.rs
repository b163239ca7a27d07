//! Judges releases that anyone made, as the attacker sees them (CONTRACTS 3, audit): every figure of the gate on one set
//! of tables, and a verdict. `safe` never rests on an upper bound.
//!
//! This room reads no files and writes no report; both are values here.

mod chain;
mod coarseness_leak;
mod crowd_reasons;
mod crowds;
mod exact_candidates;
mod findings;
mod growth;
mod judge;
mod minimality;
mod pairs;
mod raw_classes;
mod refinement;
mod risk;
mod tables;
mod target_figures;
mod weak_targets;

pub use coarseness_leak::CoarsenessLeak;
pub use crowds::{CrowdFigures, SmallChange};
pub use findings::{ChainFigures, RealisedFigures, WeakestTarget};
pub use growth::{LeftOutRows, RowChanges, RowContradiction};
pub use judge::{AuditVerdict, FailedCheck, judge};
pub use minimality::{ForeignRows, GuardedTie, Guards, MinimalityFigures, MinimalityProblem, Requirement, TieFigure};
pub use pairs::PairFigures;
pub use refinement::AttackOutcome;
pub use risk::{Risk, risks};
pub use tables::{AuditSubject, MissingRows, RowsLeftOut, UnfitTables};

use crate::gate::chain::{ExactBudget, ReleaseChain, ShrunkRelease};
use crate::gate::diversity::{DiversityFigures, Measures, ValueShares};
use crate::gate::utility;
use crate::histogram::{NumberedClasses, Slices};
use crate::model::Columns;
use crate::policy::{ChainKind, Policy};
use rayon::prelude::*;

/// All figures of an audit.
#[derive(Debug)]
pub struct AuditFigures {
    /// One entry per release.
    pub releases: Vec<ReleaseFigures>,
    /// One entry per two releases of a cumulative chain.
    pub pairs: Vec<PairFigures>,
    /// The whole chain; `None` in a disjoint feed, and where rows keep their labels.
    pub chain: Option<ChainFigures>,
    /// The whole chain, where rows keep their labels.
    pub crowds: Option<CrowdFigures>,
    /// One release that others made until l-diversity held; `None` where that is not asked.
    pub minimality: Option<MinimalityFigures>,
    /// What refinement attacks come to on releases whose classes have labels of their own.
    pub refinement: Vec<AttackOutcome>,
    /// What releases under one recoding for all tell of the search; empty until it is asked.
    pub coarse: Vec<CoarsenessLeak>,
    /// The risk of re-identification in each release; empty until it is asked.
    pub risks: Vec<Option<Risk>>,
}

/// One release on its own.
#[derive(Debug)]
pub struct ReleaseFigures {
    /// Rows.
    pub rows: u64,
    /// Classes.
    pub classes: usize,
    /// The smallest class: its size and its number.
    pub smallest: (u64, usize),
    /// Loss (SCIENCE 8).
    pub loss: f64,
    /// Σ|class|²/N².
    pub discernibility: f64,
    /// Diversity of the classes as they stand.
    pub before: DiversityFigures,
    /// Diversity of what is left after all attacks.
    pub after: DiversityFigures,
}

impl AuditFigures {
    /// Of releases that nothing is compared with.
    fn alone(releases: Vec<ReleaseFigures>) -> AuditFigures {
        AuditFigures {
            releases,
            pairs: Vec::new(),
            chain: None,
            crowds: None,
            minimality: None,
            refinement: Vec::new(),
            coarse: Vec::new(),
            risks: Vec::new(),
        }
    }

    /// Computes them.
    ///
    /// # Errors
    /// A release that is no superset of an earlier one of its chain.
    pub fn of(subject: &AuditSubject, columns: &Columns, policy: &Policy) -> Result<AuditFigures, ShrunkRelease> {
        AuditFigures::within(subject, columns, policy, ExactBudget::FULL)
    }

    /// Computes them with so much work at most on what crossing recodings leave open.
    ///
    /// # Errors
    /// A release that is no superset of an earlier one of its chain.
    pub fn within(
        subject: &AuditSubject,
        columns: &Columns,
        policy: &Policy,
        budget: ExactBudget,
    ) -> Result<AuditFigures, ShrunkRelease> {
        let trees = columns.trees();
        let l = policy.diversity().and_then(|asked| asked.recursive).map(|recursive| recursive.l);
        let measures = Measures::new(columns, &subject.values, l);
        let shares: Vec<ValueShares> =
            subject.releases.iter().map(|table| ValueShares::of(table, subject.values.len())).collect();
        let mut releases: Vec<ReleaseFigures> = subject
            .releases
            .par_iter()
            .zip(&shares)
            .map(|(release, shares)| {
                let before = measures.of_release(release, shares);
                ReleaseFigures {
                    rows: release.rows(),
                    classes: release.classes(),
                    smallest: release.smallest().expect("a release without rows is refused when it is read"),
                    loss: utility::loss(release, &trees),
                    discernibility: utility::discernibility(release),
                    before,
                    after: before,
                }
            })
            .collect();
        let refinement = refinement::attacks(subject, columns, policy);
        if let Some(growth) = &subject.growth {
            let after = crowds::diversity(&subject.releases, growth, &measures, &shares);
            releases.iter_mut().zip(after).for_each(|(release, after)| release.after = after);
            let (pairs, crowds) = (crowds::pairs(&subject.releases, growth), Some(CrowdFigures::of(growth)));
            return Ok(AuditFigures { pairs, crowds, refinement, ..AuditFigures::alone(releases) });
        }
        if policy.kind() == ChainKind::Disjoint {
            return Ok(AuditFigures { refinement, ..AuditFigures::alone(releases) });
        }
        let chain = ReleaseChain::new(&subject.releases, &subject.number, &trees, subject.values.len());
        let slices = subject.histogram.as_ref().map(|histogram| {
            Slices::of(histogram, &chain.cuts(), &chain.numbered().iter().collect::<Vec<&NumberedClasses>>())
        });
        let pairs = pairs::figures(&chain, slices.as_ref(), &trees, subject.values.len())?;
        let (figures, after) =
            chain::figures(subject, &chain, slices.as_ref(), (&measures, &shares), (policy.k(), budget))?;
        if subject.releases.len() > 1 {
            releases.iter_mut().zip(after).for_each(|(release, after)| release.after = after);
        }
        Ok(AuditFigures { pairs, chain: Some(figures), ..AuditFigures::alone(releases) })
    }
}
