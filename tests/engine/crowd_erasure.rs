//! Published atoms that are removed from a chain of crowds (SCIENCE 11, erasure): whole ones or
//! none, under a notice that names their labels; the gate compares public bytes. What a reader
//! could compute from a partly removed atom is computed here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidegate::engine::audit::{
    AuditFigures, AuditSubject, MissingRows, RowsLeftOut, UnfitTables, judge,
};
use tidegate::engine::feed::{ClosingResult, ProposedRelease};
use tidegate::engine::gate::bytes;
use tidegate::engine::gate::verdict::{ErasedAtom, History};
use tidegate::engine::histogram::{Cell, Histogram, Release, SensitiveValues};
use tidegate::engine::model::{
    Column, Columns, DetailSettings, Domain, Kind, Leaf, LeafRule, Node, Role, Taxonomy, Tree,
    Value,
};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings, Search};
use tidegate::engine::release::{ErasedLabel, Notice, ReleaseSpan};

use super::crowd_chain::refused;
use crate::common::chain::{Chain, Human, Offer};
use crate::common::random::{self, Draw, tree};

const DIAGNOSES: [&str; 7] = ["Asthma", "Cold", "Flu", "Gout", "HIV", "Mumps", "Zoster"];

/// Rows by label and value.
type Lines = BTreeMap<(Vec<Node>, String), u64>;

/// Rows by value.
type Counts = BTreeMap<String, u64>;

fn columns(trees: Vec<Taxonomy>) -> Columns {
    let column = |name: &str, role, domain: Option<Domain>| Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind: Kind::String,
        taxonomy: domain.map(Arc::new),
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    };
    let quasi = |(at, tree)| {
        let domain = Domain {
            tree,
            rule: LeafRule::Label,
        }
        .with_runs()
        .expect("small");
        column(&format!("quasi{at}"), Role::Quasi, Some(domain))
    };
    let mut all: Vec<Column> = trees.into_iter().enumerate().map(quasi).collect();
    all.push(column("diagnosis", Role::Sensitive, None));
    Columns::new(all)
}

fn policy(k: u64, every: u64, columns: &Columns) -> Policy {
    let (search, every) = (Some(Search::Halves), Some(every));
    let written = PolicySettings {
        k: Some(k),
        search,
        publish_every: every,
        min_solutions: Some(1),
        ..PolicySettings::default()
    };
    Policy::new(&written, ChainKind::Cumulative, &ColumnFacts::of(columns))
        .expect("no contradiction")
}

fn people(draw: &mut Draw, columns: &Columns, number: &mut u128, most: u64) -> Vec<Human> {
    let human = |number: u128, draw: &mut Draw| {
        let leaves = columns
            .trees()
            .into_iter()
            .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as Leaf)
            .collect();
        let value = DIAGNOSES[draw.between(0, 6) as usize];
        Human {
            number,
            leaves,
            values: vec![Value::Text(value.into())],
        }
    };
    (0..draw.between(0, most))
        .map(|_| {
            *number += 1;
            human(*number, draw)
        })
        .collect()
}

fn lines(table: &Release, values: &SensitiveValues) -> Lines {
    let mut lines = BTreeMap::new();
    for class in 0..table.classes() {
        for group in table.range(class) {
            let [Value::Text(value)] = values.get(table.values()[group]) else {
                panic!("each person has a diagnosis")
            };
            lines.insert(
                (table.class(class).to_vec(), value.to_string()),
                table.counts()[group],
            );
        }
    }
    lines
}

/// The content of the newest release's files.
fn shown(chain: &Chain) -> Lines {
    let rows = chain.shown();
    lines(&Release::from_own_labels(&rows), rows.values())
}

fn less(all: &Lines, gone: &Lines) -> Lines {
    let mut left = all.clone();
    for (line, rows) in gone {
        let count = left.get_mut(line).expect("there");
        *count -= rows;
    }
    left.retain(|_, count| *count > 0);
    left
}

