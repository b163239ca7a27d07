//! Checks the quotes of delimited text (RFC 4180) before the parser sees it. The parser takes text
//! after a closing quote for more of the field, and the end of the file for a closing quote; the
//! rows in between would become one cell and be published as that. Here a quoted field ends at its
//! closing quote, which must be followed by a delimiter, the end of the line or the end of the
//! file: after anything else rows cannot be separated, and nothing more is passed on.
//!
//! A quote inside an unquoted field is text, for the parser as well as here.
//!
//! Of an overlong field only the beginning is passed on, which is still too long: so only this
//! field is wrong, and memory does not depend on its length. Positions that the parser gives refer
//! to what was passed on.

use crate::wiped_bytes::WipedBytes;
use std::io::{self, BufReader, Read, Seek as _};
use std::ops::Range;

use super::content::Content;
use super::raw::{MOST_RAW, SecretBytes};
use crate::engine::histogram::MOST_TEXT;

/// The most bytes of a row, without the parts that are left out.
pub(crate) const LONGEST: usize = 1 << 24;
/// The most bytes of a field that are passed on: more than a value that consists of quotes may
/// have, each of them written twice.
const MOST_FIELD: usize = 2 * MOST_TEXT + 2;
/// The number of bytes that are processed together when a row is shortened.
const SLICE: usize = 1 << 16;
/// A UTF-8 byte order mark, which the parser skips at the beginning of a file.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The context of the next byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start of a field.
    Start,
    /// In a field without quotes.
    Bare,
    /// In a quoted field.
    Quoted,
    /// After a quote in a quoted field: the closing one, or the first of two.
    Quote,
}

/// Why the rows of a file end early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QuoteError {
    /// A quote that is never closed.
    #[error("a quote (\") is opened and never closed, so the rows after it cannot be separated")]
    Open,
    /// Text after a closing quote.
    #[error(
        "text follows the closing quote (\") of a field that is opened here: the rows after it cannot be separated; \
         inside a quoted field every quote is written twice"
    )]
    Text,
    /// More bytes than a row may have.
    #[error("the row is longer than 16 MiB, even without what is too long for a value")]
    Long,
}

/// A file whose quotes are checked.
pub(crate) struct Quotes {
    file: Content,
    delimiter: u8,
    place: Place,
    /// The number of bytes that were passed on, and the last of them: those that were passed on
    /// together.
    passed: u64,
    last: Vec<u8>,
    /// The beginning of the last quoted field.
    opened: Option<u64>,
    /// The number of bytes that were passed on since the end of the last row.
    row: usize,
    /// The number of bytes of the field that were passed on; the rest is left out when they are
    /// enough.
    field: usize,
    /// Whether the last byte is a quote that is not passed on yet, in a field whose rest is left
    /// out.
    held: bool,
    left_out: Vec<LeftOut>,
    broken: Option<QuoteError>,
}

/// Bytes that are not passed on.
#[derive(Clone, Copy, Default)]
struct LeftOut {
    /// The number of bytes that were passed on before them.
    at: u64,
    /// Their number, including all before them.
    bytes: u64,
    /// The number of line feeds among those.
    feeds: u64,
}

impl Quotes {
    /// Starts at the beginning of a file.
    pub(crate) fn new(file: Content, delimiter: u8) -> Quotes {
        Quotes {
            file,
            delimiter,
            place: Place::Start,
            passed: 0,
            last: Vec::new(),
            opened: None,
            row: 0,
            field: 0,
            held: false,
            left_out: Vec::new(),
            broken: None,
        }
    }

    /// The same file from its beginning; `None` if it is memory.
    pub(crate) fn again(&self) -> Option<Content> {
        self.file.again()
    }

