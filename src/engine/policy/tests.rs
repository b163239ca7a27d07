//! What a policy is once it is built (CONTRACTS 1). Every contradiction has a case in
//! `tests/feeds`.

use super::{
    ChainKind, ColumnFacts, Decimal, DiversitySettings, Guarantee, Policy, PolicySettings,
};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).expect("a decimal")
}

#[test]
fn defaults_are_filled_in() {
    let policy = Policy::new(
        &PolicySettings {
            k: Some(10),
            ..PolicySettings::default()
        },
        ChainKind::Cumulative,
        &ColumnFacts::default(),
    );
    let policy = policy.expect("k alone is a policy");
    assert!(policy.keeps_labels() && policy.has_standing_recoding());
    assert_eq!(policy.publish_every(), 1);
    let shown = policy.in_force();
    assert_eq!(
        (shown.guarantee, shown.publish_every),
        (Some(Guarantee::Blind), None)
    );
    assert_eq!(
        (shown.max_ratio, shown.m),
        (None, None),
        "what is off or does not apply is not shown"
    );
    assert_eq!(
        Policy::new(shown, ChainKind::Cumulative, &ColumnFacts::default()),
        Ok(policy),
        "what is in force says itself"
    );
}

#[test]
fn disjoint_chains_have_no_guarantee() {
    let policy = Policy::new(
        &PolicySettings {
            k: Some(2),
            ..PolicySettings::default()
        },
        ChainKind::Disjoint,
        &ColumnFacts::default(),
    );
    let policy = policy.expect("k alone is a policy");
    assert_eq!(
        (policy.guarantee(), policy.has_atoms(), policy.kind()),
        (None, false, ChainKind::Disjoint)
    );
    assert_eq!(policy.in_force().suppression, Some(Decimal::ZERO));
}

#[test]
fn a_base_rate_of_exactly_one_in_2m_is_allowed() {
    let facts = ColumnFacts {
        guarded_sets: 1,
        sensitive: 1,
        ..ColumnFacts::default()
    };
    let with = |rate: &str| PolicySettings {
        k: Some(2),
        m: Some(2),
        base_rate: Some(decimal(rate)),
        ..PolicySettings::default()
    };
    assert!(Policy::new(&with("0.25"), ChainKind::Cumulative, &facts).is_ok());
    let error = Policy::new(&with("0.250000000000000001"), ChainKind::Cumulative, &facts)
        .expect_err("more than 1/(2m)");
    assert_eq!(error.key, "policy.base_rate");
}

#[test]
fn atoms_are_large_enough_for_masking() {
    let facts = ColumnFacts {
        guarded_sets: 1,
        sensitive: 1,
        ..ColumnFacts::default()
    };
    let a = |k, m| {
        let written = PolicySettings {
            k: Some(k),
            m,
            ..PolicySettings::default()
        };
        Policy::new(&written, ChainKind::Cumulative, &facts)
            .expect("a policy")
            .a()
    };
    assert_eq!(
        [a(3, None), a(3, Some(2)), a(10, Some(2)), a(10, Some(3))],
        [3, 8, 10, 12]
    );
}

#[test]
fn diversity_comes_in_pairs() {
    let table = DiversitySettings {
        c: Some(Decimal::from(3)),
        ..DiversitySettings::default()
    };
    let written = PolicySettings {
        k: Some(2),
        diversity: Some(table),
        ..PolicySettings::default()
    };
    let facts = ColumnFacts {
        sensitive: 1,
        ..ColumnFacts::default()
    };
    assert_eq!(
        Policy::new(&written, ChainKind::Cumulative, &facts)
            .expect_err("c alone")
            .key,
        "policy.diversity.c"
    );
}
