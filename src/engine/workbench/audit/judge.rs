//! The verdict on an audit's figures (CONTRACTS 3): `safe` requires that at least one *sound*
//! figure of the chain reaches k. An upper bound can show that a chain is unsafe, never that it is
//! safe; if neither is shown, the verdict is open, and open is not safe.

use super::{
    AuditFigures, ChainFigures, GuardedTie, KnownFigures, RealisedFigures, Requirement, TieFigure,
    WeakestTarget,
};
use crate::gate::certainty::FactExtent;
use crate::gate::diversity::{LimitedFigure, ROUNDING};
use crate::gate::minimality::Credibility;
use crate::gate::verdict::against;
use crate::histogram::{Release, describe};
use crate::model::Columns;
use crate::policy::{Decimal, Policy};

/// The verdict of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditVerdict {
    /// No check fails, and everything that is required was shown.
    pub safe: bool,
    /// Whether the anonymity of the chain could be decided.
    pub decided: bool,
    /// Every reason against.
    pub reasons: Vec<FailedCheck>,
}

/// One failed check.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedCheck {
    /// The check.
    pub check: &'static str,
    /// The release, counted from 0; `None` if the reason is about the chain.
    pub release: Option<usize>,
    /// The figure.
    pub value: f64,
    /// The limit that the figure breaks.
    pub limit: f64,
    /// The reason in words.
    pub text: String,
}

/// Judges figures; `names` are the names of the releases in texts.
pub fn judge(
    figures: &AuditFigures,
    policy: &Policy,
    releases: &[Release],
    columns: &Columns,
    names: &[String],
) -> AuditVerdict {
    assert_eq!(names.len(), releases.len(), "a name for each release");
    let limits = FigureLimits {
        policy,
        releases,
        columns,
        names,
        other_method: figures.minimality.is_some(),
    };
    let mut reasons = Vec::new();
    let decided = match &figures.crowds {
        Some(crowds) => limits.growth(crowds, &mut reasons),
        None => {
            limits.classes(figures, &mut reasons);
            figures
                .chain
                .as_ref()
                .is_none_or(|chain| limits.chain(chain, &mut reasons))
        }
    };
    limits.diversity(figures, &mut reasons);
    limits.loss(figures, &mut reasons);
    limits.minimality(figures, &mut reasons);
    limits.refinement(figures, &mut reasons);
    limits.coarse(figures, &mut reasons);
    assert!(
        reasons
            .iter()
            .all(|reason| reason.release.is_none_or(|at| at < releases.len())),
        "reasons name releases"
    );
    AuditVerdict {
        safe: decided && reasons.is_empty(),
        decided,
        reasons,
    }
}

/// The policy by which figures are judged, and the names that reasons give to releases and columns.
pub(super) struct FigureLimits<'b> {
    pub(super) policy: &'b Policy,
    pub(super) releases: &'b [Release],
    pub(super) columns: &'b Columns,
    pub(super) names: &'b [String],
    /// Whether the release was made by generalising until a requirement held, which is not a method
    /// of ours.
    pub(super) other_method: bool,
}

