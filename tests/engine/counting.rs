//! Counts from coarse labels (SCIENCE 11, counting): even spread against its definition, certain
//! bounds, estimation from labels, and errors of estimates.

use tidegate::engine::counting::{Axis, CellEstimate, Countable, Method, Question};
use tidegate::engine::histogram::{Cell, Histogram, Release, SensitiveValues, ValueCode};
use tidegate::engine::model::{Leaf, Node, Taxonomy, Tree, Value};

use crate::common::random::{self, Draw};

/// A person: the leaf of each column, and a sensitive value.
type Person = (Vec<Leaf>, ValueCode);

/// A published row: labels instead of leaves.
type Row = (Vec<Node>, ValueCode);

/// Sensitive values of the tables here.
const VALUES: ValueCode = 3;

/// Labels that only random draws have made.
const EM: Method = Method::Em {
    fewest: 2,
    refusals: 0,
};

fn count(
    table: &Release,
    question: &Question,
    trees: &[&Taxonomy],
    method: Method,
) -> Vec<CellEstimate> {
    Countable::learn(std::slice::from_ref(table), trees, method)
        .count(question)
        .expect("few counts")
}

fn table(rows: &[Row], width: usize) -> Release {
    let labels: Vec<Vec<Node>> = (0..width)
        .map(|at| rows.iter().map(|(label, _)| label[at]).collect())
        .collect();
    let (values, _) = SensitiveValues::from_distinct(
        1,
        (0..VALUES)
            .map(|value| Box::from([Value::Int(i64::from(value))]))
            .collect(),
    );
    let cells: Vec<Cell> = rows
        .iter()
        .map(|&(_, value)| Cell {
            increment: 0,
            value,
            count: 1,
        })
        .collect();
    let shown = Histogram::of_counts(&labels, values.clone(), &cells);
    // Its dictionary has the published values, and questions here know all.
    let (_, maps) = SensitiveValues::union(&[&values, shown.values()]);
    Release::from_own_labels(&shown).with_values(&maps[1])
}

/// The label of a person, this many steps below the root in each column, or their leaf: only random
/// draws decide how coarse it is.
fn below_root(leaves: &[Leaf], trees: &[&Taxonomy], mut steps: impl FnMut() -> u64) -> Vec<Node> {
    let node = |(&leaf, tree): (&Leaf, &&Taxonomy)| {
        let path: Vec<Node> =
            std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node)).collect();
        path[path.len() - 1 - (steps() as usize).min(path.len() - 1)]
    };
    leaves.iter().zip(trees).map(node).collect()
}

fn people(draw: &mut Draw, trees: &[&Taxonomy], most: u64) -> Vec<Person> {
    let person = |draw: &mut Draw| {
        let leaf = |tree: &&Taxonomy| {
            // Larger ones are less likely, so that the distribution is not uniform.
            let most = draw.between(0, tree.leaves() as u64 - 1);
            draw.between(0, most) as Leaf
        };
        (
            trees.iter().map(leaf).collect(),
            draw.between(0, u64::from(VALUES) - 1) as ValueCode,
        )
    };
    (0..draw.between(1, most)).map(|_| person(draw)).collect()
}

/// A random question about some columns: sets of leaves, and tables by column.
fn question(draw: &mut Draw, trees: &[&Taxonomy]) -> Question {
    let mut axes = Vec::new();
    for (column, tree) in trees.iter().enumerate() {
        let leaves = tree.leaves();
        match draw.between(0, 2) {
            0 => axes.push(Axis::some(column, leaves, |_| draw.once_in(2))),
            1 => axes.push(Axis {
                column,
                group: (0..leaves).map(Some).collect(),
                groups: leaves,
            }),
            _ => {}
        }
    }
    match draw.between(0, 2) {
        0 => Question::of_all_rows(axes, VALUES as usize),
        1 => Question {
            axes,
            values: vec![Some(0), None, Some(0)],
            groups: 1,
        },
        _ => Question {
            axes,
            values: vec![Some(1), Some(0), Some(1)],
            groups: 2,
        },
    }
}

