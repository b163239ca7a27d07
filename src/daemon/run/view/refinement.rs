//! The JSON of refinement attacks, as `tidegate attack refinement` and `tidegate audit` print it
//! (CONTRACTS 3). The types here are the contract: `schemas/v1/attack-refinement.schema.json` is
//! made from them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::audit::AttackOutcome;
use crate::engine::gate::refinement::{
    self, AttackResult, AttackedRows, Attacker, HeldRows, Names, RatioFigure, SolutionCount,
    Support,
};
use crate::engine::model::Columns;
use crate::engine::policy::{self, Policy};
use crate::engine::release::Figure;

/// The result of refinement attacks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefinementAnswer {
    /// No limit of the policy fails; with `policy.max_ratio = "off"` there is none.
    pub safe: bool,
    /// The attacker.
    pub attacker: AttackerKind,
    /// How solutions are counted.
    pub values: ValuesAnswer,
    /// The classes in order of formation, or, if that is not known, by their public key (loss, Σ
    /// layer, Σ layer/height) and then in preorder; the outliers last, if there are any.
    pub targets: Vec<TargetAnswer>,
    /// The largest `log10_ratio`; null if one of them is not known.
    pub max_log10_ratio: Option<f64>,
    /// The largest `bound`; absent if targets have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bound: Option<u64>,
    /// What all targets reveal together; null if that is too much work, or if there are several
    /// releases.
    pub joint: Option<JointAnswer>,
    /// Every limit that fails; empty if safe.
    pub reasons: Vec<ExceededLimit>,
}

/// An attacker.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AttackerKind {
    /// Knows the release, and the order of its classes as far as public keys reveal it.
    Paper,
    /// Knows in which order the classes were formed.
    Strongest,
}

/// Whether rows may have all their values in common.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValuesAnswer {
    /// They may.
    Repeated,
    /// No two rows do.
    Distinct,
}

/// A class, or the outliers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TargetAnswer {
    /// The release, counted from 0; absent if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<usize>,
    /// Its labels, one per quasi column; null for the outliers, and in a disjoint chain for a class
    /// of halving that contains all people.
    pub class: Option<Vec<String>>,
    /// The number of its rows.
    pub rows: u64,
    /// Possible sets of rows without the attack, as decimal digits; null if that is not known
    /// exactly.
    pub lr: Option<String>,
    /// Those that the attack leaves; likewise.
    pub cra: Option<String>,
    /// Ways to distribute this number of rows over leaf cells that the attack leaves; likewise.
    pub assignments: Option<String>,
    /// log10 of lr / cra, an upper bound if `bounds` says so; null if nothing is known.
    pub log10_ratio: Option<f64>,
    /// The factor by which its label changes the odds of where one of its people is: 4 for each
    /// split that a random draw of halving may have rejected; absent for releases that were made
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    /// Leaf cells, each alone in its block, of which every solution has the same number of rows,
    /// and not 0; null if that is not known.
    pub certain_cells: Option<u64>,
    /// Leaf cells with exactly one of the true rows; null without `--increment`.
    pub fuzzy: Option<u64>,
    /// The parts of the class that earlier classes have not used up.
    pub blocks: Vec<BlockAnswer>,
    /// Bounds of figures that are not exact; absent if all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<FigureBounds>,
}

/// One choice of child in every column whose label can be divided.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockAnswer {
    /// The children, counted from 0, of the labels of `class` that have any, in the order of the
    /// columns.
    pub children: Vec<usize>,
    /// The least and the greatest number of rows that a solution has in it.
    pub support: [u64; 2],
}

/// Figures that are not exact: null if the figure itself is given, or nothing is known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FigureBounds {
    /// Of `lr`.
    pub lr: Option<LogBound>,
    /// Of `cra`; without an error it is a lower bound.
    pub cra: Option<LogBound>,
    /// Of `assignments`.
    pub assignments: Option<LogBound>,
    /// Of the ratio; without an error it is an upper bound.
    pub ratio: Option<LogBound>,
    /// Whether `support` comes from sampled solutions, so that others may have fewer or more rows.
    pub drawn: bool,
}

