//! All targets at once: sampled solutions against every combination of placements, with the truth
//! as one of them.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::engine::gate::refinement::{
    AttackTarget, AttackedRows, Attacker, CarvedClass, CarvedRelease, Joint, RatioFigure,
    RefinementAttack, RepeatedValues, SegmentPart, SolutionCount, StateKey, crowds, joint,
};

use super::enumerate::{BOTH, every, products, puzzle, size};
use super::local::{Chance, local, made};
use super::{column, terms};
use crate::common::cases;

/// Leaf cells with rows, and how many.
type Rows = Vec<(Vec<u32>, u64)>;

/// The targets that are certainly formed after all classes of a state.
fn later(release: &CarvedRelease, attacker: Attacker, state: &[usize]) -> Vec<usize> {
    let key = |state: &[usize]| StateKey::new(release.columns(), state);
    let after = |place: AttackedRows| match (place, attacker) {
        (AttackedRows::Outliers, _) => true,
        (AttackedRows::Class(class), Attacker::Paper) => {
            key(&release.classes()[class].state) > key(state)
        }
        (AttackedRows::Class(class), Attacker::Strongest) => {
            let other = &release.classes()[class].state;
            (key(other), &other[..]) > (key(state), state)
        }
    };
    release
        .places()
        .into_iter()
        .enumerate()
        .filter(|&(_, place)| after(place))
        .map(|(at, _)| at)
        .collect()
}

/// Per state below the top the targets after it.
fn states(release: &CarvedRelease, attacker: Attacker) -> Vec<(Vec<usize>, Vec<usize>)> {
    let layers: Vec<Vec<usize>> = release
        .columns()
        .iter()
        .map(|column| (1..=column.height()).collect())
        .collect();
    let mut states = products(&layers);
    states.pop();
    states
        .into_iter()
        .map(|state| (state.clone(), later(release, attacker, &state)))
        .collect()
}

/// Whether no segment of any state would have formed a class of the remaining rows.
fn fit(release: &CarvedRelease, states: &[(Vec<usize>, Vec<usize>)], rows: &[Rows]) -> bool {
    states.iter().all(|(state, later)| {
        let mut segments: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        for (cell, count) in later.iter().flat_map(|&at| &rows[at]) {
            let sides = release.columns().iter().zip(state).zip(cell);
            *segments
                .entry(
                    sides
                        .map(|((column, &layer), &leaf)| column.above(layer, leaf))
                        .collect(),
                )
                .or_default() += count;
        }
        segments.values().all(|&rows| rows < release.k())
    })
}

#[test]
fn the_truth_always_fits() {
    let mut chance = Chance(5);
    for _ in 0..cases(150) {
        let made = made(&mut chance, 3, 40);
        for attacker in [Attacker::Paper, Attacker::Strongest] {
            let rows: Vec<Rows> = made
                .leaves
                .iter()
                .map(|rows| rows.iter().map(|row| (row.clone(), 1)).collect())
                .collect();
            assert!(fit(&made.release, &states(&made.release, attacker), &rows));
        }
    }
}

