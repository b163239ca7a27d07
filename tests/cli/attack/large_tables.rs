//! Thousands of rows in six columns: classes that ARX-LR made here, whose true rows every attacker
//! must leave possible.

use serde_json::{Value as Json, json};
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::label::arx_lr;
use tidegate::engine::model::forms::{self, TaxonomyTable};
use tidegate::engine::model::{Leaf, Taxonomy};

use super::{Folder, feed};
use crate::common::random::Draw;

const ROWS: u64 = 4000;
const COLUMNS: usize = 6;

fn line(cells: &[String]) -> String {
    cells.join(";") + "\n"
}

fn tree() -> Taxonomy {
    let table = TaxonomyTable {
        leaves: Some((0..=4).map(|edge| edge * 25).collect()),
        layers: Some(vec![2, 2]),
        ..Default::default()
    };
    forms::build(&table, &[]).expect("intervals").domain.tree
}

#[test]
fn thousands_of_rows_in_six_columns() {
    let mut draw = Draw::new(11, 3);
    let value = |draw: &mut Draw| {
        let most = draw.between(0, 99);
        draw.between(0, most)
    };
    let rows: Vec<Vec<u64>> = (0..ROWS)
        .map(|_| (0..COLUMNS).map(|_| value(&mut draw)).collect())
        .collect();
    let leaves: Vec<Vec<Leaf>> = rows
        .iter()
        .map(|row| row.iter().map(|value| (value / 25) as Leaf).collect())
        .collect();
    let people = Headcount::of(
        COLUMNS,
        leaves
            .iter()
            .map(|leaves| (leaves, Heads { since: 0, count: 1 })),
    );
    let tree = tree();
    let carved = arx_lr(&people, &[&tree; COLUMNS], 5).expect("layers");

    let folder = Folder::new();
    let edges: Vec<u64> = (0..=4).map(|edge| edge * 25).collect();
    folder.put("feed.toml", &feed(&vec![edges; COLUMNS], "k = 5"));
    let header = line(&(0..COLUMNS).map(|at| format!("q{at}")).collect::<Vec<_>>());
    let (mut release, mut order) = (header.clone(), Vec::new());
    for class in &carved.classes {
        let labels: Vec<String> = class
            .nodes
            .iter()
            .map(|&node| tree.label(node).to_owned())
            .collect();
        release += &line(&labels).repeat(class.people as usize);
        order.push(labels);
    }
    let left: u64 = carved
        .outliers
        .iter()
        .map(|&tuple| people.count(tuple as usize))
        .sum();
    release += &line(&["*"; COLUMNS].map(str::to_owned)).repeat(left as usize);
    folder.put("r.csv", &release);
    folder.put("c.json", &json!({ "classes": order }).to_string());
    let raw = |row: &Vec<u64>| line(&row.iter().map(u64::to_string).collect::<Vec<_>>());
    folder.put(
        "d.csv",
        &(header + &rows.iter().map(raw).collect::<String>()),
    );

    let files = [
        ("release", "r.csv"),
        ("increment", "d.csv"),
        ("html", "page.html"),
    ];
    let strongest = folder.attack(&[&files[..], &[("classes", "c.json")]].concat(), &[]);
    let paper = folder.attack(&files, &[]);
    for found in [&strongest, &paper] {
        let targets = found["targets"].as_array().expect("a list");
        assert_eq!(targets.len(), carved.classes.len() + usize::from(left > 0));
        let rows: u64 = targets
            .iter()
            .map(|target| target["rows"].as_u64().expect("a number"))
            .sum();
        assert_eq!(rows, ROWS);
        assert!(targets.iter().all(|target| {
            target["log10_ratio"]
                .as_f64()
                .is_some_and(|ratio| ratio >= 0.0)
        }));
        assert!(targets.iter().all(|target| target["fuzzy"].is_u64()));
    }
    let labels: Vec<&Json> = strongest["targets"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|of| &of["class"])
        .collect();
    assert!(
        labels
            .into_iter()
            .zip(&order)
            .all(|(found, known)| *found == json!(known))
    );
}
