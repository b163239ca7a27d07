//! The estimate, how far it may lie off, and what is certain.

use std::ops::Range;

use rayon::prelude::*;

use super::boxes::{Area, Boxes};
use super::grid::{covered, products};
use super::question::Question;
use super::resample::drawn;
use crate::histogram::Release;
use crate::model::Taxonomy;

/// Rounds of EM.
const ROUNDS: u32 = 30;
/// Rounds that are made to see how far the estimate may still go, at least and at most.
const FURTHER: Range<u32> = 30..200;
/// Times that labels are drawn for a standard error, at least and at most.
const DRAWS: Range<usize> = 4..40;
/// Steps that all draws together may take.
const STEPS: usize = 1 << 29;
/// A table of so many counts at most is looked at count by count.
const FEW: usize = 32;

/// The most combinations of labels of a question, and the most counts of an answer.
const MOST: usize = 1 << 24;

/// How rows are spread over the cells of their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By the shares that make the labels most likely: for labels that where people lie has not steered.
    Em,
    /// Evenly.
    Uniform,
}

/// How many rows are in a cell of the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counted {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error; `None` where rows are spread evenly, of which nothing says how far it may lie off.
    pub standard_error: Option<f64>,
    /// There are so many at least.
    pub low: u64,
    /// There are so many at most.
    pub high: u64,
}

/// A question over more combinations of labels than fit into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "these columns together have more than {MOST} combinations of labels: ask for fewer columns, or for coarser labels"
)]
pub struct TooMany;

/// Counts the rows of a table; the order of the counts is that of [`Question::cells`].
///
/// # Errors
/// There are too many combinations.
///
/// # Panics
/// If the groups of an axis with several do not ascend with its leaves.
pub fn count(
    table: &Release,
    question: &Question,
    trees: &[&Taxonomy],
    method: Method,
) -> Result<Vec<Counted>, TooMany> {
    let counts = question.axes.iter().try_fold(question.groups, |product, axis| product.checked_mul(axis.groups));
    if counts.is_none_or(|counts| counts > MOST) {
        return Err(TooMany);
    }
    let boxes = Boxes::of(table, question, trees, MOST).ok_or(TooMany)?;
    let groups = Groups::of(&boxes, question);
    let by_value: Vec<Vec<Counted>> = (0..question.groups).map(|value| groups.count(&boxes, value, method)).collect();
    Ok((0..groups.cells()).flat_map(|cell| by_value.iter().map(move |counts| counts[cell])).collect())
}

/// The combinations of groups of the axes.
struct Groups {
    sides: Vec<usize>,
    /// Per cell of the grid its combination; `None` where it is not counted.
    of_cell: Vec<Option<usize>>,
    /// Per label the combinations that its rows may be in; `None` if there are none.
    may: Vec<Option<Area>>,
    /// Per label the one combination that all of its rows are in, if there is one.
    must: Vec<Option<usize>>,
}

impl Groups {
    fn of(boxes: &Boxes, question: &Question) -> Groups {
        let sides: Vec<usize> = question.axes.iter().map(|axis| axis.groups).collect();
        let mut of_cell = vec![Some(0)];
        for (groups, side) in boxes.groups.iter().zip(&sides) {
            let ascend = |pair: &[usize]| pair[0] <= pair[1];
            assert!(groups.iter().flatten().copied().collect::<Vec<_>>().windows(2).all(ascend), "groups ascend");
            let next = |of: &Option<usize>| {
                let of = *of;
                groups.iter().map(move |group| Some(of? * side + (*group)?)).collect::<Vec<_>>()
            };
            of_cell = of_cell.iter().flat_map(next).collect();
        }
        let inside = |area: &Area| -> (Option<Area>, Option<usize>) {
            let (mut may, mut must) = (Some(Area::new()), Some(0));
            for ((range, groups), side) in area.iter().zip(&boxes.groups).zip(&sides) {
                let groups = &groups[range.clone()];
                let (first, last) = (groups.iter().flatten().next(), groups.iter().flatten().next_back());
                may = may.zip(first.zip(last)).map(|(mut may, (&first, &last))| {
                    may.push(first..last + 1);
                    may
                });
                let all =
                    groups.first().copied().flatten().filter(|first| groups.iter().all(|group| *group == Some(*first)));
                must = must.zip(all).map(|(must, group)| must * side + group);
            }
            (may, must)
        };
        let (may, must) = boxes.areas.iter().map(inside).unzip();
        Groups { sides, of_cell, may, must }
    }

    fn cells(&self) -> usize {
        self.sides.iter().product()
    }

