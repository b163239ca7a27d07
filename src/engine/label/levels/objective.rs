//! The objectives of a full-domain search (SCIENCE 8), which it minimises, and for each of them a
//! bound that follows from generalisation alone and that prunes states. Values of two states
//! compare alike on every machine: they are computed from whole numbers by sums, products and
//! quotients, and rounded so that equal values do not differ by how they were computed.

use std::cmp::Ordering;

use super::lattice::{Lattice, Levels};
use super::rows::DistinctRows;
use super::state_figures::StateFigures;
use crate::model::Taxonomy;

/// How the figures of columns are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mean {
    /// Π (v + 1)^(w / Σ w) − 1.
    Geometric,
    /// Σ w v / Σ w.
    Arithmetic,
}

/// The costs of labels and of suppressed rows, by column.
pub struct Costs {
    columns: Vec<Column>,
    mean: Mean,
}

struct Column {
    /// For each level, the cost of the labels of all rows.
    labels: Vec<u128>,
    /// For each level and code, the cost of a suppressed row in addition to its label.
    extra: Vec<SuppressionCost>,
    /// For each level, the smallest and the largest of these.
    least: Vec<u128>,
    most: Vec<u128>,
    /// The highest possible cost of all rows.
    whole: u128,
    /// The weight of the column.
    weight: u32,
}

/// The costs of a suppressed row in addition to its label, by code.
pub(super) enum SuppressionCost {
    /// Used if sums over all rows fit into one word.
    Words(Vec<u64>),
    /// Numbers of any size.
    Any(Vec<u128>),
}

impl Column {
    fn new(labels: Vec<u128>, extra: Vec<Vec<u128>>, whole: u128) -> Column {
        assert_eq!(
            labels.len(),
            extra.len(),
            "labels and suppressed rows have the same levels"
        );
        assert!(labels.is_sorted(), "a coarser level costs no less");
        assert!(
            labels.iter().all(|&cost| cost <= whole),
            "labels cost no more than everything"
        );
        assert!(
            extra.iter().flatten().all(|&cost| cost <= whole),
            "a row costs no more than all of them"
        );
        let least = extra
            .iter()
            .map(|of_level| of_level.iter().min().copied().unwrap_or(0))
            .collect();
        let most = extra
            .iter()
            .map(|of_level| of_level.iter().max().copied().unwrap_or(0))
            .collect();
        // All rows together cost no more than the highest possible cost.
        let extra = extra
            .into_iter()
            .map(|of_level| match u64::try_from(whole) {
                Ok(_) => {
                    SuppressionCost::Words(of_level.into_iter().map(|cost| cost as u64).collect())
                }
                Err(_) => SuppressionCost::Any(of_level),
            });
        let extra = extra.collect();
        Column {
            labels,
            extra,
            least,
            most,
            whole,
            weight: 1,
        }
    }
}

/// The objective to be minimised.
pub enum Objective {
    /// A mean over columns.
    Columns(Costs),
    /// Σ |class|² / N²; a suppressed row counts as in a class of all rows.
    Discernibility,
    /// The mean size of a class, with all suppressed rows as one class.
    AverageSize,
}

/// The value of an objective, for comparison: a number of any size, less is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    exponent: i64,
    mantissa: f64,
}

impl Score {
    /// The best possible value.
    pub(super) const LEAST: Score = Score {
        exponent: i64::MIN,
        mantissa: 0.0,
    };

    fn of(value: f64) -> Score {
        assert!(
            value >= 0.0 && value.is_finite(),
            "a score is a finite number from 0 up"
        );
        Score {
            exponent: 0,
            mantissa: value,
        }
        .normal()
    }

    /// Normalised: with a mantissa from 1 up to 2, so that products of many factors stay in range.
    fn normal(self) -> Score {
        if self.mantissa == 0.0 {
            return Score::LEAST;
        }
        let bits = self.mantissa.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64 - 1_023;
        let mantissa = f64::from_bits(bits & !(0x7ff << 52) | 1_023 << 52);
        Score {
            exponent: self.exponent + exponent,
            mantissa,
        }
    }

    fn times(self, other: Score) -> Score {
        let exponent = self.exponent.saturating_add(other.exponent);
        Score {
            exponent,
            mantissa: self.mantissa * other.mantissa,
        }
        .normal()
    }

