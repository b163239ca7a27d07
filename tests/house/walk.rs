//! The walk through the code is true: each step is a function of its file, and a file of the same
//! walk calls it.

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../src/guide/walk.md");

/// A step: its walk, the function, and its file below `src`.
struct Step {
    walk: String,
    function: String,
    file: String,
}

fn steps() -> Vec<Step> {
    let (mut steps, mut walk) = (Vec::new(), String::new());
    for line in PAGE.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            walk = heading.to_owned();
        }
        let number = line.split('.').next().unwrap_or_default();
        if number.parse::<u32>().is_err() {
            continue;
        }
        let mut named = line.split('`').skip(1).step_by(2);
        let function = named.next().expect("a step names a function").to_owned();
        let file = named.next().expect("and its file").to_owned();
        steps.push(Step {
            walk: walk.clone(),
            function,
            file,
        });
    }
    steps
}

fn source(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// How often a text has a function's name before an opening bracket.
fn calls(text: &str, function: &str) -> usize {
    let called = format!("{function}(");
    let named = text.match_indices(&called).filter(|(at, _)| {
        let before = text[..*at].chars().next_back().unwrap_or(' ');
        !before.is_alphanumeric() && before != '_'
    });
    named.count()
}

#[test]
fn each_step_is_a_function_that_the_walk_calls() {
    let steps = steps();
    assert!(steps.len() > 20, "{} steps", steps.len());
    for (at, step) in steps.iter().enumerate() {
        let Step {
            walk,
            function,
            file,
        } = step;
        let text = source(file);
        assert!(
            text.contains(&format!("fn {function}(")) || text.contains(&format!("fn {function}<")),
            "{file} has no function {function}"
        );
        let is_first = at == 0 || steps[at - 1].walk != *walk;
        let mut found = 0;
        for other in steps.iter().filter(|other| other.walk == *walk) {
            let own = usize::from(other.file == *file);
            found += calls(&source(&other.file), function).saturating_sub(own);
        }
        assert!(
            is_first || found > 0,
            "no file of \"{walk}\" calls {function} of {file}"
        );
    }
}

/// How many files are opened to follow one record: the number may only fall.
#[test]
fn one_record_passes_few_files() {
    let mut files: Vec<String> = steps()
        .into_iter()
        .filter(|step| step.walk == "One record")
        .map(|step| step.file)
        .collect();
    files.sort();
    files.dedup();
    assert!(files.len() <= 17, "{} files", files.len());
}
