//! Random tables: against every assignment, one by one, and the invariants of any table.

use proptest::prelude::*;
use tidegate::engine::audit::{MinimalityFigures, Requirement, TieFigure};
use tidegate::engine::gate::minimality::requirement::{
    ExactShare, alpha_k, close, close_to, guarded, k_e, l_diverse, recursive,
};
use tidegate::engine::gate::minimality::values::{GeneralisedPeople, Ties, ties};
use tidegate::engine::gate::minimality::{Credibility, MinimalityAttack, OriginClass};
use tidegate::engine::policy::Decimal;

use super::enumerate::{orders, sets};
use super::texts;
use super::worlds::{Counts, LEAVES, Made, NUMBERS, VALUES, Violates, World, rows};
use crate::common::cases;

/// The credibility by the definition, as a fraction that need not be in lowest terms.
fn by_hand(
    origins: &[OriginClass],
    sensitive: u64,
    admits: &dyn Fn(u64, u64) -> bool,
) -> (u64, Vec<u64>) {
    let rows: Vec<u64> = origins.iter().map(|origin| origin.generalised).collect();
    let violates = |counts: &&Vec<u64>| {
        origins
            .iter()
            .zip(*counts)
            .any(|(origin, count)| !admits(origin.people, origin.shown + count))
    };
    let all = sets(&rows, sensitive);
    let left: Vec<&Vec<u64>> = all.iter().filter(violates).collect();
    let held = |class: usize| {
        left.iter()
            .map(|counts| origins[class].shown + counts[class])
            .sum()
    };
    (left.len() as u64, (0..origins.len()).map(held).collect())
}

fn lowest(part: u64, of: u64) -> String {
    let (mut a, mut b) = (part, of);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    if of == a {
        (part / a).to_string()
    } else {
        format!("{}/{}", part / a, of / a)
    }
}

#[track_caller]
fn check(origins: &[OriginClass], sensitive: u64, admits: &dyn Fn(u64, u64) -> bool) {
    let attack = MinimalityAttack::new(origins, sensitive, admits);
    let (total, held) = by_hand(origins, sensitive, admits);
    assert_eq!(attack.left().to_string(), total.to_string());
    let expected = |(origin, &held): (&OriginClass, &u64)| {
        (total > 0 && origin.people > 0).then(|| lowest(held, total * origin.people))
    };
    assert_eq!(
        texts(&attack.exact()),
        origins.iter().zip(&held).map(expected).collect::<Vec<_>>()
    );
    below(&attack);
}

/// No bound is below the truth, and none is above 1.
#[track_caller]
fn below(attack: &MinimalityAttack) {
    for (exact, most) in attack.exact().into_iter().zip(attack.at_most()) {
        let [truth, bound] = [&exact, &most].map(|share| share.as_ref().map(Credibility::value));
        assert!(truth <= bound && bound <= Some(1.0), "{exact:?} > {most:?}");
        assert_eq!(truth.is_none(), bound.is_none());
    }
}

/// Up to four classes with at most 15 generalised rows, and how many of those are sensitive.
fn tables() -> impl Strategy<Value = (Vec<OriginClass>, u64)> {
    let origin = (0u64..6, 0u64..4, 0u64..4).prop_map(|(generalised, stands, shown)| OriginClass {
        people: generalised + stands,
        generalised,
        shown: shown.min(stands),
    });
    let origins = prop_oneof![
        prop::collection::vec(origin, 1..5),
        prop::collection::vec((0u64..6).prop_map(OriginClass::whole), 1..5),
    ];
    let few = origins.prop_map(|mut origins| {
        while origins.iter().map(|origin| origin.generalised).sum::<u64>() > 13 {
            origins.pop();
        }
        origins
    });
    (few, any::<prop::sample::Index>()).prop_map(|(origins, index)| {
        let rows: u64 = origins.iter().map(|origin| origin.generalised).sum();
        let sensitive = index.index(rows as usize + 1) as u64;
        (origins, sensitive)
    })
}

fn share() -> impl Strategy<Value = ExactShare> {
    (1u64..7, 1u64..7).prop_map(|(a, b)| ExactShare {
        part: a.min(b),
        of: a.max(b),
    })
}

