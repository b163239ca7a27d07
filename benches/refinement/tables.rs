//! The paper's Tables 2 to 7 (CRA 5 and A.2) from our samples. A figure of the paper is printed
//! beside ours if it can be read. Every row is over all classes, or outliers, of the samples of one
//! setting and k.

use std::time::Instant;

use tidegate::engine::gate::refinement::{
    AttackTarget, AttackedRows, RefinementAttack, fuzzy, short,
};

use super::paper::{KS, SAMPLES, SETTINGS, Setting};
use super::samples::{Sample, sample};
use super::{TERMS, timed};

/// How often a target is attacked to measure its time; the median counts.
const TIMES: usize = 5;

/// One target, as far as tables describe it.
struct Line {
    outliers: bool,
    /// Cells of its segment, and those that no earlier class has taken.
    cells: u64,
    free: u64,
    /// Decimal logarithms.
    lr: f64,
    cra: f64,
    ratio: f64,
    assignments: f64,
    /// Cells that have the same count in every solution.
    certain: u64,
    /// Cells that contain one true row.
    single: u64,
    seconds: f64,
}

/// All targets of one setting and k.
struct Lines {
    setting: &'static Setting,
    at: usize,
    lines: Vec<Line>,
}

/// Figures of one setting and k, for plots.
#[allow(dead_code, reason = "the bench `papers` draws it")]
pub struct Summary {
    pub setting: &'static Setting,
    pub k: u64,
    /// log₁₀ of the mean of LR / CRA over all classes, and over the outliers.
    pub means: [Option<f64>; 2],
    /// Medians of log₁₀(LR / CRA) over classes above the leaves, and over the outliers.
    pub medians: [Option<f64>; 2],
    /// Classes at the leaves in per cent: the paper's basic segments.
    pub basic: f64,
}

/// Prints the tables.
pub fn print() -> Vec<Summary> {
    let start = Instant::now();
    let mut all = Vec::new();
    for setting in &SETTINGS {
        for (at, &k) in KS.iter().enumerate() {
            let lines = (0..SAMPLES)
                .flat_map(|number| lines(&sample(setting, number, k)))
                .collect();
            all.push(Lines { setting, at, lines });
        }
    }
    println!(
        "synthetic data of the shape of HCUP (800 rows) and MAP-clinics (500 rows), {SAMPLES} samples each"
    );
    println!(
        "`paper` is the paper's figure for its own data, of which it does not say what it is a mean of\n"
    );
    ratios(&all);
    outliers(&all);
    singled(&all);
    assignments(&all);
    times(&all);
    println!(
        "the whole bench, recoding included: {:.1} s",
        start.elapsed().as_secs_f64()
    );
    all.iter().map(Lines::summary).collect()
}

fn lines(sample: &Sample) -> Vec<Line> {
    let attack = RefinementAttack::new(&sample.release, TERMS).expect("an order of formation");
    let line = |place: AttackedRows| {
        let (target, seconds) = timed(TIMES, || attack.target(place));
        line(sample, &target, seconds)
    };
    sample.release.places().into_iter().map(line).collect()
}

fn line(sample: &Sample, target: &AttackTarget, seconds: f64) -> Line {
    let segment = sample.release.segment(target.place);
    let exact = "small enough for exact figures";
    // For a class at the leaves its own cell is known, and nothing is learnt.
    let certain = if target.columns.is_empty() {
        0
    } else {
        target.certain_cells().expect(exact)
    };
    Line {
        outliers: target.place == AttackedRows::Outliers,
        cells: segment.iter().map(|leaves| leaves.len() as u64).product(),
        free: target.free_cells.expect(exact),
        lr: target.lr.log10().expect(exact),
        cra: target.cra.log10().expect("the truth is a solution"),
        ratio: target.ratio.log10().expect(exact),
        assignments: target
            .assignments
            .log10()
            .expect("the truth is an assignment"),
        certain,
        single: fuzzy(sample.rows(target.place)),
        seconds,
    }
}

impl Lines {
    fn classes(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| !line.outliers).collect()
    }

    fn outliers(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.outliers).collect()
    }

    fn summary(&self) -> Summary {
        let classes = self.classes();
        let compound: Vec<&Line> = classes
            .iter()
            .copied()
            .filter(|line| line.cells > 1)
            .collect();
        let basic = 100.0 * (classes.len() - compound.len()) as f64 / classes.len().max(1) as f64;
        let means = [&classes, &self.outliers()].map(|lines| log_of_mean(lines, |line| line.ratio));
        let medians = [&compound, &self.outliers()].map(|lines| middle(lines, |line| line.ratio));
        Summary {
            setting: self.setting,
            k: KS[self.at],
            means,
            medians,
            basic,
        }
    }

    /// The name of a row; settings are separated.
    fn name(&self) -> String {
        let gap = if self.at == 0 { "\n" } else { "" };
        format!(
            "{gap}{:<5}{:>3}{:>3}",
            self.setting.name,
            self.setting.layers.len(),
            KS[self.at]
        )
    }
}

