//! The table `taxonomy = { … }` of a feed file (CONTRACTS 2), and which of its keys belong to which
//! form. This file never reads the files that keys name, and never checks numbers: each form does
//! that.

use serde::{Deserialize, Serialize};

use super::form_result::FormError;
use crate::{DateLevel, Edge};

/// A taxonomy, in exactly one of its forms: `file`; `bands`, `min`, `max`; `range`; `leaves`,
/// `layers`; `edges`, `layers`; `prefix`, `length`, `domain`; `date`, `from`, `to`; `flat`; or
/// `builtin`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaxonomyTable {
    /// An ARX hierarchy file, relative to the feed file: one row per leaf, leaf first, root last,
    /// no header; separated by `;` if the first line has an unquoted one, otherwise by `,`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Widths of integer bands, each a multiple of the previous one; they start at `min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<Vec<i64>>,
    /// The smallest integer of the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// The largest integer of the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// The smallest and the largest integer of the domain, which is divided into halves: `[0,
    /// 120]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Vec<i64>>,
    /// Edges of intervals, ascending: `[0, 30, 60]` means `[0, 30[` and `[30, 60[`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Vec<i64>>,
    /// Edges of intervals of numbers with fractions, ascending; the first interval has no lower end
    /// and the last no upper one: `[36, 36.5]` means `below 36`, `[36, 36.5[` and `from 36.5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<f64>>")]
    pub edges: Option<Vec<Edge>>,
    /// The number of children per node, from the intervals up to the root; their product is the
    /// number of intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<Vec<i64>>,
    /// The number of leading characters that each level keeps, descending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<Vec<i64>>,
    /// The number of characters of every code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
    /// All codes: a list, or a file with one code per line, relative to the feed file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<PrefixCodes>,
    /// Levels of dates, finest first; the first one is that of leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Vec<DateLevel>>,
    /// The first day of the domain, `"2020-01-31"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last day of the domain, `"2020-12-31"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// All values; they are directly under the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flat: Option<Vec<String>>,
    /// A taxonomy that is part of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// With `us-zip3` only: the areas that are reported as `000`, instead of the 17 areas of the
    /// Census of 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restricted: Option<Vec<String>>,
}

/// The codes of a `prefix` taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    untagged,
    expecting = "a list of codes, or the name of a file with one code a line"
)]
pub enum PrefixCodes {
    /// A file with one code per line.
    File(String),
    /// The codes themselves.
    List(Vec<String>),
}

/// Taxonomies that are part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Builtin {
    /// Years of age: 0 to 89 and `90+`, bands of 5, 10 and 20.
    Age,
    /// `female`, `male`, `other`, `unknown`; `F`, `M`, `O`, `U` and other spellings of these words
    /// are understood.
    Sex,
    /// The first three digits of US postal codes, small areas as `000`; then the first digit.
    #[serde(rename = "us-zip3")]
    UsZip3,
    /// The three-character categories of the WHO's ICD-10 (longer codes are truncated), then blocks
    /// and chapters.
    Icd10,
}

/// The form in which a table is written, with the keys that it may use (its own first).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaxonomyForm {
    /// `file`
    File,
    /// `bands`, `min`, `max`
    Bands,
    /// `range`
    Range,
    /// `leaves`, `layers`
    Intervals,
    /// `edges`, `layers`
    Edges,
    /// `prefix`, `length`, `domain`
    Prefix,
    /// `date`, `from`, `to`
    Date,
    /// `flat`
    Flat,
    /// `builtin`, `restricted`
    Builtin,
}

impl TaxonomyForm {
    const ALL: [TaxonomyForm; 9] = [
        TaxonomyForm::File,
        TaxonomyForm::Bands,
        TaxonomyForm::Range,
        TaxonomyForm::Intervals,
        TaxonomyForm::Edges,
        TaxonomyForm::Prefix,
        TaxonomyForm::Date,
        TaxonomyForm::Flat,
        TaxonomyForm::Builtin,
    ];

