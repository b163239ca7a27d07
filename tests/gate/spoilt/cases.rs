//! Faults in the gate's inputs beside the bytes: another recoding, other atoms, missing people, a
//! history that is not the published one.

use tidegate::engine::gate::bytes::PublishedTable;
use tidegate::engine::gate::verdict::History;
use tidegate::engine::histogram::{Histogram, Release};
use tidegate::engine::model::{Cut, Recoding, Taxonomy};
use tidegate::engine::policy::{ChainKind, Decimal, Guarantee, PolicySettings};
use tidegate::engine::release;

use super::chain::{Offer, policy};
use super::sample::{settings, third};
use super::{Mutant, offer};

/// The offered people under the recoding with these labels, and a correct table for it.
pub fn recoded(offer: &mut Offer, labels: [&[&str]; 2]) {
    offer.recoding = recoding(offer, labels);
    retold(offer);
}

fn recoding(offer: &Offer, labels: [&[&str]; 2]) -> Recoding {
    let cut = |(labels, tree): (&&[&str], &&Taxonomy)| {
        let nodes: Vec<u32> = labels
            .iter()
            .map(|label| tree.find(label).expect("a label"))
            .collect();
        Cut::completed(tree, &nodes).expect("an antichain")
    };
    labels.iter().zip(&offer.columns.trees()).map(cut).collect()
}

/// The table of the people who are in the private tables.
fn retold(offer: &mut Offer) {
    let mut all = vec![offer.before.clone().as_one(0)];
    all.extend(offer.newest.iter().map(|(_, rows)| rows.clone().as_one(0)));
    let all = Histogram::merge_all(all).expect("one at least");
    offer.table = Release::under(&all, 0..1, &offer.recoding);
    offer.values = all.values().clone();
    *offer.data_mut() = release::data(&offer.table, &offer.values, &offer.columns);
}

/// Without the first people with one leaf tuple and value.
fn without_some(rows: &Histogram) -> Histogram {
    let first: Vec<u32> = rows.tuple_at(0).collect();
    let value = rows.cells_of(0)[0].value;
    let [rest, gone] = rows.divide(|tuple, cell| tuple != first || cell.value != value);
    assert!(gone.rows() > 0);
    rest
}

fn recodings() -> Vec<Mutant> {
    const HALVES: [&[&str]; 2] = [&["young", "old"], &["north", "south"]];
    vec![
        offer(
            "a recoding that splits a new atom",
            "atoms",
            "people of the atom",
            |offer| {
                recoded(offer, [HALVES[0], &["n1", "n2", "south"]]);
            },
        ),
        offer(
            "a recoding that splits an older atom",
            "atoms",
            "who were published together",
            |offer| {
                recoded(offer, [&["0-19", "20-39", "old"], HALVES[1]]);
            },
        ),
        offer(
            "a recoding that splits every atom",
            "atoms",
            "people of the atom",
            |offer| {
                recoded(
                    offer,
                    [
                        &["0-19", "20-39", "40-59", "60-79"],
                        &["n1", "n2", "s1", "s2"],
                    ],
                );
            },
        ),
        offer(
            "classes below k",
            "crowd",
            "the policy requires at least 3",
            |offer| {
                recoded(
                    offer,
                    [&["young", "40-59", "60-79"], &["n1", "n2", "s1", "s2"]],
                );
            },
        ),
        offer(
            "a recoding that cannot be followed",
            "correspondence",
            "fewer than 3",
            |offer| {
                recoded(offer, [HALVES[0], &["n1", "n2", "south"]]);
            },
        ),
        offer(
            "a recoding that cracks the chain",
            "chain",
            "all releases together",
            |offer| {
                recoded(offer, [HALVES[0], &["n1", "n2", "south"]]);
            },
        ),
        offer(
            "a finer recoding stated than the labels show",
            "form",
            "the manifest states",
            |offer| {
                offer.recoding = recoding(offer, [&["0-19", "20-39", "old"], HALVES[1]]);
            },
        ),
        offer(
            "a coarser recoding stated than the labels show",
            "form",
            "the manifest states",
            |offer| {
                offer.recoding = recoding(offer, [&["any age"], HALVES[1]]);
            },
        ),
        offer(
            "an atom below a",
            "atoms",
            "it must have at least 3",
            |offer| {
                let trees = offer.columns.trees();
                offer.newest[0].0 = trees.iter().map(|tree| Cut::leaves(tree)).collect();
            },
        ),
        offer(
            "a policy that wants more",
            "atoms",
            "it must have at least 4",
            |offer| {
                offer.policy = policy(
                    &PolicySettings {
                        k: Some(4),
                        ..settings(Some(Guarantee::Blind))
                    },
                    ChainKind::Cumulative,
                );
            },
        ),
        offer(
            "everything at the root, above the floor of usefulness",
            "utility",
            "only a new chain",
            |offer| {
                recoded(offer, [&["any age"], &["any ward"]]);
            },
        ),
        offer(
            "a policy with a lower floor",
            "utility",
            "floor of usefulness is 0.1",
            |offer| {
                let written = PolicySettings {
                    max_loss: Decimal::parse("0.1"),
                    ..settings(Some(Guarantee::Blind))
                };
                offer.policy = policy(&written, ChainKind::Cumulative);
            },
        ),
    ]
}

