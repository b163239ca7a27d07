//! Random COUNT queries: conjunctions over two or three columns, each with a range of leaves or any
//! set of them.

use tidegate::engine::counting::{Axis, CellEstimate, Countable, Question};
use tidegate::engine::histogram::Histogram;
use tidegate::engine::model::{Leaf, Taxonomy};

use crate::common::random::Draw;
use crate::grid::{DIMENSIONS, Grid};

/// The number of column sets that are drawn.
const SETS: usize = 40;
/// Queries of each set.
const QUERIES: usize = 25;
/// A query counts at least one person in this many.
const FEWEST: f64 = 200.0;
/// The seed of the queries.
const SEED: u64 = 11;

/// The leaves that a query asks for, and how many people have them.
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

/// Errors and intervals for published rows.
#[derive(Clone, Copy, Default)]
pub struct Intervals {
    /// The mean of |estimate − rows| / rows.
    pub error: f64,
    /// The share of queries in which the true count is within 1.96 standard errors of the estimate.
    pub held: f64,
    /// The median width of these intervals, as a share of the rows.
    pub width: f64,
}

impl Queries {
    /// Queries that count enough of these people; the same for the same people, whatever their
    /// order.
    pub fn draw(people: &[Vec<Leaf>], trees: &[&Taxonomy]) -> Queries {
        let mut draw = Draw::new(SEED, 0);
        Queries {
            sets: (0..SETS)
                .map(|_| Set::draw(people, trees, &mut draw))
                .collect(),
        }
    }

    /// The estimate of each query. The taxonomies may have other inner nodes than those of the
    /// draw.
    pub fn counted(&self, countable: &Countable, trees: &[&Taxonomy]) -> Vec<CellEstimate> {
        self.all()
            .map(|(columns, query)| {
                countable
                    .count(&query.question(columns, trees))
                    .expect("few columns")[0]
            })
            .collect()
    }

    /// The error of the estimates against all people.
    pub fn error(&self, counted: &[CellEstimate]) -> f64 {
        let off = self
            .all()
            .zip(counted)
            .map(|((_, query), of)| (of.estimate - query.people).abs() / query.people);
        off.sum::<f64>() / counted.len() as f64
    }

    /// The same, against the published people.
    pub fn published(&self, counted: &[CellEstimate], waiting: &Histogram) -> Intervals {
        let mut all = Intervals::default();
        let mut widths = Vec::new();
        for ((columns, query), of) in self.all().zip(counted) {
            let truth = query.people - query.waiting(columns, waiting);
            assert!(
                of.low as f64 <= truth && truth <= of.high as f64,
                "{truth}, {of:?}"
            );
            let off = (of.estimate - truth).abs();
            let half = 1.96 * of.standard_error.expect("EM has one");
            all.error += off / truth.max(1.0) / counted.len() as f64;
            all.held += f64::from(u8::from(off <= half + 1e-6)) / counted.len() as f64;
            widths.push(2.0 * half / truth.max(1.0));
        }
        widths.sort_by(f64::total_cmp);
        Intervals {
            width: widths[widths.len() / 2],
            ..all
        }
    }

    /// The published people of each query, and the estimate.
    pub fn points(&self, counted: &[CellEstimate], waiting: &Histogram) -> Vec<(f64, f64)> {
        let point = |((columns, query), of): ((&[usize], &Query), &CellEstimate)| {
            (query.people - query.waiting(columns, waiting), of.estimate)
        };
        self.all().zip(counted).map(point).collect()
    }

    fn all(&self) -> impl Iterator<Item = (&[usize], &Query)> {
        self.sets
            .iter()
            .flat_map(|set| set.queries.iter().map(|query| (&*set.columns, query)))
    }

    /// The mean share of the people that a query counts.
    pub fn share(&self, people: usize) -> f64 {
        let counted: f64 = self
            .sets
            .iter()
            .flat_map(|set| &set.queries)
            .map(|query| query.people)
            .sum();
        counted / (SETS * QUERIES) as f64 / people as f64
    }
}

impl Query {
    fn question(&self, columns: &[usize], trees: &[&Taxonomy]) -> Question {
        let axis = |(&column, wanted): (&usize, &Vec<bool>)| {
            Axis::some(column, trees[column].leaves(), |leaf| wanted[leaf as usize])
        };
        Question::of_all_rows(columns.iter().zip(&self.wanted).map(axis).collect(), 1)
    }

    /// The number of its people who wait.
    fn waiting(&self, columns: &[usize], waiting: &Histogram) -> f64 {
        let wants = |leaves: &[Leaf]| {
            columns
                .iter()
                .zip(&self.wanted)
                .all(|(&column, wanted)| wanted[leaves[column] as usize])
        };
        let rows_of = |tuple| {
            waiting
                .cells_of(tuple)
                .iter()
                .map(|cell| f64::from(cell.count))
                .sum::<f64>()
        };
        let wait = (0..waiting.tuples())
            .filter(|&tuple| wants(&waiting.tuple_at(tuple).collect::<Vec<_>>()));
        wait.map(rows_of).sum()
    }
}

impl Set {
    fn draw(people: &[Vec<Leaf>], trees: &[&Taxonomy], draw: &mut Draw) -> Set {
        let number = draw.between(2, DIMENSIONS as u64) as usize;
        let columns = some(trees.len(), number, draw);
        let sides = sides(&columns, trees);
        let cell = |person: &Vec<Leaf>| {
            std::array::from_fn(|axis| {
                columns
                    .get(axis)
                    .map_or(0, |&column| person[column] as usize)
            })
        };
        let counted = Grid::counted(sides, people.iter().map(cell));
        let mut queries = Vec::new();
        while queries.len() < QUERIES {
            let wanted = sides.map(|leaves| {
                if leaves > 1 {
                    leaves_of(leaves, draw)
                } else {
                    vec![true]
                }
            });
            let found = counted.picked(&wanted);
            if found * FEWEST >= people.len() as f64 {
                queries.push(Query {
                    wanted,
                    people: found,
                });
            }
        }
        Set { columns, queries }
    }
}

fn sides(columns: &[usize], trees: &[&Taxonomy]) -> [usize; DIMENSIONS] {
    std::array::from_fn(|axis| {
        columns
            .get(axis)
            .map_or(1, |&column| trees[column].leaves())
    })
}

/// The leaves, of this many, that a query asks for.
fn leaves_of(leaves: usize, draw: &mut Draw) -> Vec<bool> {
    let mut wanted = vec![false; leaves];
    let last = leaves as u64 - 1;
    if draw.once_in(2) {
        let ends = [
            draw.between(0, last) as usize,
            draw.between(0, last) as usize,
        ];
        wanted[ends[0].min(ends[1])..=ends[0].max(ends[1])].fill(true);
    } else {
        let number = draw.between(1, last) as usize;
        some(leaves, number, draw)
            .into_iter()
            .for_each(|leaf| wanted[leaf] = true);
    }
    wanted
}

/// This many different numbers below a bound.
fn some(below: usize, many: usize, draw: &mut Draw) -> Vec<usize> {
    let mut all: Vec<usize> = (0..below).collect();
    (0..many).for_each(|at| all.swap(at, draw.between(at as u64, below as u64 - 1) as usize));
    all.truncate(many);
    all
}
