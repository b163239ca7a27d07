//! Shortens a line of JSON that is too long to be in memory. It leaves out arrays and objects that
//! no column reads, and replaces a value that is longer than any column accepts by a marker, so
//! that one long field does not affect the others. The caller passes the line in pieces of any
//! size.

use std::sync::Arc;

use super::json::{LONG, MOST_WRITTEN, key};
use super::paths::FieldPaths;

/// The shortened line so far.
pub(crate) struct Shorten {
    paths: Arc<FieldPaths>,
    /// The most bytes of the shortened line.
    most: usize,
    /// The open objects and lists.
    open: Vec<Level>,
    at: BytePlace,
    short: Vec<u8>,
    /// The beginning of the text or number that is being read.
    from: usize,
}

/// An open object or list.
struct Level {
    /// Its node.
    node: usize,
    /// The index of the next value of a list; `None` for an object.
    place: Option<usize>,
    /// The node of the last key.
    child: Option<usize>,
    /// Whether a key is next.
    key: bool,
}

/// The context of the next byte.
#[derive(Clone, Copy)]
enum BytePlace {
    /// Between values.
    Between,
    /// A text; whether the byte is escaped, and whether it is left out.
    Text { escaped: bool, left_out: bool },
    /// Any other value without brackets.
    Bare { left_out: bool },
    /// An array or object of which every part is kept, since its content decides whether it is read:
    /// how deep its brackets nest here, whether the next byte is in a string, and whether a backslash
    /// escapes it.
    Kept {
        deep: usize,
        text: bool,
        escaped: bool,
    },
    /// An array or object that no column reads: how deep its brackets nest here, whether the next
    /// byte is in a string, and whether a backslash escapes it.
    Unread {
        deep: usize,
        text: bool,
        escaped: bool,
    },
}

impl Shorten {
    /// For a line of which these fields are read, with at most this many bytes.
    pub(crate) fn new(paths: &Arc<FieldPaths>, most: usize) -> Shorten {
        let (open, short) = (Vec::new(), Vec::new());
        Shorten {
            paths: Arc::clone(paths),
            most,
            open,
            at: BytePlace::Between,
            short,
            from: 0,
        }
    }

