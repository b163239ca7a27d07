//! The paper's validity (SCIENCE 2 to 4; BCF 5.2, procedures 2 and 3): FA, CA and BA, and in chains
//! the pair bound, stay at `k` or more in every class that a specialisation makes. Other classes
//! keep their figures: a pair of classes becomes comparable, or changes the rows of its join cell,
//! only if one of them holds the specialised node. So a state that follows from a valid one is
//! valid if its new classes are.
//!
//! FA can rise under a specialisation (SCIENCE 2), so figures of an earlier state prove nothing.

use super::super::table::{NodeSplit, SearchTable};
use super::super::validity::{Accepted, InvalidReason, SearchView, Validity};
use super::cells::{CellsByClass, JoinCell, NewCells, PastReleases};
use super::groups::{self, Groups};
use super::targets::Family;
use crate::histogram::Histogram;
use crate::model::Node;

/// The current state of the search, with its join cells and targets.
pub(super) struct Bcf<'a> {
    all: &'a Histogram,
    past: &'a PastReleases<'a>,
    families: &'a [Family],
    k: u64,
    /// The newest release of each recoding, from which new people are distinguished.
    newest: Vec<(usize, usize)>,
    /// The join cells for each earlier recoding.
    cells: Vec<CellsByClass>,
    /// For each class of the new release and each family, the targets that are comparable to the
    /// class.
    comparable: Vec<Vec<Vec<u32>>>,
}

/// The cells and targets that a specialisation would make.
pub(super) struct SplitTrial {
    /// The new cells for each earlier recoding.
    cells: Vec<NewCells>,
    /// The comparable targets for each class that changes, each child and each family.
    comparable: Vec<Vec<Vec<Vec<u32>>>>,
}

impl<'a> Bcf<'a> {
    /// Starts with these targets of the past; `all` holds every row of the new release.
    pub(super) fn new(
        all: &'a Histogram,
        past: &'a PastReleases<'a>,
        families: &'a [Family],
        k: u64,
    ) -> Bcf<'a> {
        assert!(k >= 1, "a class has at least one person");
        let newest = past.before(past.releases.len());
        Bcf {
            all,
            past,
            families,
            k,
            newest,
            cells: Vec::new(),
            comparable: Vec::new(),
        }
    }

    /// Whether a class of the new release with these groups, cells and targets leaves each person
    /// enough candidates.
    fn judge(
        &self,
        groups: &Groups,
        cells: &[&JoinCell],
        targets: &[Vec<u32>],
        class: impl Fn() -> Vec<Node>,
    ) -> Result<(), InvalidReason> {
        assert_eq!(
            (cells.len(), targets.len()),
            (self.past.views.len(), self.families.len()),
            "of each view and family"
        );
        let (limit, rows) = (self.k, groups::rows(groups));
        if rows < limit {
            return Err(InvalidReason::Rows {
                class: class(),
                rows,
                limit,
            });
        }
        let within = |before: &[(usize, usize)]| {
            let tighter = |bound: Groups, &(view, stage): &(usize, usize)| {
                groups::least(&bound, cells[view].excess(stage))
            };
            before.iter().fold(groups.clone(), tighter)
        };
        for (family, targets) in self.families.iter().zip(targets) {
            let bound = within(&family.before);
            for &target in targets {
                let left = groups::shared(&family.left[target as usize], &bound, limit);
                if left < limit {
                    let (target, increment) = (family.key(target).to_vec(), family.increment);
                    return Err(InvalidReason::Earlier {
                        class: class(),
                        target,
                        increment,
                        left,
                        limit,
                    });
                }
            }
        }
        let left = groups::rows(&within(&self.newest));
        if left < limit {
            Err(InvalidReason::Newcomers {
                class: class(),
                left,
                limit,
            })
        } else {
            Ok(())
        }
    }

    /// The groups of each child of each class that changes.
    fn parts(
        &self,
        view: &SearchView<'_>,
        split: &NodeSplit,
    ) -> Result<Vec<Vec<Groups>>, InvalidReason> {
        let leaves = view.table.columns[split.column];
        let mut scratch = Counts::new(self.all.values().len());
        let mut parts = Vec::with_capacity(split.classes.len());
        for &class in &split.classes {
            let mut items: Vec<Vec<u32>> = vec![Vec::new(); split.children.len()];
            view.items(class)
                .iter()
                .for_each(|&item| items[split.part(leaves[item as usize])].push(item));
            for (child, items) in items
                .iter()
                .enumerate()
                .filter(|(_, items)| !items.is_empty())
            {
                let rows = items
                    .iter()
                    .map(|&item| view.table.rows[item as usize])
                    .sum();
                if rows < self.k {
                    return Err(InvalidReason::Rows {
                        class: view.child_nodes(class, split, child),
                        rows,
                        limit: self.k,
                    });
                }
            }
            parts.push(
                items
                    .iter()
                    .map(|items| scratch.groups(self.all, items))
                    .collect(),
            );
        }
        assert_eq!(parts.len(), split.classes.len(), "the parts of each class");
        Ok(parts)
    }

    /// The targets of a class that are comparable to each of its children.
    fn divide(&self, split: &NodeSplit, class: u32) -> Vec<Vec<Vec<u32>>> {
        let mut children = vec![vec![Vec::new(); self.families.len()]; split.children.len()];
        for (at, (family, targets)) in self
            .families
            .iter()
            .zip(&self.comparable[class as usize])
            .enumerate()
        {
            for &target in targets {
                let node = family.key(target)[split.column];
                if node <= split.node {
                    children.iter_mut().for_each(|child| child[at].push(target));
                } else {
                    children[split.part_of_node(node)][at].push(target);
                }
            }
        }
        children
    }
}

