//! The operator's copy of a report: the public page with information that only the operator may
//! see. It names people, and is never published.

use maud::{Markup, PreEscaped, display, html};

use super::Language;
use super::head::minute;
use super::html::{Text, fixed, head, name, numbers, wide};
use super::words::{Words, fill};
use crate::check::CheckLine;
use crate::digest::Sha256;

/// An approval, from the log.
#[derive(Debug, Clone)]
pub struct SignedApproval {
    /// The person, with their account.
    pub who: String,
    /// The time.
    pub when: String,
    /// Their reason.
    pub why: Option<String>,
    /// The fingerprint of the signing key.
    pub key: Option<Sha256>,
}

/// People who are not published.
#[derive(Debug, Clone, Copy)]
pub struct WaitingRows {
    /// Rows that wait for enough similar ones.
    pub waiting: u64,
    /// The longest wait, in ticks.
    pub oldest: Option<u64>,
}

/// Information that only the operator may see.
#[derive(Debug, Clone, Default)]
pub struct OperatorFacts {
    /// The digest of the decision.
    pub decision: Option<Sha256>,
    /// The approvals of the release.
    pub approvals: Vec<SignedApproval>,
    /// The number of approvals that are missing.
    pub missing: u64,
    /// People who are not published.
    pub waiting: Option<WaitingRows>,
    /// Whether the chain's classes keep their labels, for which some checks ask another question.
    pub lasting: bool,
    /// The checks with all their figures.
    pub checks: Vec<CheckLine>,
    /// The gate's reasons against the release, in words.
    pub reasons: Vec<String>,
    /// The fingerprint of the key that signs manifests.
    pub signing_key: Option<Sha256>,
}

/// The number of lines for signatures.
const LINES: usize = 2;

/// The copy, in the language of the report; `None` if the bytes are no report.
pub fn operators_copy(report: &[u8], facts: &OperatorFacts) -> Option<Vec<u8>> {
    let report = std::str::from_utf8(report).ok()?;
    let is_in =
        |language: &Language| report.contains(&format!("<html lang=\"{}\">", language.tag()));
    let words = Words::of(Language::ALL.into_iter().find(is_in)?);
    let (before, body) = report.split_once("<main>")?;
    let (body, after) = body.rsplit_once("</main>")?;
    let copy = html! {
        (PreEscaped(before))
        main {
            p class="warning" { (words.copy_warning) }
            (approvals(words, facts))
            (PreEscaped(body))
            (found(words, facts))
            (waiting(words, facts))
            section {
                h2 { (words.copy_signatures) }
                @for _ in 0..LINES { p class="sign" { (words.copy_signature_place) } }
            }
        }
        (PreEscaped(after))
    };
    Some(copy.into_string().into_bytes())
}

fn approvals(words: &Words, facts: &OperatorFacts) -> Markup {
    let code = |digest: &Sha256| html! { code { (display(digest)) } };
    html! {
        section {
            h2 { (words.copy_approvals) }
            @if facts.approvals.is_empty() {
                p { (words.copy_no_approval) }
            } @else {
                (wide(words.copy_approvals, approvers(words, &facts.approvals)))
            }
            @if facts.missing > 0 {
                p { (fill(words.copy_missing, &[("count", &words.count(facts.missing))])) }
            }
            @if let Some(decision) = &facts.decision {
                p { (fill(words.copy_digest, &[("digest", &code(decision))])) }
            }
            @if let Some(key) = &facts.signing_key {
                p { (fill(words.copy_signing_key, &[("key", &code(key))])) }
            }
        }
    }
}

fn approvers(words: &Words, approvals: &[SignedApproval]) -> Markup {
    html! {
        table {
            (head([words.copy_who, words.copy_when, words.copy_why, words.copy_key], [""; 0]))
            tbody {
                @for SignedApproval { who, when, why, key } in approvals {
                    tr {
                        th scope="row" { (name(who)) }
                        td { (Text(&minute(when))) }
                        td { (name(why.as_deref().unwrap_or("–"))) }
                        td { @if let Some(key) = key { code { (display(key)) } } @else { "–" } }
                    }
                }
            }
        }
    }
}

/// The checks with the figures that the public page omits.
fn found(words: &Words, facts: &OperatorFacts) -> Markup {
    let figures = |line: &CheckLine| {
        [line.value, line.limit]
            .map(|figure| figure.map_or_else(|| "–".to_owned(), |figure| words.figure(figure)))
    };
    html! {
        section {
            h2 { (words.copy_verdict) }
            @if facts.reasons.is_empty() {
                p { (words.copy_no_reasons) }
            } @else {
                ul { @for reason in &facts.reasons { li { (name(reason)) } } }
            }
            table {
                (head([words.check_column], [words.found, words.limit]))
                tbody {
                    @for line in facts.checks.iter().filter(|line| line.made) {
                        tr {
                            th scope="row" { (fixed(words.check(line.check, facts.lasting).title)) }
                            (numbers(figures(line)))
                        }
                    }
                }
            }
        }
    }
}

fn waiting(words: &Words, facts: &OperatorFacts) -> Markup {
    let Some(WaitingRows { waiting, oldest }) = facts.waiting else {
        return Markup::default();
    };
    let oldest = oldest.map(|ticks| (words.copy_oldest, ticks));
    let lines = [(words.copy_waiting_rows, waiting)];
    html! {
        section {
            h2 { (words.copy_waiting) }
            table {
                (head([words.figure], [words.rows]))
                tbody {
                    @for (name, count) in lines.into_iter().chain(oldest) {
                        tr { th scope="row" { (name) } (numbers([words.count(count)])) }
                    }
                }
            }
        }
    }
}
