//! The tables of the paper (MIN), one test each.

use tidegate::engine::gate::minimality::belief::Belief;
use tidegate::engine::gate::minimality::requirement::{
    ExactShare, close, close_to, k_e, l_diverse, recursive,
};
use tidegate::engine::gate::minimality::values::{GeneralisedPeople, ties};
use tidegate::engine::gate::minimality::{MinimalityAttack, OriginClass};

use super::enumerate::sets;
use super::texts;

fn whole(sizes: &[u64]) -> Vec<OriginClass> {
    sizes.iter().map(|&size| OriginClass::whole(size)).collect()
}

#[track_caller]
fn check(attack: &MinimalityAttack, left: u32, expected: &[&str]) {
    assert_eq!(attack.left().to_string(), left.to_string());
    let expected: Vec<Option<String>> = expected
        .iter()
        .map(|text| Some((*text).to_owned()))
        .collect();
    assert_eq!(texts(&attack.exact()), expected);
}

/// The credibility of a class and a value, over the values of the table.
#[track_caller]
fn check_ties(
    sizes: &[u64],
    values: &[u64],
    admits: impl Fn(&[u64]) -> bool,
    expected: &[(usize, &[usize], &str)],
) {
    let parts: Vec<GeneralisedPeople> = sizes
        .iter()
        .map(|&rows| GeneralisedPeople::whole(rows, values.len()))
        .collect();
    let ties =
        ties(&parts, values, |_, counts| admits(counts), &mut 1_000_000).expect("little work");
    for (class, set, share) in expected {
        let belief = Belief::of(&ties.counted, *class, &vec![0; values.len()], sizes[*class])
            .expect("some assignment");
        assert_eq!(belief.share(set).to_string(), *share, "{class} {set:?}");
    }
}

#[test]
fn table_1_c_ties_both_people_of_q1_to_hiv() {
    check(
        &MinimalityAttack::new(&whole(&[2, 5]), 2, l_diverse(2)),
        1,
        &["1", "0"],
    );
}

/// Q contains both people of q1 and two of q2, one row in two sensitive; three rows of q2 are
/// published unchanged.
#[test]
fn table_1_d_ties_both_people_of_q1_to_hiv() {
    let origins = [
        OriginClass::whole(2),
        OriginClass {
            people: 5,
            generalised: 2,
            shown: 0,
        },
    ];
    check(
        &MinimalityAttack::new(&origins, 2, l_diverse(2)),
        1,
        &["1", "0"],
    );
}

/// Every value is sensitive here; only HIV occurs twice.
#[test]
fn table_3_c_ties_both_people_of_q1_to_hiv() {
    let (hiv, others) = (2, [1; 5]);
    let values: Vec<u64> = [hiv].into_iter().chain(others).collect();
    let admits = |counts: &[u64]| {
        let people: u64 = counts.iter().sum();
        counts.iter().all(|&count| l_diverse(2)(people, count))
    };
    check_ties(
        &[2, 5],
        &values,
        admits,
        &[(0, &[0], "1"), (1, &[0], "0"), (1, &[1, 2, 3, 4, 5], "1")],
    );
}

#[test]
fn tables_4_to_6_leave_430_assignments() {
    check(
        &MinimalityAttack::new(&whole(&[2, 2, 10]), 5, l_diverse(2)),
        430,
        &["53/86", "53/86", "109/430"],
    );
}

#[test]
fn tables_7_and_8_by_local_recoding() {
    let [q1, q2] = [(5, 2), (8, 1)].map(|(people, shown)| OriginClass {
        people,
        generalised: 1,
        shown,
    });
    check(
        &MinimalityAttack::new(&[q1, q2], 1, l_diverse(2)),
        1,
        &["3/5", "1/8"],
    );
}

