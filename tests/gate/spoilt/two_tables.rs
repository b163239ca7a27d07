//! Faults in a release in two tables: rows under the number of another class, values moved between
//! classes, other leaves, another order, foreign columns, and wrong hashes in the manifest.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, StringArray};
use arrow_schema::Field;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use serde_json::{Value as Json, json};
use tidegate::engine::policy::{ChainKind, DiversitySettings, Output, PolicySettings};
use tidegate::engine::release::Manifest;

use super::chain::{Chain, Offer, policy};
use super::sample::{columns, people};
use super::sheet::Sheet;
use super::{Mutant, Spoil, offer, refused, reported};

/// A row of the quasi table, and one of the sensitive table.
type Quasi = (String, String, i64);
type Sensitive = (i64, Option<String>, Option<i64>);

/// Both tables.
#[derive(Clone)]
struct Rows {
    quasi: Vec<Quasi>,
    sensitive: Vec<Sensitive>,
}

/// All people of the sample at once, in two tables.
fn offered(diversity: Option<DiversitySettings>) -> Offer {
    let written = PolicySettings {
        k: Some(3),
        output: Some(Output::TwoTable),
        diversity,
        ..PolicySettings::default()
    };
    let mut chain = Chain::new(columns(), policy(&written, ChainKind::Disjoint));
    let all_people: Vec<_> = (0..3).flat_map(people).collect();
    let candidate = chain.proposed(&all_people);
    chain.offer(&candidate)
}

/// The columns of a file, one cell after the other.
fn columns_of(bytes: &[u8]) -> Vec<ArrayRef> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(bytes))
        .expect("a Parquet file");
    let batch = reader
        .build()
        .expect("a reader")
        .next()
        .expect("rows")
        .expect("a batch");
    batch.columns().to_vec()
}

fn texts(array: &ArrayRef) -> Vec<Option<String>> {
    array
        .as_string::<i32>()
        .iter()
        .map(|text| text.map(str::to_owned))
        .collect()
}

fn wholes(array: &ArrayRef) -> Vec<Option<i64>> {
    array.as_primitive::<Int64Type>().iter().collect()
}

impl Rows {
    fn of(offer: &Offer) -> Rows {
        let quasi = columns_of(offer.data());
        let sensitive = columns_of(offer.tables.iter().nth(1).expect("two tables"));
        let [ages, wards] = [&quasi[0], &quasi[1]].map(texts);
        let labels = ages.into_iter().flatten().zip(wards.into_iter().flatten());
        let quasi = labels.zip(wholes(&quasi[2]).into_iter().flatten());
        let values = wholes(&sensitive[0])
            .into_iter()
            .flatten()
            .zip(texts(&sensitive[1]))
            .zip(wholes(&sensitive[2]));
        Rows {
            quasi: quasi
                .map(|((age, ward), class)| (age, ward, class))
                .collect(),
            sensitive: values
                .map(|((class, diagnosis), days)| (class, diagnosis, days))
                .collect(),
        }
    }

    fn quasi(&self) -> Sheet {
        let column = |of: fn(&Quasi) -> &str| {
            Arc::new(
                self.quasi
                    .iter()
                    .map(|row| Some(of(row)))
                    .collect::<StringArray>(),
            )
        };
        let class = Int64Array::from_iter_values(self.quasi.iter().map(|row| row.2));
        Sheet::new(vec![
            field("age", column(|row| &row.0), false),
            field("ward", column(|row| &row.1), false),
            field("class", Arc::new(class), false),
        ])
    }

    fn sensitive(&self) -> Sheet {
        let class = Int64Array::from_iter_values(self.sensitive.iter().map(|row| row.0));
        let diagnosis = self
            .sensitive
            .iter()
            .map(|row| row.1.as_deref())
            .collect::<StringArray>();
        let days = self
            .sensitive
            .iter()
            .map(|row| row.2)
            .collect::<Int64Array>();
        Sheet::new(vec![
            field("class", Arc::new(class), false),
            field("diagnosis", Arc::new(diagnosis), true),
            field("days", Arc::new(days), true),
        ])
    }

    /// In the order that rows must have.
    fn sorted(mut self) -> Rows {
        let columns = columns();
        let trees = columns.trees();
        let place = |row: &Quasi| (row.2, trees[0].find(&row.0), trees[1].find(&row.1));
        self.quasi.sort_by_key(place);
        self.sensitive.sort();
        self
    }

    /// The position of the first row of another class than the first one.
    fn other(&self) -> usize {
        self.quasi
            .iter()
            .position(|row| row.2 != self.quasi[0].2)
            .expect("two classes")
    }
}

