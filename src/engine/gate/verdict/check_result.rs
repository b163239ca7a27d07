//! The verdict on a release: every check with its figure, its limit and every reason against the
//! release. Private: figures and reasons of checks that read sensitive values are never published.

use serde::{Deserialize, Serialize};

pub use crate::release::Figure;
use crate::release::FigurePrivacy;
pub(super) use crate::release::{Check, Finding};

/// The whole verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verdict {
    /// All checks, made or not.
    pub checks: Vec<CheckResult>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// Whether it was made. A check that was not made says nothing in favour of a release; that it
    /// should have been made is a reason against it.
    pub made: bool,
    /// Whether its findings may depend on sensitive values: its figures are private then, and a
    /// reason stops the chain.
    pub sensitive: bool,
    /// Whether its figures stay private although they depend on no sensitive value, because they
    /// reveal more than the release.
    pub private: bool,
    /// The figure: the worst of all places.
    pub value: Option<Figure>,
    /// The limit of the policy.
    pub limit: Option<Figure>,
    /// Every reason against the release.
    pub reasons: Vec<Finding>,
}

/// The reason against a key whose promise no check has judged.
pub(super) fn uncovered(check: Check, key: &str) -> Finding {
    let text = format!("`{key}` is set and this version has no check for it");
    Finding::new(check, format!("policy.{key}"), text)
}

impl CheckResult {
    /// A check that passes unless reasons are added.
    pub fn made(check: Check) -> CheckResult {
        let privacy = check.facts().privacy;
        CheckResult {
            check,
            made: true,
            sensitive: privacy == FigurePrivacy::Sensitive,
            private: privacy == FigurePrivacy::Private,
            value: None,
            limit: None,
            reasons: Vec::new(),
        }
    }

    /// A check that is not made for this release.
    pub fn not_made(check: Check) -> CheckResult {
        // It has read nothing.
        CheckResult {
            made: false,
            sensitive: false,
            private: false,
            ..CheckResult::made(check)
        }
    }

    /// The figure, if it may be published.
    pub fn public_value(&self) -> Option<Figure> {
        assert!(
            !(self.sensitive && self.private),
            "a figure is withheld for one reason"
        );
        self.value
            .filter(|_| self.made && !self.sensitive && !self.private)
    }

    /// The same check with a count and its lower limit.
    #[must_use]
    pub fn at_least(self, value: Option<u64>, limit: u64) -> CheckResult {
        CheckResult {
            value: value.map(Figure::Whole),
            limit: Some(Figure::Whole(limit)),
            ..self
        }
    }
}

impl Verdict {
    /// Whether there is no reason against the release, either in a check that was made or because
    /// one should have been.
    pub fn safe(&self) -> bool {
        self.checks.iter().all(|check| check.reasons.is_empty())
    }

    /// Whether a check that may depend on sensitive values has a reason against it. Such a release
    /// is never merged with the next one, even if other checks have reasons against it as well
    /// (SCIENCE 3).
    pub fn stops(&self) -> bool {
        self.checks
            .iter()
            .any(|check| check.sensitive && !check.reasons.is_empty())
    }

    /// Every reason with its check.
    pub fn reasons(&self) -> impl Iterator<Item = (&CheckResult, &Finding)> {
        self.checks
            .iter()
            .flat_map(|check| check.reasons.iter().map(move |reason| (check, reason)))
    }
}
