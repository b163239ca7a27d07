//! Reads a table of sums and the contributions behind it. No error shows a value, and none shows a
//! code of a contribution.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::hierarchy::DimensionCodes;
use super::named_csv::NamedCsv;
use super::number::ScaledNumber;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::engine::dominance::SumCell;
use crate::engine::sums::{CellMark, Dimensions, Range, SumsTable, TableCell};

/// The most cells of a table.
const MOST_CELLS: usize = 1_000_000;

/// How to read a table.
pub(super) struct SumsFileForm<'a> {
    /// The file with the table.
    pub file: &'a Path,
    /// The column with the sums.
    pub value: &'a str,
    /// The code that stands for all codes of a column.
    pub total: &'a str,
    /// Columns that have hierarchies, and the files of these.
    pub hierarchies: &'a [(String, PathBuf)],
    /// Whether values and contributions may be negative.
    pub signed: bool,
    /// How many of the largest contributions the rules need.
    pub kept: usize,
    /// The file with the rows of people, and the column that names the person.
    pub contributions: Option<(&'a Path, &'a str)>,
}

/// A table that has been read.
pub struct SumsFile {
    pub table: SumsTable,
    pub dimensions: Vec<DimensionCodes>,
    /// The number of decimals.
    pub scale: u32,
    /// The number of contributions to each cell, where the table gives it.
    pub counts: Vec<Option<u64>>,
    /// The line of each cell.
    pub lines: Vec<Option<u64>>,
}

impl SumsFile {
    /// A cell in words: `(region = North, branch = Total)`.
    pub fn name(&self, cell: usize) -> String {
        let of = self
            .codes(cell)
            .into_iter()
            .map(|(column, code)| format!("{column} = {code}"));
        format!("({})", of.collect::<Vec<_>>().join(", "))
    }

    /// The codes of a cell by column.
    pub fn codes(&self, cell: usize) -> Vec<(&str, &str)> {
        let codes = self.table.dimensions.codes(cell);
        let of = self.dimensions.iter().zip(codes);
        of.map(|(dimension, code)| (dimension.name.as_str(), dimension.codes[code].as_str()))
            .collect()
    }
}

/// The role of each column of the table.
struct Roles {
    dimensions: Vec<usize>,
    value: usize,
    count: Option<usize>,
    status: Option<usize>,
    /// `max1`, `max2`, …
    largest: Vec<usize>,
}

impl Roles {
    fn of(csv: &NamedCsv, form: &SumsFileForm) -> Result<Roles> {
        let refused = |text: String| {
            Error::new(ErrorCategory::Input, text)
                .in_file(form.file)
                .at_line(1)
        };
        let value = csv.column(form.value).ok_or_else(|| {
            refused(format!(
                "there is no column `{}` with the sums: name the column with --value",
                form.value
            ))
        })?;
        let count = csv.column("freq");
        let status = csv.column("status").or_else(|| csv.column("sdcStatus"));
        let largest: Vec<usize> = (1..)
            .map_while(|at| csv.column(&format!("max{at}")))
            .collect();
        let named: BTreeSet<usize> = [Some(value), count, status]
            .into_iter()
            .flatten()
            .chain(largest.clone())
            .collect();
        let dimensions: Vec<usize> = (0..csv.names.len())
            .filter(|column| !named.contains(column))
            .collect();
        if dimensions.is_empty() {
            return Err(refused(
                "there is no column with codes: a table of sums needs one for each dimension"
                    .to_owned(),
            ));
        }
        if !largest.is_empty() && largest.len() < form.kept && form.contributions.is_none() {
            let text = format!(
                "the rules need the {} largest contributions, but the table has only max1 to max{}",
                form.kept,
                largest.len()
            );
            return Err(refused(text));
        }
        if !largest.is_empty() && form.signed && form.contributions.is_none() {
            let text = "the largest contributions are not enough where some are below 0: give all of them with \
                --contributions";
            return Err(refused(text.to_owned()));
        }
        Ok(Roles {
            dimensions,
            value,
            count,
            status,
            largest,
        })
    }
}

/// A row of the table.
struct Row {
    line: u64,
    codes: Vec<String>,
    value: Option<ScaledNumber>,
    count: Option<u64>,
    largest: Vec<ScaledNumber>,
    mark: CellMark,
}

