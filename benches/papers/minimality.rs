//! The minimality attack and MASK on Adult (MIN 7; SCIENCE 5): figure 2, and figures 3 and 4 for
//! one table, with the baseline (α,k)-anonymity by local recoding. The text of the paper contains
//! few figures, so trends are compared. The paper's figures on two tables are those of the bench
//! `mask`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, RecordBatch, StringArray};

use super::Figure;
use super::alpha_k::{Class, Table, alpha_k};
use super::chart::{Chart, Line, svg};
use super::common::adult;
use super::common::levels::{Data, hierarchy};
use tidegate::engine::gate::minimality::requirement::l_diverse;
use tidegate::engine::gate::minimality::{MinimalityAttack, OriginClass};
use tidegate::engine::histogram::{Release, ValueCode};
use tidegate::engine::label::alone;
use tidegate::engine::model::{Node, Taxonomy, Value};
use tidegate::engine::safeguards::mask::{
    Draws, EqualRows, ReplacementSources, ReplacementValues, mask,
};

const COLUMNS: [&str; 8] = [
    "age",
    "workclass",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary-class",
];
/// Where the fields of these columns are in the files.
const FIELDS: [usize; 8] = [0, 1, 5, 6, 8, 9, 13, 14];
/// Education below secondary school.
const GUARDED: [&str; 4] = ["Preschool", "1st-4th", "5th-6th", "7th-8th"];
const MS: [u64; 2] = [2, 10];
const KS: [u64; 3] = [2, 10, 20];
/// Runs of MASK for each setting.
const RUNS: u64 = 100;

/// SplitMix64.
struct Chance(u64);

impl Draws for Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }
}

/// Values outside the set: those of the class, then those of the table.
struct Around<'a> {
    classes: &'a [Vec<EqualRows>],
    set: &'a [bool],
    all: ReplacementValues,
}

impl ReplacementSources for Around<'_> {
    fn around(&self, atom: usize, higher: usize) -> Option<ReplacementValues> {
        let outside = |rows: &&EqualRows| !self.set[rows.value as usize];
        match higher {
            0 => Some(ReplacementValues::of(
                self.classes[atom]
                    .iter()
                    .filter(outside)
                    .map(|rows| (rows.value, rows.rows)),
            )),
            1 => Some(self.all.clone()),
            _ => None,
        }
    }
}

/// The cost of a table.
struct Cost {
    /// Information loss of the quasi columns (definition 6 of the paper).
    loss: f64,
    /// The same of the sensitive column, on average over the runs.
    distortion: f64,
    /// Rows that get another value, on average over the runs.
    changed: f64,
    /// Seconds of the recoding, and of masking on average.
    seconds: [f64; 2],
}

/// A table with everything that its costs are measured with.
struct Adult {
    data: Data,
    education: Taxonomy,
    set: Vec<bool>,
}

impl Adult {
    /// All complete rows of both parts, with the first columns; `None` without data.
    fn read(folder: &Path, width: usize) -> Option<Adult> {
        let folder = folder.join("adult");
        let rows = adult::data()?.concat();
        let field = |name: &str, at: usize| {
            // The second part ends its lines with a full stop.
            let fields = rows.iter().map(|row| row[at].trim_end_matches('.'));
            (
                name.to_owned(),
                Arc::new(StringArray::from_iter_values(fields)) as ArrayRef,
            )
        };
        let fields = COLUMNS
            .iter()
            .zip(FIELDS)
            .map(|(name, at)| field(name, at))
            .chain([field("education", 3)]);
        let table = RecordBatch::try_from_iter(fields).expect("columns of one length");
        let names: Vec<String> = COLUMNS[..width]
            .iter()
            .map(|&name| name.to_owned())
            .collect();
        let data = Data::of(&folder, &table, &names, (Some("education"), &GUARDED));
        let set = data.rows.values().guarded(&data.columns).swap_remove(0);
        let education = hierarchy(&folder.join("hierarchy_education.csv")).0.tree;
        Some(Adult {
            data,
            education,
            set,
        })
    }

