//! Recognises columns by their values alone (CONTRACTS 3, `init`): sex, postal codes, ICD-10
//! diagnoses, dates of birth. A column is recognised only if (nearly) all distinct values fit.
//! Nothing here looks at a name.

use std::collections::BTreeSet;

use super::profile::Profile;
use crate::engine::model::forms::{self, Builtin, TaxonomyTable, dates};
use crate::engine::model::{Domain, Kind};

/// The share of distinct values that has to fit.
const NEARLY_ALL: f64 = 0.95;
/// With fewer codes the form is not clear.
const FEWEST_CODES: usize = 5;
/// Dates of birth cover at least this many years, and begin before this year.
const LIFETIME: i32 = 40;
const LONG_AGO: i32 = 1990;

const WOMEN: &str = "f female w weiblich frau woman femme feminin féminin femenino mujer donna";
const MEN: &str = "m male männlich maennlich mann man homme masculin masculino hombre uomo";
const BESIDES: &str =
    "d divers diverse x o other non-binary nonbinary u unknown unbekannt na n/a ?";

/// Whether it is the sex of people: women and men, and spellings for others.
pub(super) fn is_sex(profile: &Profile) -> bool {
    let values: BTreeSet<String> = profile
        .trimmed()
        .map(|(value, _)| value.to_lowercase())
        .collect();
    let any = |list: &str| list.split(' ').any(|word| values.contains(word));
    let known = |value: &String| {
        [WOMEN, MEN, BESIDES]
            .iter()
            .any(|list| list.split(' ').any(|word| word == value))
    };
    any(WOMEN) && any(MEN) && values.iter().all(known)
}

/// The form of a country's postal codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Postcode {
    /// The characters, with `A` for a capital, `9` for a digit, and any other character for itself.
    form: &'static str,
    /// The number of leading characters that each level keeps, finest first.
    pub keep: [usize; 2],
}

impl Postcode {
    /// Whether it is that of the United States with four additional digits.
    pub(super) fn is_american(&self) -> bool {
        self.form == "99999-9999"
    }
}

/// Of the United Kingdom (with and without a space), Canada, the Netherlands, the United States
/// with four additional digits, and of Poland and Portugal. Codes of digits alone cannot be
/// recognised by their form.
const POSTCODES: &[Postcode] = &[
    Postcode {
        form: "A9 9AA",
        keep: [2, 1],
    },
    Postcode {
        form: "A99 9AA",
        keep: [3, 1],
    },
    Postcode {
        form: "A9A 9AA",
        keep: [3, 1],
    },
    Postcode {
        form: "AA9 9AA",
        keep: [3, 2],
    },
    Postcode {
        form: "AA99 9AA",
        keep: [4, 2],
    },
    Postcode {
        form: "AA9A 9AA",
        keep: [4, 2],
    },
    Postcode {
        form: "A9A 9A9",
        keep: [3, 1],
    },
    Postcode {
        form: "A9A9A9",
        keep: [3, 1],
    },
    Postcode {
        form: "9999 AA",
        keep: [4, 2],
    },
    Postcode {
        form: "9999AA",
        keep: [4, 2],
    },
    Postcode {
        form: "99999-9999",
        keep: [5, 3],
    },
    Postcode {
        form: "99-999",
        keep: [2, 1],
    },
    Postcode {
        form: "9999-999",
        keep: [4, 2],
    },
];

/// The form of a postal code, if the text is one.
pub(super) fn postcode(value: &str) -> Option<&'static Postcode> {
    let class = |c: char| match c {
        c if c.is_ascii_uppercase() => 'A',
        c if c.is_ascii_digit() => '9',
        c => c,
    };
    POSTCODES
        .iter()
        .find(|known| known.form.chars().eq(value.chars().map(class)))
}

/// Whether values are postal codes.
pub(super) fn are_postcodes(profile: &Profile) -> bool {
    let values = profile.trimmed().count();
    let codes = profile
        .trimmed()
        .filter(|(value, _)| postcode(value).is_some())
        .count();
    codes >= FEWEST_CODES && codes as f64 >= NEARLY_ALL * values as f64
}

/// Whether values are ICD-10 codes: nearly all are categories of the classification, with
/// subcategories or of many chapters. Beds and rooms (`A12`) are no diagnoses; `secret` says that
/// the name suggests diagnoses.
pub(super) fn are_diseases(profile: &Profile, secret: bool) -> bool {
    let values: Vec<&str> = profile.trimmed().map(|(value, _)| value).collect();
    let table = TaxonomyTable {
        builtin: Some(Builtin::Icd10),
        ..TaxonomyTable::default()
    };
    let shaped = |value: &&str| {
        let bytes = value.as_bytes();
        bytes.len() >= 3
            && bytes[0].is_ascii_uppercase()
            && bytes[1].is_ascii_digit()
            && bytes[2].is_ascii_digit()
    };
    let share = if secret { 0.9 } else { NEARLY_ALL };
    if (values.iter().filter(|value| shaped(value)).count() as f64) < share * values.len() as f64 {
        return false;
    }
    let Ok(domain) = forms::build(&table, &[]).map(|built| built.domain) else {
        return false;
    };
    let known = |value: &&str| Domain::leaf_of_text(&domain, Kind::String, value).is_some();
    let codes: Vec<&str> = values.iter().copied().filter(known).collect();
    let categories: BTreeSet<&str> = codes.iter().map(|code| &code[..3]).collect();
    let letters: BTreeSet<&str> = codes.iter().map(|code| &code[..1]).collect();
    let finer = codes.iter().filter(|code| code.contains('.')).count();
    let telling = secret || 2 * finer > codes.len() || letters.len() >= 4;
    codes.len() as f64 >= share * values.len() as f64 && categories.len() > 1 && telling
}

/// What a reference of FHIR (`Patient/17`, `https://host/fhir/Patient/17`) refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Referred {
    /// A patient.
    Patient,
    /// A person who treats or accompanies patients.
    OtherPerson,
    /// The case of a patient.
    Case,
}

/// What all values of a column refer to, if they are such references.
pub(super) fn referred(profile: &Profile) -> Option<Referred> {
    let mut all = profile.trimmed().map(|(value, _)| reference(value));
    let first = all.next()??;
    if all.all(|other| other == Some(first)) {
        Some(first)
    } else {
        None
    }
}

fn reference(value: &str) -> Option<Referred> {
    let (before, _) = value.rsplit_once('/')?;
    match before.rsplit('/').next().unwrap_or(before) {
        "Patient" | "Person" => Some(Referred::Patient),
        "Practitioner" | "PractitionerRole" | "RelatedPerson" => Some(Referred::OtherPerson),
        "Encounter" | "EpisodeOfCare" | "Account" | "Coverage" => Some(Referred::Case),
        _ => None,
    }
}

/// Whether days from the first to the last are dates of birth: they cover a lifetime.
pub(super) fn are_births(from: i32, to: i32) -> bool {
    let year = |day: i32| dates::civil_from_days(day).0;
    year(to) - year(from) >= LIFETIME && year(from) < LONG_AGO
}
