//! Everything that an attack finds of a release: what each target tells, what all of them tell together, and what of that
//! speaks against the release.

use super::attack::{AttackTerms, RefinementAttack};
use super::budget::RefinementBudget;
use super::figure::RatioFigure;
use super::joint::{Joint, joint};
use super::limits::{FailedLimit, ImpossibleTarget, against, certain, certain_together, moved};
use super::malformed_release::Malformed;
use super::names::Names;
use super::release::{AttackedRows, CarvedRelease, CarvingRule, RepeatedValues};
use super::target::{AttackTarget, CertainClass};
use super::worlds::crowds;
use crate::policy;

/// By how many powers of two the work on all targets together is less where no limit judges it.
const QUICKLY: u32 = 4;

/// Whether all targets at once are looked at, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointAttack {
    /// Never.
    Not,
    /// Where a limit asks for it.
    IfLimited,
    /// Always; quickly where no limit asks for it.
    Yes,
}

/// What an attack has found.
#[derive(Debug)]
pub struct AttackResult {
    /// How solutions are counted.
    pub values: RepeatedValues,
    /// What the policy allows.
    pub limits: policy::RefinementLimits,
    /// What each target tells: the classes in their order, then the outliers if there are any.
    pub targets: Vec<AttackTarget>,
    /// Small classes that only all targets together show, each with the place of its target; `None` where that is not known.
    pub together: Option<Vec<(usize, CertainClass)>>,
    /// What all targets together tell; `None` where it was not asked for, or that is beyond the budget.
    pub joint: Option<Joint>,
    /// Per target how many cells hold one person; `None` without the rows behind the release.
    pub fuzzy: Option<Vec<u64>>,
    /// What speaks against the release.
    pub against: Vec<FailedLimit>,
}

/// Why nothing is found.
#[derive(Debug)]
pub enum NoFinding {
    /// The order of formation is none.
    Malformed(Malformed),
    /// A target, the first of so many, has no solution: the release was not made as it is said.
    Impossible {
        /// The first.
        place: AttackedRows,
        /// How many there are.
        targets: usize,
    },
}

impl AttackResult {
    /// Attacks a release.
    ///
    /// # Errors
    /// There is nothing to be found, because the release was made otherwise.
    pub fn of(
        names: Names<'_>,
        terms: AttackTerms,
        limits: &policy::RefinementLimits,
        together: JointAttack,
    ) -> Result<AttackResult, NoFinding> {
        let release = names.release();
        let attack = RefinementAttack::new(release, terms).map_err(NoFinding::Malformed)?;
        let targets = attack.targets();
        assert_eq!(targets.len(), release.places().len(), "each place is attacked");
        let joint = match (together, limits.max_joint_ratio) {
            (JointAttack::Not, _) | (JointAttack::IfLimited, None) => None,
            (_, Some(_)) => Some(joint(&attack, &targets)).filter(known),
            (JointAttack::Yes, None) => quickly(release, (&targets, terms)).map_err(NoFinding::Malformed)?,
        };
        // Halving with a coin comes to no label that leaves too few sets of rows, and all people together may be at the root.
        let coins = matches!(release.rule(), CarvingRule::Crowds { .. });
        let asked = policy::RefinementLimits { min_solutions: if coins { 1 } else { limits.min_solutions }, ..*limits };
        let against = against(&targets, joint.as_ref(), &asked, &|target, part| names.of(target, part));
        let against = against.map_err(|ImpossibleTarget(place)| {
            let targets = targets.iter().filter(|target| target.is_impossible()).count();
            NoFinding::Impossible { place, targets }
        })?;
        let (mut against, mut shown) = (against, Some(Vec::new()));
        against.extend(moved(&targets, |place| release.bound(place), limits, &|target, part| names.of(target, part)));
        // What speaks against one target is enough.
        if against.is_empty() && limits.max_ratio.is_some() && !release.rule().is_unordered() && !targets.is_empty() {
            shown = crowds(&attack, &targets);
            against.extend(certain_together(shown.as_deref(), &targets, &|target, part| names.of(target, part)));
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

    /// The decimal logarithm of the largest ratio, if all are known.
    pub fn max_log10_ratio(&self) -> Option<f64> {
        let ratios: Option<Vec<f64>> = self.targets.iter().map(|target| target.ratio.log10()).collect();
        ratios?.into_iter().max_by(f64::total_cmp)
    }

    /// By how much each target's label moves the odds of where one of its people lies, the most of all; `None` where halving
    /// tossed no coins.
    pub fn max_bound(&self, release: &CarvedRelease) -> Option<u64> {
        self.targets.iter().filter_map(|target| release.bound(target.place)).max()
    }

    /// How many small classes are certain, if that is known of all targets.
    pub fn crowds(&self) -> Option<usize> {
        let alone: Option<usize> = self.targets.iter().map(|target| certain(target).map(|crowds| crowds.len())).sum();
        Some(alone? + self.together.as_ref()?.len())
    }
}

/// What all targets together tell. Where nothing hangs on it some draws are enough; more make the bound sharper.
fn quickly(
    release: &CarvedRelease,
    (targets, terms): (&[AttackTarget], AttackTerms),
) -> Result<Option<Joint>, Malformed> {
    let RefinementBudget { operations, draws, .. } = terms.budget;
    for less in (0..=QUICKLY).rev().step_by(2) {
        let budget = RefinementBudget { operations: operations >> less, draws: draws >> QUICKLY, ..terms.budget };
        let found = joint(&RefinementAttack::new(release, AttackTerms { budget, ..terms })?, targets);
        if known(&found) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether anything was found.
fn known(joint: &Joint) -> bool {
    joint.draws > 0 || joint.ratio == RatioFigure::Impossible
}
