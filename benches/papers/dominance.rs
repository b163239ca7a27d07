//! Attribute disclosure in numeric k-anonymous tables (SCIENCE 7): sensitive cells by k, rule,
//! number of columns and method. The text of the paper contains neither the counts of its table 2
//! nor figures on its curves, so trends can be compared but single values cannot.

use std::path::Path;

use super::Figure;
use super::chart::{Chart, Line, svg};
use tidegate::engine::dominance::{DominanceRule, SumCell};
use tidegate::engine::microaggregation::{Points, mdav, mondrian};
use tidegate::engine::policy::Decimal;

/// The paper's list of k; a class of one row is not a class, so it begins at 2.
const KS: [usize; 26] = [
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 30, 40, 50, 75, 100,
    125,
];
/// A shorter list for large tables.
const SOME_KS: [usize; 9] = [2, 3, 5, 8, 10, 15, 25, 50, 125];

/// A data set: numbers, and their decimals.
struct Table {
    name: &'static str,
    rows: Vec<Vec<f64>>,
    decimals: i32,
}

impl Table {
    fn columns(&self) -> usize {
        self.rows[0].len()
    }

    fn ks(&self) -> &'static [usize] {
        if self.rows.len() > 10_000 {
            &SOME_KS
        } else {
            &KS
        }
    }
}

/// Puts rows into groups of k and more.
type Method = fn(&Points, usize) -> Vec<Vec<usize>>;

/// The methods by their names.
const METHODS: [(&str, Method); 2] = [("MDAV", mdav), ("Mondrian", mondrian)];

fn fields(file: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let split = |line: &str| {
        line.split([',', ';'])
            .map(|field| field.trim().to_owned())
            .collect()
    };
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(split)
        .collect()
}

/// The columns that are numbers in each row; a first column of letters becomes their position in
/// `letters`.
fn numbers(rows: &[Vec<String>], letters: &str) -> Vec<Vec<f64>> {
    let number = |field: &String| {
        let letter = letters
            .chars()
            .position(|letter| field.len() == 1 && field.starts_with(letter));
        letter
            .map(|at| at as f64 + 1.0)
            .or_else(|| field.parse().ok())
    };
    let is_number = |column: &usize| {
        rows.iter()
            .all(|row| row.get(*column).and_then(number).is_some())
    };
    let columns: Vec<usize> = (0..rows.first().map_or(0, Vec::len))
        .filter(is_number)
        .collect();
    rows.iter()
        .map(|row| {
            columns
                .iter()
                .filter_map(|&column| number(&row[column]))
                .collect()
        })
        .collect()
}

fn tables(data: &Path) -> Vec<Table> {
    let read = |name, path: &str, decimals, letters: &str| Table {
        name,
        rows: numbers(&fields(&data.join(path)), letters),
        decimals,
    };
    let all = [
        iris(),
        read("abalone", "numeric/abalone19.dat", 4, "MFI"),
        read("ionosphere", "numeric/ionosphere.dat", 5, ""),
        read("Adult", "adult_uci/adult.data", 0, ""),
    ];
    all.into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect()
}

/// Iris, which the tests contain; the class is 0, 1 or 2.
fn iris() -> Table {
    let golden = include_str!("../../tests/golden/dominance_iris.json");
    let from = golden.find("\"iris\"").expect("iris");
    let list = &golden[from + "\"iris\"".len()..];
    let list = &list[..list
        .find("]]")
        .or_else(|| list.find("],\n"))
        .expect("the end of the rows")];
    let row = |row: &str| -> Vec<f64> {
        row.split(',')
            .filter_map(|field| field.trim_matches([' ', ':', '[', ']', '\n']).parse().ok())
            .collect()
    };
    let rows: Vec<Vec<f64>> = list
        .split(']')
        .map(row)
        .filter(|row| row.len() == 5)
        .collect();
    assert_eq!(rows.len(), 150, "the rows of iris");
    Table {
        name: "iris",
        rows,
        decimals: 1,
    }
}

/// The share of a rule.
fn share(digits: u64, scale: u8) -> Decimal {
    Decimal::new(digits, scale).expect("a decimal")
}

/// Sensitive cells of the first columns by these rules, and all cells.
fn sensitive(
    table: &Table,
    columns: usize,
    groups: &[Vec<usize>],
    rules: &[DominanceRule],
) -> (Vec<usize>, usize) {
    let unit = 10f64.powi(table.decimals);
    let kept = rules.iter().map(|rule| rule.keeps()).max().unwrap_or(0);
    let mut found = vec![0; rules.len()];
    for group in groups {
        for column in 0..columns {
            let contribution = |&row: &usize| (table.rows[row][column] * unit).round() as i64;
            let cell = SumCell::of(group.iter().map(contribution), kept);
            found
                .iter_mut()
                .zip(rules)
                .for_each(|(found, rule)| *found += usize::from(rule.is_sensitive(&cell)));
        }
    }
    (found, groups.len() * columns)
}

fn points(table: &Table, columns: usize) -> Points {
    let numbers = table
        .rows
        .iter()
        .flat_map(|row| row[..columns].to_vec())
        .collect();
    Points::new(numbers, columns).standardized()
}