/// The cell of the answer that a person is in.
fn cell(question: &Question, leaves: &[Leaf], value: ValueCode) -> Option<usize> {
    let mut at = 0;
    for axis in &question.axes {
        at = at * axis.groups + axis.group[leaves[axis.column] as usize]?;
    }
    Some(at * question.groups + question.values[value as usize]?)
}

/// All combinations of leaves.
fn cells(trees: &[&Taxonomy]) -> Vec<Vec<Leaf>> {
    trees.iter().fold(vec![Vec::new()], |cells, tree| {
        let with = |cell: &Vec<Leaf>| {
            (0..tree.leaves() as Leaf)
                .map(|leaf| [&cell[..], &[leaf]].concat())
                .collect::<Vec<_>>()
        };
        cells.iter().flat_map(with).collect()
    })
}

/// Each row spread evenly over the leaves under its label, by the definition.
fn evenly(rows: &[Row], question: &Question, trees: &[&Taxonomy]) -> Vec<f64> {
    let (all, mut answer) = (cells(trees), vec![0.0; question.cells()]);
    for (label, value) in rows {
        let holds = |cell: &&Vec<Leaf>| {
            trees
                .iter()
                .zip(label)
                .zip(*cell)
                .all(|((tree, &node), leaf)| tree.leaf_range(node).contains(leaf))
        };
        let inside: Vec<&Vec<Leaf>> = all.iter().filter(holds).collect();
        for leaves in &inside {
            cell(question, leaves, *value)
                .into_iter()
                .for_each(|at| answer[at] += 1.0 / inside.len() as f64);
        }
    }
    answer
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-7 * one.abs().max(1.0)
}

#[test]
fn estimates_are_within_what_is_certain_and_even_ones_are_the_recorded_ones() {
    random::run("counting", 50, |draw| {
        let trees: Vec<Taxonomy> = (0..draw.between(1, 3))
            .map(|column| random::tree(draw, column as usize, 3))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people = people(draw, &trees, 60);
        let row =
            |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 3)), *value);
        let rows: Vec<Row> = people.iter().map(row).collect();
        let question = question(draw, &trees);
        let table = table(&rows, trees.len());
        let mut true_counts = vec![0u64; question.cells()];
        let counted = people
            .iter()
            .filter_map(|(leaves, value)| cell(&question, leaves, *value));
        counted.for_each(|at| true_counts[at] += 1);
        for method in [
            EM,
            Method::Em {
                fewest: 3,
                refusals: 2,
            },
            Method::Uniform,
        ] {
            let counts = count(&table, &question, &trees, method);
            assert_eq!(
                counts,
                count(&table, &question, &trees, method),
                "the same again"
            );
            assert_eq!(counts.len(), question.cells());
            for (
                CellEstimate {
                    estimate,
                    standard_error,
                    low,
                    high,
                },
                people,
            ) in counts.iter().zip(&true_counts)
            {
                assert!(
                    (low..=high).contains(&people),
                    "{people} people, between {low} and {high}"
                );
                assert!(*estimate >= *low as f64 - 1e-6 && *estimate <= *high as f64 + 1e-6);
                assert_eq!(standard_error.is_some(), method != Method::Uniform);
                assert!(standard_error.is_none_or(|error| error.is_finite() && error >= 0.0));
            }
            if method == Method::Uniform {
                let even = evenly(&rows, &question, &trees);
                assert!(
                    counts
                        .iter()
                        .zip(&even)
                        .all(|(counted, even)| close(counted.estimate, *even))
                );
            }
        }
    });
}

/// Groups add up to the whole, whatever the columns by which they are counted.
#[test]
fn groups_add_up_to_the_whole() {
    random::run("sums of counts", 40, |draw| {
        let trees: Vec<Taxonomy> = (0..3).map(|column| random::tree(draw, column, 3)).collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people = people(draw, &trees, 80);
        let row =
            |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 3)), *value);
        let table = table(&people.iter().map(row).collect::<Vec<_>>(), trees.len());
        let some: Vec<bool> = (0..trees[0].leaves()).map(|_| draw.once_in(2)).collect();
        let wanted = || Axis::some(0, some.len(), |leaf| some[leaf as usize]);
        let apart = |column: usize| {
            let leaves = trees[column].leaves();
            Axis {
                column,
                group: (0..leaves).map(Some).collect(),
                groups: leaves,
            }
        };
        let by_value = Question {
            axes: vec![wanted(), apart(2), apart(1)],
            values: (0..VALUES as usize).map(Some).collect(),
            groups: VALUES as usize,
        };
        for method in [
            EM,
            Method::Em {
                fewest: 3,
                refusals: 3,
            },
            Method::Uniform,
        ] {
            let whole = count(
                &table,
                &Question::of_all_rows(vec![wanted()], VALUES as usize),
                &trees,
                method,
            )[0];
            let sum: f64 = count(&table, &by_value, &trees, method)
                .iter()
                .map(|counted| counted.estimate)
                .sum();
            assert!(close(whole.estimate, sum), "{whole:?}, {sum}");
        }
    });
}