/// The rows of a label.
fn of_label(lines: &Lines, label: &[Node]) -> Lines {
    lines
        .iter()
        .filter(|((at, _), _)| at == label)
        .map(|(line, rows)| (line.clone(), *rows))
        .collect()
}

/// A chain with some releases.
fn grown(draw: &mut Draw) -> (Chain, u128) {
    loop {
        let trees = (0..draw.between(1, 3))
            .map(|at| tree(draw, at as usize, 3))
            .collect();
        let columns = columns(trees);
        let policy = policy(draw.between(2, 4), draw.between(1, 2), &columns);
        let (mut chain, mut number) = (Chain::new(columns, policy), 0);
        chain.chance.0 = draw.clone();
        for _ in 0..9 {
            let people = people(draw, &chain.columns, &mut number, 40);
            if let ClosingResult::Candidate(candidate) = chain.tick(&people).closed {
                let approved = chain
                    .offer(&candidate)
                    .decided(|_| ())
                    .expect("a good release");
                chain.publish(*candidate, approved);
            }
        }
        if chain.feed.published().len() > 1 {
            return (chain, number);
        }
    }
}

/// A published atom: the position of its release, its label, its rows.
fn some_atom(draw: &mut Draw, chain: &Chain) -> Option<(usize, Vec<Node>, u64)> {
    let release = draw.between(0, chain.feed.published().len() as u64 - 1) as usize;
    let table = Release::from_own_labels(&chain.feed.published()[release].rows);
    let class = draw.between(0, (table.classes() as u64).checked_sub(1)?) as usize;
    Some((release, table.class(class).to_vec(), table.size(class)))
}

/// Everything that the gate remembers of a chain.
fn reported(history: &History) -> serde_json::Value {
    serde_json::to_value(history).expect("JSON")
}

/// The next release, with or without new people.
fn due(chain: &mut Chain, people: &[Human]) -> Option<ProposedRelease> {
    match chain.tick(people).closed {
        ClosingResult::Candidate(candidate) => Some(*candidate),
        _ => None,
    }
}

#[test]
fn whole_atoms_leave_and_every_other_row_stays() {
    random::run("erased atoms", 36, |draw| {
        let (mut chain, mut number) = grown(draw);
        let mut known = chain.history.clone();
        for _ in 0..4 {
            let before = chain
                .tables
                .last()
                .map(|(table, values)| lines(table, values))
                .expect("a release");
            let mut labels: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
            for _ in 0..draw.between(1, 2) {
                let Some((release, label, rows)) = some_atom(draw, &chain) else {
                    continue;
                };
                assert_eq!(chain.erase_rows(release, label.clone()), rows);
                *labels.entry(label).or_default() += rows;
            }
            let people = if draw.once_in(2) {
                Vec::new()
            } else {
                people(draw, &chain.columns, &mut number, 30)
            };
            let whole = chain.feed.whole().rows();
            let Some(candidate) = due(&mut chain, &people) else {
                assert!(
                    whole == 0 || labels.is_empty(),
                    "a release without them is due"
                );
                return;
            };
            let offer = chain.offer(&candidate);
            let mut notice = None;
            let approved = offer
                .decided(|pages| notice.clone_from(&pages.notice))
                .unwrap_or_else(|no| panic!("{no:?}"));
            let erased = chain.erased.clone();
            let release = candidate.release;
            chain.publish(candidate, approved);
            let now = shown(&chain);
            // By label: the previous rows, without those in the notice, and new ones, which are at
            // least an atom.
            for label in before
                .keys()
                .chain(now.keys())
                .map(|(label, _)| label)
                .collect::<BTreeSet<_>>()
            {
                let rows = |of: &Lines| of_label(of, label).values().sum::<u64>();
                let new = rows(&now) + labels.get(label).copied().unwrap_or(0) - rows(&before);
                assert!(
                    new == 0 || new >= chain.policy.a(),
                    "{new} rows of a label are new"
                );
            }
            let trees = chain.columns.trees();
            let label = |(label, &rows): (&Vec<Node>, &u64)| ErasedLabel {
                label: label
                    .iter()
                    .zip(&trees)
                    .map(|(&node, tree)| tree.label(node).to_owned())
                    .collect(),
                rows,
            };
            let meant: Vec<ErasedLabel> = labels.iter().map(label).collect();
            match notice {
                None => assert!(labels.is_empty()),
                Some(notice) => {
                    let notice = Notice::parse(&notice).expect("a notice");
                    assert_eq!(
                        (notice.release, notice.rows),
                        (release, labels.values().sum())
                    );
                    assert_eq!(notice.labels, meant);
                }
            }
            assert!(known.erase(&erased));
            assert!(!chain.feed.owes_release(), "it is made once");
            // The gate's memory of an approved release equals its bytes.
            let mut parts = offer.tables.0.iter();
            let new =
                parts.find_map(|part| Some((part, part.span.filter(|span| span.holds(release))?)));
            let rows = new.map(|(part, span)| {
                bytes::read_part(&part.bytes, &chain.columns, span.last)
                    .0
                    .expect("a part")
                    .counts
            });
            let rows = rows.map_or(Histogram::empty(chain.columns.trees().len(), 1), |rows| {
                rows.as_one(0)
            });
            known.grow(Release::from_own_labels(&rows), rows.values());
            known.set_files(chain.history.parts().to_vec());
            assert_eq!(reported(&known), reported(&chain.history));
        }
    });
}

