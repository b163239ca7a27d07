//! Faults in chains with a random draw and in chains that mask values: slices with one person,
//! tests that change an attacker's belief too much, recodings that cross, and values that were
//! changed without need, or not changed although they had to be.

use std::collections::BTreeSet;

use tidegate::engine::gate::chain::{
    AttackerView, ChainTarget, ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, Fold,
    ReleaseChain,
};
use tidegate::engine::histogram::{Histogram, Release, Slices};
use tidegate::engine::model::{Column, Columns, Cut, DetailSettings, Recoding, Value};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts, Cuts, Decimal, Guarantee, Policy, PolicySettings, Search,
};

use super::cases::recoded;
use crate::common::random::Draw;

use super::chain::{Chain, Human, Offer, policy};
use super::sample::{columns, people, settings, third};
use super::{Mutant, offer, refused, reported};

/// Labels of the recoding of releases in a chain with a random draw.
const HALVES: [&[&str]; 2] = [&["young", "old"], &["north", "south"]];

fn with_coin(cuts: Cuts) -> PolicySettings {
    let (rho, max_odds) = (Decimal::parse("0.5"), Decimal::parse("64"));
    PolicySettings {
        rho,
        max_odds,
        cuts: Some(cuts),
        ..settings(Some(Guarantee::Chain))
    }
}

/// The third release of a chain with a random draw.
fn tested(cuts: Cuts) -> Offer {
    let mut chain = Chain::new(columns(), policy(&with_coin(cuts), ChainKind::Cumulative));
    chain.release(&people(0));
    chain.release(&people(1));
    let candidate = chain.proposed(&people(2));
    chain.offer(&candidate)
}

fn coins() -> Vec<Mutant> {
    vec![
        offer(
            "a recoding that tells one person apart",
            "slices",
            "separate a person",
            |offer| {
                recoded(
                    offer,
                    [
                        &["0-19", "20-39", "40-59", "60-79"],
                        &["n1", "n2", "s1", "s2"],
                    ],
                );
            },
        ),
        offer(
            "more tests than the policy bears",
            "max_odds",
            "move the odds of an attacker's belief",
            |offer| {
                offer.tests = 7;
            },
        ),
        offer(
            "a recoding that crosses an earlier one",
            "chain",
            "two recodings cross",
            |offer| {
                recoded(offer, [&["any age"], &["n1", "n2", "s1", "s2"]]);
            },
        ),
    ]
}

/// As many tests as the policy permits are accepted, and a slice of two people is enough.
#[test]
fn chains_with_a_coin_keep_to_their_limits() {
    let good = tested(Cuts::Nested);
    assert!(
        good.decided(|_| ()).is_ok(),
        "{:?}",
        good.decided(|_| ()).err().map(|verdict| reported(&verdict))
    );
    // Each test doubles the odds at ρ = 0.5: six give 64.
    let six = Offer {
        tests: 6,
        ..good.clone()
    };
    assert!(
        six.decided(|_| ()).is_ok(),
        "{:?}",
        six.decided(|_| ()).err().map(|verdict| reported(&verdict))
    );
    refused(&good, &coins());
    let mut halves = good.clone();
    recoded(&mut halves, HALVES);
    let verdict = halves.decided(|_| ()).err();
    let reasons = verdict
        .map(|verdict| reported(&verdict))
        .unwrap_or_default();
    assert!(
        !reasons
            .iter()
            .any(|(check, _)| ["slices", "max_odds"].contains(&check.as_str())),
        "{reasons:?}"
    );
}

/// Certain facts about a recoding are known only if the last release was under the standing one: it
/// may have been finer.
#[test]
fn what_a_finer_release_may_have_revealed_is_not_known() {
    let certainty = |offer: &Offer| {
        let judged = offer.judged();
        judged
            .verdict()
            .checks
            .iter()
            .find(|check| check.check.name() == "certainty")
            .map(|check| check.made)
    };
    let good = tested(Cuts::Nested);
    let mut finer = good.clone();
    *finer.atoms.last_mut().expect("a release") = good
        .columns
        .trees()
        .iter()
        .map(|tree| Cut::root(tree))
        .collect();
    assert_eq!(
        [certainty(&good), certainty(&finer)],
        [Some(true), Some(false)]
    );
}

