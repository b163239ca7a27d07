//! True rows lead to their classes again: with the order of formation exactly, without it in some
//! order that gives the release.

use std::collections::BTreeMap;

use tidegate::engine::gate::refinement::{Attacker, CarvedClass, CarvedRelease, divide, fuzzy};

use super::column;
use super::local::{Chance, made};
use crate::common::cases;

/// Distinct rows, and how often they occur.
fn counts(rows: &[Vec<Vec<u32>>]) -> Vec<(Vec<u32>, u64)> {
    let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    rows.iter()
        .flatten()
        .for_each(|row| *counts.entry(row.clone()).or_default() += 1);
    counts.into_iter().collect()
}

#[test]
fn rows_find_their_classes() {
    let mut chance = Chance(8);
    let mut tied = 0;
    for _ in 0..cases(200) {
        let made = made(&mut chance, 3, 60);
        let all = counts(&made.leaves);
        let places = made.release.places();
        let found =
            divide(&made.release, Attacker::Strongest, &all).expect("the rows of the release");
        for (&place, mut found) in places.iter().zip(found) {
            let mut rows = made.rows(place).to_vec();
            rows.sort();
            found.sort();
            assert_eq!(rows, found);
        }
        let paper =
            divide(&made.release, Attacker::Paper, &all).expect("some order gives the release");
        for (&place, rows) in places.iter().zip(&paper) {
            assert_eq!(rows.len() as u64, made.release.rows(place));
            tied += u32::from(fuzzy(rows) != fuzzy(made.rows(place)));
        }
        // With one row less, or one twice, it is another release.
        let mut other = all.clone();
        let at = chance.below(all.len() as u64) as usize;
        other[at].1 += 1;
        assert!(divide(&made.release, Attacker::Strongest, &other).is_err());
        other[at].1 -= 2;
        assert!(divide(&made.release, Attacker::Paper, &other).is_err());
    }
    // Releases that two orders give are rare.
    assert!(tied < 20, "{tied}");
}

/// Two states that tie: the rows give the release if that of the first column came first, and the
/// release says that it came last.
#[test]
fn an_order_that_is_known_is_kept_to() {
    let class = |state: [usize; 2], nodes: [usize; 2]| CarvedClass {
        state: state.to_vec(),
        nodes: nodes.to_vec(),
        rows: 2,
    };
    let classes = vec![class([2, 1], [0, 1]), class([1, 2], [0, 0])];
    let release = CarvedRelease::new(
        vec![column(&[10; 3], &[3]), column(&[10; 3], &[3])],
        classes,
        0,
        2,
    );
    let release = release.expect("classes of states that tie");
    let rows = [[0, 0], [0, 1], [1, 1], [2, 1]].map(|row| (row.to_vec(), 1));
    assert!(divide(&release, Attacker::Paper, &rows).is_ok());
    assert!(divide(&release, Attacker::Strongest, &rows).is_err());
}
