//! Figures that need a target's true rows (CRA 6). Receives them as leaf numbers, keeps nothing and
//! shows only counts.

use std::collections::BTreeMap;

use super::release::{AttackedRows, Attacker, CarvedRelease};

/// The number of leaf cells that hold exactly one of these rows, given as leaf numbers per column:
/// predicates that single out a person, if the attacker guesses right (CRA 6).
pub fn fuzzy<R: AsRef<[u32]>>(rows: &[R]) -> u64 {
    let mut cells: BTreeMap<&[u32], u64> = BTreeMap::new();
    rows.iter()
        .for_each(|row| *cells.entry(row.as_ref()).or_default() += 1);
    cells.values().filter(|&&rows| rows == 1).count() as u64
}

/// The error for rows that are not those of a release: one place has a different number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowsMismatch {
    /// The first place of which the number of rows differs.
    pub place: AttackedRows,
    /// The number of these rows in that place.
    pub rows: u64,
}

/// Distributes raw rows, given as distinct leaf numbers with their counts, over the places of a
/// release: each class takes the rows that it covers, in the order in which classes were formed. If
/// the attacker does not know the order of states with equal keys, the first order that gives the
/// release is used.
///
/// # Errors
/// No order gives the release; the error is that of the order that came furthest.
pub fn divide(
    release: &CarvedRelease,
    attacker: Attacker,
    rows: &[(Vec<u32>, u64)],
) -> Result<Vec<Vec<Vec<u32>>>, RowsMismatch> {
    let all = RowsMismatch {
        place: AttackedRows::Outliers,
        rows: rows.iter().map(|row| row.1).sum(),
    };
    let mut division = Division {
        release,
        rows,
        ties: ties(release, attacker),
        holder: vec![None; rows.len()],
        tries: TRIES,
        unlike: (0, all),
    };
    let first = division
        .ties
        .first()
        .map_or(Vec::new(), |tie| (0..tie.len()).collect());
    if !division.from(0, &first) {
        return Err(division.unlike.1);
    }
    let mut held = vec![Vec::new(); release.places().len()];
    for (&holder, (leaves, count)) in division.holder.iter().zip(rows) {
        let place = holder.unwrap_or(release.classes().len());
        held[place].extend((0..*count).map(|_| leaves.clone()));
    }
    let rows: u64 = rows.iter().map(|row| row.1).sum();
    assert!(
        held.iter().map(Vec::len).sum::<usize>() as u64 == rows,
        "each row is held by one class"
    );
    Ok(held)
}

/// The most steps in the search for orders of states with equal keys.
const TRIES: usize = 10_000;

/// The classes of one state, by their nodes.
struct State<'r> {
    layers: &'r [usize],
    classes: BTreeMap<&'r [usize], usize>,
}

struct Division<'r> {
    release: &'r CarvedRelease,
    rows: &'r [(Vec<u32>, u64)],
    /// The groups of states with an unknown order, one after the other.
    ties: Vec<Vec<State<'r>>>,
    /// The class that has taken each row.
    holder: Vec<Option<usize>>,
    tries: usize,
    /// The largest number of groups that were completed before rows did not fit, and where that
    /// was.
    unlike: (usize, RowsMismatch),
}

impl Division<'_> {
    /// Lets the remaining states of a group take their rows, then those of all groups after it.
    fn from(&mut self, tie: usize, left: &[usize]) -> bool {
        if left.is_empty() {
            return match self.ties.get(tie + 1) {
                Some(next) => self.from(tie + 1, &(0..next.len()).collect::<Vec<usize>>()),
                None => self.rest(tie),
            };
        }
        for &state in left {
            let Some(left_over) = self.tries.checked_sub(1) else {
                return false;
            };
            self.tries = left_over;
            let Some(taken) = self.take(tie, state) else {
                continue;
            };
            let others: Vec<usize> = left
                .iter()
                .copied()
                .filter(|&other| other != state)
                .collect();
            if self.from(tie, &others) {
                return true;
            }
            taken.into_iter().for_each(|row| self.holder[row] = None);
        }
        false
    }

    /// The rows that the classes of a state take, if their numbers are right.
    fn take(&mut self, tie: usize, state: usize) -> Option<Vec<usize>> {
        let State { layers, classes } = &self.ties[tie][state];
        assert!(
            layers.len() == self.release.columns().len(),
            "a layer for each column"
        );
        let (mut taken, mut counts) = (Vec::new(), vec![0; self.release.classes().len()]);
        for (row, (leaves, count)) in self
            .rows
            .iter()
            .enumerate()
            .filter(|(row, _)| self.holder[*row].is_none())
        {
            let columns = self.release.columns().iter().zip(*layers).zip(leaves);
            let nodes: Vec<usize> = columns
                .map(|((column, &layer), &leaf)| column.above(layer, leaf))
                .collect();
            if let Some(&class) = classes.get(nodes.as_slice()) {
                counts[class] += count;
                taken.push((row, class));
            }
        }
        let differs = |class: &&usize| counts[**class] != self.release.classes()[**class].rows;
        if let Some(class) = classes.values().find(differs).copied() {
            self.missed(
                tie,
                RowsMismatch {
                    place: AttackedRows::Class(class),
                    rows: counts[class],
                },
            );
            return None;
        }
        taken
            .iter()
            .for_each(|&(row, class)| self.holder[row] = Some(class));
        Some(taken.into_iter().map(|(row, _)| row).collect())
    }

    /// Whether the outliers are the rows that no class has taken.
    fn rest(&mut self, tie: usize) -> bool {
        let left = self
            .rows
            .iter()
            .zip(&self.holder)
            .filter(|(_, holder)| holder.is_none());
        let rows: u64 = left.map(|((_, count), _)| count).sum();
        if rows != self.release.outliers() {
            self.missed(
                tie + 1,
                RowsMismatch {
                    place: AttackedRows::Outliers,
                    rows,
                },
            );
        }
        rows == self.release.outliers()
    }

    fn missed(&mut self, tie: usize, unlike: RowsMismatch) {
        if self.unlike.0 <= tie {
            self.unlike = (tie, unlike);
        }
    }
}

/// The states of a release in the order in which they were formed, as far as the attacker knows it.
fn ties(release: &CarvedRelease, attacker: Attacker) -> Vec<Vec<State<'_>>> {
    let mut ties: BTreeMap<usize, BTreeMap<&[usize], State<'_>>> = BTreeMap::new();
    let mut round = 0;
    for (at, class) in release.classes().iter().enumerate() {
        let same = |before: usize| release.classes()[before].state == class.state;
        round += usize::from(!at.checked_sub(1).is_some_and(same));
        let tie = if attacker == Attacker::Paper {
            release.keys()[at] as usize
        } else {
            round
        };
        let state = ties.entry(tie).or_default().entry(&class.state);
        let state = state.or_insert_with(|| State {
            layers: &class.state,
            classes: BTreeMap::new(),
        });
        state.classes.insert(&class.nodes, at);
    }
    ties.into_values()
        .map(|states| states.into_values().collect())
        .collect()
}
