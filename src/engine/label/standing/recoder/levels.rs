//! One level for each column: the levels with the least loss (SCIENCE 8). The number of steps of the
//! search is bounded. If it stopped early, it continues down from the best state found as long as a
//! state with one column a level finer fits, so that no finer state of the result fits.

use super::super::super::levels::{
    Costs, DistinctRows, Lattice, Levels, LevelsProblem, LevelsSearch, Objective, Privacy,
};
use super::super::super::top_down::Refusal;
use super::super::super::validity::InvalidReason;
use super::super::course::Course;
use super::classes::RecodedPeople;
use super::terms::{FoundRecoding, LevelsQuality, Recoder};
use crate::arithmetic::gcd;
use crate::histogram::Headcount;
use crate::model::{Node, Recoding, Taxonomy};

/// The most states that are checked.
const CHECKED: u64 = 10_000;
/// The most parts of the lattice that are examined.
const LOOKED_AT: u64 = 4_000_000;
/// The cost of a waiting row, in thousandths of its cost at `*`.
const WAITING: u64 = 1_000;

/// The levels for people who are all in a class of at least `a` when each column is at its floor.
pub(super) fn find(
    recoder: &Recoder,
    people: &Headcount,
    most: u64,
    trees: &[&Taxonomy],
) -> FoundRecoding {
    let floors: Vec<Option<u8>> = recoder
        .details
        .iter()
        .map(|detail| detail.floor())
        .collect();
    let (lattice, rows) = (
        Lattice::up_to(trees, &floors),
        DistinctRows::of_people(people),
    );
    let privacy = Privacy::k(recoder.a);
    let weights = lowest_terms(recoder.weights());
    let costs = Costs::loss(&rows, &lattice, trees, WAITING).weighted(&weights);
    let objective = Objective::Columns(costs);
    let problem = LevelsProblem {
        rows: &rows,
        lattice: &lattice,
        privacy: &privacy,
        suppressed: most,
        objective: &objective,
    };
    let mut looked_at = 0;
    let found = LevelsSearch::new(&problem).best_first(|checked| {
        looked_at += 1;
        checked > CHECKED || looked_at > LOOKED_AT
    });
    let stopped = found.bound.is_some();
    let best = found.best.map_or_else(|| lattice.top(), |best| best.levels);
    let levels = if stopped {
        finest_below(&problem, best)
    } else {
        best
    };
    let figure = figure(&problem, &levels);
    let quality = LevelsQuality {
        found: figure,
        lower_bound: found.bound.map_or(figure, |bound| bound.min(figure)),
        stopped,
        checked: found.checked,
    };
    let recoding = lattice.recoding(trees, &levels);
    assert_eq!(recoding.len(), trees.len(), "one cut for each column");
    let refusals = refusals(recoder, people, most, &lattice, &levels, trees);
    FoundRecoding {
        course: Course::level_by_level(&recoding, trees),
        refusals,
        levels: Some(quality),
    }
}

/// What the objective says of these levels.
fn figure(problem: &LevelsProblem<'_>, levels: &Levels) -> f64 {
    let checked = LevelsSearch::new(problem).check(std::slice::from_ref(levels));
    problem
        .objective
        .figure(checked[0].value.expect("the levels of a release fit"))
}

/// Goes down one column at a time as long as the state fits, trying the best of the finer states
/// first.
fn finest_below(problem: &LevelsProblem<'_>, mut levels: Levels) -> Levels {
    let mut search = LevelsSearch::new(problem);
    loop {
        let lower = |column: usize| {
            let mut lower = levels.clone();
            lower[column] -= 1;
            lower
        };
        let finer: Vec<Levels> = (0..levels.len())
            .filter(|&column| levels[column] > 0)
            .map(lower)
            .collect();
        let judged = search.check(&finer);
        assert_eq!(judged.len(), finer.len(), "each finer state is checked");
        let fitting = finer
            .into_iter()
            .zip(judged)
            .filter_map(|(levels, judged)| Some((judged.value?, levels)));
        let Some((_, next)) = fitting.min_by_key(|(value, _)| *value) else {
            return levels;
        };
        levels = next;
    }
}

/// Why no column is one level finer.
fn refusals(
    recoder: &Recoder,
    people: &Headcount,
    most: u64,
    lattice: &Lattice,
    levels: &[u8],
    trees: &[&Taxonomy],
) -> Vec<Refusal> {
    let published = lattice.recoding(trees, levels);
    let refusal = |column: usize| {
        let mut finer = levels.to_vec();
        finer[column] -= 1;
        let finer = lattice.recoding(trees, &finer);
        let classes = RecodedPeople::of(people, &finer);
        let small = |&class: &usize| classes.people[class] < recoder.a;
        let rows = (0..classes.people.len())
            .filter(small)
            .map(|class| classes.people[class])
            .sum();
        // Of the classes that are published as they are, one has a part that is too small.
        let before = RecodedPeople::of(people, &published);
        let of_tuple = |tuple: usize| {
            (
                before.people[before.of_tuple[tuple]] >= recoder.a,
                classes.of_tuple[tuple],
            )
        };
        let parts = (0..people.tuples())
            .map(of_tuple)
            .filter(|(out, class)| *out && small(class));
        let class = parts
            .map(|(_, class)| class)
            .min_by_key(|&class| classes.classes.get(class as u32).to_vec())?;
        let nodes: Vec<Node> = classes.classes.get(class as u32).to_vec();
        let node = published[column].at(trees[column].leaf_range(nodes[column]).start);
        let reason = match most {
            0 => InvalidReason::Rows {
                class: nodes,
                rows: classes.people[class],
                limit: recoder.a,
            },
            limit => InvalidReason::SetAside { rows, limit },
        };
        Some(Refusal {
            column,
            node,
            reason,
        })
    };
    (0..levels.len())
        .filter(|&column| levels[column] > 0)
        .filter_map(refusal)
        .collect()
}

/// The smallest weights in the same proportions.
fn lowest_terms(weights: Vec<u32>) -> Vec<u32> {
    let common = weights.iter().copied().fold(0, gcd).max(1);
    weights.into_iter().map(|weight| weight / common).collect()
}

/// The level of each column, if a recoding has one.
pub(super) fn of_recoding(recoding: &Recoding, trees: &[&Taxonomy]) -> Option<Levels> {
    let lattice = Lattice::of(trees);
    let level = |column: usize| {
        let nodes = recoding[column].nodes();
        (0..lattice.height(column)).find(|&level| lattice.nodes(column, level) == nodes)
    };
    (0..trees.len()).map(level).collect()
}
