//! The form `builtin` (CONTRACTS 2): taxonomies that every hospital shares. Only the rules given
//! here decide what becomes of raw values, never the data of a feed.

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{Builtin, TaxonomyForm, TaxonomyTable, bands, codes, icd10};

use crate::{CodeShape, Domain, Kind, LeafRule, Tree};

/// The first year of age without a leaf of its own; its leaf stands for all years from here on.
const OLDEST: i64 = 90;

/// ZIP3 areas with at most 20,000 people in the Census of 2000, which the Safe Harbor rule of HIPAA
/// reports as `000`.
const RESTRICTED: [&str; 17] = [
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878",
    "879", "884", "890", "893",
];

/// The spellings of the values of `sex`; each word also in upper case, capitalised, and as its
/// first letter.
const SEXES: [&str; 4] = ["female", "male", "other", "unknown"];

/// The taxonomy of a builtin.
pub(super) fn build(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let which = *needed(&table.builtin, TaxonomyForm::Builtin, "builtin")?;
    if table.restricted.is_some() && which != Builtin::UsZip3 {
        return Err(FormError::new(
            "restricted",
            "`restricted` belongs only to `builtin = \"us-zip3\"`",
        ));
    }
    let (domain, kind) = match which {
        Builtin::Age => (age()?, Kind::Int),
        Builtin::Sex => (sex()?, Kind::String),
        Builtin::UsZip3 => (us_zip3(table.restricted.as_deref())?, Kind::String),
        Builtin::Icd10 => (icd10::domain()?, Kind::String),
    };
    Ok(FormResult {
        domain,
        kind,
        warnings: Vec::new(),
    })
}

/// `0` … `89`, `90+`; every band that contains the open end is open as well: `80+` is the last band
/// of 20.
fn age() -> Result<Domain, FormError> {
    let tree = bands::integers(&[5, 10, 20], 0, OLDEST, true)?;
    Ok(Domain {
        tree,
        rule: LeafRule::Integers {
            min: 0,
            max: OLDEST,
            open: true,
        },
    })
}

fn sex() -> Result<Domain, FormError> {
    let tree = codes::under_root(&SEXES.map(String::from), "builtin")?;
    let mut names = Vec::new();
    for word in SEXES {
        let (first, rest) = word.split_at(1);
        let capital = first.to_uppercase();
        for name in [
            first.to_owned(),
            capital.clone(),
            format!("{capital}{rest}"),
            word.to_uppercase(),
        ] {
            names.push((name.into(), word.into()));
        }
    }
    assert!(
        names
            .iter()
            .all(|(_, label): &(Box<str>, Box<str>)| tree.find_leaf(label).is_some()),
        "a name has a leaf"
    );
    Ok(Domain {
        tree,
        rule: LeafRule::Named { names },
    })
}

/// Areas `000` … `999` under their first digit. `000` stands for restricted areas all over the
/// country, and so does `0**`: a group of its own would leave no label between a handful of people
/// and the root.
fn us_zip3(restricted: Option<&[String]>) -> Result<Domain, FormError> {
    let given: Vec<&str> = match restricted {
        Some(areas) => areas.iter().map(String::as_str).collect(),
        None => RESTRICTED.to_vec(),
    };
    for (at, area) in given.iter().enumerate() {
        if area.len() != 3 || !area.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(FormError::new(
                "restricted",
                format!("entry {} is not an area of three digits", at + 1),
            ));
        }
        if *area == "000" {
            return Err(FormError::new(
                "restricted",
                "`000` stands for the restricted areas; remove it",
            ));
        }
        if given[..at].contains(area) {
            return Err(FormError::new(
                "restricted",
                format!("`{area}` occurs twice in `restricted`"),
            ));
        }
    }
    let mut tree = Tree::new("*");
    for first in 0..10 {
        let group = tree.add(0, &format!("{first}**"), 1);
        for area in (first * 100..(first + 1) * 100).map(|area| format!("{area:03}")) {
            if !given.contains(&area.as_str()) {
                tree.add(group, &area, 1);
            }
        }
    }
    let tree = tree
        .finish()
        .map_err(|error| FormError::of_tree("restricted", &error))?;
    // A group whose areas are all restricted is a leaf itself.
    assert!(
        tree.leaves() >= 1_000 - given.len(),
        "a leaf for each area that is not restricted"
    );
    let instead = given
        .iter()
        .map(|&area| (area.into(), "000".into()))
        .collect();
    Ok(Domain {
        tree,
        rule: LeafRule::Cut {
            code: CodeShape::Zip,
            instead,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_whose_areas_are_all_restricted_is_a_leaf() {
        let restricted: Vec<String> = (100..200).map(|area| area.to_string()).collect();
        let domain = us_zip3(Some(&restricted)).expect("areas of three digits");
        assert_eq!(
            (domain.tree.leaves(), domain.tree.find_leaf("1**").is_some()),
            (901, true)
        );
        let one = us_zip3(Some(&["036".to_owned()])).expect("an area");
        assert_eq!((one.tree.leaves(), one.tree.find("036")), (999, None));
    }
}
