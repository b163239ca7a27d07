//! Local recoding in two ways, on the same rows: ARX-LR (SCIENCE 6) and halving (SCIENCE 11). The
//! loss of each, the result of an attacker who knows the method, the part that the
//! gate approves under the default limits, and the rows that wait: after one tick with all rows,
//! and after the first and the last of ten with a tenth each; on synthetic rows and on Adult
//! (`$TIDEGATE_DATA/adult/adult.csv`) with nine columns. Prints tables, with the time of carving
//! and of the attack:
//!
//! `TIDEGATE_DATA=… cargo bench --bench local`

mod small;

use small::small;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tidegate::engine::gate::refinement::{
    AttackTarget, AttackTerms, AttackedRows, Attacker, CarvedRelease, Layers, RefinementAttack,
    RefinementBudget, RepeatedValues,
};
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::label::{CarvingResult, Effort, Region, StateClass, arx_lr, crowds};
use tidegate::engine::model::{Leaf, Taxonomy, Tree};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts, Decimal, Policy, PolicySettings, RefinementLimits,
};

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Leaves in pairs, pairs in fours, and so on; a short last interval is a node of its own on
/// several layers.
fn pairs(leaves: u32, values: u64) -> Taxonomy {
    fn add(tree: &mut Tree, above: usize, (from, to): (u32, u32), width: u32, values: u64) {
        if to - from == 1 {
            tree.add(above, &format!("{from}"), values);
            return;
        }
        let half = width / 2;
        if to - from <= half {
            return add(tree, above, (from, to), half, values);
        }
        let node = tree.add(above, &format!("{from}-{}", to - 1), 1);
        add(tree, node, (from, from + half), half, values);
        add(tree, node, (from + half, to), half, values);
    }
    let mut tree = Tree::new("*");
    let half = leaves.next_power_of_two() / 2;
    add(&mut tree, 0, (0, half.max(1)), half.max(1), values);
    if half > 0 {
        add(&mut tree, 0, (half, leaves), half, values);
    }
    tree.finish().expect("a tree")
}

fn people(tuples: &[Vec<Leaf>], width: usize) -> Headcount {
    let mut counts: BTreeMap<&Vec<Leaf>, u32> = BTreeMap::new();
    tuples
        .iter()
        .for_each(|tuple| *counts.entry(tuple).or_default() += 1);
    Headcount::of(
        width,
        counts
            .into_iter()
            .map(|(tuple, count)| (tuple, Heads { since: 0, count })),
    )
}

/// Rows concentrated around the middle of every column, and around each other.
fn made(chance: &mut Chance, rows: usize, trees: &[Taxonomy]) -> Vec<Vec<Leaf>> {
    let row = |chance: &mut Chance| -> Vec<Leaf> {
        let shift = chance.below(1 << 16);
        let leaf = |tree: &Taxonomy, chance: &mut Chance| {
            let leaves = tree.leaves() as u64;
            let sum: u64 = (0..3).map(|_| chance.below(leaves)).sum::<u64>() + shift % leaves;
            (sum / 4) as Leaf
        };
        trees.iter().map(|tree| leaf(tree, chance)).collect()
    };
    (0..rows).map(|_| row(chance)).collect()
}

/// All columns of Adult, their values numbered in order.
fn adult() -> Option<(Vec<Vec<Leaf>>, Vec<Taxonomy>)> {
    let path = std::path::Path::new(&std::env::var_os("TIDEGATE_DATA")?).join("adult/adult.csv");
    let text = std::fs::read_to_string(path).ok()?;
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(';').collect())
        .collect();
    let values = |at: usize| -> Vec<&str> {
        let mut values: Vec<&str> = rows
            .iter()
            .map(|row| row[at])
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        values.sort_by_key(|value| (value.parse::<u32>().unwrap_or(u32::MAX), *value));
        values
    };
    let columns: Vec<Vec<&str>> = (0..rows[0].len()).map(values).collect();
    let leaf = |(value, column): (&&str, &Vec<&str>)| {
        column
            .iter()
            .position(|known| known == value)
            .expect("a value") as Leaf
    };
    let tuples = rows
        .iter()
        .map(|row| row.iter().zip(&columns).map(leaf).collect())
        .collect();
    Some((
        tuples,
        columns
            .iter()
            .map(|column| pairs(column.len() as u32, 1))
            .collect(),
    ))
}

fn policy(k: u64) -> Policy {
    let written = PolicySettings {
        k: Some(k),
        ..PolicySettings::default()
    };
    Policy::new(&written, ChainKind::Disjoint, &ColumnFacts::default()).expect("a policy")
}

/// The greatest number of rows of releases that are repaired as often as necessary.
const MOST_KEPT: f64 = 1000.0;

/// How the first tick of a chain halves.
const EFFORT: Effort = Effort {
    certain: 4,
    refusals: 3,
};

