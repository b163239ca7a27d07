//! The anonymizer on thousands of small random cases (SCIENCE 4): against a slow second
//! implementation, against the gate's own figures, and the invariants of every chain.

use crate::common::{slow, world};

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::random::{self, Draw};
use crate::common::{Row, columns, tables, taxonomy};
use crate::golden_standing::Standing;
use slow::{Leaves, Place};
use tidegate::engine::gate::correspondence::Correspondence;
use tidegate::engine::histogram::{
    Excess, Headcount, Heads, Histogram, JoinCells, Release, SensitiveValues,
};
use tidegate::engine::label::{
    Course, InvalidReason, NoRelease, RecodingStep, TopDownResult, alone, bcf,
};
use tidegate::engine::model::{Columns, Cut, Recoding, Taxonomy};
use world::World;

fn leaves(row: &Row, trees: &[&Taxonomy]) -> Leaves {
    row.0
        .iter()
        .zip(trees)
        .map(|(label, tree)| tree.find_leaf(label).expect("a leaf"))
        .collect()
}

fn trace(found: &TopDownResult) -> Vec<(usize, u32, bool)> {
    found
        .trace
        .iter()
        .map(|tried| (tried.column, tried.node, tried.accepted))
        .collect()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads")
        .install(work)
}

fn some_columns(draw: &mut Draw, most: u64) -> Columns {
    let width = draw.between(1, most) as usize;
    columns(
        (0..width)
            .map(|column| random::tree(draw, column, 3))
            .collect(),
    )
}

#[test]
fn a_table_on_its_own_is_maximal() {
    random::run("a_table_on_its_own_is_maximal", 1500, |draw| {
        let columns = some_columns(draw, 3);
        let trees = columns.trees();
        let rows: Vec<Leaves> = random::rows(draw, &trees, 40, 1)
            .iter()
            .map(|row| leaves(row, &trees))
            .collect();
        let a = draw.between(2, 5);
        let people = Headcount::of(
            trees.len(),
            rows.iter().map(|row| (row, Heads { since: 0, count: 1 })),
        );
        let crowds = |cuts: &[Cut]| slow::classes(&rows, cuts).values().all(|&size| size >= a);
        let slow = slow::top_down(&rows.iter().collect::<Vec<_>>(), &trees, crowds);
        let found = on_threads(draw.between(1, 5) as usize, || alone(&people, &trees, a));
        let (Some(slow), Ok(found)) = (&slow, &found) else {
            assert!(slow.is_none() && found.is_err() && (rows.len() as u64) < a);
            return;
        };
        assert_eq!(
            (trace(found), &found.recoding),
            (slow.trace.clone(), &slow.cuts)
        );
        assert_eq!(
            found.squares,
            u128::from(slow::squares(&rows, &found.recoding))
        );
        assert!(crowds(&found.recoding));
        for (column, tree) in trees.iter().enumerate() {
            for &node in found.recoding[column]
                .nodes()
                .iter()
                .filter(|&&node| !tree.is_leaf(node))
            {
                assert!(
                    !crowds(&slow::specialised(&found.recoding, column, node, &trees)),
                    "it could be finer"
                );
            }
        }
        for (refusal, refused) in found.refusals.iter().zip(&slow.refused) {
            let InvalidReason::Rows {
                class,
                rows: small,
                limit,
            } = &refusal.reason
            else {
                panic!("sizes alone decide")
            };
            assert_eq!((slow::classes(&rows, refused)[class], *limit), (*small, a));
            assert!(*small < a);
        }
    });
}

/// FA, CA and BA against every earlier release by the gate, and the pair bound by its definition.
fn holds(
    earlier: &[Release],
    now: &Release,
    trees: &[&Taxonomy],
    values: usize,
    k: u64,
    world: &World<'_>,
) -> bool {
    let pairwise = earlier.iter().all(|before| {
        let cells = JoinCells::of(before, now, trees);
        let excess = Excess::of(&cells, before, now, values).expect("a superset");
        let found = Correspondence::new(before, now, &cells, &excess).all();
        [found.fa, found.ca, found.ba]
            .iter()
            .flatten()
            .all(|&left| left >= k)
    });
    let sizes = (0..now.classes()).all(|class| now.size(class) >= k);
    pairwise && sizes && world.bounds().values().all(|&[pair, _]| pair >= k)
}

