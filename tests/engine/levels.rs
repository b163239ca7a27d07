//! Full-domain searches against all states of small lattices, each generalised row by row (SCIENCE 8): every privacy model, every
//! objective, with and without suppression.

use std::collections::BTreeMap;

use tidegate::engine::anonymizer::levels::{
    Costs, Diverse, Found, Lattice, Mean, Objective, Privacy, Problem, Rows, Search,
};
use tidegate::engine::model::{Node, Taxonomy, Tree};

use crate::common::random::{self, Draw};
use crate::common::{Row, columns, tables};

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Goal {
    Loss(Mean, u64),
    Precision,
    Entropy,
    Discernibility,
    AverageSize,
}

const GOALS: [Goal; 6] = [
    Goal::Loss(Mean::Geometric, 1_000),
    Goal::Loss(Mean::Arithmetic, 400),
    Goal::Precision,
    Goal::Entropy,
    Goal::Discernibility,
    Goal::AverageSize,
];

const MODELS: [&[Diverse]; 6] = [
    &[],
    &[Diverse::Distinct(2)],
    &[Diverse::Entropy(1.7)],
    &[Diverse::Recursive { c: 1.5, l: 2 }],
    &[Diverse::Alpha(0.6), Diverse::Distinct(2)],
    &[Diverse::Close(0.4)],
];

/// A leaf and all above it.
fn path(tree: &Taxonomy, label: &str) -> Vec<Node> {
    let leaf = tree.find_leaf(label).expect("a leaf");
    std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node)).collect()
}

/// The classes of a state, row by row.
fn classes<'r>(rows: &'r [Row], trees: &[&Taxonomy], levels: &[u8]) -> BTreeMap<Vec<Node>, Vec<&'r Row>> {
    let mut found: BTreeMap<Vec<Node>, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let node = |((label, tree), &level): ((&String, &&Taxonomy), &u8)| {
            let path = path(tree, label);
            let height = tree.height(0) as usize + 1;
            path[(usize::from(level) + path.len()).saturating_sub(height)]
        };
        found.entry(row.0.iter().zip(trees).zip(levels).map(node).collect()).or_default().push(row);
    }
    found
}

fn shares(rows: &[&Row]) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    rows.iter().for_each(|row| *found.entry(row.1.clone()).or_insert(0.0) += 1.0 / rows.len() as f64);
    found
}

fn holds(diverse: &Diverse, class: &[&Row], all: &[&Row]) -> bool {
    let shares_here = shares(class);
    let mut sorted: Vec<f64> = shares_here.values().copied().collect();
    sorted.sort_by(|one, other| other.total_cmp(one));
    match *diverse {
        Diverse::Distinct(least) => sorted.len() as u64 >= least,
        Diverse::Entropy(least) => -sorted.iter().map(|share| share * share.ln()).sum::<f64>() >= least.ln() - 1e-12,
        Diverse::Recursive { c, l } => sorted[0] < c * sorted.iter().skip(l - 1).sum::<f64>() - 1e-12,
        Diverse::Alpha(most) => sorted[0] <= most + 1e-12,
        Diverse::Close(most) => {
            let whole = shares(all);
            let apart = |(value, share): (&String, &f64)| (share - shares_here.get(value).unwrap_or(&0.0)).abs();
            whole.iter().map(apart).sum::<f64>() / 2.0 <= most + 1e-12
        }
    }
}

/// Rows that a state suppresses, and its value.
fn state(
    rows: &[Row],
    trees: &[&Taxonomy],
    levels: &[u8],
    (privacy, goal, weights): (&Privacy, Goal, &[u32]),
) -> (u64, f64) {
    let all: Vec<&Row> = rows.iter().collect();
    let classes = classes(rows, trees, levels);
    let may = |class: &[&Row]| {
        class.len() as u64 >= privacy.k && privacy.diverse.iter().all(|diverse| holds(diverse, class, &all))
    };
    let count = rows.len() as f64;
    let suppressed: usize = classes.values().filter(|class| !may(class)).map(Vec::len).sum();
    let published = classes.values().filter(|class| may(class));
    let of_columns = |cost: &dyn Fn(usize, Node, &str, bool) -> f64, whole: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let of = |column: usize| {
            let rows = classes.iter().flat_map(|(nodes, class)| class.iter().map(move |row| (nodes, row, may(class))));
            let sum: f64 = rows.map(|(nodes, row, may)| cost(column, nodes[column], &row.0[column], may)).sum();
            if whole(column) == 0.0 { 0.0 } else { sum / whole(column) }
        };
        (0..trees.len()).map(of).collect()
    };
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    let geometric = |figures: Vec<f64>| {
        let powers = figures.iter().zip(weights).map(|(figure, &weight)| (figure + 1.0).powf(f64::from(weight) / sum));
        powers.product::<f64>() - 1.0
    };
    let arithmetic = |figures: Vec<f64>| {
        figures.iter().zip(weights).map(|(figure, &weight)| figure * f64::from(weight)).sum::<f64>() / sum
    };
    let value = match goal {
        Goal::Discernibility => {
            let squares: f64 = published.map(|class| (class.len() as f64).powi(2)).sum();
            (squares + suppressed as f64 * count) / count.powi(2)
        }
        Goal::AverageSize => count / (published.count() + usize::from(suppressed > 0)) as f64,
        Goal::Loss(mean, share) => {
            let cost = |column: usize, node: Node, _: &str, may: bool| {
                let tree = trees[column];
                let own = (tree.values(node) - 1) as f64 / (tree.values(0) - 1) as f64;
                if may { own } else { own + share as f64 / 1_000.0 * (1.0 - own) }
            };
            let figures = of_columns(&cost, &|_| count);
            match mean {
                Mean::Geometric => geometric(figures),
                Mean::Arithmetic => arithmetic(figures),
            }
        }
        Goal::Precision => {
            let top = |column: usize| f64::from(trees[column].height(0));
            let cost = |column: usize, _: Node, _: &str, may: bool| {
                if may { f64::from(levels[column]) / top(column) } else { 1.0 }
            };
            geometric(of_columns(&cost, &|_| count))
        }
        Goal::Entropy => {
            let many = |column: usize, node: Node| {
                let under = |row: &&Row| trees[column].covers(node, path(trees[column], &row.0[column])[0]);
                rows.iter().filter(under).count() as f64
            };
            let cost = |column: usize, node: Node, label: &str, may: bool| {
                let node = if may { node } else { 0 };
                (many(column, node) / many(column, path(trees[column], label)[0])).log2()
            };
            let whole = |column: usize| rows.iter().map(|row| cost(column, 0, &row.0[column], true)).sum();
            geometric(of_columns(&cost, &whole))
        }
    };
    (suppressed as u64, value)
}

