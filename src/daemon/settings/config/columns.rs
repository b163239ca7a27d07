//! The columns of a feed file (CONTRACTS 1): which keys belong to which role, which types to which
//! taxonomy, and the leaves for missing and unknown values. `hierarchy` builds trees; this file
//! reads only the line of a hierarchy file that has an error.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::column_path;
use super::file::{CleanStep, ColumnTable, DeriveTable, FeedFile, PartSetting};
use super::floor;
use super::hierarchy;
use super::places::ConfigProblem;
use super::secret_files;
use crate::engine::model::forms::{TaxonomyTable, dates};
use crate::engine::model::{
    Column, ColumnSource, DateFigure, DateNotation, DerivedFrom, DetailSettings, Domain, Kind,
    ReleaseColumn, Role, TextStep,
};
use crate::engine::policy::Output;
use crate::error::{Error, SourceLine};

/// The columns of a feed file, with warnings and problems.
pub(super) struct ParsedColumn {
    /// The columns that could be built.
    pub columns: Vec<Column>,
    /// The path of a key, and the warning.
    pub warnings: Vec<(String, String)>,
    /// All problems.
    pub problems: Vec<ConfigProblem>,
}

/// Reads all columns; paths of files are relative to `base`. None of the files of `secrets` is
/// read.
pub(super) fn read(tables: &[ColumnTable], base: &Path, secrets: &[PathBuf]) -> ParsedColumn {
    let mut read = ParsedColumn {
        columns: Vec::new(),
        warnings: Vec::new(),
        problems: Vec::new(),
    };
    for (at, table) in tables.iter().enumerate() {
        let path = format!("column[{at}]");
        let earlier = tables[..at].iter().any(|other| other.name == table.name);
        if earlier {
            let text = format!(
                "two columns have the name `{}`: rename one, and give the place of its value with `path`",
                table.name
            );
            read.problems
                .push(ConfigProblem::new(format!("{path}.name"), text));
        }
        let mut one = ColumnReader {
            table,
            path,
            base,
            secrets,
            read: &mut read,
        };
        one.names();
        one.roles();
        one.guarded();
        one.build();
    }
    let computed = computed(tables, &read.columns);
    read.problems.extend(computed);
    read.warnings.extend(column_path::crossing(tables));
    if !tables.iter().any(|table| table.role == Role::Quasi) {
        let text = "no column has the role `quasi`: declare what an attacker may know about a person, such as age or postal \
            code";
        read.problems.push(ConfigProblem::new("column", text));
    }
    read
}

/// Refuses a column with the name of the number by which two tables are joined. Some readers of
/// tables ignore case.
pub(super) fn class(written: &FeedFile) -> Option<ConfigProblem> {
    if written.policy.output != Some(Output::TwoTable) {
        return None;
    }
    let at = written
        .column
        .iter()
        .position(|column| column.name.eq_ignore_ascii_case(Column::CLASS))?;
    let text = format!(
        "two tables (`output = \"two-table\"`) are joined by their own column `{}`: give this column another `name`, \
         and the place of its value with `path`, or publish one table",
        Column::CLASS
    );
    Some(ConfigProblem::new(format!("column[{at}].name"), text))
}

/// Whether a text cannot be the name of a column.
pub(super) fn is_no_name(text: &str) -> bool {
    text.trim().is_empty() || text.chars().any(char::is_control)
}

/// The column with the name of the one for the number of the release, in a table that grows: in
/// upper or lower case, since many readers ignore case.
pub(super) fn like_release(columns: &[Column], release: &ReleaseColumn) -> Option<ConfigProblem> {
    let name = release.name()?;
    let published = |column: &Column| matches!(column.role, Role::Quasi | Role::Sensitive);
    let like =
        |column: &Column| published(column) && column.name.to_lowercase() == name.to_lowercase();
    let at = columns.iter().position(like)?;
    let text = format!(
        "a table that grows has its own column `{name}`, the release that added a row: give this column another \
         `name`, and the place of its value with `path`, or rename the other one with `release_column` in [publish], \
         or write `false` there"
    );
    Some(ConfigProblem::new(format!("column[{at}].name"), text))
}

/// Reads one table.
struct ColumnReader<'r> {
    table: &'r ColumnTable,
    path: String,
    base: &'r Path,
    secrets: &'r [PathBuf],
    read: &'r mut ParsedColumn,
}