impl Validity for Bcf<'_> {
    type Trial = SplitTrial;

    fn start(&mut self, table: &SearchTable<'_>) -> Result<(), InvalidReason> {
        let items: Vec<u32> = (0..table.rows.len() as u32).collect();
        let now = Counts::new(self.all.values().len()).groups(self.all, &items);
        self.cells = (0..self.past.views.len())
            .map(|view| CellsByClass::start(self.past, view, &now))
            .collect();
        let all_rows: Vec<Vec<u32>> = self
            .families
            .iter()
            .map(|family| (0..family.left.len() as u32).collect())
            .collect();
        if !items.is_empty() {
            self.comparable.push(all_rows);
            let cells: Vec<&JoinCell> = self.cells.iter().map(|cells| cells.of(0)).collect();
            self.judge(&now, &cells, &self.comparable[0], || {
                vec![0; table.trees.len()]
            })?;
        }
        Ok(())
    }

    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<SplitTrial, InvalidReason> {
        let parts = self.parts(view, split)?;
        let cells: Vec<NewCells> = self
            .cells
            .iter()
            .map(|cells| cells.split(self.past, split, &parts))
            .collect();
        let mut comparable = Vec::with_capacity(parts.len());
        for (&class, parts) in split.classes.iter().zip(&parts) {
            let targets = self.divide(split, class);
            for (child, groups) in parts
                .iter()
                .enumerate()
                .filter(|(_, groups)| !groups.is_empty())
            {
                let cells: Vec<&JoinCell> = self
                    .cells
                    .iter()
                    .zip(&cells)
                    .map(|(cells, new)| cells.after(new, class, child))
                    .collect();
                self.judge(groups, &cells, &targets[child], || {
                    view.child_nodes(class, split, child)
                })?;
            }
            comparable.push(targets);
        }
        Ok(SplitTrial { cells, comparable })
    }

    fn accept(&mut self, split: &NodeSplit, trial: SplitTrial, made: &Accepted) {
        for (cells, new) in self.cells.iter_mut().zip(trial.cells) {
            cells.accept(split, new, made);
        }
        assert_eq!(
            trial.comparable.len(),
            made.len(),
            "the targets of each class"
        );
        for (mut children, made) in trial.comparable.into_iter().zip(made) {
            for &(child, class) in made {
                let targets = std::mem::take(&mut children[child]);
                if class == self.comparable.len() {
                    self.comparable.push(targets);
                } else {
                    self.comparable[class] = targets;
                }
            }
        }
    }
}

/// Sums rows by sensitive value.
struct Counts {
    rows: Vec<u64>,
    seen: Vec<u32>,
}

impl Counts {
    fn new(values: usize) -> Counts {
        Counts {
            rows: vec![0; values],
            seen: Vec::new(),
        }
    }

    /// The groups of several leaf tuples together.
    fn groups(&mut self, all: &Histogram, tuples: &[u32]) -> Groups {
        for cell in tuples
            .iter()
            .flat_map(|&tuple| all.cells_of(tuple as usize))
        {
            let rows = &mut self.rows[cell.value as usize];
            if *rows == 0 {
                self.seen.push(cell.value);
            }
            *rows += u64::from(cell.count);
        }
        self.seen.sort_unstable();
        self.seen
            .drain(..)
            .map(|value| (value, std::mem::take(&mut self.rows[value as usize])))
            .collect()
    }
}
