//! The compact protocol of Thrift, in which Parquet describes its files and pages: a sequence of
//! fields, with skipping of unwanted ones. Nothing is allocated, and the time is linear in the
//! bytes.

/// The most levels of nested structures and lists that are skipped.
const DEEPEST: u8 = 24;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
/// A truth value as a field: its type contains the value.
pub(super) const BOOLEAN: u8 = TRUE;
pub(super) const I8: u8 = 3;
pub(super) const I16: u8 = 4;
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
pub(super) const DOUBLE: u8 = 7;
pub(super) const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;

/// Whether a field of this type is a truth value.
pub(super) fn is_truth(wire: u8) -> bool {
    matches!(wire, TRUE | FALSE)
}

/// Reads bytes of the compact protocol sequentially.
pub(super) struct Compact<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Compact<'b> {
    /// Starts at the beginning of these bytes.
    pub(super) fn new(bytes: &'b [u8]) -> Compact<'b> {
        Compact { bytes, at: 0 }
    }

    /// The number of bytes that were read.
    pub(super) fn read(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A whole number with a sign.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// The number and type of the next field, after the one with number `last`; the inner value is
    /// `None` at the end of the structure. A number has 16 bits: the library truncates a longer
    /// one.
    pub(super) fn field(&mut self, last: &mut i16) -> Option<Option<(i16, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let step = i16::from(head >> 4);
        *last = if step == 0 {
            i16::try_from(self.signed()?).ok()?
        } else {
            last.checked_add(step)?
        };
        Some(Some((*last, head & 0x0f)))
    }

    /// Skips a value.
    pub(super) fn skip(&mut self, wire: u8, depth: u8) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match wire {
            TRUE | FALSE => {}
            I8 => _ = self.byte()?,
            I16 | I32 | I64 => _ = self.unsigned()?,
            DOUBLE => self.pass(8)?,
            BINARY => {
                let length = self.unsigned()?;
                self.pass(length)?;
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                self.each(count, |thrift| thrift.element(kind, depth))?;
            }
            MAP => {
                let count = self.unsigned()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                self.each(count, |thrift| {
                    thrift.element(kinds >> 4, depth)?;
                    thrift.element(kinds & 0x0f, depth)
                })?;
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, wire)) = self.field(&mut last)? {
                    self.skip(wire, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The number of elements of a list, and their type.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 {
            self.unsigned()?
        } else {
            u64::from(head >> 4)
        };
        Some((count, head & 0x0f))
    }

    /// An element of a list, which is no truth value.
    fn element(&mut self, wire: u8, depth: u8) -> Option<()> {
        if matches!(wire, TRUE | FALSE) {
            None
        } else {
            self.skip(wire, depth + 1)
        }
    }

    /// Reads `count` elements; each takes at least one byte, so that a wrong count ends at the end
    /// of the bytes.
    fn each(&mut self, count: u64, mut one: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        (0..count).try_for_each(|_| one(self))
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.at = self.at.checked_add(usize::try_from(bytes).ok()?)?;
        (self.at <= self.bytes.len()).then_some(())
    }
}
