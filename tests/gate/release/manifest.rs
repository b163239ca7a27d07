//! The manifest and the taxonomies: their exact form, with only one spelling, and figures that the
//! gate finds as well.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use tidegate::engine::gate::utility;
use tidegate::engine::model::{Cut, Kind, Node, Tree, Value};
use tidegate::engine::policy::{self, ChainKind, Decimal, Guarantee, Policy, PolicySettings};
use tidegate::engine::release::{
    Check, CheckLine, Figure, FileLine, Manifest, NoManifest, Overview, Presentation, ReleaseFacts,
    ReleaseTerms, Sha256, Taxonomies, data, taxonomy,
};

use super::table::{Table, declared, random_table};
use crate::common::random;

pub fn policy(guarantee: Guarantee) -> Policy {
    let written = PolicySettings {
        k: Some(2),
        guarantee: Some(guarantee),
        max_loss: Decimal::parse("0.9"),
        ..PolicySettings::default()
    };
    Policy::new(
        &written,
        ChainKind::Cumulative,
        &policy::ColumnFacts::default(),
    )
    .expect("no contradiction")
}

/// Four people in two classes.
pub fn small() -> Table {
    let mut sex = Tree::new("*");
    for label in ["F", "M"] {
        sex.add(0, label, 1);
    }
    let mut age = Tree::new("any <age>");
    let young = age.add(0, "[0, 30[", 1);
    age.add(young, "[0, 10[", 10);
    age.add(young, "[10, 30[", 20);
    age.add(0, "[30, 60[", 30);
    let [sex, age] = [sex, age].map(|tree| tree.finish().expect("a tree"));
    let recoding = vec![Cut::leaves(&sex), Cut::root(&age)];
    let row = |sex, age, text: &str| (vec![sex, age], vec![Value::Text(text.into())]);
    let raw = vec![
        row(0, 0, "Flu"),
        row(0, 2, "Flu"),
        row(1, 1, "HIV"),
        row(1, 1, "Flu"),
    ];
    Table::of(declared(vec![sex, age], &[Kind::String]), recoding, raw)
}

pub fn facts() -> ReleaseFacts<'static> {
    ReleaseFacts {
        feed: "admissions",
        chain: 1,
        time: "2026-11-21T10:00:00Z",
        signed: true,
        decision: None,
        previous: Some(Sha256::of(b"the one before")),
        layout: tidegate::engine::release::Layout::Folders,
        presentation: Presentation::default(),
    }
}

pub fn terms<'a>(
    table: &'a Table,
    policy: &'a Policy,
    checks: &'a [CheckLine],
) -> ReleaseTerms<'a> {
    static NOTHING: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
    ReleaseTerms {
        release: 3,
        policy,
        columns: &table.columns,
        checks,
        erased: &NOTHING,
        kept: &[],
    }
}

pub fn checks() -> Vec<CheckLine> {
    let line = |check, made, value, limit| CheckLine {
        check,
        made,
        value,
        limit,
    };
    vec![
        line(
            Check::Crowd,
            true,
            Some(Figure::Whole(2)),
            Some(Figure::Whole(2)),
        ),
        line(Check::Correspondence, true, None, Some(Figure::Whole(2))),
        line(
            Check::Utility,
            true,
            Figure::real(0.41421356237309515),
            Figure::real(0.9),
        ),
        line(Check::Refinement, false, None, None),
    ]
}

fn manifest(table: &Table) -> Manifest {
    let bytes = data(&table.release, &table.values, &table.columns);
    let path = "data/3.parquet".to_owned();
    let file = FileLine {
        path,
        sha256: Sha256::of(&bytes),
        rows: Some(table.release.rows()),
    };
    Manifest::of(
        &facts(),
        &terms(table, &policy(Guarantee::Bcf), &checks()),
        &Overview::of(&table.release),
        vec![file],
    )
}

#[test]
fn the_form_is_what_the_contract_says() {
    let manifest = manifest(&small());
    let text = String::from_utf8(manifest.bytes()).expect("text");
    assert!(
        text.starts_with("{\n  \"schema\": 2,\n  \"feed\": \"admissions\",\n")
            && text.ends_with("\n}\n")
    );
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    let order = "schema feed chain release time policy guarantee reader k smallest_class rows classes withheld loss \
                 discernibility recoding files checks signed decision previous";
    assert_eq!(keys, order.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        json["policy"]["search"],
        json!("top-down"),
        "defaults that apply are in force"
    );
    assert_eq!(json["guarantee"], "bcf");
    assert_eq!(
        [
            &json["k"],
            &json["smallest_class"],
            &json["rows"],
            &json["classes"]
        ],
        [2, 2, 4, 2]
    );
    assert_eq!(
        [&json["loss"], &json["discernibility"]],
        [0.41421356237309515, 0.5]
    );
    assert_eq!(
        json["recoding"].to_string(),
        r#"{"quasi 0":["F","M"],"quasi 1":["any <age>"]}"#
    );
    assert_eq!(json["files"][0]["rows"], 4);
    assert_eq!(
        json["checks"][3],
        json!({"check": "refinement", "made": false, "value": null, "limit": null})
    );
    assert_eq!(
        [&json["decision"], &json["signed"]],
        [&Json::Null, &json!(true)]
    );
}