fn field(name: &str, array: ArrayRef, nullable: bool) -> (Field, ArrayRef) {
    (Field::new(name, array.data_type().clone(), nullable), array)
}

/// Rows edited and put in canonical order again, so that the bytes are those of a release.
fn sorted(
    name: &'static str,
    check: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Rows) + 'static,
) -> Mutant {
    offer(name, check, reason, move |offer| {
        let mut rows = Rows::of(offer);
        edit(&mut rows);
        put(offer, &rows.sorted());
    })
}

/// Rows edited and written in their present order.
fn unsorted(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Rows) + 'static,
) -> Mutant {
    offer(name, "form", reason, move |offer| {
        let mut rows = Rows::of(offer);
        edit(&mut rows);
        put(offer, &rows);
    })
}

fn put(offer: &mut Offer, rows: &Rows) {
    *offer.data_mut() = rows.quasi().bytes();
    *offer.sensitive_mut() = rows.sensitive().bytes();
}

/// The same rows in other sheets.
fn sheets(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Sheet, &mut Sheet) + 'static,
) -> Mutant {
    offer(name, "form", reason, move |offer| {
        let rows = Rows::of(offer);
        let (mut quasi, mut sensitive) = (rows.quasi(), rows.sensitive());
        edit(&mut quasi, &mut sensitive);
        *offer.data_mut() = quasi.bytes();
        *offer.sensitive_mut() = sensitive.bytes();
    })
}

fn rows() -> Vec<Mutant> {
    vec![
        sorted(
            "two people under the number of each other's class",
            "form",
            "belong to class",
            |rows| {
                let other = rows.other();
                (rows.quasi[0].2, rows.quasi[other].2) = (rows.quasi[other].2, rows.quasi[0].2);
            },
        ),
        sorted(
            "classes that are numbered the other way",
            "form",
            "belong to class",
            |rows| {
                let last = rows.quasi.last().expect("rows").2;
                rows.quasi
                    .iter_mut()
                    .for_each(|row| row.2 = last + 1 - row.2);
                rows.sensitive
                    .iter_mut()
                    .for_each(|row| row.0 = last + 1 - row.0);
            },
        ),
        sorted("numbers from 0", "form", "belong to class", |rows| {
            rows.quasi.iter_mut().for_each(|row| row.2 -= 1);
            rows.sensitive.iter_mut().for_each(|row| row.0 -= 1);
        }),
        sorted(
            "a value moved to another class",
            "form",
            "of the sensitive table are of this class",
            |rows| {
                rows.sensitive[0].0 = rows.sensitive.last().expect("rows").0;
            },
        ),
        sorted(
            "a value in a class without a person",
            "form",
            "class 99: 0 rows",
            |rows| rows.sensitive[0].0 = 99,
        ),
        sorted(
            "values of two classes swapped",
            "growth",
            "other sensitive values",
            |rows| {
                let first = rows.sensitive[0].clone();
                let other = |row: &&mut Sensitive| row.0 != first.0 && row.1 != first.1;
                let other = rows
                    .sensitive
                    .iter_mut()
                    .find(other)
                    .expect("another value in another class");
                let of = std::mem::replace(&mut other.1, first.1.clone());
                rows.sensitive[0].1 = of;
            },
        ),
        sorted(
            "a leaf of another class",
            "form",
            "belong to class",
            |rows| {
                let other = rows.other();
                let (age, ward, _) = rows.quasi[other].clone();
                (rows.quasi[0].0, rows.quasi[0].1) = (age, ward);
            },
        ),
        sorted(
            "another leaf of the class",
            "growth",
            "other leaves than those of its people",
            |rows| {
                let (age, ward, class) = rows.quasi[0].clone();
                let same = |row: &&Quasi| row.2 == class && (&row.0, &row.1) != (&age, &ward);
                rows.quasi[0] = rows
                    .quasi
                    .iter()
                    .find(same)
                    .expect("two leaf tuples in a class")
                    .clone();
            },
        ),
        sorted(
            "a label above the leaves",
            "form",
            "quasi table, column age: the label `young` is no leaf",
            |rows| {
                rows.quasi[0].0 = "young".to_owned();
            },
        ),
        sorted(
            "a person missing in one table",
            "form",
            "of the sensitive table are of this class",
            |rows| {
                _ = rows.quasi.remove(0);
            },
        ),
        sorted(
            "a person missing in both",
            "growth",
            "its people are",
            |rows| {
                let class = rows.quasi.remove(0).2;
                let at = rows
                    .sensitive
                    .iter()
                    .position(|row| row.0 == class)
                    .expect("a value");
                rows.sensitive.remove(at);
            },
        ),
        sorted("no person in either", "crowd", "has no rows", |rows| {
            rows.quasi.clear();
            rows.sensitive.clear();
        }),
        sorted(
            "another value",
            "growth",
            "other sensitive values",
            |rows| rows.sensitive[0].1 = Some("Zoster".into()),
        ),
        unsorted(
            "people in another order",
            "quasi table, rows: rows are not in canonical order",
            |rows| {
                let next = rows
                    .quasi
                    .iter()
                    .position(|row| *row != rows.quasi[0])
                    .expect("two leaf tuples");
                rows.quasi.swap(0, next);
            },
        ),
        unsorted(
            "values in another order",
            "sensitive table, rows: rows are not in canonical order",
            |rows| {
                let next = rows
                    .sensitive
                    .iter()
                    .position(|row| *row != rows.sensitive[0])
                    .expect("two values");
                assert_eq!(rows.sensitive[next].0, rows.sensitive[0].0, "in one class");
                rows.sensitive.swap(0, next);
            },
        ),
        unsorted(
            "classes in another order",
            "quasi table, rows: rows are not in canonical order",
            |rows| {
                let other = rows.other();
                rows.quasi.rotate_left(other);
            },
        ),
    ]
}

