//! Faults in the files that are published with the table, one by one: the manifest field by field,
//! its spelling, the report, the taxonomies.

use serde_json::{Value as Json, json};
use tidegate::engine::policy::{ChainKind, Guarantee, PolicySettings};
use tidegate::engine::release::{
    self, FileLine, Manifest, ReleasePages, ReleaseTerms, Sha256, Surroundings,
};

use super::chain::{Offer, policy};
use super::sample::settings;
use super::{Mutant, Spoil};

fn pages(
    name: &'static str,
    reason: &'static str,
    spoil: impl Fn(&mut ReleasePages) + 'static,
) -> Mutant {
    knowing(name, reason, move |_, pages| spoil(pages))
}

/// The same for a fault that needs the offered release.
fn knowing(
    name: &'static str,
    reason: &'static str,
    spoil: impl Fn(&Offer, &mut ReleasePages) + 'static,
) -> Mutant {
    Mutant {
        name,
        spoil: Spoil::Pages(Box::new(spoil)),
        check: "pages",
        reason,
    }
}

/// A manifest with a change, and the report that follows from it.
fn again(name: &'static str, reason: &'static str, edit: impl Fn(&mut Json) + 'static) -> Mutant {
    knowing(name, reason, move |offer, pages| {
        let mut json: Json = serde_json::from_slice(&pages.manifest).expect("JSON");
        edit(&mut json);
        let text = format!("{json:#}\n").into_bytes();
        assert_ne!(text, pages.manifest, "something is changed");
        let mut manifest = Manifest::parse(&text).expect("spelled as manifests are");
        let judged = offer.judged();
        let table = &judged.overview().expect("a table");
        let line = manifest.files.pop().expect("the report");
        let around = Surroundings {
            files: &manifest.files,
            ..Surroundings::default()
        };
        pages.report = release::report(&manifest, &offer.columns, table, around);
        manifest
            .files
            .push(FileLine::of(&line.path, &pages.report, None));
        pages.manifest = manifest.bytes();
    })
}

/// The files of a release that was checked by something else.
fn by_other(
    name: &'static str,
    reason: &'static str,
    number: u32,
    written: impl Fn(PolicySettings) -> PolicySettings + 'static,
) -> Mutant {
    knowing(name, reason, move |offer, pages| {
        let judged = offer.judged();
        let lines = judged.lines();
        let policy = policy(
            &written(settings(Some(Guarantee::Bcf))),
            ChainKind::Cumulative,
        );
        let terms = ReleaseTerms {
            release: number,
            policy: &policy,
            ..judged.terms(&lines)
        };
        *pages = ReleasePages::of(
            &offer.facts(),
            &terms,
            &judged.overview().expect("a table"),
            &offer.tables,
        );
    })
}

/// A manifest with a change, spelled as manifests are.
fn manifest(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Json) + 'static,
) -> Mutant {
    pages(name, reason, move |pages| {
        let mut json: Json = serde_json::from_slice(&pages.manifest).expect("JSON");
        edit(&mut json);
        let text = format!("{json:#}\n").into_bytes();
        assert_ne!(text, pages.manifest, "something is changed");
        pages.manifest = text;
    })
}

/// A manifest with another value at a place.
fn field(name: &'static str, at: &'static str, value: Json, reason: &'static str) -> Mutant {
    manifest(name, reason, move |json| {
        *json.pointer_mut(at).expect("a field") = value.clone()
    })
}

/// A manifest in another spelling.
fn spelled(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(String) -> String + 'static,
) -> Mutant {
    pages(name, reason, move |pages| {
        let text = String::from_utf8(pages.manifest.clone()).expect("text");
        pages.manifest = edit(text.clone()).into_bytes();
        assert_ne!(pages.manifest, text.into_bytes(), "something is changed");
    })
}