    fn power(self, times: u32) -> Score {
        if times == 0 {
            return Score::of(1.0);
        }
        let half = self.power(times / 2);
        let even = half.times(half);
        if times.is_multiple_of(2) {
            even
        } else {
            even.times(self)
        }
    }

    /// Rounded to 40 binary digits after the first one.
    fn rounded(self) -> Score {
        const DIGITS: f64 = (1u64 << 40) as f64;
        Score {
            mantissa: (self.mantissa * DIGITS).round() / DIGITS,
            ..self
        }
        .normal()
    }

    fn log2(self) -> f64 {
        if self.mantissa == 0.0 {
            f64::NEG_INFINITY
        } else {
            self.exponent as f64 + self.mantissa.log2()
        }
    }
}

impl Eq for Score {}

impl Ord for Score {
    fn cmp(&self, other: &Score) -> Ordering {
        self.exponent
            .cmp(&other.exponent)
            .then(self.mantissa.total_cmp(&other.mantissa))
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The units of a bit in which entropies are counted.
const BIT: f64 = (1u64 << 20) as f64;

impl Costs {
    /// Loss: the share of a column's values that a label stands for, less one value; a suppressed
    /// row costs `suppressed` thousandths of the remaining loss, by default all of it.
    ///
    /// # Panics
    /// If a suppressed row costs more than the highest possible loss.
    pub fn loss(
        rows: &DistinctRows,
        lattice: &Lattice,
        trees: &[&Taxonomy],
        suppressed: u64,
    ) -> Costs {
        assert!(
            suppressed <= 1_000,
            "a suppressed row costs all that its label leaves, at most"
        );
        let column = |column: usize, height: u8| {
            let (tree, leaves) = (
                trees[column],
                frequencies(rows, column, trees[column].leaves()),
            );
            let domain = tree.lines(0) - 1;
            let (mut labels, mut extra) = (Vec::new(), Vec::new());
            for level in 0..height {
                let nodes = lattice.nodes(column, level);
                let costs: Vec<u64> = nodes.iter().map(|&node| tree.lines(node) - 1).collect();
                let cost = |code: u32| costs[code as usize];
                let codes = lattice.codes(column, level).iter().zip(&leaves);
                labels.push(
                    codes
                        .map(|(&code, &rows)| 1_000 * u128::from(cost(code)) * u128::from(rows))
                        .sum(),
                );
                let left = |code: u32| u128::from(suppressed) * u128::from(domain - cost(code));
                extra.push((0..nodes.len() as u32).map(left).collect());
            }
            Column::new(
                labels,
                extra,
                1_000 * u128::from(domain) * u128::from(rows.all()),
            )
        };
        Costs::of(lattice, column)
    }

    /// Precision: the share of a column's levels by which a row is raised; a suppressed row is
    /// raised to the top.
    pub fn precision(rows: &DistinctRows, lattice: &Lattice) -> Costs {
        let column = |column: usize, height: u8| {
            let (all, top) = (u128::from(rows.all()), height - 1);
            let extra =
                |level: u8| vec![u128::from(top - level); lattice.nodes(column, level).len()];
            let labels = (0..height).map(|level| u128::from(level) * all).collect();
            Column::new(
                labels,
                (0..height).map(extra).collect(),
                u128::from(top) * all,
            )
        };
        Costs::of(lattice, column)
    }

    /// Non-uniform entropy: the bits of a row's leaf given its label; for a suppressed row, given
    /// nothing.
    pub fn entropy(rows: &DistinctRows, lattice: &Lattice, trees: &[&Taxonomy]) -> Costs {
        // Differences of rounded logarithms add up along a path as the bits themselves do.
        let log = |rows: u64| (BIT * (rows as f64).log2()).round() as u128;
        let bits = |all: u64, part: u64| if part == 0 { 0 } else { log(all) - log(part) };
        let column = |column: usize, height: u8| {
            let leaves = frequencies(rows, column, trees[column].leaves());
            let (mut labels, mut extra) = (Vec::<u128>::new(), Vec::new());
            for level in 0..height {
                let codes = lattice.codes(column, level);
                let mut under = vec![0; lattice.nodes(column, level).len()];
                codes
                    .iter()
                    .zip(&leaves)
                    .for_each(|(&code, rows)| under[code as usize] += rows);
                let hidden = codes
                    .iter()
                    .zip(&leaves)
                    .map(|(&code, &rows)| bits(under[code as usize], rows) * u128::from(rows));
                labels.push(hidden.sum());
                extra.push(under.iter().map(|&under| bits(rows.all(), under)).collect());
            }
            let whole = labels[usize::from(height) - 1];
            Column::new(labels, extra, whole)
        };
        Costs::of(lattice, column)
    }

    fn of(lattice: &Lattice, column: impl Fn(usize, u8) -> Column) -> Costs {
        let columns = lattice
            .heights()
            .into_iter()
            .enumerate()
            .map(|(at, height)| column(at, height))
            .collect();
        Costs {
            columns,
            mean: Mean::Geometric,
        }
    }

    /// The same costs with another mean.
    #[must_use]
    pub fn with_mean(self, mean: Mean) -> Costs {
        Costs { mean, ..self }
    }

    /// The same costs with weighted columns.
    ///
    /// # Panics
    /// If the number of weights differs from that of columns, or a weight is 0.
    #[must_use]
    pub fn weighted(mut self, weights: &[u32]) -> Costs {
        assert_eq!(
            weights.len(),
            self.columns.len(),
            "one weight for each column"
        );
        assert!(
            weights.iter().all(|&weight| weight > 0),
            "each column counts"
        );
        self.columns
            .iter_mut()
            .zip(weights)
            .for_each(|(column, &weight)| column.weight = weight);
        self
    }

    /// For each code, the cost of a suppressed row in addition to its label.
    pub(super) fn extra(&self, column: usize, level: u8) -> &SuppressionCost {
        &self.columns[column].extra[usize::from(level)]
    }

    /// The figure of each column; `extra` is the cost of suppressed rows in addition to their
    /// labels.
    pub fn of_columns<'c>(
        &'c self,
        levels: &'c [u8],
        extra: Option<&'c [u128]>,
    ) -> impl Iterator<Item = f64> + 'c {
        self.columns
            .iter()
            .zip(levels)
            .enumerate()
            .map(move |(at, (column, &level))| {
                let cost = column.labels[usize::from(level)] + extra.map_or(0, |extra| extra[at]);
                if column.whole == 0 {
                    0.0
                } else {
                    cost as f64 / column.whole as f64
                }
            })
    }