fn columns_spoilt() -> Vec<Mutant> {
    const FOREIGN: &str = "the column does not belong to this table";
    vec![
        sheets("a column more beside the people", FOREIGN, |quasi, _| {
            let rows = quasi.columns[0].1.len() as i64;
            quasi.columns.push(field(
                "row",
                Arc::new((0..rows).collect::<Int64Array>()),
                false,
            ));
        }),
        sheets(
            "a sensitive column beside the people",
            FOREIGN,
            |quasi, sensitive| {
                quasi.columns.push(sensitive.columns[1].clone());
            },
        ),
        sheets(
            "a quasi column beside the values",
            FOREIGN,
            |quasi, sensitive| {
                sensitive.columns.push(quasi.columns[0].clone());
            },
        ),
        sheets(
            "no numbers of classes",
            "sensitive table, column class: the column is missing",
            |_, sensitive| {
                _ = sensitive.columns.remove(0);
            },
        ),
        sheets(
            "a quasi column missing",
            "quasi table, column ward: the column is missing",
            |quasi, _| {
                _ = quasi.columns.remove(1);
            },
        ),
        sheets(
            "the number first",
            "quasi table, column class: the column has another position",
            |quasi, _| {
                quasi.columns.rotate_right(1);
            },
        ),
        sheets(
            "numbers that may be missing",
            "quasi table, column class: the column is of another type",
            |quasi, _| {
                quasi.columns[2].0 = quasi.columns[2].0.clone().with_nullable(true);
            },
        ),
        sheets(
            "smaller numbers",
            "sensitive table, column class: the column is of another type",
            |_, sensitive| {
                let short = wholes(&sensitive.columns[0].1)
                    .into_iter()
                    .flatten()
                    .map(|number| number as i32);
                sensitive.columns[0] = field(
                    "class",
                    Arc::new(Int32Array::from_iter_values(short)),
                    false,
                );
            },
        ),
        sheets(
            "a note in the footer",
            "sensitive table, footer: there is key-value metadata",
            |_, sensitive| {
                let note = vec![KeyValue::new("note".to_owned(), "Jane Doe".to_owned())];
                sensitive.properties = sensitive
                    .properties
                    .clone()
                    .set_key_value_metadata(Some(note));
            },
        ),
        sheets(
            "row groups that end with a class",
            "quasi table: the bytes are not the ones",
            |quasi, _| quasi.group = 4,
        ),
        offer("one table of two", "form", "as many tables", |offer| {
            offer.tables.0.truncate(1)
        }),
        offer(
            "half a table",
            "form",
            "sensitive table, data: the bytes are not a readable",
            |offer| {
                let bytes = offer.sensitive_mut();
                bytes.truncate(bytes.len() / 2);
            },
        ),
        offer(
            "one table twice",
            "form",
            "quasi table, column \"diagnosis\": the column does not belong",
            |offer| {
                *offer.data_mut() = offer.sensitive_mut().clone();
            },
        ),
        offer(
            "two tables where one is promised",
            "form",
            "as many tables",
            |offer| {
                let written = PolicySettings {
                    k: Some(3),
                    ..PolicySettings::default()
                };
                offer.policy = policy(&written, ChainKind::Disjoint);
            },
        ),
    ]
}

/// A manifest with something changed.
fn manifest(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Json) + 'static,
) -> Mutant {
    let spoil = move |_: &Offer, pages: &mut tidegate::engine::release::ReleasePages| {
        let mut json: Json = serde_json::from_slice(&pages.manifest).expect("JSON");
        edit(&mut json);
        pages.manifest = format!("{json:#}\n").into_bytes();
    };
    Mutant {
        name,
        spoil: Spoil::Pages(Box::new(spoil)),
        check: "pages",
        reason,
    }
}

