//! The operator's copy of a report: the public page with what only the operator may see. It names people, and is never published.

use super::head::minute;
use super::html::{Page, Text, WideSection, put};
use super::words::{Words, fill};
use super::{END, Language};
use crate::release::check::CheckLine;
use crate::release::digest::Sha256;

/// An approval, as the log has it.
#[derive(Debug, Clone)]
pub struct SignedApproval {
    /// The person, with their account.
    pub who: String,
    /// When.
    pub when: String,
    /// Their reason.
    pub why: Option<String>,
    /// The fingerprint of the key that they signed with.
    pub key: Option<Sha256>,
}

/// People who are not published.
#[derive(Debug, Clone, Copy)]
pub struct WaitingRows {
    /// Rows that wait for enough similar ones.
    pub waiting: u64,
    /// Rows that are withheld from the chain.
    pub withheld: u64,
    /// The longest wait, in ticks.
    pub oldest: Option<u64>,
}

/// What only the operator may see.
#[derive(Debug, Clone, Default)]
pub struct OperatorFacts {
    /// The digest of the decision.
    pub decision: Option<Sha256>,
    /// Who approved the release.
    pub approvals: Vec<SignedApproval>,
    /// How many more people have to approve it.
    pub missing: u64,
    /// People who are not published.
    pub waiting: Option<WaitingRows>,
    /// Whether the chain's classes keep their labels, where some checks ask something else.
    pub lasting: bool,
    /// The checks with all their figures.
    pub checks: Vec<CheckLine>,
    /// What the gate found against the release, in words.
    pub reasons: Vec<String>,
    /// The fingerprint of the key that signs manifests.
    pub signing_key: Option<Sha256>,
}

/// Lines for signatures.
const LINES: usize = 2;

/// The copy, in the language of the report; `None` if the bytes are no report of this version.
pub fn operators_copy(report: &[u8], facts: &OperatorFacts) -> Option<Vec<u8>> {
    let report = std::str::from_utf8(report).ok()?;
    let is_in = |language: &Language| report.contains(&format!("<html lang=\"{}\">", language.tag()));
    let words = Words::of(Language::ALL.into_iter().find(is_in)?);
    let (head, body) = report.strip_suffix(END)?.split_once("<main>\n")?;
    let mut page = Page::default();
    put!(page, "{head}<main>\n<p class=\"warning\">{}</p>\n", words.copy_warning);
    approvals(&mut page, words, facts);
    put!(page, "{body}");
    found(&mut page, words, facts);
    waiting(&mut page, words, facts);
    put!(page, "<section>\n<h2>{}</h2>\n", words.copy_signatures);
    for _ in 0..LINES {
        put!(page, "<p class=\"sign\">{}</p>\n", words.copy_signature_place);
    }
    put!(page, "</section>\n{END}");
    Some(page.into_bytes())
}

fn approvals(page: &mut Page, words: &Words, facts: &OperatorFacts) {
    put!(page, "<section>\n<h2>{}</h2>\n", words.copy_approvals);
    if facts.approvals.is_empty() {
        put!(page, "<p>{}</p>\n", words.copy_no_approval);
    } else {
        put!(page, "{}<table>\n<thead><tr>", WideSection(words.copy_approvals));
        for name in [words.copy_who, words.copy_when, words.copy_why, words.copy_key] {
            put!(page, "<th scope=\"col\">{name}</th>");
        }
        put!(page, "</tr></thead>\n<tbody>\n");
        for SignedApproval { who, when, why, key } in &facts.approvals {
            let why = Text(why.as_deref().unwrap_or("–")).to_string();
            let key = key.map_or_else(|| "–".to_owned(), |key| format!("<code>{key}</code>"));
            let (who, when) = (Text(who), minute(when));
            put!(page, "<tr><th scope=\"row\"><bdi>{who}</bdi></th><td>{}</td>", Text(&when));
            put!(page, "<td><bdi>{why}</bdi></td><td>{key}</td></tr>\n");
        }
        put!(page, "</tbody>\n</table>\n</div>\n");
    }
    if facts.missing > 0 {
        put!(page, "<p>{}</p>\n", fill(words.copy_missing, &[("count", &words.count(facts.missing))]));
    }
    let code = |digest: &Sha256| format!("<code>{digest}</code>");
    if let Some(decision) = &facts.decision {
        put!(page, "<p>{}</p>\n", fill(words.copy_digest, &[("digest", &code(decision))]));
    }
    if let Some(key) = &facts.signing_key {
        put!(page, "<p>{}</p>\n", fill(words.copy_signing_key, &[("key", &code(key))]));
    }
    put!(page, "</section>\n");
}

/// The checks with the figures that the public page leaves out.
fn found(page: &mut Page, words: &Words, facts: &OperatorFacts) {
    put!(page, "<section>\n<h2>{}</h2>\n", words.copy_verdict);
    if facts.reasons.is_empty() {
        put!(page, "<p>{}</p>\n", words.copy_no_reasons);
    } else {
        put!(page, "<ul>\n");
        facts.reasons.iter().for_each(|reason| put!(page, "<li><bdi>{}</bdi></li>\n", Text(reason)));
        put!(page, "</ul>\n");
    }
    put!(page, "<table>\n<thead><tr><th scope=\"col\">{}</th>", words.check_column);
    for name in [words.found, words.limit] {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for line in facts.checks.iter().filter(|line| line.made) {
        let name = words.check(line.check, facts.lasting).title;
        let [found, limit] =
            [line.value, line.limit].map(|figure| figure.map_or_else(|| "–".to_owned(), |figure| words.figure(figure)));
        put!(page, "<tr><th scope=\"row\">{}</th>", Text(name));
        put!(page, "<td class=\"number\">{found}</td><td class=\"number\">{limit}</td></tr>\n");
    }
    put!(page, "</tbody>\n</table>\n</section>\n");
}

fn waiting(page: &mut Page, words: &Words, facts: &OperatorFacts) {
    let Some(WaitingRows { waiting, withheld, oldest }) = facts.waiting else { return };
    put!(page, "<section>\n<h2>{}</h2>\n<table>\n<thead><tr>", words.copy_waiting);
    put!(page, "<th scope=\"col\">{}</th><th scope=\"col\" class=\"number\">{}</th>", words.figure, words.rows);
    put!(page, "</tr></thead>\n<tbody>\n");
    let oldest = oldest.map(|ticks| (words.copy_oldest, ticks));
    let lines = [(words.copy_waiting_rows, waiting), (words.copy_withheld_rows, withheld)];
    for (name, count) in lines.into_iter().chain(oldest) {
        put!(page, "<tr><th scope=\"row\">{name}</th><td class=\"number\">{}</td></tr>\n", words.count(count));
    }
    put!(page, "</tbody>\n</table>\n</section>\n");
}
