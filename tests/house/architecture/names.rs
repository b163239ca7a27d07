//! Names say what they hold: no two public types share one, and no file has one that tells nothing of what is in it.

use std::collections::BTreeMap;

use super::imports::Source;
use super::text;

/// Names of types that sibling modules share, because they are the same idea.
const SAME_IDEA: &[&str] = &["Args"];

/// Participles, pronouns and other words that say nothing of what a file holds.
const SAY_NOTHING: &[&str] = &[
    "after",
    "again",
    "ahead",
    "aside",
    "asked",
    "away",
    "behind",
    "came",
    "case",
    "chosen",
    "closed",
    "done",
    "drawn",
    "entered",
    "found",
    "given",
    "held",
    "here",
    "how",
    "kept",
    "known",
    "leave",
    "leaving",
    "left",
    "look",
    "made",
    "misc",
    "near",
    "needed",
    "past",
    "roll",
    "seen",
    "shelf",
    "shown",
    "still",
    "stuff",
    "swallowed",
    "taken",
    "there",
    "together",
    "told",
    "util",
    "utils",
    "whole",
];

/// The names that several public types have, each with the files that these are in.
pub fn shared(sources: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let tokens = text::tokens(&text::without_tests(&text::code(&source.text)));
        for three in tokens.windows(3) {
            let [word, kind, name] = [0, 1, 2].map(|at| three[at].text.as_str());
            // A macro's variable is no name.
            if word == "pub" && ["struct", "enum", "trait", "type"].contains(&kind) && name != "$" {
                places.entry(name.to_owned()).or_default().push(source.place.clone());
            }
        }
    }
    let several = places.iter().filter(|(name, files)| files.len() > 1 && !SAME_IDEA.contains(&name.as_str()));
    several.map(|(name, files)| format!("`{name}` is a public type of {}", files.join(", "))).collect()
}

/// A file whose name tells nothing of what is in it.
pub fn silent(source: &Source) -> Option<String> {
    let name = source.place.rsplit('/').next()?.trim_end_matches(".rs");
    SAY_NOTHING.contains(&name).then(|| format!("{}: a file is named by what it holds", source.place))
}