    /// Adds the next bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.short.len() <= self.most {
                self.step(byte);
            }
        }
    }

    /// The line, if it is short enough now.
    pub(crate) fn line(self) -> Option<Vec<u8>> {
        (self.short.len() <= self.most).then_some(self.short)
    }

    fn step(&mut self, byte: u8) {
        match &mut self.at {
            BytePlace::Between => self.between(byte),
            BytePlace::Text { escaped, left_out } => {
                let ends = byte == b'"' && !*escaped;
                *escaped = byte == b'\\' && !*escaped;
                if !*left_out || ends {
                    self.short.push(byte);
                }
                if !*left_out && self.short.len() - self.from > MOST_WRITTEN {
                    *left_out = true;
                    self.short.truncate(self.from + 1);
                    self.short.push(LONG);
                    if ends {
                        self.short.push(byte);
                    }
                }
                if ends {
                    self.at = BytePlace::Between;
                    self.text();
                }
            }
            BytePlace::Bare { left_out } => {
                if matches!(byte, b',' | b'}' | b']') {
                    self.between(byte);
                } else if !*left_out {
                    self.short.push(byte);
                    if self.short.len() - self.from > MOST_WRITTEN {
                        *left_out = true;
                        self.short.truncate(self.from);
                        self.short.push(LONG);
                    }
                }
            }
            BytePlace::Kept {
                deep,
                text,
                escaped,
            } => {
                self.short.push(byte);
                if *text {
                    *text = byte != b'"' || *escaped;
                    *escaped = byte == b'\\' && !*escaped;
                    return;
                }
                match byte {
                    b'"' => *text = true,
                    b'{' | b'[' => *deep += 1,
                    b'}' | b']' => *deep -= 1,
                    _ => {}
                }
                if *deep == 0 {
                    self.at = BytePlace::Between;
                }
            }
            BytePlace::Unread {
                deep,
                text,
                escaped,
            } => {
                if *text {
                    *text = byte != b'"' || *escaped;
                    *escaped = byte == b'\\' && !*escaped;
                    return;
                }
                match byte {
                    b'"' => *text = true,
                    b'{' | b'[' => *deep += 1,
                    b'}' | b']' => *deep -= 1,
                    _ => {}
                }
                if *deep == 0 {
                    self.at = BytePlace::Between;
                    self.short.push(byte);
                }
            }
        }
    }

    fn between(&mut self, byte: u8) {
        self.at = BytePlace::Between;
        if matches!(byte, b' ' | b'\t' | b'\r') {
            return;
        }
        self.from = self.short.len();
        self.short.push(byte);
        match byte {
            b'"' => {
                self.at = BytePlace::Text {
                    escaped: false,
                    left_out: false,
                }
            }
            b'{' | b'[' => {
                let node = self.next().filter(|&node| !self.paths.node(node).is_last());
                match node {
                    Some(node) if byte == b'[' && !self.paths.node(node).picks.is_empty() => {
                        self.at = BytePlace::Kept {
                            deep: 1,
                            text: false,
                            escaped: false,
                        }
                    }
                    Some(node) => {
                        let list = byte == b'[';
                        self.open.push(Level {
                            node,
                            place: list.then_some(0),
                            child: None,
                            key: !list,
                        });
                    }
                    None => {
                        self.at = BytePlace::Unread {
                            deep: 1,
                            text: false,
                            escaped: false,
                        }
                    }
                }
            }
            b'}' | b']' => drop(self.open.pop()),
            b',' => {
                if let Some(level) = self.open.last_mut() {
                    level.key = level.place.is_none();
                    level.place = level.place.map(|place| place + 1);
                }
            }
            b':' => {}
            _ => self.at = BytePlace::Bare { left_out: false },
        }
    }

    /// The node of the next value.
    fn next(&self) -> Option<usize> {
        let Some(level) = self.open.last() else {
            return Some(0);
        };
        match level.place {
            Some(place) => self.paths.node(level.node).item(place),
            None => level.child,
        }
    }

    /// Ends a text, which may be a key.
    fn text(&mut self) {
        let Some(level) = self.open.last_mut().filter(|level| level.key) else {
            return;
        };
        level.key = false;
        level.child =
            key(&self.short[self.from..]).and_then(|key| self.paths.node(level.node).child(&key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FeedConfig;

    fn paths() -> Arc<FieldPaths> {
        let column = |name: &str, path: &str| {
            format!("[[column]]\nname = \"{name}\"\nrole = \"sensitive\"\npath = \"{path}\"\n")
        };
        let quasi = "[[column]]\nname = \"q\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"A\"] }\n";
        let feed = format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 2\n{quasi}{}{}",
            column("s", "$.s"),
            column("d", "$.d.e[1]")
        );
        let columns = FeedConfig::parse(&feed, std::path::Path::new("feed.toml"))
            .expect("a feed file")
            .columns;
        Arc::new(FieldPaths::of(&columns.iter().collect::<Vec<_>>()))
    }

    #[test]
    fn unread_columns_are_left_out_and_long_values_marked() {
        let long = "x".repeat(MOST_WRITTEN);
        let most = "x".repeat(MOST_WRITTEN - 2);
        for (line, wanted) in [
            (
                r#"{"q": "A", "s" : [1, {"a":"]"}], "o":{"s":[2]}}"#.to_owned(),
                r#"{"q":"A","s":[],"o":{}}"#.to_owned(),
            ),
            (
                format!(r#"{{"q":"{most}","s":"{long}","x":{long}}}"#),
                format!("{{\"q\":\"{most}\",\"s\":\"\u{2}\",\"x\":{long}}}"),
            ),
            (
                format!(r#"{{"q":"\"{long}\\","s":1{long}}}"#),
                "{\"q\":\"\u{2}\",\"s\":\u{2}}".to_owned(),
            ),
            (
                r#"{"d":{"e":[{"f":[1]},[2],"b",[]],"f":{"e":1}}}"#.to_owned(),
                r#"{"d":{"e":[{},[],"b",[]],"f":{}}}"#.to_owned(),
            ),
            (
                r#"{"\u0064":{"e":[0,"b"]},"d\"":{"e":[]}}"#.to_owned(),
                r#"{"\u0064":{"e":[0,"b"]},"d\"":{}}"#.to_owned(),
            ),
            ("[[1,2],".to_owned(), "[[],".to_owned()),
            ("]}}a".to_owned(), "]}}a".to_owned()),
        ] {
            // For any division into pieces.
            for size in [1, 7, line.len()] {
                let mut shorten = Shorten::new(&paths(), 1 << 24);
                line.as_bytes()
                    .chunks(size)
                    .for_each(|bytes| shorten.add(bytes));
                let short = shorten.line().expect("it is short");
                assert!(
                    short == wanted.as_bytes(),
                    "{} {size}",
                    &line[..line.len().min(60)]
                );
            }
        }
    }

    #[test]
    fn what_stays_too_long_is_none() {
        let mut shorten = Shorten::new(&paths(), 100);
        shorten.add(b"{");
        shorten.add("\"k\":0,".repeat(100).as_bytes());
        assert!(shorten.line().is_none());
    }
}
