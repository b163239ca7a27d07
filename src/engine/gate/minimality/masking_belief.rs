//! The belief that masking leaves (SCIENCE 5): an atom that was changed only shows that it held too
//! many guarded values. An attacker who assumes that guarded values are independent, with at most
//! some rate, believes E[j | j > ⌊n/l'⌋] / n about each of its people, with j binomial. The belief
//! depends on no value.

use num_bigint::BigUint;

use super::Credibility;
use crate::arithmetic::{ShareFraction, choose};

/// The number of people up to which the figure is exact.
const EXACT: u64 = 1 << 10;

/// The belief in a guarded value of a person in an atom of `people`, masked at one in `l`, whose
/// values were believed to be guarded at a rate of `part` / `of` before.
///
/// # Panics
/// If the rate is above 1/l.
pub fn masked(people: u64, l: u64, (part, of): (u64, u64)) -> Credibility {
    assert!(l >= 1 && part <= of, "a rate of at most one");
    assert!(
        u128::from(part) * u128::from(l) <= u128::from(of),
        "no masking keeps a rate down that is too high already"
    );
    let most = people / l;
    if part == 0 || most >= people {
        return Credibility::seen(0, 1);
    }
    if people > EXACT {
        Credibility::AtMost(at_most(people, most, part, of))
    } else {
        exact(people, most, part, of)
    }
}

/// Σ j C(n,j) pʲ qⁿ⁻ʲ / n Σ C(n,j) pʲ qⁿ⁻ʲ over j > most, p + q in units of `of`.
fn exact(people: u64, most: u64, part: u64, of: u64) -> Credibility {
    assert!(part <= of && of > 0, "a share of at most all");
    let (p, q) = (BigUint::from(part), BigUint::from(of - part));
    let first = most + 1;
    // Common factors of all terms cancel: C(n,j) pʲ⁻ᶠ qⁿ⁻ʲ, from the last term down.
    let mut power = BigUint::from(1u8);
    let mut powers = vec![power.clone()];
    for _ in first..people {
        power *= &p;
        powers.push(power.clone());
    }
    let (mut rest, mut all, mut held) = (BigUint::from(1u8), BigUint::ZERO, BigUint::ZERO);
    let mut ways = choose(people, people);
    for j in (first..=people).rev() {
        let term = &ways * &powers[(j - first) as usize] * &rest;
        held += &term * j;
        all += term;
        rest *= &q;
        ways = ways * j / (people - j + 1);
    }
    Credibility::Exact(ShareFraction::new(held, all * people))
}