impl FigureLimits<'_> {
    fn class(&self, release: usize, class: usize) -> String {
        self.releases[release].describe(class, self.columns)
    }

    fn classes(&self, figures: &AuditFigures, reasons: &mut Vec<FailedCheck>) {
        let k = self.policy.k();
        for (at, release) in figures.releases.iter().enumerate() {
            let (size, class) = release.smallest;
            if size < k {
                let text = format!(
                    "release {} ({}): class {} has {}, the policy requires at least {k}",
                    at + 1,
                    self.names[at],
                    self.class(at, class),
                    many(size, "row")
                );
                reasons.push(FailedCheck {
                    check: "k",
                    release: Some(at),
                    value: size as f64,
                    limit: k as f64,
                    text,
                });
            }
        }
    }

    /// Judges the chain; false if it cannot be decided.
    fn chain(&self, chain: &ChainFigures, reasons: &mut Vec<FailedCheck>) -> bool {
        assert_eq!(
            chain.empty.len(),
            chain.all.len(),
            "each increment is checked, or has no people"
        );
        match (&chain.known, &chain.realised) {
            (Some(known), Some(realised)) => self.known(known, realised, reasons),
            _ => self.classes_alone(chain, reasons),
        }
    }

    /// Judges a chain whose raw rows are known, against a reader who knows everybody's quasi
    /// columns and increments.
    fn known(
        &self,
        known: &KnownFigures,
        realised: &RealisedFigures,
        reasons: &mut Vec<FailedCheck>,
    ) -> bool {
        let k = self.policy.k();
        if known.proven >= k {
            return true;
        }
        let people = realised
            .all
            .iter()
            .enumerate()
            .filter_map(|(at, target)| Some((at, target.as_ref()?)));
        let weakest = people
            .min_by_key(|(_, target)| target.left)
            .filter(|(_, target)| target.left < k);
        let (value, text) = if let Some((increment, target)) = weakest {
            (target.left, self.condemned(increment, target, true))
        } else if known.left < k {
            (known.left, self.condemned_by_headcounts(known))
        } else {
            let text = format!(
                "a reader who knows everybody's quasi columns and the release in which each person came leaves between {} \
                 and {} candidates; the exact number was too much work to find, so it is not known whether k = {k} holds, \
                 which counts as unsafe",
                known.proven,
                if known.left == u64::MAX {
                    "all".to_owned()
                } else {
                    known.left.to_string()
                },
            );
            (known.proven, text)
        };
        reasons.push(FailedCheck {
            check: "chain",
            release: None,
            value: value as f64,
            limit: k as f64,
            text,
        });
        weakest.is_some() || known.left < k
    }

    /// Judges a chain of which the tables alone are known.
    fn classes_alone(&self, chain: &ChainFigures, reasons: &mut Vec<FailedCheck>) -> bool {
        let k = self.policy.k();
        let judged = (0..chain.all.len()).filter(|&at| !chain.empty[at]);
        let weakest = judged
            .map(|at| (at, &chain.all[at]))
            .min_by_key(|(_, target)| target.left);
        let Some((increment, target)) = weakest else {
            return true;
        };
        if target.left >= k && chain.exact() {
            return true;
        }
        let is_condemned = target.left < k;
        let (value, text) = if is_condemned {
            (target.left, self.condemned(increment, target, false))
        } else {
            let text = format!(
                "the recodings of these releases cross: at most {} candidates are left, and the exact number was too much \
                 work to find, so it is not known whether k = {k} holds. Give the raw rows with --increment",
                target.left
            );
            (0, text)
        };
        reasons.push(FailedCheck {
            check: "chain",
            release: None,
            value: value as f64,
            limit: k as f64,
            text,
        });
        is_condemned
    }

    fn condemned_by_headcounts(&self, known: &KnownFigures) -> String {
        let are = if known.people == 1 {
            "person who was"
        } else {
            "people who were"
        };
        let them = if known.people == 1 {
            "this person has"
        } else {
            "each of them has"
        };
        format!(
            "to a reader who knows everybody's quasi columns and the release in which each person came, {} {are} new in \
                 release {} and in {} stand out: {them} only {} left; the policy requires at least {}",
            known.people,
            known.increment + 1,
            self.seen(&known.seen),
            many(known.left, "candidate row"),
            self.policy.k()
        )
    }

    /// Classes in words.
    fn seen(&self, seen: &[(usize, usize)]) -> String {
        let mut words: Vec<String> = Vec::with_capacity(seen.len());
        for &(release, class) in seen {
            let size = self.releases[release].size(class);
            let (class, name) = (self.class(release, class), &self.names[release]);
            words.push(format!(
                "class {class} of release {} ({name}; {size} rows)",
                release + 1
            ));
        }
        words.join(" and in ")
    }

    fn condemned(&self, increment: usize, target: &WeakestTarget, known: bool) -> String {
        let who = if known {
            "a person who was"
        } else {
            "any person who was"
        };
        format!(
            "{who} new in release {} and is in {} has only {} left once the releases are compared; the policy requires \
             at least {}",
            increment + 1,
            self.seen(&target.seen),
            many(target.left, "candidate row"),
            self.policy.k()
        )
    }

    fn diversity(&self, figures: &AuditFigures, reasons: &mut Vec<FailedCheck>) {
        for (at, release) in figures.releases.iter().enumerate() {
            let limited = self
                .policy
                .diversity()
                .map(|wanted| release.after.limited(wanted))
                .unwrap_or_default();
            for LimitedFigure {
                check,
                value,
                limit,
                rule,
                kept,
            } in limited
            {
                if !kept {
                    let worst = match &figures.crowds {
                        None => format!(
                            "its worst class is {} after cracked rows are excluded",
                            short(value)
                        ),
                        Some(_) => {
                            format!(
                                "its worst class, or the worst set of rows of a class that came in one release, is {}",
                                short(value)
                            )
                        }
                    };
                    let name = &self.names[at];
                    let text = format!(
                        "release {} ({name}): {check} of {worst}, the policy requires {rule} {limit}",
                        at + 1
                    );
                    reasons.push(FailedCheck {
                        check: check.name(),
                        release: Some(at),
                        value,
                        limit,
                        text,
                    });
                }
            }
        }
        let uncertain = figures
            .chain
            .as_ref()
            .is_some_and(|chain| match &chain.known {
                Some(known) => !known.diversity_exact,
                None => !chain.tight,
            });
        if uncertain
            && self
                .policy
                .diversity()
                .is_some_and(|wanted| *wanted != Default::default())
        {
            let text = "the number of rows that attacks exclude is known only as a bound, so the diversity of the \
                        remaining rows cannot be shown"
                .to_owned();
            reasons.push(FailedCheck {
                check: "diversity",
                release: None,
                value: 0.0,
                limit: 0.0,
                text,
            });
        }
    }

    fn minimality(&self, figures: &AuditFigures, reasons: &mut Vec<FailedCheck>) {
        let Some(minimality) = &figures.minimality else {
            return;
        };
        let requirement = minimality.requirement;
        for set in minimality.sets() {
            let Some((tie, credibility)) = minimality.worst(set) else {
                continue;
            };
            let (value, limit, known) = knowledge(&requirement, tie, credibility);
            let text = format!(
                "release 1 ({}): an attacker who knows that it was generalised until {} held {known}: {} from {} in class {}; {}",
                self.names[0],
                requirement.named(),
                many(tie.people, "row"),
                describe(&tie.leaves, self.columns),
                self.class(0, tie.class),
                requirement.promised()
            );
            reasons.push(FailedCheck {
                check: "minimality",
                release: Some(0),
                value,
                limit,
                text,
            });
        }
    }

    fn refinement(&self, figures: &AuditFigures, reasons: &mut Vec<FailedCheck>) {
        for attacked in &figures.refinement {
            let at = attacked.release;
            let mut say = |found: Option<f64>, limit: Option<f64>, text_of: &str| {
                let text = format!("release {} ({}): {text_of}", at + 1, self.names[at]);
                let [value, limit] = [found, limit].map(|figure| figure.unwrap_or(0.0));
                reasons.push(FailedCheck {
                    check: "refinement",
                    release: Some(at),
                    value,
                    limit,
                    text,
                });
            };
            match &attacked.judged {
                Err(why) => say(None, None, why),
                Ok(judged) => judged.found.against.iter().for_each(|against| {
                    let finding = &against.finding;
                    let [value, limit] = [finding.value, finding.limit];
                    say(
                        value.map(|of| of.get()),
                        limit.map(|of| of.get()),
                        &finding.text,
                    )
                }),
            }
        }
    }

    fn coarse(&self, figures: &AuditFigures, reasons: &mut Vec<FailedCheck>) {
        let a = self.policy.a();
        let limit = self.policy.refinement().max_global_ratio.map(Decimal::get);
        for coarse in &figures.coarse {
            let at = coarse.release;
            let mut say = |check, value: f64, limit: f64, text_of: String| {
                let text = format!("release {} ({}): {text_of}", at + 1, self.names[at]);
                reasons.push(FailedCheck {
                    check,
                    release: Some(at),
                    value,
                    limit,
                    text,
                });
            };
            if coarse.certainty.answer == FactExtent::Open {
                say(
                    "certainty",
                    0.0,
                    0.0,
                    "it could not be decided which small classes are certain, which counts as unsafe".into(),
                );
            }
            let facts: Vec<_> = against(&coarse.certainty, self.policy).collect();
            if let Some(fact) = facts.first() {
                let classes = if facts.len() == 1 {
                    "1 class".to_owned()
                } else {
                    format!("{} classes", facts.len())
                };
                let place = describe(&fact.class, self.columns);
                let text_of = format!(
                    "an attacker who knows the search can tell that {classes} of fewer than {a} people exist, one of them in a part of \
                     {place}"
                );
                say("certainty", facts.len() as f64, 0.0, text_of);
            }
            let Some(limit) = limit else { continue };
            match coarse.wholly {
                None => {
                    let text_of = "the leakage from its coarseness is not known".to_owned();
                    say("max_global_ratio", 0.0, limit, text_of);
                }
                Some(log10) if log10 > limit.log10() => {
                    let text_of = format!(
                        "the coarseness of labels reduces the possible tables by a factor of 10^{log10:.2}, the policy permits at most {limit}"
                    );
                    say("max_global_ratio", 10f64.powf(log10), limit, text_of);
                }
                Some(_) => {}
            }
        }
    }

    fn loss(&self, figures: &AuditFigures, reasons: &mut Vec<FailedCheck>) {
        let limit = self.policy.max_loss().get();
        for (at, release) in figures
            .releases
            .iter()
            .enumerate()
            .filter(|(_, r)| r.loss > limit + ROUNDING)
        {
            let text = format!(
                "release {} ({}): Loss is {}, the policy's floor of usefulness is {limit}",
                at + 1,
                self.names[at],
                short(release.loss)
            );
            reasons.push(FailedCheck {
                check: "max_loss",
                release: Some(at),
                value: release.loss,
                limit,
                text,
            });
        }
    }
}

