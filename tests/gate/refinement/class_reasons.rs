//! Reasons about classes that an attack finds: by their labels, and in the kept form without a
//! count.

use std::sync::Arc;

use tidegate::engine::gate::refinement::{
    Attacker, JointAttack, RefinementVerdict, attacked, judge,
};
use tidegate::engine::model::{
    Column, Columns, DetailSettings, Domain, Kind, LeafRule, Node, Role, Tree,
};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings, Search};

/// Two columns of two nodes with two leaves each, and a diagnosis.
fn columns() -> Columns {
    let domain = |name: &str| {
        let mut tree = Tree::new("*");
        for half in 0..2 {
            let at = tree.add(0, &format!("{name}{half}"), 1);
            (0..2).for_each(|leaf| _ = tree.add(at, &format!("{name}{half}{leaf}"), 1));
        }
        Domain {
            tree: tree.finish().expect("a tree"),
            rule: LeafRule::Label,
        }
        .with_runs()
        .expect("small")
    };
    let column = |name: &str, role, tree: Option<&str>| Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind: Kind::String,
        taxonomy: tree.map(|tree| Arc::new(domain(tree))),
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    };
    Columns::new(vec![
        column("one", Role::Quasi, Some("a")),
        column("two", Role::Quasi, Some("b")),
        column("diagnosis", Role::Sensitive, None),
    ])
}

fn policy(search: Search) -> Policy {
    let settings = PolicySettings {
        k: Some(3),
        search: Some(search),
        min_solutions: Some(1),
        ..PolicySettings::default()
    };
    let facts = ColumnFacts {
        sensitive: 1,
        ..ColumnFacts::default()
    };
    Policy::new(&settings, ChainKind::Disjoint, &facts).expect("no contradiction")
}

/// Four people of a node with two leaves are two in each, and three of one leaf are no fewer: the
/// kept reason names the first class, and no number of people.
#[test]
fn a_small_class_is_named_by_its_own_label() {
    let (columns, policy) = (columns(), policy(Search::ArxLr));
    let trees = columns.trees();
    let node = |column: usize, label: &str| -> Node { trees[column].find(label).expect("a label") };
    let leaves = [node(0, "a10"), node(1, "b10")];
    let small = [node(0, "a0"), node(1, "b00")];
    let classes = [(&leaves[..], 3), (&small[..], 4)];
    let texts = |verdict: &RefinementVerdict| -> Vec<String> {
        verdict
            .found
            .against
            .iter()
            .filter(|against| against.small)
            .map(|against| against.finding.text.clone())
            .collect()
    };
    let counted = attacked(
        &columns,
        classes,
        (&policy, Attacker::Strongest),
        (1, JointAttack::Not),
    )
    .expect("classes");
    let kept = judge(&columns, classes, &policy, (1, JointAttack::Not)).expect("classes");
    let small = texts(&counted).len();
    assert!(small > 0 && counted.found.crowds().is_none_or(|crowds| crowds == 2));
    assert!(
        texts(&counted)
            .iter()
            .all(|text| text.contains("a0") && text.contains("2 rows")),
        "{:?}",
        texts(&counted)
    );
    for text in texts(&kept) {
        assert!(
            text.contains("one = a0")
                && text.ends_with(": a class of fewer than k = 3 in a part of it is certain"),
            "{text}"
        );
        assert!(!text.contains("a10") && !text.contains("2 rows"), "{text}");
    }
    assert_eq!(texts(&kept).len(), small);
    // Both leaves; no other class is found in all classes together.
    let all = attacked(
        &columns,
        classes,
        (&policy, Attacker::Strongest),
        (1, JointAttack::Yes),
    )
    .expect("classes");
    assert_eq!(all.found.crowds(), Some(2));
    // A class that is too small for a group is named before anything is attacked.
    let few = [(&leaves[..], 2)];
    let why = judge(
        &columns,
        few,
        &self::policy(Search::Mondrian),
        (1, JointAttack::Not),
    )
    .expect_err("two people");
    assert!(
        why.contains("one = a10") && why.ends_with("a class of fewer than k = 3"),
        "{why}"
    );
}
