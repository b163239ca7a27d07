//! Audits: two releases of Adult (the folder in `TIDEGATE_DATA`), and chains of up to 50 releases
//! over up to a million rows, under one recoding and under several that cross.

mod small;
mod synthetic;

use small::{million, small};
use std::path::Path;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::ingest::{TableFile, count};
use tidegate::engine::audit::{AuditFigures, AuditSubject};
use tidegate::engine::histogram::{CellReading, Encoder, Histogram, Release, number_recodings};
use tidegate::engine::model::{Cut, Recoding, Taxonomy, cut};

/// The synthetic columns need no feed file: an audit takes only the policy from it.
const POLICY: &str = "[feed]\nname = \"bench\"\n[policy]\nk = 5\n\
    [[column]]\nname = \"q\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"x\"] }\n\
    [[column]]\nname = \"s\"\nrole = \"sensitive\"\n";

fn chains(c: &mut Criterion) {
    let columns = synthetic::columns();
    let trees = columns.trees();
    let policy = FeedConfig::parse(POLICY, Path::new("bench.toml"))
        .expect("a feed file")
        .policy;
    let encoder = Encoder::new(&columns, CellReading::Text);
    let mut group = c.benchmark_group("chain");
    group.sample_size(10);
    let shapes = [
        (100_000, 50, 1, NESTED),
        (1_000_000, 10, 1, NESTED),
        (1_000_000, 50, 1, NESTED),
        (1_000_000, 50, 5, NESTED),
        (1_000_000, 50, 2, CROSSING),
        (1_000_000, 10, 5, CROSSING),
        (1_000_000, 50, 5, CROSSING),
        (1_000_000, 50, 10, CROSSING),
    ];
    // The last ones take minutes, however few the rows are.
    let shapes = if small() { &shapes[..4] } else { &shapes[..] };
    for &(rows, releases, recodings, (kind, recoding)) in shapes {
        let rows = rows * million() as usize / 1_000_000;
        let parts: Vec<Histogram> = (0..releases)
            .map(|at| {
                let batches = synthetic::batches(rows / releases, at as u64 + 1);
                Histogram::of(&encoder, at as u32, &batches).expect("rows that fit")
            })
            .collect();
        let histogram = Histogram::merge_all(parts).expect("some");
        let mut tables: Vec<Release> = (0..releases)
            .map(|at| {
                Release::under(
                    &histogram,
                    0..at as u32 + 1,
                    &recoding(&trees, at % recodings),
                )
            })
            .collect();
        let number = number_recodings(&mut tables, &trees);
        let distinct = number.iter().max().expect("releases") + 1;
        println!(
            "{distinct} recodings, {} classes in the last release",
            tables[releases - 1].classes()
        );
        let values = histogram.values().clone();
        let finest = tables
            .iter()
            .map(Release::recoding)
            .fold(recoding(&trees, 0), |met, cuts| cut::meet(&met, cuts));
        let subject = |histogram| AuditSubject {
            releases: tables.clone(),
            number: number.clone(),
            histogram,
            behind: None,
            values: values.clone(),
            people_known: true,
            growth: None,
        };
        let id = BenchmarkId::new(
            "audit",
            format!("{rows} rows, {releases} releases, {recodings} {kind}"),
        );
        group.bench_function(id, |b| {
            b.iter(|| {
                let subject = subject(Some(histogram.coarsened(&finest, &trees)));
                AuditFigures::of(&subject, &columns, &policy).expect("supersets")
            });
        });
    }
    group.finish();
}

/// A family of recodings and its name.
type Family = (&'static str, fn(&[&Taxonomy], usize) -> Recoding);
const NESTED: Family = ("nested", nested);
const CROSSING: Family = ("crossing", crossing);

/// Three columns of six at their bands, chosen differently each time; after a whole turn the first
/// band is split as well.
fn crossing(trees: &[&Taxonomy], at: usize) -> Recoding {
    let cut = |(column, tree): (usize, &&Taxonomy)| {
        let bands: Vec<u32> = tree.children(0).collect();
        let fine = [1, 2, 3].contains(&((column + at) % trees.len())) && bands.len() < 20;
        if fine {
            split(tree, at / trees.len())
        } else {
            Cut::root(tree)
        }
    };
    trees.iter().enumerate().map(cut).collect()
}

/// Three columns at their bands, and of a fourth one more band split each time.
fn nested(trees: &[&Taxonomy], at: usize) -> Recoding {
    let cut = |(column, tree): (usize, &&Taxonomy)| match column {
        1..=3 => split(tree, 0),
        6 => split(tree, at),
        _ => Cut::root(tree),
    };
    trees.iter().enumerate().map(cut).collect()
}

/// The bands of a tree, the first ones of them split into leaves.
fn split(tree: &Taxonomy, bands: usize) -> Cut {
    let parts = |(at, band): (usize, u32)| match tree.is_leaf(band) || at >= bands {
        true => vec![band],
        false => tree.children(band).collect(),
    };
    let nodes: Vec<u32> = tree.children(0).enumerate().flat_map(parts).collect();
    Cut::completed(tree, &nodes).expect("bands and leaves")
}

fn adult(c: &mut Criterion) {
    let Some(data) = std::env::var_os("TIDEGATE_DATA") else {
        println!("skipped: TIDEGATE_DATA is not set");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (feed, raw) = adult_feed(Path::new(&data), folder.path());
    let columns = &feed.columns;
    let table = TableFile::increment(&raw, columns).expect("a table");
    let reading = table.raw();
    let (all, _) = count(table, columns, reading).expect("rows that fit");
    let trees = columns.trees();
    let top: Recoding = trees.iter().map(|tree| Cut::root(tree)).collect();
    let mut later = top.clone();
    later[0] =
        Cut::completed(trees[0], &trees[0].children(0).collect::<Vec<_>>()).expect("siblings");
    let mut tables = vec![
        Release::under(&all, 0..1, &top),
        Release::under(&all, 0..1, &later),
    ];
    let number = number_recodings(&mut tables, &trees);
    let subject = AuditSubject {
        releases: tables,
        number,
        histogram: None,
        behind: None,
        values: all.values().clone(),
        people_known: false,
        growth: None,
    };
    let mut group = c.benchmark_group("adult");
    group.bench_function("figures of two releases", |b| {
        b.iter(|| AuditFigures::of(&subject, columns, &feed.policy).expect("supersets"));
    });
    group.bench_function("reading and counting", |b| {
        b.iter(|| {
            let table = TableFile::increment(&raw, columns).expect("a table");
            let reading = table.raw();
            count(table, columns, reading).expect("rows that fit")
        });
    });
    group.finish();
}

/// A feed file over Adult's hierarchies, with a sensitive occupation.
fn adult_feed(data: &Path, folder: &Path) -> (FeedConfig, std::path::PathBuf) {
    let adult = data.join("adult");
    let mut text = "[feed]\nname = \"adult\"\n[policy]\nk = 5\n".to_owned();
    let quasi = [
        "education",
        "age",
        "marital-status",
        "native-country",
        "race",
        "salary-class",
        "sex",
        "workclass",
    ];
    for name in quasi {
        let file = adult.join(format!("hierarchy_{name}.csv"));
        text += &format!(
            "[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntaxonomy = {{ file = {file:?} }}\n"
        );
    }
    text += "[[column]]\nname = \"occupation\"\nrole = \"sensitive\"\n";
    let feed = FeedConfig::parse(&text, &folder.join("feed.toml")).expect("a feed file");
    (feed, adult.join("adult.csv"))
}

criterion_group!(benches, chains, adult);
criterion_main!(benches);
