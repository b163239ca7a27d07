//! Proposes a taxonomy for a column that is to be generalised, from its sample (CONTRACTS 2, and 3
//! `init`). Every proposal leaves room beyond the sample and explains its form; none is made for a
//! column whose values must not be written.

use std::collections::BTreeSet;

use super::names::ColumnName;
use super::profile::Profile;
use super::proposal::{OTHER, Proposal};
use super::shape::ValueShape;
use super::{content, hierarchy_rows, ladder, lists};
use crate::engine::model::forms::{self, Builtin, PrefixCodes, TaxonomyTable, dates};
use crate::engine::model::{DateLevel, Domain, Kind, whole_number};

/// The most codes that are listed; more are grouped by their beginnings.
const FEW_CODES: usize = 12;
/// Ages below this one have a label each in the built-in taxonomy.
const OLDEST: i64 = 90;
/// The last year of bands of ages.
const MOST_YEARS: i64 = 119;
/// With fewer different integers a column is not recognised as an amount by itself.
const FEWEST_BANDED: usize = 5;

/// A taxonomy for this column, or why there is none.
pub(super) fn propose(
    profile: &Profile,
    name: &ColumnName,
    shape: ValueShape,
) -> Result<Proposal, String> {
    let mut proposal = chosen(profile, name, shape)?;
    if profile.is_padded() && proposal.table.file.is_none() {
        proposal = hierarchy_rows::as_spelled(profile, &proposal, |label| vec![label.to_owned()])?;
    }
    if profile.blank() > 0 {
        proposal.unknown.get_or_insert_with(|| OTHER.to_owned());
    }
    Ok(proposal)
}

/// The same, ignoring spaces around values.
fn chosen(profile: &Profile, name: &ColumnName, shape: ValueShape) -> Result<Proposal, String> {
    if let Some(proposal) = builtin(profile, name, shape) {
        return Ok(proposal);
    }
    match shape {
        ValueShape::Date { from, to, stray } => {
            let unknown = stray.then(|| OTHER.to_owned());
            let proposal = Proposal {
                unknown,
                ..dated(name, from, to)
            };
            // Columns of text contain no days.
            let text = profile.declared == Ok(Some(Kind::String));
            if text {
                hierarchy_rows::as_spelled(profile, &proposal, |label| vec![label.to_owned()])
            } else {
                Ok(proposal)
            }
        }
        ValueShape::Days { from, to, notation } => {
            let spell = |label: &str| {
                dates::parse(label)
                    .map(|day| notation.write(day))
                    .into_iter()
                    .collect()
            };
            let proposal = hierarchy_rows::as_spelled(profile, &dated(name, from, to), spell)?;
            let why = "days as the sample writes them, with room on both sides: day;month;…;root. Dates that are written as \
                       2020-01-31 need no file";
            Ok(Proposal {
                why: why.into(),
                ..proposal
            })
        }
        ValueShape::OtherDate => Err(
            "its dates are not written as 2020-01-31; rewrite them, then use the form `date`"
                .into(),
        ),
        ValueShape::Float(Some(fractions)) => ladder::decimals(profile, fractions),
        ValueShape::Float(None) => Err(
            "numbers with many digits behind the point have no taxonomy; round them first".into(),
        ),
        ValueShape::FreeText => {
            Err("it looks like free text, which cannot be generalised and may name people".into())
        }
        ValueShape::Zeros { min, max, length } => zeros(profile, name, (min, max), length),
        ValueShape::Code { length } if profile.values.len() > FEW_CODES && !profile.more => {
            prefixed(profile, length, None)
        }
        ValueShape::Postcode(form) => lists::postcodes(profile, form),
        ValueShape::Int {
            min: 0..,
            max: ..=MOST_YEARS,
            stray,
        } if name.is_age() => ages(profile, stray),
        ValueShape::Int { min, .. } if name.is_postal().0 && min >= 0 => {
            postal_numbers(profile, name)
        }
        ValueShape::Int { min, max, stray } if !listed(profile, name, max.abs_diff(min)) => {
            amounts(profile, (min, max), stray)
        }
        _ => {
            lists::categories(profile, name).or_else(|why| with_units(profile).unwrap_or(Err(why)))
        }
    }
}

