//! Full-domain searches against all states of small lattices, each generalised row by row (SCIENCE
//! 8): every privacy model, every objective, with and without suppression.

mod definition;

use tidegate::engine::label::levels::{
    Costs, DistinctRows, Diverse, EarlierReleases, Lattice, LevelsProblem, LevelsResult,
    LevelsSearch, Mean, Objective, Privacy, flash, greedy,
};
use tidegate::engine::model::{Cut, Recoding, Taxonomy, Tree};

use crate::common::random::{self, Draw};
use crate::common::{Row, columns, tables};
use definition::{GOALS, Goal, Values, is_valid, model, state, states};

/// Checks that no state is better than the result of a search.
fn is_optimal(found: &LevelsResult, all: &[(Vec<u8>, u64, f64)], limit: u64, text: &str) {
    let fit = all.iter().filter(|(_, suppressed, _)| *suppressed <= limit);
    let least = fit.clone().map(|(.., value)| *value).reduce(f64::min);
    assert_eq!(found.best.is_some(), least.is_some(), "{text}");
    let (Some(best), Some(least)) = (&found.best, least) else {
        return;
    };
    // Entropies are counted in millionths of a bit.
    assert!(
        (best.figure - least).abs() < 1e-5,
        "{text}: {} of {:?}, not {least}",
        best.figure,
        best.levels
    );
    let (_, suppressed, value) = all
        .iter()
        .find(|(levels, ..)| *levels == best.levels)
        .expect("a state");
    assert_eq!(best.suppressed, *suppressed, "{text}");
    assert!(
        (value - best.figure).abs() < 1e-5,
        "{text}: {value}, not {}",
        best.figure
    );
    let rank = |levels: &[u8]| levels.iter().map(|&level| u64::from(level)).sum::<u64>();
    let ties = fit.filter(|(.., value)| (value - best.figure).abs() < 1e-12);
    let lowest = ties.map(|(levels, ..)| rank(levels)).min();
    assert!(
        lowest.is_none_or(|lowest| lowest >= rank(&best.levels)),
        "{text}: of equal states the lowest"
    );
}

#[test]
fn searches_find_the_optimum_of_every_state() {
    random::run("levels", 80, |draw: &mut Draw| {
        let width = draw.between(1, 3) as usize;
        let columns = columns(
            (0..width)
                .map(|column| random::tree(draw, column, 3))
                .collect(),
        );
        let trees = columns.trees();
        let rows = random::rows(draw, &trees, 40, 4);
        let histogram = tables(&columns, &[], std::slice::from_ref(&rows)).histogram;
        let lattice = Lattice::of(&trees);
        let values = Values::of(draw, &histogram);
        let diverse = model(draw, &DistinctRows::with_values(&histogram), &values);
        let goal = GOALS[draw.between(0, GOALS.len() as u64 - 1) as usize];
        let privacy = Privacy {
            k: draw.between(1, 5),
            diverse,
        };
        let limit = if draw.once_in(2) {
            0
        } else {
            draw.between(0, rows.len() as u64 / 2)
        };
        let weights: Vec<u32> = (0..width).map(|_| draw.between(1, 3) as u32).collect();
        // Values may be present although they are not read.
        let table = match privacy.looks_at_values() || draw.once_in(3) {
            true => DistinctRows::with_values(&histogram),
            false => DistinctRows::of_people(&histogram.headcount()),
        };
        let objective = match goal {
            Goal::Loss(mean, share) => Objective::Columns(
                Costs::loss(&table, &lattice, &trees, share)
                    .with_mean(mean)
                    .weighted(&weights),
            ),
            Goal::Precision => {
                Objective::Columns(Costs::precision(&table, &lattice).weighted(&weights))
            }
            Goal::Entropy => {
                Objective::Columns(Costs::entropy(&table, &lattice, &trees).weighted(&weights))
            }
            Goal::Discernibility => Objective::Discernibility,
            Goal::AverageSize => Objective::AverageSize,
        };
        let problem = LevelsProblem {
            rows: &table,
            lattice: &lattice,
            privacy: &privacy,
            suppressed: limit,
            objective: &objective,
        };
        let all: Vec<(Vec<u8>, u64, f64)> = states(&lattice)
            .into_iter()
            .map(|levels| {
                let (suppressed, value) =
                    state(&rows, &trees, &levels, (&privacy, goal, &weights), &values);
                (levels, suppressed, value)
            })
            .collect();
        let text = format!(
            "{goal:?} {weights:?} with {privacy:?}, at most {limit} of {} rows",
            rows.len()
        );
        let best_first = LevelsSearch::new(&problem).best_first(|_| false);
        is_optimal(&best_first, &all, limit, &text);
        let thorough = LevelsSearch::new(&problem).thorough().best_first(|_| false);
        is_optimal(&thorough, &all, limit, &format!("{text}, thorough"));
        assert_eq!(
            thorough.best.map(|best| best.levels),
            best_first.best.clone().map(|best| best.levels),
            "{text}"
        );
        let unpredicted = LevelsSearch::new(&problem)
            .without_prediction()
            .best_first(|_| false);
        is_optimal(
            &unpredicted,
            &all,
            limit,
            &format!("{text}, without prediction"),
        );
        is_optimal(
            &flash(LevelsSearch::new(&problem)),
            &all,
            limit,
            &format!("{text}, Flash"),
        );
        let greedy = greedy(LevelsSearch::new(&problem));
        let fits = best_first.best.as_ref().map(|best| best.figure);
        let found = greedy.best.as_ref().map(|best| best.figure);
        assert!(
            found
                .zip(fits)
                .is_none_or(|(found, best)| found >= best - 1e-9),
            "{text}: {found:?} and {fits:?}"
        );
        // A search that is stopped gives a bound that no state is better than.
        let stopped = LevelsSearch::new(&problem)
            .thorough()
            .best_first(|checked| checked > 3);
        let least = all
            .iter()
            .filter(|state| state.1 <= limit)
            .map(|state| state.2)
            .reduce(f64::min);
        let known = stopped
            .best
            .map_or(f64::INFINITY, |best| best.figure)
            .min(stopped.bound.unwrap_or(f64::INFINITY));
        assert!(
            least.is_none_or(|least| known <= least + 1e-5),
            "{text}: {known}, and {least:?}"
        );
    });
}