impl ColumnReader<'_> {
    fn refuse(&mut self, key: &str, text: impl Into<String>) {
        self.read
            .problems
            .push(ConfigProblem::new(format!("{}.{key}", self.path), text));
    }

    fn names(&mut self) {
        let name = &self.table.name;
        if is_no_name(name) {
            self.refuse(
                "name",
                "the name of a column must not contain control characters",
            );
        }
        let Some(paths) = &self.table.path else {
            return;
        };
        let paths = paths.all();
        if paths.is_empty() || paths.len() > column_path::MOST_PATHS {
            self.refuse("path", "a list of paths has one to sixteen paths, of which the first counts that leads to a value");
        } else if paths
            .iter()
            .any(|path| column_path::path_parts(path).is_none())
        {
            self.refuse("path", column_path::REFUSED);
        }
    }

    /// Checks which keys the role allows.
    fn roles(&mut self) {
        let ColumnTable {
            name,
            role,
            kind,
            taxonomy,
            optional,
            unknown,
            guarded,
            ..
        } = self.table;
        match (role, taxonomy) {
            (Role::Quasi, None) => self.refuse(
                "taxonomy",
                format!(
                    "quasi column `{name}` needs a taxonomy: write `taxonomy = {{ file = \"{name}.csv\" }}`, or bands, \
                         leaves, prefix, date, flat or builtin"
                ),
            ),
            (Role::Identifier | Role::Measure | Role::Input, Some(_)) => {
                self.refuse(
                    "taxonomy",
                    format!("only quasi and sensitive columns have a taxonomy; `{name}` is neither"),
                );
            }
            _ => {}
        }
        if optional.is_some() && matches!(role, Role::Identifier | Role::Measure | Role::Input) {
            self.refuse(
                "optional",
                "`optional` is for quasi columns, where a missing value becomes the leaf `unknown`",
            );
        }
        if unknown.is_some() && *role != Role::Quasi {
            self.refuse(
                "unknown",
                "`unknown` is for quasi columns; other columns accept values outside a taxonomy",
            );
        }
        for (key, written) in [
            ("weight", self.table.weight.is_some()),
            ("floor", self.table.floor.is_some()),
        ] {
            if written && *role != Role::Quasi {
                let text = format!(
                    "`{key}` is for quasi columns, which are generalised; `{name}` is not: remove it"
                );
                self.refuse(key, text);
            }
        }
        if self.table.unrelated.is_some() && *role != Role::Measure {
            let text = format!(
                "`unrelated` is for measures, which it permits beside `m`; `{name}` is not a measure: remove it"
            );
            self.refuse("unrelated", text);
        }
        if guarded.is_some() && *role != Role::Sensitive {
            self.refuse(
                "guarded",
                "`guarded` is for sensitive columns; give this one the role `sensitive`, or remove it",
            );
        }
        if *role == Role::Input && !matches!(kind, None | Some(Kind::Date)) {
            self.refuse(
                "type",
                "a column with the role `input` is a day: write \"date\", or remove `type`",
            );
        }
        if *role == Role::Measure && matches!(kind, Some(Kind::String | Kind::Bool | Kind::Date)) {
            self.refuse(
                "type",
                "a measure is a number: write \"float\" or \"int\", or remove `type`",
            );
        }
    }

    /// The type of the column's values, as far as it is known without a taxonomy.
    fn plain_kind(&self) -> Kind {
        self.table.kind.unwrap_or(match self.table.role {
            Role::Measure => Kind::Float,
            Role::Input => Kind::Date,
            _ => Kind::String,
        })
    }

    fn guarded(&mut self) {
        let Some(sets) = &self.table.guarded else {
            return;
        };
        let kind = self.plain_kind();
        if sets.is_empty() {
            self.refuse(
                "guarded",
                "an empty list guards nothing: write `guarded = [[\"HIV\"]]`, or remove it",
            );
        }
        for (at, set) in sets.iter().enumerate() {
            let key = format!("guarded[{at}]");
            if set.is_empty() {
                self.refuse(
                    &key,
                    "an empty set guards nothing: write its values, or remove it",
                );
            }
            if sets[..at].contains(set) {
                self.refuse(&key, "this set occurs twice: remove one");
            }
            for (place, value) in set.iter().enumerate() {
                let key = format!("{key}[{place}]");
                if set[..place].contains(value) {
                    self.refuse(&key, "this value occurs twice in one set: remove one");
                }
                if !is_canonical(value, kind) {
                    let text = format!(
                        "this value never occurs in a column of type {}: write {}",
                        named(kind),
                        example(kind)
                    );
                    self.refuse(&key, text);
                }
            }
        }
    }

    fn build(&mut self) {
        let ColumnTable {
            name,
            role,
            taxonomy,
            optional,
            unknown,
            guarded,
            ..
        } = self.table;
        let mut kind = self.plain_kind();
        let mut domain = None;
        if let (Some(table), Role::Quasi | Role::Sensitive) = (taxonomy, role) {
            let Some((loaded, default)) = self.load(table) else {
                return;
            };
            kind = self
                .table
                .kind
                .unwrap_or(if *role == Role::Quasi { default } else { kind });
            if !loaded.takes(kind) {
                let text = format!(
                    "this taxonomy is for values of type {}, not {}",
                    named(default),
                    named(kind)
                );
                self.refuse(
                    "type",
                    format!("{text}: remove `type`, or use another form of taxonomy"),
                );
                return;
            }
            domain = Some(loaded);
        }
        if *role == Role::Quasi {
            if *optional == Some(true) {
                domain =
                    domain.and_then(|domain| self.with_leaf(domain, Column::MISSING, "optional"));
            }
            if let Some(label) = unknown.as_deref().filter(|label| *label != "quarantine") {
                domain = domain.and_then(|domain| self.with_leaf(domain, label, "unknown"));
            }
            if domain.is_none() {
                return;
            }
        }
        let Some(detail) = self.detail(domain.as_ref()) else {
            return;
        };
        let Some(steps) = self.steps(kind) else {
            return;
        };
        let derived = self.derived_from();
        let paths = self.table.path.iter().flat_map(|paths| paths.all());
        let paths = paths.map(|path| path.as_str().into()).collect();
        let boxed = |set: &Vec<String>| set.iter().map(|value| value.as_str().into()).collect();
        self.read.columns.push(Column {
            name: name.as_str().into(),
            source: ColumnSource {
                paths,
                steps,
                derived,
            },
            role: *role,
            kind,
            taxonomy: domain.map(Arc::new),
            guarded: guarded.iter().flatten().map(boxed).collect(),
            optional: *role == Role::Quasi && *optional == Some(true),
            unknown: unknown
                .as_deref()
                .filter(|label| *label != "quarantine")
                .map(Into::into),
            detail,
            unrelated: self.table.unrelated == Some(true),
        });
    }

    /// The columns from which this one is computed.
    fn derived_from(&mut self) -> Option<DerivedFrom> {
        let (figure, columns) = figure_of(self.table.derive.as_ref()?)?;
        let ColumnTable {
            name,
            role,
            path,
            clean,
            format,
            ..
        } = self.table;
        if matches!(role, Role::Identifier | Role::Input) {
            let text = format!(
                "`{}` computes quasi columns, sensitive columns and measures; `{name}` is none of them",
                figure.name()
            );
            self.refuse("derive", text);
        }
        if path.is_some() || clean.is_some() || format.is_some() {
            let text = format!(
                "`{name}` is computed from other columns and not read from the source: remove its `path`, `clean` and `format`"
            );
            self.refuse("derive", text);
        }
        Some(DerivedFrom {
            figure,
            columns: columns
                .iter()
                .map(|column| column.as_str().into())
                .collect(),
        })
    }

    /// What is done to the column's text before its type is read.
    fn steps(&mut self, kind: Kind) -> Option<Vec<TextStep>> {
        let mut steps: Vec<TextStep> = Vec::new();
        for clean in self.table.clean.iter().flatten() {
            steps.push(match clean {
                CleanStep::Trim => TextStep::Trim,
                CleanStep::Upper => TextStep::Upper,
                CleanStep::Lower => TextStep::Lower,
                CleanStep::Nfc => TextStep::Nfc,
                CleanStep::Digits => TextStep::Digits,
                CleanStep::Comma => TextStep::Comma,
            });
        }
        if let Some(derive) = &self.table.derive {
            match derived(derive) {
                Ok(step) => steps.extend(step),
                Err(text) => {
                    self.refuse("derive", text);
                    return None;
                }
            }
        }
        if let Some(format) = &self.table.format {
            let Some(notation) = DateNotation::named(format) else {
                let text = "`format` is \"iso\", \"hl7\", \"epoch-days\", \"epoch-ms\", \"epoch-us\", or a pattern with %d, %m \
                            and %Y, each once, and perhaps %H, %M and %S: \"%d.%m.%Y\"";
                self.refuse("format", text);
                return None;
            };
            if kind != Kind::Date {
                let text = "`format` is the notation of days in the source: write `type = \"date\"`, or give the column a taxonomy \
                            of days, or remove it";
                self.refuse("format", text);
                return None;
            }
            steps.push(TextStep::Date(notation));
        }
        Some(steps)
    }

    /// How much detail of the column should be kept.
    fn detail(&mut self, domain: Option<&Domain>) -> Option<DetailSettings> {
        let mut detail = DetailSettings::default();
        if let Some(weight) = self.table.weight {
            let Some(weighted) = detail.weighted(weight) else {
                let text = "`weight` is a number from 0.01 to 100 with at most two decimals: write 1 for a column that \
                            counts like the others, or remove it";
                self.refuse("weight", text);
                return None;
            };
            detail = weighted;
        }
        let (Some(written), Some(domain)) = (&self.table.floor, domain) else {
            return Some(detail);
        };
        let taxonomy = self
            .table
            .taxonomy
            .as_ref()
            .expect("a column with a domain has a taxonomy");
        match floor::level(written, domain, taxonomy) {
            Ok(level) => Some(detail.with_floor(level)),
            Err(text) => {
                self.refuse("floor", text);
                None
            }
        }
    }

    fn load(&mut self, table: &TaxonomyTable) -> Option<(Domain, Kind)> {
        if let Some((key, name)) = table.reads()
            && secret_files::is_one(&self.base.join(name), self.secrets)
        {
            let text = "this is the file of a secret that this feed file names, and labels of a taxonomy are published: name \
                        the file of the taxonomy";
            self.refuse(&format!("taxonomy.{key}"), text);
            return None;
        }
        match hierarchy::load(table, self.base) {
            Ok(loaded) => {
                let path = format!("{}.taxonomy", self.path);
                self.read
                    .warnings
                    .extend(loaded.warnings.into_iter().map(|text| (path.clone(), text)));
                Some((loaded.domain, loaded.kind))
            }
            Err(mut error) => {
                let key = error
                    .field
                    .take()
                    .map_or(String::new(), |key| format!(".{key}"));
                match error.line {
                    None => error = in_feed_file(error),
                    Some(line) => {
                        error.passage = error.file.as_deref().and_then(|file| passage(file, line));
                        error.text = format!(
                            "{}, in the taxonomy of column `{}`",
                            error.text, self.table.name
                        );
                    }
                }
                self.read.problems.push(ConfigProblem {
                    path: format!("{}.taxonomy{key}", self.path),
                    error,
                });
                None
            }
        }
    }

    /// The domain with one more leaf.
    fn with_leaf(&mut self, domain: Domain, label: &str, key: &str) -> Option<Domain> {
        match domain.tree.with_leaf(label) {
            Ok(tree) => Some(Domain {
                tree,
                rule: domain.rule,
            }),
            Err(_) => {
                self.refuse(
                    key,
                    format!("`{label}` is an inner node of this taxonomy and cannot be a leaf too"),
                );
                None
            }
        }
    }
}

