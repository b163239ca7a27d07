//! The limits on what refinement attacks may find (SCIENCE 6, the gate): compares the figures of
//! all targets with them and gives the reasons against a release, in words. A figure that is not
//! proved to keep its limit breaks it. Knows no taxonomy: the caller provides names.

use num_bigint::BigUint;

use super::figure::{RatioFigure, SolutionCount};
use super::release::AttackedRows;
use super::target::{AttackTarget, CertainClass, SegmentPart};
use crate::policy::{Decimal, RefinementLimits};
use crate::release::{Check, Figure, Finding};

/// A reason against a release.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedLimit {
    /// The target; `None` for all of them together.
    pub target: Option<AttackedRows>,
    /// The ratio, the number of solutions or the rows of a small class, as far as known, with the
    /// limit that it breaks.
    pub finding: Finding,
    /// Whether a small class is certain, so that figure and words reveal fewer than k people.
    pub small: bool,
}

impl FailedLimit {
    fn of(
        target: Option<&AttackTarget>,
        found: Option<f64>,
        limit: Option<f64>,
        text: String,
    ) -> FailedLimit {
        let finding = Finding {
            value: found.and_then(Figure::real),
            limit: limit.and_then(Figure::real),
            ..Finding::new(Check::Refinement, "", text)
        };
        FailedLimit {
            target: target.map(|target| target.place),
            finding,
            small: false,
        }
    }
}

/// A target without a solution: ARX-LR did not make this release, so limits do not apply to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpossibleTarget(pub AttackedRows);

