//! How `init` reads values: numbers, days, codes and text in their many spellings. The feed file
//! that it writes accepts every row of the sample.

use std::fmt::Write;
use std::path::Path;

use super::{Place, role, tidegate};

/// A column of a sample: its cells row by row.
type Cells = fn(usize) -> String;

/// Roles and taxonomies of columns, after `anonymize` has read all rows of the sample.
struct Made {
    place: Place,
    report: serde_json::Value,
}

impl Made {
    fn of(rows: usize, columns: &[(&str, Cells)]) -> Made {
        let place = Place::new();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let mut text = names.join(";") + "\n";
        for row in 0..rows {
            let cells: Vec<String> = columns.iter().map(|(_, cell)| cell(row)).collect();
            writeln!(text, "{}", cells.join(";")).expect("text");
        }
        std::fs::write(place.path("sample.csv"), text).expect("the sample");
        let report = place.init(Some("sample.csv"));
        place.takes_in("sample.csv", rows);
        Made { place, report }
    }

    fn quasi(&self, column: &str, taxonomy: &str) {
        let (role, written) = role(&self.report, column);
        assert_eq!(role, "quasi", "{column}: {}", self.report);
        assert!(written.contains(taxonomy), "{column}: {written}");
    }

    /// The rows of a hierarchy file, in order.
    fn paths(&self, column: &str) -> Vec<Vec<String>> {
        let file = self.place.path(&format!("feed/taxonomies/{column}.csv"));
        let text = std::fs::read_to_string(file).expect("a hierarchy");
        text.lines()
            .map(|line| line.split(';').map(str::to_owned).collect())
            .collect()
    }

    fn path(&self, column: &str, leaf: &str) -> String {
        let paths = self.paths(column);
        paths
            .iter()
            .find(|path| path[0] == leaf)
            .unwrap_or_else(|| panic!("{column} has no {leaf}"))
            .join(";")
    }
}

#[test]
fn numbers_in_every_spelling_become_bands() {
    let made = Made::of(
        120,
        &[
            ("visits", |row| (row * row % 300).to_string()),
            ("temperature", |row| {
                format!("{}.{}", 35 + row % 6, row % 10)
            }),
            ("crp", |row| format!("{},{}", row % 40, row % 10)),
            ("dose", |row| format!("{:03}", row % 35)),
            ("waiting days", |row| {
                if row == 7 {
                    "NA".into()
                } else {
                    (row % 77).to_string()
                }
            }),
            ("agegroup", |row| {
                format!("{}-{}", row % 9 * 5, row % 9 * 5 + 4)
            }),
            ("intake", |row| format!("{} mg", row * 5)),
            ("stay", |row| format!(" {}", row % 60)),
            ("result", |row| format!("r{}", row % 3)),
        ],
    );
    made.quasi("visits", "bands = [");
    made.quasi("temperature", "file = ");
    assert_eq!(made.path("temperature", "36.5"), "36.5;36.5-36.9;36-36.9;*");
    // It contains every possible number, not only those of the sample.
    assert_eq!(made.path("temperature", "34"), "34;34-34.4;34-34.9;*");
    assert!(made.place.everything().contains("type = \"float\""));
    assert_eq!(made.path("crp", "\"3,5\""), "\"3,5\";0-4.9;0-9.9;*");
    made.quasi("dose", "prefix = [2, 1], length = 3");
    made.quasi("waiting days", "bands = [");
    let order: Vec<String> = made
        .paths("agegroup")
        .into_iter()
        .map(|path| path[0].clone())
        .collect();
    assert_eq!(order[..4], ["0-4", "5-9", "10-14", "15-19"]);
    assert_eq!(made.path("intake", "35 mg"), "35 mg;0-49;0-99;*");
    assert_eq!(made.path("stay", " 37"), " 37;35-39;30-39;*");
    let text = made.place.everything();
    assert!(
        text.contains("Spaces around its values") || text.contains("spaces around its values"),
        "{text}"
    );
}

#[test]
fn amounts_with_zeros_in_front_stay_in_order() {
    let made = Made::of(
        80,
        &[
            ("age", |row| format!("{:03}", 7 + row)),
            ("result", |row| format!("r{}", row % 3)),
        ],
    );
    assert_eq!(made.path("age", "007"), "007;5-9;0-9;*");
    let made = Made::of(
        80,
        &[
            ("years", |row| format!("0{}", row % 4)),
            ("ward", |row| format!("W{}", row % 12)),
            ("result", |row| format!("r{}", row % 3)),
        ],
    );
    let order: Vec<String> = made
        .paths("years")
        .into_iter()
        .map(|path| path[0].clone())
        .collect();
    assert_eq!(order, ["00", "01", "02", "03"]);
    let order: Vec<String> = made
        .paths("ward")
        .into_iter()
        .map(|path| path[0].clone())
        .collect();
    assert_eq!(order[8..], ["W8", "W9", "W10", "W11"]);
}