/// Whether the figure of a rejection is correct, with one earlier release.
fn explained(
    reason: &InvalidReason,
    earlier: &Release,
    now: &Release,
    trees: &[&Taxonomy],
    values: usize,
) {
    let of = |release: &Release, nodes: &[u32]| {
        (0..release.classes())
            .find(|&class| release.class(class) == nodes)
            .expect("a class of the refused state")
    };
    let cells = JoinCells::of(earlier, now, trees);
    let excess = Excess::of(&cells, earlier, now, values).expect("a superset");
    let pair = Correspondence::new(earlier, now, &cells, &excess);
    let (found, reported, limit) = match reason {
        InvalidReason::Rows { class, rows, limit } => (now.size(of(now, class)), *rows, *limit),
        InvalidReason::SetAside { .. } => panic!("no person is left waiting here"),
        InvalidReason::Earlier {
            class,
            target,
            left,
            limit,
            ..
        } => (
            pair.f_and_c_left(of(earlier, target), of(now, class)).0,
            *left,
            *limit,
        ),
        InvalidReason::Newcomers { class, left, limit } => {
            (pair.b_left(of(now, class)), *left, *limit)
        }
    };
    assert_eq!(found, reported);
    assert!(reported < limit);
}

#[test]
fn the_papers_search_is_what_its_definition_says() {
    let seen: [AtomicU64; 3] = Default::default();
    random::run(
        "the_papers_search_is_what_its_definition_says",
        400,
        |draw| {
            let columns = some_columns(draw, 2);
            let trees = columns.trees();
            let (k, values) = (draw.between(2, 3), draw.between(1, 3));
            let (mut increments, mut recodings): (Vec<Vec<Row>>, Vec<Recoding>) =
                (Vec::new(), Vec::new());
            for at in 0..draw.between(2, 4) as usize {
                increments.push(random::rows(draw, &trees, 12, values));
                let all: Histogram = tables(&columns, &[], &increments).histogram;
                let earlier: Vec<Release> = (0..at)
                    .map(|at| Release::under(&all, 0..at as u32 + 1, &recodings[at]))
                    .collect();
                let together = |to: usize| increments[..=to].concat();
                let published: Vec<Vec<Row>> = (0..at)
                    .map(|at| random::published(&together(at), &recodings[at], &trees))
                    .collect();
                let valid = |cuts: &[Cut]| {
                    let now = Release::under(&all, 0..u32::MAX, cuts);
                    let releases = [
                        &published[..],
                        &[random::published(&together(at), cuts, &trees)],
                    ]
                    .concat();
                    holds(
                        &earlier,
                        &now,
                        &trees,
                        all.values().len(),
                        k,
                        &World::new(&trees, &releases),
                    )
                };
                let rows: Vec<Leaves> =
                    together(at).iter().map(|row| leaves(row, &trees)).collect();
                let slow = slow::top_down(&rows.iter().collect::<Vec<_>>(), &trees, valid);
                let found = on_threads(draw.between(1, 5) as usize, || {
                    bcf(&all, &earlier, &trees, k)
                });
                let (Some(slow), Ok(found)) = (&slow, &found) else {
                    assert!(slow.is_none() && matches!(found, Err(NoRelease::Unsafe(_))));
                    assert!(
                        (increments[at].len() as u64) < k,
                        "enough new rows are always enough"
                    );
                    seen[0].fetch_add(1, Ordering::Relaxed);
                    increments.pop();
                    return;
                };
                assert_eq!(
                    (trace(found), &found.recoding),
                    (slow.trace.clone(), &slow.cuts),
                    "release {at}"
                );
                assert!(valid(&found.recoding));
                if at == 1 {
                    for (refusal, refused) in found.refusals.iter().zip(&slow.refused) {
                        let now = Release::under(&all, 0..u32::MAX, refused);
                        explained(
                            &refusal.reason,
                            &earlier[0],
                            &now,
                            &trees,
                            all.values().len(),
                        );
                    }
                }
                seen[1].fetch_add(u64::from(at == 1), Ordering::Relaxed);
                seen[2].fetch_add(u64::from(at > 1), Ordering::Relaxed);
                recodings.push(found.recoding.clone());
            }
        },
    );
    let [held, second, later] = seen.map(AtomicU64::into_inner);
    println!("{held} held, {second} second releases, {later} later ones");
    assert!(second > 0 && later > 0);
}

