//! The figures of a chain (SCIENCE 3), computed increment by increment, and solved exactly where
//! recodings cross.

use super::exact_candidates::{SolveInput, solve};
use super::findings::{ChainFigures, KnownFigures, RealisedFigures, WeakestTarget};
use super::tables::AuditSubject;
use super::target_figures::{AuditScope, TargetFigures};
use super::weak_targets::{WeakTargets, share};
use crate::gate::chain::{
    ComparablePairs, ExactBudget, Headcounts, ReleaseChain, ShrunkRelease, lower_bounds,
};
use crate::gate::diversity::{DiversityFigures, Measures, ValueShares};
use crate::histogram::Slices;

/// The figures of the chain, and for each release the diversity of what attacks leave; `judged` is
/// the required k, the budget of work, and whether diversity is required.
///
/// # Errors
/// A release lacks rows of an earlier one.
pub(super) fn figures(
    subject: &AuditSubject,
    chain: &ReleaseChain<'_>,
    slices: Option<&Slices>,
    (measures, shares): (&Measures, &[ValueShares]),
    (k, budget, is_diversity_judged): (u64, ExactBudget, bool),
) -> Result<(ChainFigures, Vec<DiversityFigures>), ShrunkRelease> {
    let n = chain.releases().len();
    let comparable = ComparablePairs::of(chain);
    let tight = n <= 2 || chain.nested();
    let mut open = SolveInput {
        all: WeakTargets::default(),
        realised: slices.map(|_| WeakTargets::default()),
    };
    let (mut all, mut people, mut paper, mut whole) = (Vec::new(), Vec::new(), u64::MAX, true);
    let mut after = vec![DiversityFigures::default(); n];
    chain.each_sight(|sight| {
        let weakest = |seen: &TargetFigures| -> Option<WeakestTarget> {
            let (left, classes) = seen.weakest.as_ref()?;
            let seen = sight
                .views
                .iter()
                .zip(classes)
                .map(|(view, &class)| (view.release, class as usize));
            let mut seen: Vec<(usize, usize)> = seen.collect();
            seen.sort_unstable();
            Some(WeakestTarget { left: *left, seen })
        };
        let later = &shares[sight.increment..];
        let look = |measured: bool| AuditScope {
            measured: measured.then_some((measures, later)),
            kept: (!tight).then_some((sight, share(n))),
        };
        let (mut seen, complete) = chain.all(sight, &comparable, &look(slices.is_none()));
        open.all.extend(std::mem::take(&mut seen.suspects));
        whole &= complete;
        paper = paper.min(seen.paper);
        all.push(weakest(&seen).expect("every release has rows, so it has a target"));
        let mut measured = seen;
        if let (Some(slices), Some(realised)) = (slices, &mut open.realised) {
            measured = chain.realised(sight, &slices.of_increment(sight.increment), &look(true));
            realised.extend(std::mem::take(&mut measured.suspects));
            people.push(weakest(&measured));
        }
        for (at, far) in measured.distances.into_iter().enumerate() {
            after[sight.increment + at] = after[sight.increment + at].worse(far);
        }
        after[sight.increment..]
            .iter_mut()
            .for_each(|figures| *figures = figures.worse(measured.shape));
    })?;
    assert!(
        all.len() == n && (people.is_empty() || people.len() == n),
        "one weakest target for each release"
    );
    assert!(
        people.is_empty() == slices.is_none(),
        "people are looked for where they are known"
    );
    let realised = subject.histogram.as_ref().map(|histogram| {
        let recodings: Vec<_> = chain
            .releases()
            .iter()
            .map(|release| release.recoding())
            .collect();
        RealisedFigures {
            all: people,
            solved: false,
            lower: lower_bounds(histogram, &recodings, chain.trees()),
        }
    });
    let empty = (0..n)
        .map(|at| at > 0 && chain.releases()[at].rows() == chain.releases()[at - 1].rows())
        .collect();
    assert!(
        realised
            .as_ref()
            .is_none_or(|found: &RealisedFigures| found.lower.len() == n),
        "a lower bound for each release"
    );
    let mut figures = ChainFigures {
        tight,
        whole,
        solved: false,
        all,
        paper,
        realised,
        known: None,
        empty,
    };
    if let Some(histogram) = &subject.histogram {
        let mut worlds = Headcounts::of(chain, histogram);
        figures.known = Some(known(worlds.as_mut(), budget));
        let budget = if is_diversity_judged {
            budget
        } else {
            budget.min(ExactBudget::SMALL)
        };
        if let Some(of_worlds) =
            worlds.and_then(|worlds| diversity(worlds, measures, shares, budget))
        {
            after = of_worlds;
            figures.known.as_mut().expect("set above").diversity_exact = true;
        }
    }
    if !tight {
        solve(chain, &comparable, &open, &mut figures, (k, budget));
    }
    Ok((figures, after))
}

/// The fewest candidates that are left to a person; `None` of the worlds means that there are too
/// many to hold.
fn known(worlds: Option<&mut Headcounts>, mut budget: ExactBudget) -> KnownFigures {
    let open = KnownFigures {
        left: u64::MAX,
        proven: 0,
        increment: 0,
        people: 0,
        seen: Vec::new(),
        diversity_exact: false,
    };
    let Some(worlds) = worlds else { return open };
    let Some(found) = worlds.fewest(&mut budget) else {
        return open;
    };
    let of = &worlds.types()[found.at];
    KnownFigures {
        left: found.left,
        proven: found.proven,
        increment: of.increment,
        people: of.people,
        seen: of.seen.clone(),
        diversity_exact: false,
    }
}

/// The worst diversity, for each release, of the candidates that worlds leave; `None` if the budget
/// does not suffice.
fn diversity(
    mut worlds: Headcounts,
    measures: &Measures,
    shares: &[ValueShares],
    mut budget: ExactBudget,
) -> Option<Vec<DiversityFigures>> {
    let mut after = vec![DiversityFigures::default(); shares.len()];
    for at in 0..worlds.types().len() {
        let increment = worlds.types()[at].increment;
        let candidates = worlds.candidates(at, &mut budget)?;
        let shape = measures.shape(&candidates);
        for (figures, shares) in after[increment..].iter_mut().zip(&shares[increment..]) {
            *figures = figures
                .worse(shape)
                .worse(measures.distances(&candidates, shares));
        }
    }
    Some(after)
}