/// The figure that a derivation computes from other columns, and their names.
fn figure_of(table: &DeriveTable) -> Option<(DateFigure, &[String])> {
    let several = [
        (DateFigure::Years, &table.years),
        (DateFigure::Months, &table.months),
        (DateFigure::Days, &table.days),
    ];
    for (figure, columns) in several {
        if let Some(columns) = columns {
            return Some((figure, columns));
        }
    }
    let one = [
        (DateFigure::Year, &table.year),
        (DateFigure::Month, &table.month),
        (DateFigure::Day, &table.day),
    ];
    for (figure, column) in one {
        if let Some(column) = column {
            return Some((figure, std::slice::from_ref(column)));
        }
    }
    None
}

/// Computed columns name columns of days that are read from the source, and whose faults set a row
/// aside whatever its sensitive values are.
fn computed(tables: &[ColumnTable], columns: &[Column]) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for column in columns {
        let Some(derived) = &column.source.derived else {
            continue;
        };
        let is_own = |table: &ColumnTable| *table.name == *column.name;
        let at = tables.iter().position(is_own).unwrap_or_default();
        let place = format!("column[{at}].derive.{}", derived.figure.name());
        if derived.columns.len() != derived.figure.of_days() {
            let text = "write the names of two columns with days: [\"birth_date\", \"admitted\"]";
            problems.push(ConfigProblem::new(place, text));
            continue;
        }
        for name in &derived.columns {
            let text = match columns.iter().find(|other| other.name == *name) {
                None => format!(
                    "there is no column `{name}`: declare it with the role `input` and its `path`"
                ),
                Some(other) if other.source.derived.is_some() => {
                    format!("`{name}` is computed itself: name a column of the source")
                }
                Some(other) if !matches!(other.role, Role::Input | Role::Quasi) => format!(
                    "`{name}` is no quasi column, and nothing may follow from a value that is hidden. If it need not be \
                     hidden, declare its `path` once more in a column with the role `input`"
                ),
                Some(other) if other.kind != Kind::Date => {
                    format!("`{name}` is no column of days: it needs `type = \"date\"`")
                }
                Some(_) => continue,
            };
            problems.push(ConfigProblem::new(place.clone(), text));
        }
    }
    problems
}

