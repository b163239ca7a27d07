//! The guide explains each halt beside the message of the program: these messages are the program's
//! own.

use std::fs;

use crate::architecture::program_texts;

/// The messages of a page's table of halts, each in the pieces between its ellipses.
fn messages(page: &str) -> Vec<(String, Vec<String>)> {
    let after = page
        .split("| the message says |")
        .nth(1)
        .expect("a table of halts");
    let rows = after
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let pieces = |text: &str| {
        text.split('…')
            .map(|piece| piece.trim().to_owned())
            .filter(|piece| !piece.is_empty())
            .collect()
    };
    quoted.map(|text| (text.to_owned(), pieces(text))).collect()
}

#[test]
fn each_message_in_the_tables_of_halts_is_one_of_the_program() {
    let program = program_texts();
    for page in ["src/guide/operations.md", "src/guide/topics.md"] {
        let messages = messages(&fs::read_to_string(page).expect("the page"));
        assert!(messages.len() > 15, "{page}: {messages:?}");
        for (message, pieces) in messages {
            for piece in pieces {
                assert!(
                    program.contains(&piece),
                    "{page}: no message of the program contains `{piece}` ({message})"
                );
            }
        }
    }
}

#[test]
fn a_message_that_the_program_does_not_have_is_found() {
    let page =
        "| the message says | what happened |\n|---|---|\n| `the store at … sings` | never |\n";
    let found = messages(page);
    assert_eq!(
        found,
        [(
            "the store at … sings".to_owned(),
            vec!["the store at".to_owned(), "sings".to_owned()]
        )]
    );
    let program = program_texts();
    assert!(program.contains("the store at") && !program.contains("sings"));
}
