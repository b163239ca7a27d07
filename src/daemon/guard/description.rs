//! Checks that the description of a Parquet file can be read in a time that is linear in its
//! length. The library skips lists of truth values without reading a byte for each, and does not
//! compare the types of known fields with those in the file: a file of two kilobytes could keep it
//! busy for hours. So every field of the format must have its type, and no list may consist of
//! truth values or be longer than the bytes after it. Unknown fields are skipped, as the library
//! does.

use super::thrift::{BINARY, BOOLEAN, Compact, DOUBLE, I8, I16, I32, I64, LIST, STRUCT, is_truth};

/// The most levels of nested structures and lists; the format needs twelve.
const DEEPEST: u8 = 24;

/// The type of a field.
#[derive(Clone, Copy)]
enum FieldType {
    /// A type that is no structure and no list.
    Plain(u8),
    /// A structure.
    Of(&'static Fields),
    /// A list of plain values.
    List(u8),
    /// A list of structures.
    ListOf(&'static Fields),
}

/// The fields of a structure, by their numbers.
type Fields = [(i16, FieldType)];

use FieldType::{List, ListOf, Of, Plain};

const KEY_VALUE: &Fields = &[(1, Plain(BINARY)), (2, Plain(BINARY))];
const EMPTY: &Fields = &[];
const UNIT: &Fields = &[(1, Of(EMPTY)), (2, Of(EMPTY)), (3, Of(EMPTY))];
const TIME: &Fields = &[(1, Plain(BOOLEAN)), (2, Of(UNIT))];
const LOGICAL: &Fields = &[
    (1, Of(EMPTY)),
    (2, Of(EMPTY)),
    (3, Of(EMPTY)),
    (4, Of(EMPTY)),
    (5, Of(&[(1, Plain(I32)), (2, Plain(I32))])),
    (6, Of(EMPTY)),
    (7, Of(TIME)),
    (8, Of(TIME)),
    (10, Of(&[(1, Plain(I8)), (2, Plain(BOOLEAN))])),
    (11, Of(EMPTY)),
    (12, Of(EMPTY)),
    (13, Of(EMPTY)),
    (14, Of(EMPTY)),
    (15, Of(EMPTY)),
    (16, Of(&[(1, Plain(I8))])),
    (17, Of(&[(1, Plain(BINARY))])),
    (18, Of(&[(1, Plain(BINARY)), (2, Plain(I32))])),
];
const ELEMENT: &Fields = &[
    (1, Plain(I32)),
    (2, Plain(I32)),
    (3, Plain(I32)),
    (4, Plain(BINARY)),
    (5, Plain(I32)),
    (6, Plain(I32)),
    (7, Plain(I32)),
    (8, Plain(I32)),
    (9, Plain(I32)),
    (10, Of(LOGICAL)),
];
const STATISTICS: &Fields = &[
    (1, Plain(BINARY)),
    (2, Plain(BINARY)),
    (3, Plain(I64)),
    (4, Plain(I64)),
    (5, Plain(BINARY)),
    (6, Plain(BINARY)),
    (7, Plain(BOOLEAN)),
    (8, Plain(BOOLEAN)),
];
const BOX: &Fields = &[
    (1, Plain(DOUBLE)),
    (2, Plain(DOUBLE)),
    (3, Plain(DOUBLE)),
    (4, Plain(DOUBLE)),
    (5, Plain(DOUBLE)),
    (6, Plain(DOUBLE)),
    (7, Plain(DOUBLE)),
    (8, Plain(DOUBLE)),
];
const COLUMN: &Fields = &[
    (1, Plain(I32)),
    (2, List(I32)),
    (3, List(BINARY)),
    (4, Plain(I32)),
    (5, Plain(I64)),
    (6, Plain(I64)),
    (7, Plain(I64)),
    (8, ListOf(KEY_VALUE)),
    (9, Plain(I64)),
    (10, Plain(I64)),
    (11, Plain(I64)),
    (12, Of(STATISTICS)),
    (
        13,
        ListOf(&[(1, Plain(I32)), (2, Plain(I32)), (3, Plain(I32))]),
    ),
    (14, Plain(I64)),
    (15, Plain(I32)),
    (16, Of(&[(1, Plain(I64)), (2, List(I64)), (3, List(I64))])),
    (17, Of(&[(1, Of(BOX)), (2, List(I32))])),
];
const CHUNK: &Fields = &[
    (1, Plain(BINARY)),
    (2, Plain(I64)),
    (3, Of(COLUMN)),
    (4, Plain(I64)),
    (5, Plain(I32)),
    (6, Plain(I64)),
    (7, Plain(I32)),
];
const GROUP: &Fields = &[
    (1, ListOf(CHUNK)),
    (2, Plain(I64)),
    (3, Plain(I64)),
    (
        4,
        ListOf(&[(1, Plain(I32)), (2, Plain(BOOLEAN)), (3, Plain(BOOLEAN))]),
    ),
    (5, Plain(I64)),
    (6, Plain(I64)),
    (7, Plain(I16)),
];
/// The fields of encryption (8, 9) are not read without keys.
const FILE: &Fields = &[
    (1, Plain(I32)),
    (2, ListOf(ELEMENT)),
    (3, Plain(I64)),
    (4, ListOf(GROUP)),
    (5, ListOf(KEY_VALUE)),
    (6, Plain(BINARY)),
    (7, ListOf(&[(1, Of(EMPTY)), (2, Of(EMPTY))])),
];

/// The fields of a page header.
const PAGE: &Fields = &[
    (1, Plain(I32)),
    (2, Plain(I32)),
    (3, Plain(I32)),
    (4, Plain(I32)),
    (
        5,
        Of(&[
            (1, Plain(I32)),
            (2, Plain(I32)),
            (3, Plain(I32)),
            (4, Plain(I32)),
            (5, Of(STATISTICS)),
        ]),
    ),
    (6, Of(EMPTY)),
    (
        7,
        Of(&[(1, Plain(I32)), (2, Plain(I32)), (3, Plain(BOOLEAN))]),
    ),
    (
        8,
        Of(&[
            (1, Plain(I32)),
            (2, Plain(I32)),
            (3, Plain(I32)),
            (4, Plain(I32)),
            (5, Plain(I32)),
            (6, Plain(I32)),
            (7, Plain(BOOLEAN)),
            (8, Of(STATISTICS)),
        ]),
    ),
];

/// Whether the page header that begins here is sound.
pub(super) fn is_page(header: &[u8]) -> bool {
    structure(&mut Compact::new(header), PAGE, 0).is_some()
}

/// Whether a description is sound.
pub(super) fn is_sound(description: &[u8]) -> bool {
    structure(&mut Compact::new(description), FILE, 0).is_some()
}

fn structure(thrift: &mut Compact<'_>, fields: &Fields, depth: u8) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    let mut last = 0;
    while let Some((id, wire)) = thrift.field(&mut last)? {
        match fields
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, is)| *is)
        {
            None => thrift.skip(wire, depth)?,
            Some(Plain(BOOLEAN)) if is_truth(wire) => {}
            Some(Plain(kind)) if kind == wire => thrift.skip(wire, depth)?,
            Some(Of(below)) if wire == STRUCT => structure(thrift, below, depth + 1)?,
            Some(List(kind)) if wire == LIST => {
                let (count, found) = thrift.list()?;
                (count == 0 || found == kind).then_some(())?;
                (0..count).try_for_each(|_| thrift.skip(kind, depth + 1))?;
            }
            Some(ListOf(below)) if wire == LIST => {
                let (count, found) = thrift.list()?;
                (count == 0 || found == STRUCT).then_some(())?;
                (0..count).try_for_each(|_| structure(thrift, below, depth + 1))?;
            }
            Some(_) => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_no_longer_than_their_bytes() {
        // An unknown field with a list of two numbers, or of more than there are bytes.
        let unknown = |list: &[u8]| is_sound(&[&[0x09, 0xc8, 0x01], list, &[0x00]].concat());
        assert!(
            unknown(&[0x25, 0x02, 0x04])
                && !unknown(&[0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0x02, 0x04])
        );
        // Two thousand million truth values, alone or in nested lists; and none at all.
        let truths = [0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        assert!(
            !unknown(&truths)
                && !unknown(&[&[0x29], &truths[..], &truths].concat())
                && unknown(&[0x01])
        );
        assert!(!is_sound(&[0x1c; 10_000]) && !is_sound(&[0x19; 10_000]));
    }

    #[test]
    fn known_fields_have_their_types() {
        assert!(is_sound(&[0x15, 0x02, 0x00]));
        // The version as a list, or as a structure; the columns as a list of numbers, the rows as
        // text.
        assert!(!is_sound(&[0x19, 0x15, 0x02, 0x00]) && !is_sound(&[0x1c, 0x00, 0x00]));
        assert!(!is_sound(&[0x29, 0x15, 0x02, 0x00]) && !is_sound(&[0x38, 0x01, 0x00, 0x00]));
        // A number of 17 bits and more: its last 16 are those of the version, for which a truth
        // value has no bytes.
        assert!(
            is_sound(&[0x01, 0xfe, 0xff, 0x03, 0x00]) && !is_sound(&[0x01, 0x82, 0x80, 0x08, 0x00])
        );
        assert!(
            !is_sound(&[0x01, 0xfd, 0xff, 0xff, 0xff, 0x01, 0x00])
                && !is_sound(&[0x01, 0xfe, 0xff, 0x03, 0x11, 0x00])
        );
    }
}
