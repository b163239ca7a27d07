//! The standing recoding on cases with known answers, tick by tick (SCIENCE 4): small chains, and
//! Adult in ticks of some hundred rows. In the cases a recoding becomes coarser or withholds people
//! when rows are overdue; here it never changes, so that they are compared up to that tick.

use crate::common::chain::{Chain, Human};
use crate::common::{adult, columns, golden, recoding, strings, taxonomy};
use serde_json::{Value as Json, json};
use tidegate::engine::feed::ClosingResult;
use tidegate::engine::label::{Course, RecodingStep};
use tidegate::engine::model::{Columns, Leaf, Node, Recoding, Taxonomy, Value};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings, Search};

/// A chain with a standing recoding, whose candidates are published as they are.
pub struct Standing {
    pub chain: Chain,
    number: u128,
}

/// What a tick did: its step, and the atoms that formed.
pub struct Ticked {
    pub step: Option<RecodingStep>,
    pub atoms: Vec<(Vec<Node>, u64)>,
}

impl Standing {
    pub fn new(columns: Columns, a: u64) -> Standing {
        let written = PolicySettings {
            k: Some(a),
            search: Some(Search::TopDown),
            ..PolicySettings::default()
        };
        let facts = ColumnFacts::of(&columns);
        let policy = Policy::new(&written, ChainKind::Cumulative, &facts);
        let chain = Chain::new(columns, policy.expect("no contradiction"));
        Standing { chain, number: 0 }
    }

    /// A tick in which a person of each of these leaf tuples comes.
    pub fn tick(&mut self, people: &[Vec<Leaf>]) -> Ticked {
        let human = |leaves: &Vec<Leaf>| {
            self.number += 1;
            Human {
                number: self.number,
                leaves: leaves.clone(),
                values: vec![Value::Text("s".into())],
            }
        };
        let humans: Vec<Human> = people.iter().map(human).collect();
        let ticked = self.chain.tick(&humans);
        let mut atoms = Vec::new();
        if let ClosingResult::Candidate(candidate) = ticked.closed {
            let new = candidate.new_rows();
            atoms.extend((0..new.tuples()).map(|at| (new.tuple_at(at).collect(), rows(&new, at))));
            self.chain.feed.publish(*candidate, &self.chain.policy);
        }
        let step = ticked.step;
        Ticked { step, atoms }
    }

    pub fn cut(&self) -> Option<&Recoding> {
        self.chain.feed.standing().map(Course::cut)
    }

    /// The published people of each label.
    pub fn crowds(&self) -> Vec<(Vec<Node>, u64)> {
        let whole = self.chain.feed.whole();
        let labels = (0..whole.tuples()).map(|at| (whole.tuple_at(at).collect(), rows(whole, at)));
        labels.collect()
    }
}

fn rows(table: &tidegate::engine::histogram::Histogram, tuple: usize) -> u64 {
    let cells = table.cells_of(tuple).iter();
    cells.map(|cell| u64::from(cell.count)).sum()
}

fn leaves(labels: &[String], trees: &[&Taxonomy]) -> Vec<Leaf> {
    let named = labels.iter().zip(trees);
    named
        .map(|(label, tree)| tree.find_leaf(label).expect("a leaf"))
        .collect()
}

fn trees_of(case: &Json) -> Columns {
    let trees = case["taxonomies"].as_array().expect("trees");
    columns(trees.iter().map(taxonomy).collect())
}

/// Whether the recoding of the case changes in this tick, or people are withheld.
fn is_overdue(expected: &Json) -> bool {
    ["withhold", "bottom-up", "top-down"]
        .iter()
        .any(|step| expected["step"] == *step)
}

/// The expectations of a case for a tick, without its atoms.
fn check(standing: &Standing, ticked: &Ticked, expected: &Json, place: &str) {
    let step = match ticked.step {
        None => Json::Null,
        Some(RecodingStep::Hold) => "hold".into(),
        Some(RecodingStep::First) => "first".into(),
    };
    assert_eq!(step, expected["step"], "{place}: step");
    let waiting = standing.chain.feed.waiting().rows();
    assert_eq!(
        Some(waiting),
        expected["waiting"].as_u64(),
        "{place}: waiting"
    );
    if ticked.step == Some(RecodingStep::Hold) {
        assert!(expected.get("rows").is_none() && expected.get("sum_sq").is_none());
        return;
    }
    let crowds = standing.crowds();
    let people: u64 = crowds.iter().map(|(_, people)| people).sum();
    let squares: u64 = crowds.iter().map(|(_, people)| people * people).sum();
    assert_eq!(Some(people), expected["rows"].as_u64(), "{place}: rows");
    assert_eq!(
        Some(squares),
        expected["sum_sq"].as_u64(),
        "{place}: sum of squares"
    );
}