/// A rejection of the paper's search reveals which of the new people has the other value, because
/// it reads values while it searches (SCIENCE 4). Under `blind` decisions do not depend on values,
/// by type.
#[test]
fn the_refusal_that_reveals_a_value() {
    let tree = taxonomy(&serde_json::json!({"*": {"a": {}, "b": {}}}));
    let columns = columns(vec![tree]);
    let trees = columns.trees();
    let row = |label: &str, s: &str| -> Row { (vec![label.into()], s.into()) };
    let first = vec![row("a", "s0"), row("b", "s0")];
    let people = ["a", "b", "b", "b", "b"];
    let refused = |odd: usize| {
        let second = people
            .iter()
            .enumerate()
            .map(|(at, label)| row(label, if at == odd { "s1" } else { "s0" }))
            .collect();
        let all = tables(&columns, &[], &[first.clone(), second]).histogram;
        let top: Recoding = trees.iter().map(|tree| Cut::root(tree)).collect();
        let found =
            bcf(&all, &[Release::under(&all, 0..1, &top)], &trees, 2).expect("enough new rows");
        (!found.refusals.is_empty(), all.headcount())
    };
    let seen: Vec<(bool, Headcount)> = (0..people.len()).map(refused).collect();
    assert_eq!(
        seen.iter().map(|(refused, _)| *refused).collect::<Vec<_>>(),
        [true, false, false, false, false]
    );
    assert!(seen.windows(2).all(|pair| pair[0].1 == pair[1].1));
}

#[test]
fn a_history_that_is_no_superset_is_an_error() {
    let draw = &mut Draw::new(1, 1);
    let columns = some_columns(draw, 1);
    let trees = columns.trees();
    let rows = vec![
        random::rows(draw, &trees, 9, 2),
        random::rows(draw, &trees, 9, 2),
    ];
    let all = tables(&columns, &[], &rows).histogram;
    let cuts: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
    let earlier = Release::under(&all, 0..2, &cuts);
    let less = tables(&columns, &[], &rows[..1]).histogram;
    let (values, maps) = SensitiveValues::union(&[all.values(), less.values()]);
    let less = less.with_values(&values, &maps[1]);
    assert_eq!(
        bcf(&less, &[earlier], &trees, 2),
        Err(NoRelease::NotSuperset { earlier: 0 })
    );
}

#[test]
fn the_standing_recoding_is_what_its_definition_says() {
    let seen: [AtomicU64; 3] = Default::default();
    random::run(
        "the_standing_recoding_is_what_its_definition_says",
        1500,
        |draw| {
            let columns = some_columns(draw, 3);
            let trees = columns.trees();
            let a = draw.between(2, 4);
            let mut standing = Standing::new(columns.clone(), a);
            let mut slow = slow::Chain {
                people: Vec::new(),
                cut: None,
                atoms: 0,
                a,
            };
            let mut atoms = 0;
            for now in 0..draw.between(1, 9) {
                let most = draw.between(1, 12);
                let mut rows = random::rows(draw, &trees, most, 1);
                rows.truncate(if draw.once_in(4) { 0 } else { rows.len() });
                let came: Vec<Leaves> = rows.iter().map(|row| leaves(row, &trees)).collect();
                let before = standing.cut().cloned();
                let ticked = standing.tick(&came);
                let step = slow.tick(&came, now, &trees);
                let (at, meant) = match step {
                    "hold" => (0, Some(RecodingStep::Hold)),
                    "first" => (1, Some(RecodingStep::First)),
                    _ => (2, None),
                };
                seen[at].fetch_add(1, Ordering::Relaxed);
                assert_eq!((ticked.step, standing.cut()), (meant, slow.cut.as_ref()));
                assert!(before.is_none() || before.as_ref() == standing.cut());
                same_people(&standing, &slow, &trees);
                assert!(ticked.atoms.iter().all(|(_, people)| *people >= a));
                atoms += ticked.atoms.len();
                assert_eq!(atoms, slow.atoms);
            }
            let found = standing.chain.feed.standing();
            found
                .into_iter()
                .for_each(|course| can_be_taken_back(course, &trees));
        },
    );
    assert!(
        seen.iter().all(|times| times.load(Ordering::Relaxed) > 0),
        "every kind of step was taken"
    );
}

