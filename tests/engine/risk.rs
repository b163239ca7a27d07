//! Risks of re-identification (SCIENCE 12) against the true ones: populations drawn from the models
//! of the literature with fixed seeds, and samples of them; and the classes of releases counted row
//! by row.

use std::collections::BTreeMap;

use tidegate::engine::audit::{AuditSubject, MissingRows, Risk, RowsLeftOut, risks};
use tidegate::engine::histogram::{CellReading, Encoder, Histogram, Release};
use tidegate::engine::model::Columns;
use tidegate::engine::policy::{ChainKind, PolicySettings};
use tidegate::engine::risk::{Estimator, PopulationUniques, RiskFigures, Sizes};

use crate::common::chain::policy;
use crate::common::random::{self, Draw};
use crate::common::{self, Row, batch};

/// A number from 0 to below 1.
fn unit(draw: &mut Draw) -> f64 {
    draw.between(0, (1 << 53) - 1) as f64 / (1_u64 << 53) as f64
}

/// People one by one: the next one begins a class with probability (θ + α · classes)/(θ + people),
/// otherwise joins one with a probability that grows with its size minus α (Pitman). Returns the
/// class of each.
fn pitman(draw: &mut Draw, people: usize, theta: f64, alpha: f64) -> Vec<usize> {
    let mut classes = 0;
    let mut of: Vec<usize> = Vec::new();
    let mut sizes: Vec<f64> = Vec::new();
    while of.len() < people {
        let new = unit(draw) * (theta + of.len() as f64) < theta + alpha * f64::from(classes);
        let joined = loop {
            if new {
                break sizes.len();
            }
            // A random person, rejected with probability α / size.
            let class = of[draw.between(0, of.len() as u64 - 1) as usize];
            if unit(draw) * sizes[class] >= alpha {
                break class;
            }
        };
        if new {
            classes += 1;
            sizes.push(0.0);
        }
        sizes[joined] += 1.0;
        of.push(joined);
    }
    of
}

/// Classes whose size minus one is negative binomial: failures before the α-th success for a whole
/// α.
fn negative_binomial(draw: &mut Draw, classes: usize, alpha: u32, beta: f64) -> Vec<usize> {
    let mut of = Vec::new();
    for class in 0..classes {
        let mut size = 1;
        for _ in 0..alpha {
            while unit(draw) >= beta {
                size += 1;
            }
        }
        of.extend(std::iter::repeat_n(class, size));
    }
    of
}

/// Classes of size s with a probability proportional to 1/s, up to a largest one.
fn harmonic(draw: &mut Draw, classes: usize, largest: usize) -> Vec<usize> {
    let all: f64 = (1..=largest).map(|size| 1.0 / size as f64).sum();
    let mut of = Vec::new();
    for class in 0..classes {
        let mut left = unit(draw) * all;
        let size = (1..largest).find(|&size| {
            left -= 1.0 / size as f64;
            left < 0.0
        });
        of.extend(std::iter::repeat_n(class, size.unwrap_or(largest)));
    }
    of
}

/// The first people, this many, after a shuffle.
fn sample(draw: &mut Draw, mut of: Vec<usize>, rows: usize) -> Vec<usize> {
    for at in 0..rows {
        let with = draw.between(at as u64, of.len() as u64 - 1) as usize;
        of.swap(at, with);
    }
    of.truncate(rows);
    of
}

fn counts(of: &[usize]) -> BTreeMap<usize, u64> {
    let mut counts = BTreeMap::new();
    of.iter()
        .for_each(|class| *counts.entry(*class).or_default() += 1);
    counts
}

fn sizes(of: &[usize]) -> Sizes {
    counts(of).into_values().map(|size| (size, 1)).collect()
}

/// The mean error of estimates from samples of populations, as a share of the truth.
fn off(
    population: impl Fn(&mut Draw) -> Vec<usize>,
    share: f64,
    estimate: impl Fn(&PopulationUniques) -> Option<f64>,
) -> f64 {
    const DRAWS: u64 = 6;
    let mut off = 0.0;
    for case in 0..DRAWS {
        let mut draw = Draw::new(29, case);
        let people = population(&mut draw);
        let truth = sizes(&people).of_size(1) as f64;
        let all = people.len() as u64;
        let seen = sizes(&sample(&mut draw, people, (all as f64 * share) as usize));
        let found = estimate(&PopulationUniques::of(&seen, all)).expect("an estimate");
        println!("{truth} people, estimated {found:.0}");
        off += (found / truth - 1.0) / DRAWS as f64;
    }
    off
}

