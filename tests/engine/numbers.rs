//! Sums of numbers and groups of numeric rows (SCIENCE 7): against the results of another
//! implementation, and against the definitions on random tables.

use serde_json::Value as Json;
use tidegate::engine::dominance::{DominanceRule, SumCell};
use tidegate::engine::microaggregation::{MergedGroups, Points, mdav, mondrian, until_safe};
use tidegate::engine::policy::Decimal;

use crate::common::random::{self, Draw};
use crate::common::{golden, needs};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).expect("a decimal")
}

fn dominance(largest: usize, share: &str) -> DominanceRule {
    DominanceRule::Dominance {
        largest,
        share: decimal(share),
    }
}

/// `3/5`, as a rule reads it; `33/50` too.
fn fraction(text: &str) -> String {
    let (number, by) = text.split_once('/').expect("a fraction");
    (number.parse::<f64>().expect("a number") / by.parse::<f64>().expect("a number")).to_string()
}

#[test]
fn cells_are_sensitive_as_the_rules_say() {
    let mut seen = [0, 0];
    for case in golden("dominance_cells.json").as_array().expect("cases") {
        let of: Vec<i64> = case["c"]
            .as_array()
            .expect("contributions")
            .iter()
            .map(|c| c.as_i64().expect("one"))
            .collect();
        let holds =
            |rule: DominanceRule| rule.is_sensitive(&SumCell::of(of.iter().copied(), rule.keeps()));
        for (name, wanted) in case["dom"].as_object().expect("rules") {
            let (largest, share) = name.split_once(',').expect("two numbers");
            let rule = dominance(largest.parse().expect("n"), &fraction(share));
            assert_eq!(Some(holds(rule)), wanted.as_bool(), "{name}: {case}");
            seen[usize::from(wanted == true)] += 1;
        }
        for (share, wanted) in case["p"].as_object().expect("rules") {
            assert_eq!(
                Some(holds(DominanceRule::Percent(decimal(&fraction(share))))),
                wanted.as_bool(),
                "{share}: {case}"
            );
        }
    }
    assert!(seen.iter().all(|&times| times > 200), "{seen:?}");
}

/// A table of a data set, in the form that the rules read: whole numbers.
struct Table {
    points: Points,
    whole: Vec<Vec<i64>>,
}

impl Table {
    /// From numbers with at most `decimals` decimals.
    fn new(rows: &[Vec<f64>], decimals: u32) -> Table {
        let unit = 10f64.powi(decimals as i32);
        let whole = rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|number| (number * unit).round() as i64)
                    .collect()
            })
            .collect();
        Table {
            points: Points::new(rows.concat(), rows[0].len()),
            whole,
        }
    }

    fn cell(&self, group: &[usize], column: usize, keeps: usize) -> SumCell {
        SumCell::of(group.iter().map(|&row| self.whole[row][column]), keeps)
    }

    /// Groups and cells, and how many of these are sensitive by each of four rules.
    fn figures(&self, groups: &[Vec<usize>], rules: [DominanceRule; 4]) -> [usize; 6] {
        let columns = self.whole[0].len();
        let cells = || {
            groups
                .iter()
                .flat_map(|group| (0..columns).map(move |column| (group, column)))
        };
        let found = rules.map(|rule| {
            cells()
                .filter(|(group, column)| {
                    rule.is_sensitive(&self.cell(group, *column, rule.keeps()))
                })
                .count()
        });
        [
            groups.len(),
            found[0],
            found[1],
            found[2],
            found[3],
            cells().count(),
        ]
    }

    fn is_sensitive(&self, group: &[usize], rule: DominanceRule) -> bool {
        (0..self.whole[0].len())
            .any(|column| rule.is_sensitive(&self.cell(group, column, rule.keeps())))
    }
}

fn floats(rows: &Json) -> Vec<Vec<f64>> {
    let row = |row: &Json| {
        row.as_array()
            .expect("a row")
            .iter()
            .map(|number| number.as_f64().expect("a number"))
            .collect()
    };
    rows.as_array().expect("rows").iter().map(row).collect()
}

