//! The risk of re-identification in each release (SCIENCE 12), from its own table. Comparison of
//! releases is judged elsewhere.
//!
//! A class is the smallest set of rows of which the attacker can be certain: the rows of one label;
//! in a chain whose rows keep their labels, the rows of one label in one increment. More rows may
//! fit the person, so that figures are never too low.

use super::growth::RowChanges;
use super::tables::AuditSubject;
use crate::histogram::Release;
use crate::policy::{Output, Policy};
use crate::risk::{RiskFigures, Sizes};

/// The risk in a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Risk {
    /// After generalisation.
    pub after: RiskFigures,
    /// Before generalisation, from the leaves of the raw rows; `None` if these were not given.
    pub before: Option<RiskFigures>,
}

/// The risk in each release, as a sample of a population of this size if that is known. `None` if
/// rows did not stay as they were published, so that increments cannot be recognised; if there are
/// more rows than people; and for releases in two tables, which show the leaves.
pub fn risks(
    subject: &AuditSubject,
    policy: &Policy,
    population: Option<u64>,
) -> Vec<Option<Risk>> {
    if policy.output() == Output::TwoTable {
        return vec![None; subject.releases.len()];
    }
    let classes = match &subject.growth {
        None => subject.releases.iter().map(sizes).collect(),
        Some(growth) => together(growth),
    };
    assert!(
        classes.len() == subject.releases.len(),
        "sizes of each release"
    );
    assert!(
        subject
            .behind
            .as_ref()
            .is_none_or(|behind| behind.len() == classes.len()),
        "the rows behind each release"
    );
    let risk = |(at, (sizes, release)): (usize, (Sizes, &Release))| {
        let after =
            RiskFigures::of(&sizes, population).filter(|_| sizes.rows() == release.rows())?;
        let before = subject
            .behind
            .as_ref()
            .and_then(|behind| RiskFigures::of(&behind[at], population));
        Some(Risk { after, before })
    };
    classes
        .into_iter()
        .zip(&subject.releases)
        .enumerate()
        .map(risk)
        .collect()
}

fn sizes(release: &Release) -> Sizes {
    assert!(
        release.rows() > 0 || release.classes() == 0,
        "each class has rows"
    );
    (0..release.classes())
        .map(|class| (release.size(class), 1))
        .collect()
}

/// For each release the sizes of the sets of rows of one label and increment, without rows that a
/// notice says are removed.
fn together(growth: &RowChanges) -> Vec<Sizes> {
    let (mut added, mut all, mut found) = (Vec::<Release>::new(), Sizes::default(), Vec::new());
    for (at, new) in growth.new.iter().enumerate() {
        for left_out in growth.erased.get(at).into_iter().flatten() {
            let Some(of) = added.get_mut(left_out.came) else {
                continue;
            };
            let rest = of.beyond(&left_out.rows);
            for class in 0..left_out.rows.classes() {
                let label = left_out.rows.class(class);
                all.replace(of.size_of(label), rest.size_of(label));
            }
            *of = rest;
        }
        all.extend(sizes(new).iter());
        added.push(new.clone());
        found.push(all.clone());
    }
    found
}