#[track_caller]
fn close(off: f64, most: f64) {
    assert!(off.abs() < most, "off by {off}");
}

#[test]
fn pitman_finds_the_uniques_of_its_own_populations() {
    let by = |found: &PopulationUniques| found.by(Estimator::Pitman);
    close(off(|draw| pitman(draw, 40_000, 50.0, 0.6), 0.05, by), 0.12);
    close(
        off(|draw| pitman(draw, 40_000, 1_000.0, 0.3), 0.1, by),
        0.12,
    );
    close(off(|draw| pitman(draw, 20_000, 5.0, 0.8), 0.02, by), 0.12);
    // The rule chooses this estimate for a tenth or less.
    let chosen = off(
        |draw| pitman(draw, 40_000, 50.0, 0.6),
        0.05,
        |found| {
            assert_eq!(found.chosen(), Some(Estimator::Pitman));
            found.dankar()
        },
    );
    close(chosen, 0.12);
}

#[test]
fn the_negative_binomial_finds_the_uniques_of_its_own_populations() {
    let by = |found: &PopulationUniques| found.by(Estimator::Snb);
    close(
        off(|draw| negative_binomial(draw, 5_000, 1, 0.1), 0.5, by),
        0.08,
    );
    close(
        off(|draw| negative_binomial(draw, 20_000, 2, 0.3), 0.5, by),
        0.05,
    );
    close(
        off(|draw| negative_binomial(draw, 20_000, 5, 0.6), 0.8, by),
        0.05,
    );
}

#[test]
fn zayatz_is_close_where_nearly_all_are_seen_and_above_elsewhere() {
    let by = |found: &PopulationUniques| found.by(Estimator::Zayatz);
    close(
        off(|draw| negative_binomial(draw, 5_000, 1, 0.1), 0.9, by),
        0.05,
    );
    close(off(|draw| pitman(draw, 20_000, 50.0, 0.6), 0.9, by), 0.05);
    // For small samples it takes most of those who are alone in the sample for alone everywhere, as
    // in the literature.
    assert!(off(|draw| negative_binomial(draw, 20_000, 2, 0.3), 0.1, by) > 1.0);
}

/// If a class of s people is as frequent as 1/s, the distribution of its size given its observed
/// rows is the assumed one.
#[test]
fn journalist_and_marketer_find_the_risk_of_the_population() {
    for share in [0.05, 0.3, 0.7] {
        let mut draw = Draw::new(31, (share * 100.0) as u64);
        let people = harmonic(&mut draw, 20_000, 500);
        let truth = counts(&people);
        let all = people.len();
        let rows = (all as f64 * share) as usize;
        let seen = sample(&mut draw, people, rows);
        let found = RiskFigures::of(&sizes(&seen), Some(all as u64)).expect("rows");
        let risk: f64 = seen
            .iter()
            .map(|class| 1.0 / truth[class] as f64)
            .sum::<f64>()
            / rows as f64;
        println!("{share}: {risk} in truth, estimated {}", found.marketer());
        assert!(
            (found.marketer() / risk - 1.0).abs() < 0.03,
            "{share}: {risk} {}",
            found.marketer()
        );
        assert!(found.journalist.estimated && found.marketer() < found.prosecutor.average());
        let alone: Vec<f64> = counts(&seen)
            .into_iter()
            .filter(|&(_, rows)| rows == 1)
            .map(|(class, _)| 1.0 / truth[&class] as f64)
            .collect();
        let mean = alone.iter().sum::<f64>() / alone.len() as f64;
        assert!(
            (found.journalist.highest / mean - 1.0).abs() < 0.05,
            "{share}: {mean} {}",
            found.journalist.highest
        );
    }
}