    /// Counts the rows of a group of sensitive values.
    fn count(&self, boxes: &Boxes, value: usize, method: Method) -> Vec<Counted> {
        let rows = boxes.rows(value);
        let shares: Vec<f64> = rows.iter().map(|&rows| rows as f64).collect();
        let rounds = if method == Method::Em { ROUNDS } else { 1 };
        let estimate = estimate(boxes, &shares, rounds);
        let counts = self.sums(&estimate);
        let errors =
            (method == Method::Em).then(|| self.errors(boxes, (&shares, &boxes.squares(value)), &estimate, &counts));
        let may = self.may.iter().zip(&rows).filter_map(|(area, rows)| Some((area.clone()?, *rows)));
        let high = covered(&self.sides, may);
        let mut low = vec![0; self.cells()];
        self.must.iter().zip(&rows).for_each(|(must, rows)| must.iter().for_each(|&cell| low[cell] += rows));
        let error = |cell: usize, errors: &Vec<f64>| if low[cell] == high[cell] { 0.0 } else { errors[cell] };
        let counted = |cell: usize| Counted {
            // What is certain is not estimated: rounding would only hide it.
            estimate: if low[cell] == high[cell] { low[cell] as f64 } else { counts[cell] },
            standard_error: errors.as_ref().map(|errors| error(cell, errors)),
            low: low[cell],
            high: high[cell],
        };
        (0..self.cells()).map(counted).collect()
    }

    /// The rows of each combination.
    fn sums(&self, cells: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.cells()];
        let counted = self.of_cell.iter().zip(cells).filter_map(|(of, cell)| Some(((*of)?, cell)));
        counted.for_each(|(of, cell)| sums[of] += cell);
        sums
    }

    /// Standard errors: of where in their labels the rows lie if the shares were known; of the shares, which other draws of the crowds
    /// behind the labels give (people of one crowd are alike in the columns that the question leaves out, too); and of ending after so many rounds, by how far later ones lead.
    fn errors(&self, boxes: &Boxes, (rows, squares): (&[f64], &[f64]), estimated: &[f64], counts: &[f64]) -> Vec<f64> {
        let mut variances = self.placed(boxes, rows, estimated, counts);
        let steps = boxes.space.size() * (boxes.weights.len() + 1) * 2 + rows.len() * 2;
        let draws = (STEPS / steps / ROUNDS as usize).clamp(DRAWS.start, DRAWS.end);
        let rounds = ((STEPS / steps) as u32).clamp(FURTHER.start, FURTHER.end);
        let draw = |number: usize| {
            let mut other = estimate(boxes, &drawn(rows, squares, number as u64 + 1), ROUNDS);
            boxes.space.spread(&mut other, &boxes.labels, rows, 1);
            self.sums(&other)
        };
        let mut further = estimated.to_vec();
        boxes.space.spread(&mut further, &boxes.labels, rows, rounds);
        let further = self.sums(&further);
        let drawn: Vec<Vec<f64>> = (0..draws).into_par_iter().map(draw).collect();
        for (cell, variance) in variances.iter_mut().enumerate() {
            let off: f64 = drawn.iter().map(|counts_of| (counts_of[cell] - counts[cell]).powi(2)).sum();
            *variance += off / draws as f64 + (further[cell] - counts[cell]).powi(2);
        }
        variances.into_iter().map(|variance| variance.max(0.0).sqrt()).collect()
    }

    /// The variance of each count if every row of a label were in a cell by chance, with the share that the estimate gives it.
    fn placed(&self, boxes: &Boxes, rows: &[f64], estimated: &[f64], counts: &[f64]) -> Vec<f64> {
        let inside = boxes.space.sums(estimated);
        let some = || boxes.labels.iter().zip(rows).filter(|(_, rows)| **rows > 0.0);
        if self.cells() <= FEW {
            let of_one = |combination: usize| {
                let of_cell = self.of_cell.iter().zip(estimated);
                let counted = of_cell.map(|(of, cell)| if *of == Some(combination) { *cell } else { 0.0 });
                let held = boxes.space.sums(&counted.collect::<Vec<_>>());
                let share = |label: usize| (held[label] / inside[label]).clamp(0.0, 1.0);
                some().map(|(&label, rows)| rows * share(label) * (1.0 - share(label))).sum()
            };
            return (0..self.cells()).into_par_iter().map(of_one).collect();
        }
        // As if the cells of a combination were counted each by itself, which is never less.
        let squared = boxes.space.over(some().map(|(&label, rows)| (label, rows / inside[label].powi(2))));
        let certain: Vec<f64> = estimated.iter().zip(squared).map(|(cell, of)| cell * cell * of).collect();
        counts.iter().zip(self.sums(&certain)).map(|(count, certain)| count - certain).collect()
    }
}

/// Rows of labels spread over their cells: in the first round evenly, in each later one in proportion to the round before.
fn estimate(boxes: &Boxes, rows: &[f64], rounds: u32) -> Vec<f64> {
    let mut cells = products(&boxes.weights);
    boxes.space.spread(&mut cells, &boxes.labels, rows, rounds);
    cells
}