    /// The mean over all rows of the generalised share of each column.
    fn loss<'c>(&self, classes: impl Iterator<Item = (&'c [Node], u64)>) -> f64 {
        let trees = self.data.trees();
        let lost = |nodes: &[Node]| {
            nodes
                .iter()
                .zip(&trees)
                .map(|(&node, tree)| coverage(tree, node))
                .sum::<f64>()
        };
        let sum: f64 = classes.map(|(nodes, rows)| rows as f64 * lost(nodes)).sum();
        sum / (self.data.rows.rows() as f64 * trees.len() as f64)
    }

    /// The coverage of the nearest common ancestor of two values of the sensitive column.
    fn distance(&self, from: ValueCode, to: ValueCode) -> f64 {
        let leaf = |code: ValueCode| match &self.data.rows.values().get(code)[0] {
            Value::Text(text) => self.education.find(text).expect("a value of the taxonomy"),
            _ => 0,
        };
        let (mut above, to) = (leaf(from), leaf(to));
        while !self.education.covers(above, to) {
            above = self.education.parent(above).expect("the root covers all");
        }
        coverage(&self.education, above)
    }

    /// Values of classes, masked this many times with other draws.
    fn masked(&self, classes: &[Vec<EqualRows>], l: u64, runs: u64) -> (f64, f64, f64) {
        let outside = classes
            .iter()
            .flatten()
            .filter(|rows| !self.set[rows.value as usize]);
        let all = ReplacementValues::of(outside.map(|rows| (rows.value, rows.rows)));
        let around = Around {
            classes,
            set: &self.set,
            all,
        };
        let (mut distortion, mut changed) = (0.0, 0);
        let start = Instant::now();
        for run in 0..runs {
            let sets = std::slice::from_ref(&self.set);
            let changes = mask(classes, sets, l, &around, &mut Chance(run))
                .expect("others have other values");
            changed += changes.iter().map(|change| change.rows).sum::<u64>();
            distortion += changes
                .iter()
                .map(|change| change.rows as f64 * self.distance(change.from, change.to))
                .sum::<f64>();
        }
        let (seconds, runs) = (start.elapsed().as_secs_f64(), runs as f64);
        (
            distortion / (runs * self.data.rows.rows() as f64),
            changed as f64 / runs,
            seconds / runs,
        )
    }

    /// The baseline, and MASK as the paper has it on classes of the same algorithm without a share.
    fn local(&self, m: u64, k: u64, runs: u64) -> [Cost; 2] {
        let table = Table {
            rows: &self.data.rows,
            trees: &self.data.trees(),
            set: &self.set,
        };
        let timed = |share| {
            let start = Instant::now();
            (alpha_k(&table, k, share), start.elapsed().as_secs_f64())
        };
        let loss = |classes: &[Class]| {
            self.loss(classes.iter().map(|class| (&class.nodes[..], class.rows)))
        };
        let (baseline, seconds) = timed(Some(m));
        let first = Cost {
            loss: loss(&baseline),
            distortion: 0.0,
            changed: 0.0,
            seconds: [seconds, 0.0],
        };
        let (classes, seconds) = timed(None);
        let values: Vec<Vec<EqualRows>> = classes.iter().map(|class| table.values(class)).collect();
        let (distortion, changed, masking) = self.masked(&values, m, runs);
        [
            first,
            Cost {
                loss: loss(&classes),
                distortion,
                changed,
                seconds: [seconds, masking],
            },
        ]
    }

    /// MASK as the product runs it: classes of at least max(k, 4m) rows under one recoding, masked
    /// with l' = 2m.
    fn product(&self, m: u64, k: u64, runs: u64) -> Cost {
        let (rows, trees) = (&self.data.rows, self.data.trees());
        let start = Instant::now();
        let found = alone(&rows.headcount(), &trees, k.max(4 * m)).expect("many rows");
        let seconds = start.elapsed().as_secs_f64();
        let release = Release::under(rows, 0..1, &found.recoding);
        let values = |class: usize| {
            let groups = release
                .range(class)
                .map(|at| (release.values()[at], release.counts()[at]));
            groups
                .map(|(value, rows)| EqualRows {
                    cell: 0,
                    value,
                    rows,
                })
                .collect()
        };
        let classes: Vec<Vec<EqualRows>> = (0..release.classes()).map(values).collect();
        let (distortion, changed, masking) = self.masked(&classes, 2 * m, runs);
        let sizes = (0..release.classes()).map(|class| (release.class(class), release.size(class)));
        Cost {
            loss: self.loss(sizes),
            distortion,
            changed,
            seconds: [seconds, masking],
        }
    }
}

fn coverage(tree: &Taxonomy, node: Node) -> f64 {
    (tree.values(node) - 1) as f64 / (tree.values(0) - 1).max(1) as f64
}

/// Steps that an exact attack on one class may take; beyond them its figure is a bound.
const WORK: u64 = 2_000_000_000;

/// Findings of an attacker who knows the mechanism and which people are in which class.
#[derive(Default)]
struct Found {
    /// Guarded rows of people who are linked to the set with more than 1/m.
    rows: u64,
    /// The sum of the credibilities of these links.
    tied: f64,
    /// Classes whose figure is a bound.
    bounds: usize,
}

