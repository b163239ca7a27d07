//! A log line: text for people or a JSON object for programs (CONTRACTS 1, `log.format`).
//!
//! A line stays one line and has no effect on a terminal, whatever characters a name contains:
//! every character that is neither visible ASCII nor a letter or digit is escaped.
//!
//! Lines are formatted here and not by `tracing-subscriber`: their form is a contract, so
//! `tracing-subscriber` would need a formatter of our own as well; an event is one value from which
//! its line, metrics and health follow, not a macro call at the place where it happens; and each
//! test has an observer of its own, whereas a subscriber belongs to the whole process.

use std::fmt::{Display, Write};

use crate::config::LogFormat;

/// The level of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Normal operation.
    Info,
    /// An operator should look at it.
    Warn,
    /// An operator must act.
    Error,
}

impl Level {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

/// A line to which fields are added.
#[derive(Debug)]
pub struct LogLine {
    format: LogFormat,
    text: String,
}

impl LogLine {
    /// A line for an event of the whole process, or of a feed.
    pub fn new(
        format: LogFormat,
        at: jiff::Timestamp,
        level: Level,
        event: &'static str,
        feed: Option<&str>,
    ) -> LogLine {
        let mut line = LogLine {
            format,
            text: String::with_capacity(256),
        };
        match format {
            LogFormat::Text => {
                let _ = write!(line.text, "{at:.3} {:<5} {event}", level.word());
            }
            LogFormat::Json => {
                let _ = write!(
                    line.text,
                    r#"{{"time":"{at:.3}","level":"{}","event":"{event}""#,
                    level.word()
                );
            }
        }
        if let Some(feed) = feed {
            line.text("feed", feed);
        }
        line
    }

    /// Adds a number, written the same way in both forms.
    pub fn number(&mut self, key: &'static str, number: impl Display) {
        self.key(key);
        let _ = write!(self.text, "{number}");
    }

    /// Adds a text.
    pub fn text(&mut self, key: &'static str, text: &str) {
        self.key(key);
        self.value(text);
    }

    /// Adds names, in their order.
    pub fn list<'a>(&mut self, key: &'static str, names: impl IntoIterator<Item = &'a str>) {
        self.key(key);
        match self.format {
            LogFormat::Text => {
                let names: Vec<&str> = names.into_iter().collect();
                self.value(&names.join(","));
            }
            LogFormat::Json => {
                self.text.push('[');
                for (at, name) in names.into_iter().enumerate() {
                    if at > 0 {
                        self.text.push(',');
                    }
                    self.value(name);
                }
                self.text.push(']');
            }
        }
    }

    /// The complete line with its line end.
    pub fn end(mut self) -> String {
        self.text.push_str(if self.format == LogFormat::Json {
            "}\n"
        } else {
            "\n"
        });
        self.text
    }

    fn key(&mut self, key: &'static str) {
        let _ = match self.format {
            LogFormat::Text => write!(self.text, " {key}="),
            LogFormat::Json => write!(self.text, ",\"{key}\":"),
        };
    }

    /// Text without quotes if it cannot be misread, otherwise in quotes; JSON always in quotes.
    fn value(&mut self, value: &str) {
        let bare = |char: char| {
            char.is_alphanumeric() || matches!(char, '.' | '_' | '-' | ':' | '/' | '+' | ',')
        };
        if self.format == LogFormat::Text && !value.is_empty() && value.chars().all(bare) {
            return self.text.push_str(value);
        }
        self.text.push('"');
        for char in value.chars() {
            self.escaped(char);
        }
        self.text.push('"');
    }

    fn escaped(&mut self, char: char) {
        match char {
            '"' | '\\' => self.text.extend(['\\', char]),
            ' '..='~' => self.text.push(char),
            _ if char.is_alphanumeric() => self.text.push(char),
            _ if self.format == LogFormat::Text => self.text.extend(char.escape_default()),
            _ => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.text, "\\u{unit:04x}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(format: LogFormat, value: &str) -> String {
        let mut line = LogLine::new(
            format,
            jiff::Timestamp::UNIX_EPOCH,
            Level::Warn,
            "tried",
            Some("a-b"),
        );
        line.text("name", value);
        line.number("n", 7);
        line.list("checks", ["crowd", "chain"]);
        line.end()
    }

    #[test]
    fn names_break_no_line_and_draw_on_no_terminal() {
        for (name, text) in [
            ("ward-7.csv", "ward-7.csv"),
            ("a b", "\"a b\""),
            ("", "\"\""),
            ("x=1 feed=\"b\"", r#""x=1 feed=\"b\"""#),
            ("\n2026 info", r#""\n2026 info""#),
            ("\u{1b}[31m\u{9b}\u{202e}", r#""\u{1b}[31m\u{9b}\u{202e}""#),
            ("Zürich", "Zürich"),
        ] {
            let expected = format!(
                "1970-01-01T00:00:00.000Z warn  tried feed=a-b name={text} n=7 checks=crowd,chain\n"
            );
            assert_eq!(line(LogFormat::Text, name), expected);
        }
    }

    #[test]
    fn json_is_one_object_a_line_and_gives_names_back() {
        for name in [
            "ward-7.csv",
            "",
            "a\"b\\c",
            "\n\r\t\u{0}\u{1b}\u{7f}\u{9b}\u{2028}\u{202e}",
            "Zürich \u{1f3e5}",
        ] {
            let text = line(LogFormat::Json, name);
            assert!(
                text.ends_with("}\n") && !text.trim_end().contains(char::is_control),
                "{text:?}"
            );
            assert!(!text.contains(['\u{2028}', '\u{202e}']), "{text:?}");
            let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(read["name"], name);
            assert_eq!(read["checks"], serde_json::json!(["crowd", "chain"]));
            let keys: Vec<&String> = read.as_object().expect("an object").keys().collect();
            assert_eq!(
                keys,
                ["time", "level", "event", "feed", "name", "n", "checks"]
            );
        }
    }
}
