//! The risk of re-identification in each release (SCIENCE 12), as its own table tells it. What the comparison of releases adds is judged
//! elsewhere.
//!
//! A class is the smallest set of rows that the attacker can be sure of: rows of one label; in a chain whose rows keep their labels,
//! rows of one label that came with one release. More rows may fit the person, so figures are never too small.

use super::growth::RowChanges;
use super::tables::AuditSubject;
use crate::histogram::Release;
use crate::policy::{Output, Policy};
use crate::risk::{RiskFigures, Sizes};

/// The risk in a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Risk {
    /// With its labels.
    pub after: RiskFigures,
    /// With the leaves of the raw rows behind it; `None` where these were not given.
    pub before: Option<RiskFigures>,
}

/// Of each release, drawn from a population of this size, if it is known. `None` where rows did not stay as they were published, so
/// that nothing shows which came together; where there are more rows than people; and of releases in two tables, which show the leaves.
pub fn risks(subject: &AuditSubject, policy: &Policy, population: Option<u64>) -> Vec<Option<Risk>> {
    if policy.output() == Output::TwoTable {
        return vec![None; subject.releases.len()];
    }
    let classes = match &subject.growth {
        None => subject.releases.iter().map(sizes).collect(),
        Some(growth) => together(growth),
    };
    assert!(classes.len() == subject.releases.len(), "sizes of each release");
    assert!(subject.behind.as_ref().is_none_or(|behind| behind.len() == classes.len()), "the rows behind each release");
    let risk = |(at, (sizes, release)): (usize, (Sizes, &Release))| {
        let after = RiskFigures::of(&sizes, population).filter(|_| sizes.rows() == release.rows())?;
        let before = subject.behind.as_ref().and_then(|behind| RiskFigures::of(&behind[at], population));
        Some(Risk { after, before })
    };
    classes.into_iter().zip(&subject.releases).enumerate().map(risk).collect()
}

fn sizes(release: &Release) -> Sizes {
    assert!(release.rows() > 0 || release.classes() == 0, "each class has rows");
    (0..release.classes()).map(|class| (release.size(class), 1)).collect()
}

/// Per release the sizes of the rows of one label that came together, but for those that a notice says are gone.
fn together(growth: &RowChanges) -> Vec<Sizes> {
    let (mut added, mut all, mut found) = (Vec::<Release>::new(), Sizes::default(), Vec::new());
    for (at, new) in growth.new.iter().enumerate() {
        for left_out in growth.erased.get(at).into_iter().flatten() {
            let Some(of) = added.get_mut(left_out.came) else { continue };
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
