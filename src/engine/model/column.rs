//! Columns and their roles (SCIENCE 1): identifiers are never published, quasi columns are
//! generalised, sensitive columns are published as they are and together form one value, measures
//! are published only as aggregates. Any other column of the source is dropped.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::date_figure::DerivedFrom;
use super::detail::DetailSettings;
use super::edge::Edge;
use super::release_column::ReleaseColumn;
use super::taxonomy::Taxonomy;
use super::text_step::TextStep;
use super::value::Value;

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Identifies the person; never published, only a keyed hash is kept.
    Identifier,
    /// Known to an attacker from elsewhere; generalised along its taxonomy.
    Quasi,
    /// Must not be linked to a person; published as it is.
    Sensitive,
    /// A number that is published only as an aggregate per class.
    Measure,
    /// Read only for columns that are computed from it; never published, and not kept.
    Input,
}

/// The type a column's values are decoded to, strictly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Text, byte for byte.
    String,
    /// A whole number of 64 bits.
    Int,
    /// A finite number.
    Float,
    /// `true` or `false`.
    Bool,
    /// `2020-01-31`.
    Date,
    /// A number with this many decimals, exactly: a sum of a measure. No column of a feed file can
    /// be declared as one.
    #[serde(skip)]
    Decimal(u8),
}

/// Where the value of a column is in a message, and how its text is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSource {
    /// Its paths, of which the first counts that leads to a value; none: the name of the column.
    pub paths: Vec<Box<str>>,
    /// What is done to the text before its type is read, in order.
    pub steps: Vec<TextStep>,
    /// The columns from which it is computed; `None` for a column of the source.
    pub derived: Option<DerivedFrom>,
}

impl ColumnSource {
    /// Whether its values are texts that differ from those of the source.
    pub fn is_changed(&self) -> bool {
        !self.steps.is_empty() || self.derived.is_some()
    }
}

/// One declared column.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The name in the feed file and in published files.
    pub name: Box<str>,
    /// Where its value is in a message, and what is done to its text.
    pub source: ColumnSource,
    /// The role.
    pub role: Role,
    /// The type of its values.
    pub kind: Kind,
    /// The tree; every quasi column has one, a sensitive column may (hierarchical t-closeness).
    pub taxonomy: Option<Arc<Domain>>,
    /// Sets of values that no person may be linked to; only for sensitive columns.
    pub guarded: Vec<Vec<Box<str>>>,
    /// Whether a missing value becomes the leaf [`Column::MISSING`].
    pub optional: bool,
    /// The leaf for values outside the domain; without it such rows are set aside.
    pub unknown: Option<Box<str>>,
    /// How much detail releases should keep; only for quasi columns. Not stored with the column,
    /// but with the terms of a chain.
    #[serde(skip)]
    pub detail: DetailSettings,
    /// Whether the operator says that this measure does not depend on guarded values, so that it
    /// may be published beside masked ones (SCIENCE 5).
    pub unrelated: bool,
}

impl Column {
    /// The leaf for a missing value of an optional quasi column.
    pub const MISSING: &'static str = "unknown";

    /// The name of the column with the number of the class, in releases with two tables; no column
    /// of such a feed has this name.
    pub const CLASS: &'static str = "class";

    /// The number of decimals to which the values of a measure are rounded before they are added,
    /// unless they are whole numbers.
    pub const DECIMALS: u8 = 6;

    /// A column of a published table that no feed file declares.
    fn shown(name: &str, kind: Kind) -> Column {
        Column {
            name: name.into(),
            source: ColumnSource::default(),
            role: Role::Sensitive,
            kind,
            taxonomy: None,
            guarded: Vec::new(),
            optional: false,
            unknown: None,
            detail: DetailSettings::default(),
            unrelated: false,
        }
    }

    /// A field that is read for others only, and is not declared as a column.
    pub fn read_only(name: &str, source: ColumnSource, kind: Kind) -> Column {
        Column {
            source,
            role: Role::Input,
            ..Column::shown(name, kind)
        }
    }