/// All reasons against a release, target by target. `name` gives the name of
/// a target or of a part of it; it is only called for targets that break a limit.
///
/// # Errors
/// The first target without a solution.
pub fn against(
    targets: &[AttackTarget],
    limits: &RefinementLimits,
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Result<Vec<FailedLimit>, ImpossibleTarget> {
    if let Some(target) = targets.iter().find(|target| target.is_impossible()) {
        return Err(ImpossibleTarget(target.place));
    }
    let Some(max_ratio) = limits.max_ratio else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for target in targets {
        found.extend(ratio(target, max_ratio, name));
        found.extend(solutions(target, limits.min_solutions, name));
        found.extend(crowds(target, name));
        found.extend(open(target, name));
    }
    Ok(found)
}

/// Labels that change the odds of a person's position by more than the policy allows.
pub(super) fn moved(
    targets: &[AttackTarget],
    bound: impl Fn(AttackedRows) -> Option<u64>,
    limits: &RefinementLimits,
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Vec<FailedLimit> {
    let Some(limit) = limits.max_ratio else {
        return Vec::new();
    };
    let beyond = |target: &AttackTarget| {
        let bound = bound(target.place).filter(|&bound| Decimal::from(bound) > limit)?;
        let text = format!(
            "{}: the label changes the odds of where a person is by up to {bound}, limit {limit}",
            name(target, None)
        );
        let (found, limit) = (Some(bound as f64), Some(limit.get()));
        Some(FailedLimit::of(Some(target), found, limit, text))
    };
    targets.iter().filter_map(beyond).collect()
}

fn ratio(
    target: &AttackTarget,
    limit: Decimal,
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Option<FailedLimit> {
    let (part, of) = (
        BigUint::from(limit.digits()),
        BigUint::from(10u8).pow(limit.scale().into()),
    );
    let log10 = target
        .ratio
        .log10()
        .filter(|_| !target.ratio_is_at_most(&part, &of))?;
    let [lr, cra] =
        [&target.lr, &target.cra].map(|count| count.log10().map_or("?".to_owned(), short));
    let bound = matches!(target.ratio, RatioFigure::AtMost { .. });
    let [least, most] = if bound {
        ["at least ", "up to "]
    } else {
        ["", ""]
    };
    let name = name(target, None);
    let text = format!(
        "{name}: of {lr} possible sets of rows {least}{cra} remain, ratio {most}{}, limit {limit}",
        short(log10)
    );
    Some(FailedLimit::of(
        Some(target),
        power(log10),
        Some(limit.get()),
        text,
    ))
}

fn solutions(
    target: &AttackTarget,
    least: u64,
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Option<FailedLimit> {
    if target.cra == SolutionCount::Unknown || target.cra.is_at_least(least) {
        return None;
    }
    let whole = match &target.cra {
        SolutionCount::Exact(count) => u64::try_from(count)
            .ok()
            .map(|count| (count.to_string(), count as f64)),
        _ => None,
    };
    let (shown, found) = match (whole, target.cra.log10()) {
        (Some((shown, found)), _) => (shown, Some(found)),
        (None, log10) => (log10.map_or("?".to_owned(), short), log10.and_then(power)),
    };
    let bound = if matches!(target.cra, SolutionCount::AtLeast { .. }) {
        "at least"
    } else {
        "only"
    };
    let name = name(target, None);
    let sets = if shown == "1" {
        "set of rows remains"
    } else {
        "sets of rows remain"
    };
    let text = format!("{name}: {bound} {shown} possible {sets}, at least {least} are required");
    Some(FailedLimit::of(
        Some(target),
        found,
        Some(least as f64),
        text,
    ))
}

fn crowds(
    target: &AttackTarget,
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Option<FailedLimit> {
    let crowds = certain(target)?;
    let &CertainClass {
        part, least: rows, ..
    } = crowds.iter().min_by_key(|crowd| crowd.least)?;
    let k = target.cap + 1;
    assert!(rows < k, "a class that is too small");
    let others = match crowds.len() - 1 {
        0 => String::new(),
        1 => "; 1 more part of it is as certain".to_owned(),
        others => format!("; {others} more parts of it are as certain"),
    };
    let (of, s) = (name(target, None), if rows == 1 { "" } else { "s" });
    let text = format!(
        "{of}: {} certainly contains {rows} row{s}, fewer than k = {k}{others}",
        name(target, Some(part))
    );
    Some(FailedLimit {
        small: true,
        ..FailedLimit::of(Some(target), Some(rows as f64), Some(k as f64), text)
    })
}

/// Small classes that only all targets together show, target by target; `None` if that is unknown.
pub(super) fn certain_together(
    found: Option<&[(usize, CertainClass)]>,
    targets: &[AttackTarget],
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Vec<FailedLimit> {
    let Some(found) = found else {
        let text = "all together: the attack ran out of budget before it could decide whether a class below k is \
            certain, which counts as unsafe";
        return vec![FailedLimit::of(None, None, None, text.to_owned())];
    };
    let against = |crowds: &[(usize, CertainClass)]| {
        let (target, crowd) = (
            &targets[crowds[0].0],
            crowds
                .iter()
                .map(|(_, crowd)| crowd)
                .min_by_key(|crowd| crowd.least)?,
        );
        let (rows, k) = (crowd.least, target.cap + 1);
        assert!(rows < k, "a class that is too small");
        let (of, part, s) = (
            name(target, None),
            name(target, Some(crowd.part)),
            if rows == 1 { "" } else { "s" },
        );
        let text = format!(
            "{of}: {part} certainly contains {rows} row{s}, fewer than k = {k}, according to all classes together"
        );
        let (found, limit) = (Some(rows as f64), Some(k as f64));
        Some(FailedLimit {
            small: true,
            ..FailedLimit::of(Some(target), found, limit, text)
        })
    };
    found
        .chunk_by(|one, next| one.0 == next.0)
        .filter_map(against)
        .collect()
}

fn open(
    target: &AttackTarget,
    name: &impl Fn(&AttackTarget, Option<SegmentPart>) -> String,
) -> Option<FailedLimit> {
    if target.is_decided() {
        return None;
    }
    let what = match target.ratio {
        RatioFigure::Unknown => {
            "the attack ran out of budget for counting the possible sets of rows"
        }
        _ => {
            "the attack ran out of budget before it could decide whether a part below k is certain"
        }
    };
    let text = format!("{}: {what}, which counts as unsafe", name(target, None));
    Some(FailedLimit::of(Some(target), None, None, text))
}

/// The classes of [`AttackTarget::certain_crowds`] without slabs that are a single block, which
/// would be counted twice.
pub fn certain(target: &AttackTarget) -> Option<Vec<CertainClass>> {
    let several = |crowd: &CertainClass| match crowd.part {
        SegmentPart::Slab(at, child) => {
            target
                .blocks
                .iter()
                .filter(|held| held.children.get(at) == Some(&child))
                .count()
                != 1
        }
        SegmentPart::Cell(_) | SegmentPart::Block(_) => true,
    };
    Some(
        target
            .certain_crowds()?
            .into_iter()
            .filter(several)
            .collect(),
    )
}

/// The number with this decimal logarithm in a readable form: `293`, `1.25`, `4.1e6`.
pub fn short(log10: f64) -> String {
    assert!(!log10.is_nan(), "the logarithm of a number");
    if log10 < 4.0 {
        let text = format!("{:.2}", 10f64.powf(log10));
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let (mantissa, exponent) = (10f64.powf(log10 - log10.floor()), log10.floor());
    match format!("{mantissa:.1}") {
        ten if ten == "10.0" => format!("1.0e{}", exponent + 1.0),
        mantissa => format!("{mantissa}e{exponent}"),
    }
}

/// Ten to a power, rounded to the precision of the logarithm; `None` beyond floats.
fn power(log10: f64) -> Option<f64> {
    let rounded: f64 = format!("{:.9e}", 10f64.powf(log10)).parse().ok()?;
    rounded.is_finite().then_some(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refinement::{HeldRows, Support};

    const LIMITS: RefinementLimits = RefinementLimits {
        values: crate::policy::Values::Repeated,
        max_ratio: Some(RefinementLimits::MAX_RATIO),
        min_solutions: RefinementLimits::MIN_SOLUTIONS,
        max_global_ratio: None,
        max_repairs: 0,
    };

    /// Two blocks of one column, in which nothing is certain.
    fn target(lr: u64, cra: u64) -> AttackTarget {
        let held = |child| HeldRows {
            children: vec![child],
            volume: 100,
            cells: 1,
            support: Support {
                least: 1,
                most: 3,
                exact: true,
            },
            marginals: None,
        };
        AttackTarget {
            place: AttackedRows::Class(0),
            rows: 4,
            cap: 3,
            volume: 200,
            free_volume: Some(200),
            free_cells: Some(2),
            lr: SolutionCount::Exact(lr.into()),
            cra: SolutionCount::Exact(cra.into()),
            assignments: SolutionCount::Exact(3u8.into()),
            ratio: RatioFigure::exact(&lr.into(), &cra.into()),
            columns: vec![0],
            blocks: vec![held(0), held(1)],
            slabs: vec![vec![
                Support {
                    least: 1,
                    most: 3,
                    exact: true
                };
                2
            ]],
        }
    }

    fn said(
        target: &AttackTarget,
        limits: &RefinementLimits,
    ) -> Vec<(Option<f64>, Option<f64>, String)> {
        let name = |_: &AttackTarget, part: Option<SegmentPart>| {
            if part.is_some() { "a part" } else { "class" }.to_owned()
        };
        let found = against(std::slice::from_ref(target), limits, &name).expect("solutions");
        found
            .into_iter()
            .map(|against| against.finding)
            .map(|of| {
                (
                    of.value.map(Figure::get),
                    of.limit.map(Figure::get),
                    of.text,
                )
            })
            .collect()
    }

    #[test]
    fn limits_that_are_met_exactly_are_kept() {
        assert_eq!(said(&target(100_000, 1000), &LIMITS), []);
        let text =
            "class: of 1.0e5 possible sets of rows 999 remain, ratio 100.1, limit 100".to_owned();
        let few =
            "class: only 999 possible sets of rows remain, at least 1000 are required".to_owned();
        let found = said(&target(100_000, 999), &LIMITS);
        assert_eq!(
            found,
            [
                (Some(100.1001001), Some(100.0), text),
                (Some(999.0), Some(1000.0), few)
            ]
        );
    }

    #[test]
    fn a_small_crowd_that_is_certain_rejects_a_release() {
        let mut small = target(10_000, 10_000);
        small.blocks[1].support = Support {
            least: 2,
            most: 2,
            exact: true,
        };
        let text = "class: a part certainly contains 2 rows, fewer than k = 4".to_owned();
        assert_eq!(said(&small, &LIMITS), [(Some(2.0), Some(4.0), text)]);
        // Supports that were only sampled may not be certain, which does not make them safe.
        small.blocks[1].support.exact = false;
        let found = said(&small, &LIMITS);
        assert!(
            found.len() == 1 && found[0].2.ends_with("which counts as unsafe"),
            "{found:?}"
        );
    }

    #[test]
    fn bounds_are_checked_on_the_safe_side_and_called_bounds() {
        let mut bounded = target(0, 0);
        bounded.lr = SolutionCount::Near {
            log10: 400.0,
            error: 1e-12,
        };
        bounded.cra = SolutionCount::AtLeast { log10: 50.0 };
        bounded.ratio = RatioFigure::AtMost { log10: 350.0 };
        let text = "class: of 1.0e400 possible sets of rows at least 1.0e50 remain, ratio up to 1.0e350, limit 100";
        assert_eq!(
            said(&bounded, &LIMITS),
            [(None, Some(100.0), text.to_owned())]
        );
        bounded.ratio = RatioFigure::Unknown;
        bounded.cra = SolutionCount::Unknown;
        let found = said(&bounded, &LIMITS);
        assert!(
            found.len() == 1 && found[0].2.contains("ran out of budget"),
            "{found:?}"
        );
    }

    #[test]
    fn what_has_no_solution_is_no_reason() {
        let found = against(
            &[target(10, 0)],
            &RefinementLimits {
                max_ratio: None,
                ..LIMITS
            },
            &|_, _| String::new(),
        );
        assert_eq!(found, Err(ImpossibleTarget(AttackedRows::Class(0))));
    }

    #[test]
    fn numbers_are_short() {
        let shown = [
            1.0f64, 1.25, 293.0, 9999.0, 10_000.0, 12_000.0, 4.1e6, 9.99e9,
        ]
        .map(|number| short(number.log10()));
        assert_eq!(
            shown,
            [
                "1", "1.25", "293", "9999", "1.0e4", "1.2e4", "4.1e6", "1.0e10"
            ]
        );
    }

    #[test]
    fn a_label_that_moves_the_odds_too_far_is_named() {
        let targets = [
            target(100_000, 100_000),
            AttackTarget {
                place: AttackedRows::Class(1),
                ..target(100_000, 100_000)
            },
        ];
        let name = |target: &AttackTarget, _: Option<SegmentPart>| format!("{:?}", target.place);
        let bounds = |place| {
            if place == AttackedRows::Class(1) {
                Some(101)
            } else {
                Some(100)
            }
        };
        let found = moved(&targets, bounds, &LIMITS, &name);
        let [only] = &found[..] else {
            panic!("one label of two")
        };
        assert_eq!(
            (
                only.target,
                only.finding.value,
                only.finding.limit,
                only.small
            ),
            (
                Some(AttackedRows::Class(1)),
                Figure::real(101.0),
                Figure::real(100.0),
                false
            )
        );
        assert!(
            only.finding.text.starts_with(
                "Class(1): the label changes the odds of where a person is by up to 101"
            ),
            "{}",
            only.finding.text
        );
        assert!(moved(&targets, |_| None, &LIMITS, &name).is_empty());
        assert!(
            moved(
                &targets,
                bounds,
                &RefinementLimits {
                    max_ratio: None,
                    ..LIMITS
                },
                &name
            )
            .is_empty()
        );
    }

    /// A slab of one block is that block; of several classes that all targets together show, a
    /// target gets the smallest.
    #[test]
    fn small_classes_are_reported_once() {
        let support = |least, most| Support {
            least,
            most,
            exact: true,
        };
        let mut small = target(100_000, 1000);
        small.blocks[0].support = support(2, 2);
        small.slabs = vec![vec![support(2, 2), support(1, 3)]];
        let all = small.certain_crowds().expect("it is known");
        let slab = |crowd: &&CertainClass| matches!(crowd.part, SegmentPart::Slab(..));
        assert!(all.iter().filter(slab).count() >= 1, "{all:?}");
        let facts = certain(&small).expect("it is known");
        assert!(
            !facts.is_empty() && facts.iter().filter(slab).count() == 0,
            "{facts:?}"
        );
        let mut two = small.clone();
        two.blocks.push(HeldRows {
            children: vec![0],
            ..two.blocks[0].clone()
        });
        assert!(
            certain(&two)
                .expect("it is known")
                .iter()
                .filter(slab)
                .count()
                >= 1
        );
        let named = |_: &AttackTarget, part: Option<SegmentPart>| {
            if part.is_some() { "a part" } else { "class" }.to_owned()
        };
        let crowd = |least| CertainClass {
            part: SegmentPart::Block(0),
            least,
            most: 3,
        };
        for (found, rows) in [(vec![2, 1], "1 row"), (vec![3, 2], "2 rows")] {
            let found: Vec<(usize, CertainClass)> =
                found.into_iter().map(|least| (0, crowd(least))).collect();
            let facts = certain_together(Some(&found), std::slice::from_ref(&small), &named);
            let [only] = &facts[..] else {
                panic!("{} of one target", facts.len())
            };
            let text = format!(
                "class: a part certainly contains {rows}, fewer than k = 4, according to all classes together"
            );
            assert_eq!(only.finding.text, text);
        }
    }
}
