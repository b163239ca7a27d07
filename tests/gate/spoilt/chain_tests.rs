//! Faults in chains that mask values, which were changed without need, or not changed although they
//! had to be; and labels above the floors of their columns.

use std::collections::BTreeSet;

use tidegate::engine::histogram::Histogram;
use tidegate::engine::model::{Column, Columns, DetailSettings, Value};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Guarantee, Policy, PolicySettings, Search};

use super::cases::recoded;

use super::chain::{Chain, Human, Offer};
use super::sample::{columns, people, settings, third};
use super::{Mutant, offer, refused, reported};

/// Labels at the floors of the columns.
const HALVES: [&[&str]; 2] = [&["young", "old"], &["north", "south"]];

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

/// No label is above the floor of its column; one at the floor may be published.
#[test]
fn labels_keep_to_the_floors_of_their_columns() {
    let details = vec![DetailSettings::default().with_floor(1); 2];
    let columns = columns().with_details(&details);
    let written = PolicySettings {
        search: Some(Search::Levels),
        ..settings(None)
    };
    let policy = Policy::new(&written, ChainKind::Disjoint, &ColumnFacts::of(&columns))
        .expect("no contradiction");
    let (_, good) = third(ChainKind::Disjoint, None);
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
