//! The leakage of masking about guarded values (SCIENCE 5, minimality check of the gate): for every
//! atom, no attacker who knows the method may have a belief above 1/m, no atom may show more of a
//! guarded set than allowed, and its published values must be those of its people, except for
//! guarded values that had to be changed.

use std::collections::BTreeMap;

use super::super::check_result::{Check, CheckResult, Figure, Finding};
use super::super::comparison::PreparedCase;
use super::super::next_release::NewIncrement;
use crate::histogram::{Histogram, SensitiveValues, ValueCode};
use crate::minimality::{Credibility, masked};
use crate::model::{Leaf, Node};
use crate::policy::{Guarantee, Masking};

/// The most places that are named.
const NAMED: usize = 12;

/// The rows of an atom by value, before masking and as published.
type Counts = BTreeMap<ValueCode, [u64; 2]>;

/// Judges the new atoms; earlier ones were judged when they came.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    let Some(masking) = ready
        .case
        .policy
        .masking()
        .filter(|_| ready.case.policy.guarantee() != Some(Guarantee::Bcf))
    else {
        return CheckResult::not_made(Check::Minimality);
    };
    let mut found = Found {
        masking,
        worst: None,
        reasons: Vec::new(),
    };
    for newest in ready.case.newest {
        match newest.raw {
            Some(raw) => found.increment(ready, newest, raw),
            None => found.reasons.push(Finding::new(
                Check::Minimality,
                "data",
                "the values of an increment were not masked",
            )),
        }
    }
    found.reasons.truncate(NAMED);
    let value = found.worst.and_then(|worst| Figure::real(worst.value()));
    let limit = Figure::real(1.0 / masking.m as f64);
    CheckResult {
        value,
        limit,
        reasons: found.reasons,
        ..CheckResult::made(Check::Minimality)
    }
}

struct Found {
    masking: Masking,
    worst: Option<Credibility>,
    reasons: Vec<Finding>,
}

impl Found {
    fn increment(&mut self, ready: &PreparedCase<'_>, newest: &NewIncrement<'_>, raw: &Histogram) {
        let (values, maps) = SensitiveValues::union(&[raw.values(), newest.rows.values()]);
        let sets = values.guarded(ready.case.columns);
        let sides = [raw, newest.rows]
            .into_iter()
            .zip(&maps)
            .map(|(rows, map)| rows.clone().with_values(&values, map));
        let finder = newest.labels.finder(&ready.trees);
        // By atom; and by leaf tuple and arrival, which masking does not change.
        let (mut atoms, mut cells) = (BTreeMap::<Vec<Node>, Counts>::new(), BTreeMap::new());
        for (side, rows) in sides.enumerate() {
            for tuple in 0..rows.tuples() {
                let leaves: Vec<Leaf> = rows.tuple_at(tuple).collect();
                let atom: Vec<Node> = finder
                    .class(&leaves)
                    .map_or(Vec::new(), |(_, class)| class.to_vec());
                let counts = atoms.entry(atom).or_default();
                for cell in rows.cells_of(tuple) {
                    counts.entry(cell.value).or_default()[side] += u64::from(cell.count);
                    let cell_of: &mut Counts =
                        cells.entry((leaves.clone(), cell.increment)).or_default();
                    cell_of.entry(cell.value).or_default()[side] += u64::from(cell.count);
                }
            }
        }
        atoms.values().for_each(|counts| self.atom(counts, &sets));
        let guarded = |value: ValueCode| sets.iter().any(|set| set[value as usize]);
        let moved = |(value, [had, shows]): (&ValueCode, &[u64; 2])| match guarded(*value) {
            true => shows > had,
            false => shows < had,
        };
        let sound =
            |counts: &Counts| sums(counts)[0] == sums(counts)[1] && !counts.iter().any(moved);
        if !cells.values().all(sound) {
            let text = "what is published of people is not what they have, and not a guarded value that was changed";
            self.reasons
                .push(Finding::new(Check::Minimality, "data", text));
        }
    }

    /// Judges a belief.
    fn believed(&mut self, place: &str, figure: Option<Credibility>) {
        if !figure
            .as_ref()
            .is_some_and(|figure| figure.is_at_most_one_in(self.masking.m))
        {
            let text = "an attacker who knows how values are masked may link a person to a guarded one with a probability \
                above 1/m";
            self.reasons
                .push(Finding::new(Check::Minimality, place, text));
        }
        self.worst = [self.worst.take(), figure]
            .into_iter()
            .flatten()
            .max_by(Credibility::compare);
    }

    /// Judges one atom. The reason does not say which: verdicts are stored unencrypted and outlast
    /// the rows.
    fn atom(&mut self, counts: &Counts, sets: &[Vec<bool>]) {
        let l = self.masking.l();
        let people = sums(counts)[0];
        self.believed(
            "an atom",
            self.masking.rate().map(|rate| masked(people, l, rate)),
        );
        let held = |set: &Vec<bool>, side: usize| -> u64 {
            counts
                .iter()
                .filter(|(value, _)| set[**value as usize])
                .map(|(_, rows)| rows[side])
                .sum()
        };
        if sets.iter().any(|set| held(set, 1) * l > people) {
            let text = format!("more than one in {l} of its people show a value of a guarded set");
            self.reasons
                .push(Finding::new(Check::Minimality, "an atom", text));
        }
        let fine = !sets.iter().any(|set| held(set, 0) * l > people);
        if fine && counts.values().any(|[had, shows]| had != shows) {
            self.reasons.push(Finding::new(
                Check::Minimality,
                "an atom",
                "its values were changed, and none of them had to be",
            ));
        }
    }
}

fn sums(counts: &Counts) -> [u64; 2] {
    counts.values().fold([0, 0], |[had, shows], rows| {
        [had + rows[0], shows + rows[1]]
    })
}
