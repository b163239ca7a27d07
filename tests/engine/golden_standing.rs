//! The standing recoding on cases with known answers, tick by tick (SCIENCE 4): small chains, and
//! Adult in ticks of some hundred rows.

use crate::common::{adult, columns, golden, recoding, strings, taxonomy};
use serde_json::Value as Json;
use tidegate::engine::anonymizer::{
    RareRowRules, RecodingStep, StandingRecoding, StandingState, StandingTick,
};
use tidegate::engine::histogram::{Headcount, Heads, finest_unsplit};
use tidegate::engine::model::Taxonomy;
use tidegate::engine::policy::Decimal;

fn rules(case: &Json) -> RareRowRules {
    let whole = |key: &str| case[key].as_u64().expect(key);
    let share =
        Decimal::from_float(case["max_withheld"].as_f64().expect("a share")).expect("a share");
    RareRowRules {
        a: whole("a"),
        max_wait: whole("max_wait") as u32,
        max_withheld: share,
    }
}

/// Arrivals from labels of leaves.
fn arrivals<'r>(
    rows: impl IntoIterator<Item = &'r Vec<String>>,
    now: u32,
    trees: &[&Taxonomy],
) -> Headcount {
    let leaves = |labels: &Vec<String>| -> Vec<u32> {
        labels
            .iter()
            .zip(trees)
            .map(|(label, tree)| tree.find_leaf(label).expect("a leaf"))
            .collect()
    };
    Headcount::of(
        trees.len(),
        rows.into_iter().map(|labels| {
            (
                leaves(labels),
                Heads {
                    since: now,
                    count: 1,
                },
            )
        }),
    )
}

fn step(tick: &StandingTick) -> Json {
    match tick.step {
        None => Json::Null,
        Some(RecodingStep::Hold) => "hold".into(),
        Some(RecodingStep::First) => "first".into(),
        Some(RecodingStep::Withhold) => "withhold".into(),
        Some(RecodingStep::BottomUp) => "bottom-up".into(),
        Some(RecodingStep::TopDown) => "top-down".into(),
    }
}

/// The expectations of a case for a tick, without its atoms.
fn check(standing: &StandingRecoding, tick: &StandingTick, expected: &Json, place: &str) {
    let state = standing.state();
    assert_eq!(step(tick), expected["step"], "{place}: step");
    assert_eq!(
        Some(state.pool().rows()),
        expected["waiting"].as_u64(),
        "{place}: waiting"
    );
    assert_eq!(
        Some(state.withheld().rows()),
        expected["withheld"].as_u64(),
        "{place}: withheld"
    );
    if tick.step == Some(RecodingStep::Hold) {
        assert!(expected.get("rows").is_none() && expected.get("sum_sq").is_none());
        return;
    }
    assert_eq!(
        Some(state.rows()),
        expected["rows"].as_u64(),
        "{place}: rows"
    );
    let squares: u64 = state.crowds().map(|(_, people)| people * people).sum();
    assert_eq!(
        Some(squares),
        expected["sum_sq"].as_u64(),
        "{place}: sum of squares"
    );
}

/// Whether the kept state, built again from the content of a log, is the same.
fn kept(standing: &StandingRecoding, atoms: &[Headcount]) {
    let state = standing.state();
    let again = StandingState::restore(
        state.course().cloned(),
        state.pool().clone(),
        state.withheld().clone(),
        state.arrived(),
        atoms,
    );
    assert_eq!(&again, state);
}

