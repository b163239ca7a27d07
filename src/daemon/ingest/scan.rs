//! Finds the beginning and end of values in a JSON text (RFC 8259, but less strict): a string ends
//! at its next bare quote, an object or a list where its brackets are closed, any other value at
//! the next comma or closing bracket. It does not examine the content in between, so that an
//! invalid value can be separated from the others.

use std::borrow::Cow;

/// Replaces bytes that are no UTF-8: no JSON contains it, inside a string or outside.
pub(super) const STRANGE: u8 = 1;

/// A JSON text, read sequentially.
pub(crate) struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'t str) -> Scan<'t> {
        Scan { text, at: 0 }
    }

    /// Skips white space, and this byte if it is next; returns whether it was.
    pub(crate) fn is(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Whether only white space is left.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes
            .get(self.at)
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// The next string with its quotes; `None` if no string is next, or it does not end.
    pub(crate) fn string(&mut self) -> Option<&'t str> {
        self.is(b'"').then_some(())?;
        let from = self.at - 1;
        self.end_of_string()?;
        self.text.get(from..self.at)
    }

    /// The next value in its written form, without surrounding white space; empty if there is none.
    /// `None` if its end cannot be found.
    pub(crate) fn value(&mut self) -> Option<&'t str> {
        let first = self.peek()?;
        let from = self.at;
        match first {
            b'"' => {
                self.at += 1;
                self.end_of_string()?;
            }
            b'{' | b'[' => self.end_of_brackets()?,
            _ => {
                let rest = &self.text.as_bytes()[from..];
                self.at += rest
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'}' | b']'))?;
            }
        }
        self.text.get(from..self.at).map(str::trim_ascii_end)
    }

    /// Moves after the quote that ends a string.
    fn end_of_string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        loop {
            self.at += memchr::memchr2(b'"', b'\\', bytes.get(self.at..)?)?;
            if bytes[self.at] == b'"' {
                self.at += 1;
                return Some(());
            }
            self.at += 2;
        }
    }

    /// Moves after the bracket that closes the next one.
    fn end_of_brackets(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut open = 0_usize;
        loop {
            let byte = *bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => self.end_of_string()?,
                b'{' | b'[' => open += 1,
                b'}' | b']' => {
                    open -= 1;
                    if open == 0 {
                        return Some(());
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether a text is a JSON number.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |text: &'_ [u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let whole = digits(text);
    if whole == 0 || whole > 1 && text[0] == b'0' {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(behind) = rest.strip_prefix(b".") {
        let fraction = digits(behind);
        if fraction == 0 {
            return false;
        }
        rest = &behind[fraction..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// A line or message as text. Every run of bytes that is no UTF-8 becomes a byte that no JSON
/// contains: so only the field that contains it is wrong.
pub(crate) fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::from(STRANGE));
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        let good = [
            "0",
            "-0",
            "10",
            "-1.50",
            "1e5",
            "1E+05",
            "0.1e-9",
            "123456789012345678901234567890",
        ];
        let bad = [
            "", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "0x1", "NaN", "Infinity",
            "1 2", "1_0",
        ];
        good.iter()
            .for_each(|text| assert!(is_number(text), "{text}"));
        bad.iter()
            .for_each(|text| assert!(!is_number(text), "{text}"));
        for text in good.into_iter().chain(bad) {
            assert_eq!(
                serde_json::from_str::<serde_json::Number>(text).is_ok(),
                is_number(text),
                "{text}"
            );
        }
    }

    #[test]
    fn values_end_where_they_end() {
        for (text, value, rest) in [
            (" 12 ,", Some("12"), ","),
            ("NaN}", Some("NaN"), "}"),
            (",", Some(""), ","),
            (r#""a\",b","#, Some(r#""a\",b""#), ","),
            ("\"a\nb\"}", Some("\"a\nb\""), "}"),
            (r#"{"a":"}",b:[}}, "#, Some(r#"{"a":"}",b:[}}"#), ", "),
            ("[1,[2]],", Some("[1,[2]]"), ","),
            ("\"a", None, ""),
            ("\"a\\\"", None, ""),
            ("[1", None, ""),
            ("12", None, ""),
        ] {
            let mut scan = Scan::new(text);
            assert_eq!(scan.value(), value, "{text}");
            assert!(value.is_none() || text[scan.at..] == *rest, "{text}");
        }
    }
}
