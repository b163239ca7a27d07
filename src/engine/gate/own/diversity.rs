//! Diversity of what attacks leave (SCIENCE 4, checks that look at sensitive values; BCF 7.2): once, on the one recoding that
//! quasi-identifiers have fixed. What fails here ends the chain, since it is seen that nothing comes.

use super::case::Ready;
use super::crowds;
use super::left::Measured;
use super::verdict::{Checked, Figure, Reason};
use crate::gate::diversity::{Crowd, Diversity, Limited, Measures, Shares};
use crate::policy;

/// Judges the crowds of all people of the chain, a line for each figure that is limited.
pub fn checks(ready: &Ready<'_>) -> Vec<Checked> {
    let asked = ready.case.policy.diversity();
    let Some(asked) = asked.filter(|asked| **asked != policy::Diversity::default()) else {
        return vec![Checked::not_made("diversity")];
    };
    let l = asked.recursive.map(|both| both.l);
    let measures = Measures::new(ready.case.columns, &ready.values, l);
    let shares = match &ready.crowds {
        Some(crowds) => Shares::of_counts(&crowds.growth.sums.by_value(ready.values.len())),
        None => Shares::of(&ready.table, ready.values.len()),
    };
    let Some(found) = left(ready, &measures, &shares) else {
        let text = "the releases cross, or do not show the people of the chain, so nothing shows what attacks leave";
        return vec![Checked {
            reasons: vec![Reason::plain("all releases", text)],
            ..Checked::made("diversity").secret()
        }];
    };
    found.limited(asked).into_iter().map(line).collect()
}

fn line(limited: Limited) -> Checked {
    let Limited { check, value, limit, rule, kept } = limited;
    let (value, limit) = (Figure::real(value), Figure::real(limit));
    let mut found = Checked { value, limit, ..Checked::made(check).secret() };
    if !kept {
        let text = format!("{check} of the worst crowd that attacks leave is not {rule} what the policy wants");
        found.reasons.push(Reason { value, limit, ..Reason::plain("the worst crowd", text) });
    }
    found
}

/// The worst of what is left to attackers of anybody; `None` where that is not known exactly.
fn left(ready: &Ready<'_>, measures: &Measures, shares: &Shares) -> Option<Diversity> {
    if crowds::judges(ready.case.policy) {
        return crowds::diversity(ready, measures, shares);
    }
    let Some(lineage) = ready.whole() else { return Some(measures.of_release(&ready.table, shares)) };
    let of = |crowd: &Crowd| measures.shape(crowd).worse(measures.distances(crowd, shares));
    let all = Measured { none: Diversity::default(), of: &of, both: Diversity::worse };
    all.everybody(ready, &lineage)
}
