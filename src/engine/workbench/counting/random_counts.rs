//! Pseudo-random counting queries over two or three columns, and the error of their answers: a
//! measure of the value of a table for analysts with unknown questions. The same population has the
//! same queries in every run.

use super::answer::{Countable, TooManyCombinations};
use super::question::{Axis, Question};
use crate::arithmetic::SmallDraws;
use crate::histogram::Headcount;
use crate::model::{Leaf, Taxonomy};

/// The number of queries.
const COUNTS: usize = 200;
/// A query counts at least one in this many people.
const FEWEST: u64 = 200;
/// The most attempts to draw a query that counts enough people.
const TRIES: usize = 50;
const SEED: u64 = 5;

/// Queries over the quasi columns of a population, by the names of the columns.
#[derive(Debug, Clone)]
pub struct RandomCounts(Vec<Count>);

#[derive(Debug, Clone)]
struct Count {
    /// The columns, each once, and for each of their leaves whether the query wants it.
    columns: Vec<(usize, Vec<bool>)>,
    /// The number of people that match.
    people: u64,
}

/// The relative errors of the answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountError {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
}

impl RandomCounts {
    /// Draws queries for a population, each of which counts at least half a percent of it.
    pub fn draw(people: &Headcount, trees: &[&Taxonomy]) -> RandomCounts {
        assert_eq!(people.width(), trees.len(), "one taxonomy for each column");
        if trees.is_empty() || people.is_empty() {
            return RandomCounts(Vec::new());
        }
        let mut source = SmallDraws::new(SEED);
        RandomCounts(
            (0..COUNTS)
                .filter_map(|_| Count::draw(people, trees, &mut source))
                .collect(),
        )
    }

    /// The errors |answer − people| / people of the answers; `None` if there are no queries. The
    /// table has `values` sensitive values, and `column` maps a column of the population to one of
    /// the table; rows are spread evenly over the leaves of a missing column.
    ///
    /// # Errors
    /// A query has too many combinations of labels.
    pub fn error(
        &self,
        table: &Countable,
        values: usize,
        column: impl Fn(usize) -> Option<usize>,
    ) -> Result<Option<CountError>, TooManyCombinations> {
        let off = |count: &Count| {
            let answer = table.count(&count.question(values, &column))?[0].estimate
                * count.share_of_absent(&column);
            Ok((answer - count.people as f64).abs() / count.people as f64)
        };
        let mut errors = self
            .0
            .iter()
            .map(off)
            .collect::<Result<Vec<f64>, TooManyCombinations>>()?;
        if errors.is_empty() {
            return Ok(None);
        }
        errors.sort_unstable_by(f64::total_cmp);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let middle = errors.len() / 2;
        let median = if errors.len() % 2 == 1 {
            errors[middle]
        } else {
            (errors[middle - 1] + errors[middle]) / 2.0
        };
        Ok(Some(CountError { mean, median }))
    }
}

impl Count {
    fn draw(people: &Headcount, trees: &[&Taxonomy], source: &mut SmallDraws) -> Option<Count> {
        for _ in 0..TRIES {
            let mut count = Count {
                columns: columns(trees, source),
                people: 0,
            };
            let of_tuple = |tuple: usize| {
                if count.asks_for(people, tuple) {
                    people.count(tuple)
                } else {
                    0
                }
            };
            count.people = (0..people.tuples()).map(of_tuple).sum();
            if count.people * FEWEST >= people.rows() {
                return Some(count);
            }
        }
        None
    }

    fn asks_for(&self, people: &Headcount, tuple: usize) -> bool {
        self.columns
            .iter()
            .all(|(column, wanted)| wanted[people.column(*column)[tuple] as usize])
    }

    fn question(&self, values: usize, place: impl Fn(usize) -> Option<usize>) -> Question {
        let axis = |(column, wanted): &(usize, Vec<bool>)| {
            place(*column)
                .map(|column| Axis::some(column, wanted.len(), |leaf: Leaf| wanted[leaf as usize]))
        };
        Question::of_all_rows(self.columns.iter().filter_map(axis).collect(), values)
    }