/// The rules of the figures: exactly, and a little stricter.
fn rules() -> [[DominanceRule; 4]; 2] {
    let of = |share: &str, percent: &str, two_thirds: &str| {
        let close = |share: &str| DominanceRule::Percent(decimal(share));
        [
            dominance(1, share),
            close(percent),
            dominance(2, share),
            close(two_thirds),
        ]
    };
    [
        of("0.6", "0.6", "0.666666666666666666"),
        of("0.599999999", "0.600000001", "0.666666667"),
    ]
}

/// Compares groups of both kinds with the results of the reference for each k. It has computed with
/// floats: cells exactly at the limit, which are not sensitive, may count there.
fn as_found(table: &Table, points: &Points, found: &Json) -> usize {
    let mut on_the_border = 0;
    for (name, groups) in [
        ("mdav", mdav as fn(&Points, usize) -> Vec<Vec<usize>>),
        ("mondrian", mondrian),
    ] {
        let of_kind = found[name].as_object().expect("figures by k");
        assert!(!of_kind.is_empty());
        for (k, wanted) in of_kind {
            let groups = groups(points, k.parse().expect("k"));
            let [exact, stricter] = rules().map(|rules| table.figures(&groups, rules));
            for (at, wanted) in wanted.as_array().expect("figures").iter().enumerate() {
                let wanted = wanted.as_u64().expect("a number") as usize;
                assert!(
                    (exact[at]..=stricter[at]).contains(&wanted),
                    "{name}, k = {k}, {at}: {exact:?}, not {wanted}"
                );
                on_the_border += wanted - exact[at];
            }
        }
    }
    on_the_border
}

#[test]
fn iris_is_grouped_as_the_reference_does() {
    let known = golden("dominance_iris.json");
    let rows = floats(&known["iris"]);
    let table = Table::new(&rows, 1);
    let standardized = table.points.standardized();
    let other: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| [&row[..4], &[row[4] + 1.0]].concat())
        .collect();
    let other = Table::new(&other, 1);
    let on_the_border = [
        as_found(
            &table,
            &table.points,
            &known["results"]["iris5_class012_raw"],
        ),
        as_found(&table, &standardized, &known["results"]["iris5_class012_z"]),
        as_found(
            &other,
            &other.points.standardized(),
            &known["results"]["iris5_class123_z"],
        ),
    ];
    assert_eq!(on_the_border, [1, 2, 2]);
    for (k, wanted) in known["clusters_iris_z"].as_object().expect("groups by k") {
        let k = k.parse().expect("k");
        let sorted = |groups: &Json| {
            let mut groups: Vec<Vec<usize>> =
                serde_json::from_value(groups.clone()).expect("groups");
            groups.iter_mut().for_each(|group| group.sort_unstable());
            groups
        };
        assert_eq!(mdav(&standardized, k), sorted(&wanted["mdav"]), "k = {k}");
        assert_eq!(
            mondrian(&standardized, k),
            sorted(&wanted["mondrian"]),
            "k = {k}"
        );
    }
    for (name, wanted) in known["dynamic"].as_object().expect("cases") {
        let k = name
            .trim_start_matches("iris_k")
            .split('_')
            .next()
            .and_then(|k| k.parse().ok())
            .expect("k");
        let rule = if name.contains("dom") {
            dominance(1, "0.6")
        } else {
            DominanceRule::Percent(decimal("0.6"))
        };
        let is_sensitive = |group: &[usize]| table.is_sensitive(group, rule);
        let MergedGroups {
            groups,
            merges,
            removed,
        } = until_safe(mdav(&standardized, k), &standardized, None, &is_sensitive);
        let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(Json::from(sizes), wanted["sizes"], "{name}");
        assert_eq!(
            (Json::from(groups.len()), Json::from(merges)),
            (wanted["clusters"].clone(), wanted["merges"].clone())
        );
        assert!(
            removed.is_empty() && !groups.iter().any(|group| is_sensitive(group)),
            "{name}"
        );
    }
}

