//! People over the cells of up to three columns (SCIENCE 11, counting), estimated from labels that are boxes of cells. A round of
//! the estimator costs the number of cells and eight look-ups per label, however large the boxes are.

use std::ops::Range;

/// The most columns of a grid. A column set that has fewer is filled up with columns of one leaf.
pub const DIMENSIONS: usize = 3;

/// A range of leaves per column.
pub type Area = [Range<usize>; DIMENSIONS];

/// A number for each combination of leaves.
#[derive(Clone)]
pub struct Grid {
    sides: [usize; DIMENSIONS],
    cells: Vec<f64>,
}

impl Grid {
    /// The same number in each cell.
    pub fn even(sides: [usize; DIMENSIONS], each: f64) -> Grid {
        Grid { sides, cells: vec![each; sides.iter().product()] }
    }

    /// Counts people by their cell.
    pub fn counted(sides: [usize; DIMENSIONS], people: impl Iterator<Item = [usize; DIMENSIONS]>) -> Grid {
        let mut grid = Grid::even(sides, 0.0);
        people.for_each(|cell| {
            let at = grid.at(cell);
            grid.cells[at] += 1.0;
        });
        grid
    }

    /// The rows of labels spread over their cells: in the first round evenly, in each later one in proportion to what the round
    /// before gave (EM, also known as iterative proportional fitting).
    pub fn spread(sides: [usize; DIMENSIONS], labels: &[(Area, f64)], rounds: u32) -> Grid {
        let mut estimate = Grid::even(sides, 1.0);
        for _ in 0..rounds {
            let sums = estimate.clone().summed();
            let mut factor = Grid::even(sides, 0.0);
            labels.iter().for_each(|(area, rows)| factor.add(area, rows / sums.inside(area)));
            let factor = factor.summed();
            // Where no label lies, rounding leaves something that may be below 0.
            estimate.cells.iter_mut().zip(factor.cells).for_each(|(cell, factor)| *cell *= factor.max(0.0));
        }
        let [rows, spread] = [labels.iter().map(|(_, rows)| rows).sum::<f64>(), estimate.cells.iter().sum()];
        assert!((spread - rows).abs() < 1e-6 * rows, "{spread} of {rows} rows are spread");
        estimate
    }

    /// The sum over the cells whose leaf is wanted in each column.
    pub fn picked(&self, wanted: &[Vec<bool>; DIMENSIONS]) -> f64 {
        let leaves = |axis: usize| wanted[axis].iter().enumerate().filter_map(|(leaf, wanted)| wanted.then_some(leaf));
        let mut sum = 0.0;
        for first in leaves(0) {
            for second in leaves(1) {
                let row = &self.cells[self.at([first, second, 0])..][..self.sides[2]];
                sum += row.iter().zip(&wanted[2]).filter(|(_, wanted)| **wanted).map(|(cell, _)| cell).sum::<f64>();
            }
        }
        sum
    }

    fn at(&self, cell: [usize; DIMENSIONS]) -> usize {
        (cell[0] * self.sides[1] + cell[1]) * self.sides[2] + cell[2]
    }

    /// In each cell the sum over all cells that are not behind it in any column.
    fn summed(mut self) -> Grid {
        let mut stride = 1;
        for side in self.sides.into_iter().rev() {
            for block in self.cells.chunks_mut(stride * side) {
                (stride..block.len()).for_each(|at| block[at] += block[at - stride]);
            }
            stride *= side;
        }
        self
    }

    /// Adds a number to the cells of a box, once the grid is summed.
    fn add(&mut self, area: &Area, number: f64) {
        for (corner, sign) in corners(area) {
            if corner.iter().zip(self.sides).all(|(&at, side)| at < side) {
                let at = self.at(corner);
                self.cells[at] += sign * number;
            }
        }
    }

    /// The sum over the cells of a box, of a grid that is summed.
    fn inside(&self, area: &Area) -> f64 {
        let below = |corner: [usize; DIMENSIONS]| {
            let empty = corner.contains(&0);
            if empty { 0.0 } else { self.cells[self.at(corner.map(|at| at - 1))] }
        };
        -corners(area).map(|(corner, sign)| sign * below(corner)).sum::<f64>()
    }
}

/// The corners of a box, ends being one too far, and whether an even number of columns is at its end there: 1, else -1.
fn corners(area: &Area) -> impl Iterator<Item = ([usize; DIMENSIONS], f64)> + '_ {
    (0..1u32 << DIMENSIONS).map(|ends| {
        let corner = |axis: usize| if ends >> axis & 1 == 1 { area[axis].end } else { area[axis].start };
        (std::array::from_fn(corner), if ends.count_ones() % 2 == 0 { 1.0 } else { -1.0 })
    })
}