/// Bands of amounts that all have the same sign before them or the same unit after them (`12 mg`,
/// `$5`); none for names with numbers (`Ward 12`).
fn with_units(profile: &Profile) -> Option<Result<Proposal, String>> {
    let (first, _) = profile.trimmed().next()?;
    let from = first.find(|c: char| c.is_ascii_digit())?;
    let to = first.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (before, behind) = (&first[..from], &first[to..]);
    let number = |value: &str| whole_number(value.strip_prefix(before)?.strip_suffix(behind)?);
    let (min, max, _) = profile
        .range(number)
        .filter(|_| !before.chars().any(char::is_alphabetic))?;
    let spell = |label: &str| vec![format!("{before}{label}{behind}")];
    Some(
        ladder::numbers(min, max)
            .and_then(|bands| hierarchy_rows::as_spelled(profile, &bands, spell)),
    )
}

/// Ages of which some have no label of their own in the built-in taxonomy.
fn ages(profile: &Profile, stray: bool) -> Result<Proposal, String> {
    let bands = Some(vec![5, 10, 20, 40]);
    let table = TaxonomyTable {
        bands,
        min: Some(0),
        max: Some(MOST_YEARS),
        ..TaxonomyTable::default()
    };
    let why = "single years in bands of 5, 10, 20 and 40; with { builtin = \"age\" } all from 90 on are `90+`";
    spelled_amounts(profile, Proposal::new(table, why), stray)
}

/// Bands or intervals of whole numbers. Text among the numbers is outside of them.
fn amounts(profile: &Profile, (min, max): (i64, i64), stray: bool) -> Result<Proposal, String> {
    // Numbers in text need a label each.
    let proposal = match profile.is_padded() || profile.declared == Ok(Some(Kind::String)) {
        true => ladder::numbers(min, max)?,
        false => ladder::counted(&profile.counts(whole_number), min, max)?,
    };
    spelled_amounts(profile, proposal, stray)
}

fn spelled_amounts(profile: &Profile, proposal: Proposal, stray: bool) -> Result<Proposal, String> {
    let proposal = match profile.declared {
        Ok(Some(Kind::String)) => {
            hierarchy_rows::as_spelled(profile, &proposal, |label| vec![label.to_owned()])?
        }
        _ => proposal,
    };
    Ok(match stray {
        true => Proposal {
            unknown: Some(OTHER.to_owned()),
            ..proposal
        },
        false => proposal,
    })
}

/// Numbers with leading zeros: amounts in bands, codes by their beginnings, or a list in order.
fn zeros(
    profile: &Profile,
    name: &ColumnName,
    (min, max): (i64, i64),
    length: Option<usize>,
) -> Result<Proposal, String> {
    let codes = profile.values.len() > FEW_CODES && !profile.more;
    match length {
        Some(length) if codes && !name.is_quantity() => return prefixed(profile, length, None),
        _ => {}
    }
    let amount = name.is_quantity() && profile.values.len() > FEW_CODES;
    if let (false, Ok(list)) = (amount, lists::categories(profile, name)) {
        return Ok(list);
    }
    let lengths: BTreeSet<usize> = profile.trimmed().map(|(value, _)| value.len()).collect();
    hierarchy_rows::as_spelled(profile, &ladder::numbers(min, max)?, |label| {
        lengths
            .iter()
            .map(|&length| format!("{label:0>length$}"))
            .collect()
    })
}

/// Whether whole numbers look like codes of categories: few of them and close together, and very
/// few unless the name suggests categories.
fn listed(profile: &Profile, name: &ColumnName, span: u64) -> bool {
    let most = if name.is_code() {
        20
    } else {
        FEWEST_BANDED - 1
    };
    !name.is_quantity() && profile.values.len() <= most && span <= 2 * profile.values.len() as u64
}

/// A built-in taxonomy, if name and all values fit it.
fn builtin(profile: &Profile, name: &ColumnName, shape: ValueShape) -> Option<Proposal> {
    if profile.is_padded() {
        return None;
    }
    let declared = profile.declared.unwrap_or(None);
    let text = declared.is_none_or(|kind| kind == Kind::String);
    let made = |which: Builtin, why: &str| {
        Proposal::new(
            TaxonomyTable {
                builtin: Some(which),
                ..TaxonomyTable::default()
            },
            why,
        )
    };
    match shape {
        ValueShape::Int {
            min: 0..,
            max: ..OLDEST,
            stray,
        } if name.is_age() && declared != Some(Kind::String) => Some(Proposal {
            unknown: stray.then(|| OTHER.to_owned()),
            ..made(
                Builtin::Age,
                "built in: single years, bands of 5, 10 and 20, `90+`",
            )
        }),
        ValueShape::Icd10 if text => Some(Proposal {
            unknown: Some(OTHER.to_owned()),
            ..made(
                Builtin::Icd10,
                "built in: categories, blocks and chapters of the WHO",
            )
        }),
        _ if text
            && (name.is_sex() || content::is_sex(profile))
            && spelled(profile, Builtin::Sex) =>
        {
            Some(made(
                Builtin::Sex,
                "built in: female, male, other, unknown, in their usual spellings",
            ))
        }
        _ if text && (name.is_postal().1 || zip(shape)) && fits(profile, Builtin::UsZip3) => {
            Some(Proposal {
                unknown: Some(OTHER.to_owned()),
                ..made(
                    Builtin::UsZip3,
                    "built in: three-digit areas, the 17 smallest as 000, then the first digit",
                )
            })
        }
        _ => None,
    }
}