    /// The names of the columns about this measure in the table of measures: the number of values,
    /// their sum, their mean.
    pub fn aggregates(&self) -> [String; 3] {
        assert_eq!(
            self.role,
            Role::Measure,
            "only of measures aggregates are published"
        );
        ["count", "sum", "mean"].map(|of| format!("{}_{of}", self.name))
    }

    /// The number of decimals of the values of a measure.
    pub fn decimals(&self) -> u8 {
        if self.kind == Kind::Int {
            0
        } else {
            Column::DECIMALS
        }
    }

    /// Whether a value equals a guarded one except for surrounding spaces and upper or lower case.
    /// Values are guarded as they are spelled, so that a spelling mistake in the source would
    /// publish such a value.
    pub fn misspellings(&self) -> impl Fn(&Value) -> bool + use<> {
        let plain = |text: &str| text.trim().to_lowercase();
        let guarded: BTreeSet<Box<str>> = self.guarded.iter().flatten().cloned().collect();
        let plainly: BTreeSet<String> = guarded.iter().map(|text| plain(text)).collect();
        move |value| match value {
            Value::Text(text) => !guarded.contains(&**text) && plainly.contains(&plain(text)),
            _ => false,
        }
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Column({}, {:?}, {:?}, {:?})",
            self.name, self.role, self.kind, self.taxonomy
        )
    }
}

/// A taxonomy, and the rule that assigns raw values to its leaves.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// The tree of labels.
    pub tree: Taxonomy,
    /// How raw values are assigned to leaves.
    pub rule: LeafRule,
}

/// How raw values are assigned to leaves if they are not the leaf's label itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeafRule {
    /// The canonical text of the value is the leaf's label.
    Label,
    /// Leaves are the integers from `min` on, one each, in order.
    Integers {
        /// The value of leaf 0.
        min: i64,
        /// The value of the last leaf.
        max: i64,
        /// Whether values above `max` belong to the last leaf ("90+").
        open: bool,
    },
    /// Leaf i holds the integers `edges[i] .. edges[i + 1]`, without the upper edge.
    Intervals {
        /// One edge more than leaves, ascending.
        edges: Vec<i64>,
    },
    /// Dates from day `from` to day `to` (since 1970-01-01), truncated to their label at this
    /// level.
    Dates {
        /// First day of the domain.
        from: i32,
        /// Last day of the domain.
        to: i32,
        /// The finest level, that of leaves.
        level: DateLevel,
    },
    /// The leaf's label, or another name for it.
    Named {
        /// A name, and the label that it means.
        names: Vec<(Box<str>, Box<str>)>,
    },
    /// The leaf is the first three characters of a code of this shape.
    Cut {
        /// The form of the whole code; any other text has no leaf.
        code: CodeShape,
        /// Prefixes that belong to another leaf.
        instead: Vec<(Box<str>, Box<str>)>,
    },
    /// Leaf 0 holds the numbers below `edges[0]`, and leaf i those from `edges[i - 1]` on, and
    /// below `edges[i]` if that exists.
    Edges {
        /// One edge fewer than leaves, ascending.
        edges: Vec<Edge>,
    },
}

/// Codes that are truncated to their first three characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CodeShape {
    /// `123`, `12345`, `12345-6789`
    Zip,
    /// `F32`, `F32.1`, `F321`; capitals only.
    Icd10,
}

/// Levels of a date taxonomy, finest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DateLevel {
    /// `2020-01-31`
    Day,
    /// `2020-01`
    Month,
    /// `2020-Q1`
    Quarter,
    /// `2020`
    Year,
    /// `2020s`
    Decade,
}

/// The declared columns of a feed, in the order of the feed file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Columns {
    all: Vec<Column>,
    /// Not stored with the columns: the log has it for each chain.
    #[serde(skip)]
    release: ReleaseColumn,
}

impl Columns {
    /// From columns of a checked feed file: names are distinct, quasi columns have a tree.
    pub fn new(all: Vec<Column>) -> Columns {
        assert!(
            all.iter()
                .all(|column| column.role != Role::Quasi || column.taxonomy.is_some()),
            "a quasi column without a taxonomy passed the feed file's checks"
        );
        Columns {
            all,
            release: ReleaseColumn::default(),
        }
    }