/// If recodings may cross, a proof is required that every person has k candidates left.
#[test]
fn recodings_that_cross_need_a_proof() {
    let mut crossing = tested(Cuts::Crossing);
    assert!(crossing.decided(|_| ()).is_ok());
    recoded(&mut crossing, [&["any age"], &["n1", "n2", "s1", "s2"]]);
    let verdict = crossing
        .decided(|_| ())
        .expect_err("people of n1 and n2 are told apart");
    let reasons = reported(&verdict);
    assert!(
        !reasons
            .iter()
            .any(|(_, text)| text.contains("the policy requires them to be nested")),
        "{reasons:?}"
    );
    assert!(
        reasons.iter().any(|(check, _)| check == "chain"),
        "{reasons:?}"
    );
}

/// People of a tick with every leaf tuple: from four to six with each, with diagnoses that do not
/// follow from it in a simple way.
fn everywhere(tick: usize) -> Vec<Human> {
    let mut draw = Draw::new(23, tick as u64);
    let mut all = Vec::new();
    for place in 0..16u32 {
        for _ in 0..draw.between(4, 6) {
            let diagnosis =
                Value::Text(["Asthma", "Flu", "Gout", "HIV"][draw.between(0, 3) as usize].into());
            let (number, leaves) = (
                (tick * 1000 + all.len()) as u128,
                vec![place / 4, place % 4],
            );
            all.push(Human {
                number,
                leaves,
                values: vec![diagnosis, Value::Int(0)],
            });
        }
    }
    all
}

/// The third release of a chain whose recodings cross, and the rows of all three by increment.
fn crossed() -> (Offer, Histogram, Vec<Recoding>) {
    const RECODINGS: [[&[&str]; 2]; 3] = [
        [&["0-19", "20-39", "40-59", "60-79"], &["any ward"]],
        [&["any age"], &["n1", "n2", "s1", "s2"]],
        HALVES,
    ];
    let mut chain = Chain::new(
        columns(),
        policy(&with_coin(Cuts::Crossing), ChainKind::Cumulative),
    );
    let (mut rows, mut recodings) = (Vec::new(), Vec::new());
    for (tick, labels) in RECODINGS.into_iter().enumerate() {
        let mut candidate = chain.proposed(&everywhere(tick));
        let mut offer = chain.offer(&candidate);
        recoded(&mut offer, labels);
        rows.extend(
            offer
                .newest
                .iter()
                .map(|(_, rows)| rows.clone().as_one(tick as u32)),
        );
        recodings.push(offer.recoding.clone());
        if tick == 2 {
            return (offer, Histogram::merge_all(rows).expect("rows"), recodings);
        }
        let approved = offer
            .decided(|_| ())
            .unwrap_or_else(|verdict| panic!("{:?}", reported(&verdict)));
        candidate.recoding = offer.recoding.clone();
        chain.publish(candidate, approved);
    }
    unreachable!("the third release is returned")
}

/// Keeps every target.
struct Keep<'k>(&'k AttackerView<'k>);

impl Fold for Keep<'_> {
    type Sum = Vec<ExactTarget>;

    fn start(&self) -> Vec<ExactTarget> {
        Vec::new()
    }

    fn take(&self, sum: &mut Vec<ExactTarget>, target: &ChainTarget<'_>) {
        sum.push(ExactTarget::new(self.0, target));
    }

    fn join(&self, first: Vec<ExactTarget>, second: Vec<ExactTarget>) -> Vec<ExactTarget> {
        [first, second].concat()
    }
}

