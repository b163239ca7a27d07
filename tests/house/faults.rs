//! The guide names the test of each fault in each step; each of these tests exists.

use std::collections::BTreeSet;
use std::fs;

/// The tests that a page names: `group` `file::test`, or `group` `folder::file::test`.
fn named(page: &str) -> Vec<(&str, &str)> {
    let quoted: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let pairs = quoted
        .windows(2)
        .filter(|pair| !pair[0].contains("::") && pair[1].contains("::"));
    pairs.map(|pair| (pair[0], pair[1])).collect()
}

#[test]
fn every_test_that_the_page_of_faults_names_is_there() {
    let page = fs::read_to_string("src/guide/faults.md").expect("the page");
    let tests = named(&page);
    assert!(tests.len() > 20, "{tests:?}");
    for (group, path) in &tests {
        let (file, test) = path.rsplit_once("::").expect("a test in a file");
        let file = format!("tests/{group}/{}.rs", file.replace("::", "/"));
        let source = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let at = source
            .find(&format!("fn {test}("))
            .unwrap_or_else(|| panic!("{file} has no test {test}"));
        let above = source[..at].rsplit("#[test]").next().expect("something");
        assert!(
            above.len() < 200 && !above.contains("#[ignore"),
            "{test} is no test that runs every day"
        );
    }
}

/// Letters of the table are those of the list below it, and no cell is empty.
#[test]
fn every_letter_of_the_page_of_faults_is_explained() {
    let page = fs::read_to_string("src/guide/faults.md").expect("the page");
    let rows = || {
        page.lines()
            .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
    };
    let cells = rows().filter(|row| row.matches(" | ").count() == 6).skip(1);
    let used: BTreeSet<&str> = cells
        .flat_map(|row| row.split(" | ").skip(1))
        .flat_map(|cell| cell.split(' '))
        .collect();
    let explained: BTreeSet<&str> = rows()
        .filter_map(|row| row.split_once(" | "))
        .map(|(letter, _)| letter)
        .filter(|letter| letter.len() == 1)
        .collect();
    assert_eq!(
        used, explained,
        "each cell has a letter, and each letter is explained"
    );
    assert!(used.len() > 10);
}
