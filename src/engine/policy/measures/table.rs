//! Aggregates in the form of a table, also those of several ticks that are published together.

use std::collections::BTreeMap;

use super::aggregate::table;
use crate::histogram::Histogram;
use crate::model::{Columns, Finite, Node, Role, Value};

/// The aggregates of atoms that are published together. Atoms of one label become one row of the
/// table, whose sum is published if that of each atom may be.
pub fn merged(parts: &[&Histogram]) -> Option<Histogram> {
    let (quasi, width) = parts
        .first()
        .map(|part| (part.width(), part.values().width()))?;
    assert!(
        parts.iter().all(|part| part.values().width() == width),
        "parts have the same measures"
    );
    let mut labels: BTreeMap<Vec<Node>, Box<[Value]>> = BTreeMap::new();
    for (label, figures) in parts.iter().flat_map(|part| rows(part)) {
        match labels.get_mut(&label) {
            Some(known) => known
                .iter_mut()
                .zip(figures)
                .for_each(|(known, more)| *known = sum(known, more)),
            None => _ = labels.insert(label, figures.into()),
        }
    }
    Some(table(quasi, width, labels.into_iter()))
}

/// The labels of a table, each with its figures.
pub(super) fn rows(table: &Histogram) -> impl Iterator<Item = (Vec<Node>, &[Value])> {
    (0..table.tuples()).flat_map(move |tuple| {
        let cells = table.cells_of(tuple).iter();
        cells.map(move |cell| {
            (
                table.tuple_at(tuple).collect(),
                table.values().get(cell.value),
            )
        })
    })
}

/// Unknown if either of them is unknown.
fn sum(one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => Value::Int(one + other),
        (Value::Decimal(one), Value::Decimal(other)) => Value::Decimal(one + other),
        _ => Value::Null,
    }
}

/// The same rows as they are published: each measure with its mean, and without sums of no values.
pub fn shown(aggregates: &Histogram, columns: &Columns) -> Histogram {
    let decimals: Vec<u8> = columns
        .of(Role::Measure)
        .map(|column| column.decimals())
        .collect();
    assert_eq!(
        aggregates.values().width(),
        2 * decimals.len(),
        "a count and a sum of each measure"
    );
    let figures = |tuple: &[Value]| -> Vec<Value> {
        let measures = tuple.chunks(2).zip(&decimals);
        measures
            .flat_map(|(measure, &decimals)| of_measure(measure, decimals))
            .collect()
    };
    aggregates.map_values(3 * decimals.len(), figures)
}

fn of_measure(figures: &[Value], decimals: u8) -> [Value; 3] {
    let (count, sum) = (figures[0].clone(), figures[1].clone());
    match (&count, &sum) {
        (Value::Int(0), _) => [count, Value::Null, Value::Null],
        (Value::Int(numbers), Value::Decimal(units)) => {
            let mean = *units as f64 / (*numbers as f64 * 10f64.powi(decimals.into()));
            let mean = Finite::new(mean).map_or(Value::Null, Value::Float);
            [count, sum, mean]
        }
        _ => [count, Value::Null, Value::Null],
    }
}