/// An audit of the chain; `erased` are the atoms that it knows to be erased.
fn audited(chain: &Chain, erased: &RowsLeftOut) -> Result<(bool, bool, Vec<u64>), UnfitTables> {
    let rows: Vec<Histogram> = chain
        .feed
        .published()
        .iter()
        .map(|published| Histogram::clone(&published.rows))
        .collect();
    let (columns, tables) = (&chain.columns, chain.tables.clone());
    let subject =
        AuditSubject::of_chain(columns, ChainKind::Cumulative, tables, Some(rows), erased)?;
    let figures = AuditFigures::of(&subject, columns, &chain.policy).expect("figures");
    let names: Vec<String> = (0..subject.releases.len())
        .map(|at| at.to_string())
        .collect();
    let verdict = judge(&figures, &chain.policy, &subject.releases, columns, &names);
    let erased = subject.growth.as_ref().expect("rows keep their labels");
    let least = figures.pairs.iter().filter_map(|pair| pair.all.ba).min();
    assert!(
        !verdict.safe || least.is_none_or(|least| least >= chain.policy.a()),
        "{:?}",
        figures.pairs
    );
    let rows = (0..subject.releases.len())
        .map(|at| erased.erased_rows(at))
        .collect();
    Ok((verdict.safe, figures.crowds.expect("crowds").exact(), rows))
}

