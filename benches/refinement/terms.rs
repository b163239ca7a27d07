//! The attacker of the tables, and how its time is measured.

use std::time::Instant;

use tidegate::engine::gate::refinement::{AttackTerms, Attacker, RefinementBudget, RepeatedValues};

/// The paper's attacker and its way of counting, exactly.
pub const TERMS: AttackTerms = AttackTerms {
    attacker: Attacker::Paper,
    values: RepeatedValues::Distinct,
    marginals: false,
    seed: 1,
    budget: RefinementBudget::FULL,
};

/// The result of a call, and the median time of this many calls.
pub fn timed<T>(times: usize, call: impl Fn() -> T) -> (T, f64) {
    let once = || {
        let start = Instant::now();
        let found = std::hint::black_box(call());
        (found, start.elapsed().as_secs_f64())
    };
    let (found, first) = once();
    let mut taken: Vec<f64> = (1..times).map(|_| once().1).chain([first]).collect();
    taken.sort_by(f64::total_cmp);
    (found, taken[times / 2])
}
