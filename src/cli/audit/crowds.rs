//! A chain whose rows keep their labels, for a person at a terminal: how many rows of a label were
//! published together, and remedies.

use std::fmt::Write;

use crate::engine::audit::{AuditSubject, AuditVerdict, CrowdFigures};
use crate::engine::model::ReleaseColumn;
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The most releases that are written out.
const MOST_RELEASES: usize = 20;

/// What each release adds.
pub(super) fn report(text: &mut String, crowds: &CrowdFigures, subject: &AuditSubject) {
    let Some(growth) = &subject.growth else {
        return;
    };
    wrapped(
        text,
        "",
        "Rows keep their labels in these releases. A reader who compares them learns which rows are new, and a person who came with a \
         release hides among the new rows of their label",
    );
    let mut table =
        TextTable::new(&["", "new rows", "labels", "fewest of a label"].map(Head::Right));
    for (at, new) in growth.new.iter().enumerate().take(MOST_RELEASES) {
        let fewest = crowds.new[at]
            .as_ref()
            .map_or("-".to_owned(), |few| few.rows.to_string());
        table.row([
            (at + 1).to_string(),
            new.rows().to_string(),
            new.classes().to_string(),
            fewest,
        ]);
    }
    table.write(text, "  ");
    if growth.new.len() > MOST_RELEASES {
        writeln!(text, "  … and {} more", growth.new.len() - MOST_RELEASES)
            .expect("writing to a string");
    }
    for at in (0..growth.new.len())
        .filter(|&at| growth.erased_rows(at) > 0)
        .take(MOST_RELEASES)
    {
        let rows = growth.erased_rows(at);
        let said = format!(
            "Release {} leaves {rows} rows out, as its notice of erasure states: all rows of a label that came together",
            at + 1
        );
        wrapped(text, "", &said);
    }
    let left = crowds.anonymity();
    let s = if left == 1 { "" } else { "s" };
    let all = match crowds.exact() {
        true => format!("All releases together leave each person at least {left} candidate{s}"),
        false => {
            "Rows changed after they were published, so the number of candidates that are left is unknown".to_owned()
        }
    };
    wrapped(text, "", &all);
    text.push('\n');
}

/// Remedies for the reasons, one line each.
pub(super) fn advice(verdict: &AuditVerdict) -> Vec<&'static str> {
    let has = |check: &str| verdict.reasons.iter().any(|reason| reason.check == check);
    let mut advice = Vec::new();
    if has("k") {
        advice.push(
            "publish the new rows of a label only when there are enough of them; until then let them wait, or \
             give them a coarser label",
        );
    }
    if has("chain") {
        advice.push("publish every earlier row unchanged, with its label and its sensitive values, and add new rows");
    }
    if has("k") || has("chain") {
        advice.push("releases that are already published cannot be recalled: begin a new chain with people who were in none of them");
    }
    if has(ReleaseColumn::NAME) {
        advice.push(
            "write into `tidegate_release` the first release of each row, and keep it in all later releases; \
                     or remove the column",
        );
    }
    advice
}