/// A column of this many leaves under one root, each of this many values, and rows with these
/// leaves and values.
fn flat(leaves: u64, size: u64, rows: &[(u64, u64)]) -> (Taxonomy, DistinctRows) {
    let mut tree = Tree::new("*");
    (0..leaves).for_each(|leaf| _ = tree.add(0, &format!("{leaf}"), size));
    let tree = tree.finish().expect("a tree");
    let columns = columns(vec![tree.clone()]);
    let rows: Vec<Row> = rows
        .iter()
        .map(|(leaf, value)| (vec![leaf.to_string()], format!("s{value}")))
        .collect();
    let histogram = tables(&columns, &[], &[rows]).histogram;
    (tree, DistinctRows::with_values(&histogram))
}

/// The best state under a privacy model and an objective, with at most this many suppressed rows.
fn best(
    tree: &Taxonomy,
    rows: &DistinctRows,
    privacy: &Privacy,
    suppressed: u64,
    loss: bool,
) -> Option<(Vec<u8>, u64, u64)> {
    let trees = [tree];
    let lattice = Lattice::of(&trees);
    let objective = match loss {
        true => Objective::Columns(Costs::loss(rows, &lattice, &trees, 1_000)),
        false => Objective::Discernibility,
    };
    let problem = LevelsProblem {
        rows,
        lattice: &lattice,
        privacy,
        suppressed,
        objective: &objective,
    };
    let found = LevelsSearch::new(&problem).best_first(|_| false);
    found
        .best
        .map(|best| (best.levels, best.suppressed, found.checked))
}

/// 114 equally frequent values count as 114 values, though exp and ln round.
#[test]
fn a_limit_that_is_met_exactly_is_met() {
    let (tree, rows) = flat(2, 1, &(0..114).map(|value| (0, value)).collect::<Vec<_>>());
    let privacy = Privacy {
        k: 1,
        diverse: vec![Diverse::Entropy(114.0)],
    };
    assert_eq!(
        best(&tree, &rows, &privacy, 0, true).map(|best| best.0),
        Some(vec![0])
    );
}

#[test]
fn domains_of_any_size_cost_what_they_cost() {
    let (tree, rows) = flat(2, u64::MAX / 4, &[(0, 0), (0, 1), (1, 2)]);
    let (levels, suppressed, _) = best(&tree, &rows, &Privacy::k(2), 1, true).expect("a state");
    // One row of three is suppressed, which costs less than half of the total besides the labels.
    assert_eq!((levels, suppressed), (vec![0], 1));
}