fn states(lattice: &Lattice) -> Vec<Vec<u8>> {
    let (mut found, mut at) = (vec![lattice.bottom()], 0);
    while at < found.len() {
        let more: Vec<Vec<u8>> = lattice.children(&found[at]).collect();
        found.extend(more);
        at += 1;
    }
    found
}

/// A search finds what no state is better than.
fn is_optimal(found: &Found, all: &[(Vec<u8>, u64, f64)], limit: u64, text: &str) {
    let fit = all.iter().filter(|(_, suppressed, _)| *suppressed <= limit);
    let least = fit.clone().map(|(.., value)| *value).reduce(f64::min);
    assert_eq!(found.best.is_some(), least.is_some(), "{text}");
    let (Some(best), Some(least)) = (&found.best, least) else { return };
    // Entropies are counted in millionths of a bit.
    assert!((best.figure - least).abs() < 1e-5, "{text}: {} of {:?}, not {least}", best.figure, best.levels);
    let (_, suppressed, value) = all.iter().find(|(levels, ..)| *levels == best.levels).expect("a state");
    assert_eq!(best.suppressed, *suppressed, "{text}");
    assert!((value - best.figure).abs() < 1e-5, "{text}: {value}, not {}", best.figure);
    let rank = |levels: &[u8]| levels.iter().map(|&level| u64::from(level)).sum::<u64>();
    let ties = fit.filter(|(.., value)| (value - best.figure).abs() < 1e-12);
    let lowest = ties.map(|(levels, ..)| rank(levels)).min();
    assert!(lowest.is_none_or(|lowest| lowest >= rank(&best.levels)), "{text}: of equal states the lowest");
}

#[test]
fn searches_find_the_optimum_of_every_state() {
    random::run("levels", 80, |draw: &mut Draw| {
        let width = draw.between(1, 3) as usize;
        let columns = columns((0..width).map(|column| random::tree(draw, column, 3)).collect());
        let trees = columns.trees();
        let rows = random::rows(draw, &trees, 40, 4);
        let histogram = tables(&columns, &[], std::slice::from_ref(&rows)).histogram;
        let lattice = Lattice::of(&trees);
        let diverse = MODELS[draw.between(0, MODELS.len() as u64 - 1) as usize];
        let goal = GOALS[draw.between(0, GOALS.len() as u64 - 1) as usize];
        let privacy = Privacy { k: draw.between(1, 5), diverse: diverse.to_vec() };
        let limit = if draw.once_in(2) { 0 } else { draw.between(0, rows.len() as u64 / 2) };
        let weights: Vec<u32> = (0..width).map(|_| draw.between(1, 3) as u32).collect();
        // Values may be there though they are not looked at.
        let table = match privacy.looks_at_values() || draw.once_in(3) {
            true => Rows::with_values(&histogram),
            false => Rows::of_people(&histogram.headcount()),
        };
        let objective = match goal {
            Goal::Loss(mean, share) => {
                Objective::Columns(Costs::loss(&table, &lattice, &trees, share).with_mean(mean).weighted(&weights))
            }
            Goal::Precision => Objective::Columns(Costs::precision(&table, &lattice).weighted(&weights)),
            Goal::Entropy => Objective::Columns(Costs::entropy(&table, &lattice, &trees).weighted(&weights)),
            Goal::Discernibility => Objective::Discernibility,
            Goal::AverageSize => Objective::AverageSize,
        };
        let problem =
            Problem { rows: &table, lattice: &lattice, privacy: &privacy, suppressed: limit, objective: &objective };
        let all: Vec<(Vec<u8>, u64, f64)> = states(&lattice)
            .into_iter()
            .map(|levels| {
                let (suppressed, value) = state(&rows, &trees, &levels, (&privacy, goal, &weights));
                (levels, suppressed, value)
            })
            .collect();
        let text = format!("{goal:?} {weights:?} with {privacy:?}, at most {limit} of {} rows", rows.len());
        let best_first = Search::new(&problem).best_first(|_| false);
        is_optimal(&best_first, &all, limit, &text);
        is_optimal(&Search::new(&problem).flash(), &all, limit, &format!("{text}, Flash"));
        let greedy = Search::new(&problem).greedy();
        let fits = best_first.best.as_ref().map(|best| best.figure);
        let found = greedy.best.as_ref().map(|best| best.figure);
        assert!(found.zip(fits).is_none_or(|(found, best)| found >= best - 1e-9), "{text}: {found:?} and {fits:?}");
        // A search that is stopped says what no state is better than.
        let stopped = Search::new(&problem).best_first(|checked| checked > 3);
        let least = all.iter().filter(|state| state.1 <= limit).map(|state| state.2).reduce(f64::min);
        let known = stopped.best.map_or(f64::INFINITY, |best| best.figure).min(stopped.bound.unwrap_or(f64::INFINITY));
        assert!(least.is_none_or(|least| known <= least + 1e-5), "{text}: {known}, and {least:?}");
    });
}

