//! Tables of every type for the tests of a release, and the rows of a file as text, both written
//! from the definition.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value as Json, json};
use tidegate::engine::histogram::{CodedRows, Headcount, Histogram, Release, SensitiveValues};
use tidegate::engine::model::{
    Column, Columns, DetailSettings, Domain, Finite, Kind, LeafRule, Recoding, Role, Taxonomy,
    Value,
};

use crate::common::random::{self, Draw};

/// Raw rows, and their published form.
pub struct Table {
    pub columns: Columns,
    pub release: Release,
    pub values: SensitiveValues,
    recoding: Recoding,
    /// Leaves and sensitive values of each row.
    raw: Vec<(Vec<u32>, Vec<Value>)>,
}

/// Cells of rows, with the number of the class that each is in.
type ByClass<'t, T> = Vec<(usize, &'t [T])>;

/// The type of each sensitive column.
const KINDS: [Kind; 6] = [
    Kind::String,
    Kind::Int,
    Kind::Float,
    Kind::Bool,
    Kind::Date,
    Kind::String,
];

fn column(name: String, role: Role, kind: Kind, tree: Option<Taxonomy>) -> Column {
    let domain = |tree| {
        Arc::new(Domain {
            tree,
            rule: LeafRule::Label,
        })
    };
    let (optional, unknown) = (false, None);
    Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind,
        taxonomy: tree.map(domain),
        guarded: Vec::new(),
        optional,
        unknown,
        detail: DetailSettings::default(),
        unrelated: false,
    }
}

/// Quasi and sensitive columns of these trees and types.
pub fn declared(trees: Vec<Taxonomy>, kinds: &[Kind]) -> Columns {
    let quasi = trees.into_iter().enumerate();
    let quasi = quasi
        .map(|(at, tree)| column(format!("quasi {at}"), Role::Quasi, Kind::String, Some(tree)));
    let sensitive = kinds.iter().enumerate();
    let sensitive =
        sensitive.map(|(at, &kind)| column(format!("s{at} ü"), Role::Sensitive, kind, None));
    // Sensitive columns first: the table has its own order.
    Columns::new(sensitive.chain(quasi).collect())
}

