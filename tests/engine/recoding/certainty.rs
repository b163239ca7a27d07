//! Certain facts about one recoding for all, against every population that gives the same release:
//! on small grids all of them are enumerated, and the real search is run on each.

use std::collections::BTreeMap;

use tidegate::engine::gate::certainty::{CertaintyBudget, Fact, FactExtent, searched};
use tidegate::engine::histogram::{Cell, Histogram, Release, SensitiveValues as Dictionary};
use tidegate::engine::label::Recoder;
use tidegate::engine::model::{Cut, Leaf, Node, Taxonomy, Tree};
use tidegate::engine::policy::Values;

use super::reference::{Asked, People, classes, headcount, kept, level, loss, waiting};

/// A tree of leaves under nodes: `[2, 1]` has two leaves under the first node, and one alone under
/// the second.
fn tree(column: usize, shape: &[usize]) -> Taxonomy {
    let mut tree = Tree::new(&format!("q{column}:*"));
    for (at, &leaves) in shape.iter().enumerate() {
        match leaves {
            1 => _ = tree.add(0, &format!("q{column}:{at}"), 1),
            leaves => {
                let node = tree.add(0, &format!("q{column}:{at}*"), 1);
                (0..leaves)
                    .for_each(|leaf| _ = tree.add(node, &format!("q{column}:{at}.{leaf}"), 1));
            }
        }
    }
    tree.finish().expect("distinct labels")
}

/// Every way in which this many people can have these leaf tuples.
fn populations(tuples: &[Vec<Leaf>], people: u64) -> Vec<People> {
    let Some((first, rest)) = tuples.split_first() else {
        return if people == 0 {
            vec![People::new()]
        } else {
            Vec::new()
        };
    };
    let with = |count: u64| {
        let more = populations(rest, people - count).into_iter();
        more.map(move |more| {
            (count > 0)
                .then(|| (first.clone(), count))
                .into_iter()
                .chain(more)
                .collect()
        })
    };
    (0..=people).flat_map(with).collect()
}

/// The public part: the labels of a release and the rows of each class.
type Seen = (Vec<Vec<Node>>, BTreeMap<Vec<Node>, u64>);

fn release(people: &People, cuts: &[Cut]) -> Release {
    let columns: Vec<Vec<Leaf>> = (0..cuts.len())
        .map(|column| people.iter().map(|(leaves, _)| leaves[column]).collect())
        .collect();
    let cell = |&(_, count): &(Vec<Leaf>, u64)| Cell {
        increment: 0,
        value: 0,
        count: count as u32,
    };
    let (values, _) = Dictionary::from_distinct(0, vec![Box::new([])]);
    let cells: Vec<Cell> = people.iter().map(cell).collect();
    Release::under(&Histogram::of_counts(&columns, values, &cells), 0..1, cuts)
}

fn leaf_tuples(trees: &[&Taxonomy]) -> Vec<Vec<Leaf>> {
    trees.iter().fold(vec![Vec::new()], |tuples, tree| {
        let longer = |tuple: &Vec<Leaf>| {
            (0..tree.leaves() as Leaf)
                .map(|leaf| [&tuple[..], &[leaf]].concat())
                .collect()
        };
        tuples
            .iter()
            .flat_map(|tuple| -> Vec<Vec<Leaf>> { longer(tuple) })
            .collect()
    })
}

/// The fewest and the most people in a part of a class over all these populations.
fn inside(
    worlds: &[&People],
    class: &[Node],
    (column, child): (usize, Node),
    trees: &[&Taxonomy],
) -> (u64, u64) {
    let within = |leaves: &[Leaf]| {
        let node = |at: usize| if at == column { child } else { class[at] };
        leaves
            .iter()
            .enumerate()
            .all(|(at, leaf)| trees[at].leaf_range(node(at)).contains(leaf))
    };
    let counts = worlds.iter().map(|people| -> u64 {
        people
            .iter()
            .filter(|(leaves, _)| within(leaves))
            .map(|(_, count)| count)
            .sum()
    });
    counts.fold((u64::MAX, 0), |(least, most), count| {
        (least.min(count), most.max(count))
    })
}

