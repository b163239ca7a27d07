//! Counts from coarse labels (SCIENCE 11, counting): against the estimator written down cell by cell, what is certain, and how far
//! estimates lie off.

use tidegate::engine::counting::{Axis, Counted, Method, Question, count};
use tidegate::engine::histogram::{Cell, Histogram, Release, ValueCode, Values};
use tidegate::engine::model::{Leaf, Node, Taxonomy, Value};

use crate::common::random::{self, Draw};

/// A person: the leaf of each column, and a sensitive value.
type Person = (Vec<Leaf>, ValueCode);

/// A published row: labels instead of leaves.
type Row = (Vec<Node>, ValueCode);

/// Sensitive values of the tables here.
const VALUES: ValueCode = 3;

fn table(rows: &[Row], width: usize) -> Release {
    let labels: Vec<Vec<Node>> = (0..width).map(|at| rows.iter().map(|(label, _)| label[at]).collect()).collect();
    let (values, _) =
        Values::from_distinct(1, (0..VALUES).map(|value| Box::from([Value::Int(i64::from(value))])).collect());
    let cells: Vec<Cell> = rows.iter().map(|&(_, value)| Cell { increment: 0, value, count: 1 }).collect();
    let shown = Histogram::of_counts(&labels, values.clone(), &cells);
    // Its dictionary has the values that are shown, and questions here know all.
    let (_, maps) = Values::union(&[&values, shown.values()]);
    Release::from_own_labels(&shown).with_values(&maps[1])
}

/// The label of somebody, so many steps below the root in each column, or their leaf: nothing but chance decides how coarse it is.
fn below_root(leaves: &[Leaf], trees: &[&Taxonomy], mut steps: impl FnMut() -> u64) -> Vec<Node> {
    let node = |(&leaf, tree): (&Leaf, &&Taxonomy)| {
        let path: Vec<Node> = std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node)).collect();
        path[path.len() - 1 - (steps() as usize).min(path.len() - 1)]
    };
    leaves.iter().zip(trees).map(node).collect()
}

fn people(draw: &mut Draw, trees: &[&Taxonomy], most: u64) -> Vec<Person> {
    let person = |draw: &mut Draw| {
        let leaf = |tree: &&Taxonomy| {
            // The less likely the larger, so that there is something to find.
            let most = draw.between(0, tree.leaves() as u64 - 1);
            draw.between(0, most) as Leaf
        };
        (trees.iter().map(leaf).collect(), draw.between(0, u64::from(VALUES) - 1) as ValueCode)
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
            1 => axes.push(Axis { column, group: (0..leaves).map(Some).collect(), groups: leaves }),
            _ => {}
        }
    }
    match draw.between(0, 2) {
        0 => Question::of_everybody(axes, VALUES as usize),
        1 => Question { axes, values: vec![Some(0), None, Some(0)], groups: 1 },
        _ => Question { axes, values: vec![Some(1), Some(0), Some(1)], groups: 2 },
    }
}

/// The cell of the answer that somebody is in.
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
        let with =
            |cell: &Vec<Leaf>| (0..tree.leaves() as Leaf).map(|leaf| [&cell[..], &[leaf]].concat()).collect::<Vec<_>>();
        cells.iter().flat_map(with).collect()
    })
}

/// EM as it is written down: over the cells of the columns that a question looks at, for each group of values by itself.
fn slowly(rows: &[Row], question: &Question, trees: &[&Taxonomy], rounds: u32) -> Vec<f64> {
    let columns: Vec<usize> = question.axes.iter().map(|axis| axis.column).collect();
    let some: Vec<&Taxonomy> = columns.iter().map(|&column| trees[column]).collect();
    let (all, mut answer) = (cells(&some), vec![0.0; question.cells()]);
    for group in 0..question.groups {
        let counted: Vec<Vec<Node>> = rows
            .iter()
            .filter(|(_, value)| question.values[*value as usize] == Some(group))
            .map(|(label, _)| columns.iter().map(|&column| label[column]).collect())
            .collect();
        let holds = |label: &[Node], cell: &[Leaf]| {
            some.iter().zip(label).zip(cell).all(|((tree, &node), leaf)| tree.leaf_range(node).contains(leaf))
        };
        let mut shares = vec![1.0; all.len()];
        for _ in 0..rounds {
            let mut next = vec![0.0; all.len()];
            for label in &counted {
                let inside: Vec<usize> = (0..all.len()).filter(|&at| holds(label, &all[at])).collect();
                let sum: f64 = inside.iter().map(|&at| shares[at]).sum();
                inside.iter().for_each(|&at| next[at] += shares[at] / sum);
            }
            shares = next;
        }
        for (leaves, share) in all.iter().zip(shares) {
            let mut of_all = vec![0; trees.len()];
            columns.iter().zip(leaves).for_each(|(&column, &leaf)| of_all[column] = leaf);
            let value = (0..VALUES).find(|&value| question.values[value as usize] == Some(group)).expect("a value");
            if let Some(at) = cell(question, &of_all, value) {
                answer[at] += share;
            }
        }
    }
    answer
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-7 * one.abs().max(1.0)
}