/// The fewest candidates left for an existing person, computed without the gate's shortcuts.
fn least(rows: &Histogram, recodings: &[Recoding], columns: &Columns) -> u64 {
    let trees = columns.trees();
    let under =
        |(at, recoding): (usize, &Recoding)| Release::under(rows, 0..at as u32 + 1, recoding);
    let releases: Vec<Release> = recodings.iter().enumerate().map(under).collect();
    let chain = ReleaseChain::new(&releases, &[0, 1, 2], &trees, rows.values().len());
    let pairs = ComparablePairs::of(&chain);
    let slices = Slices::of(
        rows,
        &chain.cuts(),
        &chain.numbered().iter().collect::<Vec<_>>(),
    );
    let mut all = Vec::new();
    let swept = chain.each_sight(|sight| {
        all.extend(chain.realised(sight, &slices.of_increment(sight.increment), &Keep(sight)));
    });
    swept.expect("each release holds the one before");
    all.sort();
    all.dedup();
    let found = ExactWorlds::new(&chain, &pairs).least(
        &all.iter().collect::<Vec<_>>(),
        &mut ExactBudget::FULL.clone(),
    );
    assert!(found.exact(), "solved");
    found.left
}

/// The least bound on the candidates of the people of each increment, comparing releases two by
/// two.
fn bounds(rows: &Histogram, recodings: &[Recoding], columns: &Columns) -> Vec<u64> {
    struct Least;
    impl Fold for Least {
        type Sum = u64;
        fn start(&self) -> u64 {
            u64::MAX
        }
        fn take(&self, sum: &mut u64, target: &ChainTarget<'_>) {
            *sum = (*sum).min(target.left);
        }
        fn join(&self, first: u64, second: u64) -> u64 {
            first.min(second)
        }
    }
    let trees = columns.trees();
    let under =
        |(at, recoding): (usize, &Recoding)| Release::under(rows, 0..at as u32 + 1, recoding);
    let releases: Vec<Release> = recodings.iter().enumerate().map(under).collect();
    let chain = ReleaseChain::new(&releases, &[0, 1, 2], &trees, rows.values().len());
    let slices = Slices::of(
        rows,
        &chain.cuts(),
        &chain.numbered().iter().collect::<Vec<_>>(),
    );
    let mut found = vec![u64::MAX; 3];
    let swept = chain.each_sight(|sight| {
        found[sight.increment] =
            chain.realised(sight, &slices.of_increment(sight.increment), &Least);
    });
    swept.expect("each release holds the one before");
    found
}

/// Crossing recodings are approved for exactly the k that is left for each person.
#[test]
fn crossing_recodings_leave_what_the_search_finds() {
    let (third, rows, recodings) = crossed();
    let left = least(&rows, &recodings, &third.columns);
    let open_under = |k: u64, labels: Option<[&[&str]; 2]>| {
        let written = PolicySettings {
            k: Some(k),
            ..with_coin(Cuts::Crossing)
        };
        let mut offer = Offer {
            policy: policy(&written, ChainKind::Cumulative),
            ..third.clone()
        };
        if let Some(labels) = labels {
            recoded(&mut offer, labels);
        }
        let verdict = offer.decided(|_| ()).err();
        let reasons = verdict
            .map(|verdict| reported(&verdict))
            .unwrap_or_default();
        reasons.iter().any(|(_, text)| {
            text.contains("it is not proven that every person has enough candidates left")
        })
    };
    let verdict = third.judged().verdict().clone();
    let check = verdict
        .checks
        .iter()
        .find(|check| check.check.name() == "chain")
        .expect("the check");
    let bounds = bounds(&rows, &recodings, &third.columns);
    assert!(
        bounds[0] < bounds[2],
        "people of the first release have fewer left than those of the last: {bounds:?}"
    );
    assert_eq!(
        check.value.map(|value| value.get() as u64),
        bounds.iter().min().copied(),
        "{bounds:?}"
    );
    assert!(left >= 3, "{left} are left");
    let open = |k: u64| open_under(k, None);
    assert_eq!(
        [left - 1, left, left + 1].map(open),
        [false, false, true],
        "{left} are left"
    );
    // A release that is coarser than all earlier ones reveals nothing more about their people, who
    // were checked then.
    assert!(!open_under(left + 1, Some([&["any age"], &["any ward"]])));
}