#[test]
fn small_chains() {
    for (at, case) in golden("standing_small.json")
        .as_array()
        .expect("cases")
        .iter()
        .enumerate()
    {
        let columns = columns(
            case["taxonomies"]
                .as_array()
                .expect("trees")
                .iter()
                .map(taxonomy)
                .collect(),
        );
        let trees = columns.trees();
        let mut standing = StandingRecoding::new(rules(case), trees.len());
        let mut formed: Vec<Headcount> = Vec::new();
        let ticks = case["ticks"]
            .as_array()
            .expect("ticks")
            .iter()
            .zip(case["expect"].as_array().expect("ticks"));
        for (now, (rows, expected)) in ticks.enumerate() {
            let place = format!("case {at}, tick {now}");
            let rows: Vec<Vec<String>> =
                rows.as_array().expect("rows").iter().map(strings).collect();
            let tick = standing.tick(&arrivals(&rows, now as u32, &trees), now as u32, &trees);
            check(&standing, &tick, expected, &place);
            let cut = expected["cut"]
                .as_array()
                .map(|cut| recoding(&cut.iter().map(strings).collect::<Vec<_>>(), &trees));
            assert_eq!(standing.state().cut(), cut.as_ref(), "{place}: cut");
            let mut atoms: Vec<Json> = tick
                .atoms
                .iter()
                .map(|atom| {
                    let labels: Vec<&str> = atom
                        .class
                        .iter()
                        .zip(&trees)
                        .map(|(&node, tree)| tree.label(node))
                        .collect();
                    serde_json::json!([labels, atom.people.rows()])
                })
                .collect();
            atoms.sort_by_key(Json::to_string);
            let mut wanted = expected["atoms"].as_array().expect("atoms").clone();
            wanted.sort_by_key(Json::to_string);
            assert_eq!(atoms, wanted, "{place}: atoms");
            formed.extend(tick.atoms.into_iter().map(|atom| atom.people));
            if let Some(cut) = standing.state().cut() {
                let finest = finest_unsplit(&formed, &trees);
                assert!(
                    finest
                        .iter()
                        .zip(cut)
                        .all(|(finest, cut)| finest.refines(cut)),
                    "{place}: no atom is split"
                );
            }
            kept(&standing, &formed);
        }
    }
}

#[test]
fn adult_in_ticks() {
    let Some([first, training]) = adult::data() else {
        return;
    };
    for case in golden("standing_adult.json").as_array().expect("cases") {
        let quasi = strings(&case["quasi"]);
        let columns = columns(
            case["taxonomies"]
                .as_array()
                .expect("trees")
                .iter()
                .map(taxonomy)
                .collect(),
        );
        let trees = columns.trees();
        let per_tick = case["rows_per_tick"].as_u64().expect("a number") as usize;
        let expected = case["expect"].as_array().expect("ticks");
        let labels = |raw: &[Vec<String>]| -> Vec<Vec<String>> {
            adult::rows(raw, &quasi, &[])
                .into_iter()
                .map(|(labels, _)| labels)
                .collect()
        };
        let ticks: Vec<Vec<Vec<String>>> = std::iter::once(labels(&first))
            .chain(training.chunks_exact(per_tick).map(labels))
            .collect();
        assert_eq!(ticks.len(), expected.len());
        let mut standing = StandingRecoding::new(rules(case), trees.len());
        let (mut last, mut formed) = (None, Vec::new());
        for (now, (rows, expected)) in ticks.iter().zip(expected).enumerate() {
            let place = format!("a={} {per_tick} rows, tick {now}", case["a"]);
            let tick = standing.tick(&arrivals(rows, now as u32, &trees), now as u32, &trees);
            check(&standing, &tick, expected, &place);
            let cut = match &expected["cut"] {
                Json::String(same) if same == "same" => last.clone(),
                cut => Some(recoding(
                    &cut.as_array()
                        .expect("a cut")
                        .iter()
                        .map(strings)
                        .collect::<Vec<_>>(),
                    &trees,
                )),
            };
            assert_eq!(standing.state().cut(), cut.as_ref(), "{place}: cut");
            let wanted = &expected["atoms"];
            let sizes: Vec<u64> = tick.atoms.iter().map(|atom| atom.people.rows()).collect();
            assert_eq!(
                Some(sizes.len() as u64),
                wanted["n"].as_u64(),
                "{place}: atoms"
            );
            assert_eq!(
                sizes.iter().min().copied(),
                wanted["smallest"].as_u64(),
                "{place}: smallest atom"
            );
            formed.extend(tick.atoms.into_iter().map(|atom| atom.people));
            last = cut;
        }
        kept(&standing, &formed);
    }
}