/// If the best state cannot be better, no state of the same value is checked.
#[test]
fn states_of_one_worth_are_not_all_checked() {
    let (tree, rows) = flat(40, 1, &(0..40).map(|leaf| (leaf, 0)).collect::<Vec<_>>());
    let (levels, _, checked) = best(&tree, &rows, &Privacy::k(1), 0, false).expect("a state");
    assert_eq!((levels, checked), (vec![0], 2));
}

/// A search that may check nothing gives the bound of the whole lattice.
#[test]
fn a_search_that_is_stopped_at_once_knows_the_bound_of_everything() {
    let (tree, rows) = flat(3, 1, &[(0, 0), (1, 0), (2, 0), (0, 0)]);
    let trees = [&tree];
    let lattice = Lattice::of(&trees);
    let objective = Objective::Columns(Costs::loss(&rows, &lattice, &trees, 1_000));
    let (privacy, lattice) = (Privacy::k(2), &lattice);
    let problem = LevelsProblem {
        rows: &rows,
        lattice,
        privacy: &privacy,
        suppressed: 0,
        objective: &objective,
    };
    let found = LevelsSearch::new(&problem).best_first(|_| true);
    assert_eq!((found.bound, found.checked), (Some(0.0), 1));
    assert_eq!(
        found.best.map(|best| (best.levels, best.figure)),
        Some((vec![1], 1.0))
    );
}

/// The best full-domain recoding of the next release of a chain is the best of all valid ones,
/// whatever preceded it.
#[test]
fn the_next_release_of_a_chain_is_the_best_valid_one() {
    random::run("levels of chains", 80, |draw: &mut Draw| {
        let width = draw.between(1, 3) as usize;
        let columns = columns(
            (0..width)
                .map(|column| random::tree(draw, column, 3))
                .collect(),
        );
        let trees = columns.trees();
        let increments: Vec<Vec<Row>> = (0..draw.between(1, 3))
            .map(|_| random::rows(draw, &trees, 25, 3))
            .collect();
        let earlier: Vec<Recoding> = increments[1..]
            .iter()
            .map(|_| {
                // Coarse ones among them, so that the chain can continue.
                trees
                    .iter()
                    .map(|tree| {
                        if draw.once_in(2) {
                            Cut::root(tree)
                        } else {
                            random::cut(draw, tree)
                        }
                    })
                    .collect()
            })
            .collect();
        let histogram = tables(&columns, &[], &increments).histogram;
        let (lattice, table) = (
            Lattice::of(&trees),
            DistinctRows::of_people(&histogram.headcount()),
        );
        let k = draw.between(1, 4);
        let chain = EarlierReleases::new(&histogram, &earlier, &trees, k);
        let goal =
            [Goal::Loss(Mean::Geometric, 1_000), Goal::Discernibility][draw.between(0, 1) as usize];
        let objective = match goal {
            Goal::Discernibility => Objective::Discernibility,
            _ => Objective::Columns(Costs::loss(&table, &lattice, &trees, 1_000)),
        };
        let (privacy, values) = (Privacy::k(1), Values::of(draw, &histogram));
        let problem = LevelsProblem {
            rows: &table,
            lattice: &lattice,
            privacy: &privacy,
            suppressed: 0,
            objective: &objective,
        };
        let rows: Vec<Row> = increments.concat();
        let weights = vec![1; width];
        let all: Vec<(Vec<u8>, u64, f64)> = states(&lattice)
            .into_iter()
            .map(|levels| {
                let recoding = lattice.recoding(&trees, &levels);
                let recodings: Vec<Recoding> = earlier.iter().cloned().chain([recoding]).collect();
                let invalid = u64::from(!is_valid(&increments, &recodings, &trees, k as usize));
                let (_, value) = state(&rows, &trees, &levels, (&privacy, goal, &weights), &values);
                (levels, invalid, value)
            })
            .collect();
        let text = format!("{goal:?}, k = {k}, {} increments", increments.len());
        is_optimal(
            &LevelsSearch::in_chain(&problem, &chain).best_first(|_| false),
            &all,
            0,
            &text,
        );
        is_optimal(
            &LevelsSearch::in_chain(&problem, &chain)
                .thorough()
                .best_first(|_| false),
            &all,
            0,
            &text,
        );
        is_optimal(
            &flash(LevelsSearch::in_chain(&problem, &chain)),
            &all,
            0,
            &text,
        );
    });
}
