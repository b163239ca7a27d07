//! Correspondence attacks on two releases of Adult (BCF 6; SCIENCE 2 and 4): the paper's figures 1
//! and 2 with both sets of sensitive columns, three sizes of the increment and five k, 30 points in
//! all. The text of the paper gives a figure for some points only, so the last table compares those
//! and the paper's claims.

use std::path::Path;
use std::time::Instant;

use super::Figure;
use super::chart::{Chart, Line, svg};
use super::common::{Row, adult, columns, golden, tables, taxonomy};
use super::sets::SETS;
use tidegate::engine::gate::correspondence::{Anonymity, Correspondence};
use tidegate::engine::histogram::{Excess, JoinCells, Release};
use tidegate::engine::label::{alone, bcf};
use tidegate::engine::model::{Columns, Recoding, Taxonomy};

const KS: [u64; 5] = [40, 80, 120, 160, 200];
/// The increments of the second release.
const INCREMENTS: [&str; 3] = ["200D2", "2000D2", "allD2"];
/// One setting of the experiment.
struct Point {
    set: &'static str,
    increment: &'static str,
    k: u64,
    /// Candidates that the attacks leave in the second release if it is k-anonymous on its own.
    unsafe_release: Anonymity,
    /// Candidates that they leave in the second release of the BCF-anonymizer.
    safe_release: Anonymity,
    costs: Costs,
    /// Seconds of the BCF-anonymizer's search.
    seconds: f64,
}

/// Discernibility, normalised.
struct Costs {
    bcf: f64,
    /// The second release on its own.
    k_anonymous: f64,
    /// The increment on its own.
    increment: f64,
}

impl Point {
    fn fa(&self) -> u64 {
        self.unsafe_release.fa.unwrap_or(0)
    }

    fn ba(&self) -> u64 {
        self.unsafe_release.ba.unwrap_or(0)
    }
}

fn points() -> Option<Vec<Point>> {
    let [first, training] = adult::data()?;
    let golden = golden("adult_two_release.json");
    let mut points = Vec::new();
    for (set, quasi, sensitive) in SETS {
        let [quasi, sensitive] =
            [quasi, sensitive].map(|of| of.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let columns = columns(
            quasi
                .iter()
                .map(|name| taxonomy(&golden["taxonomies"][name]))
                .collect(),
        );
        for increment in INCREMENTS {
            let second = adult::second(increment, &training);
            let parts = [&first, second].map(|raw| adult::rows(raw, &quasi, &sensitive));
            points.extend(measured((set, increment), &columns, &parts));
        }
    }
    Some(points)
}

/// One set and increment, for every k.
fn measured(
    of: (&'static str, &'static str),
    columns: &Columns,
    parts: &[Vec<Row>; 2],
) -> Vec<Point> {
    let trees = columns.trees();
    let both = tables(columns, &[], parts).histogram;
    let [d1, d2] =
        [&parts[..1], &parts[1..]].map(|part| tables(columns, &[], part).histogram.headcount());
    let cost = |squares: u128, rows: u64| squares as f64 / (rows as f64).powi(2);
    let point = |k: u64| {
        let earlier = Release::under(
            &both,
            0..1,
            &alone(&d1, &trees, k).expect("enough rows").recoding,
        );
        let k_anonymous = alone(&both.headcount(), &trees, k).expect("enough rows");
        let increment = alone(&d2, &trees, k).expect("enough rows");
        let start = Instant::now();
        let earlier = [earlier];
        let found = bcf(&both, &earlier, &trees, k).expect("enough new rows");
        let seconds = start.elapsed().as_secs_f64();
        let [earlier] = earlier;
        let left = |recoding: &Recoding| {
            attacked(&earlier, &Release::under(&both, 0..2, recoding), &trees)
        };
        Point {
            set: of.0,
            increment: of.1,
            k,
            unsafe_release: left(&k_anonymous.recoding),
            safe_release: left(&found.recoding),
            costs: Costs {
                bcf: cost(found.squares, both.rows()),
                k_anonymous: cost(k_anonymous.squares, both.rows()),
                increment: cost(increment.squares, parts[1].len() as u64),
            },
            seconds,
        }
    };
    KS.map(point).into()
}

/// Candidates that the attacks leave over all comparable pairs, as the paper counts.
fn attacked(earlier: &Release, later: &Release, trees: &[&Taxonomy]) -> Anonymity {
    let cells = JoinCells::of(earlier, later, trees);
    let values = earlier
        .values()
        .iter()
        .chain(later.values())
        .max()
        .map_or(0, |&last| last as usize + 1);
    let excess = Excess::of(&cells, earlier, later, values).expect("a superset");
    Correspondence::new(earlier, later, &cells, &excess).all()
}

fn print(points: &[Point]) {
    println!(
        "\n{} runs; 15,060 rows in the first release and 200, 2,000 or 30,162 rows more in the second; FA and BA of the k-anonymous\n\
         second release (figure 1), discernibility of three alternatives (figure 2)\n\n\
         | columns | D2 | k | FA | BA | FA, BA with bcf | cost bcf | cost k-anonymous R2 | cost k-anonymous D2 | seconds | paper |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
        points.len()
    );
    for point in points {
        let Point {
            set,
            increment,
            k,
            safe_release: safe,
            costs,
            seconds,
            ..
        } = point;
        let paper = match (*set, *increment, *k) {
            ("Sen3", "allD2", 40) => "FA = 21",
            ("Sen1", "200D2", 80) => "BA = 1",
            ("Sen1", "2000D2", 40) => "bcf costs less than k-anonymous R2",
            _ => "",
        };
        println!(
            "| {set} | {increment} | {k} | {} | {} | {}, {} | {:.4} | {:.4} | {:.4} | {seconds:.3} | {paper} |",
            point.fa(),
            point.ba(),
            safe.fa.unwrap_or(0),
            safe.ba.unwrap_or(0),
            costs.bcf,
            costs.k_anonymous,
            costs.increment
        );
    }
}

/// Points of a set and an increment.
fn of<'p>(
    points: &'p [Point],
    set: &'p str,
    increment: &'p str,
) -> impl Iterator<Item = &'p Point> {
    points
        .iter()
        .filter(move |point| point.set == set && point.increment == increment)
}