/// A value of a type, often null and rarely repeated if the type has many.
pub fn value(draw: &mut Draw, kind: Kind) -> Value {
    const TEXTS: [&str; 8] = [
        "",
        "a",
        "A",
        "ä",
        "a\0b",
        "日本",
        "a longer text, with \"quotes\" and\nlines",
        "𝒳",
    ];
    const FLOATS: [f64; 7] = [0.0, -0.0, 0.1, -1.5, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    const WHOLES: [i64; 5] = [0, -1, 7, i64::MAX, i64::MIN];
    const DAYS: [i32; 5] = [0, -1, 18_262, -719_162, 2_932_896];
    if draw.once_in(4) {
        return Value::Null;
    }
    let mut at = |most: usize| draw.between(0, most as u64 - 1) as usize;
    match kind {
        Kind::String => Value::Text(TEXTS[at(TEXTS.len())].into()),
        Kind::Int => Value::Int(WHOLES[at(WHOLES.len())]),
        Kind::Float => Value::Float(Finite::new(FLOATS[at(FLOATS.len())]).expect("finite")),
        Kind::Bool => Value::Bool(at(2) == 1),
        Kind::Date => Value::Date(DAYS[at(DAYS.len())]),
        Kind::Decimal(_) => Value::Decimal(WHOLES[at(WHOLES.len())].into()),
    }
}

/// A random table of up to this many rows.
pub fn random_table(draw: &mut Draw, most: u64) -> Table {
    let trees: Vec<Taxonomy> = (0..draw.between(1, 3))
        .map(|at| random::tree(draw, at as usize, 3))
        .collect();
    let kinds: Vec<Kind> = (0..draw.between(0, 3))
        .map(|_| KINDS[draw.between(0, 5) as usize])
        .collect();
    let recoding: Recoding = trees.iter().map(|tree| random::cut(draw, tree)).collect();
    let row = |draw: &mut Draw| {
        let leaf =
            |tree: &Taxonomy, draw: &mut Draw| draw.between(0, tree.leaves() as u64 - 1) as u32;
        let leaves = trees.iter().map(|tree| leaf(tree, draw)).collect();
        (
            leaves,
            kinds.iter().map(|&kind| value(draw, kind)).collect(),
        )
    };
    let raw = (0..draw.between(1, most)).map(|_| row(draw)).collect();
    Table::of(declared(trees.clone(), &kinds), recoding, raw)
}

/// Rows counted as one increment.
fn count(
    quasi: usize,
    sensitive: usize,
    raw: &[(Vec<u32>, Vec<Value>)],
    increment: u32,
) -> Histogram {
    let mut distinct: Vec<Box<[Value]>> = raw
        .iter()
        .map(|(_, tuple)| tuple.as_slice().into())
        .collect();
    distinct.sort();
    distinct.dedup();
    let code = |tuple: &Vec<Value>| {
        distinct
            .binary_search(&tuple.as_slice().into())
            .expect("a tuple") as u32
    };
    let codes = raw.iter().map(|(_, tuple)| code(tuple)).collect();
    let leaves = (0..quasi)
        .map(|at| raw.iter().map(|(leaves, _)| leaves[at]).collect())
        .collect();
    let (values, _) = SensitiveValues::from_distinct(sensitive, distinct);
    CodedRows::new(leaves, values, codes, None).histogram(increment)
}

impl Table {
    /// These rows under a recoding.
    pub fn of(columns: Columns, recoding: Recoding, raw: Vec<(Vec<u32>, Vec<Value>)>) -> Table {
        let counted = count(
            columns.trees().len(),
            columns.of(Role::Sensitive).count(),
            &raw,
            0,
        );
        let release = Release::under(&counted, 0..1, &recoding);
        Table {
            columns,
            release,
            values: counted.values().clone(),
            recoding,
            raw,
        }
    }

    /// Few distinct rows, many times over.
    pub fn large(rows: usize) -> Table {
        let mut draw = Draw::new(7, 7);
        let small = random_table(&mut draw, 50);
        let distinct = small.raw.len();
        let raw = (0..rows)
            .map(|row| small.raw[row * row % distinct].clone())
            .collect();
        Table::of(small.columns, small.recoding, raw)
    }

    /// The same rows, shuffled, as several increments that were counted one by one.
    pub fn built_otherwise(&self, draw: &mut Draw) -> Table {
        let mut raw = self.raw.clone();
        for at in (1..raw.len()).rev() {
            raw.swap(at, draw.between(0, at as u64) as usize);
        }
        let (quasi, sensitive) = (self.quasi(), self.columns.of(Role::Sensitive).count());
        let parts = raw
            .chunks(7)
            .enumerate()
            .map(|(at, raw)| count(quasi, sensitive, raw, at as u32));
        let counted = parts.reduce(|all, part| all.merge(&part)).expect("rows");
        let release = Release::under(&counted, 0..u32::MAX, &self.recoding);
        let (columns, values) = (self.columns.clone(), counted.values().clone());
        Table {
            columns,
            release,
            values,
            recoding: self.recoding.clone(),
            raw,
        }
    }

    /// The same rows as a source would deliver them, in which no text is empty.
    pub fn as_accepted(&self) -> Table {
        let cell = |value: &Value| {
            if *value == Value::Text("".into()) {
                Value::Null
            } else {
                value.clone()
            }
        };
        let row = |(leaves, tuple): &(Vec<u32>, Vec<Value>)| {
            (leaves.clone(), tuple.iter().map(cell).collect())
        };
        Table::of(
            self.columns.clone(),
            self.recoding.clone(),
            self.raw.iter().map(row).collect(),
        )
    }

    /// The columns alone.
    pub fn without_rows(&self) -> Table {
        Table::of(self.columns.clone(), self.recoding.clone(), Vec::new())
    }

    /// Each person's leaf tuple.
    pub fn people(&self) -> Headcount {
        count(
            self.quasi(),
            self.columns.of(Role::Sensitive).count(),
            &self.raw,
            0,
        )
        .headcount()
    }

    /// Each person's leaves and each person's values, each by the number of the class, from the
    /// definition: classes are numbered in the order of their nodes, people are sorted by class and
    /// leaves, values by class and tuple.
    fn by_class(&self) -> (ByClass<'_, u32>, ByClass<'_, Value>) {
        let nodes = |leaves: &[u32]| -> Vec<u32> {
            self.recoding
                .iter()
                .zip(leaves)
                .map(|(cut, &at)| cut.at(at))
                .collect()
        };
        let mut classes: Vec<Vec<u32>> = self.raw.iter().map(|(leaves, _)| nodes(leaves)).collect();
        classes.sort();
        classes.dedup();
        let number = |leaves: &[u32]| 1 + classes.binary_search(&nodes(leaves)).expect("a class");
        let mut people: ByClass<'_, u32> = self
            .raw
            .iter()
            .map(|(leaves, _)| (number(leaves), &**leaves))
            .collect();
        let mut values: ByClass<'_, Value> = self
            .raw
            .iter()
            .map(|(leaves, tuple)| (number(leaves), &**tuple))
            .collect();
        people.sort();
        values.sort();
        (people, values)
    }

    /// The label of each leaf.
    fn leaves<'t>(&'t self, leaves: &'t [u32]) -> impl Iterator<Item = &'t str> {
        self.columns
            .trees()
            .into_iter()
            .zip(leaves)
            .map(|(tree, &leaf)| tree.label(tree.leaf_node(leaf)))
    }

    /// Names and rows of both tables.
    pub fn two(&self) -> [(Vec<String>, Vec<Vec<String>>); 2] {
        let (people, values) = self.by_class();
        let class = |class: usize| format!("whole {class}");
        let person = |(of, leaves)| {
            self.leaves(leaves)
                .map(|label| format!("text {label}"))
                .chain([class(of)])
                .collect()
        };
        let value = |(of, tuple): (usize, &[Value])| {
            [class(of)]
                .into_iter()
                .chain(tuple.iter().map(show))
                .collect()
        };
        let named = |role| self.columns.of(role).map(|column| column.name.to_string());
        let class = || ["class".to_owned()].into_iter();
        [
            (
                named(Role::Quasi).chain(class()).collect(),
                people.into_iter().map(person).collect(),
            ),
            (
                class().chain(named(Role::Sensitive)).collect(),
                values.into_iter().map(value).collect(),
            ),
        ]
    }

    /// The same for readers in other languages, with the columns' types.
    pub fn two_as_json(&self) -> [Json; 2] {
        let (people, values) = self.by_class();
        let class = || [json!({"name": "class", "type": Kind::Int, "nullable": false})].into_iter();
        let person = |(of, leaves)| -> Json {
            self.leaves(leaves)
                .map(Json::from)
                .chain([json!(of)])
                .collect()
        };
        let value = |(of, tuple): (usize, &[Value])| -> Json {
            [json!(of)]
                .into_iter()
                .chain(tuple.iter().map(cell_as_json))
                .collect()
        };
        let columns = |role| self.columns.of(role).map(column_as_json);
        [
            json!({
                "columns": columns(Role::Quasi).chain(class()).collect::<Json>(),
                "rows": people.into_iter().map(person).collect::<Json>(),
            }),
            json!({
                "columns": class().chain(columns(Role::Sensitive)).collect::<Json>(),
                "rows": values.into_iter().map(value).collect::<Json>(),
            }),
        ]
    }

    /// Number of quasi columns.
    pub fn quasi(&self) -> usize {
        self.columns.trees().len()
    }

    /// Columns as they are published.
    pub fn names(&self) -> Vec<String> {
        [Role::Quasi, Role::Sensitive]
            .iter()
            .flat_map(|&role| self.columns.of(role))
            .map(|c| c.name.to_string())
            .collect()
    }

    /// Rows as they are published, from the definition: sorted by nodes, then by sensitive tuple.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |(labels, tuple): (Vec<&str>, &[Value])| {
            labels
                .iter()
                .map(|label| format!("text {label}"))
                .chain(tuple.iter().map(show))
                .collect()
        };
        self.sorted().into_iter().map(row).collect()
    }

    /// The same for readers in other languages, with the columns' types.
    pub fn json(&self) -> Json {
        let columns = [Role::Quasi, Role::Sensitive]
            .iter()
            .flat_map(|&role| self.columns.of(role));
        let row = |(labels, tuple): (Vec<&str>, &[Value])| -> Json {
            labels
                .into_iter()
                .map(Json::from)
                .chain(tuple.iter().map(cell_as_json))
                .collect()
        };
        let rows: Json = self.sorted().into_iter().map(row).collect();
        json!({"columns": columns.map(column_as_json).collect::<Json>(), "rows": rows})
    }

    fn sorted(&self) -> Vec<(Vec<&str>, &[Value])> {
        let trees = self.columns.trees();
        let nodes = |leaves: &[u32]| -> Vec<u32> {
            self.recoding
                .iter()
                .zip(leaves)
                .map(|(cut, &at)| cut.at(at))
                .collect()
        };
        let mut rows: Vec<(Vec<u32>, &[Value])> = self
            .raw
            .iter()
            .map(|(leaves, tuple)| (nodes(leaves), &**tuple))
            .collect();
        rows.sort();
        let labels = |nodes: Vec<u32>| {
            nodes
                .into_iter()
                .zip(&trees)
                .map(|(node, tree)| tree.label(node))
                .collect()
        };
        rows.into_iter()
            .map(|(nodes, tuple)| (labels(nodes), tuple))
            .collect()
    }
}