#[test]
fn an_audit_misses_no_row_that_a_notice_names() {
    random::run("audits of erased atoms", 36, |draw| {
        let (mut chain, mut number) = grown(draw);
        let mut erased = RowsLeftOut {
            releases: vec![Vec::new(); chain.tables.len()],
            next: Vec::new(),
        };
        for _ in 0..6 {
            if draw.once_in(2)
                && let Some((release, label, _)) = some_atom(draw, &chain)
            {
                let known = chain.feed.published()[release].rows.clone();
                let [rows, _] =
                    Release::from_own_labels(&known).divide(|class| class == label.as_slice());
                erased.next.push(MissingRows {
                    came: release,
                    rows,
                    values: known.values().clone(),
                });
                chain.erase_rows(release, label);
                // As long as no release leaves them out, all releases have them.
                let (safe, exact, _) = audited(&chain, &erased).expect("its own people");
                assert!(safe && exact);
            }
            let people = people(draw, &chain.columns, &mut number, 30);
            let Some(candidate) = due(&mut chain, &people) else {
                continue;
            };
            let approved = chain
                .offer(&candidate)
                .decided(|_| ())
                .expect("a good release");
            erased.releases.push(std::mem::take(&mut erased.next));
            chain.publish(candidate, approved);
            let (safe, exact, rows) = audited(&chain, &erased).expect("its own people");
            assert!(safe && exact);
            let left: Vec<usize> = erased.releases.iter().map(Vec::len).collect();
            assert!(
                rows.iter()
                    .zip(&left)
                    .all(|(&rows, &atoms)| rows >= atoms as u64 * chain.policy.a())
            );
            if left.last().is_some_and(|&atoms| atoms > 0) {
                // A reader who does not know the notice misses these rows.
                let mut unknown = RowsLeftOut {
                    releases: erased.releases.clone(),
                    next: Vec::new(),
                };
                unknown.next = unknown.releases.pop().expect("one");
                assert!(matches!(
                    audited(&chain, &unknown),
                    Ok((false, false, _)) | Err(_)
                ));
            }
        }
    });
}

#[test]
fn a_release_that_leaves_rows_out_is_read_back() {
    random::run("erased atoms that are read back", 24, |draw| {
        let (mut chain, mut number) = grown(draw);
        let Some((release, label, _)) = some_atom(draw, &chain) else {
            return;
        };
        chain.erase_rows(release, label);
        let mut other = chain.clone();
        for _ in 0..3 {
            let people = people(draw, &chain.columns, &mut number, 20);
            let (rows, _) = other.feed.accept(
                crate::common::chain::arrivals(&chain.columns, &people),
                &chain.policy,
            );
            assert!(rows.len() == people.len());
            let ticked = chain.tick(&people);
            let trees = other.columns.trees();
            let fixed = chain.feed.tick_atoms(&ticked);
            other.feed.replay(fixed, &chain.policy);
            if let ClosingResult::Candidate(candidate) = ticked.closed {
                assert_eq!(other.feed.propose(&chain.policy, &trees), *candidate);
                let approved = chain
                    .offer(&candidate)
                    .decided(|_| ())
                    .expect("a good release");
                other.feed.publish((*candidate).clone(), &chain.policy);
                chain.publish(*candidate, approved);
            }
            assert!(chain.feed == other.feed, "another feed is read back");
        }
    });
}

