//! What the table of measures shows, and which sums it does not, with the reason and what readers can still conclude.

use super::Report;
use super::html::{Page, Text, WideSection, put};
use super::words::fill;
use crate::release::measure_figures::MeasureFigures;

/// Labels that are named at most, for each measure and reason; the table itself has all of them.
const NAMED: usize = 12;

/// The section, where the feed has measures.
pub fn write(page: &mut Page, report: &Report) {
    let (words, measures) = (report.words, report.measures);
    if measures.is_empty() {
        return;
    }
    let (counted, labels, interval) = match report.joins {
        true => (words.measures_of_classes, words.classes, words.measures_blocks),
        false => (words.measures_of_new, words.new_labels, words.measures_interval),
    };
    put!(page, "<section id=\"measures\">\n<h2>{}</h2>\n<p>{} {counted}</p>\n", words.measures, words.measures_text);
    put!(page, "{}<table>\n<thead><tr><th scope=\"col\">{}</th>", WideSection(words.measures), words.measure);
    for name in [labels, words.sums_shown, words.sums_dominated, words.sums_of_few, words.sums_of_none] {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for of in measures {
        put!(page, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", Text(&of.name));
        for count in [of.labels, of.shown, of.hidden.len() as u64, of.few.len() as u64, of.empty] {
            put!(page, "<td class=\"number\">{}</td>", words.count(count));
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n</div>\n");
    measures.iter().for_each(|of| named(page, report, of));
    put!(page, "<p>{interval}</p>\n</section>\n");
}

/// The labels without a sum.
fn named(page: &mut Page, report: &Report, of: &MeasureFigures) {
    let words = report.words;
    let texts = match report.joins {
        true => [words.classes_dominated, words.classes_of_few],
        false => [words.labels_dominated, words.labels_of_few],
    };
    for (text, labels) in texts.into_iter().zip([&of.hidden, &of.few]) {
        if labels.is_empty() {
            continue;
        }
        let shown: Vec<String> = labels.iter().take(NAMED).map(|label| Text(label).to_string()).collect();
        let more = labels.len() - shown.len();
        let list = shown.join("; ");
        let list =
            if more > 0 { fill(words.and_more, &[("list", &list), ("more", &words.count(more as u64))]) } else { list };
        let (measure, k) = (Text(&of.name), words.count(report.manifest.k));
        put!(page, "<p>{}</p>\n", fill(text, &[("measure", &measure), ("k", &k), ("labels", &list)]));
    }
}
