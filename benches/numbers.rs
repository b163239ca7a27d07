//! Groups of numeric rows (SCIENCE 7). Without an argument: what MDAV takes on made-up rows with ten columns, with the index and
//! comparing with every row, from one size to the next. With `rules`: sensitive cells by k, by rule and by number of columns, on iris,
//! ionosphere, abalone (`$TIDEGATE_DATA/numeric`) and the numeric columns of Adult (`$TIDEGATE_DATA/adult_uci`), as the dominance paper has them.
//!
//! `cargo bench --no-default-features --bench numbers`
//! `TIDEGATE_DATA=… cargo bench --no-default-features --bench numbers -- rules`

use std::path::{Path, PathBuf};
use std::time::Instant;

use tidegate::engine::dominance::{Cell, Rule};
use tidegate::engine::microaggregation::{Points, mdav, mondrian};
use tidegate::engine::policy::Decimal;

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Rows whose columns depend on three factors, as those of people do.
fn made(rows: usize, columns: usize) -> Points {
    let mut chance = Chance(7);
    let mut numbers = Vec::with_capacity(rows * columns);
    for _ in 0..rows {
        let factors = [chance.unit(), chance.unit(), chance.unit()];
        numbers.extend((0..columns).map(|column| factors[column % 3] * 3.0 + chance.unit()));
    }
    Points::new(numbers, columns)
}

/// One step of MDAV that compares with every row, so many times as it has steps: what it takes without an index.
fn plain(points: &Points, k: usize) {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let far = |left: &[usize], from: &[f64]| {
        let to = |row: usize| -> f64 { points.at(row).iter().zip(from).map(|(a, b)| (a - b) * (a - b)).sum() };
        left.iter()
            .map(|&row| (to(row), row))
            .fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best })
            .1
    };
    while left.len() >= 3 * k {
        let mut mean = vec![0.0; points.dimensions()];
        for &row in &left {
            mean.iter_mut().zip(points.at(row)).for_each(|(sum, number)| *sum += number);
        }
        mean.iter_mut().for_each(|sum| *sum /= left.len() as f64);
        let mut from = far(&left, &mean);
        for _ in 0..2 {
            let to = |row: usize| -> f64 {
                points.at(row).iter().zip(points.at(from)).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let mut near: Vec<(f64, usize)> = left.iter().map(|&row| (to(row), row)).collect();
            near.select_nth_unstable_by(k - 1, |one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            let mut taken: Vec<usize> = near[..k].iter().map(|near| near.1).collect();
            taken.sort_unstable();
            left.retain(|row| taken.binary_search(row).is_err());
            from = far(&left, points.at(from));
        }
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

fn sizes() {
    println!("MDAV, 10 columns, k = 5, seconds\n\n|    rows |  index | every row | Mondrian |\n|---:|---:|---:|---:|");
    for rows in [6_250, 12_500, 25_000, 50_000, 100_000] {
        let points = made(rows, 10);
        let index = seconds(|| assert!(mdav(&points, 5).len() * 5 <= rows));
        let every = (rows <= 25_000).then(|| seconds(|| plain(&points, 5)));
        let cuts = seconds(|| assert!(mondrian(&points, 5).len() * 5 <= rows));
        let every = every.map_or_else(|| "–".to_owned(), |every| format!("{every:.2}"));
        println!("| {rows:7} | {index:6.2} | {every:>9} | {cuts:8.3} |");
    }
}

/// A data set: numbers, and how many decimals they have.
struct Data {
    name: &'static str,
    rows: Vec<Vec<f64>>,
    decimals: i32,
}

fn fields(file: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let split = |line: &str| line.split([',', ';']).map(|field| field.trim().to_owned()).collect();
    text.lines().filter(|line| !line.trim().is_empty()).map(split).collect()
}

/// The columns that are numbers in each row.
fn numeric(rows: &[Vec<String>]) -> Vec<Vec<f64>> {
    let columns = rows.first().map_or(0, Vec::len);
    let is_number =
        |column: &usize| rows.iter().all(|row| row.get(*column).is_some_and(|field| field.parse::<f64>().is_ok()));
    let columns: Vec<usize> = (0..columns).filter(is_number).collect();
    let number = |row: &Vec<String>| columns.iter().map(|&column| row[column].parse().expect("a number")).collect();
    rows.iter().map(number).collect()
}

fn data() -> Vec<Data> {
    let Some(folder) = std::env::var_os("TIDEGATE_DATA").map(PathBuf::from) else { return Vec::new() };
    let set = |name, path: &str, decimals, header: usize| {
        let rows = fields(&folder.join(path));
        Data { name, rows: numeric(rows.get(header..).unwrap_or_default()), decimals }
    };
    let all = [
        set("ionosphere", "numeric/ionosphere.dat", 5, 0),
        set("abalone, without sex", "numeric/abalone19.dat", 4, 0),
        set("Adult, numeric columns", "adult_uci/adult.data", 0, 0),
    ];
    all.into_iter().filter(|data| !data.rows.is_empty()).collect()
}

/// The share of cells that each rule finds sensitive, in groups of both kinds.
fn shares(data: &Data, columns: usize, k: usize) -> [String; 5] {
    let rows: Vec<Vec<f64>> = data.rows.iter().map(|row| row[..columns].to_vec()).collect();
    let points = Points::new(rows.concat(), columns).standardized();
    let (unit, share) = (10f64.powi(data.decimals), Decimal::new(6, 1).expect("a decimal"));
    let rules = [Rule::Dominance { largest: 1, share }, Rule::Percent(share)];
    let of = |groups: Vec<Vec<usize>>| {
        rules.map(|rule| {
            let cells = groups.iter().flat_map(|group| (0..columns).map(move |column| (group, column)));
            let cell = |(group, column): (&Vec<usize>, usize)| {
                Cell::of(group.iter().map(|&row| (rows[row][column] * unit).round() as i64), rule.keeps())
            };
            let sensitive = cells.filter(|&at| rule.is_sensitive(&cell(at))).count();
            format!("{:.2}", 100.0 * sensitive as f64 / (groups.len() * columns) as f64)
        })
    };
    let groups = mdav(&points, k);
    let count = groups.len().to_string();
    let ([dominated, close], [cut_dominated, cut_close]) = (of(groups), of(mondrian(&points, k)));
    [count, dominated, close, cut_dominated, cut_close]
}

fn rules() {
    for data in data() {
        let columns = data.rows[0].len();
        println!(
            "\n{} ({} rows, {columns} columns): sensitive cells in %, (1, 0.6)-dominance and 60 %\n\n\
             |   k | columns | groups | MDAV dominance | MDAV p% | Mondrian dominance | Mondrian p% |\n|---:|---:|---:|---:|---:|---:|---:|",
            data.name,
            data.rows.len()
        );
        let most = if data.rows.len() > 10_000 { 1 } else { columns };
        let by_k = [2, 3, 4, 5, 6, 8, 10, 15, 20, 25].map(|k| (k, columns));
        let by_columns = (1..columns).step_by(columns.div_ceil(8)).take(most).map(|columns| (3, columns));
        for (k, columns) in by_k.into_iter().chain(by_columns) {
            let [groups, dominated, close, cut_dominated, cut_close] = shares(&data, columns, k);
            println!(
                "| {k:3} | {columns:7} | {groups:>6} | {dominated:>14} | {close:>7} | {cut_dominated:>18} | {cut_close:>11} |"
            );
        }
    }
}

fn main() {
    if std::env::args().any(|arg| arg == "rules") { rules() } else { sizes() }
}
