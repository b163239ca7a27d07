//! What follows from published sums, and the intervals of the other sums.

use num_bigint::BigInt;
use tidegate::engine::arithmetic::RationalNumber;
use tidegate::engine::sums::{Range, Relation, SumSystem, SumsAttack};

use super::recoverer::{self, Equations, Small};
use crate::common::random::{self, Draw};

/// SCIENCE 7: (5, 5, 5) were added to a and to b with the first increment, (60, 60, 60, 60) to a
/// and (100, 1) to b with the second, (40, 41, 42) to b with the third. R1 and R3 show a and b, R2
/// only both together; each contains all so far. Slices are numbered by increment, a before b.
fn three_releases() -> SumSystem {
    let group =
        |increments: usize, b: usize| (0..increments).map(move |increment| (2 * increment + b, 1));
    let sums = [
        Relation::new(group(1, 0), 15),
        Relation::new(group(1, 1), 15),
        Relation::new(group(2, 0).chain(group(2, 1)), 15 + 15 + 240 + 101),
        Relation::new(group(3, 0), 15 + 240),
        Relation::new(group(3, 1), 15 + 101 + 123),
    ];
    SumSystem::new(6, sums.to_vec(), Range::NotNegative)
}

/// For readers who know that nothing was added to a with the third increment.
fn readers(system: &SumSystem) -> SumsAttack<'_> {
    SumsAttack::new(
        system,
        (0..6).map(|slice| (slice == 4).then_some(0)).collect(),
    )
}

#[test]
fn a_chain_of_three_releases_gives_away_what_no_two_of_them_do() {
    let system = three_releases();
    let b_of_second = 3;
    // According to the sums, a person may have been added to a with the third increment.
    assert_eq!(
        SumsAttack::new(&system, vec![None; 6]).derivation(&[(b_of_second, 1)]),
        None
    );
    // If not, (R3b − R1b) − (R3 − R2) is the sum of 100 and 1.
    let found = readers(&system)
        .derivation(&[(b_of_second, 1)])
        .expect("it follows");
    let mut sum = vec![BigInt::ZERO; 6];
    let mut constant = BigInt::ZERO;
    for (relation, times) in &found.relations {
        let relation = &system.relations()[*relation];
        relation
            .terms()
            .iter()
            .for_each(|&(slice, each)| sum[slice] += times * each);
        constant += times * relation.constant();
    }
    sum[4] = BigInt::ZERO;
    let wanted: Vec<BigInt> = (0..6)
        .map(|slice| {
            if slice == 3 {
                found.scale.clone()
            } else {
                BigInt::ZERO
            }
        })
        .collect();
    assert_eq!((sum, constant), (wanted, &found.scale * 101));
    // Any two releases leave it open.
    for left_out in [vec![0, 1], vec![2], vec![3, 4]] {
        let kept = (0..5)
            .filter(|sum| !left_out.contains(sum))
            .map(|sum| system.relations()[sum].clone());
        let two = SumSystem::new(6, kept.collect(), Range::NotNegative);
        assert_eq!(
            readers(&two).derivation(&[(b_of_second, 1)]),
            None,
            "without {left_out:?}"
        );
    }
}

/// Random relations between few cells that some numbers satisfy.
fn system(draw: &mut Draw) -> (SumSystem, Vec<i128>) {
    let cells = draw.between(2, 6) as usize;
    let values: Vec<i128> = (0..cells)
        .map(|_| i128::from(draw.between(0, 12)))
        .collect();
    let relations = (0..draw.between(1, 4)).map(|_| {
        let terms: Vec<(usize, i64)> = (0..cells)
            .map(|cell| (cell, draw.between(0, 2) as i64 - 1))
            .collect();
        let constant = terms
            .iter()
            .map(|&(cell, times)| i128::from(times) * values[cell])
            .sum();
        Relation::new(terms, constant)
    });
    let relations = relations.collect();
    (SumSystem::new(cells, relations, Range::NotNegative), values)
}

/// The equations between unknown cells, dense, and the cells.
pub fn dense(system: &SumSystem, published: &[Option<i128>]) -> (Equations, Vec<usize>) {
    let unknown: Vec<usize> = (0..system.cells())
        .filter(|&cell| published[cell].is_none())
        .collect();
    let equation = |relation: &Relation| {
        let mut terms = vec![0; unknown.len()];
        let mut right = relation.constant();
        for &(cell, times) in relation.terms() {
            match (published[cell], unknown.iter().position(|&at| at == cell)) {
                (Some(value), _) => right -= i128::from(times) * value,
                (None, at) => terms[at.expect("an unknown cell")] = i128::from(times),
            }
        }
        (terms, right)
    };
    (system.relations().iter().map(equation).collect(), unknown)
}