/// The lines of a data set, as fields.
fn file(name: &str) -> Option<Vec<Vec<String>>> {
    let text =
        std::fs::read_to_string(needs::data()?.join("numeric").join(name)).expect("a data set");
    let fields = |line: &str| {
        line.split(',')
            .map(|field| field.trim().to_owned())
            .collect()
    };
    Some(
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .map(fields)
            .collect(),
    )
}

#[test]
fn data_sets_are_grouped_as_the_reference_does() {
    let known = golden("dominance_iris.json");
    let Some(ionosphere) = file("ionosphere.dat") else {
        return;
    };
    let number = |field: &String| field.parse::<f64>().expect("a number");
    let rows: Vec<Vec<f64>> = ionosphere
        .iter()
        .map(|row| row[..33].iter().map(number).collect())
        .collect();
    let table = Table::new(&rows, 5);
    let of_ionosphere = as_found(
        &table,
        &table.points.standardized(),
        &known["results"]["ionosphere_abs_z"],
    );
    let abalone = file("abalone19.dat").expect("a data set");
    let sex = |field: &str| {
        1.0 + ["M", "F", "I"]
            .iter()
            .position(|sex| *sex == field)
            .expect("a sex") as f64
    };
    let row = |row: &Vec<String>| {
        [sex(&row[0])]
            .into_iter()
            .chain(row[1..8].iter().map(number))
            .collect()
    };
    let table = Table::new(&abalone.iter().map(row).collect::<Vec<_>>(), 4);
    let of_abalone = as_found(
        &table,
        &table.points.standardized(),
        &known["results"]["abalone19_8attr_z"],
    );
    assert_eq!([of_ionosphere, of_abalone], [3, 2]);
}

/// The number of rows of some points.
fn rows_of(points: &Points, group: &[usize]) -> usize {
    group.iter().map(|&row| points.weight(row) as usize).sum()
}

/// Median cuts by definition: every cut of every column is tried.
pub fn plain_cuts(points: &Points, k: usize, admits: &dyn Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    type Terms<'t> = (usize, &'t dyn Fn(&[usize]) -> bool);
    fn cut(
        points: &Points,
        region: &[usize],
        whole: &[f64],
        terms: Terms<'_>,
        groups: &mut Vec<Vec<usize>>,
    ) {
        let (k, admits) = terms;
        let share = |column: usize| {
            if whole[column] > 0.0 {
                spread(points, region, column) / whole[column]
            } else {
                0.0
            }
        };
        let mut columns: Vec<usize> = (0..points.dimensions()).collect();
        columns.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
        for column in columns {
            let mut order = region.to_vec();
            order.sort_by(|&a, &b| {
                points.at(a)[column]
                    .total_cmp(&points.at(b)[column])
                    .then(a.cmp(&b))
            });
            let mut best: Option<(usize, usize)> = None;
            for at in 1..order.len() {
                let [below, above] = [&order[..at], &order[at..]].map(|part| rows_of(points, part));
                let is_cut =
                    below >= k && above >= k && admits(&order[..at]) && admits(&order[at..]);
                if is_cut && best.is_none_or(|(off, _)| below.abs_diff(above) < off) {
                    best = Some((below.abs_diff(above), at));
                }
            }
            if let Some((_, at)) = best {
                cut(points, &order[..at], whole, terms, groups);
                return cut(points, &order[at..], whole, terms, groups);
            }
        }
        let mut group = region.to_vec();
        group.sort_unstable();
        groups.push(group);
    }
    fn spread(points: &Points, region: &[usize], column: usize) -> f64 {
        let mut numbers: Vec<f64> = region.iter().map(|&row| points.at(row)[column]).collect();
        numbers.sort_by(f64::total_cmp);
        numbers[numbers.len() - 1] - numbers[0]
    }
    let all: Vec<usize> = (0..points.len()).collect();
    let whole: Vec<f64> = (0..points.dimensions())
        .map(|column| spread(points, &all, column))
        .collect();
    let mut groups = Vec::new();
    cut(points, &all, &whole, (k, admits), &mut groups);
    groups
}

