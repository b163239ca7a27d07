//! The guarantee in words. They state what SCIENCE 4 proves and name what it does not cover; no
//! word here weakens that.

use maud::{Markup, html};
use serde_json::Value;

use super::html::fixed;
use super::words::fill;
use super::{Form, Report};
use crate::policy::Guarantee;

/// The section.
pub(super) fn section(report: &Report) -> Markup {
    let (words, manifest) = (report.words, report.manifest);
    let (warning, text) = texts(report);
    let others = words.many(manifest.k.saturating_sub(1), words.other);
    let rule = match (manifest.layout, manifest.guarantee) {
        (Some(_), Some(_)) => words.rule_parts,
        (_, Some(_)) => words.rule_newest,
        (_, None) => words.rule_never,
    };
    html! {
        section {
            h2 { (words.promise) }
            @if let Some(warning) = warning { p class="warning" { (warning) } }
            p { (fill(text, &[("k", &words.count(manifest.k)), ("others", &others)])) }
            (masking(report))
            p { (fixed(words.not_promised)) }
            p class="rule" { (rule) "." }
            p { (if manifest.signed { words.signed } else { words.unsigned }) }
        }
    }
}

/// A warning, if there is one, and the guarantee.
fn texts(report: &Report) -> (Option<&'static str>, &'static str) {
    let words = report.words;
    match report.manifest.guarantee {
        Some(Guarantee::Blind) => (None, words.promise_lasting),
        Some(Guarantee::Bcf) => (Some(words.promise_bcf_warning), words.promise_bcf),
        None if report.form == Form::TwoTables => {
            (Some(words.promise_two_warning), words.promise_two)
        }
        None => (None, words.promise_disjoint),
    }
}

/// The promise of masking, and its bound, which readers can compute.
fn masking(report: &Report) -> Markup {
    let (words, manifest) = (report.words, report.manifest);
    let Some(m) = manifest.policy.get("m").and_then(Value::as_u64) else {
        return Markup::default();
    };
    let promise = fill(words.promise_m, &[("m", &m)]);
    if manifest.policy.get("mask").and_then(Value::as_bool) == Some(false) {
        return html! { p { (promise) } };
    }
    let least = m.saturating_mul(2);
    // A published class shows a guarded set in at most ⌊n / 2m⌋ of its n rows (SCIENCE 5).
    let sizes: Vec<(u64, u64)> = match report.form {
        Form::LastingLabels | Form::StandingLabels => report.sums.together().collect(),
        _ => report.sums.sizes().collect(),
    };
    let shown: u64 = sizes
        .iter()
        .map(|(size, classes)| size / least.max(1) * classes)
        .sum();
    assert!(shown <= manifest.rows, "no more rows than the table has");
    html! {
        p { (promise) " " (fill(words.promise_masked, &[("l", &least)])) }
        p { (fill(words.masking_bound, &[("shown", &words.count(shown)), ("rows", &words.count(manifest.rows))])) }
    }
}
