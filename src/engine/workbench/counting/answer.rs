//! The estimate of a count, its standard error, and the certain range.

use rayon::prelude::*;

use super::classes::CountedClasses;
use super::profiles::{Fit, Profiles};
use super::question::{Method, Question};
use super::spread::ClassCounts;
use crate::histogram::Release;
use crate::model::Taxonomy;

/// The number of fits whose mean is the estimate, and of those for its standard error.
const FITS: u64 = 4;
/// The most cells of an answer.
const MOST: usize = 1 << 22;
/// The most cells that the rows of classes may be in, summed over all classes.
const WORK: usize = 1 << 28;

/// The number of rows in a cell of the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellEstimate {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error; `None` if rows are spread evenly, since nothing then says how large the
    /// error may be.
    pub standard_error: Option<f64>,
    /// The certain minimum.
    pub low: u64,
    /// The certain maximum.
    pub high: u64,
}

/// The error for a question with more combinations of labels than fit into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "these columns together have too many combinations of labels: use fewer columns, or coarser labels"
)]
pub struct TooManyCombinations;

/// A table whose rows can be counted: its classes, and what was learned about the distribution of
/// their rows.
pub struct Countable {
    classes: CountedClasses,
    fits: Vec<Profiles>,
    /// Fits to classes that are drawn again, without information from refused splits.
    others: Vec<Profiles>,
}

impl Countable {
    /// Learns from tables, each of which was published as a whole: the rows of each release.
    pub fn learn(tables: &[Release], trees: &[&Taxonomy], method: Method) -> Countable {
        assert!(
            tables.iter().all(|table| table.width() == trees.len()),
            "one taxonomy for each column"
        );
        let classes = CountedClasses::of(tables, trees, method);
        if method == Method::Uniform || classes.all.is_empty() {
            return Countable {
                fits: vec![Profiles::even(&classes)],
                others: Vec::new(),
                classes,
            };
        }
        let fit = |seed: u64| {
            Profiles::learn(
                &classes,
                method,
                Fit {
                    seed,
                    other: seed > FITS,
                },
            )
        };
        let mut fits: Vec<Profiles> = (1..=2 * FITS).into_par_iter().map(fit).collect();
        let others = fits.split_off(FITS as usize);
        Countable {
            classes,
            fits,
            others,
        }
    }

    /// Counts the rows of a table; the order of the counts is that of [`Question::cells`].
    ///
    /// # Errors
    /// There are too many combinations.
    ///
    /// # Panics
    /// If the groups of an axis with several do not ascend with its leaves.
    pub fn count(&self, question: &Question) -> Result<Vec<CellEstimate>, TooManyCombinations> {
        let cells = question
            .axes
            .iter()
            .try_fold(question.groups, |cells, axis| {
                cells.checked_mul(axis.groups)
            });
        if cells.is_none_or(|cells| cells > MOST) {
            return Err(TooManyCombinations);
        }
        let counts = ClassCounts::of(&self.classes, question, WORK).ok_or(TooManyCombinations)?;
        let spread = |fits: &Vec<Profiles>| -> Vec<(Vec<f64>, Vec<f64>)> {
            fits.par_iter().map(|fit| counts.spread(fit)).collect()
        };
        let (fits, others) = rayon::join(|| spread(&self.fits), || spread(&self.others));
        let mean =
            |numbers: &mut dyn Iterator<Item = f64>, of: usize| numbers.sum::<f64>() / of as f64;
        let (low, high) = counts.bounds();
        let counted = |cell: usize| {
            let (low, high) = (low[cell], high[cell]);
            // A count that is certain is not estimated, which would only add rounding.
            if low == high {
                let standard_error = (!others.is_empty()).then_some(0.0);
                return CellEstimate {
                    estimate: low as f64,
                    standard_error,
                    low,
                    high,
                };
            }
            let estimate = mean(
                &mut fits.iter().map(|(estimates, _)| estimates[cell]),
                fits.len(),
            );
            let placed = mean(
                &mut fits.iter().map(|(_, variances)| variances[cell]),
                fits.len(),
            );
            let off = mean(
                &mut others
                    .iter()
                    .map(|(other, _)| (other[cell] - estimate).powi(2)),
                others.len(),
            );
            // The other fits have errors of their own, and so has the estimate: their distance
            // contains both variances, and they may share as much again.
            let standard_error = (!others.is_empty()).then(|| (placed.max(0.0) + 2.0 * off).sqrt());
            CellEstimate {
                estimate,
                standard_error,
                low,
                high,
            }
        };
        Ok((0..question.cells()).map(counted).collect())
    }
}
