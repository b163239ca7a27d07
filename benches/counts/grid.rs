//! Counts of people over the cells of up to three columns.

/// The greatest number of columns of a grid. A smaller column set is filled up with columns of one
/// leaf.
pub const DIMENSIONS: usize = 3;

/// A number for each combination of leaves.
pub struct Grid {
    sides: [usize; DIMENSIONS],
    cells: Vec<f64>,
}

impl Grid {
    /// Counts people by their cell.
    pub fn counted(
        sides: [usize; DIMENSIONS],
        people: impl Iterator<Item = [usize; DIMENSIONS]>,
    ) -> Grid {
        let mut grid = Grid {
            sides,
            cells: vec![0.0; sides.iter().product()],
        };
        people.for_each(|cell| {
            let at = grid.at(cell);
            grid.cells[at] += 1.0;
        });
        grid
    }

    /// The sum over the cells whose leaf is wanted in each column.
    pub fn picked(&self, wanted: &[Vec<bool>; DIMENSIONS]) -> f64 {
        let leaves = |axis: usize| {
            wanted[axis]
                .iter()
                .enumerate()
                .filter_map(|(leaf, wanted)| wanted.then_some(leaf))
        };
        let mut sum = 0.0;
        for first in leaves(0) {
            for second in leaves(1) {
                let row = &self.cells[self.at([first, second, 0])..][..self.sides[2]];
                sum += row
                    .iter()
                    .zip(&wanted[2])
                    .filter(|(_, wanted)| **wanted)
                    .map(|(cell, _)| cell)
                    .sum::<f64>();
            }
        }
        sum
    }

    fn at(&self, cell: [usize; DIMENSIONS]) -> usize {
        (cell[0] * self.sides[1] + cell[1]) * self.sides[2] + cell[2]
    }
}