fn cut_of(expected: &Json, trees: &[&Taxonomy]) -> Option<Recoding> {
    let cut = expected["cut"].as_array()?;
    let labels: Vec<Vec<String>> = cut.iter().map(strings).collect();
    Some(recoding(&labels, trees))
}

#[test]
fn small_chains() {
    let (mut compared, mut whole) = (0, 0);
    let cases = golden("standing_small.json");
    for (at, case) in cases.as_array().expect("cases").iter().enumerate() {
        let columns = trees_of(case);
        let trees = columns.trees();
        let mut standing = Standing::new(columns.clone(), case["a"].as_u64().expect("a"));
        let came = case["ticks"].as_array().expect("ticks");
        let expected = case["expect"].as_array().expect("ticks");
        let overdue = expected.iter().position(is_overdue);
        whole += usize::from(overdue.is_none());
        let ticks = came.iter().zip(expected).enumerate();
        for (now, (rows, expected)) in ticks.take(overdue.unwrap_or(usize::MAX)) {
            let place = format!("case {at}, tick {now}");
            let people = rows.as_array().expect("rows").iter();
            let people: Vec<Vec<Leaf>> = people
                .map(|labels| leaves(&strings(labels), &trees))
                .collect();
            let ticked = standing.tick(&people);
            check(&standing, &ticked, expected, &place);
            assert_eq!(
                standing.cut(),
                cut_of(expected, &trees).as_ref(),
                "{place}: cut"
            );
            let labelled = |(label, people): &(Vec<Node>, u64)| {
                let labels = label.iter().zip(&trees);
                let labels: Vec<&str> = labels.map(|(&node, tree)| tree.label(node)).collect();
                json!([labels, people])
            };
            let mut atoms: Vec<Json> = ticked.atoms.iter().map(labelled).collect();
            atoms.sort_by_key(Json::to_string);
            let mut wanted = expected["atoms"].as_array().expect("atoms").clone();
            wanted.sort_by_key(Json::to_string);
            assert_eq!(atoms, wanted, "{place}: atoms");
            compared += 1;
        }
    }
    println!("{compared} ticks, {whole} chains to the end");
    assert!(compared > 300 && whole > 10);
}

#[test]
fn adult_in_ticks() {
    let Some([first, training]) = adult::data() else {
        return;
    };
    for case in golden("standing_adult.json").as_array().expect("cases") {
        let quasi = strings(&case["quasi"]);
        let columns = trees_of(case);
        let trees = columns.trees();
        let per_tick = case["rows_per_tick"].as_u64().expect("a number") as usize;
        let expected = case["expect"].as_array().expect("ticks");
        let people = |raw: &[Vec<String>]| -> Vec<Vec<Leaf>> {
            let rows = adult::rows(raw, &quasi, &[]).into_iter();
            rows.map(|(labels, _)| leaves(&labels, &trees)).collect()
        };
        let ticks: Vec<Vec<Vec<Leaf>>> = std::iter::once(people(&first))
            .chain(training.chunks_exact(per_tick).map(people))
            .collect();
        assert_eq!(ticks.len(), expected.len());
        let mut standing = Standing::new(columns.clone(), case["a"].as_u64().expect("a"));
        let mut last = None;
        let before = expected.iter().take_while(|expected| !is_overdue(expected));
        for (now, (rows, expected)) in ticks.iter().zip(before).enumerate() {
            let place = format!("a={} {per_tick} rows, tick {now}", case["a"]);
            let ticked = standing.tick(rows);
            check(&standing, &ticked, expected, &place);
            last = match &expected["cut"] {
                Json::String(same) if same == "same" => last,
                _ => cut_of(expected, &trees),
            };
            assert_eq!(standing.cut(), last.as_ref(), "{place}: cut");
            let wanted = &expected["atoms"];
            let sizes = ticked.atoms.iter().map(|(_, people)| *people);
            assert_eq!(
                Some(ticked.atoms.len() as u64),
                wanted["n"].as_u64(),
                "{place}: atoms"
            );
            assert_eq!(
                sizes.min(),
                wanted["smallest"].as_u64(),
                "{place}: smallest atom"
            );
        }
    }
}
