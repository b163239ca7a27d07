//! Figures about one measure in the new rows of the table of measures: how many labels show its
//! sum, and which do not, and why.

use crate::histogram::{Release, SensitiveValues, describe};
use crate::model::{Columns, Role, Value};

/// New labels, by what is published of a measure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeasureFigures {
    /// The measure.
    pub name: String,
    /// The number of new labels.
    pub labels: u64,
    /// The number of labels whose sum is published.
    pub shown: u64,
    /// The number of labels without any value.
    pub empty: u64,
    /// Labels with fewer values than a class has people.
    pub few: Vec<String>,
    /// Labels whose sum would reveal a single value.
    pub hidden: Vec<String>,
}

impl MeasureFigures {
    /// The figures of the rows that a release adds to the table of measures, measure by measure.
    pub fn of(added: &Release, values: &SensitiveValues, columns: &Columns) -> Vec<MeasureFigures> {
        let figures = |(at, name): (usize, &str)| {
            let mut found = MeasureFigures {
                name: name.to_string(),
                ..MeasureFigures::default()
            };
            for class in 0..added.classes() {
                let total = &values.get(added.values()[added.range(class).start])[3 * at..];
                let label = || describe(added.class(class), columns);
                found.labels += 1;
                match (&total[0], &total[1]) {
                    (Value::Null, _) => found.few.push(label()),
                    (Value::Int(0), _) => found.empty += 1,
                    (_, Value::Null) => found.hidden.push(label()),
                    _ => found.shown += 1,
                }
            }
            let total = found.shown + found.empty + (found.few.len() + found.hidden.len()) as u64;
            assert_eq!(
                total, found.labels,
                "each label is shown, is empty or is left out"
            );
            found
        };
        columns
            .of(Role::Measure)
            .map(|column| &*column.name)
            .enumerate()
            .map(figures)
            .collect()
    }
}
