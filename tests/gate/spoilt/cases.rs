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
            "another number of rows stated than the table has",
            "form",
            "its number of rows is not the stated one",
            |offer| offer.tables.0[0].rows += 1,
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
            "a policy that wants more",
            "crowd",
            "requires at least 100",
            |offer| {
                offer.policy = policy(
                    &PolicySettings {
                        k: Some(100),
                        ..settings(Some(Guarantee::Bcf))
                    },
                    ChainKind::Cumulative,
                );
            },
        ),
        offer(
            "a policy with a lower floor",
            "utility",
            "floor of usefulness is 0.1",
            |offer| {
                let written = PolicySettings {
                    max_loss: Decimal::parse("0.1"),
                    ..settings(Some(Guarantee::Bcf))
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
        offer.older[0] = without_some(&offer.older[0]).into();
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
                let (_, rows) = offer.newest.pop().expect("an increment");
                offer.older.push(rows.clone().into());
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
                offer.older[1] = without_some(&offer.older[1]).into();
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
    let kind = if bcf {
        (ChainKind::Cumulative, Some(Guarantee::Bcf))
    } else {
        (ChainKind::Disjoint, None)
    };
    let crowds = offer(
        "classes below k",
        "crowd",
        "the policy requires at least 100",
        move |offer| {
            let written = PolicySettings {
                k: Some(100),
                ..settings(kind.1)
            };
            offer.policy = policy(&written, kind.0);
        },
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
                offer.older[0] = without_some(&offer.older[0]).into();
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
    let (chain, _) = third(ChainKind::Cumulative, Some(Guarantee::Bcf));
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