/// Figures 2 and 5: each rule by k, as counts and as shares, with both methods.
fn by_k(table: &Table) -> Chart {
    let rules = [
        DominanceRule::Dominance {
            largest: 1,
            share: share(6, 1),
        },
        DominanceRule::Percent(share(666, 3)),
    ];
    let (points, columns) = (points(table, table.columns()), table.columns());
    println!(
        "\n{} ({} rows, {columns} columns): sensitive cells, and in % of all cells\n\n|   k | {} |\n|---:|{}",
        table.name,
        table.rows.len(),
        METHODS
            .map(|(name, _)| format!("{name} (1, 0.6) | {name} p = 66.6 %"))
            .join(" | "),
        "---:|".repeat(4)
    );
    let names = ["(1, 0.6)-dominance", "p = 66.6 %"];
    let mut lines: Vec<Line> = METHODS
        .iter()
        .flat_map(|(method, _)| {
            names.map(|rule| Line {
                name: format!("{method}, {rule}"),
                points: Vec::new(),
            })
        })
        .collect();
    for &k in table.ks() {
        let mut cells = Vec::new();
        for (method, (_, group)) in METHODS.iter().enumerate() {
            let (found, all) = sensitive(table, columns, &group(&points, k), &rules);
            for (rule, found) in found.into_iter().enumerate() {
                let percent = 100.0 * found as f64 / all.max(1) as f64;
                lines[method * rules.len() + rule]
                    .points
                    .push((k as f64, percent));
                cells.push(format!("{found} ({percent:.2})"));
            }
        }
        println!("| {k:3} | {} |", cells.join(" | "));
    }
    let title = format!("{}, {columns} columns", table.name);
    Chart {
        title,
        axes: ["k", "sensitive cells in %"],
        log: true,
        lines,
    }
}

/// Figure 3: a larger n and a larger p find more cells.
fn by_rule(table: &Table) -> Chart {
    let named = [
        (
            "(1, 0.6)-dominance",
            DominanceRule::Dominance {
                largest: 1,
                share: share(6, 1),
            },
        ),
        (
            "(2, 0.6)-dominance",
            DominanceRule::Dominance {
                largest: 2,
                share: share(6, 1),
            },
        ),
        ("p = 60 %", DominanceRule::Percent(share(6, 1))),
        ("p = 66 %", DominanceRule::Percent(share(66, 2))),
    ];
    let (points, columns, rules) = (
        points(table, table.columns()),
        table.columns(),
        named.map(|(_, rule)| rule),
    );
    println!(
        "\n{}, MDAV: sensitive cells by rule\n\n|   k | {} |\n|---:|---:|---:|---:|---:|",
        table.name,
        named.map(|(name, _)| name).join(" | ")
    );
    let mut lines = named.map(|(name, _)| Line {
        name: name.to_owned(),
        points: Vec::new(),
    });
    for &k in table.ks() {
        let (found, all) = sensitive(table, columns, &mdav(&points, k), &rules);
        println!(
            "| {k:3} | {} |",
            found
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(" | ")
        );
        for (line, found) in lines.iter_mut().zip(found) {
            line.points
                .push((k as f64, 100.0 * found as f64 / all.max(1) as f64));
        }
    }
    let title = format!("{}, MDAV", table.name);
    Chart {
        title,
        axes: ["k", "sensitive cells in %"],
        log: true,
        lines: lines.into(),
    }
}

/// Figure 4: the share by the number of columns, the first ones of the file.
fn by_columns(table: &Table) -> Chart {
    let rules = [DominanceRule::Dominance {
        largest: 1,
        share: share(6, 1),
    }];
    let step = table.columns().div_ceil(9);
    let counts: Vec<usize> = (1..=table.columns())
        .filter(|columns| *columns == 1 || columns.is_multiple_of(step))
        .collect();
    let ks = [3, 5, 10];
    println!(
        "\n{}, MDAV: cells in % that (1, 0.6)-dominance finds, by the number of columns\n\n| columns | k = 3 | k = 5 | k = 10 |\n|---:|---:|---:|---:|",
        table.name
    );
    let mut lines = ks.map(|k| Line {
        name: format!("k = {k}"),
        points: Vec::new(),
    });
    for columns in counts {
        let points = points(table, columns);
        let mut cells = Vec::new();
        for (line, k) in lines.iter_mut().zip(ks) {
            let (found, all) = sensitive(table, columns, &mdav(&points, k), &rules);
            let percent = 100.0 * found[0] as f64 / all.max(1) as f64;
            line.points.push((columns as f64, percent));
            cells.push(format!("{percent:.2}"));
        }
        println!("| {columns:7} | {} |", cells.join(" | "));
    }
    let title = format!("{}, (1, 0.6)-dominance", table.name);
    Chart {
        title,
        axes: ["columns", "sensitive cells in %"],
        log: false,
        lines: lines.into(),
    }
}

/// All tables and figures of the paper.
pub fn run(data: &Path, _: bool) -> Vec<Figure> {
    let tables = tables(data);
    let figure = |name, caption: &str, charts: Vec<Chart>| Figure {
        name,
        svg: svg(caption, &charts),
    };
    vec![
        figure(
            "dominance-k",
            "Sensitive cells by k",
            tables.iter().map(by_k).collect(),
        ),
        figure(
            "dominance-rules",
            "Sensitive cells by rule",
            tables.iter().map(by_rule).collect(),
        ),
        figure(
            "dominance-columns",
            "Sensitive cells by the number of columns",
            tables
                .iter()
                .filter(|table| table.rows.len() < 10_000)
                .map(by_columns)
                .collect(),
        ),
    ]
}
