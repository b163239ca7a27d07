//! Properties on random inputs: cuts against plain sets of leaves, histograms against plain maps,
//! partitions against plain sets, and realised anonymity under a split (SCIENCE 1 and 2).

use std::collections::{BTreeMap, BTreeSet};

use crate::common::random::{self, Draw};
use crate::common::{Row, batch, columns, tables};
use tidegate::engine::gate::correspondence::{Anonymity, Correspondence};
use tidegate::engine::histogram::{
    CellReading, Encoder, Excess, Histogram, JoinCells, Partition, Release, SensitiveValues,
};
use tidegate::engine::model::{Columns, Cut, Recoding, Taxonomy, Value, cut};

/// A cut as a partition of the leaves.
fn blocks(cut: &Cut, tree: &Taxonomy) -> BTreeSet<BTreeSet<u32>> {
    cut.nodes()
        .iter()
        .map(|&node| tree.leaf_range(node).collect())
        .collect()
}

#[test]
fn join_and_meet_are_those_of_partitions() {
    random::run("join_and_meet_are_those_of_partitions", 3000, |draw| {
        let tree = random::tree(draw, 0, 3);
        let (a, b) = (random::cut(draw, &tree), random::cut(draw, &tree));
        let (join, meet) = (a.join(&b), a.meet(&b));
        let block =
            |cut: &Cut, leaf: u32| -> BTreeSet<u32> { tree.leaf_range(cut.at(leaf)).collect() };
        for leaf in 0..tree.leaves() as u32 {
            let (mine, theirs) = (block(&a, leaf), block(&b, leaf));
            assert!(mine.contains(&leaf) && (mine.is_subset(&theirs) || theirs.is_subset(&mine)));
            assert_eq!(block(&join, leaf), &mine | &theirs);
            assert_eq!(block(&meet, leaf), &mine & &theirs);
        }
        for cut in [&a, &b, &join, &meet] {
            let all: Vec<u32> = blocks(cut, &tree).into_iter().flatten().collect();
            assert_eq!(
                all.len(),
                tree.leaves(),
                "every leaf is in exactly one block"
            );
            assert_eq!(Cut::completed(&tree, cut.nodes()).as_ref(), Ok(cut));
        }
        assert!(meet.refines(&a) && meet.refines(&b) && a.refines(&join) && b.refines(&join));
        assert_eq!(a.refines(&b), join == b);
        for &node in a.nodes() {
            assert_eq!(
                a.join(&b).at(tree.leaf_range(node).start),
                b.join_node(&tree, node)
            );
        }
    });
}

#[test]
fn labels_that_rows_show_are_completed_to_the_coarsest_cut() {
    random::run(
        "labels_that_rows_show_are_completed_to_the_coarsest_cut",
        2000,
        |draw| {
            let tree = random::tree(draw, 0, 3);
            let cut = random::cut(draw, &tree);
            let shown: Vec<u32> = cut
                .nodes()
                .iter()
                .copied()
                .filter(|_| draw.once_in(2))
                .collect();
            let completed = Cut::completed(&tree, &shown).expect("part of a cut");
            assert!(shown.iter().all(|node| completed.nodes().contains(node)));
            assert!(
                cut.refines(&completed),
                "nothing is finer than it has to be"
            );
            let inner = cut
                .nodes()
                .iter()
                .copied()
                .find(|&node| !tree.is_leaf(node));
            if let Some(inner) = inner {
                let below = tree.children(inner).next().expect("a child");
                assert!(Cut::completed(&tree, &[below, inner]).is_err());
            }
        },
    );
}

/// Columns and raw rows.
fn table(draw: &mut Draw) -> (Columns, Vec<Row>) {
    let width = draw.between(1, 3) as usize;
    let columns = columns(
        (0..width)
            .map(|column| random::tree(draw, column, 3))
            .collect(),
    );
    let rows = random::rows(draw, &columns.trees(), 60, 4);
    (columns, rows)
}