    /// The same, with this column for the number of the release.
    #[must_use]
    pub fn with_release(self, release: ReleaseColumn) -> Columns {
        Columns { release, ..self }
    }

    /// The column for the number of the release, in tables that grow.
    pub fn release(&self) -> &ReleaseColumn {
        &self.release
    }

    /// All columns.
    pub fn iter(&self) -> impl Iterator<Item = &Column> {
        self.all.iter()
    }

    /// The columns of one role, in the order of the feed file.
    pub fn of(&self, role: Role) -> impl Iterator<Item = &Column> {
        self.all.iter().filter(move |column| column.role == role)
    }

    /// The columns that a source has.
    pub fn of_source(&self) -> impl Iterator<Item = &Column> {
        self.all
            .iter()
            .filter(|column| column.source.derived.is_none())
    }

    /// A set with only the columns of one role.
    #[must_use]
    pub fn only(&self, role: Role) -> Columns {
        Columns {
            all: self.of(role).cloned().collect(),
            release: self.release.clone(),
        }
    }

    /// The columns of a table that grows: after the sensitive ones that for the number of the
    /// release, if there is one.
    #[must_use]
    pub fn with_arrival(&self) -> Columns {
        let Some(name) = self.release.name() else {
            return self.clone();
        };
        let arrival = Column::shown(name, Kind::Int);
        Columns {
            all: self.all.iter().cloned().chain([arrival]).collect(),
            release: self.release.clone(),
        }
    }

    /// Whether a column has the role `measure`.
    pub fn has_measures(&self) -> bool {
        self.of(Role::Measure).next().is_some()
    }

    /// The columns of the table of measures: the labels, and for each measure the number of values,
    /// their sum and their mean; and the number of the release, as for rows.
    #[must_use]
    pub fn of_measures(&self) -> Columns {
        let aggregates = |column: &Column| {
            let [count, sum, mean] = column.aggregates();
            let decimal = Kind::Decimal(column.decimals());
            [
                Column::shown(&count, Kind::Int),
                Column::shown(&sum, decimal),
                Column::shown(&mean, Kind::Float),
            ]
        };
        let quasi = self.of(Role::Quasi).cloned();
        let all: Vec<Column> = quasi
            .chain(self.of(Role::Measure).flat_map(aggregates))
            .collect();
        assert!(
            all.iter().all(|column| column.role != Role::Identifier),
            "identifiers are never published"
        );
        Columns {
            all,
            release: self.release.clone(),
        }
    }

    /// How much detail each quasi column should keep, in order.
    pub fn details(&self) -> Vec<DetailSettings> {
        self.of(Role::Quasi).map(|column| column.detail).collect()
    }

    /// The same, with these settings of detail for the quasi columns.
    ///
    /// # Panics
    /// If their number is not that of the quasi columns.
    #[must_use]
    pub fn with_details(mut self, details: &[DetailSettings]) -> Columns {
        let quasi: Vec<&mut Column> = self
            .all
            .iter_mut()
            .filter(|column| column.role == Role::Quasi)
            .collect();
        assert_eq!(quasi.len(), details.len(), "a detail for each quasi column");
        quasi
            .into_iter()
            .zip(details)
            .for_each(|(column, &detail)| column.detail = detail);
        self
    }

    /// The column of this name.
    pub fn named(&self, name: &str) -> Option<&Column> {
        self.all.iter().find(|column| &*column.name == name)
    }

    /// The trees of the quasi columns, in order.
    pub fn trees(&self) -> Vec<&Taxonomy> {
        let trees: Vec<&Taxonomy> = self
            .of(Role::Quasi)
            .filter_map(|column| Some(&column.taxonomy.as_ref()?.tree))
            .collect();
        assert_eq!(
            trees.len(),
            self.of(Role::Quasi).count(),
            "one taxonomy for each quasi column"
        );
        trees
    }
}