/// Reads the table, with the contributions where there are some.
///
/// # Errors
/// A file cannot be read, is no such table, or they do not belong together.
pub(super) fn read(form: &SumsFileForm) -> Result<SumsFile> {
    let csv = NamedCsv::read(form.file)?;
    let roles = Roles::of(&csv, form)?;
    if csv.rows.is_empty() {
        return Err(Error::new(ErrorCategory::Input, "the table has no rows").in_file(form.file));
    }
    let rows: Vec<Row> = csv
        .rows
        .iter()
        .map(|(line, row)| parsed(*line, row, &csv, &roles, form))
        .collect::<Result<_>>()?;
    let dimensions = dimensions(&csv, &roles, form)?;
    let people = form
        .contributions
        .map(|(file, person)| contributed(file, person, &dimensions, form))
        .transpose()?;
    let numbers = rows
        .iter()
        .flat_map(|row| row.value.into_iter().chain(row.largest.iter().copied()));
    let given = people.iter().flatten().map(|(_, _, number, _)| *number);
    let scale = numbers
        .chain(given)
        .map(ScaledNumber::scale)
        .max()
        .unwrap_or(0);
    let mut read = placed(&rows, dimensions, scale, form)?;
    if let (Some(people), Some((file, _))) = (people, form.contributions) {
        let in_units = |(cell, person, number, line): (usize, u32, ScaledNumber, u64)| {
            let units = number
                .in_units(scale)
                .ok_or_else(|| too_large(file, line, form.value))?;
            Ok((cell, person, units))
        };
        let people = people
            .into_iter()
            .map(in_units)
            .collect::<Result<Vec<_>>>()?;
        if let Some(&cell) = read.table.contribute(&people, form.kept).first() {
            let text = format!(
                "the sum of {} is not the sum of its contributions: the files do not match",
                read.name(cell)
            );
            let error = Error::new(ErrorCategory::Input, text)
                .in_file(form.file)
                .in_field(form.value);
            return Err(match read.lines[cell] {
                Some(line) => error.at_line(line),
                None => error,
            });
        }
    }
    Ok(read)
}

fn too_large(file: &Path, line: u64, column: &str) -> Error {
    let text = "a number has too many digits: at most 18, counting as many decimals as the finest number has";
    Error::new(ErrorCategory::Input, text)
        .in_file(file)
        .at_line(line)
        .in_field(column)
}

fn number(
    text: &str,
    file: &Path,
    line: u64,
    (column, signed): (&str, bool),
) -> Result<Option<ScaledNumber>> {
    let refused = |text: &str| {
        Error::new(ErrorCategory::Input, text)
            .in_file(file)
            .at_line(line)
            .in_field(column)
    };
    if text.is_empty() || text == "NA" {
        return Ok(None);
    }
    let number = ScaledNumber::parse(text).ok_or_else(|| {
        refused("not a number: write digits and a decimal point, at most 18 digits; an empty field is not a number")
    })?;
    if !signed && text.starts_with('-') && number.in_units(number.scale()) != Some(0) {
        return Err(refused(
            "a number below 0: give --signed, which assumes that contributions may be negative",
        ));
    }
    Ok(Some(number))
}

fn parsed(
    line: u64,
    row: &[String],
    csv: &NamedCsv,
    roles: &Roles,
    form: &SumsFileForm,
) -> Result<Row> {
    let refused = |text: &str, column: usize| {
        Error::new(ErrorCategory::Input, text)
            .in_file(form.file)
            .at_line(line)
            .in_field(csv.names[column].as_str())
    };
    let value = number(
        &row[roles.value],
        form.file,
        line,
        (form.value, form.signed),
    )?;
    let count = roles
        .count
        .filter(|&column| !row[column].is_empty() && row[column] != "NA");
    let whole = |column: usize| {
        let number = ScaledNumber::parse(&row[column])
            .and_then(|number| u64::try_from(number.in_units(0)?).ok());
        number.ok_or_else(|| refused("not a whole number of contributions", column))
    };
    let count = count.map(whole).transpose()?;
    let largest = roles
        .largest
        .iter()
        .map(|&column| number(&row[column], form.file, line, (&csv.names[column], false)));
    let largest: Vec<ScaledNumber> = largest
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    let status = roles.status.map_or("", |column| row[column].as_str());
    let mark = match (status.to_lowercase().as_str(), value) {
        ("", None) => CellMark::LeftOut,
        ("" | "s", Some(_)) => CellMark::Published,
        ("z" | "p", Some(_)) => CellMark::Kept,
        ("u", _) => CellMark::Primary,
        ("x" | "m" | "d", _) => CellMark::Secondary,
        ("s" | "z" | "p", None) => {
            return Err(refused(
                "a cell with the status of a published one has no value",
                roles.value,
            ));
        }
        _ => {
            let text = "an unknown status: write s (published), z or p (always published), u (suppressed, sensitive), \
                        x, m or d (suppressed to protect others), or nothing";
            return Err(refused(text, roles.status.unwrap_or(roles.value)));
        }
    };
    let codes = roles
        .dimensions
        .iter()
        .map(|&column| row[column].clone())
        .collect();
    Ok(Row {
        line,
        codes,
        value,
        count,
        largest,
        mark,
    })
}