/// The step of a derivation that changes the column's own text, or what is wrong with it.
fn derived(table: &DeriveTable) -> Result<Option<TextStep>, &'static str> {
    const ONE: &str = "`derive` has one key: `part`, `first` or `map`, which change the text, or `years`, `months`, `days`, `year`, \
                       `month` or `day`, which are computed from columns with days: `derive = { part = [\"/\", -1] }`";
    const PART: &str = "`part` is a separator and the index of a part: [\"/\", 0] is the first, [\"/\", -1] the last";
    let DeriveTable {
        part,
        first,
        map,
        years,
        months,
        days,
        year,
        month,
        day,
    } = table;
    let own = [part.is_some(), first.is_some(), map.is_some()];
    let several = [years, months, days].map(Option::is_some);
    let one = [year, month, day].map(Option::is_some);
    let keys = [own, several, one].concat();
    if keys.iter().filter(|key| **key).count() != 1 {
        return Err(ONE);
    }
    if let Some(part) = part {
        return match &part[..] {
            [PartSetting::Separator(separator), PartSetting::Index(index)]
                if !separator.is_empty() =>
            {
                Ok(Some(TextStep::Part {
                    separator: separator.as_str().into(),
                    index: *index,
                }))
            }
            _ => Err(PART),
        };
    }
    match (first, map) {
        (Some(0), _) => Err(ONE),
        (Some(characters), _) => Ok(Some(TextStep::First(*characters))),
        (_, Some(table)) => {
            let pair = |(from, to): (&String, &String)| (from.as_str().into(), to.as_str().into());
            Ok(Some(TextStep::Map(table.iter().map(pair).collect())))
        }
        (None, None) => Ok(None),
    }
}