/// MDAV by definition, comparing with every row.
pub fn plain(points: &Points, k: usize, admits: &dyn Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    let square = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut groups = Vec::new();
    let farthest = |left: &[usize], from: &[f64]| {
        *left
            .iter()
            .rev()
            .max_by(|&&a, &&b| square(points.at(a), from).total_cmp(&square(points.at(b), from)))
            .expect("one")
    };
    let mean = |left: &[usize]| -> Vec<f64> {
        let number = |row: usize, column: usize| points.weight(row) as f64 * points.at(row)[column];
        let sum = |column: usize| {
            left.iter()
                .map(|&row| number(row, column))
                .fold(0.0, |sum, number| sum + number)
        };
        (0..points.dimensions())
            .map(|column| sum(column) / rows_of(points, left) as f64)
            .collect()
    };
    let mut take = |left: &mut Vec<usize>, row: usize| {
        let mut near: Vec<usize> = left.iter().copied().filter(|&other| other != row).collect();
        near.sort_by(|&a, &b| {
            square(points.at(a), points.at(row))
                .total_cmp(&square(points.at(b), points.at(row)))
                .then(a.cmp(&b))
        });
        near.insert(0, row);
        let is_enough =
            |many: &usize| rows_of(points, &near[..*many]) >= k && admits(&near[..*many]);
        let enough = (1..=near.len()).find(is_enough).unwrap_or(near.len());
        if rows_of(points, &near[enough..]) >= k && admits(&near[enough..]) {
            near.truncate(enough);
        }
        near.sort_unstable();
        left.retain(|row| !near.contains(row));
        groups.push(near);
    };
    while rows_of(points, &left) >= 3 * k {
        let first = farthest(&left, &mean(&left));
        take(&mut left, first);
        if !left.is_empty() {
            let second = farthest(&left, points.at(first));
            take(&mut left, second);
        }
    }
    if rows_of(points, &left) >= 2 * k {
        let first = farthest(&left, &mean(&left));
        take(&mut left, first);
    }
    groups.extend(Some(left).filter(|left| !left.is_empty()));
    groups
}

/// Points, many of which are equally far from one another.
fn points(draw: &mut Draw, most: u64) -> Points {
    let (rows, columns, values) = (
        draw.between(1, most),
        draw.between(1, 4),
        draw.between(1, 40),
    );
    let numbers = (0..rows * columns)
        .map(|_| draw.between(0, values) as f64 / 4.0)
        .collect();
    Points::new(numbers, columns as usize)
}

#[test]
fn the_index_changes_no_group() {
    random::run("groups of points", 150, |draw| {
        let points = points(draw, 220);
        let k = draw.between(1, 9) as usize;
        let groups = mdav(&points, k);
        assert_eq!(groups, plain(&points, k, &|_| true));
        assert_eq!(mondrian(&points, k), plain_cuts(&points, k, &|_| true));
        for groups in [groups, mondrian(&points, k)] {
            let mut rows: Vec<usize> = groups.iter().flatten().copied().collect();
            rows.sort_unstable();
            assert!(
                rows.into_iter().eq(0..points.len()),
                "each row is in one group"
            );
            let sizes = groups.iter().map(Vec::len);
            assert!(
                points.len() < k
                    || sizes.min() >= Some(k) && groups.iter().all(|group| group.len() < 2 * k)
            );
        }
    });
}

/// A point may stand for many rows, which are in one group.
#[test]
fn no_group_divides_the_rows_of_a_point() {
    random::run("groups of points with weights", 150, |draw| {
        let (rows, columns, values) =
            (draw.between(1, 80), draw.between(1, 3), draw.between(1, 40));
        let numbers = (0..rows * columns)
            .map(|_| draw.between(0, values) as f64 / 4.0)
            .collect();
        let weights: Vec<u64> = (0..rows)
            .map(|_| {
                if draw.once_in(3) {
                    draw.between(2, 25)
                } else {
                    1
                }
            })
            .collect();
        let (all, most) = (
            weights.iter().sum::<u64>() as usize,
            *weights.iter().max().expect("one") as usize,
        );
        let points = Points::weighted(numbers, columns as usize, weights);
        let k = draw.between(1, 9) as usize;
        for (groups, expected) in [
            (mdav(&points, k), plain(&points, k, &|_| true)),
            (mondrian(&points, k), plain_cuts(&points, k, &|_| true)),
        ] {
            assert_eq!(groups, expected);
            let mut held: Vec<usize> = groups.iter().flatten().copied().collect();
            held.sort_unstable();
            assert!(
                held.into_iter().eq(0..points.len()),
                "each point is in one group"
            );
            let sizes: Vec<usize> = groups.iter().map(|group| rows_of(&points, group)).collect();
            assert!(
                all < k || sizes.iter().all(|&size| (k..2 * k + most).contains(&size)),
                "k = {k}: {sizes:?}"
            );
        }
    });
}

