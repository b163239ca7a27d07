//! HTML for all pages of this program, written with `maud`: all content is escaped where it is
//! inserted. Only texts that are compiled into this program, which [`fixed`] takes, contain tags of
//! their own.

use std::borrow::Cow;
use std::fmt;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

/// The style of every page of this program, on a screen and on paper.
const STYLE: &str = include_str!("style.css");

/// A text of this program with its tags.
pub const fn fixed(text: &'static str) -> PreEscaped<&'static str> {
    PreEscaped(text)
}

/// A page: its language and title, its style in addition to `STYLE`, and its body.
pub fn document(
    language: &str,
    title: impl Render,
    style: &'static str,
    body: impl Render,
) -> Vec<u8> {
    let page = html! {
        (DOCTYPE)
        html lang=(language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (fixed(STYLE)) (fixed(style)) }
            }
            body { (body) }
        }
    };
    page.into_string().into_bytes()
}

/// A text from outside: a label or a name. Characters that HTML does not allow are replaced.
#[derive(Clone, Copy)]
pub struct Text<'a>(pub &'a str);

impl Render for Text<'_> {
    fn render_to(&self, buffer: &mut String) {
        let is_allowed = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n');
        let text = match self.0.chars().all(is_allowed) {
            true => Cow::Borrowed(self.0),
            false => self
                .0
                .chars()
                .map(|letter| {
                    if is_allowed(letter) {
                        letter
                    } else {
                        '\u{fffd}'
                    }
                })
                .collect(),
        };
        text.as_ref().render_to(buffer);
    }
}

/// A label or a name in the direction of its own script.
pub fn name(text: &str) -> Markup {
    html! { bdi { (Text(text)) } }
}

/// Labels or names with a separator.
pub fn names(texts: &[&str], between: &'static str) -> Markup {
    html! { @for (at, text) in texts.iter().enumerate() { @if at > 0 { (fixed(between)) } (name(text)) } }
}

/// A part of the page that scrolls sideways if it is wider than the screen; browsers do not show
/// its name.
pub fn wide(name: impl Render, inside: impl Render) -> Markup {
    html! {
        div class="wide" role="region" tabindex="0" aria-label=(name) { (inside) }
    }
}

/// The head of a table: columns of words, then columns of numbers.
pub fn head<W: Render, N: Render>(
    words: impl IntoIterator<Item = W>,
    numbers: impl IntoIterator<Item = N>,
) -> Markup {
    html! {
        thead { tr {
            @for word in words { th scope="col" { (word) } }
            @for number in numbers { th scope="col" class="number" { (number) } }
        } }
    }
}

/// Cells with numbers.
pub fn numbers<N: Render>(cells: impl IntoIterator<Item = N>) -> Markup {
    html! { @for cell in cells { td class="number" { (cell) } } }
}

/// A count: `12,345`.
pub struct GroupedDigits(pub u64);

impl fmt::Display for GroupedDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&grouped(self.0, ","))
    }
}

/// A count in groups of three digits.
pub fn grouped(count: u64, separator: &str) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 row`, `2 rows`.
pub struct CountedNoun(pub u64, pub &'static str);

impl fmt::Display for CountedNoun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}{}",
            GroupedDigits(self.0),
            self.1,
            if self.0 == 1 { "" } else { "s" }
        )
    }
}

/// A part of a whole in percent; 0 if the whole is 0.
pub fn percent(part: u64, whole: u64) -> f64 {
    assert!(part <= whole, "a part of the whole");
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

/// A bar whose width is the part's share of the whole.
pub fn bar(part: u64, whole: u64) -> Markup {
    let width = percent(part, whole);
    html! {
        svg class="bar" aria-hidden="true" { rect width=(format!("{width:.2}%")) height="100%" {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        let text = "<a href=\"x\">&\0\u{85}\n</a>";
        let escaped = "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}\u{fffd}\n&lt;/a&gt;";
        assert_eq!(Text(text).render().into_string(), escaped);
        assert_eq!(
            html! { p title=(Text(text)) {} }.into_string(),
            format!("<p title=\"{escaped}\"></p>")
        );
    }

    #[test]
    fn numbers_are_as_people_read_them() {
        let counts = [0, 12, 123, 1_234, 1_234_567].map(|count| GroupedDigits(count).to_string());
        assert_eq!(counts, ["0", "12", "123", "1,234", "1,234,567"]);
    }
}