/// An error about a whole file is shown where the feed file names it.
fn in_feed_file(mut error: Error) -> Error {
    if let Some(file) = error.file.take() {
        error.text = format!("{}: {}", file.display(), error.text);
    }
    error
}

/// A line of a hierarchy file: labels of a taxonomy are no records, so they may be shown.
fn passage(file: &Path, line: u64) -> Option<Box<SourceLine>> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text
        .lines()
        .nth(usize::try_from(line).ok()?.checked_sub(1)?)?
        .to_owned();
    let at = 0..line.len();
    Some(Box::new(SourceLine { line, at }))
}

/// Whether a text is the canonical spelling of a value of this type.
fn is_canonical(text: &str, kind: Kind) -> bool {
    match kind {
        Kind::String => true,
        Kind::Bool => matches!(text, "true" | "false"),
        Kind::Int => text
            .parse::<i64>()
            .is_ok_and(|number| number.to_string() == text),
        Kind::Float => text.parse::<f64>().is_ok_and(|number| number.is_finite()),
        Kind::Date => dates::parse(text).is_some(),
        Kind::Decimal(_) => false,
    }
}

/// The name of a type.
pub fn named(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Int => "int",
        Kind::Float => "float",
        Kind::Bool => "bool",
        Kind::Date => "date",
        Kind::Decimal(_) => "decimal",
    }
}

fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "text",
        Kind::Int => "a whole number such as \"42\"",
        Kind::Float => "a number such as \"4.2\"",
        Kind::Bool => "\"true\" or \"false\"",
        Kind::Date => "a day such as \"2020-01-31\"",
        Kind::Decimal(_) => "a number such as \"4.20\"",
    }
}
