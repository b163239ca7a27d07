//! A random chain as a script, and its result: who is where, and every public byte.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::engine::feed::{ClosingResult, ProposedRelease};
use tidegate::engine::gate::verdict::Approved;
use tidegate::engine::histogram::{Histogram, SensitiveValues};
use tidegate::engine::model::{Columns, Cut, Leaf, Node, Recoding, Taxonomy, Value};
use tidegate::engine::policy::{ChainKind, Guarantee, Policy, PolicySettings, Search};

use super::chain::{Chain, Human, policy};
use crate::common::random::{self, Draw};
use crate::common::{Row, columns};

/// The people of each tick, and candidates that are not published although they could be.
#[derive(Clone)]
pub struct Script {
    pub columns: Columns,
    pub policy: Policy,
    pub ticks: Vec<Vec<Human>>,
    /// Ticks whose candidate is not published; its people are published with the next one.
    left: BTreeSet<usize>,
}

/// A person who was accepted.
pub struct Person {
    pub human: Human,
    since: u32,
    /// The tick in which their atom formed, and its class.
    pub formed: Option<(usize, Vec<Node>)>,
    /// The number of the first release with them.
    pub first: Option<usize>,
}

/// Everything public of one release.
pub struct Public {
    pub recoding: Recoding,
    pub sizes: Vec<(Vec<Node>, u64)>,
    pub rows: Vec<Row>,
    pub data: Vec<(String, Vec<u8>)>,
    pub manifest: Vec<u8>,
    pub report: Vec<u8>,
    pub taxonomy: Vec<u8>,
}

/// The result of a script.
pub struct Played {
    pub columns: Columns,
    /// Whether people are published in atoms; otherwise all people who wait are.
    atoms: bool,
    pub people: BTreeMap<u128, Person>,
    pub releases: Vec<Public>,
    /// Per tick in words: its result, and how many people are where.
    pub ticks: Vec<String>,
}

impl Script {
    pub fn blind(draw: &mut Draw) -> Script {
        let search = if draw.once_in(2) {
            Search::TopDown
        } else {
            Search::Levels
        };
        let written = PolicySettings {
            k: Some(draw.between(2, 4)),
            guarantee: Some(Guarantee::Blind),
            search: Some(search),
            ..PolicySettings::default()
        };
        Script::drawn(draw, &written, 3)
    }

    pub fn bcf(draw: &mut Draw) -> Script {
        let written = PolicySettings {
            k: Some(draw.between(2, 3)),
            guarantee: Some(Guarantee::Bcf),
            ..PolicySettings::default()
        };
        Script::drawn(draw, &written, 2)
    }

    fn drawn(draw: &mut Draw, written: &PolicySettings, width: u64) -> Script {
        let width = draw.between(1, width) as usize;
        let columns = columns(
            (0..width)
                .map(|column| random::tree(draw, column, 2))
                .collect(),
        );
        let trees = columns.trees();
        let (most, values) = (draw.between(3, 12), draw.between(1, 3));
        let (mut ticks, mut number) = (Vec::new(), 0);
        for tick in 0..draw.between(2, 6) {
            let mut rows = random::rows(
                draw,
                &trees,
                if tick == 0 { 2 * most } else { most },
                values,
            );
            rows.truncate(if draw.once_in(6) { 0 } else { rows.len() });
            let human = |(labels, s): Row| {
                // Now and then a person is repeated.
                let again = number > 0 && draw.once_in(9);
                let who = if again {
                    draw.between(0, number - 1)
                } else {
                    number
                };
                number += u64::from(!again);
                let leaf =
                    |(label, tree): (&String, &&Taxonomy)| tree.find_leaf(label).expect("a leaf");
                let value = if draw.once_in(9) {
                    Value::Null
                } else {
                    Value::Text(s.into())
                };
                let leaves = labels.iter().zip(&trees).map(leaf).collect();
                Human {
                    number: u128::from(who),
                    leaves,
                    values: vec![value],
                }
            };
            ticks.push(rows.into_iter().map(human).collect());
        }
        let left = (0..ticks.len()).filter(|_| draw.once_in(5)).collect();
        Script {
            policy: policy(written, ChainKind::Cumulative),
            columns,
            ticks,
            left,
        }
    }

    /// Each person with the row that counts.
    pub fn first_rows(&self) -> impl Iterator<Item = &Human> {
        let mut known = BTreeSet::new();
        self.ticks
            .iter()
            .flatten()
            .filter(move |human| known.insert(human.number))
    }

    /// The same people at the same times with other values.
    pub fn with_values(&self, values: &BTreeMap<u128, Vec<Value>>) -> Script {
        let mut known = BTreeSet::new();
        let mut other = self.clone();
        for human in other
            .ticks
            .iter_mut()
            .flatten()
            .filter(|human| known.insert(human.number))
        {
            human.values.clone_from(&values[&human.number]);
        }
        other
    }

