//! Cases by name, small enough to be followed by hand: final maximality that reveals very little,
//! and certain facts.

use num_bigint::BigUint;
use tidegate::engine::gate::certainty::{CertaintyBudget, Fact, FactExtent, searched};
use tidegate::engine::model::{Taxonomy, Tree};
use tidegate::engine::policy::{Inference, Values};
use tidegate::engine::safeguards::search_inference::{
    FigureSource, Maximality, TraceBudget as Work, TraceRatio, maximality, replayed, whole,
};

use super::ratio::{check, terms};
use super::world::{Case, World, flat, release};

/// `*` over `x`, which has this many leaves, and `y`.
fn nested(leaves: usize) -> Taxonomy {
    let mut tree = Tree::new("*");
    let x = tree.add(0, "x", 1);
    (1..=leaves).for_each(|leaf| {
        tree.add(x, &format!("x{leaf}"), 1);
    });
    tree.add(0, "y", 1);
    tree.finish().expect("distinct labels")
}

fn at_least(case: &Case) -> Maximality {
    maximality(
        &case.release,
        &case.trees(),
        case.a,
        Values::Repeated,
        Work::FULL,
    )
    .expect("a node")
}

/// One person of sixteen has another first value. The first column is rejected at once, when all
/// are one class; then the second column is split into classes of two, and the rejection of the
/// first one at the end reveals little: 256/255, and in truth 2048.
#[test]
fn final_maximality_is_far_below_the_truth() {
    let mut world: World = (0..8).map(|class| (vec![1, class], 2)).collect();
    world[0].1 = 1;
    world.push((vec![0, 0], 1));
    let case =
        Case::of(vec![flat(0, &[1, 1]), flat(1, &[1; 8])], &world, 2).expect("enough people");
    assert_eq!(case.release.classes(), 8);
    check(&at_least(&case).at_least, 256, 255);
    let trees = case.trees();
    let reported = whole(&case.release, &trees, 2, terms(Values::Repeated));
    check(&reported.ratio, 2048, 1);
    assert_eq!(reported.source, FigureSource::Formula);
    let again = replayed(&case.release, &trees, 2, terms(Values::Repeated));
    check(&again.ratio, 2048, 1);
    assert_eq!(
        again.source,
        FigureSource::Counted {
            worlds: 3u64.pow(8)
        }
    );
}

/// The same with two such columns and eight people: 16/15 against 256, every world counted.
#[test]
fn every_column_multiplies() {
    let mut world: World = (0..4).map(|class| (vec![1, 1, class], 2)).collect();
    world[0].1 = 1;
    world.push((vec![0, 0, 0], 1));
    let case = Case::of(
        vec![flat(0, &[1, 1]), flat(1, &[1, 1]), flat(2, &[1; 4])],
        &world,
        2,
    )
    .expect("enough people");
    check(&at_least(&case).at_least, 16, 15);
    check(
        &whole(&case.release, &case.trees(), 2, terms(Values::Repeated)).ratio,
        256,
        1,
    );
    check(
        &replayed(&case.release, &case.trees(), 2, terms(Values::Repeated)).ratio,
        256,
        1,
    );
}

/// There is no bound: with n people it is 2^(n−1) / n against 1 / (1 − 2^−(n/2)).
#[test]
fn there_is_no_bound_to_it() {
    for people in [32u32, 64, 128] {
        let classes = people / 2;
        let mut world: World = (0..classes).map(|class| (vec![1, class], 2)).collect();
        world[0].1 = 1;
        world.push((vec![0, 0], 1));
        let trees = vec![flat(0, &[1, 1]), flat(1, &vec![1; classes as usize])];
        let case = Case::of(trees, &world, 2).expect("enough people");
        let TraceRatio::Exact { all, left } =
            whole(&case.release, &case.trees(), 2, terms(Values::Repeated)).ratio
        else {
            panic!("whole numbers")
        };
        assert_eq!(all * people, left * (BigUint::from(1u8) << (people - 1)));
        assert!(at_least(&case).at_least.log10().expect("a figure") < 1e-4);
    }
}