fn wrong_fields() -> Vec<Mutant> {
    vec![
        manifest("the sensitive table left out", "manifest, files", |json| {
            _ = json["files"].as_array_mut().expect("files").remove(1);
        }),
        manifest("the tables in another order", "manifest, files", |json| {
            json["files"].as_array_mut().expect("files").swap(0, 1);
        }),
        manifest("another path", "manifest, files", |json| {
            json["files"][1]["path"] = json!("1/jane.parquet")
        }),
        manifest("another digest", "manifest, files", |json| {
            json["files"][1]["sha256"] = json["files"][0]["sha256"].clone()
        }),
        manifest("other rows", "manifest, files", |json| {
            json["files"][1]["rows"] = Json::Null
        }),
        manifest("one table promised", "manifest, policy", |json| {
            json["policy"]["output"] = json!("one-table")
        }),
        manifest("another loss", "manifest, loss", |json| {
            json["loss"] = json!(0.0)
        }),
        manifest("another recoding", "manifest, recoding", |json| {
            json["recoding"]["age"] = json!(["any age"])
        }),
    ]
}

#[test]
fn two_tables_are_approved_and_written_as_expected() {
    let good = offered(None);
    let rows = Rows::of(&good);
    assert_eq!(
        rows.quasi().bytes(),
        good.data(),
        "mutants are written as releases are"
    );
    assert_eq!(
        rows.sensitive().bytes(),
        good.tables.iter().nth(1).expect("two tables")
    );
    assert!(rows.quasi.last().expect("rows").2 >= 2, "several classes");
    let approved = good
        .decided(|_| ())
        .unwrap_or_else(|verdict| panic!("{:?}", reported(&verdict)));
    let manifest = Manifest::parse(approved.manifest()).expect("a manifest");
    let places: Vec<(&str, Option<u64>)> = manifest
        .files
        .iter()
        .map(|line| (&*line.path, line.rows))
        .collect();
    let all = Some(rows.quasi.len() as u64);
    assert_eq!(
        places[..2],
        [("1/data.parquet", all), ("1/sensitive.parquet", all)]
    );
    assert!(places[2].0.starts_with("taxonomy/") && places[3] == ("1/report.html", None));
    assert_eq!(manifest.rows, rows.quasi.len() as u64);
    assert!(manifest.loss > 0.0, "figures are those of the classes");
    let report = String::from_utf8_lossy(&approved.files()[3].1).into_owned();
    assert!(
        report.contains("published exactly as they are")
            && report.contains("Columns that form the classes")
    );
}

#[test]
fn every_mutant_of_two_tables_is_refused() {
    let mutants: Vec<Mutant> = [rows(), columns_spoilt(), wrong_fields()]
        .into_iter()
        .flatten()
        .collect();
    refused(&offered(None), &mutants);
}

/// Any byte of either table changed, and either table truncated.
#[test]
fn no_byte_of_two_tables_can_be_changed() {
    let good = offered(None);
    let sensitive = good.tables.iter().nth(1).expect("two tables");
    for (number, bytes) in [good.data(), sensitive].into_iter().enumerate() {
        let spoilt = |bytes: Vec<u8>, place: &str| {
            let mut spoilt = good.clone();
            if number == 0 {
                *spoilt.data_mut() = bytes;
            } else {
                *spoilt.sensitive_mut() = bytes;
            }
            assert!(spoilt.decided(|_| ()).is_err(), "table {number}, {place}");
        };
        for at in 0..bytes.len() {
            let mut other = bytes.to_vec();
            other[at] ^= [0x01, 0x80][at % 2];
            spoilt(other, &format!("byte {at}"));
            if at % 7 == 0 {
                spoilt(bytes[..at].to_vec(), &format!("{at} bytes"));
            }
        }
    }
}

/// Requirements on the values of a class apply to the values that two tables together show.
#[test]
fn diversity_is_that_of_the_classes() {
    let asked = |distinct_l| {
        Some(DiversitySettings {
            distinct_l: Some(distinct_l),
            ..DiversitySettings::default()
        })
    };
    assert!(offered(asked(2)).decided(|_| ()).is_ok());
    let verdict = offered(asked(99))
        .decided(|_| ())
        .expect_err("no class has so many");
    assert!(
        reported(&verdict)
            .iter()
            .any(|(check, _)| check == "distinct_l"),
        "{:?}",
        reported(&verdict)
    );
    assert!(verdict.stops(), "it follows from sensitive values");
}