/// A decimal logarithm that is not exact.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogBound {
    /// The logarithm.
    pub log10: f64,
    /// The distance, on both sides, within which the true value is; null if it is a bound on the
    /// safe side, which fails less than once in 10^9 runs.
    pub error: Option<f64>,
}

/// All targets together: how often solutions of each, sampled independently, fit together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JointAnswer {
    /// log10 of the joint ratio: an upper bound, which fails less than once in 10^9 runs; null if
    /// no sample fitted.
    pub log10_ratio: Option<f64>,
    /// The most likely value, not a bound. Null if no sample fitted.
    pub estimate: Option<f64>,
    /// The number of samples.
    pub draws: u64,
    /// The number of samples that fitted.
    pub kept: u64,
}

/// A limit that fails.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExceededLimit {
    /// The release, counted from 0; absent if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<usize>,
    /// The target, counted from 0; null if it is about all of them together.
    pub target: Option<usize>,
    /// The figure; null if it is not known, or larger than a number can be.
    pub value: Option<f64>,
    /// The limit that failed; null if nothing was decided.
    pub limit: Option<f64>,
    /// The same in words.
    pub text: String,
}

/// Converts an attack to its JSON form.
pub fn refinement(found: &AttackResult, attacker: Attacker, names: Names<'_>) -> RefinementAnswer {
    let joint = |joint: &refinement::Joint| JointAnswer {
        log10_ratio: joint.ratio.log10(),
        estimate: joint.estimate(),
        draws: joint.draws,
        kept: joint.kept,
    };
    let index = |place: AttackedRows| match place {
        AttackedRows::Class(at) => at,
        AttackedRows::Outliers => names.release().classes().len(),
    };
    let reason = |against: &refinement::FailedLimit| ExceededLimit {
        release: None,
        target: against.target.map(index),
        value: against.finding.value.map(Figure::get),
        limit: against.finding.limit.map(Figure::get),
        text: against.finding.text.clone(),
    };
    let fuzzy = |at: usize| found.fuzzy.as_ref().map(|fuzzy| fuzzy[at]);
    RefinementAnswer {
        safe: found.against.is_empty(),
        attacker: match attacker {
            Attacker::Paper => AttackerKind::Paper,
            Attacker::Strongest => AttackerKind::Strongest,
        },
        values: match found.values {
            refinement::RepeatedValues::Repeated => ValuesAnswer::Repeated,
            refinement::RepeatedValues::Distinct => ValuesAnswer::Distinct,
        },
        targets: found
            .targets
            .iter()
            .enumerate()
            .map(|(at, of)| target(of, fuzzy(at), names))
            .collect(),
        max_log10_ratio: found.max_log10_ratio(),
        max_bound: found.max_bound(names.release()),
        joint: found.joint.as_ref().map(joint),
        reasons: found.against.iter().map(reason).collect(),
    }
}

/// The attacks on all releases, target after target; None if none was made.
pub fn refinements(
    attacks: &[AttackOutcome],
    policy: &Policy,
    columns: &Columns,
) -> Option<RefinementAnswer> {
    let several = attacks.len() > 1;
    let mut all: Vec<RefinementAnswer> = Vec::new();
    for AttackOutcome {
        release, judged, ..
    } in attacks
    {
        let mut one = match judged {
            Ok(judged) => refinement(&judged.found, Attacker::Paper, judged.names(columns)),
            Err(why) => unknown(why, policy),
        };
        let release = several.then_some(*release);
        one.targets
            .iter_mut()
            .for_each(|target| target.release = release);
        one.reasons
            .iter_mut()
            .for_each(|reason| reason.release = release);
        all.push(one);
    }
    all.into_iter().reduce(|mut all, next| {
        let before = all.targets.len();
        let moved = |reason: ExceededLimit| ExceededLimit {
            target: reason.target.map(|target| before + target),
            ..reason
        };
        all.reasons.extend(next.reasons.into_iter().map(moved));
        all.targets.extend(next.targets);
        let max_log10_ratio = all
            .max_log10_ratio
            .zip(next.max_log10_ratio)
            .map(|(a, b)| a.max(b));
        let max_bound = all.max_bound.max(next.max_bound);
        RefinementAnswer {
            safe: all.safe && next.safe,
            max_log10_ratio,
            max_bound,
            joint: None,
            ..all
        }
    })
}