#[test]
fn it_counts_as_the_estimator_written_cell_by_cell() {
    random::run("counting", 150, |draw| {
        let trees: Vec<Taxonomy> =
            (0..draw.between(1, 3)).map(|column| random::tree(draw, column as usize, 3)).collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people = people(draw, &trees, 60);
        let row = |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 3)), *value);
        let rows: Vec<Row> = people.iter().map(row).collect();
        let question = question(draw, &trees);
        let table = table(&rows, trees.len());
        for (method, rounds) in [(Method::Em, 30), (Method::Uniform, 1)] {
            let counts = count(&table, &question, &trees, method).unwrap();
            let slow = slowly(&rows, &question, &trees, rounds);
            assert_eq!(counts.len(), question.cells());
            let same = |(counted, slow): (&Counted, &f64)| close(counted.estimate, *slow);
            let off = counts.iter().zip(&slow).find(|(counted, slow)| !same((*counted, slow)));
            assert!(off.is_none(), "{off:?}");
            let mut true_counts = vec![0u64; question.cells()];
            let counted = people.iter().filter_map(|(leaves, value)| cell(&question, leaves, *value));
            counted.for_each(|at| true_counts[at] += 1);
            for (Counted { estimate, standard_error, low, high }, people) in counts.iter().zip(true_counts) {
                assert!((*low..=*high).contains(&people), "{people} people, between {low} and {high}");
                assert!(*estimate >= *low as f64 - 1e-6 && *estimate <= *high as f64 + 1e-6);
                assert_eq!(standard_error.is_some(), method == Method::Em);
                assert!(standard_error.is_none_or(|error| error.is_finite() && error >= 0.0));
            }
        }
    });
}

/// Nothing better can be said for certain: each bound is reached by people whom the labels allow.
#[test]
fn the_bounds_are_reached() {
    random::run("bounds of counts", 150, |draw| {
        let trees: Vec<Taxonomy> =
            (0..draw.between(1, 2)).map(|column| random::tree(draw, column as usize, 2)).collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people = people(draw, &trees, 20);
        let row = |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 2)), *value);
        let rows: Vec<Row> = people.iter().map(row).collect();
        let question = question(draw, &trees);
        let counts = count(&table(&rows, trees.len()), &question, &trees, Method::Uniform).unwrap();
        let all = cells(&trees);
        let may = |(label, value): &Row| -> Vec<Option<usize>> {
            let inside = |leaves: &&Vec<Leaf>| {
                trees.iter().zip(label).zip(*leaves).all(|((tree, &node), leaf)| tree.leaf_range(node).contains(leaf))
            };
            all.iter().filter(inside).map(|leaves| cell(&question, leaves, *value)).collect()
        };
        let may: Vec<Vec<Option<usize>>> = rows.iter().map(may).collect();
        for (at, counted) in counts.iter().enumerate() {
            let high = may.iter().filter(|may| may.contains(&Some(at))).count() as u64;
            let low = may.iter().filter(|may| may.iter().all(|cell| *cell == Some(at))).count() as u64;
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
    let rows: Vec<Row> = people.iter().map(|(leaves, value)| (below_root(leaves, &trees, || 9), *value)).collect();
    let axis = |column: usize| Axis {
        column,
        group: (0..trees[column].leaves()).map(Some).collect(),
        groups: trees[column].leaves(),
    };
    let question = Question { axes: vec![axis(1), axis(0)], values: vec![None, Some(0), None], groups: 1 };
    for counted in count(&table(&rows, 2), &question, &trees, Method::Em).unwrap() {
        let Counted { estimate, standard_error, low, high } = counted;
        assert!(
            low == high && close(estimate, low as f64) && standard_error.is_some_and(|error| error < 1e-3),
            "{counted:?}"
        );
    }
}

/// Labels that chance alone has made coarser, each column of some rows down to its leaves: intervals of 1.96 standard errors hold in 19
/// of 20 questions. Of leaves that no label ever tells apart nothing can be estimated, and no error either.
#[test]
fn intervals_hold_as_often_as_they_say() {
    let (mut held, mut asked) = (0, 0);
    for case in 0..120 {
        let mut draw = Draw::new(5, case);
        let trees: Vec<Taxonomy> = (0..2).map(|column| random::tree(&mut draw, column, 3)).collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people: Vec<Person> = (0..4).flat_map(|_| people(&mut draw, &trees, 600)).collect();
        let row = |(leaves, value): &Person| (below_root(leaves, &trees, || draw.between(0, 3)), *value);
        let rows: Vec<Row> = people.iter().map(row).collect();
        let axes =
            trees.iter().enumerate().map(|(column, tree)| Axis::some(column, tree.leaves(), |leaf| leaf % 2 == 0));
        let question = Question::of_everybody(axes.collect(), VALUES as usize);
        let counted = count(&table(&rows, 2), &question, &trees, Method::Em).unwrap()[0];
        let people = people.iter().filter(|(leaves, value)| cell(&question, leaves, *value).is_some()).count() as f64;
        let error = counted.standard_error.expect("a standard error");
        if error > 0.0 {
            asked += 1;
            held += u32::from((counted.estimate - people).abs() <= 1.96 * error);
        }
    }
    assert!(asked >= 100 && held * 100 >= asked * 90, "{held} of {asked}");
}
