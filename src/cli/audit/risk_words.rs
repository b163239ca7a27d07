//! The risk of re-identification for a person at a terminal: a line per release, and what each
//! figure means.

use std::fmt::Write;

use crate::engine::audit::{AuditFigures as AllFigures, Risk};
use crate::engine::risk::RiskFigures;
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The most releases that are written out.
const MOST_RELEASES: usize = 20;

/// The section on risk.
pub(super) fn report(text: &mut String, figures: &AllFigures) {
    let (risks, crowds) = (&figures.risks, figures.crowds.is_some());
    if risks.is_empty() {
        return;
    }
    let known: Vec<&Risk> = risks.iter().flatten().collect();
    let Some(first) = known.first() else {
        wrapped(
            text,
            "",
            "The risk of re-identification is not computed: releases in two tables show the leaves, or rows changed \
             after they were published",
        );
        text.push('\n');
        return;
    };
    let estimated = first.after.journalist.estimated;
    put(text, "Risk of re-identification, from each release alone");
    let [prosecutor, average] = [Head::Right("prosecutor\nhighest"), Head::Right("\naverage")];
    let [journalist, expected, marketer] =
        ["journalist\nhighest", "\naverage", "\nmarketer"].map(Head::Right);
    let [above, sample, population] =
        ["rows above\n0.2", "sample\nuniques", "population\nuniques"].map(Head::Right);
    let mut table = TextTable::new(&[
        Head::Right(""),
        prosecutor,
        average,
        above,
        journalist,
        expected,
        marketer,
        sample,
        population,
    ]);
    for (at, risk) in risks.iter().enumerate().take(MOST_RELEASES) {
        let Some(Risk { before, after, .. }) = risk else {
            continue;
        };
        let number = (at + 1).to_string();
        match before {
            Some(before) => {
                table.row(line(format!("{number}  raw"), before));
                table.row(line("out".to_owned(), after));
            }
            None => table.row(line(number, after)),
        }
    }
    table.write(text, "  ");
    for (at, _) in risks
        .iter()
        .enumerate()
        .take(MOST_RELEASES)
        .filter(|(_, risk)| risk.is_none())
    {
        put(
            text,
            &format!(
                "  of release {} not known: rows changed after they were published",
                at + 1
            ),
        );
    }
    if risks.len() > MOST_RELEASES {
        put(
            text,
            &format!(
                "  … and {} more; --json lists all",
                risks.len() - MOST_RELEASES
            ),
        );
    }
    let compared = risks.len() > 1 && figures.chain.is_some();
    meaning(
        text,
        estimated,
        [
            crowds,
            compared,
            known.iter().any(|risk| risk.before.is_some()),
        ],
    );
    text.push('\n');
}

fn line(head: String, of: &RiskFigures) -> impl Iterator<Item = String> {
    let (prosecutor, journalist) = (&of.prosecutor, &of.journalist);
    let most = if journalist.estimated { "" } else { "≤" };
    let bound = |risk: f64| format!("{most}{risk:.4}");
    let uniques = of
        .population_uniques
        .as_ref()
        .map_or("-".to_owned(), |uniques| {
            uniques
                .dankar()
                .map_or("not known".to_owned(), |people| format!("{people:.0}"))
        });
    let figures = [
        format!("{:.4}", prosecutor.highest()),
        format!("{:.4}", prosecutor.average()),
        format!(
            "{:.1}%",
            100.0 * prosecutor.at_risk as f64 / prosecutor.rows as f64
        ),
        bound(journalist.highest),
        bound(journalist.average),
        bound(of.marketer()),
        of.sample_uniques.to_string(),
        uniques,
    ];
    [head].into_iter().chain(figures)
}

fn meaning(text: &mut String, estimated: bool, [crowds, compared, raw]: [bool; 3]) {
    let mut say = |what: &str| wrapped(text, "  ", what);
    say(
        "Prosecutor: the attacker knows that the person is in the table. Journalist: the attacker does not. Marketer: the share of all \
         rows that an attacker is expected to get right",
    );
    if estimated {
        say(
            "Journalist, marketer and population uniques are estimates, from the share of the population that is in the table",
        );
    } else {
        say(
            "Without --population the prosecutor's figures bound the journalist's and the marketer's, and population uniques are not known",
        );
    }
    if crowds {
        say(
            "The figures count rows of one label that came with one release; more rows may match a person, so they \
            never understate the risk",
        );
    }
    if compared {
        say(
            "An attacker who compares the releases may be left with fewer candidates than a class has rows, as shown above",
        );
    }
    if raw {
        say("raw: before generalisation, by all quasi columns; out: as published");
    }
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("writing to a string");
}
