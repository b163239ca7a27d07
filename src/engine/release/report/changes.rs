//! The changes since the previous release.

use maud::{Markup, html};

use super::Report;
use super::html::{head, wide};
use super::words::{Words, fill};
use crate::past_release::PastRelease;

/// The section.
pub(super) fn section(report: &Report) -> Markup {
    let words = report.words;
    html! {
        section {
            h2 { (words.since) }
            @match report.around.earlier.last() {
                Some(before) => (wide(words.since, comparison(report, before))),
                None => p { (words.first_release) },
            }
        }
    }
}

/// The figures of a release beside those of this one.
fn comparison(report: &Report, before: &PastRelease) -> Markup {
    let (words, now) = (report.words, report.manifest.figures());
    let heads = [
        fill(words.release_column, &[("release", &before.release)]),
        fill(words.this_release, &[("release", &now.release)]),
    ];
    let lines = figures(words, before).into_iter().zip(figures(words, &now));
    let lines = lines.map(|((name, before), (_, now))| {
        (
            name,
            [before, now].map(|cell| cell.unwrap_or_else(|| "–".to_owned())),
        )
    });
    html! {
        table {
            (head([words.figure], heads))
            tbody {
                @for (name, [before, now]) in lines {
                    tr {
                        th scope="row" { (name) }
                        td class="number" { (before) }
                        td class=(if before == now { "number" } else { "number changed" }) { (now) }
                    }
                }
            }
        }
    }
}

/// The figures of a release in a readable form.
pub(super) fn figures(words: &Words, release: &PastRelease) -> [(&'static str, Option<String>); 5] {
    [
        (words.rows, Some(words.count(release.rows))),
        (words.classes, Some(words.count(release.classes))),
        (
            words.smallest_class,
            Some(words.count(release.smallest_class)),
        ),
        (words.loss, Some(words.decimal(release.loss.get(), 4))),
        (
            words.refinement,
            release.refinement.map(|figure| words.figure(figure)),
        ),
    ]
}