/// The same columns, in which `HIV` is guarded.
fn guarded() -> Columns {
    let column = |column: &Column| match &*column.name {
        "diagnosis" => Column {
            guarded: vec![vec!["HIV".into()]],
            ..column.clone()
        },
        _ => column.clone(),
    };
    Columns::new(columns().iter().map(column).collect())
}

fn masking(written: &PolicySettings) -> Policy {
    Policy::new(written, ChainKind::Cumulative, &ColumnFacts::of(&guarded()))
        .expect("no contradiction")
}

/// The first release of a chain that masks: more than one in four of its people has a guarded
/// value.
fn masked() -> Offer {
    let written = PolicySettings {
        m: Some(2),
        max_loss: None,
        ..settings(Some(Guarantee::Blind))
    };
    let mut chain = Chain::new(guarded(), masking(&written));
    let sick = |(at, human): (usize, Human)| {
        let diagnosis = if at % 3 == 0 { "HIV" } else { "Flu" };
        Human {
            values: vec![Value::Text(diagnosis.into()), Value::Int(at as i64 % 3)],
            ..human
        }
    };
    let first: Vec<Human> = people(0)
        .into_iter()
        .take(12)
        .enumerate()
        .map(sick)
        .collect();
    let candidate = chain.proposed(&first);
    chain.offer(&candidate)
}

/// Rows in which one value of each of these diagnoses is replaced by another one.
fn changed(rows: &Histogram, (from, to): (&str, &str), most: u64) -> Histogram {
    let mut left = most;
    let mut all: Option<Histogram> = None;
    for tuple in 0..rows.tuples() {
        let leaves: Vec<u32> = rows.tuple_at(tuple).collect();
        let [_, here] = rows.divide(|at, _| at != leaves);
        let has = here.map_values(2, |values| values.to_vec());
        let some = has.map_values(2, |values| match &values[0] {
            Value::Text(text) if **text == *from && left > 0 => {
                vec![Value::Text(to.into()), values[1].clone()]
            }
            _ => values.to_vec(),
        });
        if some != has {
            left = left.saturating_sub(1);
        }
        all = Some(match all {
            Some(all) => all.merge(&some),
            None => some,
        });
    }
    all.expect("rows")
}

fn masks() -> Vec<Mutant> {
    vec![
        offer(
            "values that were not masked",
            "minimality",
            "were not masked",
            |offer| offer.raw = vec![None],
        ),
        offer(
            "people with all their values",
            "minimality",
            "more than one in 4 of its people",
            |offer| {
                offer.newest[0].1 = offer.raw[0].clone().expect("values as they are");
            },
        ),
        offer(
            "a value that is not guarded, changed",
            "minimality",
            "not what they have",
            |offer| {
                offer.newest[0].1 = changed(&offer.newest[0].1, ("Flu", "Gout"), 1);
            },
        ),
        offer(
            "a guarded value that no person has",
            "minimality",
            "not what they have",
            |offer| {
                let raw = offer.raw[0].clone().expect("values as they are");
                offer.raw[0] = Some(changed(&raw, ("HIV", "Flu"), u64::MAX));
                offer.newest[0].1 = changed(&offer.newest[0].1, ("Flu", "HIV"), 1);
            },
        ),
        offer(
            "values that were changed although just as many as may be are guarded",
            "minimality",
            "none of them had to be",
            |offer| {
                let raw = offer.raw[0].clone().expect("values as they are");
                assert_eq!(raw.rows(), 12, "three of four are just as many");
                offer.raw[0] = Some(changed(&raw, ("HIV", "Flu"), 1));
            },
        ),
        offer(
            "values that were changed for nothing",
            "minimality",
            "none of them had to be",
            |offer| {
                let raw = offer.raw[0].clone().expect("values as they are");
                offer.raw[0] = Some(changed(&raw, ("HIV", "Flu"), 3));
            },
        ),
    ]
}

