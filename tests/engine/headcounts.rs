//! What a reader learns who knows everybody's quasi columns and increments (SCIENCE 3, *Who
//! reads*): known answers, and random tiny chains against an enumeration that gives every person
//! every value.

use crate::common::random::{self, Draw};
use crate::common::world::World;
use crate::common::{Row, Tables, columns, golden, recoding, rows, strings, tables, taxonomy};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::{Value as Json, json};
use tidegate::engine::audit::{AuditFigures, AuditSubject, judge};
use tidegate::engine::gate::chain::{ExactBudget, Headcounts, ReleaseChain};
use tidegate::engine::model::{Columns, Recoding, Taxonomy};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings};

/// A type: the increment, and the class in each release since.
type Way = (usize, Vec<Vec<String>>);

/// The people and candidates of each type, the fewest candidates, and the people whose value is
/// certain.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    per_type: BTreeMap<Way, (u64, u64)>,
    known: u64,
    certain: u64,
}

/// What the product finds.
fn found(columns: &Columns, tables: &Tables) -> Found {
    let trees = columns.trees();
    let chain = ReleaseChain::new(
        &tables.releases,
        &tables.number,
        &trees,
        tables.values.len(),
    );
    let mut worlds = Headcounts::of(&chain, &tables.histogram).expect("a small chain");
    let fewest = worlds
        .fewest(&mut ExactBudget::FULL.clone())
        .expect("people");
    assert_eq!(fewest.left, fewest.proven, "solved within the budget");
    let (mut per_type, mut certain) = (BTreeMap::new(), 0);
    for (at, of) in worlds.types().to_vec().into_iter().enumerate() {
        let class = |release: usize| -> Vec<String> {
            let same = |(seen, _): &&(usize, usize)| tables.number[*seen] == tables.number[release];
            let &(seen, class) = of
                .seen
                .iter()
                .find(same)
                .expect("a class in each release since");
            let nodes = tables.releases[seen].class(class);
            nodes
                .iter()
                .zip(&trees)
                .map(|(&node, tree)| tree.label(node).to_owned())
                .collect()
        };
        let way = (
            of.increment,
            (of.increment..tables.releases.len()).map(class).collect(),
        );
        let candidates = worlds
            .candidates(at, &mut ExactBudget::FULL.clone())
            .expect("solved within the budget");
        if candidates.len() == 1 {
            certain += of.people;
        }
        let left = candidates.iter().map(|(_, most)| most).sum();
        assert!(
            per_type.insert(way, (of.people, left)).is_none(),
            "each type once"
        );
    }
    assert_eq!(
        per_type.values().map(|of| of.1).min(),
        Some(fewest.left),
        "the fewest of all types"
    );
    Found {
        per_type,
        known: fewest.left,
        certain,
    }
}

/// What the golden case says.
fn stated(case: &Json) -> Found {
    let mut per_type = BTreeMap::new();
    for of in case["per_type"].as_array().expect("types") {
        let increment = of[0].as_u64().expect("an increment") as usize;
        let classes = of[1]
            .as_array()
            .expect("classes")
            .iter()
            .filter(|class| !class.is_null())
            .map(strings)
            .collect();
        let [people, candidates] = [2, 3].map(|at| of[at].as_u64().expect("a number"));
        per_type.insert((increment, classes), (people, candidates));
    }
    let [known, certain] = ["known", "certain"].map(|key| case[key].as_u64().expect("a number"));
    Found {
        per_type,
        known,
        certain,
    }
}

#[test]
fn known_answers() {
    for (at, case) in golden("headcounts.json")
        .as_array()
        .expect("cases")
        .iter()
        .enumerate()
    {
        let columns = columns(
            case["taxonomies"]
                .as_array()
                .expect("trees")
                .iter()
                .map(taxonomy)
                .collect(),
        );
        let raw = |rows: &Json| -> Vec<Row> {
            let of = |row: &Json| {
                let mut cells = strings(row);
                let s = cells.pop().expect("a sensitive value");
                (cells, s)
            };
            rows.as_array().expect("rows").iter().map(of).collect()
        };
        let list = |key: &str| case[key].as_array().expect("tables").clone();
        let releases: Vec<Vec<Row>> = list("R").iter().map(rows).collect();
        let increments: Vec<Vec<Row>> = list("D").iter().map(raw).collect();
        assert_eq!(
            found(&columns, &tables(&columns, &releases, &increments)),
            stated(case),
            "headcounts #{at}"
        );
    }
}

