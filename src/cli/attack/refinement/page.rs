//! The attack as one self-contained page that prints well: the verdict, every figure, and for the worst targets a drawing of
//! what each of their parts can hold (`boxes`). Nothing is fetched, nothing is run, and of values nothing is known here.

use std::collections::BTreeSet;

use super::boxes;
use super::subject::AttackSubject;
use super::words::{called, count, few, head, joint, odds, ratio, reasons, tells, verdict, worst};
use crate::engine::gate::refinement::{AttackResult, AttackTarget, AttackedRows, CarvingRule, certain};
use crate::engine::release::html::{GroupedDigits, Many, Page, STYLE, Text, put};

/// Targets that are drawn at most.
const DRAWN: usize = 50;
/// Targets that are listed at most.
const LISTED: usize = 1000;
/// Reasons that are listed at most.
const REASONS: usize = 100;

/// The page as HTML.
pub fn page(found: &AttackResult, subject: &AttackSubject) -> Vec<u8> {
    let mut page = Page::default();
    let title = format!("Refinement attack on {}", subject.name);
    put!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put!(
        page,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n",
        Text(&title)
    );
    put!(page, "<style>\n{STYLE}{}</style>\n</head>\n<body>\n", include_str!("style.css"));
    put!(page, "<header>\n<h1>Refinement attack on <bdi>{}</bdi></h1>\n", Text(&subject.name));
    put!(page, "<p class=\"due\">{}</p>\n</header>\n<main>\n", Text(&head(found, subject)));
    judgement(&mut page, found, subject);
    let accused: BTreeSet<AttackedRows> = found.against.iter().filter_map(|against| against.place).collect();
    let shown = |at: &usize| tells(&found.targets[*at]) || accused.contains(&found.targets[*at].place);
    let worst: Vec<usize> = worst(&found.targets).into_iter().filter(shown).collect();
    figures(&mut page, &worst, found, subject);
    // Of groups of neighbours nothing is known part by part.
    if *subject.release.rule() != CarvingRule::Finest {
        drawings(&mut page, &worst, found, subject);
    }
    put!(page, "</main>\n</body>\n</html>\n");
    page.into_bytes()
}

fn judgement(page: &mut Page, found: &AttackResult, subject: &AttackSubject) {
    let class = if found.against.is_empty() { "rule" } else { "warning" };
    put!(page, "<section>\n<h2>Verdict</h2>\n<p class=\"{class}\">{}</p>\n", Text(&verdict(found, subject)));
    if let Some(few) = few(subject) {
        put!(page, "<p>{}</p>\n", Text(&few));
    }
    if !found.against.is_empty() {
        put!(page, "<ul>\n");
        for against in reasons(found).into_iter().take(REASONS) {
            put!(page, "<li>{}</li>\n", Text(&against.text));
        }
        put!(page, "</ul>\n");
    }
    if found.against.len() > REASONS {
        put!(page, "<p>… and {} more.</p>\n", GroupedDigits((found.against.len() - REASONS) as u64));
    }
    if found.targets.len() > 1 {
        put!(page, "<p>{}.</p>\n", Text(&joint(found.joint.as_ref())));
    }
    if let Some(odds) = odds(found, subject) {
        put!(page, "<p>{}</p>\n", Text(&odds));
    }
    put!(page, "</section>\n");
}

fn figures(page: &mut Page, worst: &[usize], found: &AttackResult, subject: &AttackSubject) {
    let told = match subject.release.rule() {
        rule if rule.is_halving() => {
            "An attacker who knows how classes were halved learns no more than that: all of them remain, and the ratio is 1."
        }
        CarvingRule::Finest => {
            "A reader who knows that each class has the finest labels that cover its rows knows that its rows are not all in one part of a \
             label: only some of these sets remain, and the ratio is by how much they are fewer."
        }
        _ => {
            "A reader who knows that the algorithm forms small classes first knows that rows lie in no cell that an earlier class has \
             taken, and that no part of a class has as many rows as a class needs: only some of these sets remain, and the ratio \
             is by how much they are fewer."
        }
    };
    put!(
        page,
        "<section>\n<h2>Figures</h2>\n<p>Each class can stand for many sets of rows. {told} Known classes are parts with a certain number of rows, 1 to k − 1. ≥ and ≤ are bounds on the safe side, ? \
         is not known.</p>\n<div class=\"wide\" role=\"region\" aria-label=\"Table of figures\" tabindex=\"0\">\n<table class=\"figures\">\n<thead><tr><th scope=\"col\">Class</th>"
    );
    let alone = found.fuzzy.as_ref().map(|_| "Cells with one person");
    for name in ["Rows", "Possible sets", "Remain", "Ratio", "Known classes"].into_iter().chain(alone) {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for &at in worst.iter().take(LISTED) {
        let target = &found.targets[at];
        put!(page, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", Text(&called(target, subject)));
        let known = certain(target).map_or("?".to_owned(), |crowds| GroupedDigits(crowds.len() as u64).to_string());
        let rows = GroupedDigits(target.rows).to_string();
        let cells = [rows, count(&target.lr), count(&target.cra), ratio(&target.ratio), known];
        let alone = found.fuzzy.as_ref().map(|fuzzy| GroupedDigits(fuzzy[at]).to_string());
        for cell in cells.into_iter().chain(alone) {
            put!(page, "<td class=\"number\">{cell}</td>");
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n</div>\n");
    left_out(page, worst.len(), LISTED);
    let silent = (found.targets.len() - worst.len()) as u64;
    if silent > 0 {
        let others = if worst.is_empty() { "" } else { "other " };
        let classes = if silent == 1 { "class" } else { "classes" };
        put!(
            page,
            "<p>Of {} {others}{classes} nothing is learnt: all possible sets remain.</p>\n",
            GroupedDigits(silent)
        );
    }
    put!(page, "</section>\n");
}

fn left_out(page: &mut Page, all: usize, shown: usize) {
    if all > shown {
        put!(page, "<p>The {} worst of {}.</p>\n", GroupedDigits(shown as u64), GroupedDigits(all as u64));
    }
}

fn drawings(page: &mut Page, worst: &[usize], found: &AttackResult, subject: &AttackSubject) {
    put!(
        page,
        "<section>\n<h2>What the parts of each class can hold</h2>\n<p>A class is cut once in every column that its label does \
         not fix; each box is one part.</p>\n"
    );
    boxes::key(page, subject.release.k());
    left_out(page, worst.len(), DRAWN);
    for &at in worst.iter().take(DRAWN) {
        target(page, &found.targets[at], subject);
    }
    put!(page, "</section>\n");
}

fn target(page: &mut Page, target: &AttackTarget, subject: &AttackSubject) {
    put!(page, "<section class=\"target\">\n<h3><bdi>{}</bdi></h3>\n", Text(&called(target, subject)));
    let remain = count(&target.cra);
    put!(page, "<p>{}; {remain} of {} possible sets remain, ", Many(target.rows, "row"), count(&target.lr));
    put!(page, "ratio {}.</p>\n", ratio(&target.ratio));
    boxes::draw(page, target, subject);
    put!(page, "</section>\n");
}