    /// The keys of this form; the first one is its name.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            TaxonomyForm::File => &["file"],
            TaxonomyForm::Bands => &["bands", "min", "max"],
            TaxonomyForm::Range => &["range"],
            TaxonomyForm::Intervals => &["leaves", "layers"],
            TaxonomyForm::Edges => &["edges", "layers"],
            TaxonomyForm::Prefix => &["prefix", "length", "domain"],
            TaxonomyForm::Date => &["date", "from", "to"],
            TaxonomyForm::Flat => &["flat"],
            TaxonomyForm::Builtin => &["builtin", "restricted"],
        }
    }

    /// The key that names this form.
    pub fn name(self) -> &'static str {
        assert!(
            TaxonomyForm::ALL.contains(&self),
            "a form that is looked for"
        );
        self.keys()[0]
    }
}

impl TaxonomyTable {
    /// The keys that the table has, in the order of the schema.
    fn written(&self) -> impl Iterator<Item = &'static str> {
        [
            ("file", self.file.is_some()),
            ("bands", self.bands.is_some()),
            ("range", self.range.is_some()),
            ("leaves", self.leaves.is_some()),
            ("edges", self.edges.is_some()),
            ("prefix", self.prefix.is_some()),
            ("date", self.date.is_some()),
            ("flat", self.flat.is_some()),
            ("builtin", self.builtin.is_some()),
            ("min", self.min.is_some()),
            ("max", self.max.is_some()),
            ("layers", self.layers.is_some()),
            ("length", self.length.is_some()),
            ("domain", self.domain.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("restricted", self.restricted.is_some()),
        ]
        .into_iter()
        .filter_map(|(key, there)| there.then_some(key))
    }

    /// The one form of the table.
    ///
    /// # Errors
    /// The table has no form, two forms, or a key of another form.
    pub fn form(&self) -> Result<TaxonomyForm, FormError> {
        let mut form: Option<TaxonomyForm> = None;
        for key in self.written() {
            let owners = || {
                TaxonomyForm::ALL
                    .into_iter()
                    .filter(|form| form.keys().contains(&key))
            };
            let owner = owners()
                .find(|owner| form == Some(*owner))
                .or_else(|| owners().next());
            let owner = owner.expect("every key belongs to a form");
            let head = key == owner.name();
            match form {
                None if head => form = Some(owner),
                None => {
                    let text = format!(
                        "`{key}` belongs to a taxonomy of the form `{}`, whose key is missing",
                        owner.name()
                    );
                    return Err(FormError::new(key, text));
                }
                Some(form) if form == owner => {}
                Some(form) if head => {
                    let text = format!(
                        "`{}` and `{key}` are two forms of taxonomy; write only one of them",
                        form.name()
                    );
                    return Err(FormError::new(key, text));
                }
                Some(form) => {
                    let text = format!(
                        "`{key}` belongs to the form `{}`, but this taxonomy has the form `{}`",
                        owner.name(),
                        form.name()
                    );
                    return Err(FormError::new(key, text));
                }
            }
        }
        form.ok_or_else(|| {
            let names: Vec<&str> = TaxonomyForm::ALL
                .into_iter()
                .map(TaxonomyForm::name)
                .collect();
            FormError {
                key: None,
                text: format!(
                    "the form of the taxonomy is missing; choose one of {}",
                    names.join(", ")
                ),
                line: None,
            }
        })
    }

    /// The file that has to be read before this table can be built, with the key that names it.
    pub fn reads(&self) -> Option<(&'static str, &str)> {
        match (&self.file, &self.domain) {
            (Some(file), _) => Some(("file", file)),
            (None, Some(PrefixCodes::File(file))) => Some(("domain", file)),
            _ => None,
        }
    }
}

/// The value of a key that the form requires.
pub(super) fn needed<'a, T>(
    value: &'a Option<T>,
    form: TaxonomyForm,
    key: &'static str,
) -> Result<&'a T, FormError> {
    value
        .as_ref()
        .ok_or_else(|| FormError::new(form.name(), format!("`{}` needs `{key}`", form.name())))
}