/// The example of the definitions: ten people of a1 and one of a2 under `*`; then the ten, and
/// eight new ones of a2. Nobody new came to a1, so the one of a2 is known.
#[test]
fn one_row_of_the_first_release_is_left() {
    let columns = columns(vec![taxonomy(&json!({"*": {"a1": {}, "a2": {}}}))]);
    let row = |leaf: &str, s: &str| (vec![leaf.to_owned()], s.to_owned());
    let mut first: Vec<Row> = (0..10)
        .map(|at| row("a1", if at < 5 { "x" } else { "y" }))
        .collect();
    first.push(row("a2", "x"));
    let second: Vec<Row> = (0..8)
        .map(|at| row("a2", if at < 4 { "x" } else { "y" }))
        .collect();
    let trees = columns.trees();
    let all: Vec<Row> = first.iter().chain(&second).cloned().collect();
    let cut = |labels: &[&str]| {
        recoding(
            &[labels.iter().map(|&label| label.to_owned()).collect()],
            &trees,
        )
    };
    let releases = [
        random::published(&first, &cut(&["*"]), &trees),
        random::published(&all, &cut(&["a1", "a2"]), &trees),
    ];
    let found = found(&columns, &tables(&columns, &releases, &[first, second]));
    assert_eq!(
        found.known, 1,
        "one candidate, although every class of every release has nine rows or more"
    );
    assert_eq!(found.certain, 1, "the value of one person");
}

/// A random chain.
struct RandomChain {
    columns: Columns,
    recodings: Vec<Recoding>,
    releases: Vec<Vec<Row>>,
    increments: Vec<Vec<Row>>,
}

fn chain(draw: &mut Draw) -> RandomChain {
    let width = draw.between(1, 2) as usize;
    let columns = columns(
        (0..width)
            .map(|column| random::tree(draw, column, 2))
            .collect(),
    );
    let trees = columns.trees();
    let (mut together, mut releases, mut increments) = (Vec::new(), Vec::new(), Vec::new());
    let mut recodings: Vec<Recoding> = Vec::new();
    for at in 0..draw.between(1, 3) {
        let increment = random::rows(draw, &trees, 4, 3);
        together.extend(increment.clone());
        match recodings.last() {
            Some(last) if draw.once_in(3) => recodings.push(last.clone()),
            _ => recodings.push(trees.iter().map(|tree| random::cut(draw, tree)).collect()),
        }
        releases.push(random::published(
            &together,
            &recodings[at as usize],
            &trees,
        ));
        increments.push(increment);
    }
    RandomChain {
        columns,
        recodings,
        releases,
        increments,
    }
}

/// The same figures from the definition: every person gets every value, and what agrees with all
/// releases is a world.
fn enumerated(chain: &RandomChain) -> Option<Found> {
    let RandomChain {
        columns,
        recodings,
        releases,
        increments,
    } = chain;
    let trees: Vec<&Taxonomy> = columns.trees();
    let mut people: Vec<Way> = Vec::new();
    for (increment, rows) in increments.iter().enumerate() {
        for row in rows {
            let class = |recoding: &Recoding| {
                let published = random::published(std::slice::from_ref(row), recoding, &trees);
                published[0].0.clone()
            };
            people.push((
                increment,
                recodings[increment..].iter().map(class).collect(),
            ));
        }
    }
    let values: Vec<&String> = releases
        .iter()
        .flatten()
        .map(|row| &row.1)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    if (values.len() as u64).pow(people.len() as u32) > 300_000 {
        return None;
    }
    let mut truth: Vec<Vec<Row>> = releases.to_vec();
    truth.iter_mut().for_each(|rows| rows.sort());
    let mut most: BTreeMap<(Way, usize), u64> = BTreeMap::new();
    let mut world = vec![0; people.len()];
    loop {
        let shown = |release: usize| -> Vec<Row> {
            let there = people
                .iter()
                .zip(&world)
                .filter(|(way, _)| way.0 <= release);
            let mut rows: Vec<Row> = there
                .map(|(way, &value): (&Way, &usize)| {
                    (way.1[release - way.0].clone(), values[value].clone())
                })
                .collect();
            rows.sort();
            rows
        };
        if (0..releases.len()).all(|release| shown(release) == truth[release]) {
            let mut counts: BTreeMap<(Way, usize), u64> = BTreeMap::new();
            people
                .iter()
                .zip(&world)
                .for_each(|(way, &value)| *counts.entry((way.clone(), value)).or_default() += 1);
            for (place, count) in counts {
                let most = most.entry(place).or_default();
                *most = count.max(*most);
            }
        }
        let Some(at) = world.iter().position(|&value| value + 1 < values.len()) else {
            break;
        };
        world[..at].fill(0);
        world[at] += 1;
    }
    let mut per_type: BTreeMap<Way, (u64, u64)> = BTreeMap::new();
    people
        .iter()
        .for_each(|way| per_type.entry(way.clone()).or_default().0 += 1);
    let mut kinds: BTreeMap<Way, usize> = BTreeMap::new();
    for ((way, _), count) in most {
        per_type.get_mut(&way).expect("a type").1 += count;
        *kinds.entry(way).or_default() += 1;
    }
    let known = per_type.values().map(|of| of.1).min()?;
    let certain = per_type
        .iter()
        .filter(|(way, _)| kinds[*way] == 1)
        .map(|(_, of)| of.0)
        .sum();
    Some(Found {
        per_type,
        known,
        certain,
    })
}

