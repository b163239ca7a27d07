//! What a policy is once it is built (CONTRACTS 1). Every contradiction has a case in `tests/feeds`.

use super::{Chain, ChainKind, Cuts, Decimal, DiversitySettings, Facts, Guarantee, Policy, Rare, Settings, Standing};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).expect("a decimal")
}

#[test]
fn defaults_are_filled_in() {
    let policy =
        Policy::new(&Settings { k: Some(10), ..Settings::default() }, ChainKind::Cumulative, &Facts::default());
    let policy = policy.expect("k alone is a policy");
    let standing = Standing { rare: Rare::Wait, max_wait: 8, max_withheld: decimal("0.02") };
    assert_eq!(policy.chain(), &Chain::Blind(standing));
    let shown = policy.in_force();
    assert_eq!((shown.guarantee, shown.max_wait), (Some(Guarantee::Blind), Some(8)));
    assert_eq!(
        (shown.max_ratio, shown.m, shown.cuts),
        (None, None, None),
        "what is off or does not apply is not shown"
    );
    assert_eq!(
        Policy::new(shown, ChainKind::Cumulative, &Facts::default()),
        Ok(policy),
        "what is in force says itself"
    );
}

#[test]
fn disjoint_chains_have_no_guarantee() {
    let policy = Policy::new(&Settings { k: Some(2), ..Settings::default() }, ChainKind::Disjoint, &Facts::default());
    let policy = policy.expect("k alone is a policy");
    assert_eq!((policy.guarantee(), policy.standing(), policy.kind()), (None, None, ChainKind::Disjoint));
    assert_eq!(policy.in_force().suppression, Some(Decimal::ZERO));
}

#[test]
fn coarsening_at_once_is_waiting_for_nothing() {
    let written = Settings { k: Some(2), rare: Some(Rare::Coarsen), ..Settings::default() };
    let policy = Policy::new(&written, ChainKind::Cumulative, &Facts::default()).expect("a policy");
    let standing = policy.standing().expect("blind");
    assert_eq!((standing.max_wait, standing.max_withheld), (0, Decimal::ZERO));
}

#[test]
fn the_tested_guarantee_carries_its_coin() {
    let written = Settings {
        k: Some(2),
        guarantee: Some(Guarantee::Chain),
        rho: Some(decimal("0.5")),
        max_odds: Some(Decimal::from(2)),
        ..Settings::default()
    };
    let policy = Policy::new(&written, ChainKind::Cumulative, &Facts::default()).expect("a policy");
    assert!(matches!(policy.chain(), Chain::Tested { cuts: Cuts::Nested, .. }));
    let capped = Settings { max_odds: Some(decimal("1.9")), ..written };
    let error = Policy::new(&capped, ChainKind::Cumulative, &Facts::default()).expect_err("one test is one too many");
    assert_eq!(error.key, "policy.max_odds");
}

#[test]
fn a_base_rate_of_exactly_one_in_2m_is_allowed() {
    let facts = Facts { guarded_sets: 1, sensitive: 1, ..Facts::default() };
    let with = |rate: &str| Settings { k: Some(2), m: Some(2), base_rate: Some(decimal(rate)), ..Settings::default() };
    assert!(Policy::new(&with("0.25"), ChainKind::Cumulative, &facts).is_ok());
    let error =
        Policy::new(&with("0.250000000000000001"), ChainKind::Cumulative, &facts).expect_err("more than 1/(2m)");
    assert_eq!(error.key, "policy.base_rate");
}

#[test]
fn atoms_are_large_enough_for_masking() {
    let facts = Facts { guarded_sets: 1, sensitive: 1, ..Facts::default() };
    let a = |k, m| {
        let written = Settings { k: Some(k), m, ..Settings::default() };
        Policy::new(&written, ChainKind::Cumulative, &facts).expect("a policy").a()
    };
    assert_eq!([a(3, None), a(3, Some(2)), a(10, Some(2)), a(10, Some(3))], [3, 8, 10, 12]);
}

#[test]
fn diversity_comes_in_pairs() {
    let table = DiversitySettings { c: Some(Decimal::from(3)), ..DiversitySettings::default() };
    let written = Settings { k: Some(2), diversity: Some(table), ..Settings::default() };
    let facts = Facts { sensitive: 1, ..Facts::default() };
    assert_eq!(Policy::new(&written, ChainKind::Cumulative, &facts).expect_err("c alone").key, "policy.diversity.c");
}