    /// The bytes of the file between positions that the parser gives: unchanged, or without the
    /// parts that are left out if they would be too many; `None` if they still are.
    pub(crate) fn range(&self, range: Range<u64>) -> io::Result<Option<SecretBytes>> {
        let [from, to] =
            [range.start, range.end].map(|place| place + self.before_place(place).bytes);
        if to - from <= MOST_RAW as u64 {
            return self.file.range(from..to).map(Some);
        }
        let mut row = Quotes::new(Content::from(SecretBytes::of(b"")), self.delimiter);
        let mut short = WipedBytes::default();
        for at in (from..to).step_by(SLICE) {
            let part = self.file.range(at..to.min(at + SLICE as u64))?;
            let room = usize::from(row.held);
            let mut bytes = WipedBytes::from([&b"\""[..room], part.bytes()].concat());
            let good = row.watch(&mut bytes, room).0;
            short.extend_from_slice(&bytes[..good]);
            row.passed += good as u64;
            if short.len() > MOST_RAW {
                return Ok(None);
            }
        }
        if row.held {
            short.push(b'"');
        }
        Ok(Some(SecretBytes::of(&short)))
    }

    /// What was left out before a position that the parser gives.
    fn before_place(&self, place: u64) -> LeftOut {
        let before = self.left_out.partition_point(|one| one.at < place);
        before
            .checked_sub(1)
            .map_or(LeftOut::default(), |last| self.left_out[last])
    }

    /// The number of line feeds that were left out before a position that the parser gives.
    pub(crate) fn feeds(&self, place: u64) -> u64 {
        self.before_place(place).feeds
    }

    /// Starts a row.
    pub(crate) fn row(&mut self) {
        self.row = 0;
    }

    /// Whether any field so far is quoted.
    pub(crate) fn any(&self) -> bool {
        self.opened.is_some()
    }

    /// The byte before this position in the file, if the parser is not further behind than
    /// possible.
    pub(crate) fn before(&self, place: u64) -> Option<u8> {
        let back = usize::try_from(self.passed.checked_sub(place)?).ok()?;
        self.last
            .get(self.last.len().checked_sub(back + 1)?)
            .copied()
    }

    /// Why the rows ended, and how many bytes are before the field concerned.
    pub(crate) fn broken(&self) -> Option<(QuoteError, Option<u64>)> {
        self.broken
            .map(|broken| (broken, self.opened.filter(|_| broken != QuoteError::Long)))
    }

    /// Checks the bytes after `room` free ones, and moves those that are passed on to the front:
    /// returns their number, and whether the bytes up to the last one are valid, or the next one is
    /// wrong.
    fn watch(&mut self, bytes: &mut [u8], room: usize) -> (usize, bool) {
        let (mut at, mut good) = (room, 0);
        while at < bytes.len() {
            match self.place {
                Place::Start | Place::Bare => {
                    let end =
                        memchr::memchr(b'"', &bytes[at..]).map_or(bytes.len(), |quote| at + quote);
                    good = self.bare(bytes, at..end, good);
                    at = end;
                    if at == bytes.len() {
                        break;
                    }
                    if self.place == Place::Start {
                        let opened = self.passed
                            + good as u64
                            + self.left_out.last().map_or(0, |last| last.bytes);
                        (self.place, self.opened) = (Place::Quoted, Some(opened));
                    }
                    good = self.hand_on(bytes, at..at + 1, good);
                    at += 1;
                }
                Place::Quoted => {
                    let quote = memchr::memchr(b'"', &bytes[at..]);
                    let end = quote.map_or(bytes.len(), |quote| at + quote);
                    good = self.hand_on(bytes, at..end, good);
                    at = end;
                    if quote.is_some() {
                        self.place = Place::Quote;
                        self.held = self.field >= MOST_FIELD;
                        if !self.held {
                            good = self.hand_on(bytes, at..at + 1, good);
                        }
                        at += 1;
                    }
                }
                Place::Quote => {
                    let byte = bytes[at];
                    let held = std::mem::take(&mut self.held);
                    if byte == b'"' {
                        self.place = Place::Quoted;
                        // A doubled quote is left out completely, or not at all.
                        if held {
                            self.leave_out(2, 0, good);
                        } else {
                            bytes[good] = byte;
                            (good, self.field) = (good + 1, self.field + 1);
                        }
                    } else if self.ends_a_field(byte) {
                        self.place = Place::Start;
                        self.field = 0;
                        if held {
                            bytes[good] = b'"';
                            good += 1;
                        }
                        bytes[good] = byte;
                        good += 1;
                    } else {
                        return (good, false);
                    }
                    at += 1;
                }
            }
        }
        (good, true)
    }

