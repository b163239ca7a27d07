//! Top-down specialisation (SCIENCE 4; BCF 5.2, algorithm 1): from `*` everywhere the candidate with the highest Score is
//! specialised if that is valid and dropped for good if not, until none is left. Ties: column, then preorder.
//!
//! Candidates are tried in parallel; that only saves time: a trial sees the state that it would have seen in turn, and
//! what it says is used only then. No result depends on the number of threads.

use rayon::prelude::*;

use super::candidates::Candidates;
use super::table::SearchTable;
use super::validity::{InvalidReason, SearchView, Validity};
use crate::model::{Cut, Node, Recoding};

/// How many candidates are tried at a time at most: a trial is wasted when one before it is accepted.
const TRIALS: usize = 4;

/// A candidate that was dropped, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The column, by number.
    pub column: usize,
    /// The cut node that was not specialised.
    pub node: Node,
    /// Why.
    pub reason: InvalidReason,
}

/// One candidate's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateTrial {
    /// The column, by number.
    pub column: usize,
    /// The cut node.
    pub node: Node,
    /// Whether it was specialised.
    pub accepted: bool,
}

/// What a search ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopDownResult {
    /// The recoding: no specialisation of it that was ever tried and failed is in it.
    pub recoding: Recoding,
    /// Every candidate in the order of their turns.
    pub trace: Vec<CandidateTrial>,
    /// Those that were dropped, in the same order.
    pub refusals: Vec<Refusal>,
    /// Σ |class|² over what counts in Score.
    pub squares: u128,
    /// How many classes have items.
    pub classes: usize,
}

/// Searches down from `*` everywhere, staying at or above `floor`.
///
/// # Errors
/// Why not even `*` everywhere is valid.
pub fn top_down<V: Validity>(
    table: &SearchTable<'_>,
    floor: &[Cut],
    validity: &mut V,
) -> Result<TopDownResult, InvalidReason> {
    validity.start(table)?;
    Ok(search(table, Candidates::new(table, floor), validity))
}

/// Searches down from a recoding that is valid, staying at or above `floor`, which refines it.
pub fn top_down_from<V: Validity>(
    table: &SearchTable<'_>,
    from: &[Cut],
    floor: &[Cut],
    validity: &mut V,
) -> TopDownResult {
    assert_eq!(from.len(), floor.len(), "a cut for each column");
    let mut state = Candidates::new(table, floor);
    while let Some(split) = state.above(from) {
        state.specialise(&split);
    }
    search(table, state, validity)
}

fn search<V: Validity>(table: &SearchTable<'_>, mut state: Candidates<'_>, validity: &mut V) -> TopDownResult {
    assert!(table.columns.iter().all(|column| column.len() == table.rows.len()), "columns of one length");
    let (mut trace, mut refusals) = (Vec::new(), Vec::new());
    let most = rayon::current_num_threads().clamp(1, TRIALS);
    loop {
        let next = state.first(most);
        if next.is_empty() {
            break;
        }
        let view = SearchView { table, state: &state };
        let trials: Vec<_> = match &next[..] {
            [one] => vec![validity.test(&view, one)],
            several => several.par_iter().map(|split| validity.test(&view, split)).collect(),
        };
        for (split, trial) in next.iter().zip(trials) {
            let (column, node) = (split.column, split.node);
            trace.push(CandidateTrial { column, node, accepted: trial.is_ok() });
            match trial {
                Err(reason) => {
                    state.drop(split);
                    refusals.push(Refusal { column, node, reason });
                }
                Ok(trial) => {
                    let made = state.specialise(split);
                    validity.accept(split, trial, &made);
                    // The trials that follow saw a state that is gone.
                    break;
                }
            }
        }
    }
    TopDownResult { recoding: state.recoding(), trace, refusals, squares: state.squares(), classes: state.classes() }
}