#[test]
fn the_gate_takes_exactly_the_rows_of_the_notice_as_gone() {
    random::run("spoilt erasures", 24, |draw| {
        let (mut chain, _) = grown(draw);
        let Some((release, label, _)) = some_atom(draw, &chain) else {
            return;
        };
        let before = chain
            .tables
            .last()
            .map(|(table, values)| lines(table, values))
            .expect("a release");
        let known = chain.clone();
        chain.erase_rows(release, label.clone());
        let Some(candidate) = due(&mut chain, &[]) else {
            return;
        };
        let offer = chain.offer(&candidate);
        assert!(offer.judged().verdict().safe());
        // Rows of the atom stay; a row of another one is missing as well.
        let published = known
            .feed
            .published()
            .iter()
            .find(|of| of.release == known.feed.published()[release].release);
        let atom = Histogram::clone(&published.expect("a release").rows)
            .divide(|at, _| at == label.as_slice())[0]
            .clone();
        let first = offer.release - offer.older.len() as u32;
        let stays = offer.with_rows(|rows, values| {
            let (_, maps) = SensitiveValues::union(&[values, atom.values()]);
            let cell = Cell {
                increment: first + release as u32,
                value: maps[1][0],
                count: 1,
            };
            let known = (cell.value as usize) < values.len()
                && values.get(cell.value) == atom.values().get(0);
            rows.push((
                label.clone(),
                if known {
                    cell
                } else {
                    Cell { value: 0, ..cell }
                },
            ));
        });
        refused(&stays, "growth");
        if before != of_label(&before, &label) {
            let more = offer.with_rows(|rows, _| {
                rows.iter_mut()
                    .find(|(_, cell)| cell.increment < offer.release)
                    .expect("a row")
                    .1
                    .count -= 1;
            });
            refused(&more, "growth");
        }
        // The rows are removed but neither the log nor the notice says so.
        refused(
            &Offer {
                erased: Vec::new(),
                ..offer.clone()
            },
            "growth",
        );
        let silent = offer
            .decided(|pages| pages.notice = None)
            .expect_err("no notice");
        assert!(
            silent
                .reasons()
                .any(|(check, _)| check.check.name() == "pages")
        );
        let fewer = offer.decided(|pages| {
            let notice = Notice::parse(pages.notice.as_ref().expect("a notice")).expect("a notice");
            let mut labels = notice.labels.clone();
            labels[0].rows -= 1;
            pages.notice = Some(
                Notice {
                    rows: notice.rows - 1,
                    labels,
                    ..notice
                }
                .bytes(),
            );
        });
        assert!(fewer.is_err(), "a notice that names fewer rows");
        // A notice of rows that still exist, or of an atom that never existed.
        let mut unsaid = offer.clone();
        let is_new = |span: ReleaseSpan| span.holds(offer.release);
        unsaid.tables.0.retain(|part| part.span.is_some_and(is_new));
        // If the file of these rows contains others too, it must be written again.
        let parts = chain.history.parts();
        let file = parts
            .iter()
            .find(|part| part.span.holds(first + release as u32));
        let span = file.expect("the file of these rows").span;
        if chain.feed.rows_of(span.first..=span.last).rows() > 0 {
            refused(&unsaid, "growth");
        } else {
            assert!(unsaid.judged().verdict().safe());
        }
        let twice = Offer {
            erased: vec![offer.erased[0].clone(); 2],
            ..offer.clone()
        };
        refused(&twice, "form");
        let never = ErasedAtom {
            release: chain.feed.published().len(),
            label,
        };
        refused(
            &Offer {
                erased: vec![never],
                ..offer.clone()
            },
            "form",
        );
        // Private tables that still contain the rows.
        let older = known
            .feed
            .published()
            .iter()
            .map(|known| Arc::clone(&known.rows));
        refused(
            &Offer {
                older: older.collect(),
                ..offer.clone()
            },
            "growth",
        );
    });
}

/// People who are known to have these values, whichever has which.
struct Known {
    people: Vec<u128>,
    values: Counts,
}

/// The possible values of each person, by everything that is known: all ways to assign values are
/// tried.
fn possible(known: &[Known]) -> BTreeMap<u128, BTreeSet<String>> {
    let all_people: BTreeSet<u128> = known
        .iter()
        .flat_map(|known| known.people.iter().copied())
        .collect();
    let all_people: Vec<u128> = all_people.into_iter().collect();
    let mut left: Vec<Counts> = known.iter().map(|known| known.values.clone()).collect();
    let mut given = Vec::new();
    let mut found = BTreeMap::new();
    give(&all_people, known, &mut left, &mut given, &mut found);
    found
}

fn give(
    all_people: &[u128],
    known: &[Known],
    left: &mut Vec<Counts>,
    given: &mut Vec<String>,
    found: &mut BTreeMap<u128, BTreeSet<String>>,
) {
    let Some(&person) = all_people.get(given.len()) else {
        for (&person, value) in all_people.iter().zip(given.iter()) {
            found.entry(person).or_default().insert(value.clone());
        }
        return;
    };
    let of: Vec<usize> = (0..known.len())
        .filter(|&at| known[at].people.contains(&person))
        .collect();
    for value in DIAGNOSES {
        if of
            .iter()
            .all(|&at| left[at].get(value).is_some_and(|count| *count > 0))
        {
            of.iter()
                .for_each(|&at| *left[at].get_mut(value).expect("some are left") -= 1);
            given.push(value.to_owned());
            give(all_people, known, left, given, found);
            given.pop();
            of.iter()
                .for_each(|&at| *left[at].get_mut(value).expect("some are left") += 1);
        }
    }
}

