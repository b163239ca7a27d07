//! COUNT queries on a release in two tables, and the errors of their estimates (the minimality
//! paper, 7.2, with the queries of Anatomy): each names values of some quasi columns and of the
//! sensitive one, as many of each column as make the whole query select the wanted share of a table
//! in which all values are equally likely.

use tidegate::engine::histogram::{Histogram, Release};
use tidegate::engine::model::Taxonomy;
use tidegate::engine::safeguards::mask::Draws;

/// Draws of a query until it selects a person.
const TRIES: u32 = 1000;

/// A masked release that is queried.
pub struct Asked<'a> {
    /// Each person with their true values.
    pub raw: &'a Histogram,
    /// Each person as the two tables show them.
    pub shown: &'a Histogram,
    /// Their classes.
    pub table: &'a Release,
    /// The trees of the quasi columns.
    pub trees: &'a [&'a Taxonomy],
}

/// A query: which leaves of which columns, and which sensitive values by their text.
struct Query {
    quasi: Vec<(usize, Vec<bool>)>,
    values: Vec<usize>,
}

impl Asked<'_> {
    /// The mean of |estimate − actual| / actual over this many queries of `dimensions` quasi
    /// columns that select a share of about `selectivity`.
    pub fn error(
        &self,
        queries: u32,
        dimensions: usize,
        selectivity: f64,
        chance: &mut dyn Draws,
    ) -> f64 {
        let class_of = self.class_of();
        let sum: f64 = (0..queries)
            .map(|_| self.one(dimensions, selectivity, &class_of, chance))
            .sum();
        sum / f64::from(queries)
    }

    fn one(
        &self,
        dimensions: usize,
        selectivity: f64,
        class_of: &[usize],
        chance: &mut dyn Draws,
    ) -> f64 {
        for _ in 0..TRIES {
            let query = self.drawn(dimensions, selectivity, chance);
            let actual = self.actual(&query);
            if actual > 0 {
                return (self.estimate(&query, class_of) - actual as f64).abs() / actual as f64;
            }
        }
        panic!("no query picks anybody");
    }

    fn drawn(&self, dimensions: usize, selectivity: f64, chance: &mut dyn Draws) -> Query {
        let share = selectivity.powf(1.0 / (dimensions as f64 + 1.0));
        let quasi = some(self.trees.len(), dimensions, chance)
            .into_iter()
            .map(|column| {
                let leaves = self.trees[column].leaves();
                let mut wanted = vec![false; leaves];
                some(leaves, of(leaves, share), chance)
                    .into_iter()
                    .for_each(|leaf| wanted[leaf] = true);
                (column, wanted)
            });
        let quasi = quasi.collect();
        let values = self.raw.values().len();
        Query {
            quasi,
            values: some(values, of(values, share), chance),
        }
    }

    /// The class of each published leaf tuple.
    fn class_of(&self) -> Vec<usize> {
        let recoding = self.table.recoding();
        let class = |tuple: usize| {
            let nodes: Vec<u32> = recoding
                .iter()
                .zip(self.shown.tuple_at(tuple))
                .map(|(cut, leaf)| cut.at(leaf))
                .collect();
            self.table.find(&nodes).expect("a class")
        };
        (0..self.shown.tuples()).map(class).collect()
    }

    fn actual(&self, query: &Query) -> u64 {
        let wanted = known(query.values.iter().copied(), self.raw.values().len());
        let cells = (0..self.raw.tuples()).filter(|&tuple| query.picks(self.raw, tuple));
        let cells = cells
            .flat_map(|tuple| self.raw.cells_of(tuple))
            .filter(|cell| wanted[cell.value as usize]);
        cells.map(|cell| u64::from(cell.count)).sum()
    }

    /// Per class the people whom the query selects, times the share of values that it selects.
    fn estimate(&self, query: &Query, class_of: &[usize]) -> f64 {
        let (raw, shown) = (self.raw.values(), self.shown.values());
        let text = |at: &usize| raw.get(*at as u32);
        let named = |code: &usize| {
            query
                .values
                .iter()
                .any(|at| text(at) == shown.get(*code as u32))
        };
        let wanted = known((0..shown.len()).filter(named), shown.len());
        let mut people = vec![0u64; self.table.classes()];
        for (tuple, &class) in class_of
            .iter()
            .enumerate()
            .filter(|(tuple, _)| query.picks(self.shown, *tuple))
        {
            people[class] += self
                .shown
                .cells_of(tuple)
                .iter()
                .map(|cell| u64::from(cell.count))
                .sum::<u64>();
        }
        let share = |class: usize| {
            let picked = self
                .table
                .range(class)
                .filter(|&group| wanted[self.table.values()[group] as usize]);
            picked.map(|group| self.table.counts()[group]).sum::<u64>() as f64
                / self.table.size(class) as f64
        };
        let classes = people
            .into_iter()
            .enumerate()
            .filter(|(_, people)| *people > 0);
        classes
            .map(|(class, people)| people as f64 * share(class))
            .sum()
    }
}

impl Query {
    fn picks(&self, rows: &Histogram, tuple: usize) -> bool {
        self.quasi
            .iter()
            .all(|(column, wanted)| wanted[rows.column(*column)[tuple] as usize])
    }
}

/// A share of a number, at least one.
fn of(many: usize, share: f64) -> usize {
    ((many as f64 * share).ceil() as usize).clamp(1, many)
}

fn known(which: impl Iterator<Item = usize>, of: usize) -> Vec<bool> {
    let mut known = vec![false; of];
    which.for_each(|at| known[at] = true);
    known
}

/// This many different numbers below a bound.
fn some(below: usize, many: usize, chance: &mut dyn Draws) -> Vec<usize> {
    let mut all: Vec<usize> = (0..below).collect();
    for at in 0..many {
        let other = at + chance.below((below - at) as u64) as usize;
        all.swap(at, other);
    }
    all.truncate(many);
    all
}
