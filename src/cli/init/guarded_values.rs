//! Values that a first feed file guards (CONTRACTS 1, `guarded`): groups of ICD-10 codes that
//! hospitals commonly keep confidential. They come from the classification alone; no value of a
//! sample is read.

use super::toml_text::quoted;
use crate::daemon::guess::Guess;
use crate::engine::model::Role;
use crate::engine::model::forms::Builtin;

/// A group of codes that no person should be linked to: its name, and its categories of three
/// characters.
struct Group {
    what: &'static str,
    categories: &'static [&'static str],
}

const GROUPS: &[Group] = &[
    Group {
        what: "HIV",
        categories: &["B20", "B21", "B22", "B23", "B24", "Z21"],
    },
    Group {
        what: "alcohol and drugs",
        categories: &[
            "F10", "F11", "F12", "F13", "F14", "F15", "F16", "F17", "F18", "F19",
        ],
    },
    Group {
        what: "termination of pregnancy",
        categories: &["O04"],
    },
];

/// Longer lines are broken.
const WIDEST: usize = 110;

/// Whether guarded values are proposed for a column: a sensitive one of ICD-10 codes.
pub(super) fn proposes(column: &Guess) -> bool {
    let builtin = column
        .taxonomy
        .as_ref()
        .and_then(|proposal| proposal.table.builtin);
    column.role == Some(Role::Sensitive) && builtin == Some(Builtin::Icd10)
}

/// The key `guarded`, each category with its subcategories.
pub(super) fn text() -> String {
    let mut text = String::from(
        "# A proposal of codes that no person may be linked to with a probability above 1/m, spelled as in the source. Add what\n\
         # else your patients would not want others to know, and remove what needs no protection. In classes where more than one\n\
         # person in four has a value of a set, masking replaces some of these values: remove a set that is common in your data.\n\
         guarded = [\n",
    );
    for group in GROUPS {
        text.push_str(&format!("    # {}\n    [\n", group.what));
        let mut line = String::from("        ");
        for code in group.categories.iter().flat_map(|category| codes(category)) {
            let code = quoted(&code) + ", ";
            if line.len() + code.len() > WIDEST {
                text.push_str(line.trim_end());
                text.push('\n');
                line.truncate(8);
            }
            line.push_str(&code);
        }
        text.push_str(line.trim_end());
        text.push_str("\n    ],\n");
    }
    text.push_str("]\n");
    text
}

fn codes(category: &str) -> impl Iterator<Item = String> + '_ {
    let subcategories = (0..10).map(move |digit| format!("{category}.{digit}"));
    std::iter::once(category.to_owned()).chain(subcategories)
}
