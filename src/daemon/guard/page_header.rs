//! Parquet page headers (Thrift, compact protocol): they declare the size of a page before any of
//! it is unpacked. Statistics and other fields of a header are skipped.

use super::description::is_page;
use super::thrift::{Compact, I32, STRUCT};

/// The declarations of a page header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// The content of the page.
    pub holds: PageContent,
    /// The number of bytes in the file, after the header.
    pub packed: u64,
    /// The number of bytes when it is unpacked.
    pub unpacked: u64,
    /// The number of values, including nulls.
    pub values: u64,
    /// The number of the encoding of its values.
    pub encoding: i64,
    /// The number of bytes of levels at the beginning, which are never packed.
    pub levels: u64,
    /// The number of bytes of the header itself.
    pub size: usize,
}

/// The content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageContent {
    /// Values of rows, version 1 of the format.
    Data,
    /// Values of rows, version 2 of the format.
    DataV2,
    /// Values that the other pages refer to.
    Dictionary,
    /// An index, which readers skip.
    Index,
}

impl PageHeader {
    /// Parses a header at the beginning of these bytes; `None` if it is invalid or incomplete.
    pub(super) fn parse(bytes: &[u8]) -> Option<PageHeader> {
        is_page(bytes).then_some(())?;
        let mut thrift = Compact::new(bytes);
        let (mut kind, mut sizes, mut about) = (None, [None; 2], [0; 4]);
        let mut last = 0;
        while let Some((id, wire)) = thrift.field(&mut last)? {
            match (id, wire) {
                (1, I32) => kind = Some(thrift.signed()?),
                (2 | 3, I32) => sizes[usize::from(id == 3)] = u64::try_from(thrift.signed()?).ok(),
                // Of version 1, of a dictionary, of version 2.
                (5 | 7 | 8, STRUCT) => about = values(&mut thrift, id == 8)?,
                _ => thrift.skip(wire, 0)?,
            }
        }
        let holds = match kind? {
            0 => PageContent::Data,
            1 => PageContent::Index,
            2 => PageContent::Dictionary,
            3 => PageContent::DataV2,
            _ => return None,
        };
        let count = |number: i64| u64::try_from(number).ok();
        let [values, encoding, definitions, repetitions] = about;
        let levels = count(definitions)?.checked_add(count(repetitions)?)?;
        let (unpacked, packed, values) = (sizes[0]?, sizes[1]?, count(values)?);
        Some(PageHeader {
            holds,
            packed,
            unpacked,
            values,
            encoding,
            levels,
            size: thrift.read(),
        })
    }
}

/// The number of values, the encoding and the bytes of two kinds of levels, from the part of a
/// header that contains them.
fn values(thrift: &mut Compact<'_>, second: bool) -> Option<[i64; 4]> {
    let (mut found, mut last) = ([0; 4], 0);
    while let Some((id, wire)) = thrift.field(&mut last)? {
        match (id, wire) {
            (1, I32) => found[0] = thrift.signed()?,
            (2, I32) if !second => found[1] = thrift.signed()?,
            (4, I32) if second => found[1] = thrift.signed()?,
            (5 | 6, I32) if second => found[usize::from(id == 6) + 2] = thrift.signed()?,
            _ => thrift.skip(wire, 1)?,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_each_version_are_read() {
        let dictionary = [
            0x15, 0x04, 0x15, 0x90, 0x01, 0x15, 0x14, 0x4c, 0x15, 0x06, 0x15, 0x00, 0x12, 0x00,
            0x00,
        ];
        let header = PageHeader::parse(&dictionary).expect("a header");
        let wanted = PageHeader {
            holds: PageContent::Dictionary,
            packed: 10,
            unpacked: 72,
            values: 3,
            encoding: 0,
            levels: 0,
            size: dictionary.len(),
        };
        assert_eq!(header, wanted);
        let second = [
            0x15, 0x06, 0x15, 0x10, 0x15, 0x0c, 0x5c, 0x15, 0x08, 0x15, 0x02, 0x15, 0x08, 0x15,
            0x0e, 0x15, 0x04, 0x15, 0x00, 0x11, 0x00, 0x00,
        ];
        let header = PageHeader::parse(&second).expect("a header");
        assert_eq!(
            (header.holds, header.values, header.encoding, header.levels),
            (PageContent::DataV2, 4, 7, 2)
        );
        // A truncated header is invalid.
        for cut in 0..second.len() {
            assert_eq!(PageHeader::parse(&second[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn what_nests_without_end_is_none() {
        let mut deep = vec![0x15, 0x00, 0x15, 0x02, 0x15, 0x02];
        deep.extend([0x1c; 10_000]);
        assert_eq!(PageHeader::parse(&deep), None);
    }
}