fn text(value: &[Value]) -> String {
    match &value[0] {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn histograms_count_rows_whatever_their_order_and_batches() {
    random::run(
        "histograms_count_rows_whatever_their_order_and_batches",
        1500,
        |draw| {
            let (columns, rows) = table(draw);
            let trees = columns.trees();
            let encoder = Encoder::new(&columns, CellReading::Text);
            let whole =
                Histogram::of(&encoder, 0, &[batch(&rows, trees.len())]).expect("rows that fit");

            let mut expected: BTreeMap<(Vec<u32>, String), u64> = BTreeMap::new();
            for (labels, s) in &rows {
                let leaves = labels
                    .iter()
                    .zip(&trees)
                    .map(|(label, tree)| tree.find_leaf(label).expect("a leaf"));
                *expected.entry((leaves.collect(), s.clone())).or_default() += 1;
            }
            let mut found = BTreeMap::new();
            for tuple in 0..whole.tuples() {
                for cell in whole.cells_of(tuple) {
                    let key = (
                        whole.tuple_at(tuple).collect(),
                        text(whole.values().get(cell.value)),
                    );
                    assert_eq!(found.insert(key, u64::from(cell.count)), None);
                }
            }
            assert_eq!(found, expected);
            assert_eq!(whole.rows(), rows.len() as u64);

            let mut shuffled = rows.clone();
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, draw.between(0, at as u64) as usize);
            }
            let size = draw.between(1, 7) as usize;
            let batches: Vec<_> = shuffled
                .chunks(size)
                .map(|part| batch(part, trees.len()))
                .collect();
            assert_eq!(
                Histogram::of(&encoder, 0, &batches).expect("rows that fit"),
                whole
            );
            let parts: Vec<Histogram> = batches
                .iter()
                .map(|part| Histogram::of(&encoder, 0, std::slice::from_ref(part)).expect("rows"))
                .collect();
            let left = parts
                .iter()
                .skip(1)
                .fold(parts[0].clone(), |sum, part| sum.merge(part));
            let right = parts
                .iter()
                .rev()
                .skip(1)
                .fold(parts[parts.len() - 1].clone(), |sum, part| part.merge(&sum));
            assert_eq!((&left, &right), (&whole, &whole));
        },
    );
}

#[test]
fn releases_from_counts_and_from_labels_are_the_same() {
    random::run(
        "releases_from_counts_and_from_labels_are_the_same",
        1500,
        |draw| {
            let (columns, rows) = table(draw);
            let trees = columns.trees();
            let cuts: Recoding = trees.iter().map(|tree| random::cut(draw, tree)).collect();
            let published = random::published(&rows, &cuts, &trees);
            let tables = tables(&columns, &[published], &[rows]);
            let made = Release::under(&tables.histogram, 0..1, tables.releases[0].recoding());
            assert_eq!(made, tables.releases[0]);
            assert!(
                made.recoding()
                    .iter()
                    .zip(&cuts)
                    .all(|(reported, real)| real.refines(reported))
            );
        },
    );
}

#[test]
fn a_coarsened_histogram_gives_the_same_releases() {
    random::run(
        "a_coarsened_histogram_gives_the_same_releases",
        1500,
        |draw| {
            let (columns, rows) = table(draw);
            let trees = columns.trees();
            let cut = |draw: &mut Draw| -> Recoding {
                trees.iter().map(|tree| random::cut(draw, tree)).collect()
            };
            let (fine, other) = (cut(draw), cut(draw));
            let whole = tables(&columns, &[], &[rows, random::rows(draw, &trees, 20, 4)]).histogram;
            let coarse = whole.coarsened(&fine, &trees);
            assert_eq!(
                (coarse.rows(), coarse.coarsened(&fine, &trees)),
                (whole.rows(), coarse.clone())
            );
            let coarser = cut::join(&fine, &other);
            for increments in [0..1, 0..2, 1..2] {
                for recoding in [&fine, &coarser] {
                    let [a, b] = [&whole, &coarse]
                        .map(|counts| Release::under(counts, increments.clone(), recoding));
                    assert_eq!(a, b);
                }
            }
        },
    );
}

#[test]
fn a_split_touches_only_its_class() {
    random::run("a_split_touches_only_its_class", 2000, |draw| {
        let items = draw.between(0, 40) as usize;
        let mut partition = Partition::whole(items);
        let mut plain: Vec<BTreeSet<u32>> = (items > 0)
            .then(|| (0..items as u32).collect())
            .into_iter()
            .collect();
        for _ in 0..draw.between(0, 12) {
            if partition.is_empty() {
                break;
            }
            let class = draw.between(0, partition.len() as u64 - 1) as usize;
            let parts = draw.between(1, 4) as usize;
            let part: Vec<usize> = (0..items)
                .map(|_| draw.between(0, parts as u64 - 1) as usize)
                .collect();
            let before = plain.clone();
            let made = partition.split(class, parts, |item| part[item as usize]);
            for &(number, new) in &made {
                let members = before[class]
                    .iter()
                    .copied()
                    .filter(|&item| part[item as usize] == number)
                    .collect();
                if new == plain.len() {
                    plain.push(members)
                } else {
                    plain[new] = members
                }
            }
            assert_eq!(
                made.first().map(|first| first.1),
                Some(class),
                "the first part keeps the number"
            );
            assert!((0..before.len()).all(|other| other == class || before[other] == plain[other]));
            assert_eq!(partition.len(), plain.len());
            for (class, members) in plain.iter().enumerate() {
                assert_eq!(
                    &partition
                        .items(class)
                        .iter()
                        .copied()
                        .collect::<BTreeSet<u32>>(),
                    members
                );
                assert!(!members.is_empty());
            }
        }
    });
}

