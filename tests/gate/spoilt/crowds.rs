//! A chain whose classes keep their labels: limits on sensitive values apply to the new rows, label
//! by label.

use tidegate::engine::model::{Columns, Leaf, Role, Value};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts, DiversitySettings, Policy, PolicySettings, Search,
};

use super::measures::columns;
use crate::common::chain::{Chain, Human};
use crate::common::random::Draw;

/// Sixty people with a different diagnosis each, or all with the same one.
#[test]
fn people_with_one_diagnosis_are_not_diverse() {
    let diversity = DiversitySettings {
        distinct_l: Some(2),
        ..DiversitySettings::default()
    };
    let settings = PolicySettings {
        k: Some(3),
        search: Some(Search::Halves),
        publish_every: Some(1),
        min_solutions: Some(1),
        diversity: Some(diversity),
        ..PolicySettings::default()
    };
    let facts = ColumnFacts {
        sensitive: 1,
        ..ColumnFacts::default()
    };
    let columns = Columns::new(
        columns()
            .iter()
            .filter(|column| column.role != Role::Measure)
            .cloned()
            .collect(),
    );
    for (diverse, text) in [(true, ""), (false, "distinct_l")] {
        let policy =
            Policy::new(&settings, ChainKind::Cumulative, &facts).expect("no contradiction");
        let (mut chain, mut draw) = (Chain::new(columns.clone(), policy), Draw::new(11, 4));
        let humans: Vec<Human> = (0..60u128)
            .map(|number| {
                let leaves: Vec<Leaf> = (0..2).map(|_| draw.between(0, 7) as Leaf).collect();
                let diagnosis = format!("v{}", if diverse { number } else { 0 });
                Human {
                    number,
                    leaves,
                    values: vec![Value::Text(diagnosis.into())],
                }
            })
            .collect();
        let candidate = chain.proposed(&humans);
        let judged = chain.offer(&candidate).judged();
        assert_eq!(judged.verdict().safe(), diverse, "{:?}", judged.verdict());
        let refused: Vec<&str> = judged
            .verdict()
            .reasons()
            .map(|(found, _)| found.check.name())
            .collect();
        assert!(text.is_empty() || refused.contains(&text), "{refused:?}");
    }
}
