//! The feed that `init` writes without a sample (CONTRACTS 3): a hospital's admissions, with
//! built-in taxonomies only.

use crate::daemon::guess::{Guess, OTHER, Proposal};
use crate::engine::model::Role;
use crate::engine::model::forms::{Builtin, TaxonomyTable};

/// Its columns.
pub(super) fn columns() -> Vec<Guess> {
    let column = |name: &str, role: Role, builtin: Option<(Builtin, &str)>, reason: &str| Guess {
        name: name.into(),
        path: None,
        role: Some(role),
        kind: None,
        taxonomy: builtin.map(|(which, why)| Proposal {
            table: TaxonomyTable {
                builtin: Some(which),
                ..TaxonomyTable::default()
            },
            kind: None,
            rows: None,
            unknown: (which == Builtin::UsZip3).then(|| OTHER.to_owned()),
            why: why.into(),
        }),
        optional: false,
        reason: reason.into(),
    };
    vec![
        column(
            "patient_id",
            Role::Identifier,
            None,
            "who the person is: must not be in a release",
        ),
        column(
            "age",
            Role::Quasi,
            Some((
                Builtin::Age,
                "single years, bands of 5, 10 and 20, `90+`; or { bands = [5, 10], min = 0, max = 119 }",
            )),
            "what others may know about a person is generalised until the class is large enough",
        ),
        column(
            "sex",
            Role::Quasi,
            Some((
                Builtin::Sex,
                "female, male, other, unknown, in their usual spellings; or { flat = [\"F\", \"M\"] }",
            )),
            "also known to others",
        ),
        column(
            "zip",
            Role::Quasi,
            Some((
                Builtin::UsZip3,
                "three-digit areas, the 17 smallest as 000; elsewhere { prefix = [3, 2], length = 5, domain = \"codes.csv\" }",
            )),
            "where the person lives",
        ),
        column(
            "diagnosis",
            Role::Sensitive,
            Some((
                Builtin::Icd10,
                "published unchanged; the taxonomy is used for hierarchical t-closeness only",
            )),
            "what must not be linked to a person; published unchanged",
        ),
    ]
}
