//! Random COUNT queries: conjunctions over two or three columns, in each of which they want a range of leaves or any set of them.

use tidegate::engine::counting::{Axis, Method, Question, count};
use tidegate::engine::histogram::{Histogram, Release};
use tidegate::engine::model::{Leaf, Taxonomy};

use crate::common::random::Draw;
use crate::grid::{Area, DIMENSIONS, Grid};

/// Sets of columns that are drawn.
const SETS: usize = 40;
/// Queries of each set.
const QUERIES: usize = 25;
/// A query counts one in so many people at least.
const FEWEST: f64 = 200.0;
/// Rounds of the estimator.
const ROUNDS: u32 = 30;
/// Where queries are drawn from.
const SEED: u64 = 11;

/// Which leaves a query wants, and how many people there are.
struct Query {
    wanted: [Vec<bool>; DIMENSIONS],
    people: f64,
}

/// Queries over the same columns.
struct Set {
    columns: Vec<usize>,
    queries: Vec<Query>,
}

/// All queries of a population.
pub struct Queries {
    sets: Vec<Set>,
}

/// The mean of |estimate − people| / people.
#[derive(Clone, Copy, Default)]
pub struct Errors {
    /// Each row spread evenly over the leaves under its label.
    pub even: f64,
    /// Each row spread by the distribution under which the labels are most likely.
    pub em: f64,
}

impl Queries {
    /// Queries that count enough of these people; the same for the same people, whatever their order.
    pub fn draw(people: &[Vec<Leaf>], trees: &[&Taxonomy]) -> Queries {
        let mut draw = Draw::new(SEED, 0);
        Queries { sets: (0..SETS).map(|_| Set::draw(people, trees, &mut draw)).collect() }
    }

    /// How far estimates from a release lie off. Its taxonomies may have other inner nodes than those of the draw.
    pub fn errors(&self, release: &Release, trees: &[&Taxonomy]) -> Errors {
        let mut sum = Errors::default();
        for Set { columns, queries } in &self.sets {
            let (sides, labels) = (sides(columns, trees), labels(release, columns, trees));
            let off = |rounds: u32| -> f64 {
                let estimate = Grid::spread(sides, &labels, rounds);
                queries.iter().map(|query| (estimate.picked(&query.wanted) - query.people).abs() / query.people).sum()
            };
            sum = Errors { even: sum.even + off(1), em: sum.em + off(ROUNDS) };
        }
        let number = (SETS * QUERIES) as f64;
        Errors { even: sum.even / number, em: sum.em / number }
    }

    /// The share of every fifth query, of those over published rows alone, for which the truth lies within 1.96 standard errors of
    /// the estimate.
    pub fn held(&self, release: &Release, trees: &[&Taxonomy], waiting: &Histogram) -> f64 {
        let asked = self.sets.iter().flat_map(|set| set.queries.iter().step_by(5).map(|query| (&set.columns, query)));
        let holds: Vec<bool> = asked.map(|(columns, query)| query.holds(columns, (release, trees), waiting)).collect();
        holds.iter().filter(|holds| **holds).count() as f64 / holds.len() as f64
    }

    /// The mean share of the people that a query counts.
    pub fn share(&self, people: usize) -> f64 {
        let counted: f64 = self.sets.iter().flat_map(|set| &set.queries).map(|query| query.people).sum();
        counted / (SETS * QUERIES) as f64 / people as f64
    }
}

impl Query {
    fn holds(&self, columns: &[usize], (release, trees): (&Release, &[&Taxonomy]), waiting: &Histogram) -> bool {
        let wants =
            |leaves: &[Leaf]| columns.iter().zip(&self.wanted).all(|(&column, wanted)| wanted[leaves[column] as usize]);
        let rows_of = |tuple| waiting.cells_of(tuple).iter().map(|cell| f64::from(cell.count)).sum::<f64>();
        let wait = (0..waiting.tuples()).filter(|&tuple| wants(&waiting.tuple_at(tuple).collect::<Vec<_>>()));
        let truth = self.people - wait.map(rows_of).sum::<f64>();
        let axis = |(&column, wanted): (&usize, &Vec<bool>)| {
            Axis::some(column, trees[column].leaves(), |leaf| wanted[leaf as usize])
        };
        let question = Question::of_everybody(columns.iter().zip(&self.wanted).map(axis).collect(), 1);
        let found = count(release, &question, trees, Method::Em).expect("few columns")[0];
        assert!(found.low as f64 <= truth && truth <= found.high as f64, "{truth}, {found:?}");
        (found.estimate - truth).abs() <= 1.96 * found.standard_error.expect("EM has one")
    }
}

impl Set {
    fn draw(people: &[Vec<Leaf>], trees: &[&Taxonomy], draw: &mut Draw) -> Set {
        let number = draw.between(2, DIMENSIONS as u64) as usize;
        let columns = some(trees.len(), number, draw);
        let sides = sides(&columns, trees);
        let cell = |person: &Vec<Leaf>| {
            std::array::from_fn(|axis| columns.get(axis).map_or(0, |&column| person[column] as usize))
        };
        let counted = Grid::counted(sides, people.iter().map(cell));
        let mut queries = Vec::new();
        while queries.len() < QUERIES {
            let wanted = sides.map(|leaves| if leaves > 1 { leaves_of(leaves, draw) } else { vec![true] });
            let found = counted.picked(&wanted);
            if found * FEWEST >= people.len() as f64 {
                queries.push(Query { wanted, people: found });
            }
        }
        Set { columns, queries }
    }
}

fn sides(columns: &[usize], trees: &[&Taxonomy]) -> [usize; DIMENSIONS] {
    std::array::from_fn(|axis| columns.get(axis).map_or(1, |&column| trees[column].leaves()))
}

/// The rows under each label, as far as these columns tell labels apart.
fn labels(release: &Release, columns: &[usize], trees: &[&Taxonomy]) -> Vec<(Area, f64)> {
    let label = |class: usize| -> Area {
        let leaves = |&column: &usize| {
            let range = trees[column].leaf_range(release.class(class)[column]);
            range.start as usize..range.end as usize
        };
        std::array::from_fn(|axis| columns.get(axis).map_or(0..1, leaves))
    };
    (0..release.classes()).map(|class| (label(class), release.size(class) as f64)).collect()
}

/// The leaves that a query wants of so many.
fn leaves_of(leaves: usize, draw: &mut Draw) -> Vec<bool> {
    let mut wanted = vec![false; leaves];
    let last = leaves as u64 - 1;
    if draw.once_in(2) {
        let ends = [draw.between(0, last) as usize, draw.between(0, last) as usize];
        wanted[ends[0].min(ends[1])..=ends[0].max(ends[1])].fill(true);
    } else {
        let number = draw.between(1, last) as usize;
        some(leaves, number, draw).into_iter().for_each(|leaf| wanted[leaf] = true);
    }
    wanted
}

/// So many different numbers below a bound.
fn some(below: usize, many: usize, draw: &mut Draw) -> Vec<usize> {
    let mut all: Vec<usize> = (0..below).collect();
    (0..many).for_each(|at| all.swap(at, draw.between(at as u64, below as u64 - 1) as usize));
    all.truncate(many);
    all
}