/// Two people in a class that alone rejected a split into two leaves: one is in each, and readers
/// infer that.
#[test]
fn a_small_crowd_is_certain() {
    let world: World = vec![(vec![0], 1), (vec![1], 1), (vec![2], 3)];
    let case = Case::of(vec![nested(2)], &world, 2).expect("enough people");
    let found = searched(
        &case.release,
        &case.trees(),
        Inference::Replay,
        (2, Values::Repeated),
        CertaintyBudget::FULL,
    );
    let fact = |child| Fact {
        class: vec![1],
        column: 0,
        child,
        least: 1,
        most: 1,
        sole: false,
    };
    assert_eq!(found.facts, [fact(2), fact(3)]);
    assert_eq!(
        (found.clauses, found.lone, found.answer),
        (1, 1, FactExtent::Whole)
    );
    let worlds = case.worlds(Values::Repeated, 100).expect("few");
    assert_eq!(case.kept(&worlds), [(world, 2)]);
}

/// With one more person, one more leaf, or one more class that was tested too, nothing is certain.
#[test]
fn a_little_more_and_nothing_is_certain() {
    let check = |trees: Vec<Taxonomy>, world: World, lone: u64| {
        let case = Case::of(trees, &world, 2).expect("enough people");
        let found = searched(
            &case.release,
            &case.trees(),
            Inference::Replay,
            (2, Values::Repeated),
            CertaintyBudget::FULL,
        );
        assert!(found.facts.is_empty(), "{:?}", found.facts);
        assert_eq!(found.lone, lone);
    };
    check(
        vec![nested(2)],
        vec![(vec![0], 1), (vec![1], 2), (vec![2], 3)],
        1,
    );
    check(
        vec![nested(3)],
        vec![(vec![0], 1), (vec![1], 1), (vec![3], 3)],
        1,
    );
    let world = vec![
        (vec![0, 0], 1),
        (vec![1, 0], 1),
        (vec![0, 1], 2),
        (vec![2, 1], 6),
        (vec![2, 0], 6),
    ];
    check(vec![nested(2), flat(1, &[1, 1])], world, 0);
}

/// If two people cannot be equal, a child with room for one of three contains the only possible
/// small class.
#[test]
fn room_makes_a_crowd_certain() {
    // Three people over one and two values: one is alone, or all three are two and one.
    let case = Case::of(
        vec![nested(2), flat(1, &[1])],
        &vec![(vec![0, 0], 1), (vec![1, 0], 1), (vec![2, 0], 3)],
        2,
    );
    let case = case.expect("enough people");
    let found = searched(
        &case.release,
        &case.trees(),
        Inference::Replay,
        (2, Values::Distinct),
        CertaintyBudget::FULL,
    );
    assert_eq!(found.facts.len(), 2);
    let mut tree = Tree::new("*");
    let x = tree.add(0, "x", 1);
    tree.add(x, "x1", 1);
    tree.add(x, "x2", 9);
    tree.add(0, "y", 9);
    let tree = tree.finish().expect("distinct labels");
    let world = vec![(vec![0], 1), (vec![1], 4), (vec![2], 5)];
    let case = Case::of(vec![tree], &world, 2).expect("enough people");
    // Five people: `x1` has room for one, so four or five are in `x2`.
    let found = searched(
        &case.release,
        &case.trees(),
        Inference::Replay,
        (2, Values::Distinct),
        CertaintyBudget::FULL,
    );
    assert_eq!(
        found.facts,
        [Fact {
            class: vec![1],
            column: 0,
            child: 2,
            least: 1,
            most: 1,
            sole: true
        }]
    );
    assert!(
        searched(
            &case.release,
            &case.trees(),
            Inference::Replay,
            (2, Values::Repeated),
            CertaintyBudget::FULL
        )
        .facts
        .is_empty()
    );
}

/// No explanation for a release that the search cannot have made.
#[test]
fn what_the_search_did_not_make() {
    let tree = nested(2);
    let trees = [&tree];
    let world: World = vec![(vec![0], 1), (vec![1], 1), (vec![2], 1)];
    let cut = tidegate::engine::model::Cut::completed(&tree, &[1, 4]).expect("a cut");
    let small = release(&world, &[cut]);
    for values in [Values::Repeated, Values::Distinct] {
        assert_eq!(
            searched(
                &small,
                &trees,
                Inference::Replay,
                (2, values),
                CertaintyBudget::FULL
            )
            .answer,
            FactExtent::Impossible
        );
        assert_eq!(
            whole(&small, &trees, 2, terms(values)).ratio,
            TraceRatio::Impossible
        );
    }
}