fn dimensions(csv: &NamedCsv, roles: &Roles, form: &SumsFileForm) -> Result<Vec<DimensionCodes>> {
    for (name, file) in form.hierarchies {
        if !roles
            .dimensions
            .iter()
            .any(|&column| csv.names[column] == *name)
        {
            let text = format!(
                "the table {} has no dimension `{name}`",
                form.file.display()
            );
            return Err(Error::new(ErrorCategory::Usage, text)
                .in_file(file)
                .in_field("--hierarchy"));
        }
    }
    let dimension = |&column: &usize| {
        let name = csv.names[column].as_str();
        if let Some((_, file)) = form.hierarchies.iter().find(|(of, _)| of == name) {
            return DimensionCodes::read(name, file, form.total);
        }
        let mut seen: Vec<String> = Vec::new();
        let mut known = BTreeSet::new();
        for (_, row) in &csv.rows {
            if known.insert(row[column].as_str()) {
                seen.push(row[column].clone());
            }
        }
        // Without a total nothing adds up over the column, and a total under another name would be
        // taken for a part.
        if !known.contains(form.total) {
            let text = format!(
                "the column has no code `{}`: name the code of its total with --total, or give all its codes with \
                 --hierarchy {name}=FILE, including those that the table lacks",
                form.total
            );
            return Err(Error::new(ErrorCategory::Input, text)
                .in_file(form.file)
                .in_field(name));
        }
        Ok(DimensionCodes::flat(name, &seen, form.total))
    };
    roles.dimensions.iter().map(dimension).collect()
}

/// Puts rows into the cells of the table.
fn placed(
    rows: &[Row],
    dimensions: Vec<DimensionCodes>,
    scale: u32,
    form: &SumsFileForm,
) -> Result<SumsFile> {
    let refused = |text: String, line: u64| {
        Error::new(ErrorCategory::Input, text)
            .in_file(form.file)
            .at_line(line)
    };
    let of = Dimensions::new(
        dimensions
            .iter()
            .map(|codes| codes.dimension.clone())
            .collect(),
    );
    let cells = of.cells().filter(|&cells| cells <= MOST_CELLS).ok_or_else(|| {
        let text = format!("the codes of all dimensions make more than {MOST_CELLS} cells: check parts of the table");
        Error::new(ErrorCategory::Input, text).in_file(form.file)
    })?;
    let range = if form.signed {
        Range::Free
    } else {
        Range::NotNegative
    };
    let absent = TableCell {
        mark: CellMark::Absent,
        value: None,
        contributors: None,
        contributions: None,
    };
    let table = SumsTable {
        dimensions: of,
        range,
        entries: vec![absent; cells],
    };
    let mut read = SumsFile {
        table,
        dimensions,
        scale,
        counts: vec![None; cells],
        lines: vec![None; cells],
    };
    let mut used: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); read.dimensions.len()];
    for row in rows {
        let mut codes = Vec::with_capacity(row.codes.len());
        for ((dimension, code), used) in read.dimensions.iter().zip(&row.codes).zip(&mut used) {
            let place = dimension.place(code).ok_or_else(|| {
                refused(format!("`{code}` is not a code of its hierarchy"), row.line)
                    .in_field(dimension.name.as_str())
            })?;
            used.insert(place);
            codes.push(place);
        }
        let cell = read.table.dimensions.cell(&codes);
        if let Some(first) = read.lines[cell].replace(row.line) {
            return Err(refused(
                format!(
                    "the cell {} already occurs in line {first}",
                    read.name(cell)
                ),
                row.line,
            ));
        }
        let units = |number: ScaledNumber| {
            number
                .in_units(scale)
                .ok_or_else(|| too_large(form.file, row.line, form.value))
        };
        let value = row.value.map(units).transpose()?.map(i128::from);
        read.counts[cell] = row.count;
        let contributions = known(row, value, form, units)?;
        read.table.entries[cell] = TableCell {
            mark: row.mark,
            value,
            contributors: row.count,
            contributions,
        };
    }
    // A code that occurs nowhere in the table is not published; one that does occur has to be there
    // in every combination.
    let missing = (0..cells).find(|&cell| {
        let codes = read.table.dimensions.codes(cell);
        read.lines[cell].is_none()
            && codes
                .iter()
                .zip(&used)
                .all(|(code, used)| used.contains(code))
    });
    match missing {
        Some(cell) => {
            let text = format!(
                "the cell {} has no row: write it with the value 0 if it is empty, and without a value if it is \
                 suppressed",
                read.name(cell)
            );
            Err(Error::new(ErrorCategory::Input, text).in_file(form.file))
        }
        None => Ok(read),
    }
}

