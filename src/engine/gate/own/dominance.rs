//! The table of measures (SCIENCE 7): it shows of each label that is new how many numbers there are, their sum and their mean, as the
//! people of the label give them, and no sum that gives the largest of them away. Which sums do is decided here from the people's own
//! numbers, by the definitions of the rules.
//!
//! What readers can compute from several sums is no more. A label of a release is shown once, in bytes that no later release changes
//! (`parts`), so that sums and differences of published sums are sums over whole atoms; and both rules hold for people who are put
//! together where they hold for each part.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::asked::uncovered;
use super::case::{Newest, Ready};
use super::verdict::{Checked, Reason};
use crate::histogram::{Release, Values, describe};
use crate::model::{Column, Decimal, Finite, Leaf, Node, Role, Value};
use crate::policy::{Dominance, Policy};

/// Places that are named at most.
const NAMED: usize = 12;

/// Numbers of the people of an atom.
type Numbers = Vec<Vec<i64>>;

/// What a table tells of a label, measure by measure.
type Told = Vec<Aggregate>;

/// What is told of the numbers of some people.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Aggregate {
    /// How many; `None` where it is not said.
    count: Option<u64>,
    /// Their sum; `None` where it is not said.
    sum: Option<i128>,
}

/// Judges the table of measures, where the feed has any.
pub fn check(ready: &Ready<'_>) -> Checked {
    if !ready.case.columns.has_measures() {
        let settings = ready.case.policy.in_force();
        let safe = settings.dominance_safe == Some(true);
        let asked = [
            ("dominance", settings.dominance.is_some()),
            ("p_rule", settings.p_rule.is_some()),
            ("dominance_safe", safe),
        ];
        let reasons = asked.into_iter().filter(|(_, asked)| *asked).map(|(key, _)| uncovered(key));
        return Checked { reasons: reasons.collect(), ..Checked::not_made("dominance") };
    }
    let mut found = Checked::made("dominance").secret();
    match &ready.measures {
        Some((shown, values)) => found.reasons = differences(ready, shown, values),
        None => found.reasons.push(Reason::plain("measures", "the release has no table of measures that can be read")),
    }
    found.reasons.truncate(NAMED);
    found
}

/// Labels of which the table does not show what it has to.
fn differences(ready: &Ready<'_>, shown: &Release, values: &Values) -> Vec<Reason> {
    let columns = ready.case.columns;
    let measures: Vec<&Column> = columns.of(Role::Measure).collect();
    let mut reasons = Vec::new();
    let Some(mut meant) = meant(ready, &measures) else {
        return vec![Reason::plain(
            "measures",
            "a new person is in no atom, or the numbers of new people are not known",
        )];
    };
    for class in 0..shown.classes() {
        let label = shown.class(class);
        let place = || format!("measures, {}", describe(label, columns));
        let Some(told) = meant.remove(label) else {
            reasons.push(Reason::plain(place(), "the table of measures shows a label that no new row has"));
            continue;
        };
        if shown.size(class) != 1 {
            reasons.push(Reason::plain(place(), "the table of measures shows a label more than once"));
            continue;
        }
        let row = values.get(shown.values()[shown.range(class).start]);
        for ((measure, aggregate), cells) in measures.iter().zip(told).zip(row.chunks(3)) {
            if aggregate.sum.is_none() && ready.case.policy.in_force().dominance_safe == Some(true) {
                let text =
                    "classes were to be formed so that every sum can be shown, and this one cannot (`dominance_safe`)";
                reasons.push(Reason::plain(format!("{}, {}", place(), measure.name), text));
            }
            if cells == cells_of(aggregate, measure.decimals()) {
                continue;
            }
            let gives_away = aggregate.sum.is_none() && cells[1] != Value::Null;
            let text = match gives_away {
                true => "the sum gives too much of one person's number away",
                false => "this is not what the numbers of its people give",
            };
            reasons.push(Reason::plain(format!("{}, {}", place(), measure.name), text));
        }
    }
    let missing = meant.keys().map(|label| format!("measures, {}", describe(label, columns)));
    reasons.extend(missing.map(|place| Reason::plain(place, "the table of measures does not show this label")));
    reasons
}