/// No tighter bounds are certain: each bound is reached by people whom the labels permit.
#[test]
fn the_bounds_are_reached() {
    random::run("bounds of counts", 75, |draw| {
        let trees: Vec<Taxonomy> = (0..draw.between(1, 2))
            .map(|column| random::tree(draw, column as usize, 2))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people = people(draw, &trees, 20);
        let row =
            |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 2)), *value);
        let rows: Vec<Row> = people.iter().map(row).collect();
        let question = question(draw, &trees);
        let counts = count(
            &table(&rows, trees.len()),
            &question,
            &trees,
            Method::Uniform,
        );
        let all = cells(&trees);
        let may = |(label, value): &Row| -> Vec<Option<usize>> {
            let inside = |leaves: &&Vec<Leaf>| {
                trees
                    .iter()
                    .zip(label)
                    .zip(*leaves)
                    .all(|((tree, &node), leaf)| tree.leaf_range(node).contains(leaf))
            };
            all.iter()
                .filter(inside)
                .map(|leaves| cell(&question, leaves, *value))
                .collect()
        };
        let may: Vec<Vec<Option<usize>>> = rows.iter().map(may).collect();
        for (at, counted) in counts.iter().enumerate() {
            let high = may.iter().filter(|may| may.contains(&Some(at))).count() as u64;
            let low = may
                .iter()
                .filter(|may| may.iter().all(|cell| *cell == Some(at)))
                .count() as u64;
            assert_eq!((counted.low, counted.high), (low, high));
        }
    });
}

#[test]
fn exact_labels_leave_nothing_open() {
    let mut draw = Draw::new(3, 0);
    let trees = [random::tree(&mut draw, 0, 3), random::tree(&mut draw, 1, 3)];
    let trees = [&trees[0], &trees[1]];
    let people = people(&mut draw, &trees, 400);
    let rows: Vec<Row> = people
        .iter()
        .map(|(leaves, value)| (below_root(leaves, &trees, || 9), *value))
        .collect();
    let axis = |column: usize| Axis {
        column,
        group: (0..trees[column].leaves()).map(Some).collect(),
        groups: trees[column].leaves(),
    };
    let question = Question {
        axes: vec![axis(1), axis(0)],
        values: vec![None, Some(0), None],
        groups: 1,
    };
    for counted in count(&table(&rows, 2), &question, &trees, EM) {
        let CellEstimate {
            estimate,
            standard_error,
            low,
            high,
        } = counted;
        assert!(
            low == high
                && close(estimate, low as f64)
                && standard_error.is_some_and(|error| error < 1e-3),
            "{counted:?}"
        );
    }
}

/// Labels that only random draws have made coarser, each column of some rows down to its leaves:
/// intervals of 1.96 standard errors contain the truth in about 19 of 20 questions, and are no
/// wider than necessary.
#[test]
fn intervals_hold_as_often_as_they_say() {
    let (mut held, mut asked, mut widths) = (0, 0, 0.0);
    for case in 0..60 {
        let mut draw = Draw::new(5, case);
        let trees: Vec<Taxonomy> = (0..2)
            .map(|column| random::tree(&mut draw, column, 3))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people: Vec<Person> = (0..4)
            .flat_map(|_| people(&mut draw, &trees, 600))
            .collect();
        let row =
            |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 3)), *value);
        let rows: Vec<Row> = people.iter().map(row).collect();
        let axes = trees
            .iter()
            .enumerate()
            .map(|(column, tree)| Axis::some(column, tree.leaves(), |leaf| leaf % 2 == 0));
        let question = Question::of_all_rows(axes.collect(), VALUES as usize);
        let counted = count(&table(&rows, 2), &question, &trees, EM)[0];
        let people = people
            .iter()
            .filter(|(leaves, value)| cell(&question, leaves, *value).is_some())
            .count() as f64;
        let error = counted.standard_error.expect("a standard error");
        if error > 0.0 {
            asked += 1;
            held += u32::from((counted.estimate - people).abs() <= 1.96 * error);
            widths += 2.0 * 1.96 * error / (counted.high - counted.low) as f64;
        }
    }
    assert!(asked >= 50 && held * 100 >= asked * 90, "{held} of {asked}");
    // They are narrower than the possible range, by a quarter and more in tables as small as these.
    assert!(widths < 0.75 * f64::from(asked), "{widths} in {asked}");
}

