//! The table of measures (SCIENCE 7): for each new label it shows the number of values, their sum
//! and their mean, as they follow from the people of the label, and no sum that reveals the largest
//! value too precisely. The gate decides which sums do, from the people's own numbers, by the
//! definitions of the rules.
//!
//! Readers who combine several sums learn no more. If rows keep their labels, a label of a release
//! is shown once, in bytes that no later release changes (`parts`), so that sums and differences of
//! published sums are sums over whole atoms; and both rules hold for a union of people if they hold
//! for each part.

mod addends;

use std::collections::BTreeMap;

use super::super::check_result::{Check, CheckResult, Finding, uncovered};
use super::super::comparison::PreparedCase;
use crate::histogram::{Release, SensitiveValues, describe};
use crate::model::{Column, Finite, Leaf, Node, Role, Value};
use addends::{Aggregate, LabelAddends, SumRules, addends};

/// The most places that are named.
const NAMED: usize = 12;

/// Judges the table of measures, if the feed has any.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if !ready.case.columns.has_measures() {
        let settings = ready.case.policy.in_force();
        let safe = settings.dominance_safe == Some(true);
        let wanted = [
            ("dominance", settings.dominance.is_some()),
            ("p_rule", settings.p_rule.is_some()),
            ("dominance_safe", safe),
        ];
        let reasons = wanted
            .into_iter()
            .filter(|(_, wanted)| *wanted)
            .map(|(key, _)| uncovered(Check::Dominance, key));
        return CheckResult {
            reasons: reasons.collect(),
            ..CheckResult::not_made(Check::Dominance)
        };
    }
    let mut found = CheckResult::made(Check::Dominance);
    match &ready.measures {
        Some((shown, values)) => found.reasons = differences(ready, shown, values),
        None => found.reasons.push(Finding::new(
            Check::Dominance,
            "measures",
            "the release has no table of measures that can be read",
        )),
    }
    found.reasons.truncate(NAMED);
    found
}

/// Labels for which the table does not show what it must.
fn differences(
    ready: &PreparedCase<'_>,
    shown: &Release,
    values: &SensitiveValues,
) -> Vec<Finding> {
    let columns = ready.case.columns;
    let measures: Vec<&Column> = columns.of(Role::Measure).collect();
    let mut reasons = Vec::new();
    let Some(mut meant) = meant(ready, &measures) else {
        return vec![Finding::new(
            Check::Dominance,
            "measures",
            "a new person is in no atom, or the numbers of new people are not known",
        )];
    };
    for class in 0..shown.classes() {
        let label = shown.class(class);
        let place = || format!("measures, {}", describe(label, columns));
        let Some(published) = meant.remove(label) else {
            reasons.push(Finding::new(
                Check::Dominance,
                place(),
                "the table of measures shows a label that no new row has",
            ));
            continue;
        };
        if shown.size(class) != 1 {
            reasons.push(Finding::new(
                Check::Dominance,
                place(),
                "the table of measures shows a label more than once",
            ));
            continue;
        }
        let row = values.get(shown.values()[shown.range(class).start]);
        for ((measure, aggregate), cells) in measures.iter().zip(published).zip(row.chunks(3)) {
            if aggregate.sum.is_none() && ready.case.policy.in_force().dominance_safe == Some(true)
            {
                let text = "classes were to be formed so that every sum can be shown, and this one cannot (`dominance_safe`)";
                reasons.push(Finding::new(
                    Check::Dominance,
                    format!("{}, {}", place(), measure.name),
                    text,
                ));
            }
            if cells == cells_of(aggregate, measure.decimals()) {
                continue;
            }
            let gives_away = aggregate.sum.is_none() && cells[1] != Value::Null;
            let text = match gives_away {
                true => "the sum reveals too much about the number of one person",
                false => "this is not what the numbers of its people give",
            };
            reasons.push(Finding::new(
                Check::Dominance,
                format!("{}, {}", place(), measure.name),
                text,
            ));
        }
    }
    let missing = meant
        .keys()
        .map(|label| format!("measures, {}", describe(label, columns)));
    reasons.extend(missing.map(|place| {
        Finding::new(
            Check::Dominance,
            place,
            "the table of measures does not show this label",
        )
    }));
    reasons
}

/// The cells of a row of the table.
fn cells_of(aggregate: Aggregate, decimals: u8) -> [Value; 3] {
    let count = aggregate
        .count
        .map_or(Value::Null, |count| Value::Int(count.cast_signed()));
    let (Some(numbers), Some(units)) = (aggregate.count.filter(|count| *count > 0), aggregate.sum)
    else {
        return [count, Value::Null, Value::Null];
    };
    assert!(
        numbers <= i64::MAX as u64,
        "fewer people than a number of 63 bits"
    );
    let unit = 10f64.powi(decimals.into());
    let mean =
        Finite::new(units as f64 / (numbers as f64 * unit)).map_or(Value::Null, Value::Float);
    [count, Value::Decimal(units), mean]
}

/// The required figures of each new label. `None` if the people of an atom are unknown.
fn meant(
    ready: &PreparedCase<'_>,
    measures: &[&Column],
) -> Option<BTreeMap<Vec<Node>, LabelAddends>> {
    let rules = SumRules::of(ready.case.policy);
    let mut meant: BTreeMap<Vec<Node>, LabelAddends> = BTreeMap::new();
    for newest in ready.case.newest {
        let finder = newest.labels.finder(&ready.trees);
        let label = |leaves: &[Leaf]| Some(finder.class(leaves)?.1.to_vec());
        for (label, numbers) in addends(newest, measures.len(), label)? {
            let published: LabelAddends = numbers
                .iter()
                .map(|numbers| rules.aggregate(numbers))
                .collect();
            match meant.get_mut(&label) {
                None => _ = meant.insert(label, published),
                Some(known) => known
                    .iter_mut()
                    .zip(published)
                    .for_each(|(known, more)| *known = together(*known, more)),
            }
        }
    }
    Some(meant)
}

fn together(one: Aggregate, other: Aggregate) -> Aggregate {
    let both = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
    let sum = one.sum.zip(other.sum).map(|(one, other)| one + other);
    Aggregate {
        count: both(one.count, other.count),
        sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is suppressed for one atom is suppressed for all atoms of its label.
    #[test]
    fn atoms_of_one_label_are_written_together() {
        let published = |count, sum| Aggregate { count, sum };
        let both = |one, other| {
            let Aggregate { count, sum } = together(one, other);
            (count, sum)
        };
        assert_eq!(
            both(published(Some(3), Some(-10)), published(Some(4), Some(25))),
            (Some(7), Some(15))
        );
        assert_eq!(
            both(published(Some(3), None), published(Some(4), Some(25))),
            (Some(7), None)
        );
        assert_eq!(
            both(published(None, None), published(Some(4), Some(25))),
            (None, None)
        );
    }
}
