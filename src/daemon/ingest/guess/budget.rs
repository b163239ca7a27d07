//! Limits the columns that are generalised together (CONTRACTS 3, `init`): more than a few leave no
//! class of useful size, and halving counts the combinations of their values.

use super::ladder;
use super::proposal::Proposal;

/// With more quasi columns than this no class has a useful size; columns that are only possibly
/// known are dropped first.
const MOST_QUASI: usize = 10;

/// A column of the sample, with what was proposed for it.
pub(super) struct SampleColumn {
    /// Whether others know its values; such a column is dropped last.
    pub known: bool,
    /// Its taxonomy, or why it has none.
    pub proposal: Result<Proposal, String>,
}

/// Drops columns that are too many, and makes leaves coarser if their combinations cannot be
/// counted.
pub(super) fn fit(candidates: &mut [SampleColumn]) {
    let mut columns = candidates
        .iter()
        .filter(|one| one.known && one.proposal.is_ok())
        .count();
    for one in candidates
        .iter_mut()
        .filter(|one| !one.known && one.proposal.is_ok())
    {
        columns += 1;
        if columns > MOST_QUASI {
            let text =
                "columns to generalise are enough, and the name does not say that others know it";
            one.proposal = Err(format!("{MOST_QUASI} {text}"));
        }
    }
    let size = |one: &SampleColumn| {
        one.proposal
            .as_ref()
            .ok()
            .and_then(|proposal| proposal.size().ok())
    };
    let mut sizes: Vec<Option<(u64, u128)>> = candidates.iter().map(size).collect();
    let mut coarsest = vec![false; candidates.len()];
    while !is_countable(&sizes) {
        let left = (0..candidates.len()).filter(|&at| !coarsest[at] && sizes[at].is_some());
        match left.max_by_key(|&at| sizes[at]) {
            Some(at) => match candidates[at]
                .proposal
                .as_ref()
                .ok()
                .and_then(ladder::coarser)
            {
                Some(coarser) => candidates[at].proposal = Ok(coarser),
                None => coarsest[at] = true,
            },
            None => {
                let last = |known: bool| {
                    (0..sizes.len())
                        .rfind(|&at| sizes[at].is_some() && candidates[at].known == known)
                };
                let Some(at) = last(false).or_else(|| last(true)) else {
                    return;
                };
                let text = "the other columns together have almost too many combinations of values to count: to \
                            generalise this one, remove another";
                candidates[at].proposal = Err(text.into());
            }
        }
        sizes = candidates.iter().map(size).collect();
    }
}

/// Whether 64 bits are enough to count the combinations of leaves, and 128 bits those of values.
fn is_countable(sizes: &[Option<(u64, u128)>]) -> bool {
    let sizes = || sizes.iter().flatten();
    let leaves = sizes().try_fold(1u64, |all, (leaves, _)| all.checked_mul(*leaves));
    let values = sizes().try_fold(1u128, |all, (_, values)| all.checked_mul(*values));
    leaves.is_some() && values.is_some()
}