fn small(fraction: &RationalNumber) -> Small {
    let number = |number: &BigInt| i128::try_from(number).expect("a small number");
    Small::new(number(fraction.numerator()), number(fraction.denominator()))
}

#[test]
fn intervals_are_those_of_all_vertices() {
    random::run("intervals", 250, |draw| {
        let (system, values) = system(draw);
        let published: Vec<Option<i128>> = values
            .iter()
            .map(|&value| draw.once_in(3).then_some(value))
            .collect();
        let (equations, unknown) = dense(&system, &published);
        let readers = SumsAttack::new(&system, published);
        assert!(readers.violated().is_empty());
        let found = readers.intervals(&unknown).expect("the values fit");
        for (at, interval) in found.iter().enumerate() {
            let (low, high) =
                recoverer::interval(&equations, at, unknown.len()).expect("the values fit");
            assert_eq!(interval.low.as_ref().map(small), Some(low), "{system:?}");
            assert_eq!(interval.high.as_ref().map(small), high, "{system:?}");
        }
    });
}

#[test]
fn what_follows_is_in_the_row_space() {
    random::run("derivations", 300, |draw| {
        let (system, values) = system(draw);
        let published: Vec<Option<i128>> = values
            .iter()
            .map(|&value| draw.once_in(4).then_some(value))
            .collect();
        let (equations, unknown) = dense(&system, &published);
        let sum: Vec<(usize, i64)> = (0..system.cells())
            .map(|cell| (cell, draw.between(0, 2) as i64 - 1))
            .collect();
        let mut rows: Vec<Vec<i128>> = equations
            .iter()
            .map(|equation| equation.0.clone())
            .collect();
        let before = recoverer::rank(&rows);
        rows.push(
            unknown
                .iter()
                .map(|&cell| i128::from(sum[cell].1))
                .collect(),
        );
        let follows = recoverer::rank(&rows) == before;
        let found = SumsAttack::new(&system, published).derivation(&sum);
        assert_eq!(found.is_some(), follows, "{system:?}: {sum:?}");
        let Some(found) = found else { return };
        let mut added = vec![BigInt::ZERO; system.cells()];
        for (relation, times) in &found.relations {
            system.relations()[*relation]
                .terms()
                .iter()
                .for_each(|&(cell, each)| added[cell] += times * each);
        }
        for cell in unknown {
            assert_eq!(
                added[cell],
                &found.scale * sum[cell].1,
                "{system:?}: {sum:?}"
            );
        }
    });
}

#[test]
fn contradictions_are_found_and_named() {
    // A total of 3 whose parts are 4 and a suppressed one; another relation is independent of it.
    let relations = vec![Relation::total(0, [1, 2]), Relation::total(3, [4, 5])];
    let system = SumSystem::new(6, relations, Range::NotNegative);
    let readers = SumsAttack::new(
        &system,
        vec![Some(3), Some(4), None, Some(9), None, Some(2)],
    );
    let found = readers
        .intervals(&[4])
        .expect_err("a part would be below 0");
    assert_eq!((found.relations, readers.violated()), (vec![0], vec![]));
    // Any numbers: the part is -1.
    let free = SumSystem::new(6, system.relations().to_vec(), Range::Free);
    let readers = SumsAttack::new(&free, vec![Some(3), Some(4), None, Some(9), None, None]);
    let found = readers.intervals(&[2, 5]).expect("numbers fit");
    assert!(found[0].is_exact() && found[0].low == Some(RationalNumber::whole(-1)));
    assert!(found[1].low.is_none() && found[1].high.is_none());
    assert_eq!(
        SumsAttack::new(&free, vec![Some(3), Some(4), Some(1), None, None, None]).violated(),
        [0]
    );
}

#[test]
fn numbers_beyond_128_bits_are_exact() {
    // Each cell is at most three times the previous one: the bound of the last one has 200 bits.
    let steps = 126;
    let relations = (0..steps).map(|at| Relation::new([(at, 3), (at + 1, -1)], 0));
    let sum = Relation::new([(0, 1), (steps + 1, 1)], 1);
    let system = SumSystem::new(
        steps + 2,
        relations.chain([sum]).collect(),
        Range::NotNegative,
    );
    let found = SumsAttack::new(&system, vec![None; steps + 2])
        .intervals(&[steps])
        .expect("numbers fit");
    let most = BigInt::from(3).pow(u32::try_from(steps).expect("a small number"));
    assert_eq!(
        (&found[0].low, &found[0].high),
        (
            &Some(RationalNumber::whole(0)),
            &Some(RationalNumber::whole(most))
        )
    );
}
