//! The audit of chains whose rows keep their labels (SCIENCE 11), on tables with known answers, on
//! random tables against a count of their rows, and on generated chains with the true rows.

use std::collections::BTreeMap;

use serde_json::json;
use tidegate::engine::audit::{
    AuditFigures, AuditSubject, AuditVerdict, CrowdFigures, RowContradiction, RowsLeftOut,
    UnfitTables, judge,
};
use tidegate::engine::gate::correspondence::Anonymity;
use tidegate::engine::histogram::{CellReading, Encoder, Histogram};
use tidegate::engine::model::{Columns, Taxonomy};
use tidegate::engine::policy::{
    ChainKind, Decimal, DiversitySettings, Guarantee, MaxRatio, Policy, PolicySettings, Search,
};

use super::crowd_chain::grown;
use crate::common::chain::policy;
use crate::common::random::{self, Draw};
use crate::common::{self, Row, batch};

/// Rows of one label pair and sensitive value that name their release; 0 if they name none.
type Line<'l> = (&'l str, &'l str, &'l str, u32, usize);

fn columns() -> Columns {
    let tree = |name: &str| -> Taxonomy {
        let leaf = |at: u32| format!("{name}{at}");
        common::taxonomy(
            &json!({ "*": { name.to_uppercase(): { leaf(1): {}, leaf(2): {} },
            format!("{}'", name.to_uppercase()): { leaf(3): {}, leaf(4): {} } } }),
        )
    };
    common::columns(vec![tree("a"), tree("b")])
}