/// Groups that grow are at most as large as permitted, and none of them is sensitive; the remaining
/// rows were removed.
#[test]
fn groups_grow_until_no_sum_is_sensitive() {
    random::run("growing groups", 100, |draw| {
        let rows: Vec<Vec<f64>> = (0..draw.between(1, 60))
            .map(|_| {
                vec![
                    draw.between(0, 20) as f64,
                    if draw.once_in(4) {
                        draw.between(0, 2_000) as f64
                    } else {
                        1.0
                    },
                ]
            })
            .collect();
        let table = Table::new(&rows, 0);
        let (k, rule) = (draw.between(2, 5) as usize, dominance(1, "0.6"));
        let is_sensitive = |group: &[usize]| table.is_sensitive(group, rule);
        let groups = mdav(&table.points, k);
        let (before, sensitive) = (groups.len(), groups.iter().any(|group| is_sensitive(group)));
        let merged = until_safe(groups, &table.points, Some(3 * k), &is_sensitive);
        let mut all: Vec<usize> = merged
            .groups
            .iter()
            .flatten()
            .chain(&merged.removed)
            .copied()
            .collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..rows.len()));
        assert!(
            merged
                .groups
                .iter()
                .all(|group| group.len() <= 3 * k && !is_sensitive(group))
        );
        assert!(
            sensitive
                || merged.groups.len() == before && merged.merges == 0 && merged.removed.is_empty()
        );
    });
}

/// Both rules agree with their definitions, on the largest numbers; and a union of safe cells is
/// safe.
#[test]
fn rules_are_exact_and_subadditive() {
    random::run("cells", 2000, |draw| {
        let scale = if draw.once_in(3) {
            i64::MAX as u64 / 8
        } else {
            30
        };
        let number = |draw: &mut Draw| {
            let number = draw.between(0, scale) as i64;
            if draw.once_in(5) { -number } else { number }
        };
        let all: Vec<i64> = (0..draw.between(1, 8)).map(|_| number(draw)).collect();
        let largest = draw.between(1, 3) as usize;
        let hundredths = draw.between(0, 100);
        let share = Decimal::new(hundredths, 2).expect("a decimal");
        let mut sorted: Vec<u128> = all
            .iter()
            .map(|number| u128::from(number.unsigned_abs()))
            .collect();
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        let sum = |from: usize, to: usize| sorted.iter().skip(from).take(to - from).sum::<u128>();
        let dominated = sum(0, largest) * 100 > u128::from(hundredths) * sum(0, 8);
        let close = sum(2, 10) * 100 < u128::from(hundredths) * sorted[0];
        for (rule, wanted) in [
            (DominanceRule::Dominance { largest, share }, dominated),
            (DominanceRule::Percent(share), close),
        ] {
            let of = |numbers: &[i64]| SumCell::of(numbers.iter().copied(), rule.keeps());
            assert_eq!(rule.is_sensitive(&of(&all)), wanted, "{rule:?}: {all:?}");
            let (one, other) = all.split_at(draw.between(0, all.len() as u64) as usize);
            let (one, other) = (of(one), of(other));
            let mut both = one.clone();
            both.merge(&other);
            assert_eq!(both, of(&all));
            assert!(
                rule.is_sensitive(&one) || rule.is_sensitive(&other) || !wanted,
                "a union of safe cells: {all:?}"
            );
            assert_eq!(
                both.sum(),
                all.iter().map(|&number| i128::from(number)).sum::<i128>()
            );
        }
    });
}
