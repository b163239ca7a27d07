//! The figures over the targets of one increment: the target with the fewest candidates, the
//! paper's figure, the worst diversity of what remains, and where recodings cross the targets that
//! are worth a search.

use super::weak_targets::WeakTargets;
use crate::gate::chain::{AttackerView, ChainTarget, ExactTarget, Fold};
use crate::gate::diversity::{DiversityFigures, Measures, ValueShares};

/// How targets are examined; diversity is omitted without measures.
pub(super) struct AuditScope<'l> {
    /// The measures, and the value shares of every release from the target's increment on.
    pub measured: Option<(&'l Measures, &'l [ValueShares])>,
    /// The attacker's view, and the number of targets to keep for a search.
    pub kept: Option<(&'l AttackerView<'l>, usize)>,
}

/// The figures of the examined targets.
pub(super) struct TargetFigures {
    /// The fewest candidates and the classes of the target; the first one of several.
    pub weakest: Option<(u64, Vec<u32>)>,
    /// The minimum of the paper's figures.
    pub paper: u64,
    /// The worst diversity, without distances.
    pub shape: DiversityFigures,
    /// The worst distances to each release from the increment on.
    pub distances: Vec<DiversityFigures>,
    /// The targets with the fewest candidates.
    pub suspects: WeakTargets,
}

impl Fold for AuditScope<'_> {
    type Sum = TargetFigures;

    fn start(&self) -> TargetFigures {
        let releases = self.measured.map_or(0, |(_, shares)| shares.len());
        TargetFigures {
            weakest: None,
            paper: u64::MAX,
            shape: DiversityFigures::default(),
            distances: vec![DiversityFigures::default(); releases],
            suspects: WeakTargets::default(),
        }
    }

    fn take(&self, seen: &mut TargetFigures, target: &ChainTarget<'_>) {
        if seen
            .weakest
            .as_ref()
            .is_none_or(|(left, _)| target.left < *left)
        {
            seen.weakest = Some((target.left, target.classes.to_vec()));
        }
        seen.paper = seen.paper.min(target.paper);
        if let Some((sight, most)) = self.kept {
            seen.suspects.push(ExactTarget::new(sight, target), most);
        }
        // A target without candidates contains no person, so there is nothing to learn about it.
        if let (Some((measures, shares)), true) = (self.measured, target.left > 0) {
            assert!(
                seen.distances.len() == shares.len(),
                "distances to the values of each release"
            );
            seen.shape = seen.shape.worse(measures.shape(target.crowd));
            for (far, shares) in seen.distances.iter_mut().zip(shares) {
                *far = far.worse(measures.distances(target.crowd, shares));
            }
        }
    }

    fn join(&self, first: TargetFigures, second: TargetFigures) -> TargetFigures {
        assert!(
            first.distances.len() == second.distances.len(),
            "two halves of the same targets"
        );
        let weakest = match (first.weakest, second.weakest) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
        let distances = first
            .distances
            .into_iter()
            .zip(second.distances)
            .map(|(a, b)| a.worse(b))
            .collect();
        let suspects = match self.kept {
            Some((_, most)) => first.suspects.join(second.suspects, most),
            None => first.suspects,
        };
        let paper = first.paper.min(second.paper);
        TargetFigures {
            weakest,
            paper,
            shape: first.shape.worse(second.shape),
            distances,
            suspects,
        }
    }
}
