//! The risk of re-identification (SCIENCE 12) as far as the sizes of classes give it: the prosecutor's figures, and that they bound the
//! journalist's and the marketer's. A page knows no population, so it estimates nothing.

use super::html::{Page, put};
use super::words::{Words, fill};
use super::{Form, Report};
use crate::risk::{Prosecutor, Sizes};

/// The section on risks.
pub fn write(page: &mut Page, report: &Report) {
    // Rows with equal labels that came together.
    section(page, report.words, report.form, &report.sums.together().collect());
}

fn section(page: &mut Page, words: &Words, form: Form, sizes: &Sizes) {
    put!(page, "<section id=\"risk\">\n<h2>{}</h2>\n", words.risk);
    let risk = match (form, Prosecutor::of(sizes)) {
        (Form::TwoTables, _) => Err(words.risk_two),
        (_, None) => Err(words.risk_none),
        (_, Some(risk)) => Ok(risk),
    };
    let risk = match risk {
        Ok(risk) => risk,
        Err(text) => {
            put!(page, "<p>{text}</p>\n</section>\n");
            return;
        }
    };
    let counted = if form == Form::LastingLabels { words.risk_counted_lasting } else { words.risk_counted };
    put!(page, "<p>{}</p>\n<table>\n<thead><tr>", fill(words.risk_text, &[("counted", &counted)]));
    put!(page, "<th scope=\"col\">{}</th><th scope=\"col\" class=\"number\">{}</th>", words.figure, words.found);
    put!(page, "</tr></thead>\n<tbody>\n");
    lines(page, words, &risk, sizes.of_size(1));
    put!(page, "</tbody>\n</table>\n</section>\n");
}

fn lines(page: &mut Page, words: &Words, risk: &Prosecutor, alone: u64) {
    let (highest, average) = (words.share(1, risk.smallest), words.share(risk.classes, risk.rows));
    let rows = words.many(risk.at_highest, words.row);
    let at_most = |share: &String| fill(words.at_most, &[("limit", share)]);
    let figures = [
        (words.prosecutor_highest, fill(words.prosecutor_highest_text, &[("rows", &rows)]), highest.clone()),
        (words.prosecutor_average, words.prosecutor_average_text.to_owned(), average.clone()),
        (words.rows_at_risk, words.rows_at_risk_text.to_owned(), words.share(risk.at_risk, risk.rows)),
        (words.journalist, words.journalist_text.to_owned(), at_most(&highest)),
        (words.marketer, words.marketer_text.to_owned(), at_most(&average)),
        (words.uniques, words.uniques_text.to_owned(), words.count(alone)),
    ];
    for (name, meaning, found) in figures {
        put!(page, "<tr><th scope=\"row\">{name}<p>{meaning}</p></th><td class=\"number\">{found}</td></tr>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::language::Language;

    fn page(sizes: &[(u64, u64)], form: Form) -> String {
        let mut page = Page::default();
        section(&mut page, Words::of(Language::English), form, &sizes.iter().copied().collect());
        String::from_utf8(page.into_bytes()).expect("text")
    }

    #[test]
    fn the_figures_are_those_of_the_sizes() {
        let page = page(&[(4, 3), (8, 1)], Form::Global);
        let found: Vec<&str> =
            page.split("class=\"number\">").skip(2).filter_map(|cell| cell.split('<').next()).collect();
        let (share, least) = ("20.0\u{a0}%", "25.0\u{a0}%");
        let bounds = [least, share].map(|share| format!("at most {share}"));
        assert_eq!(found, [least, share, "60.0\u{a0}%", &bounds[0], &bounds[1], "0"]);
        assert!(
            page.contains("the risk of 12\u{a0}rows in the smallest classes")
                && !page.contains("came with the same release")
        );
    }

    #[test]
    fn what_is_counted_is_said() {
        assert!(page(&[(1, 1)], Form::LastingLabels).contains("came with the same release"));
        assert!(page(&[(1, 1)], Form::OwnLabels).contains("<td class=\"number\">100\u{a0}%</td>"));
        assert!(page(&[], Form::OwnLabels).contains("There is no row"));
        assert!(page(&[(5, 2)], Form::TwoTables).contains("No figure is given"));
    }
}
