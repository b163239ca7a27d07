//! The risk of re-identification (SCIENCE 12) as far as the sizes of crowds tell it: the prosecutor's figures, and that they bound the
//! journalist's and the marketer's. A page knows no population, so it estimates nothing.

use super::html::{Count, Page, Share, put};
use super::recoding::Form;
use crate::risk::{Prosecutor, Sizes};

/// The section on risks; `sizes` are those of rows with equal labels that came together.
pub fn write(page: &mut Page, sizes: &Sizes, form: Form) {
    put!(page, "<section id=\"risk\">\n<h2>Risk of re-identification</h2>\n");
    if form == Form::Two {
        put!(
            page,
            "<p>No figure is given. One table shows the columns of everybody as they are, so an attacker who knows them can find the \
            row. A crowd hides which sensitive value belongs to it.</p>\n</section>\n"
        );
        return;
    }
    let Some(risk) = Prosecutor::of(sizes) else {
        put!(page, "<p>There is no row.</p>\n</section>\n");
        return;
    };
    let counted = match form {
        Form::Crowds { .. } => {
            "Rows count as one crowd if they have equal labels and came with the same release. The labels of other crowds may fit the \
             person as well, so the figures are bounds from above"
        }
        _ => "Rows count as one crowd if they have equal labels",
    };
    put!(
        page,
        "<p>The chance that an attacker who knows the columns above of a person picks the row of this person, from this table alone. \
        {counted}. What the comparison of releases adds stands under <a href=\"#checks\">checks</a>.</p>\n<table>\n<thead><tr>\
        <th scope=\"col\">Figure</th><th scope=\"col\" class=\"number\">Found</th></tr></thead>\n<tbody>\n"
    );
    lines(page, &risk, sizes.of_size(1));
    put!(page, "</tbody>\n</table>\n</section>\n");
}

fn lines(page: &mut Page, risk: &Prosecutor, alone: u64) {
    let (highest, average) = (Share(1, risk.smallest), Share(risk.classes, risk.rows));
    let at_highest = format!("It is that of {} in the smallest crowds", rows(risk.at_highest));
    let figures: [(&str, &str, String); 6] = [
        (
            "Prosecutor risk, highest",
            &format!("The attacker knows that the person is in the table. {at_highest}"),
            highest.to_string(),
        ),
        ("Prosecutor risk, average", "The mean over all rows: crowds divided by rows", average.to_string()),
        (
            "Rows above 20\u{a0}%",
            "The share of rows in crowds of fewer than five",
            Share(risk.at_risk, risk.rows).to_string(),
        ),
        (
            "Journalist risk, highest",
            "The attacker does not know whether the person is in the table. A crowd is at least as large among all people from whom \
             the rows come, so the risk is no larger than the prosecutor's",
            format!("at most {highest}"),
        ),
        (
            "Marketer risk",
            "The share of rows that an attacker is expected to get right who tries with all of them",
            format!("at most {average}"),
        ),
        (
            "Sample uniques",
            "Rows that no other row shares its crowd with. Only such a person can be unique among all people from whom the rows come",
            Count(alone).to_string(),
        ),
    ];
    for (name, meaning, found) in figures {
        put!(page, "<tr><th scope=\"row\">{name}<p>{meaning}.</p></th><td class=\"number\">{found}</td></tr>\n");
    }
}

fn rows(count: u64) -> String {
    format!("{} row{}", Count(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(sizes: &[(u64, u64)], form: Form) -> String {
        let mut page = Page::default();
        write(&mut page, &sizes.iter().copied().collect(), form);
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
            page.contains("that of 12 rows in the smallest crowds") && !page.contains("came with the same release")
        );
    }

    #[test]
    fn what_is_counted_is_said() {
        assert!(page(&[(1, 1)], Form::Crowds { masked: false }).contains("came with the same release"));
        assert!(page(&[(1, 1)], Form::Local).contains("<td class=\"number\">100\u{a0}%</td>"));
        assert!(page(&[], Form::Local).contains("There is no row"));
        assert!(page(&[(5, 2)], Form::Two).contains("No figure is given"));
    }
}
