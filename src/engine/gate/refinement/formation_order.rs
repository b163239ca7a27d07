//! The leakage of the order of formation about all targets together (SCIENCE 6): a state that has
//! been visited leaves fewer than k rows in each of its segments to all classes that are formed
//! after it, and to the outliers. Most states imply nothing that a coarser one before the same
//! classes does not imply; those are left out.

use super::budget::BudgetSpent;
use super::key::StateKey;
use super::release::{AttackedRows, Attacker, CarvedRelease};

/// A state, and the targets that were formed after it.
pub(super) struct FormationState {
    /// For each column and leaf its node in this state, multiplied by the number of nodes of the
    /// columns after it.
    pub nodes: Vec<Vec<u64>>,
    /// Indices in [`CarvedRelease::places`].
    pub later: Vec<usize>,
}

impl FormationState {
    /// The segment that contains a row, by its leaves.
    pub(super) fn segment(&self, row: &[u32]) -> u64 {
        row.iter()
            .zip(&self.nodes)
            .map(|(&leaf, nodes)| nodes[leaf as usize])
            .sum()
    }

    fn new(release: &CarvedRelease, state: &[usize], later: Vec<usize>) -> FormationState {
        let mut stride = 1u64;
        let mut nodes: Vec<Vec<u64>> = Vec::new();
        for (column, &layer) in release.columns().iter().zip(state).rev() {
            nodes.push(
                (0..column.leaves())
                    .map(|leaf| column.above(layer, leaf) as u64 * stride)
                    .collect(),
            );
            stride *= column.nodes(layer) as u64;
        }
        nodes.reverse();
        assert_eq!(nodes.len(), release.columns().len(), "nodes of each column");
        FormationState { nodes, later }
    }
}

/// The states below the top that imply something, those visited last first. With `alone`, each
/// target satisfies its own caps by itself, and states that only a single target can violate are
/// left out.
///
/// # Errors
/// There are too many states for this number of operations.
pub(super) fn states(
    release: &CarvedRelease,
    attacker: Attacker,
    (alone, budget): (bool, u64),
) -> Result<Vec<FormationState>, BudgetSpent> {
    let (places, turns) = (release.places(), FormationTurns::new(release, attacker));
    let later = |turn: usize| -> Vec<usize> {
        let after = |place: &AttackedRows| match *place {
            AttackedRows::Outliers => true,
            AttackedRows::Class(at) => turns.of[at] >= turn,
        };
        (0..places.len()).filter(|&at| after(&places[at])).collect()
    };
    let said = |later: &Vec<usize>| later.len() > usize::from(alone);
    let columns = release.columns();
    let number = columns.iter().fold(1u64, |number, column| {
        number.saturating_mul(column.height() as u64)
    });
    if number.saturating_mul(columns.len() as u64) > budget {
        return Err(BudgetSpent);
    }
    let state = |mut number: usize| {
        let mut state = vec![0; columns.len()];
        for (layer, column) in state.iter_mut().zip(columns).rev() {
            *layer = number % column.height() + 1;
            number /= column.height();
        }
        state
    };
    let top = number as usize - 1;
    let turn: Vec<usize> = (0..top)
        .map(|number| turns.after(&StateKey::new(columns, &state(number)), &state(number)))
        .collect();
    let mut stride = 1;
    let mut strides = Vec::new();
    for column in columns.iter().rev() {
        strides.push((stride, column.height()));
        stride *= column.height();
    }
    // Coarser states are visited later, so that it is enough to examine those one layer up.
    let implied = |number: usize| {
        strides.iter().any(|&(stride, height)| {
            let above = number + stride;
            number / stride % height + 1 < height && above < top && turn[above] == turn[number]
        })
    };
    let mut kept: Vec<usize> = (0..top).filter(|&number| !implied(number)).collect();
    kept.sort_by_key(|&number| (std::cmp::Reverse(turn[number]), number));
    let all = kept.into_iter().map(|number| (number, later(turn[number])));
    Ok(all
        .filter(|(_, later)| said(later))
        .map(|(number, later)| FormationState::new(release, &state(number), later))
        .collect())
}

/// When classes were formed, as far as an attacker knows.
struct FormationTurns<'r> {
    /// For each class the position of its state in the order.
    of: Vec<usize>,
    /// For each position the key of its state, and the state if it is known which of several states
    /// with this key it was.
    keys: Vec<(StateKey, Option<&'r [usize]>)>,
    /// Whether states with equal keys were visited in the order of their layers.
    orderly: bool,
}

impl<'r> FormationTurns<'r> {
    fn new(release: &'r CarvedRelease, attacker: Attacker) -> FormationTurns<'r> {
        let key = |state: &[usize]| StateKey::new(release.columns(), state);
        let mut of: Vec<usize> = Vec::new();
        let mut keys: Vec<(StateKey, Option<&[usize]>)> = Vec::new();
        if attacker == Attacker::Paper {
            of.extend(release.keys().iter().map(|&key| key as usize));
            let mut first: Vec<usize> = (0..of.len()).collect();
            first.sort_by_key(|&at| of[at]);
            first.dedup_by_key(|at| of[*at]);
            keys.extend(
                first
                    .iter()
                    .map(|&at| (key(&release.classes()[at].state), None)),
            );
        } else {
            for class in release.classes() {
                if keys
                    .last()
                    .is_none_or(|(_, state)| *state != Some(&class.state[..]))
                {
                    keys.push((key(&class.state), Some(&class.state)));
                }
                of.push(keys.len() - 1);
            }
        }
        assert_eq!(of.len(), release.classes().len(), "a turn for each class");
        let orderly = keys.is_sorted();
        FormationTurns { of, keys, orderly }
    }

    /// The number of positions with classes at or before that of a state.
    fn after(&self, key: &StateKey, state: &[usize]) -> usize {
        let own = self
            .keys
            .iter()
            .position(|(_, known)| *known == Some(state));
        match own {
            Some(own) => own + 1,
            None => self.keys.partition_point(|(other, known)| match known {
                Some(known) if self.orderly => (other, *known) <= (key, state),
                _ => other <= key,
            }),
        }
    }
}
