//! What the order of formation tells of all targets together (SCIENCE 6): a state that has had its turn leaves fewer than k
//! rows in each of its segments to all classes that are formed after it, and to the outliers. Most states say nothing that a
//! coarser one before the same classes does not say too; those are left out.

use super::budget::BudgetSpent;
use super::key::StateKey;
use super::release::{AttackedRows, Attacker, CarvedRelease};

/// A state, and the targets that were formed after it.
pub struct FormationState {
    /// Per column and leaf its node in this state, times the number of nodes of the columns after it.
    pub nodes: Vec<Vec<u64>>,
    /// Places in [`CarvedRelease::places`].
    pub later: Vec<usize>,
}

impl FormationState {
    /// The segment that a row lies in, by its leaves.
    pub fn segment(&self, row: &[u32]) -> u64 {
        row.iter().zip(&self.nodes).map(|(&leaf, nodes)| nodes[leaf as usize]).sum()
    }

    fn new(release: &CarvedRelease, state: &[usize], later: Vec<usize>) -> FormationState {
        let mut stride = 1u64;
        let mut nodes: Vec<Vec<u64>> = Vec::new();
        for (column, &layer) in release.columns().iter().zip(state).rev() {
            nodes.push((0..column.leaves()).map(|leaf| column.above(layer, leaf) as u64 * stride).collect());
            stride *= column.nodes(layer) as u64;
        }
        nodes.reverse();
        assert_eq!(nodes.len(), release.columns().len(), "nodes of each column");
        FormationState { nodes, later }
    }
}

/// The states below the top that say something, those that had their turn last first. What one target alone can violate is
/// left out where each target keeps to it by itself (`alone`).
///
/// # Errors
/// There are too many states for so many operations.
pub fn states(
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
    let number = columns.iter().fold(1u64, |number, column| number.saturating_mul(column.height() as u64));
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
    let turn: Vec<usize> =
        (0..top).map(|number| turns.after(&StateKey::new(columns, &state(number)), &state(number))).collect();
    let mut stride = 1;
    let mut strides = Vec::new();
    for column in columns.iter().rev() {
        strides.push((stride, column.height()));
        stride *= column.height();
    }
    // Coarser states have their turn later, so that those one layer up are enough to look at.
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

/// The turns in which classes were formed, as far as an attacker knows them.
struct FormationTurns<'r> {
    /// Per class its turn.
    of: Vec<usize>,
    /// Per turn the key of its state, and the state where it is known which of those that tie it was.
    keys: Vec<(StateKey, Option<&'r [usize]>)>,
    /// Whether states that tie had their turns in the order of their layers.
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
            keys.extend(first.iter().map(|&at| (key(&release.classes()[at].state), None)));
        } else {
            for class in release.classes() {
                if keys.last().is_none_or(|(_, state)| *state != Some(&class.state[..])) {
                    keys.push((key(&class.state), Some(&class.state)));
                }
                of.push(keys.len() - 1);
            }
        }
        assert_eq!(of.len(), release.classes().len(), "a turn for each class");
        let orderly = keys.is_sorted();
        FormationTurns { of, keys, orderly }
    }

    /// How many turns had classes before, or in, that of a state.
    fn after(&self, key: &StateKey, state: &[usize]) -> usize {
        let own = self.keys.iter().position(|(_, known)| *known == Some(state));
        match own {
            Some(own) => own + 1,
            None => self.keys.partition_point(|(other, known)| match known {
                Some(known) if self.orderly => (other, *known) <= (key, state),
                _ => other <= key,
            }),
        }
    }
}