#[test]
fn against_every_assignment() {
    random::run("against_every_assignment", 1500, |draw| {
        let chain = chain(draw);
        let Some(truth) = enumerated(&chain) else {
            return;
        };
        let RandomChain {
            columns,
            releases,
            increments,
            ..
        } = chain;
        assert_eq!(
            found(&columns, &tables(&columns, &releases, &increments)),
            truth
        );
    });
}

/// However small the budget is, what is said to be proven holds, and what is left is never too
/// small.
#[test]
fn a_small_budget_invents_nothing() {
    random::run("a_small_budget_invents_nothing", 300, |draw| {
        let RandomChain {
            columns,
            releases,
            increments,
            ..
        } = chain(draw);
        let tables = tables(&columns, &releases, &increments);
        let trees = columns.trees();
        let chain = ReleaseChain::new(
            &tables.releases,
            &tables.number,
            &trees,
            tables.values.len(),
        );
        let of = |budget: u64| {
            let mut worlds = Headcounts::of(&chain, &tables.histogram).expect("a small chain");
            worlds
                .fewest(&mut ExactBudget::new(budget))
                .expect("people")
        };
        let truth = of(u64::MAX).left;
        for budget in [1, 200, 1_000] {
            let hasty = of(budget);
            assert!(
                hasty.proven <= truth && truth <= hasty.left,
                "budget {budget}: {hasty:?}, in truth {truth}"
            );
        }
    });
}

/// The reader whom the first line of a verdict names cannot break a SAFE one: with the raw rows
/// against every assignment of values to people, without them against every world of the tables.
#[test]
fn no_safe_verdict_is_broken_by_its_reader() {
    let tally = Mutex::new([0u64; 4]);
    random::run("no_safe_verdict_is_broken_by_its_reader", 1500, |draw| {
        let chain = chain(draw);
        let Some(truth) = enumerated(&chain) else {
            return;
        };
        let RandomChain {
            columns,
            releases,
            increments,
            ..
        } = chain;
        let trees = columns.trees();
        let Some(exact) = World::new(&trees, &releases).exact() else {
            return;
        };
        let one_person = exact.values().min().copied();
        let policy = PolicySettings {
            k: Some(2),
            ..PolicySettings::default()
        };
        let facts = ColumnFacts {
            sensitive: 1,
            ..ColumnFacts::default()
        };
        let policy = Policy::new(&policy, ChainKind::Cumulative, &facts).expect("a policy");
        for people_known in [true, false] {
            let Tables {
                releases,
                number,
                histogram,
                values,
            } = tables(&columns, &releases, &increments);
            let histogram = people_known.then_some(histogram);
            let subject = AuditSubject {
                releases,
                number,
                histogram,
                behind: None,
                values,
                people_known,
                growth: None,
            };
            let names: Vec<String> = (1..=subject.releases.len())
                .map(|at| format!("r{at}"))
                .collect();
            let figures = AuditFigures::of(&subject, &columns, &policy).expect("supersets");
            let verdict = judge(&figures, &policy, &subject.releases, &columns, &names);
            let left = if people_known {
                Some(truth.known)
            } else {
                one_person
            };
            assert!(
                !verdict.safe || left >= Some(2),
                "SAFE, and its reader is left with {left:?} candidates"
            );
            let mut tally = tally.lock().expect("no panic while held");
            tally[usize::from(people_known) * 2 + usize::from(verdict.safe)] += 1;
        }
    });
    let tally = *tally.lock().expect("no panic while held");
    println!(
        "without raw rows {} unsafe and {} safe, with them {} and {}",
        tally[0], tally[1], tally[2], tally[3]
    );
    assert!(
        tally.iter().all(|&count| count > 10),
        "both verdicts occur for both readers: {tally:?}"
    );
}