/// The example behind Theorem 1: an assignment is excluded, and the credibility stays below 1/2.
#[test]
fn an_exclusion_that_does_no_harm() {
    // 20 − C(4,2)·C(2,1) = 8, of which four each give q1 three rows and one.
    check(
        &MinimalityAttack::new(&whole(&[4, 2]), 3, l_diverse(2)),
        8,
        &["1/2", "1/2"],
    );
}

/// Diabetics, HIV twice, lung cancer, ulcer, Alzheimer's, gallstones.
#[test]
fn table_9_c_ties_q1_to_hiv_twice_in_three() {
    let values = [1, 2, 1, 1, 1, 1];
    let admits = recursive(ExactShare { part: 3, of: 1 }, 3);
    check_ties(
        &[3, 4],
        &values,
        admits,
        &[(0, &[1], "2/3"), (1, &[1], "0"), (0, &[0], "1/15")],
    );
}

/// As printed the paper concludes from (c) that both rows of q1 are sensitive, because a class of
/// q2 is "always" within 0.2. It is not: with one or three of four it is 0.25 away from 1/2, and no
/// reader learns anything from (c).
#[test]
fn table_10_c_reveals_nothing() {
    let half = ExactShare { part: 1, of: 2 };
    check(
        &MinimalityAttack::new(
            &whole(&[2, 4]),
            3,
            close(ExactShare { part: 1, of: 5 }, half),
        ),
        8,
        &["1/2", "1/2"],
    );
    // Within 0.25 class q2 may have any number, and still none is as likely as two in q1.
    check(
        &MinimalityAttack::new(
            &whole(&[2, 4]),
            3,
            close(ExactShare { part: 1, of: 4 }, half),
        ),
        8,
        &["1/2", "1/2"],
    );
    let admits = close_to(ExactShare { part: 1, of: 5 }, vec![3, 3]);
    check_ties(
        &[2, 4],
        &[3, 3],
        admits,
        &[(0, &[0], "1/2"), (1, &[0], "1/2")],
    );
}

/// The same, assignment by assignment. Of one, two and three rows with HIV only two satisfy the
/// requirement in q2, so that assignments without HIV in q1 remain, as many as those with two.
#[test]
fn table_10_c_assignment_by_assignment() {
    let all = sets(&[2, 4], 3);
    assert_eq!(all.len(), 20);
    // Within 1/5 of 3/6: 5 · |2·held − people| <= 2 · people.
    let within = |held: u64, people: u64| 5 * (2 * held).abs_diff(people) <= 2 * people;
    let of_q2: Vec<bool> = (0..=3).map(|held| within(held, 4)).collect();
    assert_eq!(of_q2, [false, false, true, false]);
    let left: Vec<&Vec<u64>> = all
        .iter()
        .filter(|held| !within(held[0], 2) || !within(held[1], 4))
        .collect();
    let with = |of_q1: u64| left.iter().filter(|held| held[0] == of_q1).count();
    assert_eq!([with(0), with(1), with(2)], [4, 0, 4]);
}

/// By local recoding the conclusion holds: three rows of q2 are published unchanged, one of them
/// sensitive.
#[test]
fn table_10_d_ties_both_people_of_q1() {
    let origins = [
        OriginClass::whole(2),
        OriginClass {
            people: 4,
            generalised: 1,
            shown: 1,
        },
    ];
    let attack = MinimalityAttack::new(
        &origins,
        2,
        close(ExactShare { part: 1, of: 5 }, ExactShare { part: 1, of: 2 }),
    );
    check(&attack, 1, &["1", "1/4"]);
}

/// Incomes 10k, 20k, 30k twice, 40k.
#[test]
fn table_11_c_ties_both_people_of_q1_to_30k() {
    let admits = k_e(2, 5, vec![10, 20, 30, 40]);
    check_ties(
        &[2, 3],
        &[1, 1, 2, 1],
        admits,
        &[(0, &[2], "1"), (1, &[0], "1/3"), (1, &[2], "0")],
    );
}