    /// The increase of the figure when a column is raised from one level to another.
    fn step(&self, column: usize, from: u8, to: u8) -> Score {
        let column = &self.columns[column];
        let figure = |level: u8| match column.whole {
            0 => 0.0,
            whole => column.labels[usize::from(level)] as f64 / whole as f64,
        };
        match self.mean {
            Mean::Geometric => {
                Score::of((figure(to) + 1.0) / (figure(from) + 1.0)).power(column.weight)
            }
            Mean::Arithmetic => Score::of(f64::from(column.weight) * (figure(to) - figure(from))),
        }
    }

    /// The best possible value of a state that suppresses at least the rows of a coarser state:
    /// `suppressed` rows, which cost `extra` there in addition to their labels, and no less here.
    fn score_with(&self, levels: &[u8], suppressed: u64, extra: &[u128]) -> Score {
        assert_eq!(
            extra.len(),
            self.columns.len(),
            "what suppressed rows cost in each column"
        );
        let of_column = |((column, &level), &extra): ((&Column, &u8), &u128)| {
            extra.max(column.least[usize::from(level)] * u128::from(suppressed))
        };
        let extra: Vec<u128> = self
            .columns
            .iter()
            .zip(levels)
            .zip(extra)
            .map(of_column)
            .collect();
        self.score(levels, Some(&extra))
    }

    fn most_of(&self, levels: &[u8], suppressed: u64) -> Score {
        let of_column = |(column, &level): (&Column, &u8)| {
            column.most[usize::from(level)] * u128::from(suppressed)
        };
        let extra: Vec<u128> = self.columns.iter().zip(levels).map(of_column).collect();
        self.score(levels, Some(&extra))
    }