/// The parts of published classes that contain 1..a−1 people in all these populations.
fn facts(
    worlds: &[&People],
    shown: &BTreeMap<Vec<Node>, u64>,
    asked: &Asked,
    trees: &[&Taxonomy],
) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for (class, column) in shown
        .keys()
        .flat_map(|class| (0..trees.len()).map(move |column| (class, column)))
    {
        let below = class[column] + 1..trees[column].nodes() as Node;
        for child in below.take_while(|&node| trees[column].covers(class[column], node)) {
            let (least, most) = inside(worlds, class, (column, child), trees);
            if least >= 1 && most < asked.a {
                facts.push(Fact {
                    class: class.clone(),
                    column,
                    child,
                    least,
                    most,
                    sole: false,
                });
            }
        }
    }
    facts.sort_unstable();
    facts
}

/// The published classes, and their people.
fn published(people: &People, cuts: &[Cut], asked: &Asked) -> BTreeMap<Vec<Node>, u64> {
    classes(people, cuts)
        .into_iter()
        .filter(|(_, count)| *count >= asked.a)
        .collect()
}

/// The neighbours of a recoding: by levels with one column a level finer, otherwise with one node
/// divided.
fn finer(cuts: &[Cut], asked: &Asked, trees: &[&Taxonomy]) -> Vec<Vec<Cut>> {
    let with = |column: usize, cut: Cut| {
        cuts.iter()
            .enumerate()
            .map(|(at, old)| {
                if at == column {
                    cut.clone()
                } else {
                    old.clone()
                }
            })
            .collect()
    };
    let mut found = Vec::new();
    for (column, tree) in trees.iter().enumerate() {
        if asked.levels {
            let levels: Vec<Cut> = (0..tree.by_level().len())
                .map(|at| level(tree, at))
                .collect();
            let at = levels
                .iter()
                .position(|level| *level == cuts[column])
                .expect("a level");
            found.extend(
                at.checked_sub(1)
                    .map(|below| with(column, levels[below].clone())),
            );
            continue;
        }
        for &node in cuts[column]
            .nodes()
            .iter()
            .filter(|&&node| !tree.is_leaf(node))
        {
            let mut nodes: Vec<Node> = cuts[column]
                .nodes()
                .iter()
                .copied()
                .filter(|&other| other != node)
                .collect();
            nodes.extend(tree.children(node));
            nodes.sort_unstable();
            found.push(with(column, Cut::completed(tree, &nodes).expect("a cut")));
        }
    }
    found
}

/// Whether no more people wait under a recoding than permitted.
fn fits(people: &People, cuts: &[Cut], asked: &Asked, trees: &[&Taxonomy]) -> bool {
    let (kept, most) = kept(people, asked, trees);
    waiting(&kept, cuts, asked.a) <= most
}

/// Whether a search that ends with a recoding has rejected a finer one: too many people would wait,
/// or it would lose more.
fn is_refused(
    people: &People,
    finer: &[Cut],
    cuts: &[Cut],
    asked: &Asked,
    trees: &[&Taxonomy],
) -> bool {
    let (kept, most) = kept(people, asked, trees);
    waiting(&kept, finer, asked.a) > most
        || (asked.levels
            && loss(&kept, finer, asked, trees) > loss(&kept, cuts, asked, trees) - 1e-9)
}