/// A person of an earlier release is missing everywhere: the last release had more rows, and
/// nothing can be concluded from the two.
fn gone() -> Vec<Mutant> {
    fn erased(offer: &mut Offer) {
        offer.before = without_some(&offer.before);
        offer.older[0].1 = without_some(&offer.older[0].1).into();
        retold(offer);
    }
    vec![
        offer(
            "a person gone everywhere",
            "growth",
            "than the last release",
            erased,
        ),
        offer(
            "a person gone everywhere, pair by pair",
            "correspondence",
            "does not show the people",
            erased,
        ),
        offer(
            "a person gone everywhere, in the chain",
            "chain",
            "does not show the people",
            erased,
        ),
    ]
}

fn people() -> Vec<Mutant> {
    vec![
        offer(
            "all people of earlier releases gone",
            "growth",
            "than the last release",
            |offer| {
                offer.before = Histogram::empty(2, 2);
                offer.older.clear();
                retold(offer);
            },
        ),
        offer(
            "a new person gone from the private table",
            "growth",
            "its people are",
            |offer| {
                offer.newest[0].1 = without_some(&offer.newest[0].1);
            },
        ),
        offer(
            "a published person gone from the private table",
            "growth",
            "its people are",
            |offer| {
                offer.before = without_some(&offer.before);
            },
        ),
        offer(
            "those who are new twice in the private table",
            "growth",
            "its people are",
            |offer| {
                offer.newest.push(offer.newest[0].clone());
            },
        ),
        offer(
            "those who are new not told",
            "growth",
            "its people are",
            |offer| offer.newest.clear(),
        ),
        offer(
            "a new person counted as published",
            "growth",
            "not the people of the last release",
            |offer| {
                let (new, rows) = offer.newest.pop().expect("an increment");
                offer.older.push((new, rows.clone().into()));
                offer.before = offer.before.merge(&rows.as_one(0));
            },
        ),
        offer(
            "an increment of the history gone",
            "growth",
            "private tables",
            |offer| _ = offer.older.pop(),
        ),
        offer(
            "a person of an older increment gone",
            "growth",
            "private tables",
            |offer| {
                offer.older[1].1 = without_some(&offer.older[1].1).into();
            },
        ),
        offer(
            "older increments in another order",
            "growth",
            "private tables",
            |offer| offer.older.swap(0, 1),
        ),
    ]
}

/// For a release with classes that are too small the reasons name these, and no class of exactly k
/// people.
#[test]
fn classes_of_k_people_are_large_enough() {
    let (_, mut spoilt) = third(ChainKind::Cumulative, Some(Guarantee::Blind));
    recoded(
        &mut spoilt,
        [&["young", "40-59", "60-79"], &["n1", "n2", "s1", "s2"]],
    );
    let sizes: Vec<u64> = (0..spoilt.table.classes())
        .map(|class| spoilt.table.size(class))
        .collect();
    let written = PolicySettings {
        k: Some(6),
        ..settings(Some(Guarantee::Blind))
    };
    spoilt.policy = policy(&written, ChainKind::Cumulative);
    let small = sizes.iter().filter(|size| **size < 6).count();
    assert!(small > 0 && sizes.contains(&6), "{sizes:?}");
    let verdict = spoilt.decided(|_| ()).expect_err("it is refused");
    let places: Vec<&str> = verdict
        .reasons()
        .filter(|(check, _)| check.check.name() == "crowd")
        .map(|(_, why)| &*why.place)
        .collect();
    assert_eq!(places.len(), small);
    assert!(
        places.iter().all(|place| place.contains(" = ")),
        "{places:?}"
    );
}

