//! Top-down specialisation (SCIENCE 4; BCF 5.2, algorithm 1): starting from `*` in all columns, the
//! candidate with the highest Score is specialised if that is valid, and dropped permanently if
//! not, until no candidate is left. Ties are broken by column, then preorder.
//!
//! Candidates are tried in parallel, which only saves time: a trial sees the state that it would
//! see in sequence, and its result is used only if that state is reached. No result depends on the
//! number of threads.

use rayon::prelude::*;

use super::candidates::Candidates;
use super::table::SearchTable;
use super::validity::{InvalidReason, SearchView, Validity};
use crate::model::{Cut, Node, Recoding};

/// The most candidates that are tried at a time: a trial is wasted when one before it is accepted.
const TRIALS: usize = 4;

/// A candidate that was dropped, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The column, by number.
    pub column: usize,
    /// The cut node that was not specialised.
    pub node: Node,
    /// The reason.
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

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopDownResult {
    /// The recoding: it contains no specialisation that was tried and failed.
    pub recoding: Recoding,
    /// Every candidate, in the order in which they were tried.
    pub trace: Vec<CandidateTrial>,
    /// The dropped candidates, in the same order.
    pub refusals: Vec<Refusal>,
    /// Σ |class|² over the rows that count in the Score.
    pub squares: u128,
    /// The number of classes with items.
    pub classes: usize,
}

/// Searches from `*` in all columns down, staying at or above `floor`.
///
/// # Errors
/// `*` in all columns is not valid, for the reason returned.
pub fn top_down<V: Validity>(
    table: &SearchTable<'_>,
    floor: &[Cut],
    validity: &mut V,
) -> Result<TopDownResult, InvalidReason> {
    validity.start(table)?;
    Ok(search(table, Candidates::new(table, floor), validity))
}

/// Searches from a valid recoding down, staying at or above `floor`, which refines it.
pub(crate) fn top_down_from<V: Validity>(
    table: &SearchTable<'_>,
    from: &[Cut],
    floor: &[Cut],
    validity: &mut V,
) -> TopDownResult {
    assert_eq!(from.len(), floor.len(), "one cut for each column");
    let mut state = Candidates::new(table, floor);
    while let Some(split) = state.above(from) {
        state.specialise(&split);
    }
    search(table, state, validity)
}

fn search<V: Validity>(
    table: &SearchTable<'_>,
    mut state: Candidates<'_>,
    validity: &mut V,
) -> TopDownResult {
    assert!(
        table
            .columns
            .iter()
            .all(|column| column.len() == table.rows.len()),
        "columns of one length"
    );
    let (mut trace, mut refusals) = (Vec::new(), Vec::new());
    let most = rayon::current_num_threads().clamp(1, TRIALS);
    loop {
        let next = state.first(most);
        if next.is_empty() {
            break;
        }
        let view = SearchView {
            table,
            state: &state,
        };
        let trials: Vec<_> = match &next[..] {
            [one] => vec![validity.test(&view, one)],
            several => several
                .par_iter()
                .map(|split| validity.test(&view, split))
                .collect(),
        };
        for (split, trial) in next.iter().zip(trials) {
            let (column, node) = (split.column, split.node);
            trace.push(CandidateTrial {
                column,
                node,
                accepted: trial.is_ok(),
            });
            match trial {
                Err(reason) => {
                    state.drop(split);
                    refusals.push(Refusal {
                        column,
                        node,
                        reason,
                    });
                }
                Ok(trial) => {
                    let made = state.specialise(split);
                    validity.accept(split, trial, &made);
                    // The trials after this one saw a state that no longer exists.
                    break;
                }
            }
        }
    }
    TopDownResult {
        recoding: state.recoding(),
        trace,
        refusals,
        squares: state.squares(),
        classes: state.classes(),
    }
}
