//! Searches of lattices (ARX; SCIENCE 8): the paper's tables 1 to 5 and figures 5 to 7, with its
//! own figures beside ours. The tables are those of the bench `levels`, which has longer ones.

#[path = "../levels/figures.rs"]
mod figures;
#[path = "../levels/heuristic.rs"]
mod heuristic;
#[path = "../levels/lists.rs"]
mod lists;
#[path = "../levels/paper.rs"]
mod paper;
#[allow(dead_code, reason = "the bench `levels` has more data sets")]
#[path = "../levels/sets.rs"]
mod sets;
#[path = "../levels/tables.rs"]
mod tables;

use std::path::Path;
use std::time::Duration;

use super::Figure;
use super::chart::{Chart, Line, svg};
use figures::{Series, Width};

/// The limits of a search in seconds and columns, unless the paper's size is asked for. Searches of
/// this many columns end in time, except one without prediction, so that numbers of states do not
/// depend on the machine.
const LIMITS: (u64, usize) = (20, 10);

/// All tables and figures of the paper.
pub fn run(folder: &Path, full: bool) -> Vec<Figure> {
    let (seconds, widest) = if full { (60, usize::MAX) } else { LIMITS };
    let limit = Duration::from_secs(seconds);
    println!("one run of each search, five of each option in table 1; at most {seconds} s each");
    tables::options(folder, full);
    tables::properties(folder);
    tables::prediction(folder, limit, widest);
    tables::columns(folder, limit, widest);
    if full {
        heuristic::table(folder);
    } else {
        println!("\ntable 5 and the wide row of table 1 take minutes: `full` prints them");
    }
    let widths = figures::space_and_time(folder, limit, widest);
    let mut series = figures::heuristic(folder, limit, widest);
    // Of several widths of one data set the widest; a single point is not a line.
    series.reverse();
    let mut seen: Vec<&str> = Vec::new();
    series.retain(|(name, _, steps)| {
        let is_first = !seen.contains(name);
        seen.push(*name);
        is_first && steps.len() > 1
    });
    vec![
        Figure {
            name: "lattice-time",
            svg: svg(
                "Space and time of searches, as powers of ten",
                &[kept(&widths), times(&widths)],
            ),
        },
        Figure {
            name: "lattice-early",
            svg: svg(
                "Loss after so many checked states",
                &series.iter().map(early).collect::<Vec<_>>(),
            ),
        },
    ]
}

/// Figure 5: the kept part of the lattice.
fn kept(widths: &[Width]) -> Chart {
    let line = |name: &str, of: fn(&Width) -> f64| Line {
        name: name.to_owned(),
        points: widths
            .iter()
            .map(|width| (width.columns as f64, of(width).max(1.0).log10()))
            .collect(),
    };
    let lines = vec![
        line("all states", |width| width.states as f64),
        line("states that antichains keep", |width| width.kept as f64),
    ];
    Chart {
        title: "Figure 5".to_owned(),
        axes: ["columns", "log10 of states"],
        log: false,
        lines,
    }
}

/// Figure 6, in milliseconds; times below one are left out.
fn times(widths: &[Width]) -> Chart {
    let point =
        |columns: usize, seconds: f64| (columns as f64, (1_000.0 * seconds).max(1.0).log10());
    let flash = widths
        .iter()
        .filter_map(|width| Some(point(width.columns, width.flash?.as_secs_f64())));
    let best_first = widths
        .iter()
        .map(|width| point(width.columns, width.best_first.as_secs_f64()));
    let of_paper = |which: fn(&(f64, f64)) -> f64| {
        let all = (paper::FEWEST..)
            .zip(&paper::FIGURE_6)
            .map(move |(columns, seconds)| (columns, which(seconds)));
        all.filter(|(_, seconds)| seconds.is_finite())
            .map(|(columns, seconds)| point(columns, seconds))
            .collect()
    };
    let lines = vec![
        Line {
            name: "Flash".to_owned(),
            points: flash.collect(),
        },
        Line {
            name: "best-first".to_owned(),
            points: best_first.collect(),
        },
        Line {
            name: "Flash, the paper (other data)".to_owned(),
            points: of_paper(|seconds| seconds.0),
        },
        Line {
            name: "best-first, the paper (other data)".to_owned(),
            points: of_paper(|seconds| seconds.1),
        },
    ];
    Chart {
        title: "Figure 6".to_owned(),
        axes: ["columns", "log10 of milliseconds"],
        log: false,
        lines,
    }
}

/// Figure 7b.
fn early((name, columns, steps): &Series) -> Chart {
    let points = steps
        .iter()
        .map(|&(checked, loss)| (checked as f64, loss))
        .collect();
    let line = Line {
        name: "best-first".to_owned(),
        points,
    };
    Chart {
        title: format!("{name}, {columns} columns"),
        axes: ["checked states", "Loss"],
        log: true,
        lines: vec![line],
    }
}
