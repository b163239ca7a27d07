//! The list of mutants that no test can notice is about the code as it is.

use std::fs;

/// The parts of a line: the file, the function, and the changed expression, if the mutant changes
/// one.
fn parts(line: &str) -> Option<(&str, &str, Option<&str>)> {
    let (mutant, _) = line.split_once(" -- ")?;
    let (place, change) = mutant.split_once(": ")?;
    let (file, function) = place.split_once(' ')?;
    let expression = change
        .split_once(" in `")
        .map(|(_, rest)| rest.rsplit_once('`').map_or(rest, |(text, _)| text));
    Some((file, function, expression))
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// What is wrong with a line: a part of it is not in the sources. Long expressions are cut in the
/// list.
fn fault(line: &str) -> Option<String> {
    let Some((file, function, expression)) = parts(line) else {
        return Some(format!("no mutant and reason: {line}"));
    };
    let Ok(source) = fs::read_to_string(file) else {
        return Some(format!("no such file: {file}"));
    };
    if !source.contains(&format!("fn {function}")) {
        return Some(format!("{file} has no function {function}"));
    }
    let expression = without_spaces(expression?);
    (!without_spaces(&source).contains(&expression))
        .then(|| format!("{file}, {function}: no `{expression}`"))
}

#[test]
fn every_explained_mutant_is_one_of_the_sources() {
    let list = fs::read_to_string("tests/mutants/explained.txt").expect("the list");
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() > 100 && lines.is_sorted(), "the list is sorted");
    let faults: Vec<String> = lines.iter().filter_map(|line| fault(line)).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn a_mutant_of_other_code_is_found() {
    let file = "src/engine/gate/refinement/search.rs";
    assert!(
        fault(&format!(
            "{file} differ: < is <= in `self.other<self.most` -- why"
        ))
        .is_some()
    );
    assert!(fault(&format!("{file} sings: returns false -- why")).is_some());
    assert!(fault(&format!("{file}l differ: returns false -- why")).is_some());
    assert!(fault(&format!("{file} differ: returns false")).is_some());
    assert_eq!(fault(&format!("{file} differ: returns false -- why")), None);
}
