//! Names describe their content: no two public types share one, and no file has one that says
//! nothing about its content.

use std::collections::BTreeMap;

use super::imports::Source;
use super::text;

/// Names of types that sibling modules share, because they are the same idea.
const SAME_IDEA: &[&str] = &["Args"];

/// Participles, pronouns and other words that say nothing about the content of a file or a type.
const SAY_NOTHING: &[&str] = &[
    "about",
    "after",
    "again",
    "agree",
    "ahead",
    "alike",
    "alone",
    "aside",
    "asked",
    "astray",
    "away",
    "behind",
    "beside",
    "built",
    "came",
    "case",
    "cheap",
    "chosen",
    "closed",
    "coarse",
    "comes",
    "done",
    "drawn",
    "entered",
    "few",
    "find",
    "finer",
    "finest",
    "found",
    "given",
    "held",
    "here",
    "holds",
    "how",
    "is",
    "kept",
    "known",
    "learnt",
    "least",
    "leave",
    "leaving",
    "left",
    "lets",
    "look",
    "lower",
    "made",
    "many",
    "misc",
    "near",
    "needed",
    "news",
    "now",
    "off",
    "once",
    "past",
    "put",
    "remember",
    "roll",
    "seen",
    "several",
    "shelf",
    "shown",
    "shut",
    "since",
    "still",
    "stuff",
    "swallowed",
    "taken",
    "tell",
    "there",
    "together",
    "told",
    "tried",
    "two",
    "unbuilt",
    "under",
    "unlike",
    "until",
    "util",
    "utils",
    "walked",
    "ways",
    "what",
    "which",
    "who",
    "whole",
    "wide",
    "written",
];

/// Public types by their names, each with the files that it is in.
fn types(sources: &[Source]) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let tokens = text::tokens(&text::without_tests(&text::code(&source.text)));
        for three in tokens.windows(3) {
            let [word, kind, name] = [0, 1, 2].map(|at| three[at].text.as_str());
            // A macro's variable is not a name.
            if word == "pub" && ["struct", "enum", "trait", "type"].contains(&kind) && name != "$" {
                places
                    .entry(name.to_owned())
                    .or_default()
                    .push(source.place.clone());
            }
        }
    }
    places
}

/// Names shared by several public types, and names that say nothing, each with its files.
pub fn bad_types(sources: &[Source]) -> Vec<String> {
    let mut bad = Vec::new();
    for (name, files) in types(sources) {
        if SAY_NOTHING.contains(&name.to_lowercase().as_str()) {
            bad.push(format!(
                "`{name}` of {}: a type is named by what it holds",
                files.join(", ")
            ));
        }
        if files.len() > 1 && !SAME_IDEA.contains(&name.as_str()) {
            bad.push(format!("`{name}` is a public type of {}", files.join(", ")));
        }
    }
    bad
}

/// Whether the name of a file says nothing about its content.
pub fn silent(source: &Source) -> Option<String> {
    let name = source.place.rsplit('/').next()?.trim_end_matches(".rs");
    SAY_NOTHING
        .contains(&name)
        .then(|| format!("{}: a file is named by what it holds", source.place))
}
