//! Beliefs about people, over all assignments of values that agree with the observations.

use std::collections::BTreeMap;

use super::world::{Assigned, RHO, Seen, World, courses, tested};
use crate::common::random::{self, Draw};

/// An assignment that agrees with the observations.
struct May {
    assigned: Assigned,
    ways: f64,
    likely: f64,
    certain: bool,
}

/// By observation, all possible assignments, and the number of tests.
fn beliefs(world: &World, k: u64) -> BTreeMap<Seen, (u32, Vec<May>)> {
    let mut seen: BTreeMap<Seen, (u32, Vec<May>)> = BTreeMap::new();
    for (assigned, ways) in world.assignments() {
        for course in courses(world, &assigned, &tested(k, None)) {
            let (tests, all) = seen.entry(course.seen).or_default();
            *tests = course.tests;
            let (likely, certain) = (course.likely, course.certain);
            all.push(May {
                assigned: assigned.clone(),
                ways,
                likely,
                certain,
            });
        }
    }
    seen
}

/// The belief that a person of a group has the one value; `of` weighs the possible assignments.
fn belief(
    all: &[May],
    (tick, group, people): (usize, usize, u64),
    of: impl Fn(&May) -> f64,
) -> f64 {
    let sum: f64 = all.iter().map(&of).sum();
    all.iter()
        .map(|may| of(may) * may.assigned[tick][group] as f64)
        .sum::<f64>()
        / sum
        / people as f64
}

/// Whatever is observed, the likelihoods of it under the values that agree with the tables differ
/// at most by the stated odds: this is all that publication reveals. Counts how often likelihoods
/// differ, and how often some of the values would be excluded without the random draw.
fn judged(world: &World) -> [usize; 2] {
    // Values that are independent with a rate of 0.3.
    let before = |may: &May| {
        let had: u64 = may.assigned.iter().flatten().sum();
        let all: u64 = world.ticks.iter().flatten().map(|group| group.1).sum();
        may.ways * 0.3f64.powi(had as i32) * 0.7f64.powi((all - had) as i32)
    };
    let (mut differ, mut exclude) = (0, 0);
    for (tests, all) in beliefs(world, 3).values() {
        let odds = RHO.powi(-(*tests as i32));
        let (least, most) = all
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(least, most), may| {
                (least.min(may.likely), most.max(may.likely))
            });
        if most == 0.0 {
            // No reader sees this: the test rejects it, for all of them alike.
            continue;
        }
        assert!(
            least > 0.0,
            "what is refused is refused for everything that shows the same"
        );
        assert!(
            most / least <= odds + 1e-9,
            "{most} against {least} after {tests} tests"
        );
        for (tick, groups) in world.ticks.iter().enumerate() {
            for (group, &(_, people)) in groups.iter().enumerate() {
                let at = (tick, group, people);
                let [after, alone] = [
                    belief(all, at, |may| before(may) * may.likely),
                    belief(all, at, |may| before(may)),
                ];
                if (1e-9..1.0 - 1e-9).contains(&alone) {
                    let factor = after / (1.0 - after) / (alone / (1.0 - alone));
                    assert!(
                        factor <= odds + 1e-9 && factor >= 1.0 / odds - 1e-9,
                        "{factor} after {tests} tests"
                    );
                }
            }
        }
        differ += usize::from(most > least);
        let excluded = all.iter().filter(|may| !may.certain).count();
        exclude += usize::from(excluded > 0 && excluded < all.len());
    }
    [differ, exclude]
}

#[test]
fn a_belief_moves_by_the_stated_odds_at_most() {
    random::run("the coin", 2, |draw| _ = judged(&World::draw(draw)));
}

/// Some tests are passed by some assignments and failed by others with the same tables; without the
/// random draw publication would reveal which.
#[test]
fn without_the_coin_a_person_would_be_excluded() {
    let worlds = (0..200).map(|case| World::draw(&mut Draw::new(7, case)));
    let found = worlds
        .map(|world| judged(&world))
        .find(|found| *found != [0, 0]);
    assert!(
        found.is_some_and(|[differ, exclude]| differ > 0 && exclude > 0),
        "{found:?}"
    );
}