fn column_as_json(column: &Column) -> Json {
    let kind = if column.role == Role::Quasi {
        Kind::String
    } else {
        column.kind
    };
    json!({"name": column.name, "type": kind, "nullable": column.role != Role::Quasi})
}

fn cell_as_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number.get()),
        Value::Date(days) => json!(days),
        Value::Text(text) => json!(text),
        Value::Decimal(_) => panic!("no reader of Python is asked for one here"),
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => format!("truth {truth}"),
        Value::Int(number) => format!("whole {number}"),
        Value::Float(number) => format!("float {:x}", number.get().to_bits()),
        Value::Date(days) => format!("day {days}"),
        Value::Text(text) => format!("text {text}"),
        Value::Decimal(units) => format!("decimal {units}"),
    }
}

/// Names and rows of a file.
pub fn read(bytes: Vec<u8>) -> (Vec<String>, Vec<Vec<String>>) {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).expect("a Parquet file");
    let names = reader
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let batches = reader.with_batch_size(65_536).build().expect("a reader");
    let rows = |batch: RecordBatch| {
        let row = |row: usize| {
            batch
                .columns()
                .iter()
                .map(|column| cell(column, row))
                .collect::<Vec<String>>()
        };
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    };
    (
        names,
        batches
            .flat_map(|batch| rows(batch.expect("a batch")))
            .collect(),
    )
}

fn cell(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return "null".to_owned();
    }
    match array.data_type() {
        DataType::Utf8 => format!("text {}", array.as_string::<i32>().value(row)),
        DataType::Int64 => format!("whole {}", array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => format!(
            "float {:x}",
            array.as_primitive::<Float64Type>().value(row).to_bits()
        ),
        DataType::Boolean => format!("truth {}", array.as_boolean().value(row)),
        DataType::Date32 => format!("day {}", array.as_primitive::<Date32Type>().value(row)),
        other => panic!("no column is {other}"),
    }
}