fn ratios(all: &[Lines]) {
    println!(
        "Table 2: LR / CRA of classes; `leaves` is the share of classes at the leaves, of which nothing is learnt;"
    );
    println!("LR, CRA and the first ratio are medians over the others, the rest is over all");
    println!(
        "data   d  k classes leaves |      LR      CRA    ratio |   median     mean      max |     paper"
    );
    for part in all {
        let classes = part.classes();
        let compound: Vec<&Line> = classes
            .iter()
            .copied()
            .filter(|line| line.cells > 1)
            .collect();
        let leaves = 100.0 * (classes.len() - compound.len()) as f64 / classes.len() as f64;
        println!(
            "{} {:>7} {leaves:>5.1}% |{}{}{} |{}{} |{:>10}",
            part.name(),
            classes.len(),
            cell(&median(&compound, |line| line.lr)),
            cell(&median(&compound, |line| line.cra)),
            cell(&median(&compound, |line| line.ratio)),
            cell(&median(&classes, |line| line.ratio)),
            ends(&classes, |line| line.ratio),
            part.setting.classes[part.at],
        );
    }
}

fn outliers(all: &[Lines]) {
    println!(
        "\nTable 3: LR / CRA of the outliers of those samples that have any; LR and CRA are medians;"
    );
    println!("`taken` are the cells that classes have taken, on average, of all");
    println!(
        "data   d  k samples       taken |      LR      CRA |   median     mean      max |     paper"
    );
    for part in all {
        let outliers = part.outliers();
        let taken = outliers
            .iter()
            .map(|line| line.cells - line.free)
            .sum::<u64>() as f64;
        let cells = outliers.first().map_or(0, |line| line.cells);
        println!(
            "{} {:>7} {:>7.1}/{cells:<3} |{}{} |{}{} |{:>10}",
            part.name(),
            outliers.len(),
            taken / outliers.len().max(1) as f64,
            cell(&median(&outliers, |line| line.lr)),
            cell(&median(&outliers, |line| line.cra)),
            cell(&median(&outliers, |line| line.ratio)),
            ends(&outliers, |line| line.ratio),
            part.setting.outliers[part.at],
        );
    }
}

fn singled(all: &[Lines]) {
    println!(
        "\nTable 4: classes by how many of their cells hold one row in truth, which an attacker who guesses the right"
    );
    println!(
        "assignment singles out; and classes above the leaves with a cell whose count is certain"
    );
    println!("data   d  k    none     one    more | certain");
    for part in all {
        let classes = part.classes();
        let share = |of: &dyn Fn(&Line) -> bool| {
            100.0 * classes.iter().filter(|line| of(line)).count() as f64 / classes.len() as f64
        };
        println!(
            "{} {:>6.1}% {:>6.1}% {:>6.1}% | {:>6.1}%",
            part.name(),
            share(&|line| line.single == 0),
            share(&|line| line.single == 1),
            share(&|line| line.single > 1),
            share(&|line| line.certain > 0),
        );
    }
}

fn assignments(all: &[Lines]) {
    println!("\nTable 5: assignments of rows to cells that are left, per class and of outliers");
    println!(
        "data   d  k | classes: median     mean      max | outliers: median     mean      max"
    );
    for part in all {
        let (classes, outliers) = (part.classes(), part.outliers());
        println!(
            "{} |        {}{} |         {}{}",
            part.name(),
            cell(&median(&classes, |line| line.assignments)),
            ends(&classes, |line| line.assignments),
            cell(&median(&outliers, |line| line.assignments)),
            ends(&outliers, |line| line.assignments),
        );
    }
}

fn times(all: &[Lines]) {
    println!("\nTables 6 and 7: microseconds per class and for outliers, on one thread");
    println!(
        "data   d  k | classes: median     mean      max | outliers: median     mean      max"
    );
    for part in all {
        let time = |line: &Line| (line.seconds * 1e6).log10();
        let (classes, outliers) = (part.classes(), part.outliers());
        println!(
            "{} |        {}{} |         {}{}",
            part.name(),
            cell(&median(&classes, time)),
            ends(&classes, time),
            cell(&median(&outliers, time)),
            ends(&outliers, time),
        );
    }
}

/// The mean and the maximum of numbers with these decimal logarithms.
fn ends(lines: &[&Line], of: impl Fn(&Line) -> f64) -> String {
    let most = lines.iter().map(|line| of(line)).reduce(f64::max);
    format!(
        "{}{}",
        cell(&mean(lines, &of)),
        cell(&most.map(short).unwrap_or_default())
    )
}

fn mean(lines: &[&Line], of: impl Fn(&Line) -> f64) -> String {
    log_of_mean(lines, of).map(short).unwrap_or_default()
}

fn log_of_mean(lines: &[&Line], of: impl Fn(&Line) -> f64) -> Option<f64> {
    // Numbers of solutions are far beyond the range of floats.
    let most = lines.iter().map(|line| of(line)).reduce(f64::max)?;
    let parts: f64 = lines.iter().map(|line| 10f64.powf(of(line) - most)).sum();
    Some(most + (parts / lines.len() as f64).log10())
}

fn median(lines: &[&Line], of: impl Fn(&Line) -> f64) -> String {
    middle(lines, of).map(short).unwrap_or_default()
}

/// The median; of an even number the larger one in the middle.
fn middle(lines: &[&Line], of: impl Fn(&Line) -> f64) -> Option<f64> {
    let mut all: Vec<f64> = lines.iter().map(|line| of(line)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

fn cell(text: &str) -> String {
    format!(" {text:>8}")
}