/// By how many per cent the cost of the BCF-anonymizer is below or above another one, on average
/// over k.
fn change(points: &[Point], set: &str, increment: &str, other: impl Fn(&Costs) -> f64) -> f64 {
    let changes = of(points, set, increment)
        .map(|Point { costs, .. }| 100.0 * (costs.bcf / other(costs) - 1.0));
    changes.sum::<f64>() / KS.len() as f64
}

fn claims(points: &[Point]) {
    println!("\n| claim | paper | ours |\n|---|---|---|");
    let line = |claim: &str, paper: &str, ours: String| println!("| {claim} | {paper} | {ours} |");
    let equal = points
        .iter()
        .filter(|point| point.unsafe_release.fa == point.unsafe_release.ca)
        .count();
    line(
        "FA = CA",
        "always",
        format!("{equal} of {} points", points.len()),
    );
    for (set, increment) in SETS
        .iter()
        .flat_map(|set| INCREMENTS.map(|increment| (set.0, increment)))
    {
        let below = |left: fn(&Point) -> u64| {
            of(points, set, increment)
                .filter(|point| left(point) < point.k)
                .count()
        };
        let paper = match (set, increment) {
            ("Sen3", "allD2") => "FA 4; BA rarer than with small D2",
            (_, "allD2") => "BA rarer than with small D2",
            _ => "BA frequent and severe",
        };
        let ours = format!("FA {}, BA {}", below(Point::fa), below(Point::ba));
        line(
            &format!("violations among 5 k, {set} {increment}"),
            paper,
            ours,
        );
    }
    let least = points
        .iter()
        .min_by_key(|point| point.fa())
        .expect("points");
    let drop = 100.0 * (1.0 - least.fa() as f64 / least.k as f64);
    line(
        "smallest FA",
        "21 at k = 40, Sen3 allD2 (48 % below k)",
        format!(
            "{} at k = {}, {} {} ({drop:.0} % below k)",
            least.fa(),
            least.k,
            least.set,
            least.increment
        ),
    );
    let least = points
        .iter()
        .min_by_key(|point| point.ba())
        .expect("points");
    let at = points
        .iter()
        .filter(|point| point.ba() == least.ba())
        .map(|p| format!("{} {} k = {}", p.set, p.increment, p.k));
    line(
        "smallest BA",
        "1 at k = 80, Sen1 200D2",
        format!("{} at {}", least.ba(), at.collect::<Vec<_>>().join("; ")),
    );
    for ((set, increment), paper) in [("Sen1", "200D2"), ("Sen3", "200D2")]
        .into_iter()
        .zip(["66 % lower", "32 % lower"])
    {
        let ours = format!(
            "{:+.1} %",
            change(points, set, increment, |costs| costs.increment)
        );
        line(
            &format!("cost of bcf against k-anonymous D2, {set} {increment}"),
            paper,
            ours,
        );
    }
    for set in SETS.map(|set| set.0) {
        let ours = format!(
            "{:+.1} %",
            change(points, set, "allD2", |costs| costs.increment)
        );
        line(
            &format!("cost of bcf against k-anonymous D2, {set} allD2"),
            "similar",
            ours,
        );
    }
    for (set, increment) in SETS
        .iter()
        .flat_map(|set| INCREMENTS.map(|increment| (set.0, increment)))
    {
        let paper = if (set, increment) == ("Sen3", "2000D2") {
            "25 % higher (figure 2d)"
        } else {
            "higher in general"
        };
        let ours = format!(
            "{:+.1} %",
            change(points, set, increment, |costs| costs.k_anonymous)
        );
        line(
            &format!("cost of bcf against k-anonymous R2, {set} {increment}"),
            paper,
            ours,
        );
    }
    let longest = points.iter().map(|point| point.seconds).fold(0.0, f64::max);
    line(
        "longest search",
        "below 7 s, files included",
        format!("{longest:.3} s, without files"),
    );
}