/// One or two classes and up to four values, eight rows in all.
fn values() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    prop::collection::vec(1u64..4, 1..4).prop_flat_map(|sizes| {
        let rows: u64 = sizes.iter().sum();
        let values = prop::collection::vec(0..4usize, rows as usize).prop_map(|rows| {
            let mut counts = vec![0; 4];
            rows.iter().for_each(|&value| counts[value] += 1);
            counts
        });
        (Just(sizes), values)
    })
}

#[track_caller]
fn check_values(sizes: &[u64], values: &[u64], admits: &dyn Fn(&[u64]) -> bool) {
    let parts: Vec<GeneralisedPeople> = sizes
        .iter()
        .map(|&rows| GeneralisedPeople::whole(rows, values.len()))
        .collect();
    let Ties { counted, distinct } =
        ties(&parts, values, |_, counts| admits(counts), &mut 1_000_000).expect("little work");
    let mut left = orders(sizes, values);
    left.retain(|classes| classes.iter().any(|counts| !admits(counts)));
    let all = orders(sizes, values);
    assert_eq!(counted.left.to_string(), left.len().to_string());
    for class in 0..sizes.len() {
        for value in 0..values.len() {
            let held: u64 = left.iter().map(|classes| classes[class][value]).sum();
            assert_eq!(counted.held[class][value].to_string(), held.to_string());
        }
        let most = |of: &[Vec<Vec<u64>>]| {
            of.iter()
                .map(|classes| classes[class].iter().filter(|&&count| count > 0).count())
                .max()
                .unwrap_or(0)
        };
        assert_eq!(distinct[class], [most(&left), most(&all)]);
    }
}

