//! All findings of an attack on a release: the figures of each target, the leakage of all targets
//! together, and the reasons against the release.

use super::attack::{AttackTerms, RefinementAttack};
use super::budget::RefinementBudget;
use super::figure::RatioFigure;
use super::joint::{Joint, joint};
use super::limits::{FailedLimit, ImpossibleTarget, against, certain, certain_together, moved};
use super::malformed_release::Malformed;
use super::names::Names;
use super::release::{AttackedRows, CarvedRelease, RepeatedValues};
use super::target::{AttackTarget, CertainClass};
use super::worlds::crowds;
use crate::policy;

/// The work on all targets together is divided by two to this power at first.
const QUICKLY: u32 = 4;

/// Whether the joint attack on all targets is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointAttack {
    /// No: nothing in a verdict depends on it.
    Not,
    /// Yes, for a report.
    Yes,
}

/// The result of an attack.
#[derive(Debug)]
pub struct AttackResult {
    /// How solutions are counted.
    pub values: RepeatedValues,
    /// The limits of the policy.
    pub limits: policy::RefinementLimits,
    /// The figures of each target: the classes in their order, then the outliers if there are any.
    pub targets: Vec<AttackTarget>,
    /// Small classes that only all targets together show, each with the index of its target; `None`
    /// if that is unknown.
    pub together: Option<Vec<(usize, CertainClass)>>,
    /// The leakage of all targets together; `None` if it was not requested, or is beyond the
    /// budget.
    pub joint: Option<Joint>,
    /// For each target the number of cells with one person; `None` without the rows behind the
    /// release.
    pub fuzzy: Option<Vec<u64>>,
    /// The reasons against the release.
    pub against: Vec<FailedLimit>,
}

/// Why there are no findings.
#[derive(Debug)]
pub enum NoFinding {
    /// The order of formation is invalid.
    Malformed(Malformed),
    /// Some targets have no solution: the release was not made by the assumed method.
    Impossible {
        /// The first such target.
        place: AttackedRows,
        /// The number of such targets.
        targets: usize,
    },
}

impl AttackResult {
    /// Attacks a release.
    ///
    /// # Errors
    /// There are no findings, because the release was not made by the assumed method.
    pub fn of(
        names: Names<'_>,
        terms: AttackTerms,
        limits: &policy::RefinementLimits,
        together: JointAttack,
    ) -> Result<AttackResult, NoFinding> {
        let release = names.release();
        let attack = RefinementAttack::new(release, terms).map_err(NoFinding::Malformed)?;
        let targets = attack.targets();
        assert_eq!(
            targets.len(),
            release.places().len(),
            "each place is attacked"
        );
        let joint = match together {
            JointAttack::Not => None,
            JointAttack::Yes => {
                quickly(release, (&targets, terms)).map_err(NoFinding::Malformed)?
            }
        };
        // Halving with a coin produces no label with too few sets of rows, and all people together
        // may have `*` in all columns.
        let coins = release.rule().is_halving();
        let bounds = policy::RefinementLimits {
            min_solutions: if coins { 1 } else { limits.min_solutions },
            ..*limits
        };
        let against = against(&targets, &bounds, &|target, part| names.of(target, part));
        let against = against.map_err(|ImpossibleTarget(place)| {
            let targets = targets
                .iter()
                .filter(|target| target.is_impossible())
                .count();
            NoFinding::Impossible { place, targets }
        })?;
        let (mut against, mut shown) = (against, Some(Vec::new()));
        against.extend(moved(
            &targets,
            |place| release.bound(place),
            limits,
            &|target, part| names.of(target, part),
        ));
        // Reasons against single targets are enough.
        if against.is_empty()
            && limits.max_ratio.is_some()
            && !release.rule().is_unordered()
            && !targets.is_empty()
        {
            shown = crowds(&attack, &targets);
            against.extend(certain_together(
                shown.as_deref(),
                &targets,
                &|target, part| names.of(target, part),
            ));
        }
        Ok(AttackResult {
            values: terms.values,
            limits: *limits,
            targets,
            together: shown,
            joint,
            fuzzy: None,
            against,
        })
    }

    /// The decimal logarithm of the largest ratio, if all ratios are known.
    pub fn max_log10_ratio(&self) -> Option<f64> {
        let ratios: Option<Vec<f64>> = self
            .targets
            .iter()
            .map(|target| target.ratio.log10())
            .collect();
        ratios?.into_iter().max_by(f64::total_cmp)
    }

    /// The largest factor by which a target's label changes the odds of the position of one of its
    /// people; `None` if halving tossed no coins.
    pub fn max_bound(&self, release: &CarvedRelease) -> Option<u64> {
        self.targets
            .iter()
            .filter_map(|target| release.bound(target.place))
            .max()
    }

    /// The number of small classes that are certain, if it is known for all targets.
    pub fn crowds(&self) -> Option<usize> {
        let alone: Option<usize> = self
            .targets
            .iter()
            .map(|target| certain(target).map(|crowds| crowds.len()))
            .sum();
        Some(alone? + self.together.as_ref()?.len())
    }
}

/// The leakage of all targets together. Nothing depends on it, so a few samples are enough; more
/// samples would make the bound tighter.
fn quickly(
    release: &CarvedRelease,
    (targets, terms): (&[AttackTarget], AttackTerms),
) -> Result<Option<Joint>, Malformed> {
    let RefinementBudget {
        operations, draws, ..
    } = terms.budget;
    for less in (0..=QUICKLY).rev().step_by(2) {
        let budget = RefinementBudget {
            operations: operations >> less,
            draws: draws >> QUICKLY,
            ..terms.budget
        };
        let found = joint(
            &RefinementAttack::new(release, AttackTerms { budget, ..terms })?,
            targets,
        );
        if known(&found) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether the leakage is known.
fn known(joint: &Joint) -> bool {
    joint.draws > 0 || joint.ratio == RatioFigure::Impossible
}
