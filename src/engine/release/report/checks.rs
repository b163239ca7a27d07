//! The checks in words: what each asks, its limit, and, where that is public, its figure and the margin. A check that was
//! not made is said to be not made, whatever the reason.

use super::html::{Count, Page, Text, put};
use super::known::{Known, Side, known};
use crate::release::figure::{CheckLine, Figure};

/// From here on a figure is told by its power of ten.
const LARGE: f64 = 1e9;

/// The section on checks.
pub fn write(page: &mut Page, checks: &[CheckLine], crowds: bool) {
    put!(
        page,
        "<section id=\"checks\">\n<h2>Checks</h2>\n<p>Before it was published this release was attacked as a reader \
        could attack it. It was published because every check that was made has passed; what was not made protects \
        nobody.</p>\n"
    );
    if checks.is_empty() {
        put!(page, "<p class=\"warning\">No check was made.</p>\n</section>\n");
        return;
    }
    put!(page, "<table class=\"cards\">\n<thead><tr><th scope=\"col\">Check</th><th scope=\"col\">Outcome</th>");
    put!(page, "<th scope=\"col\" class=\"number\">Found</th><th scope=\"col\" class=\"number\">Limit</th>");
    put!(page, "<th scope=\"col\" class=\"number\">Margin</th></tr></thead>\n<tbody>\n");
    for line in checks {
        let about = known(&line.check, crowds);
        put!(page, "<tr{}>", if line.made { "" } else { " class=\"missing\"" });
        match about {
            Some(about) => put!(page, "<th scope=\"row\">{}<p>{}</p></th>", about.title, about.meaning),
            None => put!(page, "<th scope=\"row\"><code>{}</code></th>", Text(&line.check)),
        }
        put!(page, "<td data-label=\"Outcome\">{}</td>", outcome(line, about));
        let cells = [
            ("Found", line.value.filter(|_| line.made).map(|value| show(value).to_string())),
            ("Limit", line.limit.map(|limit| format!("{}{}", limit_words(about), show(limit)))),
            ("Margin", margin(line, about).map(|margin| show(margin).to_string())),
        ];
        for (name, cell) in cells {
            put!(page, "<td class=\"number\" data-label=\"{name}\">{}</td>", cell.as_deref().unwrap_or("–"));
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n</section>\n");
}

fn outcome(line: &CheckLine, about: Option<&Known>) -> &'static str {
    match (line.made, line.value, line.limit) {
        (false, ..) => "<b>not made</b>",
        (true, None, Some(_)) => "passed; the figure is private",
        (true, None, None) => "passed",
        (true, Some(_), None) => "reported",
        (true, Some(value), Some(limit)) if about.is_some_and(|about| !about.side.holds(value, limit)) => {
            "<b>beyond its limit</b>"
        }
        (true, Some(_), Some(_)) => "passed",
    }
}

impl Side {
    fn holds(self, value: Figure, limit: Figure) -> bool {
        match self {
            Side::AtLeast => value.get() >= limit.get(),
            Side::AtMost => value.get() <= limit.get(),
            Side::Below => value.get() < limit.get(),
            Side::Neither => true,
        }
    }
}

fn limit_words(about: Option<&Known>) -> &'static str {
    match about.map(|about| about.side) {
        Some(Side::AtLeast) => "at least ",
        Some(Side::AtMost) => "at most ",
        Some(Side::Below) => "less than ",
        Some(Side::Neither) | None => "",
    }
}

/// How far a figure keeps from its limit.
fn margin(line: &CheckLine, about: Option<&Known>) -> Option<Figure> {
    let (value, limit) = (line.value?, line.limit?);
    let side = about?.side;
    if !line.made || side == Side::Neither || !side.holds(value, limit) {
        return None;
    }
    match (value, limit) {
        (Figure::Whole(value), Figure::Whole(limit)) => Some(Figure::Whole(value.abs_diff(limit))),
        _ => Figure::real((value.get() - limit.get()).abs()),
    }
}

/// Counts in full, other figures with four digits behind the point at most, and very large ones by their power of ten.
fn show(figure: Figure) -> String {
    match figure {
        Figure::Whole(count) => Count(count).to_string(),
        Figure::Real(number) if number.get() >= LARGE => format!("{:.1e}", number.get()),
        Figure::Real(number) => {
            let text = format!("{:.4}", number.get());
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}
