//! The join recoding of two releases (SCIENCE 2): per column, at every leaf, the coarser of the two
//! cuts. A class of one is comparable to a class of the other iff both are in the same cell of the
//! join, so one hash join replaces the search for comparable classes.

use super::{Release, Tuples, ValueCode};
use crate::{Node, Taxonomy};

/// The join cell of each class of two releases.
pub struct JoinCells {
    cells: Tuples,
    /// The cell of each class, of the earlier and the later release.
    cell_of: [Vec<u32>; 2],
    /// Classes by cell: `classes[start[cell]..start[cell + 1]]`.
    by_cell: [(Vec<u32>, Vec<u32>); 2],
}

/// A cell in which the earlier release has more rows of a sensitive value than the later one, so
/// that the later one lacks rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSuperset {
    /// The nodes of the cell, one per quasi column.
    pub cell: Vec<Node>,
}

impl JoinCells {
    /// Joins two releases of one feed.
    pub fn of(earlier: &Release, later: &Release, trees: &[&Taxonomy]) -> JoinCells {
        assert_eq!(
            (earlier.recoding().len(), later.recoding().len()),
            (trees.len(), trees.len()),
            "releases under one recoding each"
        );
        let mut cells = Tuples::new(trees.len());
        let cell_of = [(earlier, later), (later, earlier)].map(|(mine, other)| {
            let mut key = vec![0; trees.len()];
            let cell = |class: usize| {
                for (column, (slot, &node)) in key.iter_mut().zip(mine.class(class)).enumerate() {
                    *slot = other.recoding()[column].join_node(trees[column], node);
                }
                cells.number(&key)
            };
            (0..mine.classes()).map(cell).collect::<Vec<u32>>()
        });
        let by_cell = cell_of
            .each_ref()
            .map(|cell_of| bucket(cell_of, cells.len()));
        JoinCells {
            cells,
            cell_of,
            by_cell,
        }
    }

    /// The number of cells with a class of either release.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether neither release has a class.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cell of a class of the earlier release.
    pub fn of_earlier(&self, class: usize) -> usize {
        self.cell_of[0][class] as usize
    }

    /// The cell of a class of the later release.
    pub fn of_later(&self, class: usize) -> usize {
        self.cell_of[1][class] as usize
    }

    /// The earlier release's classes in a cell.
    pub fn earlier(&self, cell: usize) -> &[u32] {
        slice(&self.by_cell[0], cell)
    }

    /// The later release's classes in a cell.
    pub fn later(&self, cell: usize) -> &[u32] {
        slice(&self.by_cell[1], cell)
    }

    /// The nodes of a cell.
    pub fn nodes(&self, cell: usize) -> &[Node] {
        self.cells.get(cell as u32)
    }

    /// Whether any two comparable classes are nested: no cell holds an earlier class that is
    /// strictly finer than the cell in one column and a later one that is strictly finer in
    /// another.
    pub fn nested(&self, earlier: &Release, later: &Release) -> bool {
        (0..self.len()).all(|cell| {
            let finer = |release: &Release, classes: &[u32]| {
                classes
                    .iter()
                    .any(|&class| release.class(class as usize) != self.nodes(cell))
            };
            !(finer(earlier, self.earlier(cell)) && finer(later, self.later(cell)))
        })
    }
}

fn bucket(cell_of: &[u32], cells: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; cells + 1];
    cell_of
        .iter()
        .for_each(|&cell| start[cell as usize + 1] += 1);
    for cell in 0..cells {
        start[cell + 1] += start[cell];
    }
    let (mut next, mut classes) = (start.clone(), vec![0; cell_of.len()]);
    for (class, &cell) in cell_of.iter().enumerate() {
        classes[next[cell as usize] as usize] = class as u32;
        next[cell as usize] += 1;
    }
    assert_eq!(
        next[..cells],
        start[1..],
        "each class is in the bucket of its cell"
    );
    (start, classes)
}

fn slice((start, classes): &(Vec<u32>, Vec<u32>), cell: usize) -> &[u32] {
    &classes[start[cell] as usize..start[cell + 1] as usize]
}

/// N_s of SCIENCE 2: per join cell and sensitive value, the later release's rows minus the earlier
/// one's.
pub struct Excess {
    start: Vec<u32>,
    values: Vec<ValueCode>,
    rows: Vec<u64>,
}

impl Excess {
    /// Counts both releases cell by cell; `values` is the size of their common dictionary.
    ///
    /// # Errors
    /// A cell in which the earlier release has more rows than the later one.
    pub fn of(
        cells: &JoinCells,
        earlier: &Release,
        later: &Release,
        values: usize,
    ) -> Result<Excess, NotSuperset> {
        let mut excess = Excess {
            start: vec![0],
            values: Vec::new(),
            rows: Vec::new(),
        };
        let (mut rows, mut seen, mut touched) =
            (vec![0i64; values], vec![false; values], Vec::new());
        for cell in 0..cells.len() {
            for (release, classes, sign) in [
                (later, cells.later(cell), 1),
                (earlier, cells.earlier(cell), -1),
            ] {
                for group in classes
                    .iter()
                    .flat_map(|&class| release.range(class as usize))
                {
                    let value = release.values()[group];
                    if !std::mem::replace(&mut seen[value as usize], true) {
                        touched.push(value);
                    }
                    rows[value as usize] += sign * release.counts()[group] as i64;
                }
            }
            touched.sort_unstable();
            for value in touched.drain(..) {
                seen[value as usize] = false;
                let left = std::mem::take(&mut rows[value as usize]);
                let left = u64::try_from(left).map_err(|_| NotSuperset {
                    cell: cells.nodes(cell).to_vec(),
                })?;
                excess.values.push(value);
                excess.rows.push(left);
            }
            excess.start.push(excess.values.len() as u32);
        }
        assert_eq!(
            excess.rows.iter().sum::<u64>(),
            later.rows() - earlier.rows(),
            "what the later release has more"
        );
        Ok(excess)
    }

    /// N_s in a cell; 0 for a value that neither release has there.
    pub fn rows(&self, cell: usize, value: ValueCode) -> u64 {
        let range = self.start[cell] as usize..self.start[cell + 1] as usize;
        let found = self.values[range.clone()].binary_search(&value);
        found.map_or(0, |at| self.rows[range.start + at])
    }
}