    /// Fields without quotes, the last of which may continue.
    fn bare(&mut self, bytes: &mut [u8], range: Range<usize>, mut good: usize) -> usize {
        let Range { start: mut at, end } = range;
        while at < end {
            let [delimiter, feed, back] = [self.delimiter, b'\n', b'\r'];
            let near = end.min(at + MOST_FIELD.saturating_sub(self.field).max(1));
            // The last end of a field nearby, or the first one after it.
            let last =
                memchr::memrchr3(delimiter, feed, back, &bytes[at..near]).map(|last| at + last);
            let ends = last.or_else(|| {
                Some(near + memchr::memchr3(delimiter, feed, back, &bytes[near..end])?)
            });
            let field = ends.unwrap_or(end);
            good = self.hand_on(bytes, at..field, good);
            at = field;
            if ends.is_some() {
                bytes[good] = bytes[at];
                (good, at, self.field, self.place) = (good + 1, at + 1, 0, Place::Start);
            } else {
                self.place = Place::Bare;
            }
        }
        good
    }

    /// Passes on more of a field, unless it is too long.
    fn hand_on(&mut self, bytes: &mut [u8], range: Range<usize>, good: usize) -> usize {
        let Range { start, end } = range;
        let most = start + (end - start).min(MOST_FIELD.saturating_sub(self.field));
        if good != start {
            bytes.copy_within(start..most, good);
        }
        self.field += most - start;
        if most < end {
            let feeds = memchr::memchr_iter(b'\n', &bytes[most..end]).count();
            self.leave_out(end - most, feeds, good + most - start);
        }
        good + most - start
    }

    fn leave_out(&mut self, bytes: usize, feeds: usize, good: usize) {
        let at = self.passed + good as u64;
        let LeftOut {
            bytes: bytes_before,
            feeds: feeds_before,
            ..
        } = self.left_out.last().copied().unwrap_or_default();
        let (bytes, feeds) = (bytes_before + bytes as u64, feeds_before + feeds as u64);
        self.left_out.pop_if(|last| last.at == at);
        self.left_out.push(LeftOut { at, bytes, feeds });
    }

    fn ends_a_field(&self, byte: u8) -> bool {
        byte == self.delimiter || byte == b'\n' || byte == b'\r'
    }

    fn end(&mut self, broken: QuoteError) -> io::Result<usize> {
        self.broken = Some(broken);
        Err(io::ErrorKind::InvalidData.into())
    }
}

impl Read for Quotes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(broken) = self.broken {
                return self.end(broken);
            }
            if self.row > LONGEST {
                return self.end(QuoteError::Long);
            }
            // A quote that is held back precedes the bytes that are read.
            let room = usize::from(self.held);
            let mut read = self.file.read(&mut into[room..])?;
            // The parser looks for a byte order mark in the first bytes that it receives, so it
            // needs enough of them.
            while self.passed == 0 && (1..MARK.len()).contains(&read) {
                match self.file.read(&mut into[read..])? {
                    0 => break,
                    more => read += more,
                }
            }
            if read == 0 {
                match self.place {
                    Place::Quoted => return self.end(QuoteError::Open),
                    _ if !std::mem::take(&mut self.held) => return Ok(0),
                    _ => into[0] = b'"',
                }
                self.passed += 1;
                return Ok(1);
            }
            let mark = if self.passed == 0 && into[..read].starts_with(MARK) {
                MARK.len()
            } else {
                0
            };
            self.passed += mark as u64;
            let (good, whole) = self.watch(&mut into[mark..room + read], room);
            self.passed += good as u64;
            self.row += mark + good;
            if !whole {
                self.broken = Some(QuoteError::Text);
            }
            // All of it may have been left out.
            if mark + good > 0 {
                self.last.clear();
                self.last.extend_from_slice(&into[..mark + good]);
                return Ok(mark + good);
            }
        }
    }
}

/// `;` if the first line contains one outside quotes, otherwise `,`. The position returns to the
/// beginning of the file.
pub(crate) fn delimiter(file: &mut Content) -> io::Result<u8> {
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
        // Blank lines, and a byte order mark, precede the first line.
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