fn fields() -> Vec<Mutant> {
    let digest = Sha256::of(b"another").to_string();
    vec![
        field(
            "another feed",
            "/feed",
            json!("discharges"),
            "manifest, feed",
        ),
        field("another version", "/schema", json!(3), "version 3"),
        field("another chain", "/chain", json!(2), "manifest, chain"),
        field("another release", "/release", json!(4), "manifest, release"),
        field(
            "another time",
            "/time",
            json!("2026-11-21T10:00:01Z"),
            "manifest, time",
        ),
        field(
            "another policy",
            "/policy/max_loss",
            json!(0.9),
            "manifest, policy",
        ),
        field(
            "a default left out",
            "/policy",
            json!({"k": 3}),
            "manifest, policy",
        ),
        field(
            "another guarantee",
            "/guarantee",
            json!("blind"),
            "manifest, guarantee",
        ),
        field(
            "no guarantee",
            "/guarantee",
            Json::Null,
            "manifest, guarantee",
        ),
        field("another k", "/k", json!(5), "manifest, k"),
        field(
            "another smallest class",
            "/smallest_class",
            json!(99),
            "manifest, smallest_class",
        ),
        field("its number of rows", "/rows", json!(99), "manifest, rows"),
        field(
            "another number of classes",
            "/classes",
            json!(99),
            "manifest, classes",
        ),
        field(
            "others withheld",
            "/withheld",
            json!(1),
            "manifest, withheld",
        ),
        field("another loss", "/loss", json!(0.25), "manifest, loss"),
        field(
            "another discernibility",
            "/discernibility",
            json!(0.5),
            "manifest, discernibility",
        ),
        field(
            "another recoding",
            "/recoding/age",
            json!(["any age"]),
            "manifest, recoding",
        ),
        field(
            "labels in another order",
            "/recoding/age",
            json!(["old", "young"]),
            "manifest, recoding",
        ),
        field(
            "another digest of a file",
            "/files/0/sha256",
            json!(digest),
            "manifest, files",
        ),
        field(
            "another path of a file",
            "/files/0/path",
            json!("data.parquet"),
            "manifest, files",
        ),
        field(
            "a path out of the root",
            "/files/0/path",
            json!("../data.parquet"),
            "leads out of the root",
        ),
        field(
            "its number of rows of a file",
            "/files/0/rows",
            json!(0),
            "manifest, files",
        ),
        field(
            "rows of a file that is no table",
            "/files/1/rows",
            json!(0),
            "manifest, files",
        ),
        field(
            "another check",
            "/checks/0/check",
            json!("alpha"),
            "manifest, checks",
        ),
        field(
            "a check that there is not",
            "/checks/0/check",
            json!("shape"),
            "not valid in a manifest",
        ),
        field(
            "a check that was not made",
            "/checks/1/made",
            json!(false),
            "manifest, checks",
        ),
        field(
            "another limit of a check",
            "/checks/1/limit",
            json!(2),
            "manifest, checks",
        ),
        field(
            "signed, without a signature",
            "/signed",
            json!(true),
            "manifest, signed",
        ),
        field(
            "a decision of no log",
            "/decision",
            json!(digest),
            "manifest, decision",
        ),
        field(
            "another release before",
            "/previous",
            json!(digest),
            "manifest, previous",
        ),
        field(
            "no release before",
            "/previous",
            Json::Null,
            "manifest, previous",
        ),
    ]
}

/// One bit more or less in a float could carry a hidden message.
fn nudged(json: &mut Json, key: &str) {
    let number = json[key].as_f64().expect("a float");
    json[key] = json!(f64::from_bits(number.to_bits() + 1));
}

