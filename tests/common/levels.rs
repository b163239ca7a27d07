//! Public data sets for full-domain searches: a folder of `TIDEGATE_DATA` with a table and a
//! hierarchy per column.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use tidegate::engine::histogram::{CellReading, Encoder, Histogram};
use tidegate::engine::label::levels::DistinctRows;
use tidegate::engine::model::forms::{self, TaxonomyTable};
use tidegate::engine::model::{
    Column, Columns, DetailSettings, Domain, Kind, Path as Labels, Role, Taxonomy,
};

/// A table and its taxonomies.
pub struct Data {
    pub columns: Columns,
    pub rows: Histogram,
}

impl Data {
    /// From some columns of a data set.
    pub fn read(folder: &Path, quasi: &[String], sensitive: Option<&str>) -> Data {
        let table = table(
            &folder
                .join(folder.file_name().expect("a name"))
                .with_extension("csv"),
        );
        Data::of(folder, &table, quasi, (sensitive, &[]))
    }

    /// From a table of text with the hierarchies of a folder, and a guarded set of sensitive values
    /// if it is not empty.
    pub fn of(
        folder: &Path,
        table: &RecordBatch,
        quasi: &[String],
        (sensitive, set): (Option<&str>, &[&str]),
    ) -> Data {
        let quasi = quasi.iter().map(|name| {
            let (domain, kind) = hierarchy(&folder.join(format!("hierarchy_{name}.csv")));
            column(name, Role::Quasi, kind, Some(domain))
        });
        let guarded: Vec<Vec<Box<str>>> = if set.is_empty() {
            Vec::new()
        } else {
            vec![set.iter().map(|&value| value.into()).collect()]
        };
        let sensitive = sensitive.map(|name| {
            let column = column(name, Role::Sensitive, Kind::String, None);
            Column { guarded, ..column }
        });
        let columns = Columns::new(quasi.chain(sensitive).collect());
        let rows = Histogram::of(
            &Encoder::new(&columns, CellReading::Text),
            0,
            std::slice::from_ref(table),
        )
        .expect("rows that fit");
        Data { columns, rows }
    }

    /// The taxonomies.
    pub fn trees(&self) -> Vec<&Taxonomy> {
        self.columns.trees()
    }

    /// The rows, with sensitive values if these are needed.
    pub fn table(&self, values: bool) -> DistinctRows {
        if values {
            DistinctRows::with_values(&self.rows)
        } else {
            DistinctRows::of_people(&self.rows.headcount())
        }
    }
}

fn column(name: &str, role: Role, kind: Kind, taxonomy: Option<Domain>) -> Column {
    Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind,
        taxonomy: taxonomy.map(Arc::new),
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    }
}

/// The domain of a hierarchy file, by the code that reads a feed's hierarchies.
pub fn hierarchy(file: &Path) -> (Domain, Kind) {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let labels = |line: &str| line.split(';').map(|label| label.trim().into()).collect();
    let rows: Vec<Labels> = text
        .lines()
        .zip(1..)
        .map(|(line, at)| Labels {
            at,
            labels: labels(line),
        })
        .collect();
    let name = serde_json::json!({ "file": file });
    let table: TaxonomyTable = serde_json::from_value(name).expect("a taxonomy");
    let built = forms::build(&table, &rows)
        .unwrap_or_else(|error| panic!("{}: {}", file.display(), error.text));
    (built.domain, built.kind)
}

/// The columns of a file as text.
fn table(file: &Path) -> RecordBatch {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names of columns").split(';').collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        columns
            .iter_mut()
            .zip(line.split(';'))
            .for_each(|(column, field)| column.push(field));
    }
    let columns = names.into_iter().zip(columns);
    let named =
        columns.map(|(name, column)| (name, Arc::new(StringArray::from(column)) as ArrayRef));
    RecordBatch::try_from_iter(named).expect("columns of one length")
}
