//! Judges releases of any origin as an attacker sees them (CONTRACTS 3, audit): all figures of the
//! gate for one set of tables, and a verdict. `safe` never relies on an upper bound.
//!
//! This room reads no files and writes no report; it computes values for both.

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
pub use findings::{ChainFigures, KnownFigures, RealisedFigures, WeakestTarget};
pub use growth::{LeftOutRows, RowChanges, RowContradiction};
pub use judge::{AuditVerdict, FailedCheck, judge};
pub use minimality::{
    ForeignRows, GuardedTie, Guards, MinimalityFigures, MinimalityProblem, Requirement, TieFigure,
};
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
    /// The whole chain; `None` for a disjoint feed, and if rows keep their labels.
    pub chain: Option<ChainFigures>,
    /// The whole chain, if rows keep their labels.
    pub crowds: Option<CrowdFigures>,
    /// The minimality attack on one release of another method; `None` unless requested.
    pub minimality: Option<MinimalityFigures>,
    /// The results of refinement attacks on releases whose classes have labels of their own.
    pub refinement: Vec<AttackOutcome>,
    /// The leakage about the search of releases with one recoding; empty until computed.
    pub coarse: Vec<CoarsenessLeak>,
    /// The risk of re-identification in each release; empty until computed.
    pub risks: Vec<Option<Risk>>,
}

/// One release on its own.
#[derive(Debug)]
pub struct ReleaseFigures {
    /// The number of rows.
    pub rows: u64,
    /// The number of classes.
    pub classes: usize,
    /// The smallest class: its size and its number.
    pub smallest: (u64, usize),
    /// Loss (SCIENCE 8).
    pub loss: f64,
    /// Σ|class|²/N².
    pub discernibility: f64,
    /// The diversity of the classes as they are.
    pub before: DiversityFigures,
    /// The diversity of what remains after all attacks.
    pub after: DiversityFigures,
}

impl AuditFigures {
    /// The figures of releases that are compared with nothing.
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

    /// Computes all figures.
    ///
    /// # Errors
    /// A release lacks rows of an earlier one of its chain.
    pub fn of(
        subject: &AuditSubject,
        columns: &Columns,
        policy: &Policy,
    ) -> Result<AuditFigures, ShrunkRelease> {
        AuditFigures::within(subject, columns, policy, ExactBudget::FULL)
    }

    /// Computes all figures, with a limit on the work for crossing recodings.
    ///
    /// # Errors
    /// A release lacks rows of an earlier one of its chain.
    pub fn within(
        subject: &AuditSubject,
        columns: &Columns,
        policy: &Policy,
        budget: ExactBudget,
    ) -> Result<AuditFigures, ShrunkRelease> {
        let trees = columns.trees();
        let l = policy
            .diversity()
            .and_then(|limits| limits.recursive)
            .map(|recursive| recursive.l);
        let measures = Measures::new(columns, &subject.values, l);
        let shares: Vec<ValueShares> = subject
            .releases
            .iter()
            .map(|table| measures.shares(table))
            .collect();
        let mut releases: Vec<ReleaseFigures> = subject
            .releases
            .par_iter()
            .zip(&shares)
            .map(|(release, shares)| {
                let before = measures.of_release(release, shares);
                ReleaseFigures {
                    rows: release.rows(),
                    classes: release.classes(),
                    smallest: release
                        .smallest()
                        .expect("a release without rows is refused when it is read"),
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
            releases
                .iter_mut()
                .zip(after)
                .for_each(|(release, after)| release.after = after);
            let (pairs, crowds) = (
                crowds::pairs(&subject.releases, growth),
                Some(CrowdFigures::of(growth)),
            );
            return Ok(AuditFigures {
                pairs,
                crowds,
                refinement,
                ..AuditFigures::alone(releases)
            });
        }
        if policy.kind() == ChainKind::Disjoint {
            return Ok(AuditFigures {
                refinement,
                ..AuditFigures::alone(releases)
            });
        }
        let chain = ReleaseChain::new(
            &subject.releases,
            &subject.number,
            &trees,
            subject.values.len(),
        );
        let slices = subject.histogram.as_ref().map(|histogram| {
            Slices::of(
                histogram,
                &chain.cuts(),
                &chain.numbered().iter().collect::<Vec<&NumberedClasses>>(),
            )
        });
        let pairs = pairs::figures(&chain, slices.as_ref(), &trees, subject.values.len())?;
        let (figures, after) = chain::figures(
            subject,
            &chain,
            slices.as_ref(),
            (&measures, &shares),
            (policy.k(), budget, policy.diversity().is_some()),
        )?;
        if subject.releases.len() > 1 {
            releases
                .iter_mut()
                .zip(after)
                .for_each(|(release, after)| release.after = after);
        }
        Ok(AuditFigures {
            pairs,
            chain: Some(figures),
            ..AuditFigures::alone(releases)
        })
    }
}