fn more() -> Vec<Mutant> {
    vec![
        manifest("the last bit of the loss", "manifest, loss", |json| {
            nudged(json, "loss")
        }),
        manifest(
            "the last bit of the discernibility",
            "manifest, discernibility",
            |json| {
                nudged(json, "discernibility");
            },
        ),
        manifest("a file more", "manifest, files", |json| {
            let file = json!({"path": "names.csv", "sha256": Sha256::of(b"names").to_string(), "rows": null});
            json["files"].as_array_mut().expect("files").push(file);
        }),
        manifest("a file less", "manifest, files", |json| {
            _ = json["files"].as_array_mut().expect("files").pop()
        }),
        manifest("files in another order", "manifest, files", |json| {
            json["files"].as_array_mut().expect("files").swap(0, 1);
        }),
        manifest(
            "the figure of a check that reads sensitive values",
            "manifest, checks",
            |json| {
                let checks = json["checks"].as_array_mut().expect("checks");
                let chain = checks
                    .iter_mut()
                    .find(|check| check["check"] == "chain")
                    .expect("the check");
                assert_eq!(chain["value"], Json::Null, "it is private");
                chain["value"] = json!(3);
            },
        ),
        manifest("a check left out", "manifest, checks", |json| {
            _ = json["checks"].as_array_mut().expect("checks").remove(3);
        }),
        manifest(
            "a column of the recoding left out",
            "manifest, recoding",
            |json| {
                _ = json["recoding"]
                    .as_object_mut()
                    .expect("columns")
                    .shift_remove("ward");
            },
        ),
        manifest(
            "a column more in the recoding",
            "manifest, recoding",
            |json| json["recoding"]["note"] = json!([]),
        ),
        manifest(
            "columns of the recoding in another order",
            "manifest, recoding",
            |json| {
                let columns = json["recoding"].as_object_mut().expect("columns");
                let age = columns.shift_remove("age").expect("a column");
                columns.insert("age".to_owned(), age);
            },
        ),
        manifest("an unknown key", "not valid in a manifest", |json| {
            json["note"] = json!("x")
        }),
        manifest(
            "an unknown key of a file",
            "not valid in a manifest",
            |json| {
                json["files"][0]["note"] = json!("x");
            },
        ),
        manifest(
            "an unknown key of a check",
            "not valid in a manifest",
            |json| {
                json["checks"][0]["note"] = json!("x");
            },
        ),
        manifest("an unknown key in the policy", "manifest, policy", |json| {
            json["policy"]["note"] = json!("x")
        }),
        manifest("a key left out", "not valid in a manifest", |json| {
            _ = json
                .as_object_mut()
                .expect("a manifest")
                .shift_remove("classes");
        }),
        spelled("a blank behind the manifest", "not spelled", |text| {
            text + " "
        }),
        spelled("a manifest on one line", "not spelled", |text| {
            serde_json::from_str::<Json>(&text)
                .expect("JSON")
                .to_string()
        }),
        spelled("a key twice in the policy", "not spelled", |text| {
            text.replacen("    \"k\": 3", "    \"k\": 4,\n    \"k\": 3", 1)
        }),
        spelled("a letter by its number", "not spelled", |text| {
            text.replacen("\"admissions\"", "\"\\u0061dmissions\"", 1)
        }),
        spelled("no manifest", "not valid in a manifest", |_| String::new()),
        spelled("two manifests", "not valid in a manifest", |text| {
            text.clone() + &text
        }),
    ]
}