impl Found {
    fn add(&mut self, table: &Table<'_>, class: &Class, m: u64) {
        let counts: Vec<_> = class
            .tuples
            .iter()
            .map(|&tuple| table.count(tuple as usize))
            .collect();
        let guarded = counts.iter().map(|count| count.guarded).sum();
        if counts.len() < 2 || guarded == 0 {
            return;
        }
        let origins: Vec<OriginClass> = counts
            .iter()
            .map(|count| OriginClass::whole(count.rows))
            .collect();
        let attack = MinimalityAttack::new(&origins, guarded, l_diverse(m));
        let is_exact = attack.cost() <= WORK;
        self.bounds += usize::from(!is_exact);
        let found = if is_exact {
            attack.exact()
        } else {
            attack.at_most()
        };
        for (count, credibility) in counts.iter().zip(found) {
            if let Some(credibility) =
                credibility.filter(|credibility| !credibility.is_at_most_one_in(m))
            {
                self.rows += count.guarded;
                self.tied += count.guarded as f64 * credibility.value();
            }
        }
    }
}

/// Figure 2: the result of the attack, by m and by the number of columns.
fn attack(folder: &Path) -> Vec<Chart> {
    println!(
        "\nFigure 2: attack on (α,k)-A with α = 1/m and k = 1; one run per line\n\n\
         | m | columns | rows | in the set | problematic, % of the set | average credibility | classes with a bound only | paper |\n\
         |---:|---:|---:|---:|---:|---:|---:|---|"
    );
    let points = |m: u64, width: usize, paper: &str| {
        let adult = Adult::read(folder, width).expect("the data are there");
        let table = Table {
            rows: &adult.data.rows,
            trees: &adult.data.trees(),
            set: &adult.set,
        };
        let mut found = Found::default();
        alpha_k(&table, 1, Some(m))
            .iter()
            .for_each(|class| found.add(&table, class, m));
        let all: u64 = (0..table.rows.tuples())
            .map(|tuple| table.count(tuple).guarded)
            .sum();
        let (share, credibility) = (
            100.0 * found.rows as f64 / all as f64,
            found.tied / found.rows.max(1) as f64,
        );
        println!(
            "| {m} | {width} | {} | {all} | {share:.1} | {credibility:.3} | {} | {paper} |",
            table.rows.rows(),
            found.bounds
        );
        [share, credibility]
    };
    let by_m: Vec<(f64, [f64; 2])> = [2, 4, 6, 8, 10]
        .map(|m| {
            (
                m as f64,
                points(m, 8, "1,566 in the set; the share rises, credibility falls"),
            )
        })
        .into();
    let by_width: Vec<(f64, [f64; 2])> = [3, 4, 5, 6, 7, 8]
        .map(|width| {
            (
                width as f64,
                points(
                    2,
                    width,
                    "the share rises with columns, credibility about 0.9",
                ),
            )
        })
        .into();
    let chart = |points: &[(f64, [f64; 2])], which: usize, title: &str, axes| Chart {
        title: title.to_owned(),
        axes,
        log: false,
        lines: vec![Line {
            name: "ours".to_owned(),
            points: points.iter().map(|(at, of)| (*at, of[which])).collect(),
        }],
    };
    vec![
        chart(&by_m, 0, "2a: 8 columns", ["m", "problematic in %"]),
        chart(&by_m, 1, "2b: 8 columns", ["m", "credibility"]),
        chart(&by_width, 0, "2c: m = 2", ["columns", "problematic in %"]),
        chart(&by_width, 1, "2d: m = 2", ["columns", "credibility"]),
    ]
}

/// A setting of figures 3 and 4: m, k, columns, and the costs of the baseline, of the paper's MASK
/// and of the product's.
type Setting = (u64, u64, usize, [Cost; 3]);

