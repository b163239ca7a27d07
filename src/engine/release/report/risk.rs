//! The risk of re-identification (SCIENCE 12) as far as the sizes of classes give it: the
//! prosecutor's figures, which bound the journalist's and the marketer's. A page does not know the
//! population, so it estimates nothing.

use maud::{Markup, html};

use super::html::head;
use super::words::{Words, fill};
use super::{Form, Report};
use crate::risk::{Prosecutor, Sizes};

/// The section on risks.
pub(super) fn section(report: &Report) -> Markup {
    // Rows with equal labels that were published together.
    of_sizes(report.words, report.form, &report.sums.together().collect())
}

fn of_sizes(words: &Words, form: Form, sizes: &Sizes) -> Markup {
    html! {
        section id="risk" {
            h2 { (words.risk) }
            @match (form, Prosecutor::of(sizes)) {
                (Form::TwoTables, _) => p { (words.risk_two) },
                (_, None) => p { (words.risk_none) },
                (_, Some(risk)) => (table(words, form, &risk, sizes.of_size(1))),
            }
        }
    }
}

fn table(words: &Words, form: Form, risk: &Prosecutor, alone: u64) -> Markup {
    let counted = if form.keeps() {
        words.risk_counted_lasting
    } else {
        words.risk_counted
    };
    html! {
        p { (fill(words.risk_text, &[("counted", &counted)])) }
        table {
            (head([words.figure], [words.found]))
            tbody {
                @for (name, meaning, found) in lines(words, risk, alone) {
                    tr {
                        th scope="row" { (name) p { (meaning) } }
                        td class="number" { (found) }
                    }
                }
            }
        }
    }
}

/// Name, meaning and figure of each risk.
fn lines(words: &Words, risk: &Prosecutor, alone: u64) -> [(&'static str, Markup, Markup); 6] {
    let (highest, average) = (
        words.share(1, risk.smallest),
        words.share(risk.classes, risk.rows),
    );
    assert!(
        alone <= risk.rows && risk.at_risk <= risk.rows,
        "some of the rows"
    );
    let rows = words.many(risk.at_highest, words.row);
    let at_most = |share: &String| fill(words.at_most, &[("limit", share)]);
    let plain = |text: &str| html! { (text) };
    let meaning = fill(words.prosecutor_highest_text, &[("rows", &rows)]);
    [
        (words.prosecutor_highest, meaning, plain(&highest)),
        (
            words.prosecutor_average,
            plain(words.prosecutor_average_text),
            plain(&average),
        ),
        (
            words.rows_at_risk,
            plain(words.rows_at_risk_text),
            plain(&words.share(risk.at_risk, risk.rows)),
        ),
        (
            words.journalist,
            plain(words.journalist_text),
            at_most(&highest),
        ),
        (
            words.marketer,
            plain(words.marketer_text),
            at_most(&average),
        ),
        (
            words.uniques,
            plain(words.uniques_text),
            plain(&words.count(alone)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn page(sizes: &[(u64, u64)], form: Form) -> String {
        of_sizes(
            Words::of(Language::English),
            form,
            &sizes.iter().copied().collect(),
        )
        .into_string()
    }

    #[test]
    fn the_figures_are_those_of_the_sizes() {
        let page = page(&[(4, 3), (8, 1)], Form::Global);
        let found: Vec<&str> = page
            .split("class=\"number\">")
            .skip(2)
            .filter_map(|cell| cell.split('<').next())
            .collect();
        let (share, least) = ("20.0\u{a0}%", "25.0\u{a0}%");
        let bounds = [least, share].map(|share| format!("at most {share}"));
        assert_eq!(
            found,
            [least, share, "60.0\u{a0}%", &bounds[0], &bounds[1], "0"]
        );
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