/// The result for a locally recoded table against every world: the likeliest value, and whether
/// such shares keep the requirement. `violates` decides the same for rows, so that shares with one
/// denominator can be given as rows.
#[track_caller]
fn check_world(rows: &[Made], asked: Requirement, violates: Violates<'_>) {
    let numeric = matches!(asked, Requirement::Range { .. });
    let world = World::of(rows, if numeric { NUMBERS } else { VALUES }, false);
    let of = |work| {
        MinimalityFigures::of(&world.release, &world.raw, &world.columns, asked, work)
            .expect("its rows")
    };
    let found = of(MinimalityFigures::WORK);
    assert_eq!(
        found.ties.len(),
        (0..4).filter(|&leaf| world.people(leaf) > 0).count()
    );
    for tie in &found.ties {
        let tree = world.columns.trees()[0];
        let leaf = LEAVES
            .iter()
            .position(|name| *name == tree.label(tie.leaves[0]))
            .expect("a leaf");
        let (left, held) = world.by_hand(leaf, violates);
        let most = *held.iter().max().expect("three");
        let expected = (left > 0).then(|| lowest(most, left * world.people(leaf)));
        assert_eq!(
            tie.credibility.as_ref().map(ToString::to_string),
            expected,
            "{asked} {rows:?} {leaf}"
        );
        let few = matches!(tie.figure, TieFigure::Recursive { few: Some(_), .. });
        // A belief is about one person, and k is required of classes.
        let many = held.map(|rows| rows * 4);
        assert_eq!(
            tie.kept,
            left == 0 || !few && !violates(leaf, &many),
            "{asked} {rows:?} {leaf}"
        );
    }
    assert!(
        of(0)
            .ties
            .iter()
            .zip(&found.ties)
            .all(|(bound, tie)| !bound.kept || tie.kept),
        "{asked} {rows:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    #[test]
    fn l_diversity_as_enumerated((origins, sensitive) in tables(), l in 1u64..6) {
        check(&origins, sensitive, &l_diverse(l));
    }

    #[test]
    fn alpha_and_k_as_enumerated((origins, sensitive) in tables(), alpha in share(), k in 1u64..5) {
        check(&origins, sensitive, &alpha_k(alpha, k));
    }

    #[test]
    fn closeness_as_enumerated((origins, sensitive) in tables(), t in share(), whole in share()) {
        check(&origins, sensitive, &close(t, whole));
    }

    #[test]
    fn requirements_on_all_values_as_enumerated(
        (sizes, counts) in values(), share in share(), l in 1usize..4, k in 1u64..4,
    ) {
        check_values(&sizes, &counts, &recursive(ExactShare { part: share.of, of: share.part }, l));
        check_values(&sizes, &counts, &close_to(share, counts.clone()));
        check_values(&sizes, &counts, &k_e(k, l as i128, vec![1, 2, 4, 5]));
        check_values(&sizes, &counts, &guarded(vec![vec![0, 1], vec![2]], share));
    }

    /// The rows that the assignments give to the classes are all the sensitive rows.
    #[test]
    fn expected_rows_add_up(sizes in prop::collection::vec(1u64..200, 1..12), l in 2u64..5, part in 0.0..0.6f64) {
        let rows: u64 = sizes.iter().sum();
        let sensitive = (rows as f64 * part) as u64;
        let origins: Vec<OriginClass> = sizes.iter().map(|&size| OriginClass::whole(size)).collect();
        let attack = MinimalityAttack::new(&origins, sensitive, l_diverse(l));
        let found = attack.exact();
        prop_assert_eq!(found.iter().all(Option::is_some), attack.is_possible());
        if attack.is_possible() {
            let value = |found: &Option<Credibility>| found.as_ref().map_or(0.0, Credibility::value);
            let sum: f64 = found.iter().zip(&sizes).map(|(found, &size)| value(found) * size as f64).sum();
            prop_assert!((sum - sensitive as f64).abs() < 1e-6 * rows as f64, "{} {}", sum, sensitive);
            below(&attack);
            let same = |a: usize, b: usize| sizes[a] != sizes[b] || found[a] == found[b];
            prop_assert!((0..sizes.len()).all(|a| (0..sizes.len()).all(|b| same(a, b))));
        }
    }
}

proptest! {
    // Every requirement in each case, and every world of a table.
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    /// The audit of a table whose rows were generalised each on its own, classes overlapping,
    /// against every world.
    #[test]
    fn local_recoding_as_enumerated(rows in rows(), l in 2u64..4) {
        let world = World::of(&rows, VALUES, true);
        let violates = |_: usize, counts: &Counts| counts[0] * l > counts.iter().sum();
        let found = |work: u64| MinimalityFigures::of(&world.release, &world.raw, &world.columns, Requirement::Diverse { l }, work).expect("its rows");
        let (exact, bounds) = (found(MinimalityFigures::WORK), found(0));
        prop_assert_eq!(exact.ties.len(), (0..4).filter(|&leaf| world.people(leaf) > 0).count());
        for (tie, bound) in exact.ties.iter().zip(&bounds.ties) {
            let tree = world.columns.trees()[0];
            let leaf = LEAVES.iter().position(|name| *name == tree.label(tie.leaves[0])).expect("a leaf");
            let (left, held) = world.by_hand(leaf, &violates);
            let expected = (left > 0).then(|| lowest(held[0], left * world.people(leaf)));
            prop_assert_eq!(tie.credibility.as_ref().map(ToString::to_string), expected, "{:?} {}", &rows, leaf);
            let [truth, most] = [tie, bound].map(|tie| tie.credibility.as_ref().map(Credibility::value));
            prop_assert!(truth <= most, "{:?} {:?} {:?}", &rows, truth, most);
        }
    }

    /// The same for requirements that consider all values, and for guarded sets if every value is
    /// one.
    #[test]
    fn requirements_on_local_recoding_as_enumerated(
        rows in rows(), l in 1u64..4, k in 1u64..4, part in 1u64..=10, half in 1u64..=8,
    ) {
        let decimal = |tenths: u64| Decimal::new(tenths, 1).expect("a decimal");
        let most = |counts: &Counts| *counts.iter().max().expect("three");
        check_world(&rows, Requirement::Diverse { l }, &|_, counts| most(counts) * l > counts.iter().sum());
        let alpha = Requirement::Alpha { alpha: decimal(part), k };
        check_world(&rows, alpha, &|_, counts| {
            counts.iter().sum::<u64>() < k || most(counts) * 10 > part * counts.iter().sum::<u64>()
        });
        let recursive = Requirement::Recursive { c: decimal(5 * half), l };
        check_world(&rows, recursive, &|_, counts| {
            let mut counts = *counts;
            counts.sort_unstable_by(|a, b| b.cmp(a));
            2 * counts[0] >= half * counts[l as usize - 1..].iter().sum::<u64>()
        });
        let mut whole: Counts = [0; 3];
        rows.iter().for_each(|row| whole[row.2] += 1);
        check_world(&rows, Requirement::Close { t: decimal(part) }, &|_, counts| {
            let (people, all) = (counts.iter().sum::<u64>(), rows.len() as u64);
            let apart: u64 = counts.iter().zip(whole).map(|(here, there)| (here * all).abs_diff(there * people)).sum();
            apart * 5 > part * people * all
        });
        // From -1.5 to 0.2 to 2: 17 and 18 tenths.
        let range = Requirement::Range { k, e: decimal(4 * part) };
        check_world(&rows, range, &|_, counts| {
            let span = match counts.map(|count| count > 0) {
                [true, _, true] => 35,
                [true, true, false] => 17,
                [false, true, true] => 18,
                _ => 0,
            };
            counts.iter().sum::<u64>() < k || span < 4 * part
        });
    }

    /// Personal privacy, if people of one leaf may guard different values.
    #[test]
    fn what_people_guard_as_enumerated(
        rows in rows(), named in prop::collection::vec(0usize..5, 7), part in 1u64..=10,
    ) {
        // The values that a label covers.
        let labels: [(&str, &[usize]); 5] =
            [("", &[]), ("X", &[0, 1]), ("HIV", &[0]), ("Cold", &[2]), ("all", &[0, 1, 2])];
        let world = World::of(&rows, VALUES, true);
        let texts: Vec<&str> = named.iter().take(rows.len()).map(|&label| labels[label].0).collect();
        let guards = world.guards(&texts);
        let of_leaf = |leaf: usize| {
            let own = rows.iter().zip(&named).filter(move |(row, _)| row.0 == leaf);
            own.map(|(_, &label)| labels[label]).filter(|(label, _)| !label.is_empty())
        };
        let held = |set: &[usize], counts: &Counts| set.iter().map(|&value| counts[value]).sum::<u64>();
        let violates = |leaf: usize, counts: &Counts| {
            of_leaf(leaf).any(|(_, set)| held(set, counts) * 10 > part * counts.iter().sum::<u64>())
        };
        let asked = Requirement::Personal { most: Decimal::new(part, 1).expect("a decimal") };
        let found = |work| {
            MinimalityFigures::guarding(&world.release, &world.raw, &world.columns, (asked, Some(&guards)), work)
                .expect("its rows")
        };
        let exact = found(MinimalityFigures::WORK);
        let mut people = 0;
        for tie in &exact.ties {
            let tree = world.columns.trees()[0];
            let leaf = LEAVES.iter().position(|name| *name == tree.label(tie.leaves[0])).expect("a leaf");
            let label = &exact.guarding[tie.set.expect("a label")];
            let own: Vec<&[usize]> = of_leaf(leaf).filter(|(name, _)| name == label).map(|(_, set)| set).collect();
            prop_assert_eq!(tie.people, own.len() as u64);
            people += own.len();
            let (left, counts) = world.by_hand(leaf, &violates);
            let share = (left > 0).then(|| lowest(held(own[0], &counts), left * world.people(leaf)));
            prop_assert_eq!(tie.credibility.as_ref().map(ToString::to_string), share, "{:?} {}", &rows, leaf);
            prop_assert_eq!(tie.kept, left == 0 || held(own[0], &counts) * 10 <= part * left * world.people(leaf));
        }
        prop_assert_eq!(people, texts.iter().filter(|text| !text.is_empty()).count());
        prop_assert!(found(0).ties.iter().zip(&exact.ties).all(|(bound, tie)| !bound.kept || tie.kept));
    }
}