fn others() -> Vec<Mutant> {
    /// The report, and its hash in the manifest.
    fn reported(pages: &mut ReleasePages, edit: impl Fn(String) -> String) {
        let text = String::from_utf8(pages.report.clone()).expect("text");
        let other = edit(text.clone()).into_bytes();
        assert_ne!(other, text.into_bytes(), "something is changed");
        let [was, is] = [&pages.report, &other].map(|page| Sha256::of(page).to_string());
        let manifest = String::from_utf8(pages.manifest.clone()).expect("text");
        assert!(manifest.contains(&was));
        pages.manifest = manifest.replace(&was, &is).into_bytes();
        pages.report = other;
    }
    /// The taxonomies, and their hash in the manifest.
    fn announced(pages: &mut ReleasePages, from: &str, to: &str) {
        let text = String::from_utf8(pages.taxonomy.clone()).expect("text");
        let other = text.replacen(from, to, 1).into_bytes();
        assert_ne!(other, pages.taxonomy, "something is changed");
        let [was, is] = [&pages.taxonomy, &other].map(|file| Sha256::of(file).to_string());
        pages.manifest = String::from_utf8(pages.manifest.clone())
            .expect("text")
            .replace(&was, &is)
            .into_bytes();
        pages.taxonomy = other;
    }
    const NOT_THIS_PAGE: &str = "report: the page is not the one";
    const NOT_THESE_TREES: &str = "taxonomy: the file is not";
    vec![
        pages("a comment in the report", NOT_THIS_PAGE, |pages| {
            reported(pages, |text| {
                text.replacen("</html>", "<!-- Jane Doe --></html>", 1)
            });
        }),
        pages("a blank behind the report", NOT_THIS_PAGE, |pages| {
            reported(pages, |text| text + " ")
        }),
        pages("an empty report", NOT_THIS_PAGE, |pages| {
            reported(pages, |_| String::new())
        }),
        pages("another number in the report", NOT_THIS_PAGE, |pages| {
            reported(pages, |text| text.replacen("28", "27", 1));
        }),
        pages(
            "a report that the manifest does not name",
            "manifest, files",
            |pages| pages.report.push(b' '),
        ),
        pages(
            "a label of the taxonomies renamed",
            NOT_THESE_TREES,
            |pages| announced(pages, "0-19", "0-18"),
        ),
        pages(
            "a label of the taxonomies under another",
            NOT_THESE_TREES,
            |pages| {
                announced(pages, "\"parent\":\"young\"", "\"parent\":\"old\"");
            },
        ),
        pages(
            "more domain values in the taxonomies",
            NOT_THESE_TREES,
            |pages| {
                announced(pages, "\"values\":4", "\"values\":40");
            },
        ),
        pages("a blank in the taxonomies", NOT_THESE_TREES, |pages| {
            announced(pages, "{", "{ ")
        }),
        pages(
            "taxonomies that the manifest does not name",
            "manifest, files",
            |pages| pages.taxonomy.push(b' '),
        ),
    ]
}

/// Files that agree with each other, and not with the checked table.
fn agreeing() -> Vec<Mutant> {
    fn last_first(json: &mut Json) {
        let policy = json["policy"].as_object_mut().expect("keys");
        let k = policy.shift_remove("k").expect("k");
        policy.insert("k".to_owned(), k);
    }
    fn same(written: PolicySettings) -> PolicySettings {
        written
    }
    fn strict(written: PolicySettings) -> PolicySettings {
        PolicySettings {
            k: Some(1000),
            ..written
        }
    }
    fn noted(json: &mut Json, file: usize) {
        json["files"][file]["path"] = json!("3/jane-doe-has-hiv");
    }
    vec![
        manifest(
            "keys of the policy in another order",
            "manifest, policy",
            last_first,
        ),
        again(
            "keys of the policy in another order, in the report too",
            "manifest, policy",
            last_first,
        ),
        again(
            "keys of the policy in another order in the report",
            "report: the page is not the one",
            last_first,
        ),
        by_other("a promise that was not judged", "manifest, k", 3, strict),
        by_other(
            "a policy that was not judged",
            "manifest, policy",
            3,
            strict,
        ),
        by_other(
            "the number of another release",
            "manifest, release",
            4,
            same,
        ),
        by_other("the place of another release", "manifest, files", 4, same),
        manifest(
            "words in the path of the table",
            "manifest, files",
            |json| noted(json, 0),
        ),
        manifest(
            "words in the path of the taxonomies",
            "manifest, files",
            |json| noted(json, 1),
        ),
        manifest(
            "words in the path of the report",
            "manifest, files",
            |json| noted(json, 2),
        ),
    ]
}

pub fn mutants() -> Vec<Mutant> {
    [fields(), more(), others(), agreeing()]
        .into_iter()
        .flatten()
        .collect()
}