/// A way of local recoding.
enum Way {
    Greedy,
    Halves,
}

/// The figures of one release.
#[derive(Default, Clone)]
struct Measured {
    classes: usize,
    loss: f64,
    left: f64,
    streamed: [f64; 2],
    ratios: Vec<f64>,
    passing: f64,
    passes: bool,
    kept: Option<f64>,
    carving: Duration,
    attack: Duration,
}

fn carve(way: &Way, heads: &Headcount, trees: &[&Taxonomy], k: u64) -> CarvingResult {
    match way {
        Way::Greedy => arx_lr(heads, trees, k).expect("layers"),
        Way::Halves => {
            // The same draws for the same rows, and others for other rows.
            let mut chance = Chance(heads.rows() + u64::from(heads.tuple_at(0).sum::<Leaf>()));
            let division = policy(k).division(trees).expect("small");
            let found = crowds(heads, &division, EFFORT, &mut || chance.below(4) > 0);
            let class = |Region {
                             nodes,
                             tuples,
                             people,
                         }| StateClass {
                state: Vec::new(),
                nodes,
                tuples,
                people,
            };
            CarvingResult {
                classes: found.classes.into_iter().map(class).collect(),
                outliers: found.waiting,
            }
        }
    }
}

/// The share of waiting people after the first and after the last of ten ticks with a tenth of the
/// rows each.
fn stream(way: &Way, tuples: &[Vec<Leaf>], trees: &[&Taxonomy], k: u64) -> [f64; 2] {
    let (mut pool, mut came, mut shares) = (Vec::new(), 0, Vec::new());
    for batch in tuples.chunks(tuples.len().div_ceil(10)) {
        pool.extend_from_slice(batch);
        came += batch.len();
        let heads = people(&pool, trees.len());
        let of = |&tuple: &u32| {
            std::iter::repeat_n(
                heads.tuple_at(tuple as usize).collect(),
                heads.count(tuple as usize) as usize,
            )
        };
        pool = carve(way, &heads, trees, k)
            .outliers
            .iter()
            .flat_map(of)
            .collect();
        shares.push(pool.len() as f64 / came as f64);
    }
    [shares[0], shares[shares.len() - 1]]
}

fn released(way: &Way, classes: &[&StateClass], trees: &[&Taxonomy], k: u64) -> CarvedRelease {
    let classes = classes.iter().map(|class| (&class.nodes[..], class.people));
    match way {
        Way::Greedy => Layers::of(trees).expect("layers").release(classes, k),
        Way::Halves => {
            let division = policy(k).division(trees).expect("small");
            Layers::of_any(trees)
                .expect("layers")
                .crowds(classes, (&division, EFFORT.refusals))
        }
    }
    .expect("classes")
}

fn attacked(release: &CarvedRelease) -> Vec<AttackTarget> {
    let budget = RefinementBudget::shared(release.places().len());
    let terms = AttackTerms {
        attacker: Attacker::Strongest,
        values: RepeatedValues::Repeated,
        marginals: false,
        seed: 1,
        budget,
    };
    RefinementAttack::new(release, terms)
        .expect("an order of formation")
        .targets()
}

fn passes(target: &AttackTarget) -> bool {
    let limit = |of: Decimal| u64::from(of.get() as u32).into();
    target.ratio_is_at_most(&limit(RefinementLimits::MAX_RATIO), &1u8.into())
        && target.cra.is_at_least(RefinementLimits::MIN_SOLUTIONS)
        && target
            .certain_crowds()
            .is_some_and(|crowds| crowds.is_empty())
}

/// Rows that are left after failing classes were removed, each with all that were formed together
/// with it.
fn kept(way: &Way, found: &CarvingResult, trees: &[&Taxonomy], k: u64) -> u64 {
    let mut left: Vec<&StateClass> = found.classes.iter().collect();
    loop {
        let release = released(way, &left, trees, k);
        let targets = attacked(&release);
        let failing: BTreeSet<Vec<u8>> = targets
            .iter()
            .filter(|target| !passes(target))
            .filter_map(|target| {
                if let AttackedRows::Class(at) = target.place {
                    Some(left[at].state.clone())
                } else {
                    None
                }
            })
            .collect();
        if failing.is_empty() {
            return left.iter().map(|class| class.people).sum();
        }
        left.retain(|class| !failing.contains(&class.state));
    }
}