/// The figures over targets that exist, from the raw rows by plain look-ups.
fn realised(columns: &Columns, histogram: &Histogram, cuts: [&Recoding; 2]) -> Anonymity {
    let trees = columns.trees();
    let earlier = Release::under(histogram, 0..1, cuts[0]);
    let later = Release::under(histogram, 0..2, cuts[1]);
    let cells = JoinCells::of(&earlier, &later, &trees);
    let excess =
        Excess::of(&cells, &earlier, &later, histogram.values().len()).expect("a superset");
    let class = |release: &Release, recoding: &Recoding, tuple: usize| {
        let nodes: Vec<u32> = recoding
            .iter()
            .zip(histogram.tuple_at(tuple))
            .map(|(cut, leaf)| cut.at(leaf))
            .collect();
        (0..release.classes())
            .find(|&class| release.class(class) == nodes)
            .expect("a class") as u32
    };
    let (mut pairs, mut newcomers) = (BTreeSet::new(), BTreeSet::new());
    for tuple in 0..histogram.tuples() {
        for cell in histogram.cells_of(tuple) {
            if cell.increment == 0 {
                pairs.insert([
                    class(&earlier, cuts[0], tuple),
                    class(&later, cuts[1], tuple),
                ]);
            } else {
                newcomers.insert(class(&later, cuts[1], tuple));
            }
        }
    }
    let (pairs, newcomers): (Vec<_>, Vec<_>) =
        (pairs.into_iter().collect(), newcomers.into_iter().collect());
    Correspondence::new(&earlier, &later, &cells, &excess).realised(&pairs, &newcomers)
}

#[test]
fn realised_anonymity_never_rises_under_a_split() {
    random::run(
        "realised_anonymity_never_rises_under_a_split",
        2000,
        |draw| {
            let (columns, first) = table(draw);
            let trees = columns.trees();
            let second = random::rows(draw, &trees, 30, 4);
            let tables = tables(&columns, &[], &[first, second]);
            let cut = |draw: &mut Draw| -> Recoding {
                trees.iter().map(|tree| random::cut(draw, tree)).collect()
            };
            let (earlier, later) = (cut(draw), cut(draw));
            let finer = cut::meet(&later, &cut(draw));
            let [coarse, fine] = [&later, &finer]
                .map(|later| realised(&columns, &tables.histogram, [&earlier, later]));
            assert!(
                fine.fa <= coarse.fa && fine.ca <= coarse.ca && fine.ba <= coarse.ba,
                "{coarse:?} {fine:?}"
            );
            assert_eq!(fine.fa, fine.ca);
        },
    );
}

/// The smallest case in which the paper's figure does rise (SCIENCE 2): the all-pairs FA goes from
/// 0 to 1 under a split.
#[test]
fn the_papers_figure_can_rise_under_a_split() {
    let tree = |labels: [&str; 3]| {
        let mut tree = tidegate::engine::model::Tree::new(labels[0]);
        tree.add(0, labels[1], 1);
        tree.add(0, labels[2], 1);
        tree.finish().expect("a tree")
    };
    let columns = columns(vec![tree(["*", "x", "y"]), tree(["all", "b1", "b2"])]);
    let row = |a: &str, b: &str, s: &str| (vec![a.to_owned(), b.to_owned()], s.to_owned());
    let fa = |second: Vec<Row>| {
        let first = vec![row("*", "b2", "s1"), row("*", "b1", "s0")];
        let tables = tables(&columns, &[first, second], &[]);
        let trees = columns.trees();
        let cells = JoinCells::of(&tables.releases[0], &tables.releases[1], &trees);
        let (a, b) = (&tables.releases[0], &tables.releases[1]);
        let excess = Excess::of(&cells, a, b, tables.values.len()).expect("a superset");
        Correspondence::new(a, b, &cells, &excess).all().fa
    };
    let coarse = vec![
        row("x", "all", "s1"),
        row("x", "all", "s1"),
        row("x", "all", "s0"),
        row("y", "all", "s1"),
    ];
    let fine = vec![
        row("x", "b1", "s1"),
        row("x", "b1", "s0"),
        row("x", "b2", "s1"),
        row("y", "b2", "s1"),
    ];
    assert_eq!((fa(coarse), fa(fine)), (Some(0), Some(1)));
}

#[test]
fn dictionaries_unite_in_order() {
    random::run("dictionaries_unite_in_order", 1000, |draw| {
        let side = |draw: &mut Draw| {
            let texts: BTreeSet<u64> = (0..draw.between(0, 9))
                .map(|_| draw.between(0, 12))
                .collect();
            let tuples = texts
                .iter()
                .rev()
                .map(|&number| vec![Value::Int(number as i64)].into_boxed_slice())
                .collect();
            SensitiveValues::from_distinct(1, tuples).0
        };
        let (a, b) = (side(draw), side(draw));
        let (both, maps) = SensitiveValues::union(&[&a, &b]);
        for (old, map) in [(&a, &maps[0]), (&b, &maps[1])] {
            assert!(map.is_sorted() && map.len() == old.len());
            assert!(
                map.iter()
                    .enumerate()
                    .all(|(code, &new)| both.get(new) == old.get(code as u32))
            );
        }
        assert!((1..both.len()).all(|code| both.get(code as u32 - 1) < both.get(code as u32)));
    });
}
