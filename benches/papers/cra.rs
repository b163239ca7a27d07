//! Refinement attacks on local recoding (CRA; SCIENCE 6): the paper's tables 2 to 7 and its figure
//! 5 on synthetic rows of the shape of its data, which are not public. The tables are those of the
//! bench `refinement`.

#[path = "../refinement/paper.rs"]
mod paper;
#[path = "../refinement/samples.rs"]
mod samples;
#[path = "../refinement/tables.rs"]
mod tables;
#[path = "../refinement/terms.rs"]
mod terms;

use std::path::Path;

use super::chart::{Chart, Line, svg};
use super::{Figure, common};
use paper::{SAMPLES, SETTINGS, Setting};
use tables::Summary;
use terms::{TERMS, timed};

/// All tables and figures of the paper.
pub fn run(_: &Path, _: bool) -> Vec<Figure> {
    println!(
        "{} settings, {SAMPLES} samples each: {} runs",
        SETTINGS.len() * paper::KS.len(),
        SETTINGS.len() * paper::KS.len() * SAMPLES as usize
    );
    let found = tables::print();
    println!(
        "\nFigure 5: classes at the leaves (basic segments) in per cent; the paper: fewer with each k, steeper on MAP than on HCUP"
    );
    println!(
        "\n| data | columns | {} |\n|---|---:|{}",
        paper::KS.map(|k| format!("k = {k}")).join(" | "),
        "---:|".repeat(5)
    );
    for setting in &SETTINGS {
        let shares: Vec<String> = of(&found, setting)
            .map(|summary| format!("{:.1}", summary.basic))
            .collect();
        println!(
            "| {} | {} | {} |",
            setting.name,
            setting.layers.len(),
            shares.join(" | ")
        );
    }
    claims(&found);
    vec![
        Figure {
            name: "cra-ratios",
            svg: svg(
                "LR / CRA by k, as powers of ten",
                &[
                    ratios(&found, 0, "mean over classes"),
                    printed(0, "classes, the paper"),
                    ratios(&found, 1, "mean over outliers"),
                    printed(1, "outliers, the paper"),
                ],
            ),
        },
        Figure {
            name: "cra-segments",
            svg: svg("Classes at the leaves", &[segments(&found)]),
        },
    ]
}

fn of<'f>(found: &'f [Summary], setting: &'f Setting) -> impl Iterator<Item = &'f Summary> {
    let is = |other: &Setting| (other.name, other.layers) == (setting.name, setting.layers);
    found.iter().filter(move |summary| is(summary.setting))
}

fn name(setting: &Setting) -> String {
    format!("{}, {} columns", setting.name, setting.layers.len())
}

/// How often a figure changes from one k to the next as the paper says.
fn claims(found: &[Summary]) {
    let steps = |of_summary: &dyn Fn(&Summary) -> Option<f64>, is_as_said: fn(f64, f64) -> bool| {
        let pairs: Vec<(f64, f64)> = SETTINGS
            .iter()
            .flat_map(|setting| {
                of(found, setting)
                    .map(of_summary)
                    .collect::<Vec<_>>()
                    .windows(2)
                    .map(|pair| pair[0].zip(pair[1]))
                    .collect::<Vec<_>>()
            })
            .flatten()
            .collect();
        format!(
            "in {} of {} steps of k",
            pairs.iter().filter(|(a, b)| is_as_said(*a, *b)).count(),
            pairs.len()
        )
    };
    println!("\n| claim of the paper | ours |\n|---|---|");
    println!(
        "| LR / CRA of classes rises with k | {} (medians) |",
        steps(&|summary| summary.medians[0], |a, b| b >= a)
    );
    println!(
        "| LR / CRA of outliers rises with k | {} (medians) |",
        steps(&|summary| summary.medians[1], |a, b| b >= a)
    );
    println!(
        "| … means over all classes | {} |",
        steps(&|summary| summary.means[0], |a, b| b >= a)
    );
    println!(
        "| … means over outliers | {} |",
        steps(&|summary| summary.means[1], |a, b| b >= a)
    );
    println!(
        "| fewer classes at the leaves with k | {} |",
        steps(&|summary| Some(summary.basic), |a, b| b <= a)
    );
}

fn by_k(title: &str, lines: Vec<Line>) -> Chart {
    Chart {
        title: title.to_owned(),
        axes: ["k", "log10 of LR / CRA"],
        log: false,
        lines,
    }
}

fn ratios(found: &[Summary], which: usize, title: &str) -> Chart {
    let line = |setting: &Setting| {
        let points = of(found, setting)
            .filter_map(|summary| Some((summary.k as f64, summary.means[which]?)));
        Line {
            name: name(setting),
            points: points.collect(),
        }
    };
    by_k(title, SETTINGS.iter().map(line).collect())
}

/// The paper's own figures.
fn printed(which: usize, title: &str) -> Chart {
    let line = |setting: &Setting| {
        let texts = [setting.classes, setting.outliers][which];
        let figure = |text: &str| text.parse::<f64>().expect("a number").log10();
        let points = paper::KS
            .iter()
            .zip(texts)
            .map(|(&k, text)| (k as f64, figure(text)));
        Line {
            name: name(setting),
            points: points.collect(),
        }
    };
    by_k(title, SETTINGS.iter().map(line).collect())
}

/// Figure 5.
fn segments(found: &[Summary]) -> Chart {
    let line = |setting: &Setting| Line {
        name: name(setting),
        points: of(found, setting)
            .map(|summary| (summary.k as f64, summary.basic))
            .collect(),
    };
    let title = "classes at the leaves".to_owned();
    Chart {
        title,
        axes: ["k", "classes in %"],
        log: false,
        lines: SETTINGS.iter().map(line).collect(),
    }
}