#[test]
fn masks_keep_to_their_limits() {
    let good = masked();
    assert!(
        good.decided(|_| ()).is_ok(),
        "{:?}",
        good.decided(|_| ()).err().map(|verdict| reported(&verdict))
    );
    let raw = good.raw[0].as_ref().expect("values are masked");
    assert!(*raw != good.newest[0].1, "a value was changed");
    refused(&good, &masks());
    let verdict = good.judged().verdict().clone();
    let check = verdict
        .checks
        .iter()
        .find(|check| check.check.name() == "minimality")
        .expect("the check");
    let (value, limit) = (
        check.value.expect("a figure").get(),
        check.limit.expect("a limit").get(),
    );
    assert!(
        limit == 0.5 && value > 0.25 && value <= limit,
        "{value} of {limit}"
    );
}

/// If the tests of a chain may change a belief, a mask that is enough for `blind` is not enough.
#[test]
fn tests_count_for_what_is_believed() {
    let good = masked();
    let coin = |most: &str| {
        let (rho, max_odds) = (Decimal::parse("0.5"), Decimal::parse(most));
        masking(&PolicySettings {
            m: Some(2),
            rho,
            max_odds,
            ..settings(Some(Guarantee::Chain))
        })
    };
    let against = |policy: Policy| -> BTreeSet<String> {
        let spoilt = Offer {
            policy,
            ..good.clone()
        };
        let reasons = spoilt
            .decided(|_| ())
            .err()
            .map(|verdict| reported(&verdict))
            .unwrap_or_default();
        reasons
            .into_iter()
            .filter(|(check, _)| check == "minimality")
            .map(|(_, text)| text)
            .collect()
    };
    assert_eq!(against(good.policy.clone()), BTreeSet::new());
    assert!(
        against(coin("64"))
            .iter()
            .any(|text| text.contains("a probability above 1/m")),
        "{:?}",
        against(coin("64"))
    );
    // If a release splits atoms, the people of a part that shows the set are separated from the
    // others.
    let split = |labels: [&[&str]; 2]| {
        let mut offer = Offer {
            policy: coin("64"),
            ..good.clone()
        };
        recoded(&mut offer, labels);
        let reasons = offer
            .decided(|_| ())
            .err()
            .map(|verdict| reported(&verdict))
            .unwrap_or_default();
        reasons.iter().any(|(check, text)| {
            check == "minimality" && text.starts_with("people who came together")
        })
    };
    assert!(!split([&["any age"], &["any ward"]]), "no atom is split");
    assert!(split([
        &["0-19", "20-39", "40-59", "60-79"],
        &["n1", "n2", "s1", "s2"]
    ]));
}

/// No label is above the floor of its column; one at the floor may be published.
#[test]
fn labels_keep_to_the_floors_of_their_columns() {
    let details = vec![DetailSettings::default().with_floor(1); 2];
    let columns = columns().with_details(&details);
    let written = PolicySettings {
        search: Some(Search::Levels),
        max_loss: None,
        ..settings(Some(Guarantee::Blind))
    };
    let policy = Policy::new(&written, ChainKind::Cumulative, &ColumnFacts::of(&columns))
        .expect("no contradiction");
    let (_, good) = third(ChainKind::Cumulative, Some(Guarantee::Blind));
    let against = |labels| -> BTreeSet<String> {
        let mut offer = Offer {
            columns: columns.clone(),
            policy: policy.clone(),
            ..good.clone()
        };
        recoded(&mut offer, labels);
        let reasons = offer
            .decided(|_| ())
            .err()
            .map(|verdict| reported(&verdict))
            .unwrap_or_default();
        reasons
            .into_iter()
            .filter(|(check, _)| check == "utility")
            .map(|(_, text)| text)
            .collect()
    };
    assert_eq!(against(HALVES), BTreeSet::new());
    let above = against([&["any age"], HALVES[1]]);
    assert_eq!(
        above,
        ["column age: the label `any age` is above the `floor` of the column".to_owned()].into()
    );
}