#[test]
fn bounds_hold_for_every_population() {
    random::run("risk bounds", 200, |draw| {
        let (classes, people) = (draw.between(1, 8), draw.between(1, 30));
        let people: Vec<usize> = (0..people)
            .map(|_| draw.between(1, classes) as usize)
            .collect();
        let truth = counts(&people);
        let all = people.len();
        let rows = draw.between(1, all as u64) as usize;
        let seen = sample(draw, people, rows);
        let found = RiskFigures::of(&sizes(&seen), None).expect("rows");
        let risk = |class: &usize| 1.0 / truth[class] as f64;
        let own = counts(&seen);
        let prosecutor = |class: &usize| 1.0 / own[class] as f64;
        let mean = |of: &dyn Fn(&usize) -> f64| seen.iter().map(of).sum::<f64>() / rows as f64;
        assert!((found.prosecutor.average() - mean(&prosecutor)).abs() < 1e-12);
        assert_eq!(
            found.prosecutor.highest(),
            seen.iter().map(prosecutor).fold(0.0, f64::max)
        );
        assert_eq!(
            found.prosecutor.at_risk,
            seen.iter().filter(|class| prosecutor(class) > 0.2).count() as u64
        );
        assert!(mean(&risk) <= found.marketer() + 1e-12);
        assert!(seen.iter().map(risk).fold(0.0, f64::max) <= found.journalist.highest);
        assert!(
            seen.iter().filter(|class| risk(class) > 0.2).count() as u64
                <= found.journalist.at_risk
        );
        let estimated = RiskFigures::of(&sizes(&seen), Some(all as u64)).expect("rows");
        assert!(
            estimated.marketer() <= found.marketer() + 1e-12
                && estimated.journalist.at_risk <= found.journalist.at_risk
        );
        let uniques = estimated.population_uniques.expect("a population");
        for of in [Estimator::Pitman, Estimator::Zayatz, Estimator::Snb] {
            assert!(
                uniques
                    .by(of)
                    .is_none_or(|people| (0.0..=all as f64).contains(&people)),
                "{uniques:?}"
            );
        }
        assert!(
            uniques.dankar().is_some(),
            "{uniques:?} of {rows} of {all} in classes of {:?}",
            sizes(&seen)
        );
    });
}

/// Rows of one label, with the release that they name; 0 if they name none.
type Line<'l> = (&'l str, u32, usize);

fn columns() -> Columns {
    common::columns(vec![common::taxonomy(
        &serde_json::json!({ "*": { "A": { "a": {}, "b": {} }, "B": { "c": {}, "d": {} } } }),
    )])
}