/// Under a label with two leaves, the people of each sensitive value are distributed as others with
/// their value.
#[test]
fn rows_of_a_value_are_spread_as_others_of_that_value() {
    let mut tree = Tree::new("*");
    ["a", "b"]
        .into_iter()
        .for_each(|label| _ = tree.add(0, label, 1));
    let tree = tree.finish().expect("a tree");
    let leaves: Vec<Node> = (0..2).map(|leaf| tree.leaf_node(leaf)).collect();
    // 90 of 100 people of value 0 are at `a`, 90 of 100 of value 1 at `b`; half of each are
    // published at the root.
    let mut rows: Vec<Row> = Vec::new();
    for (value, place, people) in [(0, 0, 90), (0, 1, 10), (1, 0, 10), (1, 1, 90)] {
        let label = |at: usize| {
            vec![if at.is_multiple_of(2) {
                0
            } else {
                leaves[place]
            }]
        };
        rows.extend((0..people).map(|at| (label(at), value)));
    }
    let axis = Axis {
        column: 0,
        group: vec![Some(0), Some(1)],
        groups: 2,
    };
    let question = Question {
        axes: vec![axis],
        values: vec![Some(0), Some(1), None],
        groups: 2,
    };
    let counts = count(&table(&rows, 1), &question, &[&tree], EM);
    for (counted, people) in counts.iter().zip([90.0, 10.0, 10.0, 90.0]) {
        assert!(
            (counted.estimate - people).abs() < 12.0,
            "{counted:?}, not {people}"
        );
    }
}

/// A label with a rare value that halving could not split off has more people of that value than
/// the table as a whole.
#[test]
fn refused_splits_reveal_rare_values() {
    let mut tree = Tree::new("*");
    ["often", "rare"]
        .into_iter()
        .for_each(|label| _ = tree.add(0, label, 1));
    let tree = tree.finish().expect("a tree");
    let (often, mut draw) = (tree.leaf_node(0), Draw::new(9, 0));
    // Classes of 8 people, 6 % of them rare: split, by a draw that says yes three times of four, if
    // that leaves none or 5.
    let (mut rows, mut truth) = (Vec::new(), 0.0);
    for _ in 0..2_000 {
        let rare = (0..8).filter(|_| draw.once_in(16)).count();
        let split = rare == 0 && !draw.once_in(4);
        rows.push((vec![if split { often } else { 0 }], 8));
        truth += rare as f64;
    }
    // Each class by itself, as if it were a release.
    let tables: Vec<Release> = rows
        .iter()
        .map(|(label, people)| table(&vec![(label.clone(), 0); *people], 1))
        .collect();
    let question = Question::of_all_rows(vec![Axis::some(0, 2, |leaf| leaf == 1)], VALUES as usize);
    let estimate = |refusals: u32| {
        let method = Method::Em {
            fewest: 5,
            refusals,
        };
        let counted = Countable::learn(&tables, &[&tree], method)
            .count(&question)
            .expect("few counts")[0];
        assert!(
            refusals == 0
                || (counted.estimate - truth).abs()
                    < 2.0 * counted.standard_error.expect("EM has one")
        );
        counted.estimate
    };
    let (knowing, others) = (estimate(1), estimate(0));
    assert!(
        (knowing - truth).abs() < 0.1 * truth && others < 0.5 * truth,
        "{knowing}, {others}: {truth}"
    );
}