/// Whether codes are those of the United States with four additional digits.
fn zip(shape: ValueShape) -> bool {
    matches!(shape, ValueShape::Postcode(form) if form.is_american())
}

/// Whether every value has a leaf in a builtin.
fn fits(profile: &Profile, which: Builtin) -> bool {
    let domain = domain(which);
    domain.is_some_and(|domain| {
        profile
            .values
            .keys()
            .all(|value| domain.leaf_of_text(Kind::String, value).is_some())
    })
}

/// Whether every value has a leaf in a builtin, and is its label or one of several spellings. If
/// each leaf occurs in a single other spelling, values are better kept as they are.
fn spelled(profile: &Profile, which: Builtin) -> bool {
    let Some(domain) = domain(which).filter(|_| fits(profile, which)) else {
        return false;
    };
    let leaves: BTreeSet<_> = profile
        .values
        .keys()
        .filter_map(|value| domain.leaf_of_text(Kind::String, value))
        .collect();
    leaves.len() < profile.values.len()
        || profile
            .values
            .keys()
            .all(|value| domain.tree.find_leaf(value).is_some())
}

fn domain(which: Builtin) -> Option<Domain> {
    let table = TaxonomyTable {
        builtin: Some(which),
        ..TaxonomyTable::default()
    };
    forms::build(&table, &[]).ok().map(|built| built.domain)
}

fn dated(name: &ColumnName, from: i32, to: i32) -> Proposal {
    let (first, ..) = dates::civil_from_days(from);
    let (last, ..) = dates::civil_from_days(to);
    let (levels, early, late) = match name.is_birth() || content::are_births(from, to) {
        true => (
            vec![
                DateLevel::Day,
                DateLevel::Month,
                DateLevel::Year,
                DateLevel::Decade,
            ],
            first.div_euclid(10) * 10 - 10,
            last + 5,
        ),
        false => (
            vec![
                DateLevel::Day,
                DateLevel::Month,
                DateLevel::Quarter,
                DateLevel::Year,
            ],
            first - 1,
            last + 10,
        ),
    };
    let table = TaxonomyTable {
        date: Some(levels),
        from: Some(format!("{:04}-01-01", early.max(1))),
        to: Some(format!("{:04}-12-31", late.min(9999))),
        ..TaxonomyTable::default()
    };
    let why =
        "the sample's days with room on both sides; the first level is what a leaf stands for";
    Proposal::new(table, why)
}

/// Codes of one length, grouped by their beginnings.
fn prefixed(profile: &Profile, length: usize, kind: Option<Kind>) -> Result<Proposal, String> {
    lists::refuse_different(profile)?;
    let keep: Vec<i64> = (1..length as i64).rev().take(4).collect();
    let table = TaxonomyTable {
        prefix: Some(keep),
        length: Some(length as i64),
        domain: Some(PrefixCodes::File(String::new())),
        ..TaxonomyTable::default()
    };
    let rows = profile
        .trimmed()
        .map(|(code, _)| vec![code.to_owned()])
        .collect();
    let why = "codes of one length; the file lists those of the sample, one a line: replace it by the whole list";
    Ok(Proposal {
        rows: Some(rows),
        unknown: Some(OTHER.to_owned()),
        kind,
        ..Proposal::new(table, why)
    })
}

/// Postal codes that a file contains as numbers, so that their leading zeros are lost.
fn postal_numbers(profile: &Profile, name: &ColumnName) -> Result<Proposal, String> {
    let kind = profile
        .declared
        .unwrap_or(None)
        .filter(|&kind| kind != Kind::String);
    let length = profile.trimmed().next().map_or(0, |(value, _)| value.len());
    if length > 1 && profile.trimmed().all(|(value, _)| value.len() == length) && !profile.more {
        return prefixed(profile, length, kind);
    }
    lists::categories(profile, name).map_err(|_| {
        "postal codes of different lengths: write them as text, with their zeros".into()
    })
}
