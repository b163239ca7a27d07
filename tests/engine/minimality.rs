//! Minimality attacks (SCIENCE 5; MIN 4 and 5): the paper's tables, known answers, every assignment
//! of small tables enumerated, and bounds that are never below the truth.

mod enumerate;
mod paper;
mod properties;
mod worlds;

use crate::common;
use crate::common::golden;
use serde_json::Value as Json;
use tidegate::engine::audit::{MinimalityFigures, Requirement};
use tidegate::engine::gate::minimality::requirement::l_diverse;
use tidegate::engine::gate::minimality::{Credibility, MinimalityAttack, OriginClass};
use tidegate::engine::histogram::{CellReading, Encoder, Histogram, Release};
use tidegate::engine::model::{Column, Columns};

/// The results as texts; null for none.
fn texts(found: &[Option<Credibility>]) -> Vec<Option<String>> {
    let text = |found: &Credibility| match found {
        Credibility::Exact(share) => share.to_string(),
        Credibility::AtMost(share) => panic!("a bound, {share}"),
    };
    found.iter().map(|found| found.as_ref().map(text)).collect()
}

fn number(json: &Json) -> u64 {
    json.as_u64().expect("a number")
}

fn origin(json: &Json) -> OriginClass {
    match json.as_array() {
        None => OriginClass::whole(number(json)),
        Some(counts) => OriginClass {
            people: number(&counts[0]),
            generalised: number(&counts[1]),
            shown: number(&counts[2]),
        },
    }
}

#[track_caller]
fn check(case: &Json) {
    let list = |key: &str| case[key].as_array().cloned();
    let origins: Vec<OriginClass> = list("sizes")
        .or_else(|| list("classes"))
        .expect("classes")
        .iter()
        .map(origin)
        .collect();
    let sensitive = case["ns"]
        .as_u64()
        .or(case["ns_G"].as_u64())
        .expect("sensitive rows");
    let attack = MinimalityAttack::new(&origins, sensitive, l_diverse(number(&case["l"])));
    let expected: Vec<Option<String>> = list("cred")
        .expect("credibilities")
        .iter()
        .map(|one| one.as_str().map(str::to_owned))
        .collect();
    assert_eq!(texts(&attack.exact()), expected, "{case}");
    let total = case["total"]
        .as_str()
        .map_or_else(|| case["total"].to_string(), str::to_owned);
    assert_eq!(attack.is_possible(), total != "0", "{case}");
    assert_eq!(attack.left().to_string(), total, "{case}");
    let most = attack.at_most();
    for (exact, most) in attack.exact().iter().zip(&most) {
        let [exact, most] = [exact, most].map(|one| one.as_ref().map(Credibility::value));
        assert!(exact <= most, "{case}: {exact:?} > {most:?}");
    }
}

#[test]
fn golden_cases() {
    let golden = golden("credibility.json");
    for part in ["paper", "random", "big"] {
        golden[part]
            .as_array()
            .expect("cases")
            .iter()
            .for_each(check);
    }
}

/// Classes that are too much work get bounds; which ones does not depend on the order of anything.
#[test]
fn beyond_the_budget_figures_are_bounds() {
    let tree = common::taxonomy(&serde_json::json!({"*": {"q1": {}, "q2": {}, "q3": {}}}));
    let mut all: Vec<Column> = common::columns(vec![tree]).iter().cloned().collect();
    all[1].guarded = vec![vec!["HIV".into()]];
    let columns = Columns::new(all);
    let rows = |q: &str, s: &str, times: usize| vec![(vec![q.to_owned()], s.to_owned()); times];
    let raw = [
        ("q1", "HIV", 2),
        ("q2", "HIV", 1),
        ("q2", "Flu", 1),
        ("q3", "HIV", 2),
        ("q3", "Flu", 8),
    ];
    let raw: Vec<common::Row> = raw
        .iter()
        .flat_map(|&(q, s, times)| rows(q, s, times))
        .collect();
    let encoder = Encoder::new(&columns, CellReading::Text);
    let raw = Histogram::of(&encoder, 0, &[common::batch(&raw, 1)]).expect("rows that fit");
    let trees = columns.trees();
    let release = Release::under(
        &raw,
        0..1,
        &common::recoding(&[vec!["*".to_owned()]], &trees),
    );
    let largest = |work: u64| {
        let found = MinimalityFigures::of(
            &release,
            &raw,
            &columns,
            Requirement::Diverse { l: 2 },
            work,
        )
        .expect("its rows");
        let (tie, credibility) = found.strongest(None).expect("a tie");
        assert_eq!((tie.people, tie.set), (2, Some(0)));
        credibility.clone()
    };
    let exact = largest(MinimalityFigures::WORK);
    assert_eq!(exact.to_string(), "53/86");
    let bound = largest(1);
    assert!(
        bound.to_string().starts_with("<=0.") && bound.value() >= exact.value(),
        "{bound}"
    );
    assert!(
        !bound.is_at_most_one_in(2) && bound.value() < 0.75,
        "{bound}"
    );
}
