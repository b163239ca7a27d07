//! Sentences are in plain words: they name who acts. These phrases hide the actor, or leave the
//! verb without an object.

use crate::architecture::texts;

/// A phrase that no text may contain, and what a sentence says instead.
const PHRASES: &[(&str, &str)] = &[
    (
        "whoever",
        "name the actor: attacker, reader, operator, feed, gate",
    ),
    (
        "somebody",
        "name the actor: attacker, reader, operator, feed, gate",
    ),
    ("nobody", "no person, no reader"),
    ("anybody", "a person, a reader"),
    ("what there is", "name what is there"),
    ("this is no ", "this is not a …"),
    ("leave it out", "remove it, or omit it"),
    ("put it back", "restore it"),
    ("beyond reach", "cannot be recalled"),
    ("taken in", "accepted"),
    ("goes on", "continues"),
    ("gives away", "reveals"),
    ("given away", "revealed"),
    ("speaks against", "failed"),
    ("stands against", "failed"),
    ("is told", "say who reports it, and to whom"),
];

/// Each phrase in a text, with the number of its line; words of a phrase may be on two lines.
fn found(place: &str, text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['/', '!', '#', '*']).trim())
        .collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let joined = format!("{line} {}", lines.get(at + 1).unwrap_or(&""));
        for (phrase, instead) in PHRASES {
            if joined
                .find(phrase)
                .is_some_and(|begin| begin < line.len().max(1))
            {
                found.push(format!("{place}:{}: `{phrase}`: {instead}", at + 1));
            }
        }
    }
    found
}

#[test]
fn sentences_are_in_plain_words() {
    let texts = texts(&["src", "deploy", "schemas", "README.md", "CONTRIBUTING.md"]);
    assert!(texts.len() > 500, "{}", texts.len());
    let found: Vec<String> = texts
        .iter()
        .flat_map(|(place, text)| found(place, text))
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn a_phrase_that_hides_the_actor_is_found() {
    let text = "All releases.\n// Whoever has\n// the key; copies are beyond\n// reach.\n";
    let lines: Vec<String> = found("a.rs", text)
        .iter()
        .map(|line| line.split(": ").take(2).collect())
        .collect();
    assert_eq!(lines, ["a.rs:2`whoever`", "a.rs:3`beyond reach`"]);
}