/// Figures 3 and 4 for one table.
fn overhead(folder: &Path, runs: u64) -> Vec<Setting> {
    println!(
        "\nFigures 3 and 4: information loss of quasi columns, distortion of the sensitive column by its taxonomy; averages of {runs} runs of\n\
         MASK; classes are the same in each run\n\n\
         | m | k | columns | loss (α,k)-A | loss MASK | loss product | distortion MASK | distortion product | rows changed MASK | \
         rows changed product | seconds (α,k)-A | classes + masking MASK | classes + masking product |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    let mut all = Vec::new();
    for width in 3..=COLUMNS.len() {
        let adult = Adult::read(folder, width).expect("the data are there");
        for (m, k) in MS.into_iter().flat_map(|m| KS.map(|k| (m, k))) {
            let [baseline, paper] = adult.local(m, k, runs);
            let product = adult.product(m, k, runs);
            let seconds = |cost: &Cost| format!("{:.3} + {:.4}", cost.seconds[0], cost.seconds[1]);
            println!(
                "| {m} | {k} | {width} | {:.4} | {:.4} | {:.4} | {:.5} | {:.5} | {:.1} | {:.1} | {:.3} | {} | {} |",
                baseline.loss,
                paper.loss,
                product.loss,
                paper.distortion,
                product.distortion,
                paper.changed,
                product.changed,
                baseline.seconds[0],
                seconds(&paper),
                seconds(&product)
            );
            all.push((m, k, width, [baseline, paper, product]));
        }
    }
    all
}

/// The paper's claims on one table, counted over the settings.
fn claims(all: &[Setting]) {
    println!("\n| claim of the paper | ours |\n|---|---|");
    let count =
        |holds: &dyn Fn(&Setting) -> bool| all.iter().filter(|setting| holds(setting)).count();
    let less = count(&|(_, _, _, [baseline, paper, _])| paper.loss < baseline.loss);
    println!(
        "| MASK loses less than (α,k)-A in some cases | in {less} of {} settings |",
        all.len()
    );
    let first: f64 = all.iter().map(|(_, _, _, costs)| costs[1].seconds[0]).sum();
    let masking: f64 = all.iter().map(|(_, _, _, costs)| costs[1].seconds[1]).sum();
    println!(
        "| the first step takes over 98 % of the time | {:.1} % |",
        100.0 * first / (first + masking)
    );
    let grows = |by: fn(&Setting, &Setting) -> bool, of: fn(&Cost) -> f64, up: bool| {
        let pairs = all
            .iter()
            .flat_map(|a| all.iter().filter(move |b| by(a, b)).map(move |b| (a, b)));
        let (mut holds, mut pairs_seen) = (0, 0);
        for (a, b) in pairs {
            pairs_seen += 1;
            holds += usize::from((of(&b.3[1]) >= of(&a.3[1])) == up);
        }
        format!("in {holds} of {pairs_seen} steps")
    };
    let wider: fn(&Setting, &Setting) -> bool = |a, b| (a.0, a.1, a.2 + 1) == (b.0, b.1, b.2);
    let larger: fn(&Setting, &Setting) -> bool =
        |a, b| (a.0, a.2) == (b.0, b.2) && KS.windows(2).any(|pair| pair == [a.1, b.1]);
    println!(
        "| loss rises with columns | {} |",
        grows(wider, |cost| cost.loss, true)
    );
    println!(
        "| distortion rises with columns | {} |",
        grows(wider, |cost| cost.distortion, true)
    );
    println!(
        "| loss rises with k | {} |",
        grows(larger, |cost| cost.loss, true)
    );
    println!(
        "| distortion falls with k | {} |",
        grows(larger, |cost| cost.distortion, false)
    );
}

/// A chart by the number of columns for one m and all k.
fn chart(
    all: &[Setting],
    m: u64,
    axis: &'static str,
    of: fn(&Cost) -> f64,
    which: &[(usize, &str)],
) -> Chart {
    let line = |(at, name): &(usize, &str), k: u64| Line {
        name: format!("{name}, k = {k}"),
        points: all
            .iter()
            .filter(|setting| (setting.0, setting.1) == (m, k))
            .map(|(_, _, width, costs)| (*width as f64, of(&costs[*at])))
            .collect(),
    };
    let ks = if which.len() > 2 { &KS[..2] } else { &KS[..] };
    let lines = which
        .iter()
        .flat_map(|which| ks.iter().map(move |&k| line(which, k)))
        .collect();
    Chart {
        title: format!("m = {m}"),
        axes: ["columns", axis],
        log: false,
        lines,
    }
}

/// Figures 2 to 4.
pub fn run(folder: &Path, _: bool) -> Vec<Figure> {
    if adult::data().is_none() {
        return Vec::new();
    }
    let found = attack(folder);
    let all = overhead(folder, RUNS);
    claims(&all);
    let loss = |m| {
        chart(
            &all,
            m,
            "information loss",
            |cost| cost.loss,
            &[(0, "(α,k)-A"), (1, "MASK"), (2, "product")],
        )
    };
    let distortion = |m| {
        chart(
            &all,
            m,
            "distortion",
            |cost| cost.distortion,
            &[(1, "MASK"), (2, "product")],
        )
    };
    let costs: Vec<Chart> = MS
        .into_iter()
        .flat_map(|m| [loss(m), distortion(m)])
        .collect();
    vec![
        Figure {
            name: "minimality-attack",
            svg: svg("What a minimality attack finds", &found),
        },
        Figure {
            name: "minimality-cost",
            svg: svg("Costs of MASK and of (α,k)-anonymity", &costs),
        },
    ]
}
