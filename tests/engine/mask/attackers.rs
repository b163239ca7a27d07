//! Attackers who know everything except the sensitive values and the draws: who is in which atom,
//! the mechanism, and the expected frequency of a guarded value. From the published tables they
//! compute their belief about each person, over everything that may have happened.

use std::collections::BTreeMap;

use tidegate::engine::gate::minimality::masked;
use tidegate::engine::safeguards::mask::{AtomShare, AtomShares, ReplacementValues, mask};

use super::branches;
use super::rows::{Drawn, Same, rows};
use crate::common::random::Draw;

/// C(n, j) pʲ (1 − p)ⁿ⁻ʲ.
fn binomial(n: u64, j: u64, p: f64) -> f64 {
    let ways: f64 = (0..j).map(|i| (n - i) as f64 / (i + 1) as f64).product();
    ways * p.powi(j as i32) * (1.0 - p).powi((n - j) as i32)
}

/// Beliefs about the people of each atom, by observation: its probability, and the expected number
/// of guarded values in each atom.
type Beliefs = BTreeMap<Vec<u64>, (f64, Vec<f64>)>;

/// What is published about true and published guarded values.
type Also<'a> = dyn Fn(&[u64], &[u64]) -> Vec<u64> + 'a;

/// All possible observations of atoms of these sizes; `also`: what is published beside the number
/// of guarded values.
fn beliefs(sizes: &[u64], l: u64, before: &dyn Fn(&[u64]) -> f64, also: &Also<'_>) -> Beliefs {
    let mut beliefs = Beliefs::new();
    let mut held = vec![0; sizes.len()];
    loop {
        let likely = before(&held);
        if likely > 0.0 {
            let crowds: Vec<AtomShare> = sizes
                .iter()
                .zip(&held)
                .map(|(&people, &guarded)| AtomShare { people, guarded })
                .collect();
            let shares = AtomShares::of(&crowds, l);
            for (weight, targets) in branches::all(|draws| shares.targets(&crowds, draws)) {
                let mut shown = held.clone();
                targets
                    .into_iter()
                    .for_each(|(at, target)| shown[at] = target);
                let seen = [shown.clone(), also(&held, &shown)].concat();
                let (all, sums) = beliefs
                    .entry(seen)
                    .or_insert_with(|| (0.0, vec![0.0; sizes.len()]));
                *all += weight * likely;
                sums.iter_mut()
                    .zip(&held)
                    .for_each(|(sum, held)| *sum += weight * likely * *held as f64);
            }
        }
        let Some(at) = (0..sizes.len()).find(|&at| held[at] < sizes[at]) else {
            return beliefs;
        };
        held[at] += 1;
        held[..at].fill(0);
    }
}

/// The strongest belief in a guarded value of a person in an atom, over all observations.
fn strongest(beliefs: &Beliefs, sizes: &[u64], at: usize) -> f64 {
    let of = |(all, sums): &(f64, Vec<f64>)| sums[at] / all / sizes[at] as f64;
    beliefs.values().map(of).fold(0.0, f64::max)
}

fn independent(sizes: &[u64], p: f64) -> impl Fn(&[u64]) -> f64 {
    move |held| {
        sizes
            .iter()
            .zip(held)
            .map(|(&n, &j)| binomial(n, j, p))
            .product()
    }
}

fn nothing(_: &[u64], _: &[u64]) -> Vec<u64> {
    Vec::new()
}

/// No attacker's belief exceeds the figure of the gate, under any rate that it holds for.
#[test]
fn no_attacker_believes_more_than_the_gate_says() {
    let cases: [(u64, &[u64]); 7] = [
        (2, &[8]),
        (2, &[8, 8]),
        (2, &[8, 11]),
        (2, &[9, 16]),
        (2, &[8, 8, 9]),
        (3, &[12, 13]),
        (3, &[12, 17]),
    ];
    for (m, sizes) in cases {
        let l = 2 * m;
        for (part, of) in [(1, l), (1, 2 * l), (1, 10 * l)] {
            let p = part as f64 / of as f64;
            let beliefs = beliefs(sizes, l, &independent(sizes, p), &nothing);
            for (at, &people) in sizes.iter().enumerate() {
                let (found, figure) = (
                    strongest(&beliefs, sizes, at),
                    masked(people, l, (part, of)).value(),
                );
                assert!(
                    found <= figure + 1e-9,
                    "{sizes:?}, m = {m}, rate {p}: {found} is above {figure}"
                );
                assert!(found <= 1.0 / m as f64);
            }
        }
    }
}

/// The paper's own l does not keep the guarantee.
#[test]
fn with_l_of_m_a_person_believes_more_than_one_in_m() {
    let found = [&[4, 4][..], &[4, 5], &[4, 4, 4]].map(|sizes| {
        let beliefs = beliefs(sizes, 2, &independent(sizes, 0.5), &nothing);
        (0..sizes.len())
            .map(|at| strongest(&beliefs, sizes, at))
            .fold(0.0, f64::max)
    });
    assert!(found.iter().any(|found| *found > 0.5), "{found:?}");
}

/// If the share of changed rows were public, everything would be.
#[test]
fn the_share_of_changed_rows_must_not_be_known() {
    let sizes = [8, 8];
    let changed =
        |held: &[u64], shown: &[u64]| vec![held.iter().sum::<u64>() - shown.iter().sum::<u64>()];
    let beliefs = beliefs(&sizes, 4, &independent(&sizes, 0.25), &changed);
    assert!(strongest(&beliefs, &sizes, 0) > 0.99);
}

