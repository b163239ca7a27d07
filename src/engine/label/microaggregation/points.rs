//! Rows of a table as points: raw numbers, or with each column standardised.

/// Points with the same number of dimensions, in the order of their rows.
pub struct Points {
    numbers: Vec<f64>,
    dimensions: usize,
    /// The number of rows that each point stands for; empty if each stands for one.
    weights: Vec<u64>,
}

impl Points {
    /// From rows with `dimensions` finite numbers each.
    ///
    /// # Panics
    /// If the numbers do not form whole rows.
    pub fn new(numbers: Vec<f64>, dimensions: usize) -> Points {
        assert!(
            dimensions > 0 && numbers.len().is_multiple_of(dimensions),
            "whole rows"
        );
        Points {
            numbers,
            dimensions,
            weights: Vec::new(),
        }
    }

    /// The same, with each point standing for a number of rows that no group divides.
    ///
    /// # Panics
    /// If the numbers do not form whole rows, or a point has no weight or a weight of 0.
    pub fn weighted(numbers: Vec<f64>, dimensions: usize, weights: Vec<u64>) -> Points {
        let points = Points::new(numbers, dimensions);
        assert!(
            weights.len() == points.len() && !weights.contains(&0),
            "a weight for each point"
        );
        Points { weights, ..points }
    }

    /// Each column scaled to mean 0 and standard deviation 1 over all rows; a column with one value
    /// becomes 0.
    #[must_use]
    pub fn standardized(&self) -> Points {
        let rows = (0..self.len()).map(|row| self.weight(row)).sum::<u64>() as f64;
        let mean = self.mean(0..self.len());
        let mut squares = vec![0.0; self.dimensions];
        for row in 0..self.len() {
            let weight = self.weight(row) as f64;
            for (sum, (number, mean)) in squares.iter_mut().zip(self.at(row).iter().zip(&mean)) {
                *sum += weight * ((number - mean) * (number - mean));
            }
        }
        let deviation: Vec<f64> = squares.iter().map(|sum| (sum / rows).sqrt()).collect();
        let scaled = |(at, number): (usize, &f64)| {
            let column = at % self.dimensions;
            if deviation[column] > 0.0 {
                (number - mean[column]) / deviation[column]
            } else {
                0.0
            }
        };
        let numbers = self.numbers.iter().enumerate().map(scaled).collect();
        Points {
            numbers,
            dimensions: self.dimensions,
            weights: self.weights.clone(),
        }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.numbers.len() / self.dimensions
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The numbers of a point.
    pub fn at(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.dimensions..(row + 1) * self.dimensions]
    }

    /// The number of rows that a point stands for.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.get(row).copied().unwrap_or(1)
    }

    /// The mean of some points, added in this order.
    pub(super) fn mean(&self, rows: impl IntoIterator<Item = usize>) -> Vec<f64> {
        let (mut sum, mut count) = (vec![0.0; self.dimensions], 0.0);
        for row in rows {
            let weight = self.weight(row) as f64;
            count += weight;
            for (sum, number) in sum.iter_mut().zip(self.at(row)) {
                *sum += weight * number;
            }
        }
        sum.iter_mut().for_each(|sum| *sum /= count);
        sum
    }
}

/// The squared distance of two points, added in the order of their columns.
pub(super) fn distance(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len(), "points of one space");
    one.iter()
        .zip(other)
        .map(|(one, other)| (one - other) * (one - other))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_standardized_by_all_rows() {
        // The mean of the first column is 4, its variance (16 + 0 + 2 · 4) / 4; the second column
        // has one value.
        let points = Points::weighted(vec![0.0, 7.0, 4.0, 7.0, 6.0, 7.0], 2, vec![1, 1, 2]);
        let scaled = points.standardized();
        let unit = 6f64.sqrt();
        assert_eq!(
            scaled.numbers,
            [-4.0 / unit, 0.0, 0.0, 0.0, 2.0 / unit, 0.0]
        );
        assert_eq!(
            (scaled.len(), scaled.dimensions(), scaled.weight(2)),
            (3, 2, 2)
        );
        assert!(!scaled.is_empty() && Points::new(Vec::new(), 1).is_empty());
    }
}
