//! The attack as one self-contained page that prints well: the verdict, every figure, and for the
//! worst targets a drawing of what each of their parts can hold (`boxes`). The page fetches nothing
//! and runs no script, and this module knows no values.

use std::collections::BTreeSet;

use maud::{Markup, display, html};

use super::boxes;
use super::subject::AttackSubject;
use super::words::{
    called, count, few, head as subtitle, is_revealing, joint, odds, ratio, reasons, verdict, worst,
};
use crate::engine::gate::refinement::{
    AttackResult, AttackTarget, AttackedRows, CarvingRule, certain,
};
use crate::engine::release::html::{
    CountedNoun, GroupedDigits, Text, document, head, name, numbers, wide,
};

/// The most targets that are drawn.
const DRAWN: usize = 50;
/// The most targets that are listed.
const LISTED: usize = 1000;
/// The most reasons that are listed.
const REASONS: usize = 100;

/// The page as HTML.
pub(super) fn page(found: &AttackResult, subject: &AttackSubject) -> Vec<u8> {
    let accused: BTreeSet<AttackedRows> = found
        .against
        .iter()
        .filter_map(|against| against.target)
        .collect();
    let shown = |at: &usize| {
        is_revealing(&found.targets[*at]) || accused.contains(&found.targets[*at].place)
    };
    let worst: Vec<usize> = worst(&found.targets).into_iter().filter(shown).collect();
    let body = html! {
        header {
            h1 { "Refinement attack on " (name(&subject.name)) }
            p class="due" { (Text(&subtitle(found, subject))) }
        }
        main {
            (judgement(found, subject))
            (figures(&worst, found, subject))
            // The parts of groups of neighbours have no figures of their own.
            @if *subject.release.rule() != CarvingRule::Finest { (drawings(&worst, found, subject)) }
        }
    };
    let title = format!("Refinement attack on {}", subject.name);
    document("en", Text(&title), include_str!("style.css"), body)
}

fn judgement(found: &AttackResult, subject: &AttackSubject) -> Markup {
    html! {
        section {
            h2 { "Verdict" }
            p class=(if found.against.is_empty() { "rule" } else { "warning" }) { (Text(&verdict(found, subject))) }
            @if let Some(few) = few(subject) { p { (Text(&few)) } }
            @if !found.against.is_empty() {
                ul { @for against in reasons(found).into_iter().take(REASONS) { li { (Text(&against.finding.text)) } } }
            }
            @if found.against.len() > REASONS {
                p { "… and " (display(GroupedDigits((found.against.len() - REASONS) as u64))) " more." }
            }
            @if found.targets.len() > 1 { p { (Text(&joint(found.joint.as_ref()))) "." } }
            @if let Some(odds) = odds(found, subject) { p { (Text(&odds)) } }
        }
    }
}

fn figures(worst: &[usize], found: &AttackResult, subject: &AttackSubject) -> Markup {
    let rule_text = match subject.release.rule() {
        rule if rule.is_halving() => {
            "An attacker who knows how classes were halved learns nothing more: all of these sets remain possible, and \
             the ratio is 1."
        }
        CarvingRule::Finest => {
            "An attacker who knows that each class has the finest labels that cover its rows knows that the rows are \
             not all in one part of a label: only some of these sets remain possible, and the ratio says by which \
             factor their number is smaller."
        }
        _ => {
            "An attacker who knows that the algorithm forms small classes first knows that no row is in a cell that an \
             earlier class covers, and that no part of a class has as many rows as a class needs: only some of these \
             sets remain possible, and the ratio says by which factor their number is smaller."
        }
    };
    let silent = (found.targets.len() - worst.len()) as u64;
    html! {
        section {
            h2 { "Figures" }
            p {
                "Many sets of rows fit the labels of a class. " (rule_text) " Known parts are parts of a class with a \
                 certain number of rows, 1 to k − 1. ≥ and ≤ are bounds on the safe side, ? means not known."
            }
            (wide("Table of figures", table(worst, found, subject)))
            (left_out(worst.len(), LISTED))
            @if silent > 0 {
                p {
                    "Of " (display(GroupedDigits(silent))) " "
                    @if !worst.is_empty() { "other " }
                    @if silent == 1 { "class" } @else { "classes" }
                    " the attacker learns nothing: all sets remain possible."
                }
            }
        }
    }
}

fn table(worst: &[usize], found: &AttackResult, subject: &AttackSubject) -> Markup {
    let alone = found.fuzzy.as_ref().map(|_| "Cells with one person");
    let heads = ["Rows", "Possible sets", "Remain", "Ratio", "Known classes"]
        .into_iter()
        .chain(alone);
    let cells = |at: usize| {
        let target = &found.targets[at];
        let known = certain(target).map_or("?".to_owned(), |crowds| {
            GroupedDigits(crowds.len() as u64).to_string()
        });
        let rows = GroupedDigits(target.rows).to_string();
        let alone = found
            .fuzzy
            .as_ref()
            .map(|fuzzy| GroupedDigits(fuzzy[at]).to_string());
        [
            rows,
            count(&target.lr),
            count(&target.cra),
            ratio(&target.ratio),
            known,
        ]
        .into_iter()
        .chain(alone)
    };
    html! {
        table class="figures" {
            (head(["Class"], heads))
            tbody {
                @for &at in worst.iter().take(LISTED) {
                    tr { th scope="row" { (name(&called(&found.targets[at], subject))) } (numbers(cells(at))) }
                }
            }
        }
    }
}

fn left_out(all: usize, shown: usize) -> Markup {
    html! {
        @if all > shown {
            p { "The " (display(GroupedDigits(shown as u64))) " worst of " (display(GroupedDigits(all as u64))) "." }
        }
    }
}

fn drawings(worst: &[usize], found: &AttackResult, subject: &AttackSubject) -> Markup {
    html! {
        section {
            h2 { "Number of rows in the parts of each class" }
            p { "The figure divides each class once in every column in which its label stands for several values; each \
                box is one part." }
            (boxes::key(subject.release.k()))
            (left_out(worst.len(), DRAWN))
            @for &at in worst.iter().take(DRAWN) { (target(&found.targets[at], subject)) }
        }
    }
}

fn target(target: &AttackTarget, subject: &AttackSubject) -> Markup {
    html! {
        section class="target" {
            h3 { (name(&called(target, subject))) }
            p {
                (display(CountedNoun(target.rows, "row"))) "; " (count(&target.cra)) " of " (count(&target.lr)) " possible sets remain, ratio "
                (ratio(&target.ratio)) "."
            }
            (boxes::draw(target, subject))
        }
    }
}
