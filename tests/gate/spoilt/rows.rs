//! Rows that are not those of the people: each mutant is written as a release would be, unless its
//! order is the fault.

use super::chain::Offer;
use super::sample::{Line, lines};
use super::sheet::Sheet;
use super::{Mutant, offer};

/// Rows edited and put in canonical order again, so that the bytes are those of a release.
fn sorted(
    name: &'static str,
    check: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Vec<Line>) + 'static,
) -> Mutant {
    offer(name, check, reason, move |offer| {
        rewrite(offer, true, &edit)
    })
}

/// Rows edited and written in their present order.
fn unsorted(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Vec<Line>) + 'static,
) -> Mutant {
    offer(name, "form", reason, move |offer| {
        rewrite(offer, false, &edit)
    })
}

fn rewrite(offer: &mut Offer, sort: bool, edit: &impl Fn(&mut Vec<Line>)) {
    let mut rows = lines(offer);
    edit(&mut rows);
    if sort {
        let trees = offer.columns.trees();
        let place = |line: &Line| -> Vec<Option<u32>> {
            line.0
                .iter()
                .zip(&trees)
                .map(|(label, tree)| tree.find(label))
                .collect()
        };
        rows.sort_by_key(|line| (place(line), line.1, line.2));
    }
    *offer.data_mut() = Sheet::of(&rows).bytes();
}

/// The first row of another class than the first one.
fn second_class(rows: &[Line]) -> usize {
    rows.iter()
        .position(|row| row.0 != rows[0].0)
        .expect("two classes")
}

/// Mutants of any chain's rows.
pub fn everywhere() -> Vec<Mutant> {
    vec![
        sorted("a row twice", "growth", "its people are", |rows| {
            rows.push(rows[0].clone())
        }),
        sorted("a row missing", "growth", "its people are", |rows| {
            _ = rows.remove(0)
        }),
        sorted("a class missing", "growth", "its people are", |rows| {
            let first = rows[0].0.clone();
            rows.retain(|row| row.0 != first);
        }),
        sorted("all rows missing", "crowd", "has no rows", Vec::clear),
        sorted("every row twice", "growth", "its people are", |rows| {
            rows.extend(rows.clone())
        }),
        sorted(
            "another sensitive value",
            "growth",
            "other sensitive values",
            |rows| rows[0].1 = Some("Zoster"),
        ),
        sorted(
            "a sensitive value gone",
            "growth",
            "other sensitive values",
            |rows| {
                let at = rows
                    .iter()
                    .position(|row| row.1.is_some())
                    .expect("a value");
                rows[at].1 = None;
            },
        ),
        sorted(
            "a value where there was none",
            "growth",
            "other sensitive values",
            |rows| {
                rows.iter_mut()
                    .find(|row| row.2.is_none())
                    .expect("a null")
                    .2 = Some(1);
            },
        ),
        sorted(
            "two people of one class change a value",
            "growth",
            "other sensitive values",
            |rows| {
                let other = (1..rows.len()).find(|&at| {
                    rows[at].0 == rows[0].0 && rows[at].1 != rows[0].1 && rows[at].2 != rows[0].2
                });
                let other = other.expect("two different people in a class");
                (rows[0].2, rows[other].2) = (rows[other].2, rows[0].2);
            },
        ),
        sorted(
            "another number",
            "growth",
            "other sensitive values",
            |rows| rows[0].2 = Some(99),
        ),
        unsorted("rows turned round", "canonical order", |rows| {
            rows.reverse()
        }),
        unsorted("a row at the end", "canonical order", |rows| {
            let first = rows.remove(0);
            rows.push(first);
        }),
        unsorted("two groups of a class swapped", "canonical order", |rows| {
            let next = rows
                .iter()
                .position(|row| row != &rows[0])
                .expect("two groups");
            assert_eq!(rows[next].0, rows[0].0);
            rows.swap(0, next);
        }),
        unsorted("a label of another column", "column age", |rows| {
            rows[0].0[0] = rows[0].0[1].clone()
        }),
        unsorted("an unknown label", "column ward", |rows| {
            rows[0].0[1] = "west".into()
        }),
        unsorted("an empty label", "column ward", |rows| {
            rows[0].0[1] = String::new()
        }),
        unsorted("a label with a blank", "column ward", |rows| {
            rows[0].0[1].push(' ')
        }),
    ]
}

pub fn mutants() -> Vec<Mutant> {
    let more = vec![
        sorted(
            "values of two classes swapped",
            "growth",
            "other sensitive values",
            |rows| {
                let other = (second_class(rows)..rows.len())
                    .find(|&at| rows[at].1 != rows[0].1)
                    .expect("other values");
                (rows[0].1, rows[other].1) = (rows[other].1, rows[0].1);
            },
        ),
        sorted(
            "a person in another class",
            "growth",
            "its people are",
            |rows| {
                let other = second_class(rows);
                rows[0].0 = rows[other].0.clone();
            },
        ),
        unsorted("two classes swapped", "canonical order", |rows| {
            let at = second_class(rows);
            rows.rotate_left(at);
        }),
        offer(
            "increments one after the other",
            "form",
            "canonical order",
            |offer| {
                let rows = lines(offer);
                // Every third row belongs to a new person.
                let (old, new): (Vec<_>, Vec<_>) =
                    rows.into_iter().enumerate().partition(|(at, _)| at % 3 > 0);
                let rows: Vec<Line> = old.into_iter().chain(new).map(|(_, row)| row).collect();
                *offer.data_mut() = Sheet::of(&rows).bytes();
            },
        ),
        sorted(
            "a finer label in one row",
            "form",
            "rows are not under one recoding",
            |rows| {
                assert_eq!(rows[0].0[0], "young");
                rows[0].0[0] = "0-19".into();
            },
        ),
        sorted(
            "a coarser label in one row",
            "form",
            "rows are not under one recoding",
            |rows| {
                rows[0].0[0] = "any age".into();
            },
        ),
        sorted(
            "a class in finer labels",
            "form",
            "is not one of the recoding",
            |rows| {
                rows.iter_mut()
                    .filter(|row| row.0[0] == "young")
                    .for_each(|row| row.0[0] = "0-19".into());
            },
        ),
        sorted(
            "a column in coarser labels",
            "form",
            "is not one of the recoding",
            |rows| {
                rows.iter_mut().for_each(|row| row.0[0] = "any age".into());
            },
        ),
    ];
    everywhere().into_iter().chain(more).collect()
}
