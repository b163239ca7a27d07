//! The counts that a table is mainly used for (SCIENCE 8, "COUNT error on a workload"): conditions
//! on quasi columns as text, and the leaves that they select.

use std::collections::BTreeMap;

use crate::model::Taxonomy;
use crate::model::predicate::{Condition, parse};

/// The most counts of a workload.
pub const MOST_COUNTS: usize = 50;
/// The most columns of a count.
pub const MOST_COLUMNS: usize = 4;

/// The counts of a workload, in order: for each count its conditions, by column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload(Vec<BTreeMap<usize, Vec<Condition>>>);

/// A count: columns, each once, and for each of their leaves whether it is selected.
pub type WorkloadCount = Vec<(usize, Vec<bool>)>;

/// An invalid count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCount {
    /// Its index, from 0.
    pub at: usize,
    /// What is wrong with it.
    pub text: String,
}

impl Workload {
    /// From counts as they are written, over the quasi columns with these names.
    ///
    /// # Errors
    /// The first count that is no text of conditions, has none or too many, or names another
    /// column.
    pub fn of(written: &[String], quasi: &[Box<str>]) -> Result<Workload, NoCount> {
        let count = |(at, text): (usize, &String)| {
            conditions(text, quasi).map_err(|text| NoCount { at, text })
        };
        written
            .iter()
            .enumerate()
            .map(count)
            .collect::<Result<_, _>>()
            .map(Workload)
    }

    /// The counts over the taxonomies of the quasi columns.
    ///
    /// # Errors
    /// The first count that names an unknown label, or selects no leaf of a column.
    pub fn counts(&self, trees: &[&Taxonomy]) -> Result<Vec<WorkloadCount>, NoCount> {
        let column = |(&column, conditions): (&usize, &Vec<Condition>)| {
            leaves(conditions, trees[column]).map(|wanted| (column, wanted))
        };
        let count = |(at, columns): (usize, &BTreeMap<usize, Vec<Condition>>)| {
            columns
                .iter()
                .map(column)
                .collect::<Result<WorkloadCount, _>>()
                .map_err(|text| NoCount { at, text })
        };
        self.0.iter().enumerate().map(count).collect()
    }
}

/// The conditions of a count, by column.
fn conditions(text: &str, quasi: &[Box<str>]) -> Result<BTreeMap<usize, Vec<Condition>>, String> {
    let mut columns: BTreeMap<usize, Vec<Condition>> = BTreeMap::new();
    for condition in parse(text).map_err(|misread| misread.to_string())? {
        let Some(column) = quasi.iter().position(|name| **name == *condition.column) else {
            return Err(format!(
                "`{}` is not a quasi column: a workload counts rows by quasi columns",
                condition.column
            ));
        };
        columns.entry(column).or_default().push(condition);
    }
    match columns.len() {
        0 => Err("a count needs conditions, such as `age between 20 and 39`".to_owned()),
        1..=MOST_COLUMNS => Ok(columns),
        columns => Err(format!(
            "it names {columns} columns, but a count has at most {MOST_COLUMNS}"
        )),
    }
}

/// The leaves of a column that satisfy all these conditions.
fn leaves(conditions: &[Condition], tree: &Taxonomy) -> Result<Vec<bool>, String> {
    let mut wanted = vec![true; tree.leaves()];
    for condition in conditions {
        let ranges = condition
            .leaves(tree)
            .map_err(|why| format!("column `{}`: {why}", condition.column))?;
        for (leaf, wanted) in (0..).zip(&mut wanted) {
            *wanted &= ranges.iter().any(|range| range.contains(&leaf));
        }
    }
    assert_eq!(
        wanted.len(),
        tree.leaves(),
        "each leaf is asked for or is not"
    );
    if wanted.contains(&true) {
        return Ok(wanted);
    }
    let column = conditions.first().map_or("", |condition| &condition.column);
    Err(format!(
        "column `{column}`: no value fulfils all its conditions"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    fn tree(name: &str) -> Taxonomy {
        let mut tree = Tree::new("*");
        (0..4).for_each(|leaf| _ = tree.add(0, &format!("{name}{leaf}"), 1));
        tree.finish().expect("a tree")
    }

    fn counts(written: &[&str]) -> Result<Vec<WorkloadCount>, NoCount> {
        let names: Vec<Box<str>> = ["a", "b"].map(Box::from).to_vec();
        let written: Vec<String> = written.iter().map(|&text| text.to_owned()).collect();
        let trees = [tree("a"), tree("b")];
        Workload::of(&written, &names)?.counts(&trees.iter().collect::<Vec<_>>())
    }

    #[test]
    fn conditions_on_one_column_are_one_set_of_leaves() {
        let some = |leaves: &[usize]| {
            (0..4)
                .map(|leaf| leaves.contains(&leaf))
                .collect::<Vec<bool>>()
        };
        assert_eq!(
            counts(&[
                "b between b1 and b3 and a in (a0, a3)",
                "b between b0 and b2 and b between b2 and b3"
            ]),
            Ok(vec![
                vec![(0, some(&[0, 3])), (1, some(&[1, 2, 3]))],
                vec![(1, some(&[2]))]
            ])
        );
    }

    #[test]
    fn counts_that_cannot_be_meant_are_named_with_their_place() {
        for (written, at, part) in [
            (&["a = a1", "a = a9"][..], 1, "`a9` is not a label"),
            (
                &["a = a1 and a = a2"],
                0,
                "no value fulfils all its conditions",
            ),
            (&["a = null"], 0, "so none is `null`"),
            (&["c = 1"], 0, "`c` is not a quasi column"),
            (&["a = a1", ""], 1, "a count needs conditions"),
            (&["a is 1"], 0, "character 3"),
        ] {
            let wrong = counts(written).expect_err("no count");
            assert_eq!(wrong.at, at);
            assert!(wrong.text.contains(part), "{}", wrong.text);
        }
        let names: Vec<Box<str>> = (0..5).map(|at| format!("c{at}").into()).collect();
        let all: Vec<String> = (0..5).map(|at| format!("c{at} = 1")).collect();
        let wrong = Workload::of(&[all.join(" and ")], &names).expect_err("too many columns");
        assert_eq!(wrong.text, "it names 5 columns, but a count has at most 4");
    }
}
