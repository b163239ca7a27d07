//! Writing HTML: text that is escaped, numbers as people read them. Labels and names get into the page through [`Text`]
//! only.

use std::fmt;
use std::fmt::Write as _;

/// A page that is being written.
#[derive(Default)]
pub struct Page(String);

impl Page {
    /// Adds to the page.
    pub fn put(&mut self, text: fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("memory takes text");
    }

    /// The page.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

/// `put!(page, "…", …)`: adds formatted HTML to a page.
#[doc(hidden)]
#[macro_export]
macro_rules! put {
    ($page:expr, $($text:tt)*) => { $page.put(format_args!($($text)*)) };
}
#[doc(inline)]
pub use put;

/// How every page of this program looks, on a screen and on paper.
pub const STYLE: &str = include_str!("style.css");

/// Text between tags or in a quoted attribute.
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            // Not allowed in HTML.
            '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' => f.write_char('\u{fffd}'),
            _ => f.write_char(letter),
        })
    }
}

/// Begins a part of the page that scrolls sideways where it is wider than the screen; its name is shown by no browser. It ends with
/// `</div>`.
pub struct WideSection<'a>(pub &'a str);

impl fmt::Display for WideSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">", self.0)
    }
}

/// A count: `12,345`.
pub struct GroupedDigits(pub u64);

impl fmt::Display for GroupedDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

/// A count with its noun: `1 row`, `2 rows`.
pub struct Many(pub u64, pub &'static str);

impl fmt::Display for Many {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", GroupedDigits(self.0), self.1, if self.0 == 1 { "" } else { "s" })
    }
}

/// A part of a whole in percent; 0 of nothing.
pub fn percent(part: u64, whole: u64) -> f64 {
    assert!(part <= whole, "a part of the whole");
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// A bar as wide as the part is of the whole.
pub struct Bar(pub u64, pub u64);

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = percent(self.0, self.1);
        write!(f, "<svg class=\"bar\" aria-hidden=\"true\"><rect width=\"{width:.2}%\" height=\"100%\"/></svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupedDigits, Text};

    #[test]
    fn text_cannot_leave_its_place() {
        assert_eq!(
            Text("<a href=\"x\">&'\0\u{85}\n</a>").to_string(),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}\u{fffd}\n&lt;/a&gt;"
        );
    }

    #[test]
    fn numbers_are_as_people_read_them() {
        let counts = [0, 12, 123, 1_234, 1_234_567].map(|count| GroupedDigits(count).to_string());
        assert_eq!(counts, ["0", "12", "123", "1,234", "1,234,567"]);
    }
}
