//! What changed since the release before.

use super::Report;
use super::html::{Page, WideSection, put};
use super::words::{Words, fill};
use crate::release::past_release::PastRelease;

/// The section.
pub fn write(page: &mut Page, report: &Report) {
    let words = report.words;
    put!(page, "<section>\n<h2>{}</h2>\n", words.since);
    let Some(before) = report.around.earlier.last() else {
        put!(page, "<p>{}</p>\n</section>\n", words.first_release);
        return;
    };
    let now = report.manifest.figures();
    put!(page, "{}<table>\n<thead><tr><th scope=\"col\">{}</th>", WideSection(words.since), words.figure);
    let heads = [
        fill(words.release_column, &[("release", &before.release)]),
        fill(words.this_release, &[("release", &now.release)]),
    ];
    for head in heads {
        put!(page, "<th scope=\"col\" class=\"number\">{head}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for ((name, before), (_, now)) in figures(words, before).into_iter().zip(figures(words, &now)) {
        let [before, now] = [before, now].map(|cell| cell.unwrap_or_else(|| "–".to_owned()));
        let class = if before == now { "number" } else { "number changed" };
        put!(
            page,
            "<tr><th scope=\"row\">{name}</th><td class=\"number\">{before}</td><td class=\"{class}\">{now}</td></tr>\n"
        );
    }
    put!(page, "</tbody>\n</table>\n</div>\n</section>\n");
}

/// The figures of a release, as people read them.
pub fn figures(words: &Words, release: &PastRelease) -> [(&'static str, Option<String>); 5] {
    [
        (words.rows, Some(words.count(release.rows))),
        (words.classes, Some(words.count(release.classes))),
        (words.smallest_class, Some(words.count(release.smallest_class))),
        (words.loss, Some(words.decimal(release.loss.get(), 4))),
        (words.refinement, release.refinement.map(|figure| words.figure(figure))),
    ]
}