    fn score(&self, levels: &[u8], extra: Option<&[u128]>) -> Score {
        assert_eq!(
            levels.len(),
            self.columns.len(),
            "one level for each column"
        );
        let columns = self.columns.iter().zip(self.of_columns(levels, extra));
        match self.mean {
            Mean::Geometric => {
                let powers =
                    columns.map(|(column, figure)| Score::of(figure + 1.0).power(column.weight));
                powers.fold(Score::of(1.0), Score::times).rounded()
            }
            Mean::Arithmetic => Score::of(
                columns
                    .map(|(column, figure)| f64::from(column.weight) * figure)
                    .sum(),
            )
            .rounded(),
        }
    }

    fn figure(&self, score: Score) -> f64 {
        let weights = self
            .columns
            .iter()
            .map(|column| f64::from(column.weight))
            .sum::<f64>();
        assert!(weights > 0.0, "some column counts");
        match self.mean {
            Mean::Geometric => (score.log2() / weights).exp2() - 1.0,
            Mean::Arithmetic => score.log2().exp2() / weights,
        }
    }
}

/// The number of rows of each leaf of a column.
fn frequencies(rows: &DistinctRows, column: usize, leaves: usize) -> Vec<u64> {
    let mut found = vec![0; leaves];
    for (&leaf, &count) in rows.columns[column].iter().zip(&rows.counts) {
        found[leaf as usize] += u64::from(count);
    }
    found
}

impl Objective {
    /// The costs of labels and suppressed rows, for an objective that is a sum over columns.
    pub fn costs(&self) -> Option<&Costs> {
        match self {
            Objective::Columns(costs) => Some(costs),
            Objective::Discernibility | Objective::AverageSize => None,
        }
    }

    /// The bound of a state and all its generalisations, if it is known without a check.
    pub fn bound(&self, levels: &[u8]) -> Option<Score> {
        match self {
            Objective::Columns(costs) => Some(costs.score(levels, None)),
            Objective::Discernibility | Objective::AverageSize => None,
        }
    }

    /// The number of figures of a checked state in addition to its classes: the cost of suppressed
    /// rows per column.
    pub(super) fn figures(&self, lattice: &Lattice) -> usize {
        match self {
            Objective::Columns(_) => lattice.width(),
            Objective::Discernibility | Objective::AverageSize => 0,
        }
    }

    /// The increase of the objective, as far as labels go, when a column is raised from one level
    /// to another; the same for all columns where the objective does not distinguish them.
    pub fn step(&self, column: usize, from: u8, to: u8) -> Score {
        self.costs()
            .map_or(Score::LEAST, |costs| costs.step(column, from, to))
    }

    /// The worst value of a state that suppresses this many rows, if it is known without a check.
    pub fn most_of(&self, levels: &[u8], suppressed: u64) -> Option<Score> {
        self.costs().map(|costs| costs.most_of(levels, suppressed))
    }

    /// The best value of a state that suppresses all rows that a coarser one does, if it is known
    /// without a check.
    pub fn bound_under(&self, levels: &[u8], coarser: &StateFigures) -> Option<Score> {
        self.costs()
            .map(|costs| costs.score_with(levels, coarser.suppressed, &coarser.extra))
    }

    /// The bound of a checked state and all its generalisations.
    pub fn bound_of(&self, levels: &[u8], checked: &StateFigures, rows: u64) -> Score {
        match self {
            Objective::Columns(costs) => costs.score(levels, None),
            Objective::Discernibility => Score::of(checked.squares as f64 / (rows as f64).powi(2)),
            Objective::AverageSize => {
                assert!(checked.classes() > 0, "rows have classes");
                Score::of(rows as f64 / checked.classes() as f64)
            }
        }
    }

    /// The value of a state that fits.
    pub fn value(&self, levels: &Levels, checked: &StateFigures, rows: u64) -> Score {
        match self {
            Objective::Columns(costs) => costs.score(levels, Some(&checked.extra)),
            Objective::Discernibility => {
                let suppressed = u128::from(checked.suppressed) * u128::from(rows);
                Score::of((checked.published_squares + suppressed) as f64 / (rows as f64).powi(2))
            }
            Objective::AverageSize => Score::of(
                rows as f64 / (checked.published + u64::from(checked.suppressed > 0)) as f64,
            ),
        }
    }

    /// A score as the figure of the literature.
    pub fn figure(&self, score: Score) -> f64 {
        match self {
            Objective::Columns(costs) => costs.figure(score),
            Objective::Discernibility | Objective::AverageSize => score.log2().exp2(),
        }
    }
}