fn table(columns: &Columns, lines: &[Line<'_>], raw: bool) -> Histogram {
    let encoder = Encoder::new(
        columns,
        if raw {
            CellReading::Text
        } else {
            CellReading::Labels { text: true }
        },
    );
    let mut parts: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for &(label, release, rows) in lines {
        parts
            .entry(release)
            .or_default()
            .extend(vec![(vec![label.to_owned()], "x".to_owned()); rows]);
    }
    let read = |(release, rows): (u32, Vec<Row>)| {
        Histogram::of(&encoder, release, &[batch(&rows, 1)]).expect("labels")
    };
    Histogram::merge_all(parts.into_iter().map(read).collect()).expect("rows")
}

/// Per release the rows, classes, smallest class and rows above the threshold.
fn reported(
    kind: ChainKind,
    releases: &[&[Line<'_>]],
    raw: Option<&[&[Line<'_>]]>,
) -> Vec<Option<[[u64; 4]; 2]>> {
    let columns = columns();
    let read = |tables: &[&[Line<'_>]], raw| {
        tables
            .iter()
            .map(|lines| table(&columns, lines, raw))
            .collect()
    };
    let (labels, raw) = (read(releases, false), raw.map(|raw| read(raw, true)));
    let subject = AuditSubject::new(&columns, (kind, kind == ChainKind::Disjoint), labels, raw)
        .expect("tables");
    let figures = |of: &RiskFigures| {
        [
            of.prosecutor.rows,
            of.prosecutor.classes,
            of.prosecutor.smallest,
            of.prosecutor.at_risk,
        ]
    };
    let both = |risk: &Risk| {
        [
            figures(&risk.after),
            risk.before.as_ref().map_or([0; 4], figures),
        ]
    };
    let policy = policy(
        &PolicySettings {
            k: Some(2),
            ..PolicySettings::default()
        },
        kind,
    );
    risks(&subject, &policy, None)
        .iter()
        .map(|risk| risk.as_ref().map(both))
        .collect()
}

#[test]
fn classes_under_one_recoding_are_labels_of_all_rows() {
    let releases: [&[Line<'_>]; 2] = [&[("A", 0, 5)], &[("A", 0, 7), ("B", 0, 4)]];
    let raw: [&[Line<'_>]; 2] = [
        &[("a", 0, 1), ("b", 0, 4)],
        &[("a", 0, 2), ("c", 0, 3), ("d", 0, 1)],
    ];
    let found = reported(ChainKind::Cumulative, &releases, Some(&raw));
    // Before: a 1, b 4; then a 3, b 4, c 3, d 1.
    assert_eq!(
        found,
        [
            Some([[5, 1, 5, 0], [5, 2, 1, 5]]),
            Some([[11, 2, 4, 4], [11, 4, 1, 11]])
        ]
    );
    let found = reported(
        ChainKind::Disjoint,
        &[&[("A", 0, 5)], &[("*", 0, 6)]],
        Some(&[&[("a", 0, 5)], &[("a", 0, 2), ("d", 0, 4)]]),
    );
    assert_eq!(
        found,
        [
            Some([[5, 1, 5, 0], [5, 1, 5, 0]]),
            Some([[6, 1, 6, 0], [6, 2, 2, 6]])
        ]
    );
}

#[test]
fn classes_of_rows_that_keep_their_labels_are_those_that_came_together() {
    let (first, second): ([Line<'_>; 2], [Line<'_>; 3]) = (
        [("*", 0, 5), ("A", 0, 4)],
        [("*", 0, 8), ("A", 0, 4), ("b", 0, 6)],
    );
    let found = reported(ChainKind::Cumulative, &[&first, &second], None);
    assert_eq!(
        found,
        [Some([[9, 2, 4, 4], [0; 4]]), Some([[18, 4, 3, 7], [0; 4]])]
    );
    // One table contains the same in its column.
    let stated: [Line<'_>; 4] = [("*", 1, 5), ("A", 1, 4), ("*", 2, 3), ("b", 2, 6)];
    assert_eq!(
        reported(ChainKind::Cumulative, &[&stated], None),
        [Some([[18, 4, 3, 7], [0; 4]])]
    );
    // A missing row: nothing shows whom it was added with.
    let lost: [Line<'_>; 2] = [("*", 0, 4), ("A", 0, 9)];
    assert_eq!(
        reported(ChainKind::Cumulative, &[&first, &lost], None),
        [Some([[9, 2, 4, 4], [0; 4]]), None]
    );
}

#[test]
fn rows_that_a_notice_of_erasure_names_are_no_class_any_more() {
    let columns = columns();
    let read = |lines: &[Line<'_>]| {
        let rows = table(&columns, lines, false);
        (Release::from_own_labels(&rows), rows.values().clone())
    };
    let tables = vec![
        read(&[("*", 0, 5), ("A", 0, 4), ("b", 0, 3)]),
        read(&[("*", 0, 8), ("A", 0, 6), ("b", 0, 3)]),
        read(&[("*", 0, 8), ("A", 0, 6)]),
    ];
    let gone = |came, lines: &[Line<'_>]| {
        let (rows, values) = read(lines);
        vec![MissingRows { came, rows, values }]
    };
    let releases = vec![Vec::new(), gone(0, &[("A", 0, 4)]), gone(0, &[("b", 0, 3)])];
    let left_out = RowsLeftOut {
        releases,
        next: Vec::new(),
    };
    let subject = AuditSubject::of_chain(&columns, ChainKind::Cumulative, tables, None, &left_out)
        .expect("a chain");
    let policy = policy(
        &PolicySettings {
            k: Some(2),
            ..PolicySettings::default()
        },
        ChainKind::Cumulative,
    );
    let reported = risks(&subject, &policy, None)
        .into_iter()
        .map(|risk| risk.expect("nothing is missing").after.prosecutor);
    let reported: Vec<[u64; 4]> = reported
        .map(|of| [of.rows, of.classes, of.smallest, of.at_risk])
        .collect();
    // * 5, A 4, b 3; then * 5 and 3, A 6, b 3; then the same without b.
    assert_eq!(reported, [[12, 3, 3, 7], [17, 4, 3, 6], [14, 3, 3, 3]]);
}