/// Not guaranteed: an attacker who believes that either all people of an atom have a guarded value
/// or none has.
#[test]
fn what_is_not_promised_to_an_attacker_who_believes_in_all_or_none() {
    let sizes = [8, 8];
    let before = |held: &[u64]| {
        let each = |held: &u64| match held {
            8 => 0.3,
            0 => 0.7,
            _ => 0.0,
        };
        held.iter().map(each).product()
    };
    let beliefs = beliefs(&sizes, 4, &before, &nothing);
    assert!(
        (strongest(&beliefs, &sizes, 0) - 1.0).abs() < 1e-9,
        "an atom that shows some gives all away"
    );
}

/// Masked on other partitions than the atoms, releases that are permitted everywhere reveal the
/// values of two people (SCIENCE 5).
#[test]
fn masking_on_other_partitions_than_atoms_fails() {
    // a1b1, a1b2, a2b1, a2b2. First 0, 8, 8, 0 people, then 1, 7, 1, 7 of whom both in b1 have the
    // guarded value 1.
    let first = [(0, 0), (8, 0), (8, 0), (0, 0)];
    let second = [(1, 1), (7, 0), (1, 1), (7, 0)];
    let class = |of: &[(u64, u64)], cells: [usize; 2]| {
        (
            cells.map(|at| of[at].0).iter().sum(),
            cells.map(|at| of[at].1).iter().sum(),
        )
    };
    let on_a: Vec<_> = [[0, 1], [2, 3]]
        .map(|cells| {
            let cell = |at: usize| {
                [
                    (at as u32, 1, second[at].1),
                    (at as u32, 0, second[at].0 - second[at].1),
                ]
            };
            rows(&cells.map(cell).concat())
        })
        .to_vec();
    let stocks = Same(vec![ReplacementValues::of([(0, 100)])]);
    let changes = mask(
        &on_a,
        &[vec![false, true]],
        4,
        &stocks,
        &mut Drawn(&mut Draw::new(1, 1)),
    );
    assert_eq!(
        changes,
        Ok(vec![]),
        "each class of A holds one of eight, which is allowed"
    );
    // Published on B: b1 had eight people and no guarded value, now ten and two. Two of ten are
    // permitted; but they are the two who were added.
    let (before, now): ((u64, u64), (u64, u64)) = (class(&first, [0, 2]), {
        let (a, b): ((u64, u64), (u64, u64)) = (class(&first, [0, 2]), class(&second, [0, 2]));
        (a.0 + b.0, a.1 + b.1)
    });
    assert!(now.1 * 4 <= now.0);
    assert_eq!(
        (now.0 - before.0, now.1 - before.1),
        (2, 2),
        "each person who came has it"
    );
    // Masking on the published classes makes it impossible: there are fewer people than an atom
    // has.
}

/// Replacement values from the atom's own few values reveal changed rows; those from many values do
/// not.
#[test]
fn replacements_from_the_own_few_values_betray_the_draw() {
    const VALUES: u32 = 1_000;
    const PEOPLE: u64 = 8;
    let sets = [(0..=VALUES)
        .map(|value| value == VALUES)
        .collect::<Vec<bool>>()];
    let mut draw = Draw::new(11, 5);
    // The observation of values outside the set: one occurs twice, and there are at most three of
    // them. Returns how often each was observed, and the number of guarded values.
    let mut run = |own: bool, times: u32| {
        let mut seen = [(0u64, 0u64); 2];
        for _ in 0..times {
            let person = |draw: &mut Draw| match draw.once_in(4) {
                true => VALUES,
                false => draw.between(0, u64::from(VALUES) - 1) as u32,
            };
            let people: Vec<u32> = (0..PEOPLE).map(|_| person(&mut draw)).collect();
            let atom = rows(
                &people
                    .iter()
                    .map(|&value| (0, value, 1))
                    .collect::<Vec<_>>(),
            );
            let others = people
                .iter()
                .filter(|value| **value != VALUES)
                .map(|&value| (value, 1));
            let stock = if own {
                ReplacementValues::of(others)
            } else {
                ReplacementValues::of((0..VALUES).map(|value| (value, 1)))
            };
            let held = people.iter().filter(|value| **value == VALUES).count() as u64;
            // If all people have it there is no other value of the atom.
            let Ok(changes) = mask(&[atom], &sets, 4, &Same(vec![stock]), &mut Drawn(&mut draw))
            else {
                continue;
            };
            let mut shown: BTreeMap<u32, u64> = BTreeMap::new();
            people
                .iter()
                .for_each(|&value| *shown.entry(value).or_default() += 1);
            for change in changes {
                *shown.get_mut(&change.from).expect("it was there") -= change.rows;
                *shown.entry(change.to).or_default() += change.rows;
            }
            shown.remove(&VALUES);
            let found = [shown.values().any(|rows| *rows > 1), shown.len() <= 3];
            for (seen, _) in seen.iter_mut().zip(found).filter(|(_, found)| *found) {
                *seen = (seen.0 + 1, seen.1 + held);
            }
        }
        seen.map(|(seen, held)| (seen, held as f64 / (seen * PEOPLE) as f64))
    };
    let [_, (seen, belief)] = run(true, 10_000);
    assert!(seen > 100 && belief > 0.55, "{seen} times, {belief}");
    let [(seen, belief), (few, _)] = run(false, 20_000);
    // Five times the deviation of the mean of this many.
    let noise = 5.0 * 0.2 / (seen as f64).sqrt();
    assert!(
        seen > 300 && belief <= masked(PEOPLE, 4, (1, 4)).value() + noise,
        "{seen} times, {belief}"
    );
    assert_eq!(few, 0);
}
