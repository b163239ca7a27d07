//! Refinement attacks (SCIENCE 6, gate): where classes have labels of their own, the order in which they were formed tells
//! where their rows can be. Attacked is what was read from the bytes, by whoever knows that order. All of it follows from
//! quasi-identifiers, so that what is found tells nothing of sensitive values.

use super::case::Ready;
use super::crowds;
use super::verdict::{Checked, Figure, Reason};
use crate::gate::refinement::{Against, Together, judge};

/// Reasons that are given at most.
const NAMED: usize = 12;

/// Judges every class.
pub fn check(ready: &Ready<'_>) -> Checked {
    if crowds::judges(ready.case.policy) {
        return crowds::refinement(ready);
    }
    let (Some(carving), Some(limit)) = (ready.case.carving, ready.case.policy.refinement().max_ratio) else {
        return Checked::not_made("refinement");
    };
    let limit = Figure::real(limit.get());
    let mut found = Checked { limit, ..Checked::made("refinement") };
    let classes = carving.classes().iter().map(|class| (class.as_slice(), ready.table.size_of(class)));
    match judge(ready.case.columns, classes, ready.case.policy, (ready.case.release.into(), Together::IfLimited)) {
        Err(text) => found.reasons.push(Reason::plain("data", text)),
        Ok(judged) => {
            found.value = judged.found.max_log10_ratio().and_then(|log10| Figure::real(10f64.powf(log10)));
            let figure = |figure: Option<f64>| figure.and_then(Figure::real);
            let reason = |against: &Against| Reason {
                place: against.place.map_or_else(|| "all classes".to_owned(), |_| "a class".to_owned()),
                value: figure(against.found),
                limit: figure(against.limit),
                text: against.text.clone(),
            };
            found.reasons = judged.found.against.iter().map(reason).take(NAMED).collect();
        }
    }
    found
}