/// Figure 1: a chart for each attack and set.
fn anonymity(points: &[Point], attack: &str, set: &str) -> Chart {
    let left = |point: &Point| {
        (
            point.k as f64,
            if attack == "FA" {
                point.fa()
            } else {
                point.ba()
            } as f64,
        )
    };
    let line = |increment: &str| Line {
        name: increment.to_owned(),
        points: of(points, set, increment).map(left).collect(),
    };
    let mut lines = Vec::from(INCREMENTS.map(line));
    lines.push(Line {
        name: format!("{attack} = k"),
        points: KS.map(|k| (k as f64, k as f64)).into(),
    });
    let up = if attack == "FA" { "FA" } else { "BA" };
    Chart {
        title: format!("{attack}, {set}"),
        axes: ["k", up],
        log: false,
        lines,
    }
}

/// Figure 2: a chart for each set and increment.
fn cost(points: &[Point], set: &str, increment: &str) -> Chart {
    let line = |name: &str, cost: fn(&Costs) -> f64| Line {
        name: name.to_owned(),
        points: of(points, set, increment)
            .map(|point| (point.k as f64, cost(&point.costs)))
            .collect(),
    };
    let lines = vec![
        line("BCF-anonymized R2", |costs| costs.bcf),
        line("k-anonymous R2", |costs| costs.k_anonymous),
        line("k-anonymous D2", |costs| costs.increment),
    ];
    Chart {
        title: format!("{set}, {increment}"),
        axes: ["k", "discernibility"],
        log: false,
        lines,
    }
}

/// Both figures of the paper.
pub fn run(_: &Path, _: bool) -> Vec<Figure> {
    let Some(points) = points() else {
        return Vec::new();
    };
    print(&points);
    claims(&points);
    let detected: Vec<Chart> = ["FA", "BA"]
        .iter()
        .flat_map(|attack| SETS.map(|set| anonymity(&points, attack, set.0)))
        .collect();
    let costs: Vec<Chart> = INCREMENTS
        .iter()
        .flat_map(|increment| SETS.map(|set| cost(&points, set.0, increment)))
        .collect();
    vec![
        Figure {
            name: "bcf-violations",
            svg: svg(
                "Rows left by attacks on two k-anonymous releases",
                &detected,
            ),
        },
        Figure {
            name: "bcf-cost",
            svg: svg(
                "Discernibility of three ways to publish the second release",
                &costs,
            ),
        },
    ]
}