fn values(lines: &Lines) -> Counts {
    let mut counts = Counts::new();
    lines
        .iter()
        .for_each(|((_, value), rows)| *counts.entry(value.clone()).or_default() += rows);
    counts
}

/// The reader knows each person's quasi columns and dates, and who asked for erasure; values come
/// from public bytes alone.
#[test]
fn an_atom_that_is_divided_would_reveal_a_value() {
    let mut wards = Tree::new("*");
    ["a", "b"].iter().for_each(|ward| _ = wards.add(0, ward, 1));
    let columns = columns(vec![wards.finish().expect("distinct labels")]);
    let human = |number: u128, leaf: Leaf, value: usize| Human {
        number,
        leaves: vec![leaf],
        values: vec![Value::Text(DIAGNOSES[value].into())],
    };
    let mut chain = Chain::new(columns.clone(), policy(3, 1, &columns));
    // Three people of one ward, who are in one atom: there is no other person.
    let first = [human(1, 0, 2), human(2, 0, 3), human(3, 0, 4)];
    chain.release(&first);
    let label = {
        let (table, _) = chain.tables.last().expect("a release");
        assert_eq!((table.classes(), table.rows()), (1, 3));
        table.class(0).to_vec()
    };
    let shown_first = shown(&chain);
    let atom = || Known {
        people: vec![1, 2, 3],
        values: values(&shown_first),
    };
    let open = |found: &BTreeMap<u128, BTreeSet<String>>, person: u128| found[&person].len();
    assert!(
        [1, 2, 3]
            .iter()
            .all(|&person| open(&possible(&[atom()]), person) == 3)
    );

    // One row is removed: its value is missing.
    let row: Lines = [((label.clone(), DIAGNOSES[2].to_owned()), 1)].into();
    let one_less = less(&shown_first, &row);
    let found = possible(&[
        atom(),
        Known {
            people: vec![2, 3],
            values: values(&one_less),
        },
    ]);
    assert_eq!(
        open(&found, 1),
        1,
        "the person who asked is known for certain"
    );

    // The atom is removed, and the two others are added to a new one with another person.
    let again: Lines = [3, 4, 0]
        .map(|value| ((label.clone(), DIAGNOSES[value].to_owned()), 1))
        .into();
    let found = possible(&[
        atom(),
        Known {
            people: vec![2, 3, 7],
            values: values(&again),
        },
    ]);
    assert_eq!(
        (open(&found, 1), open(&found, 7)),
        (1, 1),
        "the person who asked, and the one who came, are known for certain"
    );

    // The rule: the atom is removed, and no person of it is in another one, whatever is added, in
    // this chain or the next.
    chain.erase_rows(0, label.clone());
    let later = [
        human(2, 0, 3),
        human(3, 0, 4),
        human(7, 0, 0),
        human(8, 0, 1),
        human(9, 0, 5),
    ];
    let ticked = chain.tick(&later);
    assert_eq!(ticked.duplicate, 2, "people of the atom are known");
    let ClosingResult::Candidate(candidate) = ticked.closed else {
        panic!("a release is due")
    };
    let offer = chain.offer(&candidate);
    let approved = offer.decided(|_| ()).expect("a good release");
    chain.publish(*candidate, approved);
    let now = shown(&chain);
    let found = possible(&[
        atom(),
        Known {
            people: vec![7, 8, 9],
            values: values(&now),
        },
    ]);
    assert!(
        found.values().all(|values| values.len() == 3),
        "each person of an atom may have each of its values: {found:?}"
    );
    chain.feed.new_chain();
    assert_eq!(
        chain.tick(&first).duplicate,
        3,
        "nor does a new chain show them again"
    );
}
