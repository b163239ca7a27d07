//! The answer as JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::daemon::opened_release::Opened;
use crate::engine::counting::{Asked, Counted, Method, Name};
use crate::engine::histogram::Release;
use crate::engine::model::Value;
use crate::engine::model::forms::dates;

/// What is known of a count.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Figures {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error; null where rows are spread evenly.
    pub standard_error: Option<f64>,
    /// There are so many rows at least.
    pub low: u64,
    /// There are so many rows at most.
    pub high: u64,
}

/// What was asked, and the answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The release.
    pub release: u32,
    /// Its rows.
    pub rows: u64,
    /// How rows were spread over the values of their labels: `em` by the shares that make the labels most likely, `uniform` evenly.
    pub method: Spread,
    /// All rows that were asked for.
    #[serde(flatten)]
    pub all: Figures,
    /// They by the columns of --by. Combinations that no row can have are left out.
    pub groups: Vec<Group>,
}

/// How rows were spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// By EM.
    Em,
    /// Evenly.
    Uniform,
}

/// Rows that are counted apart.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Group {
    /// Their label or value in each column.
    pub group: Map<String, Json>,
    /// How many they are.
    #[serde(flatten)]
    pub of: Figures,
}

impl Answer {
    pub(super) fn of(opened: &Opened, all: Counted, apart: Option<(&Asked, &[Counted])>, by: &[&str]) -> Answer {
        let method = match opened.method() {
            Method::Em { .. } => Spread::Em,
            Method::Uniform => Spread::Uniform,
        };
        let group = |(cell, of): (usize, &Counted), asked: &Asked| {
            let names = asked.names(cell);
            let named = by.iter().zip(&names).map(|(column, name)| ((*column).to_owned(), shown(name)));
            Group { group: named.collect(), of: Figures::of(of) }
        };
        let groups = apart.into_iter().flat_map(|(asked, counts)| {
            counts.iter().enumerate().filter(|(_, counted)| counted.high > 0).map(move |one| group(one, asked))
        });
        let (release, rows) = (opened.manifest.release, opened.tables.iter().map(Release::rows).sum());
        Answer { release, rows, method, all: Figures::of(&all), groups: groups.collect() }
    }
}

impl Figures {
    fn of(counted: &Counted) -> Figures {
        let Counted { estimate, standard_error, low, high } = *counted;
        Figures { estimate, standard_error, low, high }
    }
}

/// A label or a value.
fn shown(name: &Name<'_>) -> Json {
    match name {
        Name::Label(label) => Json::from(*label),
        Name::Value(value) => match value {
            Value::Null | Value::Decimal(_) => Json::Null,
            Value::Bool(value) => Json::from(*value),
            Value::Int(value) => Json::from(*value),
            Value::Float(value) => Json::from(value.get()),
            Value::Date(days) => Json::from(dates::format(*days)),
            Value::Text(text) => Json::from(&**text),
        },
    }
}