/// An upper bound: the same sums in floats, from the first term on until terms are negligible, with
/// more than the rounding error added.
fn at_most(people: u64, most: u64, part: u64, of: u64) -> f64 {
    assert!(part <= of && of > 0, "a share of at most all");
    let (first, odds) = ((most + 1) as f64, part as f64 / (of - part) as f64);
    let (mut term, mut all, mut more) = (1.0, 1.0, 0.0);
    for at in 1..=people - (most + 1) {
        // The ratio of two consecutive terms decreases, and is below 1 from the first on.
        term *= (people - most - at) as f64 / (first + at as f64) * odds;
        all += term;
        more += at as f64 * term;
        if term < all * 1e-20 {
            break;
        }
    }
    ((first + more / all) / people as f64 * (1.0 + 1e-9)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest value of [`masked`] for atoms of at least `least` people: it rises and falls with
    /// the remainder modulo `l`, and decreases from one period to the next.
    fn masked_from(least: u64, l: u64, rate: (u64, u64)) -> Credibility {
        assert!(l >= 1 && rate.0 <= rate.1, "a rate of at most one");
        let turn = (least..least.saturating_add(l)).map(|people| masked(people, l, rate));
        turn.max_by(Credibility::compare).expect("a turn has atoms")
    }

    #[test]
    fn the_figure_is_the_one_that_was_computed_elsewhere() {
        // 8 people, l' = 4, rate 1/4: more than 2 of Bin(8, 1/4).
        let Credibility::Exact(found) = masked(8, 4, (1, 4)) else {
            panic!("it is exact")
        };
        assert!((found.value() - 0.432).abs() < 5e-4, "{}", found.value());
        assert_eq!(masked(8, 4, (0, 1)).value(), 0.0);
    }

    #[test]
    fn it_never_reaches_what_is_promised() {
        for m in 2..=8u64 {
            let l = 2 * m;
            let worst = masked(2 * l, l, (1, l)).value();
            for people in 2 * l..=40 * l {
                let found = masked(people, l, (1, l)).value();
                assert!(
                    found <= worst && found <= 0.92 / m as f64,
                    "{people} people, m = {m}: {found}"
                );
            }
        }
    }

    #[test]
    fn larger_atoms_are_safer_from_turn_to_turn() {
        for (m, rate) in [(2, (1, 4)), (2, (1, 10)), (3, (1, 6)), (5, (3, 100))] {
            let l = 2 * m;
            for least in [2 * l, 2 * l + 1, 3 * l - 1, 5 * l + 2] {
                let most = masked_from(least, l, rate);
                let larger = (least..least + 12 * l).map(|people| masked(people, l, rate));
                assert!(
                    larger.into_iter().all(|found| found.compare(&most).is_le()),
                    "{least} people, m = {m}"
                );
            }
        }
    }

    /// Down to the last term, which matters if half of all people have a guarded value.
    #[test]
    fn what_is_not_exact_is_hardly_larger() {
        for people in (3..40).chain([300, 2_000]) {
            for (most, part, of) in [
                (people / 2, 1, 2),
                (people / 3, 1, 3),
                (people / 4, 1, 9),
                (people - 1, 1, 2),
            ] {
                let Credibility::Exact(found) = exact(people, most, part, of) else {
                    panic!("it is exact")
                };
                let ratio = at_most(people, most, part, of) / found.value();
                assert!(
                    (1.0 - 1e-12..1.0 + 1e-6).contains(&ratio),
                    "more than {most} of {people}, {part}/{of}: {ratio}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_exact_is_no_smaller_and_enough() {
        for (m, part, of) in [(2, 1, 4), (2, 1, 10), (3, 1, 6), (10, 1, 20), (10, 3, 100)] {
            let l = 2 * m;
            for people in [8 * l, 20 * l, 50 * l] {
                let Credibility::Exact(found) = exact(people, people / l, part, of) else {
                    panic!("it is exact")
                };
                assert!(
                    at_most(people, people / l, part, of) >= found.value(),
                    "{people} people, m = {m}"
                );
            }
            // Where figures are exact, and where they are bounds.
            assert!(matches!(
                masked(EXACT, l, (part, of)),
                Credibility::Exact(_)
            ));
            assert!(matches!(
                masked(EXACT + 1, l, (part, of)),
                Credibility::AtMost(_)
            ));
            // Larger atoms are no worse than small ones, even where a bound is used.
            let small = masked_from(2 * l, l, (part, of)).value();
            for people in [EXACT + 1, EXACT + 3, 5_000, 15_001, 1_000_000] {
                let bound = masked(people, l, (part, of));
                assert!(
                    bound.is_at_most_one_in(m) && bound.value() <= small,
                    "{people} people, m = {m}: {bound}"
                );
                let near = bound.value() - 1.0 / l as f64;
                assert!(
                    near < 4.0 / (people as f64).sqrt(),
                    "{people} people, m = {m}: {bound}"
                );
            }
        }
    }

    /// With l = 1 no person is masked, and every value that is seen is true.
    #[test]
    fn where_all_may_be_guarded_nothing_is_believed() {
        assert_eq!(masked(5, 1, (1, 2)), Credibility::seen(0, 1));
        assert_eq!(masked(5, 2, (0, 2)), Credibility::seen(0, 1));
    }
}