fn table(columns: &Columns, lines: &[Line<'_>]) -> Histogram {
    let encoder = Encoder::new(columns, CellReading::Labels { text: true });
    let mut parts: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for &(a, b, s, release, rows) in lines {
        let row = (vec![a.to_owned(), b.to_owned()], s.to_owned());
        parts.entry(release).or_default().extend(vec![row; rows]);
    }
    let read = |(release, rows): (u32, Vec<Row>)| {
        Histogram::of(&encoder, release, &[batch(&rows, 2)]).expect("labels")
    };
    Histogram::merge_all(parts.into_iter().map(read).collect()).expect("rows")
}

fn blind(k: u64) -> PolicySettings {
    PolicySettings {
        k: Some(k),
        ..PolicySettings::default()
    }
}

fn halves(k: u64, max_ratio: Option<u64>) -> PolicySettings {
    let max_ratio = max_ratio.map(|most| MaxRatio::Limit(Decimal::from(most)));
    PolicySettings {
        search: Some(Search::Halves),
        max_ratio,
        min_solutions: Some(1),
        ..blind(k)
    }
}

fn subject(columns: &Columns, releases: &[&[Line<'_>]]) -> AuditSubject {
    let labels = releases.iter().map(|lines| table(columns, lines)).collect();
    AuditSubject::new(columns, (ChainKind::Cumulative, false), labels, None).expect("tables")
}

fn judged(
    columns: &Columns,
    subject: &AuditSubject,
    policy: &Policy,
) -> (AuditFigures, AuditVerdict) {
    let figures = AuditFigures::of(subject, columns, policy).expect("figures");
    let names: Vec<String> = (1..=subject.releases.len())
        .map(|at| format!("r{at}"))
        .collect();
    let verdict = judge(&figures, policy, &subject.releases, columns, &names);
    (figures, verdict)
}

/// The audit of releases under a policy.
fn audited(releases: &[&[Line<'_>]], written: &PolicySettings) -> (AuditFigures, AuditVerdict) {
    let columns = columns();
    judged(
        &columns,
        &subject(&columns, releases),
        &policy(written, ChainKind::Cumulative),
    )
}

fn crowds(figures: &AuditFigures) -> &CrowdFigures {
    figures.crowds.as_ref().expect("rows keep their labels")
}

fn checks(verdict: &AuditVerdict) -> Vec<(&str, Option<usize>, f64, f64)> {
    verdict
        .reasons
        .iter()
        .map(|reason| (reason.check, reason.release, reason.value, reason.limit))
        .collect()
}

fn text(verdict: &AuditVerdict) -> String {
    verdict
        .reasons
        .iter()
        .map(|reason| reason.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Labels of the first column are nested: an error until chains of crowds were known.
const R1: &[Line<'_>] = &[
    ("*", "*", "x", 0, 3),
    ("*", "*", "y", 0, 2),
    ("A", "*", "x", 0, 4),
];
const R2: &[Line<'_>] = &[
    ("*", "*", "x", 0, 3),
    ("*", "*", "y", 0, 2),
    ("A", "*", "x", 0, 5),
    ("A", "*", "y", 0, 2),
    ("A'", "b1", "y", 0, 6),
];

#[test]
fn new_rows_of_a_label_are_the_crowd() {
    let (figures, verdict) = audited(&[R1, R2], &blind(3));
    assert!(verdict.safe && verdict.decided, "{verdict:?}");
    let anonymity = Anonymity {
        fa: Some(4),
        ca: Some(4),
        ba: Some(3),
    };
    assert_eq!(
        (figures.pairs[0].all, figures.pairs[0].realised),
        (anonymity, Some(anonymity))
    );
    let found = crowds(&figures);
    assert_eq!(
        (
            found.left(0),
            found.left(1),
            found.anonymity(),
            found.exact()
        ),
        (Some(4), Some(3), 3, true)
    );
    assert!(figures.chain.is_none() && figures.coarse.is_empty());
    assert_eq!(
        (
            figures.releases[1].rows,
            figures.releases[1].classes,
            figures.releases[1].smallest.0
        ),
        (18, 3, 5)
    );
}

#[test]
fn a_release_without_new_rows_is_no_harm() {
    let (figures, verdict) = audited(&[R1, R2, R2], &blind(3));
    assert!(verdict.safe, "{verdict:?}");
    assert_eq!(
        (crowds(&figures).left(2), crowds(&figures).anonymity()),
        (None, 3)
    );
    let last = figures
        .pairs
        .iter()
        .find(|pair| (pair.earlier, pair.later) == (1, 2))
        .expect("a pair");
    assert_eq!(
        last.all,
        Anonymity {
            fa: Some(5),
            ca: Some(5),
            ba: None
        }
    );
}

#[test]
fn too_few_new_rows_of_a_label_are_named() {
    let (_, verdict) = audited(&[R1, R2], &blind(4));
    assert!(!verdict.safe && verdict.decided);
    assert_eq!(checks(&verdict), [("k", Some(1), 3.0, 4.0)]);
    assert!(
        text(&verdict).contains("class (q0 = A) has only 3 rows that came in one release"),
        "{}",
        text(&verdict)
    );
    let (_, verdict) = audited(&[R1, R2], &blind(5));
    assert_eq!(
        checks(&verdict),
        [("k", Some(0), 4.0, 5.0), ("k", Some(1), 3.0, 5.0)]
    );
    assert!(
        text(&verdict).contains("class (q0 = A) has 4 rows, the policy requires at least 5"),
        "{}",
        text(&verdict)
    );
}

#[test]
fn a_row_that_is_lost_or_changed_is_reported() {
    let changed: [(&[Line<'_>], u64, bool); 3] = [
        // One row is missing.
        (
            &[
                ("*", "*", "x", 0, 2),
                ("*", "*", "y", 0, 2),
                ("A", "*", "x", 0, 4),
                ("A'", "b1", "y", 0, 6),
            ],
            1,
            true,
        ),
        // Two rows have another label.
        (
            &[
                ("*", "*", "x", 0, 3),
                ("A", "*", "x", 0, 4),
                ("A", "*", "y", 0, 5),
            ],
            2,
            true,
        ),
        // All rows of a label have another value: so many that no person is certainly separated.
        (
            &[
                ("*", "*", "x", 0, 3),
                ("*", "*", "y", 0, 2),
                ("A", "*", "y", 0, 4),
            ],
            4,
            false,
        ),
    ];
    for (later, gone, decided) in changed {
        let (figures, verdict) = audited(&[R1, later], &blind(3));
        assert_eq!(
            (verdict.safe, verdict.decided),
            (false, decided),
            "{verdict:?}"
        );
        assert_eq!(checks(&verdict), [("chain", Some(1), gone as f64, 0.0)]);
        assert!(!crowds(&figures).exact() && crowds(&figures).left(1) <= Some(gone));
        let reported = text(&verdict);
        assert!(
            reported.contains("release 2 (r2)") && reported.contains("of release 1 (r1)"),
            "{reported}"
        );
    }
}

#[test]
fn labels_under_one_recoding_are_checked_as_before() {
    let columns = columns();
    let subject = subject(
        &columns,
        &[
            &[("A", "*", "x", 0, 4)],
            &[("A", "*", "x", 0, 4), ("A'", "*", "y", 0, 4)],
        ],
    );
    assert!(subject.growth.is_none());
    let (figures, _) = judged(
        &columns,
        &subject,
        &policy(&halves(3, None), ChainKind::Cumulative),
    );
    assert!(figures.crowds.is_none() && figures.chain.is_some() && figures.refinement.is_empty());
    // In a disjoint feed the policy does not permit such labels.
    let labels = vec![table(&columns, R1)];
    let found = AuditSubject::new(&columns, (ChainKind::Disjoint, false), labels, None);
    assert!(
        matches!(
            found,
            Err(UnfitTables::Crossing {
                release: 0,
                column: 0,
                ..
            })
        ),
        "{found:?}"
    );
}

#[test]
fn labels_that_halving_does_not_come_to_are_named() {
    // On the way to (a1, *) the second column was rejected once.
    let fine: &[Line<'_>] = &[("*", "*", "x", 0, 3), ("a1", "*", "y", 0, 3)];
    let (figures, verdict) = audited(&[fine], &halves(3, None));
    assert!(verdict.safe, "{verdict:?}");
    let attacked = &figures.refinement[0];
    let judged = attacked.judged.as_ref().expect("labels of halving");
    let bounds: Vec<(u64, Option<u64>)> = judged
        .found
        .targets
        .iter()
        .map(|target| (target.rows, judged.release.bound(target.place)))
        .collect();
    assert_eq!(
        (attacked.release, bounds),
        (0, vec![(3, Some(4)), (3, Some(16))])
    );
    assert_eq!(
        (
            judged.found.max_log10_ratio(),
            judged.found.max_bound(&judged.release)
        ),
        (Some(0.0), Some(16))
    );
    // With one rejection nothing is divided any more.
    let (_, verdict) = audited(&[fine], &halves(3, Some(4)));
    assert_eq!(
        checks(&verdict)
            .iter()
            .map(|found| found.0)
            .collect::<Vec<_>>(),
        ["refinement"]
    );
    assert!(
        text(&verdict).contains("cannot produce the label (q0 = a1)"),
        "{}",
        text(&verdict)
    );
    // A policy without halving does not report what halving would do.
    let (figures, verdict) = audited(&[fine], &blind(3));
    assert!(verdict.safe && figures.refinement.is_empty());
}

#[test]
fn masking_asks_for_larger_crowds() {
    let written = PolicySettings {
        m: Some(2),
        ..halves(3, None)
    };
    let facts = tidegate::engine::policy::ColumnFacts {
        guarded_sets: 1,
        sensitive: 1,
        ..Default::default()
    };
    let masked = Policy::new(&written, ChainKind::Cumulative, &facts).expect("no contradiction");
    let columns = columns();
    let rows: &[Line<'_>] = &[("*", "*", "x", 0, 8), ("A", "*", "y", 0, 7)];
    let (_, verdict) = judged(&columns, &subject(&columns, &[rows]), &masked);
    assert!(
        checks(&verdict).contains(&("k", Some(0), 7.0, 8.0)),
        "{verdict:?}"
    );
}

#[test]
fn diversity_is_that_of_rows_that_came_together_too() {
    let first: &[Line<'_>] = &[
        ("*", "*", "x", 0, 2),
        ("*", "*", "y", 0, 2),
        ("A", "*", "x", 0, 2),
        ("A", "*", "y", 0, 2),
    ];
    let second: Vec<Line<'_>> = [first, &[("A", "*", "x", 0, 2)]].concat();
    let diversity = DiversitySettings {
        alpha: Decimal::parse("0.7"),
        ..DiversitySettings::default()
    };
    let written = PolicySettings {
        diversity: Some(diversity),
        ..blind(2)
    };
    let (figures, verdict) = audited(&[first, &second], &written);
    let alpha = |at: usize| {
        (
            figures.releases[at].before.alpha,
            figures.releases[at].after.alpha,
        )
    };
    assert_eq!(
        (alpha(0), alpha(1)),
        ((Some(0.5), Some(0.5)), (Some(4.0 / 6.0), Some(1.0)))
    );
    assert_eq!(checks(&verdict), [("alpha", Some(1), 1.0, 0.7)]);
    // Rows of an earlier release are separate in later ones as well.
    let (figures, _) = audited(&[first, &second, &second], &written);
    assert_eq!(figures.releases[2].after.alpha, Some(1.0));
}

#[test]
fn rows_may_say_in_which_release_they_came() {
    // One table reveals what two would.
    let newest: &[Line<'_>] = &[
        ("A", "*", "x", 1, 4),
        ("A", "*", "y", 2, 3),
        ("A'", "*", "x", 2, 5),
    ];
    let (figures, verdict) = audited(&[newest], &blind(3));
    assert!(
        verdict.safe && crowds(&figures).anonymity() == 3,
        "{verdict:?}"
    );
    let (_, verdict) = audited(&[newest], &blind(4));
    assert_eq!(checks(&verdict), [("k", Some(0), 3.0, 4.0)]);
    let before: &[Line<'_>] = &[("A", "*", "x", 1, 4)];
    let (figures, verdict) = audited(&[before, newest], &blind(3));
    assert!(
        verdict.safe && crowds(&figures).contradictions.is_empty(),
        "{verdict:?}"
    );
    let contradicts = |later: &[Line<'_>], found: RowContradiction| {
        let (figures, verdict) = audited(&[before, later], &blind(3));
        assert_eq!(crowds(&figures).contradictions, [found]);
        assert!(
            checks(&verdict).contains(&("tidegate_release", Some(1), 0.0, 0.0)),
            "{verdict:?}"
        );
    };
    contradicts(
        &[("A", "*", "x", 0, 4), ("A'", "*", "x", 0, 5)],
        RowContradiction::Silent(1),
    );
    contradicts(
        &[("A", "*", "x", 2, 4), ("A'", "*", "x", 2, 5)],
        RowContradiction::Changed(1),
    );
    contradicts(
        &[("A", "*", "x", 1, 4), ("A'", "*", "x", 1, 5)],
        RowContradiction::Late(1),
    );
}

#[test]
fn raw_rows_have_to_be_those_of_new_rows() {
    let columns = columns();
    let raw = |rows: &[(&str, &str, &str, usize)]| {
        let encoder = Encoder::new(&columns, CellReading::Text);
        let rows: Vec<Row> = rows
            .iter()
            .flat_map(|&(a, b, s, rows)| {
                vec![(vec![a.to_owned(), b.to_owned()], s.to_owned()); rows]
            })
            .collect();
        Histogram::of(&encoder, 0, &[batch(&rows, 2)]).expect("leaves")
    };
    let first = [
        ("a3", "b2", "x", 3),
        ("a1", "b1", "y", 2),
        ("a2", "b1", "x", 4),
    ];
    let read = |second: &[(&str, &str, &str, usize)]| {
        let labels = vec![table(&columns, R1), table(&columns, R2)];
        AuditSubject::new(
            &columns,
            (ChainKind::Cumulative, false),
            labels,
            Some(vec![raw(&first), raw(second)]),
        )
    };
    assert!(read(&[("a1", "b4", "x", 3), ("a4", "b1", "y", 6)]).is_ok());
    let fewer = read(&[("a1", "b4", "x", 2), ("a4", "b1", "y", 6)]);
    assert!(
        matches!(
            fewer,
            Err(UnfitTables::Rows {
                release: 1,
                rows: [9, 8]
            })
        ),
        "{fewer:?}"
    );
    // No new person can be in A' and b2.
    let elsewhere = read(&[("a1", "b4", "x", 3), ("a4", "b2", "y", 6)]);
    assert!(
        matches!(elsewhere, Err(UnfitTables::Mismatch { release: 1, .. })),
        "{elsewhere:?}"
    );
}

/// A row of a random table: its labels, its value, and the release that it names.
type Counted = BTreeMap<(&'static str, &'static str, &'static str, u32), usize>;

const LABELS: [&str; 4] = ["*", "A", "A'", "a1"];
const VALUES: [&str; 3] = ["x", "y", "z"];

fn random_chain(draw: &mut Draw, states: bool) -> Vec<Counted> {
    let mut chain = vec![Counted::new()];
    for release in 0..draw.between(1, 4) as u32 {
        let mut next = chain[release as usize].clone();
        for _ in 0..draw.between(u64::from(release == 0), 5) {
            let b = if draw.once_in(3) { "B" } else { "*" };
            let (a, s) = (
                LABELS[draw.between(0, 3) as usize],
                VALUES[draw.between(0, 2) as usize],
            );
            let said = if states { release + 1 } else { 0 };
            *next.entry((a, b, s, said)).or_default() += draw.between(1, 4) as usize;
        }
        if draw.once_in(5) && next.len() > 1 {
            let at = draw.between(0, next.len() as u64 - 1) as usize;
            let key = *next.keys().nth(at).expect("there");
            next.remove(&key);
        }
        chain.push(next);
    }
    chain.split_off(1)
}

/// Rows that one table has in addition to another, by label and the release that they name.
fn more(
    of: &Counted,
    than: &Counted,
    states: bool,
) -> BTreeMap<(&'static str, &'static str, u32), usize> {
    let mut more = BTreeMap::new();
    let fold = |table: &Counted| {
        let mut folded = Counted::new();
        for (&(a, b, s, said), rows) in table {
            *folded
                .entry((a, b, s, if states { said } else { 0 }))
                .or_default() += rows;
        }
        folded
    };
    let than = fold(than);
    for (key, rows) in fold(of) {
        let left = rows.saturating_sub(than.get(&key).copied().unwrap_or(0));
        if left > 0 {
            *more.entry((key.0, key.1, key.3)).or_default() += left;
        }
    }
    more
}

#[test]
fn random_chains_have_the_figures_that_their_rows_count_up_to() {
    let columns = columns();
    random::run("audits of classes", 240, |draw| {
        let states = draw.once_in(2);
        let chain = random_chain(draw, states);
        let lines = |table: &Counted| -> Vec<Line<'static>> {
            table
                .iter()
                .map(|(&(a, b, s, said), &rows)| (a, b, s, said, rows))
                .collect()
        };
        let tables: Vec<Vec<Line<'static>>> = chain.iter().map(lines).collect();
        let subject = subject(
            &columns,
            &tables.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        );
        let crossing = |table: &Counted| {
            let shown = |label: &str| table.keys().any(|key| key.0 == label);
            let of_b = |label: &str| table.keys().any(|key| key.1 == label);
            let below = ["A", "A'", "a1"].into_iter().any(shown);
            shown("*") && below || shown("A") && shown("a1") || of_b("*") && of_b("B")
        };
        assert_eq!(
            subject.growth.is_some(),
            states || chain.iter().any(crossing)
        );
        if subject.growth.is_none() {
            return;
        }
        let k = draw.between(2, 6);
        let (figures, verdict) = judged(
            &columns,
            &subject,
            &policy(&blind(k), ChainKind::Cumulative),
        );
        let (found, nothing) = (crowds(&figures), Counted::new());
        let least = |more: BTreeMap<(&str, &str, u32), usize>| {
            more.into_values().min().map(|rows| rows as u64)
        };
        let (mut whole, mut reported) = (true, true);
        for at in 0..chain.len() {
            let before = if at == 0 { &nothing } else { &chain[at - 1] };
            let new = least(more(&chain[at], before, states));
            let gone = least(more(before, &chain[at], false));
            assert_eq!(found.new[at].as_ref().map(|few| few.rows), new);
            assert_eq!(found.gone[at].as_ref().map(|few| few.rows), gone);
            whole &= gone.is_none();
            // A row was replaced by an equal one that names a later release.
            reported &= gone.is_some() || more(before, &chain[at], states).is_empty();
        }
        assert_eq!(found.exact(), whole);
        for pair in &figures.pairs {
            let (earlier, later) = (&chain[pair.earlier], &chain[pair.later]);
            let fa = least(more(earlier, &nothing, false));
            assert_eq!(
                pair.all,
                Anonymity {
                    fa,
                    ca: fa,
                    ba: least(more(later, earlier, false))
                }
            );
        }
        let few = (0..chain.len()).any(|at| found.new[at].as_ref().is_some_and(|few| few.rows < k));
        assert_eq!(verdict.safe, whole && reported && !few, "{verdict:?}");
    });
}

#[test]
fn chains_of_our_own_are_safe_and_hold_their_people() {
    random::run("own classes", 24, |draw| {
        let m = draw.once_in(2).then_some(2);
        let (chain, _) = grown(draw, m);
        let columns = &chain.columns;
        let people = || {
            chain
                .feed
                .published()
                .iter()
                .map(|published| Histogram::clone(&published.rows))
                .collect::<Vec<_>>()
        };
        let (kind, none_left_out) = (ChainKind::Cumulative, RowsLeftOut::default());
        let read = |people| {
            AuditSubject::of_chain(
                columns,
                kind,
                chain.tables.clone(),
                Some(people),
                &none_left_out,
            )
        };
        let subject = read(people()).expect("its own people");
        let (figures, verdict) = judged(columns, &subject, &chain.policy);
        assert!(verdict.safe && crowds(&figures).exact(), "{verdict:?}");
        assert!(crowds(&figures).anonymity() >= chain.policy.a());
        let halves = chain.policy.search() == Search::Halves;
        assert_eq!(figures.refinement.is_empty(), !halves);
        for attacked in &figures.refinement {
            let judged = attacked.judged.as_ref().expect("labels of halving");
            assert!(judged.found.max_bound(&judged.release) <= Some(64));
            assert!(
                judged
                    .found
                    .targets
                    .iter()
                    .all(|target| target.lr == target.cra)
            );
        }
        // Without one of them the releases do not match them.
        let mut fewer = people();
        let one = fewer[0].clone();
        let first: Vec<u32> = one.tuple_at(0).collect();
        let [_, rest] = one.divide(|tuple, _| tuple == first);
        fewer[0] = rest;
        assert!(matches!(
            read(fewer),
            Err(UnfitTables::Mismatch { release: 0, .. })
        ));
        let mut missing = people();
        missing.pop();
        assert!(matches!(read(missing), Err(UnfitTables::Increments)));
    });
}

#[test]
fn a_guarantee_that_is_not_blind_checks_crowds_too() {
    let bcf = PolicySettings {
        guarantee: Some(Guarantee::Bcf),
        ..blind(3)
    };
    let (figures, verdict) = audited(&[R1, R2], &bcf);
    assert!(verdict.safe && figures.crowds.is_some(), "{verdict:?}");
}