/// The attacker's knowledge about a person: figure, limit and words.
fn knowledge(
    requirement: &Requirement,
    tie: &GuardedTie,
    credibility: &Credibility,
) -> (f64, f64, String) {
    let share = credibility.value();
    let (value, limit) = match tie.figure {
        TieFigure::Share => (share, requirement.limit_of_share()),
        TieFigure::Recursive { few: Some(few), .. } => {
            (few as f64, requirement.least_values() as f64)
        }
        TieFigure::Recursive { c, .. } => (c, requirement.limit()),
        TieFigure::Distance(value) | TieFigure::Span(value) => (value, requirement.limit()),
    };
    let to = match tie.set {
        Some(_) if matches!(requirement, Requirement::Personal { .. }) => {
            "what they guard".to_owned()
        }
        Some(set) => format!("guarded set {}", set + 1),
        None => "one sensitive value".to_owned(),
    };
    let known = match (credibility, tie.figure) {
        (Credibility::AtMost(_), _) => {
            format!(
                "may link a person to {to} with a probability of up to {}, which is a bound",
                short(share)
            )
        }
        (_, TieFigure::Share) => format!(
            "links a person to {to} with a probability of {}",
            short(share)
        ),
        (_, TieFigure::Recursive { few: Some(few), .. }) => {
            format!(
                "is certain that people who were equal have no more than {} between them",
                many(few as u64, "value")
            )
        }
        (_, TieFigure::Recursive { c, .. }) => {
            format!(
                "links a person to {to} with a probability of {}, which is {} times that of all values from the \
                 l-th on",
                short(share),
                short(c)
            )
        }
        (_, TieFigure::Distance(distance)) => {
            format!(
                "leads to a belief about a person at a distance of {} from the values of the whole table",
                short(distance)
            )
        }
        (_, TieFigure::Span(span)) => format!("knows a person's number within {}", short(span)),
    };
    (value, limit, known)
}

/// A number with its noun.
pub(super) fn many(count: u64, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

/// A figure with at most four decimals.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return "unlimited".to_owned();
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