/// Every specialisation of a standing recoding can be undone, the last one first, until everything
/// is at `*`.
fn can_be_taken_back(course: &Course, trees: &[&Taxonomy]) {
    let steps = course.steps();
    let mut finer = course.without(0, trees).expect("all of them");
    assert_eq!(&finer, course.cut());
    for (last, &(column, node)) in (1..).zip(steps.iter().rev()) {
        let coarser = course.without(last, trees).expect("there are so many");
        let mut nodes = coarser[column].nodes().to_vec();
        assert!(nodes.contains(&node));
        nodes.retain(|known| *known != node);
        nodes.extend(trees[column].children(node));
        let again = Cut::completed(trees[column], &nodes).expect("a cut");
        for (at, (finer, coarser)) in finer.iter().zip(&coarser).enumerate() {
            assert_eq!(finer, if at == column { &again } else { coarser });
        }
        finer = coarser;
    }
    assert!(
        finer
            .iter()
            .zip(trees)
            .all(|(cut, tree)| *cut == Cut::root(tree))
    );
    assert_eq!(course.without(steps.len() + 1, trees), None);
}

/// Each person is where the second implementation puts them, by leaf tuple and arrival.
fn same_people(standing: &Standing, slow: &slow::Chain, trees: &[&Taxonomy]) {
    let waits = |person: &&slow::Person| person.place == Place::Waiting;
    let waiting = slow.people.iter().filter(waits).map(|person| {
        let since = person.since as u32;
        (&person.leaves, Heads { since, count: 1 })
    });
    assert_eq!(
        standing.chain.feed.waiting_counts().headcount(),
        Headcount::of(trees.len(), waiting)
    );
    if let Some(cut) = &slow.cut {
        let placed = slow
            .people
            .iter()
            .filter(|person| matches!(person.place, Place::Atom(_)));
        let crowds = slow::classes(placed.map(|person| &person.leaves), cut);
        assert_eq!(standing.crowds(), Vec::from_iter(crowds));
    }
}

#[test]
fn headcounts_hold_what_histograms_hold_but_values() {
    random::run(
        "headcounts_hold_what_histograms_hold_but_values",
        500,
        |draw| {
            let columns = some_columns(draw, 3);
            let trees = columns.trees();
            let increments: Vec<Vec<Row>> = (0..draw.between(1, 3))
                .map(|_| random::rows(draw, &trees, 30, 3))
                .collect();
            let all = tables(&columns, &[], &increments).histogram;
            let rows = increments.iter().zip(0..).flat_map(|(rows, since)| {
                rows.iter().map(move |row| (row, Heads { since, count: 1 }))
            });
            let counted = Headcount::of(
                trees.len(),
                rows.map(|(row, heads)| (leaves(row, &trees), heads)),
            );
            assert_eq!(all.headcount(), counted);
            let [some, rest] =
                counted.divide(|tuple, heads| (tuple + heads.since as usize).is_multiple_of(2));
            assert_eq!(some.merge(&rest), counted);
            assert_eq!(
                format!("{counted:?}"),
                format!(
                    "Headcount({} leaf tuples, {} people)",
                    counted.tuples(),
                    counted.rows()
                )
            );
        },
    );
}
