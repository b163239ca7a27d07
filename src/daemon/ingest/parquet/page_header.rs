//! Headers of pages, as the format of Parquet writes them (Thrift, compact protocol): what a page says of its size is known
//! before any of it is unpacked. Statistics and everything else that a header may hold are passed over.

use super::description::is_page;
use super::thrift::{Compact, I32, STRUCT};

/// What a page says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageHeader {
    /// What the page holds.
    pub holds: PageContent,
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
pub enum PageContent {
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
        Some(PageHeader { holds, packed, unpacked, values, encoding, levels, size: thrift.read() })
    }
}

/// Values, encoding and bytes of two kinds of levels, of the part of a header that tells them.
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
        let dictionary = [0x15, 0x04, 0x15, 0x90, 0x01, 0x15, 0x14, 0x4c, 0x15, 0x06, 0x15, 0x00, 0x12, 0x00, 0x00];
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
            0x15, 0x06, 0x15, 0x10, 0x15, 0x0c, 0x5c, 0x15, 0x08, 0x15, 0x02, 0x15, 0x08, 0x15, 0x0e, 0x15, 0x04, 0x15,
            0x00, 0x11, 0x00, 0x00,
        ];
        let header = PageHeader::parse(&second).expect("a header");
        assert_eq!((header.holds, header.values, header.encoding, header.levels), (PageContent::DataV2, 4, 7, 2));
        // Cut off anywhere it is none.
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
