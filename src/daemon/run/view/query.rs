//! The answer of `query`: counts of the rows of a release under conditions.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::engine::counting::{CellEstimate, CountQuestion, CountedColumn, Method};
use crate::engine::histogram::Release;
use crate::engine::model::Value;
use crate::engine::model::forms::dates;
use crate::opened_release::{NewestRelease, Opened};

/// A count as far as a release shows it.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct QueryFigures {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error; null if rows are spread evenly.
    pub standard_error: Option<f64>,
    /// A lower bound of the count.
    pub low: u64,
    /// An upper bound of the count.
    pub high: u64,
}

/// The query and its answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueryAnswer {
    /// The release.
    pub release: u32,
    /// The newest release of the place.
    pub newest: NewestRelease,
    /// The number of its rows.
    pub rows: u64,
    /// How rows were spread over the values of their labels: `em` by the shares that make the
    /// labels most likely, `uniform` evenly.
    pub method: SpreadRule,
    /// The count of all rows that fulfil the conditions.
    #[serde(flatten)]
    pub all: QueryFigures,
    /// The same by the columns of --by. Combinations that no row can have are left out.
    pub groups: Vec<CountGroup>,
}

/// How rows were spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpreadRule {
    /// By EM.
    Em,
    /// Evenly.
    Uniform,
}

/// A group of rows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountGroup {
    /// Its label or value in each column.
    pub group: Map<String, Json>,
    /// Its count.
    #[serde(flatten)]
    pub of: QueryFigures,
}

impl QueryAnswer {
    /// From the counts of an opened release.
    pub fn of(
        opened: &Opened,
        newest: NewestRelease,
        all: CellEstimate,
        apart: Option<(&CountQuestion, &[CellEstimate])>,
        by: &[&str],
    ) -> QueryAnswer {
        let method = match opened.method() {
            Method::Em { .. } => SpreadRule::Em,
            Method::Uniform => SpreadRule::Uniform,
        };
        let group = |(cell, of): (usize, &CellEstimate), question: &CountQuestion| {
            let names = question.names(cell);
            let named = by
                .iter()
                .zip(&names)
                .map(|(column, name)| ((*column).to_owned(), shown(name)));
            CountGroup {
                group: named.collect(),
                of: QueryFigures::of(of),
            }
        };
        let groups = apart.into_iter().flat_map(|(question, counts)| {
            counts
                .iter()
                .enumerate()
                .filter(|(_, counted)| counted.high > 0)
                .map(move |one| group(one, question))
        });
        let (release, rows) = (
            opened.manifest.release,
            opened.tables.iter().map(Release::rows).sum(),
        );
        QueryAnswer {
            release,
            newest,
            rows,
            method,
            all: QueryFigures::of(&all),
            groups: groups.collect(),
        }
    }
}

impl QueryFigures {
    fn of(counted: &CellEstimate) -> QueryFigures {
        let CellEstimate {
            estimate,
            standard_error,
            low,
            high,
        } = *counted;
        QueryFigures {
            estimate,
            standard_error,
            low,
            high,
        }
    }
}

/// A label or a value.
fn shown(name: &CountedColumn<'_>) -> Json {
    match name {
        CountedColumn::Label(label) => Json::from(*label),
        CountedColumn::Value(value) => match value {
            Value::Null | Value::Decimal(_) => Json::Null,
            Value::Bool(value) => Json::from(*value),
            Value::Int(value) => Json::from(*value),
            Value::Float(value) => Json::from(value.get()),
            Value::Date(days) => Json::from(dates::format(*days)),
            Value::Text(text) => Json::from(&**text),
        },
    }
}
