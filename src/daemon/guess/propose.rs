//! A taxonomy for a column that is to be generalised, from what its sample shows (CONTRACTS 2, and 3 `init`). Every
//! proposal leaves room beyond the sample and says why it looks as it does; none is made for a column whose values are
//! not to be written down.

use super::names::Name;
use super::sample::Profile;
use super::shape::Shape;
use crate::engine::model::forms::{self, Builtin, Codes, TaxonomyTable, dates};
use crate::engine::model::{DateLevel, Domain, Kind, Leaf, whole_number};

/// Most values of a list that people may still want to read.
const MOST_CATEGORIES: usize = 60;
/// The same, when the name says that others know the value.
const MOST_KNOWN_CATEGORIES: usize = 1_000;
/// Most integers with a leaf of their own; beyond, intervals.
const MOST_BANDED: i64 = 5_000;

/// Fewest different integers that are an amount by themselves.
const FEWEST_BANDED: usize = 5;

/// The leaf for values that the sample does not show.
pub const OTHER: &str = "other";

/// A taxonomy, as it will be written.
pub struct Proposal {
    /// The table; the file's name is put in later.
    pub table: TaxonomyTable,
    /// The type to write, where it is not the form's own.
    pub kind: Option<Kind>,
    /// The rows of the file it names.
    pub rows: Option<Vec<Vec<String>>>,
    /// The leaf for what the sample does not show.
    pub unknown: Option<String>,
    /// Why it looks as it does, and how to change it.
    pub why: String,
}

impl Proposal {
    fn new(table: TaxonomyTable, why: impl Into<String>) -> Proposal {
        Proposal { table, kind: None, rows: None, unknown: None, why: why.into() }
    }
}

/// A taxonomy for this column, or why there is none.
pub fn propose(profile: &Profile, name: &Name, shape: Shape) -> Result<Proposal, String> {
    let declared = profile.declared.unwrap_or(None);
    if let Some(proposal) = builtin(profile, name, shape) {
        return Ok(proposal);
    }
    match shape {
        Shape::Date { from, to } => Ok(dated(name, from, to)),
        Shape::OtherDate => {
            Err("its dates are not written as 2020-01-31; rewrite them, then use the form `date`".into())
        }
        Shape::Float => {
            Err("numbers with fractions have no form of taxonomy; round them to whole numbers first".into())
        }
        Shape::FreeText => Err("it looks like free text, which cannot be generalised and may name people".into()),
        Shape::Code { length } if profile.values.len() > 12 && !profile.more => Ok(prefixed(profile, length, None)),
        Shape::Int { min, .. } if name.is_postal().0 && min >= 0 => postal_numbers(profile, name),
        Shape::Int { min, max, stray } if !listed(profile, name, max.abs_diff(min)) => {
            let proposal = numbers(min, max)?;
            if stray || declared == Some(Kind::String) { written_out(profile, &proposal.table) } else { Ok(proposal) }
        }
        _ => categories(profile, name),
    }
}

/// Whether whole numbers look like codes of categories: few of them, close together, and very few unless the name
/// speaks of categories.
fn listed(profile: &Profile, name: &Name, span: u64) -> bool {
    let most = if name.is_code() { 20 } else { FEWEST_BANDED - 1 };
    !name.is_quantity() && profile.values.len() <= most && span <= 2 * profile.values.len() as u64
}

/// A taxonomy that comes with the program, if name and all values fit it.
fn builtin(profile: &Profile, name: &Name, shape: Shape) -> Option<Proposal> {
    let declared = profile.declared.unwrap_or(None);
    let text = declared.is_none_or(|kind| kind == Kind::String);
    let made = |which: Builtin, why: &str| {
        Proposal::new(TaxonomyTable { builtin: Some(which), ..TaxonomyTable::default() }, why)
    };
    match shape {
        Shape::Int { min: 0.., max: ..=125, stray: false } if name.is_age() && declared != Some(Kind::String) => {
            Some(made(Builtin::Age, "built in: single years, bands of 5, 10 and 20, `90+`"))
        }
        Shape::Icd10 if text => Some(Proposal {
            unknown: Some(OTHER.to_owned()),
            ..made(Builtin::Icd10, "built in: categories, blocks and chapters of the WHO")
        }),
        _ if text && name.is_sex() && fits(profile, Builtin::Sex) => {
            Some(made(Builtin::Sex, "built in: female, male, other, unknown, in their usual spellings"))
        }
        _ if text && name.is_postal().1 && fits(profile, Builtin::UsZip3) => Some(Proposal {
            unknown: Some(OTHER.to_owned()),
            ..made(Builtin::UsZip3, "built in: three-digit areas, the 17 smallest as 000, then the first digit")
        }),
        _ => None,
    }
}

