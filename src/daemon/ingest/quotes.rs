//! Watches the quotes of delimited text (RFC 4180) on its way to the parser. The parser takes text behind a closing quote
//! for more of the field, and the end of the file for the end of a quote; the rows between would become one cell and be
//! published as it. Here a quoted field is over at its closing quote, and what follows that is a delimiter, the end of the
//! line or the end of the file: from anything else on, rows cannot be told apart, and nothing more is handed on.
//!
//! A quote inside an unquoted field is text, for the parser as well as here.

use std::io::{self, BufReader, Read, Seek as _};
use std::ops::Range;

use super::content::Content;
use super::raw::Raw;

/// Bytes after which a row must have ended.
const LONGEST: usize = 1 << 24;
/// A mark of UTF-8, which the parser passes over at the beginning of a file.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Where the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start of a field.
    Start,
    /// In a field without quotes.
    Bare,
    /// In a quoted field.
    Quoted,
    /// Behind a quote in a quoted field: the closing one, or the first of two.
    Quote,
}

/// What ends the rows of a file before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A quote that nothing closes.
    #[error("a quote (\") is opened and never closed: the rows after it cannot be told apart")]
    Open,
    /// Text behind a closing quote.
    #[error(
        "text follows the closing quote (\") of a field that is opened here: the rows after it cannot be told apart; \
         inside a quoted field every quote is written twice"
    )]
    Text,
    /// More bytes than a row may have.
    #[error("the row is longer than 16 MiB")]
    Long,
}

/// A file whose quotes are watched.
pub struct Quotes {
    file: Content,
    delimiter: u8,
    place: Place,
    /// Bytes that were handed on, and the last of them: those that were handed on at once.
    passed: u64,
    last: Vec<u8>,
    /// Where the last quoted field begins.
    opened: Option<u64>,
    /// Bytes that were read since the last row ended.
    row: usize,
    broken: Option<Broken>,
}

impl Quotes {
    /// From the beginning of a file.
    pub fn new(file: Content, delimiter: u8) -> Quotes {
        Quotes { file, delimiter, place: Place::Start, passed: 0, last: Vec::new(), opened: None, row: 0, broken: None }
    }

    /// Bytes of the file as they stand there.
    pub fn range(&self, range: Range<u64>) -> io::Result<Raw> {
        self.file.range(range)
    }

    /// A row begins.
    pub fn row(&mut self) {
        self.row = 0;
    }

    /// Whether any field so far is quoted.
    pub fn any(&self) -> bool {
        self.opened.is_some()
    }

    /// The byte before this place in the file, if the parser is not further behind than it can be.
    pub fn before(&self, place: u64) -> Option<u8> {
        let back = usize::try_from(self.passed.checked_sub(place)?).ok()?;
        self.last.get(self.last.len().checked_sub(back + 1)?).copied()
    }

    /// What ended the rows, and how many bytes lie before the field that it is about.
    pub fn broken(&self) -> Option<(Broken, Option<u64>)> {
        self.broken.map(|broken| (broken, self.opened.filter(|_| broken != Broken::Long)))
    }

    /// How many of the next bytes may be handed on; fewer than all when the one behind them must not stand there.
    fn watch(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            match self.place {
                Place::Start | Place::Bare => {
                    let quote = memchr::memchr(b'"', rest);
                    let before = quote.unwrap_or(rest.len());
                    if let Some(&last) = rest[..before].last() {
                        self.place = if self.ends_a_field(last) { Place::Start } else { Place::Bare };
                    }
                    if quote.is_some() && self.place == Place::Start {
                        (self.place, self.opened) = (Place::Quoted, Some(self.passed + (at + before) as u64));
                    } else if quote.is_some() {
                        self.place = Place::Bare;
                    }
                    at += before + usize::from(quote.is_some());
                }
                Place::Quoted => {
                    let Some(quote) = memchr::memchr(b'"', rest) else { return bytes.len() };
                    self.place = Place::Quote;
                    at += quote + 1;
                }
                Place::Quote => {
                    self.place = match rest[0] {
                        b'"' => Place::Quoted,
                        byte if self.ends_a_field(byte) => Place::Start,
                        _ => return at,
                    };
                    at += 1;
                }
            }
        }
        at
    }

    fn ends_a_field(&self, byte: u8) -> bool {
        byte == self.delimiter || byte == b'\n' || byte == b'\r'
    }

    fn end(&mut self, broken: Broken) -> io::Result<usize> {
        self.broken = Some(broken);
        Err(io::ErrorKind::InvalidData.into())
    }
}

impl Read for Quotes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(broken) = self.broken {
            return self.end(broken);
        }
        if self.row > LONGEST {
            return self.end(Broken::Long);
        }
        let mut read = self.file.read(into)?;
        // The parser looks for a mark in the first bytes that it is given, so it is given enough of them.
        while self.passed == 0 && (1..MARK.len()).contains(&read) {
            match self.file.read(&mut into[read..])? {
                0 => break,
                more => read += more,
            }
        }
        if read == 0 && self.place == Place::Quoted {
            return self.end(Broken::Open);
        }
        let mark = if self.passed == 0 && into[..read].starts_with(MARK) { MARK.len() } else { 0 };
        self.passed += mark as u64;
        let good = self.watch(&into[mark..read]);
        self.passed += good as u64;
        self.row += mark + good;
        if read > 0 {
            self.last.clear();
            self.last.extend_from_slice(&into[..mark + good]);
        }
        if mark + good < read {
            self.broken = Some(Broken::Text);
            if mark + good == 0 {
                return self.end(Broken::Text);
            }
        }
        Ok(mark + good)
    }
}

/// `;` if the first line has one outside quotes, else `,`. Leaves the file at its beginning.
pub fn delimiter(file: &mut Content) -> io::Result<u8> {
    let (mut place, mut found, mut begun) = (Place::Start, b',', false);
    for byte in BufReader::new(file.by_ref()).bytes() {
        let byte = byte?;
        let quoted = matches!(place, Place::Quoted);
        match byte {
            b';' if !quoted => {
                found = b';';
                break;
            }
            b'\n' | b'\r' if !quoted && begun => break,
            _ => {}
        }
        // Blank lines, and a mark of UTF-8, come before the first line.
        begun |= !matches!(byte, b'\n' | b'\r');
        place = match (place, byte) {
            (Place::Start | Place::Quote, b'"') => Place::Quoted,
            (Place::Quoted, b'"') => Place::Quote,
            (Place::Quoted, _) => Place::Quoted,
            (Place::Start, _) if MARK.contains(&byte) => Place::Start,
            (_, b',' | b'\n' | b'\r') => Place::Start,
            _ => Place::Bare,
        };
    }
    file.rewind()?;
    Ok(found)
}