#[test]
fn days_in_every_notation_have_levels() {
    let made = Made::of(
        150,
        &[
            ("a", |row| {
                format!(
                    "{}-{:02}-{:02}",
                    1930 + row % 70,
                    1 + row % 12,
                    1 + row % 28
                )
            }),
            ("b", |row| {
                format!("{:02}.{:02}.{}", 1 + row % 28, 1 + row % 12, 2016 + row % 3)
            }),
            ("c", |row| {
                format!("{}/{}/{}", 1 + row % 12, 1 + row % 28, 2016 + row % 3)
            }),
            ("result", |row| format!("r{}", row % 3)),
        ],
    );
    // A range of days as long as a life is one of births, whatever the column is called.
    made.quasi("a", "date = [\"day\", \"month\", \"year\", \"decade\"]");
    assert_eq!(
        made.path("b", "28.04.2016"),
        "28.04.2016;2016-04;2016-Q2;2016;*"
    );
    assert_eq!(
        made.path("c", "4/28/2016"),
        "4/28/2016;2016-04;2016-Q2;2016;*"
    );
    let made = Made::of(
        150,
        &[
            ("d", |row| {
                format!("{}{:02}{:02}", 2015 + row % 7, 1 + row % 12, 1 + row % 28)
            }),
            ("e", |row| {
                if row == 3 {
                    "unknown".into()
                } else {
                    format!("2019-{:02}-{:02}", 1 + row % 12, 1 + row % 28)
                }
            }),
            ("result", |row| format!("r{}", row % 3)),
        ],
    );
    assert_eq!(
        made.path("d", "20160228"),
        "20160228;2016-02;2016-Q1;2016;*"
    );
    made.quasi("e", "date = [\"day\", \"month\", \"quarter\", \"year\"]");
}

#[test]
fn hierarchies_are_guessed_from_content_where_names_do_not_help() {
    let made = Made::of(
        60,
        &[
            ("p", |row| ["f", "M"][row % 2].into()),
            ("o", |row| ["F", "M", "female"][row % 3].into()),
            ("q", |row| {
                ["weiblich", "m\u{e4}nnlich", "divers"][row % 3].into()
            }),
            ("r", |row| format!("SW{}A {}AB", row % 9, row % 7)),
            ("s", |row| {
                format!("{:05}-{:04}", 2100 + row * 37 % 900, row)
            }),
            ("t", |row| {
                ["F32.1", "C50.0", "I21.9", "E11.2"][row % 4].into()
            }),
            // Beds are not diagnoses.
            ("u", |row| format!("A{:02}", row % 11)),
        ],
    );
    assert_eq!(made.path("p", "f"), "f;*");
    made.quasi("o", "builtin = \"sex\"");
    made.quasi("q", "file = ");
    assert_eq!(made.path("q", "divers"), "divers;*");
    assert_eq!(
        made.path("r", "SW3A 3AB"),
        "SW3A 3AB;SW3A \u{2026};SW \u{2026};*"
    );
    made.quasi("s", "builtin = \"us-zip3\"");
    assert_eq!(
        role(&made.report, "t"),
        ("sensitive", "{ builtin = \"icd10\" }")
    );
    made.quasi("u", "file = ");
}

/// If a built-in taxonomy lacks a label of the sample, the sample's own labels are written out.
#[test]
fn builtins_that_lack_a_label_are_not_taken() {
    let made = Made::of(
        60,
        &[
            ("age", |row| {
                if row == 5 {
                    "140".into()
                } else {
                    (row % 90).to_string()
                }
            }),
            ("sex", |row| ["F", "M", "trans"][row % 3].into()),
            ("zip", |row| ["02138", "0213", "x"][row % 3].into()),
            ("gender", |row| [" F", "M "][row % 2].into()),
            ("diagnosis", |row| {
                ["F32.1", "C50", "cough", "f32"][row % 4].into()
            }),
        ],
    );
    made.quasi("age", "bands = [");
    made.quasi("sex", "file = ");
    made.quasi("zip", "file = ");
    assert_eq!(made.path("gender", " F"), " F;*");
    assert_eq!(role(&made.report, "diagnosis"), ("sensitive", ""));
}

/// Halving counts the combinations of values: if there are too many, leaves become coarser, and
/// then columns are dropped.
#[test]
fn columns_are_no_more_than_can_be_counted() {
    let birth: Cells = |row| {
        format!(
            "{}-{:02}-{:02}",
            1930 + row % 70,
            1 + row % 12,
            1 + row % 28
        )
    };
    let amount: Cells = |row| (row * 67 % 4000).to_string();
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut columns: Vec<(&str, Cells)> = names.iter().map(|&name| (name, birth)).collect();
    columns.extend([
        ("u", amount),
        ("v", amount),
        ("result", |row| format!("r{}", row % 3)),
    ]);
    let made = Made::of(60, &columns);
    made.quasi("a", "date = [\"month\", \"year\", \"decade\"]");
    made.quasi("v", "leaves = [");
}

