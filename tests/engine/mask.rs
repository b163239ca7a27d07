//! MASK (SCIENCE 5; MIN 6): known answers, the changes of rows, and attackers who know everything
//! except values and draws.

mod attackers;
mod branches;
mod chains;
mod rows;

use crate::common::chain;

use crate::common::golden;
use serde_json::Value as Json;
use tidegate::engine::safeguards::mask::{AtomShare, AtomShares, Draws};

/// Recorded draws.
struct Written<'w>(&'w [u64]);

impl Draws for Written<'_> {
    fn below(&mut self, n: u64) -> u64 {
        let (first, rest) = self.0.split_first().expect("it draws no more than that");
        self.0 = rest;
        assert!(*first < n);
        *first
    }
}

/// V, L, the number that is missing, and the counts that follow from each draw.
#[test]
fn shares_are_those_that_are_known() {
    let mut seen = 0;
    for case in golden("mask.json")["cases"].as_array().expect("cases") {
        let number = |json: &Json| json.as_u64().expect("a number");
        let all = case["classes"].as_object().expect("classes");
        let class = |at: usize| &all[&at.to_string()];
        let crowds: Vec<AtomShare> = (0..all.len())
            .map(|at| AtomShare {
                people: number(&class(at)[0]),
                guarded: number(&class(at)[1]),
            })
            .collect();
        let shares = AtomShares::of(&crowds, number(&case["l"]));
        let places = |key: &str| -> Vec<usize> {
            case[key]
                .as_array()
                .expect("a list")
                .iter()
                .map(|at| number(at) as usize)
                .collect()
        };
        assert_eq!(
            (&shares.violating, &shares.givers),
            (&places("V"), &places("L"))
        );
        assert_eq!(shares.short, number(&case["short"]));
        for target in case["targets"].as_array().expect("targets") {
            let (at, giver) = (number(&target[0]) as usize, number(&target[1]) as usize);
            let of = crowds[giver].people;
            // The largest draw that is not above the recorded one.
            let coin = (target[3].as_f64().expect("a coin") * of as f64).floor() as u64;
            let place = shares
                .givers
                .iter()
                .position(|one| *one == giver)
                .expect("it gives") as u64;
            let mut alone = shares.clone();
            alone.violating = vec![at];
            let found = alone.targets(&crowds, &mut Written(&[place, coin]));
            assert_eq!(found, [(at, number(&target[4]))], "{case} {target}");
            seen += 1;
        }
        if shares.short > 0 && !shares.violating.is_empty() {
            let at = shares.violating[0];
            let mut alone = shares.clone();
            alone.violating = vec![at];
            let found = alone.targets(&crowds, &mut Written(&[shares.givers.len() as u64]));
            assert_eq!(found, [(at, crowds[at].people / number(&case["l"]))]);
        }
    }
    assert!(seen > 1_000, "{seen} targets");
}
