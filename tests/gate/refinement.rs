//! Refinement attacks (SCIENCE 6; CRA): known answers, every placement of the rows of small
//! releases enumerated, bounds that hold when the budget is spent, and figures that do not depend
//! on the number of threads.

mod budget;
mod class_reasons;
mod enumerate;
mod joint_attack;
mod known_answers;
mod local;
mod random;
mod truth;

use tidegate::engine::gate::refinement::{
    AttackTarget, AttackTerms, Attacker, CarvedRelease, LayeredColumn, RefinementAttack,
    RefinementBudget, RepeatedValues,
};

/// Everything exact, with marginals.
fn terms(attacker: Attacker, values: RepeatedValues) -> AttackTerms {
    AttackTerms {
        attacker,
        values,
        marginals: true,
        seed: 1,
        budget: RefinementBudget::FULL,
    }
}

fn attack(release: &CarvedRelease, terms: AttackTerms) -> Vec<AttackTarget> {
    RefinementAttack::new(release, terms)
        .expect("an order of formation")
        .targets()
}

/// A column with these numbers of children per node, from the leaves up.
fn column(lengths: &[u64], fans: &[usize]) -> LayeredColumn {
    let mut width = 1;
    let mut layers = Vec::new();
    for fan in [1].iter().chain(fans) {
        width *= fan;
        let starts = (0..lengths.len()).step_by(width);
        layers.push(
            starts
                .map(|start| start..(start + width).min(lengths.len()))
                .collect(),
        );
    }
    LayeredColumn::new(lengths.to_vec(), &layers).expect("a hierarchy")
}