    /// Plays all ticks; every candidate must be approved.
    pub fn play(&self) -> Played {
        let mut chain = Chain::new(self.columns.clone(), self.policy.clone());
        let mut played = Played {
            columns: self.columns.clone(),
            atoms: self.policy.guarantee() == Some(Guarantee::Blind),
            people: BTreeMap::new(),
            releases: Vec::new(),
            ticks: Vec::new(),
        };
        for (tick, humans) in self.ticks.iter().enumerate() {
            let ticked = chain.tick(humans);
            for human in humans {
                let new = Person {
                    human: human.clone(),
                    since: tick as u32,
                    formed: None,
                    first: None,
                };
                played.people.entry(human.number).or_insert(new);
            }
            let mut outcome = format!(
                "{:?} {:?} {} {}",
                ticked.step, ticked.refusals, ticked.added, ticked.duplicate
            );
            played.follow(&chain, tick);
            let kind = match ticked.closed {
                ClosingResult::Candidate(candidate) if self.left.contains(&tick) => {
                    let approved = chain.offer(&candidate).decided(|_| ());
                    assert!(
                        approved.is_ok(),
                        "a candidate that is left lying is good as well"
                    );
                    "left"
                }
                ClosingResult::Candidate(candidate) => {
                    let approved =
                        chain
                            .offer(&candidate)
                            .decided(|_| ())
                            .unwrap_or_else(|verdict| {
                                panic!(
                                    "refused: {:?}",
                                    verdict
                                        .reasons()
                                        .map(|(_, why)| &why.text)
                                        .collect::<Vec<_>>()
                                )
                            });
                    played.publish(&approved, &candidate);
                    chain.publish(*candidate, approved);
                    "published"
                }
                ClosingResult::Held => "held",
                ClosingResult::Waiting => "waiting",
                ClosingResult::Stopped => "stopped",
                ClosingResult::Impossible(_) => "impossible",
            };
            outcome += &format!(" {kind} {:?}", played.balance(&chain));
            played.ticks.push(outcome);
        }
        played
    }
}

/// Whether a person of this leaf tuple and arrival is among these.
fn holds(rows: &Histogram, person: &Person) -> bool {
    let [found, _] = rows
        .divide(|tuple, cell| tuple == &person.human.leaves[..] && cell.increment == person.since);
    found.rows() > 0
}

impl Played {
    /// Notes whose atoms formed in this tick.
    fn follow(&mut self, chain: &Chain, tick: usize) {
        let (feed, atoms) = (&chain.feed, self.atoms);
        let waiting = feed.waiting_counts();
        for person in self
            .people
            .values_mut()
            .filter(|person| atoms && person.formed.is_none())
        {
            if holds(&waiting, person) {
                continue;
            }
            let cut = feed.standing().expect("atoms are of a recoding").cut();
            let class = cut
                .iter()
                .zip(&person.human.leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect();
            person.formed = Some((tick, class));
        }
    }

    fn publish(&mut self, approved: &Approved, candidate: &ProposedRelease) {
        let at = self.releases.len();
        let atoms = self.atoms;
        let comes =
            |person: &&mut Person| person.first.is_none() && (!atoms || person.formed.is_some());
        self.people
            .values_mut()
            .filter(comes)
            .for_each(|person| person.first = Some(at));
        let table = candidate.table();
        let [data @ .., taxonomy, report] = approved.files() else {
            panic!("tables, taxonomies and a report")
        };
        self.releases.push(Public {
            recoding: candidate.recoding.clone(),
            sizes: (0..table.classes())
                .map(|class| (table.class(class).to_vec(), table.size(class)))
                .collect(),
            rows: rows(&self.columns, table, candidate.rows().values()),
            data: data.to_vec(),
            manifest: approved.manifest().to_vec(),
            report: report.1.clone(),
            taxonomy: taxonomy.1.clone(),
        });
    }

    /// Checks that no person is lost and none is in two places; returns how many are published,
    /// pending and waiting.
    fn balance(&self, chain: &Chain) -> [u64; 3] {
        let feed = &chain.feed;
        let published = self
            .people
            .values()
            .filter(|person| person.first.is_some())
            .count() as u64;
        assert_eq!(published, feed.whole().rows());
        let places = [published, feed.pending(), feed.waiting().rows()];
        assert_eq!(
            places.iter().sum::<u64>(),
            self.people.len() as u64,
            "{places:?}"
        );
        places
    }

    /// Labels of a person in a release.
    pub fn labels(&self, person: &Person, release: usize) -> Vec<String> {
        let recoding = &self.releases[release].recoding;
        let under = |(cut, &leaf): (&Cut, &Leaf)| cut.at(leaf);
        let class: Vec<Node> = match &person.formed {
            Some((_, class)) => class.clone(),
            None => recoding
                .iter()
                .zip(&person.human.leaves)
                .map(under)
                .collect(),
        };
        let labels = class.iter().zip(self.columns.trees());
        labels
            .map(|(&node, tree)| tree.label(node).to_owned())
            .collect()
    }

    /// The rows of a release by its people.
    pub fn rows(&self, release: usize) -> Vec<Row> {
        let there = self
            .people
            .values()
            .filter(|person| person.first.is_some_and(|first| first <= release));
        there
            .map(|person| (self.labels(person, release), text(&person.human.values)))
            .collect()
    }
}

fn text(values: &[Value]) -> String {
    match &values[0] {
        Value::Text(text) => text.to_string(),
        _ => "nothing".to_owned(),
    }
}

/// The rows of a table as it was read.
fn rows(
    columns: &Columns,
    release: &tidegate::engine::histogram::Release,
    values: &SensitiveValues,
) -> Vec<Row> {
    let trees = columns.trees();
    let class = |class: usize| {
        let labels: Vec<String> = release
            .class(class)
            .iter()
            .zip(&trees)
            .map(|(&node, tree)| tree.label(node).to_owned())
            .collect();
        release.range(class).flat_map(move |group| {
            let row = (labels.clone(), text(values.get(release.values()[group])));
            std::iter::repeat_n(row, release.counts()[group] as usize)
        })
    };
    (0..release.classes()).flat_map(class).collect()
}
