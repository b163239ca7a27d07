//! The summary of the release's figures.

use maud::{Markup, html};

use super::words::fill;
use super::{Form, Report};

/// The section.
pub(super) fn section(report: &Report) -> Markup {
    let (words, manifest) = (report.words, report.manifest);
    let smallest = fill(words.at_least_k, &[("k", &words.count(manifest.k))]);
    let loss = fill(words.loss_of, &[("loss", &words.decimal(manifest.loss, 4))]);
    let [people, detail] = match report.form {
        Form::TwoTables => [words.people_of_two_tables, words.detail_hidden],
        _ => [words.people_of_a_class, words.detail_lost],
    };
    let mut figures = vec![
        (
            words.rows,
            words.count(manifest.rows),
            html! { (words.one_per_person) },
        ),
        (
            words.classes,
            words.count(manifest.classes),
            html! { (people) },
        ),
        (
            words.smallest_class,
            words.count(manifest.smallest_class),
            smallest,
        ),
    ];
    figures.push((
        detail,
        format!("{}\u{a0}%", words.decimal(manifest.loss * 100.0, 0)),
        loss,
    ));
    html! {
        section aria-label=(words.in_short) {
            dl class="facts" {
                @for (name, figure, note) in &figures {
                    div { dt { (name) } dd { b { (figure) } " " span { (note) } } }
                }
            }
        }
    }
}