#[test]
fn a_manifest_has_one_spelling() {
    let manifest = manifest(&small());
    let bytes = manifest.bytes();
    assert_eq!(Manifest::parse(&bytes), Ok(manifest));
    let text = String::from_utf8(bytes).expect("text");
    let spelled = [
        text.trim_end().to_owned(),
        format!("{text} "),
        text.replacen("  \"schema\"", "\t\"schema\"", 1),
        text.replacen("\"admissions\"", "\"\\u0061dmissions\"", 1),
        text.replacen("0.5", "0.50", 1),
        text.replacen("  \"signed\": true,\n", "", 1).replacen(
            "\n  \"k\"",
            "\n  \"signed\": true,\n  \"k\"",
            1,
        ),
        text.replacen("    \"k\": 2", "    \"k\": 3,\n    \"k\": 2", 1),
        text.replacen("  \"decision\": null,\n", "", 1),
    ];
    for other in spelled {
        assert_ne!(other, text);
        assert_eq!(
            Manifest::parse(other.as_bytes()),
            Err(NoManifest::Spelling),
            "{other}"
        );
    }
    for version in [1, 3] {
        let other = text.replacen("\"schema\": 2", &format!("\"schema\": {version}"), 1);
        assert_eq!(
            Manifest::parse(other.as_bytes()),
            Err(NoManifest::Version(version))
        );
    }
    let read = Manifest::parse(text.as_bytes()).expect("a manifest");
    assert_eq!(
        read.signed_bytes(),
        format!("tidegate manifest 1\nfeed admissions\n{text}").as_bytes()
    );
    let forms = [
        text.replacen("  \"signed\"", "  \"note\": 1,\n  \"signed\"", 1),
        text.replacen("\"quasi 1\"", "\"quasi 0\"", 1),
        text.replacen("\"made\": true", "\"made\": 1", 1),
        text.replacen("\"rows\": 4", "\"rows\": -4", 1),
    ];
    for other in forms {
        assert!(
            matches!(
                Manifest::parse(other.as_bytes()),
                Err(NoManifest::Form { .. })
            ),
            "{other}"
        );
    }
}

/// The gate checks with code of its own, so the figures of a manifest must be those of the gate.
#[test]
fn figures_are_those_that_the_gate_finds() {
    random::run("release_figures", 300, |draw| {
        let table = random_table(draw, 60);
        let policy = policy(Guarantee::Blind);
        let found = Manifest::of(
            &facts(),
            &terms(&table, &policy, &[]),
            &Overview::of(&table.release),
            Vec::new(),
        );
        let gate = utility::loss(&table.release, &table.columns.trees());
        assert_eq!(found.loss.to_bits(), gate.to_bits());
        assert_eq!(
            found.discernibility.to_bits(),
            utility::discernibility(&table.release).to_bits()
        );
        assert_eq!(
            Manifest::parse(&found.bytes()),
            Ok(found),
            "floats come back as they were"
        );
    });
}

#[test]
fn guarantees_are_named() {
    let table = small();
    for (guarantee, name) in [
        (Guarantee::Blind, json!("blind")),
        (Guarantee::Bcf, json!("bcf")),
    ] {
        let manifest = Manifest::of(
            &facts(),
            &terms(&table, &policy(guarantee), &[]),
            &Overview::of(&table.release),
            Vec::new(),
        );
        assert_eq!(
            serde_json::to_value(manifest.guarantee).expect("a word"),
            name
        );
    }
    let disjoint = PolicySettings {
        k: Some(2),
        ..PolicySettings::default()
    };
    let disjoint = Policy::new(
        &disjoint,
        ChainKind::Disjoint,
        &policy::ColumnFacts::default(),
    )
    .expect("no contradiction");
    assert_eq!(
        Manifest::of(
            &facts(),
            &terms(&table, &disjoint, &[]),
            &Overview::of(&table.release),
            Vec::new()
        )
        .guarantee,
        None
    );
}

#[test]
fn taxonomies_are_flat_lists_in_preorder() {
    let bytes = taxonomy(&small().columns);
    let text = std::str::from_utf8(&bytes).expect("text");
    assert_eq!(
        text,
        r#"{
  "schema": 1,
  "columns": [
    {
      "name": "quasi 0",
      "nodes": [
        {"label":"*","parent":null,"values":2},
        {"label":"F","parent":"*","values":1},
        {"label":"M","parent":"*","values":1}
      ]
    },
    {
      "name": "quasi 1",
      "nodes": [
        {"label":"any <age>","parent":null,"values":60},
        {"label":"[0, 30[","parent":"any <age>","values":30},
        {"label":"[0, 10[","parent":"[0, 30[","values":10},
        {"label":"[10, 30[","parent":"[0, 30[","values":20},
        {"label":"[30, 60[","parent":"any <age>","values":30}
      ]
    }
  ]
}
"#
    );
    let read: Taxonomies = serde_json::from_slice(&bytes).expect("taxonomies");
    assert_eq!(read.columns[1].nodes[4].values, 30);
}

#[test]
fn published_json_fits_its_schema() {
    let read = |file: &str| -> Json {
        let path = format!(
            "{}/schemas/v1/{file}.schema.json",
            env!("CARGO_MANIFEST_DIR")
        );
        serde_json::from_slice(&std::fs::read(path).expect("a schema")).expect("JSON")
    };
    let table = small();
    let samples = [
        ("manifest", manifest(&table).bytes()),
        ("taxonomy", taxonomy(&table.columns)),
    ];
    for (name, bytes) in samples {
        let validator = jsonschema::validator_for(&read(name)).expect("a schema");
        let mut json: Json = serde_json::from_slice(&bytes).expect("JSON");
        let errors: Vec<String> = validator
            .iter_errors(&json)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        json["note"] = json!("more than there should be");
        assert!(
            !validator.is_valid(&json),
            "{name}: unknown keys are refused"
        );
    }
}
