//! Lists of the values of a sample (CONTRACTS 2, and 3 `init`): in the order that people expect, in
//! groups that the values themselves suggest.

use std::cmp::Ordering;

use super::content::{self, Postcode};
use super::names::ColumnName;
use super::profile::Profile;
use super::proposal::{OTHER, Proposal};
use crate::engine::model::Kind;
use crate::engine::model::forms::TaxonomyTable;

/// The most values of a list that people can still read.
const MOST_CATEGORIES: usize = 60;
/// The same, if the name says that others know the value.
const MOST_KNOWN_CATEGORIES: usize = 1_000;

/// A file of values directly under the root, with those that begin with the same word under that
/// word.
pub(super) fn categories(profile: &Profile, name: &ColumnName) -> Result<Proposal, String> {
    refuse_different(profile)?;
    let most = if name.is_known() {
        MOST_KNOWN_CATEGORIES
    } else {
        MOST_CATEGORIES
    };
    if profile.values.len() > most {
        return Err(format!(
            "it has more than {most} different values; give it a hierarchy, then use the form `file`"
        ));
    }
    let mut values: Vec<&str> = profile.values.keys().map(AsRef::as_ref).collect();
    values.sort_by(|one, other| in_order(one, other));
    let root = ["*", "any", "(any)", "((any))"]
        .into_iter()
        .find(|root| !values.contains(root))
        .unwrap_or("(((any)))");
    let kind = profile
        .declared
        .unwrap_or(None)
        .filter(|&kind| kind != Kind::String);
    let text = kind.is_none() && values.len() > 5;
    let mut grouped = false;
    let rows = values.iter().map(|&value| {
        let group = text.then(|| first_word(value, &values)).flatten();
        grouped |= group.is_some();
        std::iter::once(value.to_owned())
            .chain(group)
            .chain([root.to_owned()])
            .collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let why = match grouped {
        true => {
            "the sample's values, those with the same first word in a group; a row is value;group;…;root: correct the groups"
        }
        false => {
            "the sample's values right under the root; to add levels, write groups between: value;group;…;root"
        }
    };
    let other = values
        .iter()
        .find(|value| value.eq_ignore_ascii_case(OTHER))
        .copied()
        .unwrap_or(OTHER)
        .to_owned();
    let table = TaxonomyTable {
        file: Some(String::new()),
        ..TaxonomyTable::default()
    };
    Ok(Proposal {
        rows: Some(rows),
        unknown: Some(other),
        kind,
        ..Proposal::new(table, why)
    })
}

/// Refuses to list the values of a column that has many different ones: releases publish all leaves
/// of a taxonomy.
///
/// # Errors
/// More than a third of the values of the sample are different.
pub(super) fn refuse_different(profile: &Profile) -> Result<(), String> {
    if !profile.is_mostly_different() {
        return Ok(());
    }
    Err("more than a third of its values in the sample are different, and releases would publish a list of them: if it \
         is a number of people, make it the identifier; if not, give it a taxonomy of all possible values"
        .into())
}

/// The label of the group of values that begin with the same word, if there is one and it does not
/// contain all values.
fn first_word(value: &str, all: &[&str]) -> Option<String> {
    let word = |value: &str| {
        value
            .trim()
            .split([' ', '-', '_', '/', ','])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let mine = word(value);
    let members = all.iter().filter(|other| word(other) == mine).count();
    let label = format!("{mine} …");
    (mine.chars().count() > 2
        && members > 1
        && members < all.len()
        && !all.contains(&label.as_str()))
    .then_some(label)
}

/// Postal codes under their districts.
pub(super) fn postcodes(profile: &Profile, form: &Postcode) -> Result<Proposal, String> {
    refuse_different(profile)?;
    let most = MOST_KNOWN_CATEGORIES;
    if profile.more || profile.values.len() > most {
        let text = "postal codes, of which the sample has more than";
        return Err(format!(
            "{text} {most}: cut them to their districts, or give them a hierarchy, then use the form `file`"
        ));
    }
    let mut values: Vec<&str> = profile.values.keys().map(AsRef::as_ref).collect();
    values.sort_by(|one, other| in_order(one, other));
    let row = |value: &str| {
        let form = content::postcode(value.trim()).map_or(form.keep, |form| form.keep);
        let groups = form.map(|keep| value.trim().chars().take(keep).collect::<String>() + " …");
        let known = content::postcode(value.trim()).is_some();
        let groups = groups.into_iter().filter(|_| known);
        std::iter::once(value.to_owned())
            .chain(groups)
            .chain(["*".to_owned()])
            .collect()
    };
    let table = TaxonomyTable {
        file: Some(String::new()),
        ..TaxonomyTable::default()
    };
    let why = "the sample's postal codes under their districts, code;district;area;root: replace them by all codes of \
               your region, so that the list does not reveal where your people live";
    let rows = values.into_iter().map(row).collect();
    Ok(Proposal {
        rows: Some(rows),
        unknown: Some(OTHER.to_owned()),
        ..Proposal::new(table, why)
    })
}

/// Numbers in texts by their size (`7` and `007` before `10`, `5-9` before `10-14`, `Ward 2` before
/// `Ward 10`), other text by its letters; texts that begin with a number first.
pub(super) fn in_order(one: &str, other: &str) -> Ordering {
    let [(one, below), (other, above)] = [one, other].map(|text| {
        let text = text.trim();
        let bare = text.trim_start_matches(['<', '>', '=', '≤', '≥', '~', ' ']);
        let bound = if text.starts_with(['<', '≤']) {
            -1
        } else {
            i8::from(text.starts_with(['>', '≥']))
        };
        if bare.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            (pieces(bare), bound)
        } else {
            (pieces(text), 0)
        }
    });
    let mut pairs = one.iter().zip(&other);
    let first = match pairs.next() {
        Some((one, other)) => one.partial_cmp(other).unwrap_or(Ordering::Equal),
        None => Ordering::Equal,
    };
    let rest = || {
        pairs
            .map(|(one, other)| one.partial_cmp(other).unwrap_or(Ordering::Equal))
            .find(|order| order.is_ne())
    };
    first
        .then(below.cmp(&above))
        .then_with(|| rest().unwrap_or(Ordering::Equal))
        .then(one.len().cmp(&other.len()))
}

/// A run of digits, or the text between two of them.
#[derive(PartialEq, PartialOrd)]
enum Piece {
    Number(f64),
    Text(String),
}

/// The pieces of a text; a minus sign or a fraction belongs to a number at its beginning.
fn pieces(text: &str) -> Vec<Piece> {
    let digits = |text: &str| {
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let (mut pieces, mut rest) = (Vec::new(), text);
    let minus = usize::from(rest.starts_with('-'));
    let whole = minus + digits(&rest[minus..]);
    if whole > minus {
        let fraction = rest[whole..].strip_prefix('.').map_or(0, digits);
        let end = if fraction > 0 {
            whole + 1 + fraction
        } else {
            whole
        };
        pieces.push(Piece::Number(rest[..end].parse().unwrap_or(f64::MAX)));
        rest = &rest[end..];
    }
    while !rest.is_empty() {
        let end = digits(rest);
        if end > 0 {
            pieces.push(Piece::Number(rest[..end].parse().unwrap_or(f64::MAX)));
            rest = &rest[end..];
        } else {
            let end = rest
                .find(|c: char| c.is_ascii_digit())
                .unwrap_or(rest.len());
            pieces.push(Piece::Text(rest[..end].to_lowercase()));
            rest = &rest[end..];
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_are_ordered_by_their_size() {
        for sorted in [
            &["-5", "-1", "0", "2", "007", "10", "100"][..],
            &["<5", "5-9", "10-14", "85", ">85"],
            &["5 mg", "10 mg", "100 mg"],
            &["1.5", "2", "10.25"],
            &["Ward 2", "Ward 10", "Ward 10b"],
            &["3", "20", "NA", "other"],
        ] {
            for pair in sorted.windows(2) {
                assert_eq!(in_order(pair[0], pair[1]), Ordering::Less, "{pair:?}");
                assert_eq!(in_order(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
            }
        }
    }
}