/// A column with distinct values is generalised, not published unchanged.
#[test]
fn something_is_left_to_generalise() {
    let one: Cells = |row| (row * row % 97).to_string();
    for columns in [
        &[("value", one)][..],
        &[
            ("note", |row| format!("free text of row {row}")),
            ("value", one),
        ],
    ] {
        Made::of(120, columns).quasi("value", "bands = [");
    }
    let made = Made::of(
        60,
        &[
            ("value", one),
            ("Tidegate_Release", |row| (row % 3).to_string()),
        ],
    );
    assert_eq!(role(&made.report, "Tidegate_Release").0, "dropped");
}

/// Most costs and lengths of stay are small compared with the largest: intervals of equal width
/// would put nearly all people into one.
#[test]
fn numbers_with_a_long_tail_have_narrower_intervals_where_most_rows_are() {
    let grown: fn(usize) -> f64 = |row| 1.03f64.powi(row as i32);
    let made = Made::of(
        400,
        &[
            ("costs", |row| (1.03f64.powi(row as i32) as u64).to_string()),
            ("stay", |row| {
                (1.03f64.powi(row as i32 / 2) as u64).to_string()
            }),
            ("crp", |row| format!("{:.1}", 1.03f64.powi(row as i32 / 2))),
            // Values as text have a label each.
            ("dose", |row| {
                format!("{} mg", 1.03f64.powi(row as i32 / 2) as u64)
            }),
            ("visits", |row| (row % 300).to_string()),
            ("result", |row| format!("r{}", row % 3)),
        ],
    );
    let ends = |column: &str, form: &str| -> Vec<f64> {
        made.quasi(column, form);
        let written = role(&made.report, column).1;
        let ends = written.split(['[', ']']).nth(1).expect("ends");
        ends.split(", ")
            .map(|end| end.parse().expect("a number"))
            .collect()
    };
    for (column, form, slower) in [
        ("costs", "leaves = [", 1),
        ("stay", "leaves = [", 2),
        ("crp", "edges = [", 2),
    ] {
        let ends = ends(column, form);
        assert!([7, 15, 17].contains(&ends.len()), "{column}: {ends:?}");
        let fullest = ends.windows(2).map(|pair| {
            (0..400)
                .filter(|row| (pair[0]..pair[1]).contains(&grown(row / slower)))
                .count()
        });
        let fullest = fullest.max().expect("intervals");
        assert!(
            fullest <= 80,
            "{column}: {fullest} of 400 rows in one of {ends:?}"
        );
    }
    made.quasi("dose", "file = ");
    made.quasi("visits", "bands = [");
}

/// More numbers than can have a leaf each: intervals without outer ends, under which every command
/// works.
#[test]
fn decimals_of_many_digits_become_open_intervals() {
    let made = Made::of(
        240,
        &[
            ("patient", |row| format!("Pq7person{row}")),
            ("weight", |row| {
                format!("{}.{:03}", 40 + row * 13 % 90, row * 7919 % 1000)
            }),
            ("ratio", |row| format!("0.{:09}", row * 48_271 % 1_000_003)),
            ("loss", |row| {
                if row == 9 {
                    "NA".into()
                } else {
                    format!("-{}.{:04}", row % 80, row * 31 % 10_000)
                }
            }),
            ("diagnosis", |row| format!("Sq7secret{}", row % 7)),
        ],
    );
    made.quasi("weight", "{ edges = [45.0, 50.0, ");
    made.quasi("ratio", "edges = [");
    made.quasi("loss", "edges = [-");
    let (feed, sample) = (
        made.place.path("feed/feed.toml"),
        made.place.path("sample.csv"),
    );
    let preview = |sample: &Path| {
        let [preview, flag, input, json, alone] =
            ["preview", "--feed", "--in", "--json", "--no-alternatives"].map(Path::new);
        let output = tidegate(&[preview, flag, &feed, input, sample, json, alone]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let columns = found["columns"].as_array().expect("columns").clone();
        assert!(
            columns.iter().any(|column| column["loss"] != 1.0),
            "{found}"
        );
    };
    preview(&sample);
    // Values far outside the sample have a label.
    let text = std::fs::read_to_string(&sample).expect("the sample");
    let far = text.lines().skip(1).map(|line| {
        line.replacen("Pq7person", "Pq7other", 1)
            .replacen(';', ";1", 1)
    });
    let far = text
        .lines()
        .take(1)
        .map(str::to_owned)
        .chain(far)
        .collect::<Vec<_>>()
        .join("\n");
    std::fs::write(made.place.path("far.csv"), far).expect("a file");
    preview(&made.place.path("far.csv"));
}
