//! Good patterns, found quickly. Cuts are satisfied one after the other with the cells that give
//! most for their cost. Alternatively, the cheapest change of the table that moves a sensitive cell
//! and preserves all relations is computed first, for one cell after the other: the cells that
//! change with it are suppressed (Kelly, Golden and Assad). Cells that turn out to be unnecessary
//! are published again.

use num_bigint::BigInt;

use super::super::tableau::{Range, Tableau};
use super::super::whole_numbers::{WholeNumber, exactly};
use super::cut::CoverInequality;
use super::problem::Sensitive;
use super::search::SuppressionSearch;

/// The largest number of cells times relations for which changes are computed; above it only cuts
/// are used.
const MOST_ENTRIES: usize = 2_000_000;

/// A pattern that protects every sensitive cell: the cheaper one of two, by cuts alone and by
/// changes first. Changes give patterns of few cells, cuts patterns of small cells.
///
/// # Errors
/// A cell that cannot be protected.
pub(super) fn pattern(search: &mut SuppressionSearch<'_>) -> Result<Vec<bool>, usize> {
    let by_cuts = completed(search, search.base.clone())?;
    let system = search.problem.system;
    if search.cost(&by_cuts) == 0
        || system.cells().saturating_mul(system.relations().len()) > MOST_ENTRIES
    {
        return Ok(by_cuts);
    }
    let changed = by_changes(search);
    let by_changes = completed(search, changed)?;
    let cheaper = search.cost(&by_changes) < search.cost(&by_cuts);
    Ok(if cheaper { by_changes } else { by_cuts })
}

/// The cells that change with sensitive ones, beginning with those that need the largest margins.
fn by_changes(search: &mut SuppressionSearch<'_>) -> Vec<bool> {
    assert_eq!(
        search.base.len(),
        search.problem.system.cells(),
        "each cell is left out or is not"
    );
    let mut pattern = search.base.clone();
    let mut sensitive: Vec<&Sensitive> = search.problem.sensitive.iter().collect();
    sensitive.sort_by_key(|sensitive| (std::cmp::Reverse(sensitive.up), sensitive.cell));
    let mut cuts = search.cuts(&pattern);
    for sensitive in sensitive {
        // The other half is for the search that follows.
        if search.work > search.problem.work / 2 {
            break;
        }
        if cuts.iter().any(|cut| cut.cell == sensitive.cell) {
            change(search, sensitive, &pattern)
                .into_iter()
                .for_each(|cell| pattern[cell] = true);
            cuts = search.cuts(&pattern);
        }
    }
    pattern
}

/// This pattern with more cells, until it is safe, and without unnecessary ones.
fn completed(
    search: &mut SuppressionSearch<'_>,
    mut pattern: Vec<bool>,
) -> Result<Vec<bool>, usize> {
    loop {
        let cuts = search.cuts(&pattern);
        let Some(first) = cuts.first() else { break };
        let cell = helpful(search, first, &pattern).ok_or(first.cell)?;
        pattern[cell] = true;
        for cut in &cuts {
            while cut.lacks(&pattern) > 0 {
                let cell = helpful(search, cut, &pattern).ok_or(cut.cell)?;
                pattern[cell] = true;
            }
        }
    }
    shed(search, &mut pattern);
    assert!(
        search
            .base
            .iter()
            .zip(&pattern)
            .all(|(base, of)| !base || *of),
        "what must be left out is"
    );
    Ok(pattern)
}

/// The cells of the cheapest change that moves this cell, without cells that allow less change than
/// it needs; empty if there is no such change.
fn change(
    search: &mut SuppressionSearch<'_>,
    sensitive: &Sensitive,
    pattern: &[bool],
) -> Vec<usize> {
    let (cells, work) = exactly(
        || cheapest::<i128>(search, sensitive, pattern),
        || cheapest::<BigInt>(search, sensitive, pattern),
    );
    search.work += work;
    cells
}

fn cheapest<N: WholeNumber>(
    search: &SuppressionSearch<'_>,
    sensitive: &Sensitive,
    pattern: &[bool],
) -> Option<(Vec<usize>, u64)> {
    let (problem, limited) = (
        search.problem,
        search.problem.system.range() == Range::NotNegative,
    );
    let room = |cell: usize| {
        !limited || u128::try_from(problem.values[cell]).is_ok_and(|room| room >= sensitive.up)
    };
    let moves = |cell: &usize| {
        *cell != sensitive.cell && room(*cell) && (pattern[*cell] || search.price(*cell).is_some())
    };
    let cells: Vec<usize> = (0..pattern.len()).filter(moves).collect();
    // Two unknowns for each cell: increase and decrease. The sensitive cell moves by 1.
    let equation = |relation: &super::super::Relation| {
        let (mut terms, mut right) = (Vec::new(), 0);
        for &(cell, times) in relation.terms() {
            let times = i128::from(times);
            if cell == sensitive.cell {
                right -= times;
            } else if let Ok(at) = cells.binary_search(&cell) {
                terms.extend([(2 * at, N::new(times)), (2 * at + 1, N::new(-times))]);
            }
        }
        (terms, N::new(right))
    };
    let equations = problem.system.relations().iter().map(equation).collect();
    let mut tableau = Tableau::new(vec![Range::NotNegative; 2 * cells.len()], equations);
    if !tableau.fulfil()? {
        return Some((Vec::new(), tableau.work));
    }
    let price = |cell: usize| {
        if pattern[cell] {
            0
        } else {
            search.price(cell).unwrap_or(0)
        }
    };
    let prices: Vec<(usize, N)> = (0..2 * cells.len())
        .map(|unknown| (unknown, -i128::from(price(cells[unknown / 2]))))
        .filter(|(_, price)| *price != 0)
        .map(|(unknown, price)| (unknown, N::new(price)))
        .collect();
    tableau.ask(&prices)?;
    tableau.climb(None)?;
    let mut changed: Vec<usize> = tableau
        .not_zero()
        .into_iter()
        .map(|unknown| cells[unknown / 2])
        .collect();
    changed.dedup();
    assert!(
        !changed.contains(&sensitive.cell),
        "the sensitive cell moves by itself"
    );
    Some((changed, tableau.work))
}

/// The cell that contributes most to a cut for its cost.
fn helpful(
    search: &SuppressionSearch<'_>,
    cut: &CoverInequality,
    pattern: &[bool],
) -> Option<usize> {
    let lacks = cut.lacks(pattern).max(1);
    let more = cut.weights.iter().filter(|weight| !pattern[weight.0]);
    let more =
        more.filter_map(|&(cell, weight)| Some((cell, search.price(cell)?, weight.min(lacks))));
    // Ratios are compared by cross-multiplication: the cost of one times the weight of the other.
    let by_price = |one: &(usize, u64, i128), other: &(usize, u64, i128)| {
        let product = |price: u64, weight: i128| BigInt::from(price) * weight;
        product(one.1, other.2)
            .cmp(&product(other.1, one.2))
            .then(other.2.cmp(&one.2))
            .then(one.0.cmp(&other.0))
    };
    more.min_by(by_price).map(|best| best.0)
}

/// Publishes cells again that no interval needs, the most expensive first.
fn shed(search: &mut SuppressionSearch<'_>, pattern: &mut [bool]) {
    let mut cells: Vec<usize> = search.secondary(pattern).collect();
    cells.sort_by_key(|&cell| (std::cmp::Reverse(search.price(cell)), cell));
    for cell in cells {
        if search.work > search.problem.work {
            return;
        }
        pattern[cell] = false;
        pattern[cell] = !search.cuts(pattern).is_empty();
    }
}