/// For a search that is run again no figure is called unknown that no limit needs.
#[test]
fn a_figure_that_no_limit_asks_for_is_not_called_unknown() {
    let (_, good) = third(ChainKind::Cumulative, Some(Guarantee::Blind));
    let judged = good.judged();
    let names: Vec<&str> = judged
        .verdict()
        .checks
        .iter()
        .map(|check| check.check.name())
        .collect();
    assert!(
        names.contains(&"certainty") && !names.contains(&"max_global_ratio"),
        "{names:?}"
    );
}

/// If a recoding stays, a release changes nothing for people who were published before: the new
/// ones are checked.
#[test]
fn new_people_are_checked_where_a_recoding_stays() {
    let (_, mut spoilt) = third(ChainKind::Cumulative, Some(Guarantee::Blind));
    let written = PolicySettings {
        k: Some(1_000),
        ..settings(Some(Guarantee::Blind))
    };
    spoilt.policy = policy(&written, ChainKind::Cumulative);
    let verdict = spoilt
        .decided(|_| ())
        .expect_err("no class has a thousand people");
    let of_chain = verdict
        .reasons()
        .filter(|(check, _)| check.check.name() == "chain");
    let places: Vec<&str> = of_chain.map(|(_, why)| &*why.place).collect();
    assert!(
        places.len() == 1 && !places[0].contains("increment 1 "),
        "{places:?}"
    );
}

/// Faults under the guarantees of other chains: `bcf`, and disjoint releases, which only the sizes
/// of their classes protect.
pub fn other(bcf: bool) -> Vec<Mutant> {
    let finest = |offer: &mut Offer| {
        recoded(
            offer,
            [
                &["0-19", "20-39", "40-59", "60-79"],
                &["n1", "n2", "s1", "s2"],
            ],
        );
    };
    let crowds = offer(
        "classes below k",
        "crowd",
        "the policy requires at least 3",
        finest,
    );
    if !bcf {
        return vec![crowds];
    }
    let more = vec![
        crowds,
        offer(
            "a recoding that breaks a pair",
            "correspondence",
            "attack with an earlier release leaves",
            finest,
        ),
        offer(
            "a recoding that breaks the chain",
            "chain",
            "all releases together",
            finest,
        ),
        offer(
            "a person of an older increment gone",
            "growth",
            "private tables",
            |offer| {
                offer.older[0].1 = without_some(&offer.older[0].1).into();
            },
        ),
        offer(
            "no history",
            "growth",
            "not the people of the last release",
            |offer| {
                offer.history = History::default();
            },
        ),
    ];
    more.into_iter().chain(gone()).collect()
}

/// The same release with a history of other tables, by their numbers.
fn history(name: &'static str, reason: &'static str, tables: &'static [usize]) -> Mutant {
    let (chain, _) = third(ChainKind::Cumulative, Some(Guarantee::Blind));
    offer(name, "growth", reason, move |offer| {
        offer.history = History::default();
        for &at in tables {
            let (release, values) = chain.tables[at].clone();
            let pushed = offer.history.push(
                PublishedTable {
                    release,
                    values,
                    exact: None,
                },
                &chain.feed.published()[at].recoding,
            );
            pushed.expect("labels of its recoding");
        }
    })
}

pub fn mutants() -> Vec<Mutant> {
    let reported = vec![
        history("no history", "not the people of the last release", &[]),
        history(
            "the last release gone from the history",
            "not the people of the last release",
            &[0],
        ),
        history(
            "the first release gone from the history",
            "private tables",
            &[1],
        ),
        history(
            "a release twice in the history",
            "private tables",
            &[0, 1, 1],
        ),
        history(
            "a history in another order",
            "not the people of the last release",
            &[1, 0],
        ),
    ];
    [recodings(), people(), gone(), reported]
        .into_iter()
        .flatten()
        .collect()
}