/// What a row says about the contributions to its cell.
fn known(
    row: &Row,
    value: Option<i128>,
    form: &SumsFileForm,
    units: impl Fn(ScaledNumber) -> Result<i64>,
) -> Result<Option<SumCell>> {
    let Some(sum) = value.and_then(|value| u128::try_from(value).ok()) else {
        return Ok(None);
    };
    if row.largest.is_empty() && sum > 0 {
        return Ok(None);
    }
    let mut largest = Vec::with_capacity(form.kept.max(row.largest.len()));
    for &number in &row.largest {
        largest.push(units(number)?.unsigned_abs());
    }
    let of_largest: u128 = largest.iter().map(|&units| u128::from(units)).sum();
    let all = of_largest == sum || row.count.is_some_and(|count| count <= largest.len() as u64);
    if largest.len() < form.kept && !all {
        return Ok(None);
    }
    largest.resize(form.kept.max(largest.len()), 0);
    let rows = row.count.unwrap_or(u64::MAX);
    let cell = SumCell::of_table(rows, sum, largest).ok_or_else(|| {
        let text = "the largest contributions add up to more than the value, or there are more of them than `freq`";
        Error::new(ErrorCategory::Input, text).in_file(form.file).at_line(row.line).in_field("max1")
    })?;
    Ok(Some(cell))
}

/// A contribution: the cell, the person, the number, the line.
type Contribution = (usize, u32, ScaledNumber, u64);

fn contributed(
    file: &Path,
    person: &str,
    dimensions: &[DimensionCodes],
    form: &SumsFileForm,
) -> Result<Vec<Contribution>> {
    let csv = NamedCsv::read(file)?;
    let column = |name: &str| {
        csv.column(name).ok_or_else(|| {
            let text = "the file of contributions lacks this column: it needs one for each dimension of the table, one \
                        for the person (--person) and one for the number (--value)";
            Error::new(ErrorCategory::Input, text).in_file(file).at_line(1).in_field(name)
        })
    };
    let columns = dimensions
        .iter()
        .map(|dimension| column(&dimension.name))
        .collect::<Result<Vec<usize>>>()?;
    let (person, value) = (column(person)?, column(form.value)?);
    let of = Dimensions::new(
        dimensions
            .iter()
            .map(|codes| codes.dimension.clone())
            .collect(),
    );
    let mut people: BTreeMap<&str, u32> = BTreeMap::new();
    let mut found = Vec::with_capacity(csv.rows.len());
    for (line, row) in &csv.rows {
        let refused = |text: &str, column: usize| {
            Error::new(ErrorCategory::Input, text)
                .in_file(file)
                .at_line(*line)
                .in_field(csv.names[column].as_str())
        };
        let mut codes = Vec::with_capacity(columns.len());
        for (dimension, &column) in dimensions.iter().zip(&columns) {
            let place = dimension
                .place(&row[column])
                .filter(|&place| dimension.dimension.is_leaf(place));
            codes.push(place.ok_or_else(|| {
                refused(
                    "a code that the table does not have, or one of its totals",
                    column,
                )
            })?);
        }
        let number = number(&row[value], file, *line, (form.value, form.signed))?
            .ok_or_else(|| refused("a contribution without a number", value))?;
        if row[person].is_empty() {
            return Err(refused(
                "a contribution names no person: the contributions of each person are added up, so every row must name \
                 one",
                person,
            ));
        }
        let next = u32::try_from(people.len()).map_err(|_| refused("too many people", person))?;
        let who = *people.entry(row[person].as_str()).or_insert(next);
        found.push((of.cell(&codes), who, number, *line));
    }
    Ok(found)
}