/// A column of so many leaves under one root, each of which is so many values, and rows with these leaves and values.
fn flat(leaves: u64, size: u64, rows: &[(u64, u64)]) -> (Taxonomy, Rows) {
    let mut tree = Tree::new("*");
    (0..leaves).for_each(|leaf| _ = tree.add(0, &format!("{leaf}"), size));
    let tree = tree.finish().expect("a tree");
    let columns = columns(vec![tree.clone()]);
    let rows: Vec<Row> = rows.iter().map(|(leaf, value)| (vec![leaf.to_string()], format!("s{value}"))).collect();
    let histogram = tables(&columns, &[], &[rows]).histogram;
    (tree, Rows::with_values(&histogram))
}

/// The best state under a privacy model, with so many rows suppressed at most, and what is to be least.
fn best(tree: &Taxonomy, rows: &Rows, privacy: &Privacy, suppressed: u64, loss: bool) -> Option<(Vec<u8>, u64, u64)> {
    let trees = [tree];
    let lattice = Lattice::of(&trees);
    let objective = match loss {
        true => Objective::Columns(Costs::loss(rows, &lattice, &trees, 1_000)),
        false => Objective::Discernibility,
    };
    let problem = Problem { rows, lattice: &lattice, privacy, suppressed, objective: &objective };
    let found = Search::new(&problem).best_first(|_| false);
    found.best.map(|best| (best.levels, best.suppressed, found.checked))
}

/// 114 values that are equally frequent are worth 114 values, though exp and ln round.
#[test]
fn a_limit_that_is_met_exactly_is_met() {
    let (tree, rows) = flat(2, 1, &(0..114).map(|value| (0, value)).collect::<Vec<_>>());
    let privacy = Privacy { k: 1, diverse: vec![Diverse::Entropy(114.0)] };
    assert_eq!(best(&tree, &rows, &privacy, 0, true).map(|best| best.0), Some(vec![0]));
}

#[test]
fn domains_of_any_size_cost_what_they_cost() {
    let (tree, rows) = flat(2, u64::MAX / 4, &[(0, 0), (0, 1), (1, 2)]);
    let (levels, suppressed, _) = best(&tree, &rows, &Privacy::k(2), 1, true).expect("a state");
    // One row of three is suppressed, which costs less than half of everything beside the labels.
    assert_eq!((levels, suppressed), (vec![0], 1));
}

/// Where the best state cannot be better, no state of the same worth is looked at.
#[test]
fn states_of_one_worth_are_not_all_checked() {
    let (tree, rows) = flat(40, 1, &(0..40).map(|leaf| (leaf, 0)).collect::<Vec<_>>());
    let (levels, _, checked) = best(&tree, &rows, &Privacy::k(1), 0, false).expect("a state");
    assert_eq!((levels, checked), (vec![0], 2));
}

/// A search that may check nothing more says so with the bound of everything.
#[test]
fn a_search_that_is_stopped_at_once_knows_the_bound_of_everything() {
    let (tree, rows) = flat(3, 1, &[(0, 0), (1, 0), (2, 0), (0, 0)]);
    let trees = [&tree];
    let lattice = Lattice::of(&trees);
    let objective = Objective::Columns(Costs::loss(&rows, &lattice, &trees, 1_000));
    let (privacy, lattice) = (Privacy::k(2), &lattice);
    let problem = Problem { rows: &rows, lattice, privacy: &privacy, suppressed: 0, objective: &objective };
    let found = Search::new(&problem).best_first(|_| true);
    assert_eq!((found.bound, found.checked), (Some(0.0), 1));
    assert_eq!(found.best.map(|best| (best.levels, best.figure)), Some((vec![1], 1.0)));
}
