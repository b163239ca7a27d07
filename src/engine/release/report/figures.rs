//! The figures of the release in short.

use super::html::{Page, put};
use super::words::fill;
use super::{Form, Report};

/// The section.
pub fn write(page: &mut Page, report: &Report) {
    let (words, manifest) = (report.words, report.manifest);
    let smallest = fill(words.at_least_k, &[("k", &words.count(manifest.k))]);
    let loss = fill(words.loss_of, &[("loss", &words.decimal(manifest.loss, 4))]);
    let [people, detail] = match report.form {
        Form::TwoTables => [words.people_of_two_tables, words.detail_hidden],
        _ => [words.people_of_a_class, words.detail_lost],
    };
    let mut figures = vec![
        (words.rows, words.count(manifest.rows), words.one_per_person),
        (words.classes, words.count(manifest.classes), people),
        (words.smallest_class, words.count(manifest.smallest_class), smallest.as_str()),
    ];
    // Where classes keep their labels no person is withheld.
    if !manifest.is_divided() {
        figures.push((words.withheld, words.count(manifest.withheld.unwrap_or(0)), words.withheld_note));
    }
    figures.push((detail, format!("{}\u{a0}%", words.decimal(manifest.loss * 100.0, 0)), &loss));
    put!(page, "<section aria-label=\"{}\">\n<dl class=\"facts\">\n", words.in_short);
    for (name, figure, note) in figures {
        put!(page, "<div><dt>{name}</dt><dd><b>{figure}</b> <span>{note}</span></dd></div>\n");
    }
    put!(page, "</dl>\n</section>\n");
}