    fn share_of_absent(&self, place: impl Fn(usize) -> Option<usize>) -> f64 {
        let share = |wanted: &Vec<bool>| {
            wanted.iter().filter(|&&wanted| wanted).count() as f64 / wanted.len() as f64
        };
        self.columns
            .iter()
            .filter(|(column, _)| place(*column).is_none())
            .map(|(_, wanted)| share(wanted))
            .product()
    }
}

/// Two or three columns, and in each of them a run of leaves or any set of leaves.
fn columns(trees: &[&Taxonomy], source: &mut SmallDraws) -> Vec<(usize, Vec<bool>)> {
    let number = (2 + below(2, source)).min(trees.len());
    let mut all: Vec<usize> = (0..trees.len()).collect();
    for at in 0..number {
        all.swap(at, at + below(trees.len() - at, source));
    }
    all.truncate(number);
    all.into_iter()
        .map(|column| (column, leaves(trees[column].leaves(), source)))
        .collect()
}

fn leaves(leaves: usize, source: &mut SmallDraws) -> Vec<bool> {
    if below(2, source) == 0 {
        let ends = [below(leaves, source), below(leaves, source)];
        return (0..leaves)
            .map(|leaf| ends[0].min(ends[1]) <= leaf && leaf <= ends[0].max(ends[1]))
            .collect();
    }
    let sure = below(leaves, source);
    (0..leaves)
        .map(|leaf| leaf == sure || below(2, source) == 0)
        .collect()
}

/// A number below another one.
fn below(end: usize, source: &mut SmallDraws) -> usize {
    assert!(end > 0, "there is something to draw");
    ((source.share() * end as f64) as usize).min(end - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::Method;
    use crate::histogram::{Cell, Histogram, Release, SensitiveValues};
    use crate::model::{Cut, Tree};

    fn tree(name: &str, leaves: u32) -> Taxonomy {
        let mut tree = Tree::new("*");
        (0..leaves).for_each(|leaf| _ = tree.add(0, &format!("{name}{leaf}"), 1));
        tree.finish().expect("a tree")
    }

    /// The error of queries over 6 × 4 leaves from a table with such cuts; `rows` gives the number
    /// of people with two leaves.
    fn error(
        cuts: impl Fn(&Taxonomy) -> Cut,
        rows: impl Fn(u32, u32) -> u32,
        second: Option<usize>,
    ) -> CountError {
        let trees = [tree("a", 6), tree("b", 4)];
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let tuples: Vec<(u32, u32)> = (0..6).flat_map(|a| (0..4).map(move |b| (a, b))).collect();
        let columns = [
            tuples.iter().map(|tuple| tuple.0).collect(),
            tuples.iter().map(|tuple| tuple.1).collect(),
        ];
        let cells: Vec<Cell> = tuples
            .iter()
            .map(|&(a, b)| Cell {
                increment: 0,
                value: 0,
                count: rows(a, b),
            })
            .collect();
        let (values, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
        let people = Histogram::of_counts(&columns, values, &cells);
        let recoding: Vec<Cut> = trees.iter().map(|tree| cuts(tree)).collect();
        let table = Countable::learn(
            &[Release::under(&people, 0..1, &recoding)],
            &trees,
            Method::Uniform,
        );
        let counts = RandomCounts::draw(&people.headcount(), &trees);
        let place = |column: usize| if column == 0 { Some(0) } else { second };
        counts
            .error(&table, 1, place)
            .expect("few combinations")
            .expect("counts")
    }

    #[test]
    fn counts_are_wrong_by_what_labels_hide() {
        let none = CountError {
            mean: 0.0,
            median: 0.0,
        };
        let skewed = |a: u32, b: u32| 1 + a * a + 3 * b;
        assert_eq!(error(Cut::leaves, skewed, Some(1)), none);
        let hidden = error(Cut::root, skewed, Some(1));
        assert!(hidden.mean > 0.2 && hidden.median > 0.05, "{hidden:?}");
        // A missing column is assumed to be spread evenly, as it is here.
        let even = error(Cut::leaves, |a, _| 1 + a, None);
        assert!(even.mean < 1e-9, "{even:?}");
        assert!(error(Cut::leaves, skewed, None).mean > 0.05);
    }
}