fn measure(way: &Way, tuples: &[Vec<Leaf>], trees: &[&Taxonomy], k: u64) -> Measured {
    let heads = &people(tuples, trees.len());
    let start = Instant::now();
    let found = carve(way, heads, trees, k);
    let carving = start.elapsed();
    let release = released(way, &found.classes.iter().collect::<Vec<_>>(), trees, k);
    let start = Instant::now();
    let targets = attacked(&release);
    let attack = start.elapsed();
    let rows = heads.rows() as f64;
    let out: u64 = found
        .outliers
        .iter()
        .map(|&tuple| heads.count(tuple as usize))
        .sum();
    let column = |(at, tree): (usize, &&Taxonomy)| {
        let lost = |class: &StateClass| class.people * (tree.values(class.nodes[at]) - 1);
        let lost: u64 = found.classes.iter().map(lost).sum::<u64>() + out * (tree.values(0) - 1);
        lost as f64 / (rows * (tree.values(0) - 1).max(1) as f64) + 1.0
    };
    let loss = trees
        .iter()
        .enumerate()
        .map(column)
        .product::<f64>()
        .powf(1.0 / trees.len() as f64)
        - 1.0;
    let good = targets.iter().filter(|target| passes(target)).count();
    Measured {
        classes: found.classes.len(),
        loss,
        left: out as f64 / rows,
        streamed: stream(way, tuples, trees, k),
        ratios: targets
            .iter()
            .filter_map(|target| target.ratio.log10())
            .collect(),
        passing: good as f64 / targets.len().max(1) as f64,
        passes: good == targets.len() && !targets.is_empty(),
        kept: (rows <= MOST_KEPT).then(|| kept(way, &found, trees, k) as f64 / rows),
        carving,
        attack,
    }
}

fn line(name: &str, all: &[Measured]) {
    let mean = |of: &dyn Fn(&Measured) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    let mut ratios: Vec<f64> = all
        .iter()
        .flat_map(|one| one.ratios.iter().copied())
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| {
        ratios
            .get(((ratios.len().max(1) - 1) as f64 * share) as usize)
            .copied()
            .unwrap_or(0.0)
    };
    println!(
        "  {name:12} {:8.0} {:7.4} {:7.1}% {:7.1}% {:7.1}% {:10.2} {:10.2e} {:10.1}% {:10.1}% {:>11} {:9.1?} {:9.1?}",
        mean(&|one| one.classes as f64),
        mean(&|one| one.loss),
        100.0 * mean(&|one| one.left),
        100.0 * mean(&|one| one.streamed[0]),
        100.0 * mean(&|one| one.streamed[1]),
        10f64.powf(at(0.5)),
        10f64.powf(at(1.0)),
        100.0 * mean(&|one| one.passing),
        100.0 * mean(&|one| f64::from(u8::from(one.passes))),
        all[0].kept.map_or("-".to_owned(), |_| format!(
            "{:.1}%",
            100.0 * mean(&|one| one.kept.unwrap_or(0.0))
        )),
        all.iter().map(|one| one.carving).sum::<Duration>() / all.len() as u32,
        all.iter().map(|one| one.attack).sum::<Duration>() / all.len() as u32,
    );
}

fn compare(title: &str, samples: &[Vec<Vec<Leaf>>], trees: &[&Taxonomy], k: u64) {
    println!("\n{title}, k = {k}");
    println!(
        "  {:12} {:>8} {:>7} {:>8} {:>8} {:>8} {:>10} {:>10} {:>11} {:>11} {:>11} {:>9} {:>9}",
        "",
        "classes",
        "loss",
        "waiting",
        "1st tick",
        "10th",
        "ratio",
        "worst",
        "classes ok",
        "releases ok",
        "rows kept",
        "carving",
        "attack"
    );
    let each = |way: &Way| {
        samples
            .iter()
            .map(|rows| measure(way, rows, trees, k))
            .collect::<Vec<_>>()
    };
    line("arx-lr", &each(&Way::Greedy));
    line("halves", &each(&Way::Halves));
}

fn main() {
    let mut chance = Chance(1);
    for (rows, columns, leaves, values) in [
        (200, 2, 32, 4),
        (1000, 3, 32, 4),
        (3000, 4, 16, 4),
        (5000, 6, 8, 4),
    ] {
        let owned: Vec<Taxonomy> = (0..columns).map(|_| pairs(leaves, values)).collect();
        let trees: Vec<&Taxonomy> = owned.iter().collect();
        let samples: Vec<Vec<Vec<Leaf>>> = (0..if rows > 1000 { 2 } else { 8 })
            .map(|_| made(&mut chance, rows, &owned))
            .collect();
        for k in [5, 10] {
            compare(
                &format!("{rows} rows, {columns} columns of {leaves} intervals"),
                &samples,
                &trees,
                k,
            );
        }
        if small() {
            return;
        }
    }
    let Some((tuples, owned)) = adult() else {
        println!("\nTIDEGATE_DATA is not set: Adult was not measured");
        return;
    };
    let trees: Vec<&Taxonomy> = owned.iter().collect();
    let title = format!("Adult, {} rows, {} columns", tuples.len(), owned.len());
    for k in [5, 10] {
        compare(&title, std::slice::from_ref(&tuples), &trees, k);
    }
}