/// Whether every value has a leaf in a builtin.
fn fits(profile: &Profile, which: Builtin) -> bool {
    let table = TaxonomyTable { builtin: Some(which), ..TaxonomyTable::default() };
    let domain: Option<Domain> = forms::build(&table, &[]).ok().map(|built| built.domain);
    domain.is_some_and(|domain| profile.values.keys().all(|value| domain.leaf_of_text(Kind::String, value).is_some()))
}

fn dated(name: &Name, from: i32, to: i32) -> Proposal {
    let (first, ..) = dates::civil_from_days(from);
    let (last, ..) = dates::civil_from_days(to);
    let (levels, early, late) = match name.is_birth() {
        true => (
            vec![DateLevel::Day, DateLevel::Month, DateLevel::Year, DateLevel::Decade],
            first.div_euclid(10) * 10 - 10,
            last + 5,
        ),
        false => (vec![DateLevel::Day, DateLevel::Month, DateLevel::Quarter, DateLevel::Year], first - 1, last + 10),
    };
    let table = TaxonomyTable {
        date: Some(levels),
        from: Some(format!("{:04}-01-01", early.max(1))),
        to: Some(format!("{:04}-12-31", late.min(9999))),
        ..TaxonomyTable::default()
    };
    let why = "the sample's days with room on both sides; the first level is what a leaf stands for";
    Proposal::new(table, why)
}

/// Codes of one length under their beginnings.
fn prefixed(profile: &Profile, length: usize, kind: Option<Kind>) -> Proposal {
    let keep: Vec<i64> = (1..length as i64).rev().take(4).collect();
    let table = TaxonomyTable {
        prefix: Some(keep),
        length: Some(length as i64),
        domain: Some(Codes::File(String::new())),
        ..TaxonomyTable::default()
    };
    let rows = profile.values.keys().map(|code| vec![code.to_string()]).collect();
    let why = "codes of one length; the file lists those of the sample, one a line: replace it by the whole list";
    Proposal { rows: Some(rows), unknown: Some(OTHER.to_owned()), kind, ..Proposal::new(table, why) }
}

/// Postal codes that a file holds as numbers, which has cost them their leading zeros.
fn postal_numbers(profile: &Profile, name: &Name) -> Result<Proposal, String> {
    let kind = profile.declared.unwrap_or(None).filter(|&kind| kind != Kind::String);
    let length = profile.values.keys().next().map_or(0, |value| value.len());
    if length > 1 && profile.values.keys().all(|value| value.len() == length) && !profile.more {
        return Ok(prefixed(profile, length, kind));
    }
    categories(profile, name)
        .map_err(|_| "postal codes of different lengths: write them as text, with their zeros".into())
}

/// Bands, or intervals when there are too many numbers, with a tenth of room on both sides.
fn numbers(min: i64, max: i64) -> Result<Proposal, String> {
    let far = || "its numbers are too large for a taxonomy".to_owned();
    let room = max.checked_sub(min).ok_or_else(far)? / 10 + 1;
    let low = min.checked_sub(room).ok_or_else(far)?;
    let low = if min >= 0 { low.max(0) } else { low };
    let high = max.checked_add(room).ok_or_else(far)?;
    let span = high.checked_sub(low).and_then(|span| span.checked_add(1)).ok_or_else(far)?;
    if span <= MOST_BANDED {
        let steps = || {
            std::iter::successors(Some((5i64, 2i64)), |&(width, by)| Some((width * by, 7 - by))).map(|(width, _)| width)
        };
        let widths: Vec<i64> = steps()
            .skip_while(|width| span / width > 40)
            .take_while(|&width| width == 5 || span / width >= 2)
            .take(3)
            .collect();
        let unit = widths.get(1).or(widths.first()).copied().unwrap_or(5);
        let (low, high) = (low.div_euclid(unit) * unit, high.div_euclid(unit) * unit + unit - 1);
        let table = TaxonomyTable { bands: Some(widths), min: Some(low), max: Some(high), ..TaxonomyTable::default() };
        let why = "the sample's numbers with room on both sides; what lies outside fits nowhere";
        return Ok(Proposal::new(table, why));
    }
    let (edges, layers) = edges(low, high, span).ok_or_else(far)?;
    let table = TaxonomyTable { leaves: Some(edges), layers: Some(layers), ..TaxonomyTable::default() };
    Ok(Proposal::new(
        table,
        "intervals over the sample's numbers with room on both sides; the layers are children per node",
    ))
}

