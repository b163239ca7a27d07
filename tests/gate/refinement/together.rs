//! All targets at once: what is drawn against every combination of placements, and the truth as one of them.

use std::collections::BTreeMap;

use tidegate::engine::gate::refinement::{Attack, Attacker, Count, Key, Place, Ratio, Release, Values, joint};

use super::enumerate::{BOTH, every, products, puzzle, size};
use super::local::{Chance, made};
use super::{column, terms};
use crate::common::cases;

/// Leaf cells with rows, and how many.
type Rows = Vec<(Vec<u32>, u64)>;

/// The targets that are certainly formed after every chance of a state has gone by.
fn later(release: &Release, attacker: Attacker, state: &[usize]) -> Vec<usize> {
    let key = |state: &[usize]| Key::new(release.columns(), state);
    let formed = release.classes().iter().any(|class| class.state == state);
    let after = |at: usize, place: Place| match place {
        Place::Outliers => true,
        Place::Class(_) if formed && attacker == Attacker::Strongest => {
            release.classes()[at].state != state && !release.classes()[at..].iter().any(|class| class.state == state)
        }
        Place::Class(class) => key(&release.classes()[class].state) > key(state),
    };
    release.places().into_iter().enumerate().filter(|&(at, place)| after(at, place)).map(|(at, _)| at).collect()
}

/// Per state below the top the targets after it.
fn states(release: &Release, attacker: Attacker) -> Vec<(Vec<usize>, Vec<usize>)> {
    let layers: Vec<Vec<usize>> = release.columns().iter().map(|column| (1..=column.height()).collect()).collect();
    let mut states = products(&layers);
    states.pop();
    states.into_iter().map(|state| (state.clone(), later(release, attacker, &state))).collect()
}

/// Whether no segment of any state would have made a class of what was left.
fn fit(release: &Release, states: &[(Vec<usize>, Vec<usize>)], rows: &[Rows]) -> bool {
    states.iter().all(|(state, later)| {
        let mut segments: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        for (cell, count) in later.iter().flat_map(|&at| &rows[at]) {
            let sides = release.columns().iter().zip(state).zip(cell);
            *segments.entry(sides.map(|((column, &layer), &leaf)| column.above(layer, leaf)).collect()).or_default() +=
                count;
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
            let rows: Vec<Rows> =
                made.leaves.iter().map(|rows| rows.iter().map(|row| (row.clone(), 1)).collect()).collect();
            assert!(fit(&made.release, &states(&made.release, attacker), &rows));
        }
    }
}

/// log10 of LR over all joint solutions; `None` if there are too many combinations to look at.
fn by_hand(release: &Release, attacker: Attacker, values: Values) -> Option<f64> {
    let mut all: Vec<(Vec<Rows>, f64)> = vec![(Vec::new(), 1.0)];
    for place in release.places() {
        let puzzle = puzzle(release, attacker, place);
        if size(puzzle.cells.len(), release.rows(place)) > 300 {
            return None;
        }
        let mut own: Vec<(Rows, f64)> = Vec::new();
        every(&puzzle, release.rows(place), release.k() - 1, values, &mut |counts, weight| {
            let held = counts.iter().zip(&puzzle.cells).filter(|(count, _)| **count > 0);
            own.push((held.map(|(&count, (cell, _))| (cell.clone(), count)).collect(), weight as f64));
        });
        if own.len() * all.len() > 2000 {
            return None;
        }
        let longer = |(start, weight): &(Vec<Rows>, f64)| -> Vec<_> {
            own.iter().map(|(rows, of)| ([&start[..], std::slice::from_ref(rows)].concat(), weight * of)).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let states = states(release, attacker);
    let solutions: f64 = all.iter().filter(|(rows, _)| fit(release, &states, rows)).map(|(_, weight)| weight).sum();
    let found = Attack::new(release, terms(attacker, values)).expect("an order of formation").targets();
    let lr: f64 = found.iter().map(|target| target.lr.log10().expect("exact")).sum();
    Some(lr - solutions.log10())
}

#[test]
fn the_joint_bound_holds() {
    let mut chance = Chance(6);
    let (mut compared, mut apart) = (0, 0);
    for _ in 0..cases(120) {
        let made = made(&mut chance, 2, 14);
        for (attacker, values) in BOTH {
            let mut terms = terms(attacker, values);
            terms.budget.draws = 1024;
            let attack = Attack::new(&made.release, terms).expect("an order of formation");
            let targets = attack.targets();
            // Rows that share values are no solution for whoever thinks they do not.
            if targets.len() < 2 || targets.iter().any(|target| target.cra == Count::Exact(0u8.into())) {
                continue;
            }
            let Some(truth) = by_hand(&made.release, attacker, values).filter(|truth| truth.is_finite()) else {
                continue;
            };
            let found = joint(&attack, &targets);
            let Ratio::AtMost { log10 } = found.ratio else { panic!("some are kept: {found:?}, {truth}") };
            assert!(truth <= log10, "{found:?}, {truth}");
            let estimate = found.estimate().expect("some are kept");
            assert!((estimate - truth).abs() < 0.2, "{found:?}, {truth}");
            compared += 1;
            apart += u32::from(found.kept < found.draws);
        }
    }
    assert!(compared > 60 && apart > 10, "{compared}, {apart}");
}

#[test]
fn nobody_together_tells_nothing() {
    let release = Release::new(vec![column(&[1; 4], &[2, 2])], Vec::new(), 0, 2).expect("no classes");
    let mut terms = terms(Attacker::Strongest, Values::Repeated);
    terms.budget.draws = 1024;
    let attack = Attack::new(&release, terms).expect("an order of formation");
    let found = joint(&attack, &attack.targets());
    assert!(found.kept == found.draws && found.ratio.is_at_most(1.1), "{found:?}");
}