/// The answer for a release that cannot have been made as the policy says.
fn unknown(why: &str, policy: &Policy) -> RefinementAnswer {
    RefinementAnswer {
        safe: false,
        attacker: AttackerKind::Paper,
        values: match policy.refinement().values {
            policy::Values::Repeated => ValuesAnswer::Repeated,
            policy::Values::Distinct => ValuesAnswer::Distinct,
        },
        targets: Vec::new(),
        max_log10_ratio: None,
        max_bound: None,
        joint: None,
        reasons: vec![ExceededLimit {
            release: None,
            target: None,
            value: None,
            limit: None,
            text: why.to_owned(),
        }],
    }
}

fn target(of: &refinement::AttackTarget, fuzzy: Option<u64>, names: Names<'_>) -> TargetAnswer {
    let class = || {
        let columns = names.columns();
        let labels = names.nodes(of.place).into_iter().zip(columns.trees());
        labels
            .map(|(node, tree)| tree.label(node).to_owned())
            .collect()
    };
    let bound = names.release().bound(of.place);
    let block = |held: &HeldRows| BlockAnswer {
        children: held.children.clone(),
        support: support(held.support),
    };
    TargetAnswer {
        release: None,
        class: (of.place != AttackedRows::Outliers || bound.is_some()).then(class),
        rows: of.rows,
        lr: digits(&of.lr),
        cra: digits(&of.cra),
        assignments: digits(&of.assignments),
        log10_ratio: of.ratio.log10(),
        bound,
        certain_cells: of.certain_cells(),
        fuzzy,
        blocks: of.blocks.iter().map(block).collect(),
        bounds: bounds(of),
    }
}

fn support(of: Support) -> [u64; 2] {
    [of.least, of.most]
}

fn digits(count: &SolutionCount) -> Option<String> {
    if let SolutionCount::Exact(count) = count {
        Some(count.to_string())
    } else {
        None
    }
}

fn bounds(of: &refinement::AttackTarget) -> Option<FigureBounds> {
    let exact = |count: &SolutionCount| matches!(count, SolutionCount::Exact(_));
    let drawn = of.blocks.iter().any(|held| !held.support.exact);
    let ratio = match of.ratio {
        RatioFigure::Near { log10, error } => Some(LogBound {
            log10,
            error: Some(error),
        }),
        RatioFigure::AtMost { log10 } => Some(LogBound { log10, error: None }),
        RatioFigure::Exact { .. } | RatioFigure::Impossible | RatioFigure::Unknown => None,
    };
    if exact(&of.lr) && exact(&of.cra) && exact(&of.assignments) && ratio.is_none() && !drawn {
        return None;
    }
    let [lr, cra, assignments] = [&of.lr, &of.cra, &of.assignments].map(|count| match *count {
        SolutionCount::Near { log10, error } => Some(LogBound {
            log10,
            error: Some(error),
        }),
        SolutionCount::AtLeast { log10 } => Some(LogBound { log10, error: None }),
        SolutionCount::Exact(_) | SolutionCount::Unknown => None,
    });
    Some(FigureBounds {
        lr,
        cra,
        assignments,
        ratio,
        drawn,
    })
}