/// Every combination of placements that fits, with its weight; None if there are too many to
/// enumerate.
fn combinations(
    release: &CarvedRelease,
    attacker: Attacker,
    values: RepeatedValues,
) -> Option<Vec<(Vec<Rows>, f64)>> {
    let mut all: Vec<(Vec<Rows>, f64)> = vec![(Vec::new(), 1.0)];
    for place in release.places() {
        let puzzle = puzzle(release, attacker, place);
        if size(puzzle.cells.len(), release.rows(place)) > 300 {
            return None;
        }
        let mut own: Vec<(Rows, f64)> = Vec::new();
        every(
            &puzzle,
            release.rows(place),
            release.k() - 1,
            values,
            &mut |counts, weight| {
                let held = counts
                    .iter()
                    .zip(&puzzle.cells)
                    .filter(|(count, _)| **count > 0);
                own.push((
                    held.map(|(&count, (cell, _))| (cell.clone(), count))
                        .collect(),
                    weight as f64,
                ));
            },
        );
        if own.len() * all.len() > 2000 {
            return None;
        }
        let longer = |(start, weight): &(Vec<Rows>, f64)| -> Vec<_> {
            own.iter()
                .map(|(rows, of)| {
                    (
                        [&start[..], std::slice::from_ref(rows)].concat(),
                        weight * of,
                    )
                })
                .collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let states = states(release, attacker);
    all.retain(|(rows, _)| fit(release, &states, rows));
    Some(all)
}

/// log10 of LR over all joint solutions; None if there are too many combinations to enumerate.
fn by_hand(release: &CarvedRelease, attacker: Attacker, values: RepeatedValues) -> Option<f64> {
    let solutions: f64 = combinations(release, attacker, values)?
        .iter()
        .map(|(_, weight)| weight)
        .sum();
    let found = RefinementAttack::new(release, terms(attacker, values))
        .expect("an order of formation")
        .targets();
    let lr: f64 = found
        .iter()
        .map(|target| target.lr.log10().expect("exact"))
        .sum();
    Some(lr - solutions.log10())
}

/// The number of these rows of a target in a part of it.
fn held(release: &CarvedRelease, target: &AttackTarget, part: SegmentPart, rows: &Rows) -> u64 {
    let nodes = release.nodes(target.place);
    let child = |at: usize, cell: &[u32]| {
        let column = target.columns[at];
        let mut slabs = release.columns()[column].children(nodes[column].0, nodes[column].1);
        slabs
            .position(|slab| slab.contains(&cell[column]))
            .expect("a child")
    };
    let inside = |cell: &[u32]| match part {
        SegmentPart::Slab(at, slab) => child(at, cell) == slab,
        SegmentPart::Cell(block) | SegmentPart::Block(block) => {
            (0..target.columns.len()).all(|at| child(at, cell) == target.blocks[block].children[at])
        }
    };
    rows.iter()
        .filter(|(cell, _)| inside(cell))
        .map(|(_, count)| count)
        .sum()
}

/// Parts of targets that contain the same number of rows, fewer than k, in every combination, but
/// not for their target alone.
fn certain(
    release: &CarvedRelease,
    targets: &[AttackTarget],
    all: &[(Vec<Rows>, f64)],
) -> Vec<(usize, SegmentPart, u64)> {
    let mut found = Vec::new();
    for (at, target) in targets.iter().enumerate() {
        let blocks = target.blocks.iter().enumerate().map(|(block, held)| {
            let part = if held.cells == 1 {
                SegmentPart::Cell(block)
            } else {
                SegmentPart::Block(block)
            };
            (part, held.support)
        });
        let slabs = target.slabs.iter().enumerate();
        let slabs = slabs.flat_map(|(of, slabs)| {
            (0..)
                .zip(slabs)
                .map(move |(slab, held)| (SegmentPart::Slab(of, slab), *held))
        });
        for (part, _) in blocks
            .chain(slabs)
            .filter(|(_, support)| support.certain().is_none())
        {
            let counts: BTreeSet<u64> = all
                .iter()
                .map(|(rows, _)| held(release, target, part, &rows[at]))
                .collect();
            let only = counts
                .first()
                .filter(|rows| counts.len() == 1 && (1..release.k()).contains(rows));
            found.extend(only.map(|rows| (at, part, *rows)));
        }
    }
    found
}

#[test]
fn what_is_certain_together_is_what_every_combination_shows() {
    let mut chance = Chance(7);
    let (mut compared, mut reported) = (0, 0);
    for _ in 0..cases(400) {
        let made = made(&mut chance, 2, 14);
        for (attacker, values) in BOTH {
            let attack = RefinementAttack::new(&made.release, terms(attacker, values))
                .expect("an order of formation");
            let targets = attack.targets();
            if targets.is_empty() || targets.iter().any(AttackTarget::is_impossible) {
                continue;
            }
            let Some(all) =
                combinations(&made.release, attacker, values).filter(|all| !all.is_empty())
            else {
                continue;
            };
            let wanted = certain(&made.release, &targets, &all);
            let found = crowds(&attack, &targets).expect("so little work");
            let found: Vec<(usize, SegmentPart, u64)> = found
                .iter()
                .map(|(at, crowd)| (*at, crowd.part, crowd.least))
                .collect();
            assert_eq!(found, wanted, "{:?} {attacker:?} {values:?}", made.release);
            (compared, reported) = (compared + 1, reported + u32::from(!wanted.is_empty()));
        }
    }
    assert!(compared > 200 && reported > 3, "{compared}, {reported}");
}

/// Two classes of three, each with two possible placements; a state that formed nothing leaves one.
#[test]
fn a_crowd_of_one_is_certain_that_no_class_shows() {
    let columns = vec![column(&[10; 2], &[2]), column(&[10; 4], &[2, 2])];
    let rows = [[1, 31], [2, 35], [12, 33], [13, 24], [14, 3], [15, 12]].map(|row| row.to_vec());
    let made = local(&columns, &rows, 3);
    let classes: Vec<(Vec<usize>, Vec<usize>)> = made
        .release
        .classes()
        .iter()
        .map(|class| (class.state.clone(), class.nodes.clone()))
        .collect();
    assert_eq!(
        classes,
        [(vec![2, 1], vec![0, 3]), (vec![1, 3], vec![1, 0])]
    );
    for attacker in [Attacker::Paper, Attacker::Strongest] {
        let attack =
            RefinementAttack::new(&made.release, terms(attacker, RepeatedValues::Repeated))
                .expect("an order of formation");
        let targets = attack.targets();
        assert!(targets.iter().all(|target| {
            target
                .certain_crowds()
                .is_some_and(|crowds| crowds.is_empty())
        }));
        let found = crowds(&attack, &targets).expect("so little work");
        assert!(
            found.iter().any(|(at, crowd)| *at == 0 && crowd.least == 1),
            "{found:?}"
        );
        assert!(
            found.iter().any(|(at, crowd)| *at == 1 && crowd.least == 1),
            "{found:?}"
        );
    }
}

/// Each class has one person in each of three leaves, so that any leaf has two people together: the
/// state that separates the leaves of the first column would have formed classes of two before.
#[test]
fn classes_that_contradict_each_other_have_no_result() {
    let class = |node: usize| CarvedClass {
        state: vec![2, 1],
        nodes: vec![0, node],
        rows: 3,
    };
    let columns = vec![column(&[10; 3], &[3]), column(&[10; 2], &[2])];
    let release = CarvedRelease::new(columns, vec![class(0), class(1)], 0, 2).expect("classes");
    for (attacker, values) in BOTH {
        let attack = RefinementAttack::new(&release, terms(attacker, values))
            .expect("an order of formation");
        let targets = attack.targets();
        assert!(
            !targets.iter().any(AttackTarget::is_impossible),
            "each by itself leaves ways open"
        );
        assert_eq!(
            combinations(&release, attacker, values).map(|all| all.len()),
            Some(0)
        );
        assert_eq!(crowds(&attack, &targets), None);
    }
}

/// Larger releases: two placements show what is not certain, so that nothing is rejected because of
/// the work limit.
#[test]
fn what_is_open_is_found_open() {
    let mut chance = Chance(8);
    let (mut known, mut all) = (0, 0);
    for _ in 0..cases(40) {
        let made = made(&mut chance, 3, 300);
        let attack = RefinementAttack::new(
            &made.release,
            terms(Attacker::Strongest, RepeatedValues::Repeated),
        )
        .expect("an order");
        let targets = attack.targets();
        if targets.is_empty() || targets.iter().any(AttackTarget::is_impossible) {
            continue;
        }
        all += 1;
        let Some(found) = crowds(&attack, &targets) else {
            continue;
        };
        known += 1;
        // The truth is one of the placements: certain facts hold for it.
        for (at, crowd) in found {
            let rows: Rows = made.leaves[at].iter().map(|row| (row.clone(), 1)).collect();
            assert_eq!(
                held(&made.release, &targets[at], crowd.part, &rows),
                crowd.least
            );
        }
    }
    assert!(known * 10 > all * 7, "{known} of {all}");
}

#[test]
fn the_joint_bound_holds() {
    let mut chance = Chance(6);
    let ([mut compared, mut apart], [mut estimated, mut fewer]) = ([0; 2], [0; 2]);
    for _ in 0..cases(120) {
        let made = made(&mut chance, 2, 14);
        for (attacker, values) in BOTH {
            let mut terms = terms(attacker, values);
            terms.budget.draws = 1024;
            let attack =
                RefinementAttack::new(&made.release, terms).expect("an order of formation");
            let targets = attack.targets();
            // Rows that share values are not a solution for a reader who assumes that they do not.
            if targets.len() < 2
                || targets
                    .iter()
                    .any(|target| target.cra == SolutionCount::Exact(0u8.into()))
            {
                continue;
            }
            let Some(truth) =
                by_hand(&made.release, attacker, values).filter(|truth| truth.is_finite())
            else {
                continue;
            };
            let found = joint(&attack, &targets);
            let RatioFigure::AtMost { log10 } = found.ratio else {
                panic!("some are kept: {found:?}, {truth}")
            };
            assert!(truth <= log10, "{found:?}, {truth}");
            let estimate = found.estimate().expect("some are kept");
            assert!((estimate - truth).abs() < 0.2, "{found:?}, {truth}");
            compared += 1;
            apart += u32::from(found.kept < found.draws);
            // If the work is not enough for all caps, some are dropped, and solutions sampled
            // without them are kept less often.
            for arrows in [1, 20, 60] {
                terms.budget.arrows = 8 * arrows;
                let less =
                    RefinementAttack::new(&made.release, terms).expect("an order of formation");
                let less = joint(&less, &targets);
                let bound = less.ratio.most().unwrap_or(f64::INFINITY);
                assert!(truth <= bound, "{arrows} arrows: {less:?}, {truth}");
                let estimate = less.estimate().filter(|_| less.kept > 100);
                assert!(
                    estimate.is_none_or(|estimate| (estimate - truth).abs() < 0.2),
                    "{arrows} arrows: {less:?}, {truth}"
                );
                (estimated, fewer) = (
                    estimated + u32::from(estimate.is_some()),
                    fewer + u32::from(less.kept < found.kept),
                );
            }
        }
    }
    assert!(compared > 60 && apart > 10, "{compared}, {apart}");
    assert!(estimated > 100 && fewer > 10, "{estimated}, {fewer}");
}

#[test]
fn no_people_together_reveal_nothing() {
    let release =
        CarvedRelease::new(vec![column(&[1; 4], &[2, 2])], Vec::new(), 0, 2).expect("no classes");
    let mut terms = terms(Attacker::Strongest, RepeatedValues::Repeated);
    terms.budget.draws = 1024;
    let attack = RefinementAttack::new(&release, terms).expect("an order of formation");
    let found = joint(&attack, &attack.targets());
    assert!(
        found.kept == found.draws && found.ratio.is_at_most(1.1),
        "{found:?}"
    );
    // If no sample fits together, there is no most likely value.
    assert!(found.estimate().is_some() && Joint { kept: 0, ..found }.estimate().is_none());
}