/// Compares the gate's facts with the truth; returns the number of releases, how many facts are
/// reported and certain, and how many more follow from everything that the search does, if no
/// person waits.
fn compare(shapes: &[&[usize]], asked: &Asked, most: u64) -> [usize; 4] {
    let trees: Vec<Taxonomy> = shapes
        .iter()
        .enumerate()
        .map(|(column, shape)| tree(column, shape))
        .collect();
    let trees: Vec<&Taxonomy> = trees.iter().collect();
    let (policy, tuples) = (asked.policy(&trees), leaf_tuples(&trees));
    let recoder = Recoder::of(&policy, &trees);
    let all: Vec<People> = (1..=most)
        .flat_map(|people| populations(&tuples, people))
        .collect();
    let mut by_release: BTreeMap<Seen, Vec<&People>> = BTreeMap::new();
    for people in &all {
        let Some(found) = recoder.find(&headcount(trees.len(), people), &trees) else {
            continue;
        };
        let cuts = found.course.cut();
        let labels = cuts.iter().map(|cut| cut.nodes().to_vec()).collect();
        by_release
            .entry((labels, published(people, cuts, asked)))
            .or_default()
            .push(people);
    }
    let [mut releases, mut reported, mut certain, mut beyond] = [0; 4];
    for ((labels, shown), made) in &by_release {
        let cuts: Vec<Cut> = labels
            .iter()
            .zip(&trees)
            .map(|(nodes, tree)| Cut::completed(tree, nodes).expect("a cut"))
            .collect();
        // Populations with more waiting people are not among the enumerated ones.
        let people: u64 = shown.values().sum();
        let waiting = (0..)
            .take_while(|waiting| waiting * 100 <= asked.percent * (people + waiting))
            .last();
        if people + waiting.expect("no person may wait") > most {
            continue;
        }
        let finer = finer(&cuts, asked, &trees);
        let ends = |people: &&&People| {
            fits(people, &cuts, asked, &trees)
                && published(people, &cuts, asked) == *shown
                && finer
                    .iter()
                    .all(|finer| is_refused(people, finer, &cuts, asked, &trees))
        };
        let worlds: Vec<&People> = all
            .iter()
            .collect::<Vec<_>>()
            .iter()
            .filter(ends)
            .copied()
            .collect();
        assert!(
            made.iter().all(|people| worlds.contains(people)),
            "{asked:?}: no state next to a recoding is better"
        );
        let class = |leaves: &[Leaf]| -> Vec<Node> {
            cuts.iter()
                .zip(leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect()
        };
        let out = made[0]
            .iter()
            .filter(|(leaves, _)| shown.contains_key(&class(leaves)))
            .cloned()
            .collect();
        let table = release(&out, &cuts);
        let announced = searched(
            &table,
            &trees,
            policy.inference(),
            (asked.a, Values::Repeated),
            CertaintyBudget::FULL,
        );
        assert_eq!(announced.answer, FactExtent::Whole, "{asked:?}");
        let truth = facts(&worlds, shown, asked, &trees);
        let text = format!(
            "{asked:?} on {shapes:?}: {shown:?} of {} worlds, {:?}",
            worlds.len(),
            announced.facts
        );
        let is_known = |fact: &Fact| {
            announced
                .facts
                .iter()
                .any(|other| (&other.class, other.child) == (&fact.class, fact.child))
        };
        assert!(truth.iter().all(is_known), "{text}: {truth:?}");
        if asked.percent == 0 {
            assert_eq!(announced.facts, truth, "{text}");
            // No other state that must have failed adds a fact.
            let made: Vec<Fact> = facts(made, shown, asked, &trees);
            assert_eq!(announced.facts, made, "{text}");
            beyond += made.len() - announced.facts.len();
        }
        releases += 1;
        reported += announced.facts.len();
        certain += truth.len();
    }
    [releases, reported, certain, beyond]
}

/// From the top down and by levels, with weights and floors: if no person waits exactly the certain
/// small classes are reported. If people may wait, all those are that follow from the neighbours of
/// the recoding; others that must have failed can add facts, and are not considered.
#[test]
fn small_crowds_that_are_certain() {
    let grids: [&[&[usize]]; 4] = [
        &[&[1, 1]],
        &[&[2, 1]],
        &[&[1, 1], &[1, 1]],
        &[&[2, 1], &[1, 1]],
    ];
    let mut all = [0; 4];
    for shapes in grids {
        let width = shapes.len();
        let most = if leaf_count(shapes) > 4 { 5 } else { 6 };
        for (levels, percent) in [(true, 0), (true, 20), (true, 40), (false, 20), (false, 40)] {
            let plain = Asked::plain(2, levels, percent, width);
            let weighted = Asked {
                weights: (0..width).map(|at| 100 + 150 * at as u64).collect(),
                ..plain.clone()
            };
            let floored = Asked {
                floors: (0..width).map(|at| (at == 0).then_some(0)).collect(),
                ..plain.clone()
            };
            let others = [
                plain,
                weighted,
                floored,
                Asked::plain(3, levels, percent, width),
            ];
            for asked in others {
                let found = compare(shapes, &asked, most);
                all.iter_mut()
                    .zip(found)
                    .for_each(|(sum, found)| *sum += found);
            }
        }
    }
    let [releases, reported, certain, beyond] = all;
    println!(
        "{releases} releases: {reported} small classes are reported, {certain} are certain, {beyond} more by a workload"
    );
    assert!(certain > 0);
}

fn leaf_count(shapes: &[&[usize]]) -> usize {
    shapes
        .iter()
        .map(|shape| shape.iter().sum::<usize>())
        .product()
}