/// The tree of a table as a file, for numbers that are text or stand among things like `NA`.
fn written_out(profile: &Profile, table: &TaxonomyTable) -> Result<Proposal, String> {
    let tree = forms::build(table, &[]).map_err(|error| error.text)?.domain.tree;
    if table.bands.is_none() {
        return Err(
            "many numbers, some of them missing or written as text: clean them, then use the form `leaves`".into()
        );
    }
    let mut rows = Vec::with_capacity(tree.leaves());
    for leaf in 0..tree.leaves() as Leaf {
        let up = std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node));
        rows.push(up.map(|node| tree.label(node).to_owned()).collect());
    }
    let strays = profile.values.keys().filter(|value| tree.find(value).is_none());
    rows.extend(strays.map(|value| vec![value.to_string(), tree.label(0).to_owned()]));
    let table = TaxonomyTable { file: Some(String::new()), ..TaxonomyTable::default() };
    let why =
        "numbers written as text, or among values that are none: so their bands are written out, value;band;…;root";
    Ok(Proposal { rows: Some(rows), unknown: Some(OTHER.to_owned()), ..Proposal::new(table, why) })
}

/// At most twenty intervals of a round width, and how they are grouped.
fn edges(low: i64, high: i64, span: i64) -> Option<(Vec<i64>, Vec<i64>)> {
    let mut width = 1i64;
    let mut factors = [2i64, 5, 10].into_iter().cycle();
    let mut power = 1i64;
    while span / width >= 19 {
        let factor = factors.next()?;
        width = power.checked_mul(factor)?;
        if factor == 10 {
            power = width;
        }
    }
    let first = low.div_euclid(width);
    let needed = high.div_euclid(width).checked_sub(first)? + 1;
    let (leaves, layers) = [(8, vec![2, 2, 2]), (12, vec![2, 2, 3]), (16, vec![2, 2, 2, 2]), (20, vec![2, 2, 5])]
        .into_iter()
        .find(|(leaves, _)| *leaves >= needed)?;
    let edges: Option<Vec<i64>> = (0..=leaves).map(|at| first.checked_add(at)?.checked_mul(width)).collect();
    Some((edges?, layers))
}

/// A file of values right under the root, those that begin with the same word under that word.
fn categories(profile: &Profile, name: &Name) -> Result<Proposal, String> {
    let most = if name.is_known() { MOST_KNOWN_CATEGORIES } else { MOST_CATEGORIES };
    if profile.values.len() > most {
        return Err(format!("it has more than {most} different values; give it a hierarchy, then use the form `file`"));
    }
    let mut values: Vec<&str> = profile.values.keys().map(AsRef::as_ref).collect();
    // Numbers in their order, what is no number behind them.
    values.sort_by_key(|value| whole_number(value).map_or((1, 0), |number| (0, number)));
    let root = ["*", "any", "(any)", "((any))"].into_iter().find(|root| !values.contains(root)).unwrap_or("(((any)))");
    let kind = profile.declared.unwrap_or(None).filter(|&kind| kind != Kind::String);
    let text = kind.is_none() && values.len() > 5;
    let mut grouped = false;
    let rows = values.iter().map(|&value| {
        let group = text.then(|| first_word(value, &values)).flatten();
        grouped |= group.is_some();
        std::iter::once(value.to_owned()).chain(group).chain([root.to_owned()]).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let why = match grouped {
        true => {
            "the sample's values, those with the same first word in a group; a row is value;group;…;root: mend the groups"
        }
        false => "the sample's values right under the root; to add levels, write groups between: value;group;…;root",
    };
    let other = values.iter().find(|value| value.eq_ignore_ascii_case(OTHER)).copied().unwrap_or(OTHER).to_owned();
    let table = TaxonomyTable { file: Some(String::new()), ..TaxonomyTable::default() };
    Ok(Proposal { rows: Some(rows), unknown: Some(other), kind, ..Proposal::new(table, why) })
}

/// The label of the group of values that begin with the same word, when there is one and it is not all of them.
fn first_word(value: &str, all: &[&str]) -> Option<String> {
    let word = |value: &str| value.split([' ', '-', '_', '/', ',']).next().unwrap_or_default().to_owned();
    let mine = word(value);
    let members = all.iter().filter(|other| word(other) == mine).count();
    let label = format!("{mine} …");
    (mine.chars().count() > 2 && members > 1 && members < all.len() && !all.contains(&label.as_str())).then_some(label)
}
