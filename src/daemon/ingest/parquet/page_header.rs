//! Headers of pages, as the format of Parquet writes them (Thrift, compact protocol): what a page says of its size is known
//! before any of it is unpacked. Statistics and everything else that a header may hold are passed over. Also whether the description of a
//! file can be read in a time that follows its length.

/// Structures and lists inside each other at most; the format needs eight.
const DEEPEST: u8 = 16;

/// Whether the description of a file is one structure whose lists are no longer than its bytes. The library does not pass over lists of
/// truth values as the protocol writes them: they cost it no bytes, and any time. The format has none.
pub fn is_sound(description: &[u8]) -> bool {
    let mut thrift = Compact { bytes: description, at: 0 };
    thrift.skip(STRUCT, 0).is_some()
}

/// What a page says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageHeader {
    /// What the page holds.
    pub holds: Holds,
    /// Bytes in the file, behind the header.
    pub packed: u64,
    /// Bytes when it is unpacked.
    pub unpacked: u64,
    /// Values, nulls included.
    pub values: u64,
    /// The number of the encoding of its values.
    pub encoding: i64,
    /// Bytes of levels in front that are never packed.
    pub levels: u64,
    /// Bytes of the header itself.
    pub size: usize,
}

/// What a page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Values of rows, version 1 of the format.
    Data,
    /// Values of rows, version 2 of the format.
    DataV2,
    /// Values that the other pages refer to.
    Dictionary,
    /// What readers pass over.
    Index,
}

impl PageHeader {
    /// Reads a header at the beginning of these bytes; `None` where they are none, or not all of one.
    pub fn parse(bytes: &[u8]) -> Option<PageHeader> {
        let mut thrift = Compact { bytes, at: 0 };
        let (mut kind, mut sizes, mut about) = (None, [None; 2], [0; 4]);
        let mut last = 0;
        while let Some((id, wire)) = thrift.field(&mut last)? {
            match (id, wire) {
                (1, I32) => kind = Some(thrift.signed()?),
                (2 | 3, I32) => sizes[usize::from(id == 3)] = u64::try_from(thrift.signed()?).ok(),
                // Of version 1, of a dictionary, of version 2.
                (5 | 7 | 8, STRUCT) => about = thrift.about(id == 8)?,
                _ => thrift.skip(wire, 0)?,
            }
        }
        let holds = match kind? {
            0 => Holds::Data,
            1 => Holds::Index,
            2 => Holds::Dictionary,
            3 => Holds::DataV2,
            _ => return None,
        };
        let count = |number: i64| u64::try_from(number).ok();
        let [values, encoding, definitions, repetitions] = about;
        let levels = count(definitions)?.checked_add(count(repetitions)?)?;
        let (unpacked, packed, values) = (sizes[0]?, sizes[1]?, count(values)?);
        Some(PageHeader { holds, packed, unpacked, values, encoding, levels, size: thrift.at })
    }
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Bytes of the compact protocol, read from front to back.
struct Compact<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Compact<'_> {
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

    fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// Number and type of the next field, behind the one with this number; `None` inside at the end of the structure.
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let step = i64::from(head >> 4);
        *last = if step == 0 { self.signed()? } else { last.checked_add(step)? };
        Some(Some((*last, head & 0x0f)))
    }

    /// Values, encoding and bytes of two kinds of levels, of the part of a header that tells them.
    fn about(&mut self, second: bool) -> Option<[i64; 4]> {
        let (mut found, mut last) = ([0; 4], 0);
        while let Some((id, wire)) = self.field(&mut last)? {
            match (id, wire) {
                (1, I32) => found[0] = self.signed()?,
                (2, I32) if !second => found[1] = self.signed()?,
                (4, I32) if second => found[1] = self.signed()?,
                (5 | 6, I32) if second => found[usize::from(id == 6) + 2] = self.signed()?,
                _ => self.skip(wire, 1)?,
            }
        }
        Some(found)
    }

    /// Passes over a value.
    fn skip(&mut self, wire: u8, depth: u8) -> Option<()> {
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
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
                self.each(count, |thrift| thrift.element(head & 0x0f, depth))?;
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

    /// An element of a list, which is no truth value.
    fn element(&mut self, wire: u8, depth: u8) -> Option<()> {
        if matches!(wire, TRUE | FALSE) { None } else { self.skip(wire, depth + 1) }
    }

    /// So many of them; each takes a byte at least, so that a count that is wrong ends at the end of the bytes.
    fn each(&mut self, count: u64, mut one: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        (0..count).try_for_each(|_| one(self))
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.at = self.at.checked_add(usize::try_from(bytes).ok()?)?;
        (self.at <= self.bytes.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_each_version_are_read() {
        let dictionary = [0x15, 0x04, 0x15, 0x90, 0x01, 0x15, 0x14, 0x4c, 0x15, 0x06, 0x15, 0x00, 0x12, 0x00, 0x00];
        let header = PageHeader::parse(&dictionary).expect("a header");
        let wanted = PageHeader {
            holds: Holds::Dictionary,
            packed: 10,
            unpacked: 72,
            values: 3,
            encoding: 0,
            levels: 0,
            size: dictionary.len(),
        };
        assert_eq!(header, wanted);
        let second = [
            0x15, 0x06, 0x15, 0x10, 0x15, 0x0c, 0x5c, 0x15, 0x08, 0x15, 0x02, 0x15, 0x08, 0x15, 0x0e, 0x15, 0x04, 0x15,
            0x00, 0x11, 0x00, 0x00,
        ];
        let header = PageHeader::parse(&second).expect("a header");
        assert_eq!((header.holds, header.values, header.encoding, header.levels), (Holds::DataV2, 4, 7, 2));
        // Cut off anywhere it is none.
        for cut in 0..second.len() {
            assert_eq!(PageHeader::parse(&second[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn lists_are_no_longer_than_their_bytes() {
        // A list of two numbers, and one of more than there are bytes.
        assert!(is_sound(&[0x19, 0x25, 0x02, 0x04, 0x00]));
        assert!(!is_sound(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0x02, 0x04, 0x00]));
        // Two thousand million truth values, alone or in lists of their own; none at all.
        let truths = [0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        assert!(!is_sound(&[&[0x19], &truths[..], &[0x00]].concat()));
        assert!(!is_sound(&[&[0x19, 0x29], &truths[..], &truths, &[0x00]].concat()));
        assert!(is_sound(&[0x19, 0x01, 0x00]));
        assert!(!is_sound(&[0x19, 0x25, 0x02]));
    }

    #[test]
    fn what_nests_without_end_is_none() {
        assert!(!is_sound(&[0x1c; 10_000]) && !is_sound(&[0x19; 10_000]));
        let mut deep = vec![0x15, 0x00, 0x15, 0x02, 0x15, 0x02];
        deep.extend([0x1c; 10_000]);
        assert_eq!(PageHeader::parse(&deep), None);
    }
}