/// The cells of a row of the table.
fn cells_of(aggregate: Aggregate, decimals: u8) -> [Value; 3] {
    let count = aggregate.count.map_or(Value::Null, |count| Value::Int(count.cast_signed()));
    let (Some(numbers), Some(units)) = (aggregate.count.filter(|count| *count > 0), aggregate.sum) else {
        return [count, Value::Null, Value::Null];
    };
    let unit = 10f64.powi(decimals.into());
    let mean = Finite::new(units as f64 / (numbers as f64 * unit)).map_or(Value::Null, Value::Float);
    [count, Value::Decimal(units), mean]
}

/// What has to be told of each label that is new. `None` if the people of an atom are not known.
fn meant(ready: &Ready<'_>, measures: &[&Column]) -> Option<BTreeMap<Vec<Node>, Told>> {
    let mut meant: BTreeMap<Vec<Node>, Told> = BTreeMap::new();
    for newest in ready.case.newest {
        for (label, numbers) in atoms(newest, ready, measures.len())? {
            let told: Told = numbers.into_iter().map(|numbers| aggregate(numbers, ready.case.policy)).collect();
            match meant.get_mut(&label) {
                None => _ = meant.insert(label, told),
                Some(known) => known.iter_mut().zip(told).for_each(|(known, more)| *known = together(*known, more)),
            }
        }
    }
    Some(meant)
}

/// The numbers of the people of each atom of an increment.
fn atoms(newest: &Newest<'_>, ready: &Ready<'_>, measures: usize) -> Option<BTreeMap<Vec<Node>, Numbers>> {
    let rows = newest.numbers?;
    if rows.measures().len() != measures || rows.len() as u64 != newest.rows.rows() {
        return None;
    }
    let finder = newest.carving.map(|carving| carving.finder(&ready.trees));
    let mut atoms: BTreeMap<Vec<Node>, Numbers> = BTreeMap::new();
    for row in 0..rows.len() {
        let leaves: Vec<Leaf> = rows.tuple_at(row).collect();
        let label = match &finder {
            Some(finder) => finder.class(&leaves)?.1.to_vec(),
            None => ready.case.recoding.iter().zip(&leaves).map(|(cut, &leaf)| cut.at(leaf)).collect(),
        };
        let numbers = atoms.entry(label).or_insert_with(|| vec![Vec::new(); measures]);
        numbers.iter_mut().zip(rows.measures()).for_each(|(numbers, column)| numbers.extend(column[row]));
    }
    Some(atoms)
}

fn together(one: Aggregate, other: Aggregate) -> Aggregate {
    let both = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
    let sum = one.sum.zip(other.sum).map(|(one, other)| one + other);
    Aggregate { count: both(one.count, other.count), sum }
}

/// What may be told of the numbers of the people of an atom.
fn aggregate(mut numbers: Vec<i64>, policy: &Policy) -> Aggregate {
    let count = numbers.len() as u64;
    if count > 0 && count < policy.k() {
        return Aggregate { count: None, sum: None };
    }
    numbers.sort_unstable_by_key(|number| std::cmp::Reverse(number.unsigned_abs()));
    let settings = policy.in_force();
    let dominated = settings.dominance.is_some_and(|rule| is_dominated(&numbers, rule));
    let hidden = dominated || settings.p_rule.is_some_and(|share| is_close(&numbers, share));
    let sum = (!hidden).then(|| numbers.iter().map(|&number| i128::from(number)).sum());
    Aggregate { count: Some(count), sum }
}

fn all(numbers: &[i64]) -> BigUint {
    numbers.iter().map(|number| BigUint::from(number.unsigned_abs())).sum()
}

/// Whether the n largest are more than the share r of all.
fn is_dominated(numbers: &[i64], Dominance { n, share }: Dominance) -> bool {
    let largest = numbers.len().min(usize::try_from(n).unwrap_or(usize::MAX));
    all(&numbers[..largest]) * unit(share) > all(numbers) * share.digits()
}

/// Whether all but the two largest are less than the share p of the largest.
fn is_close(numbers: &[i64], share: Decimal) -> bool {
    let rest = numbers.get(2..).unwrap_or_default();
    all(rest) * unit(share) < all(&numbers[..numbers.len().min(1)]) * share.digits()
}

fn unit(share: Decimal) -> BigUint {
    BigUint::from(10u8).pow(share.scale().into())
}
