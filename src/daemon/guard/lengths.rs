//! The lengths of the cells of a page of text, without decoding it: pages of a few bytes may
//! represent cells of any length, since cells refer to a dictionary or to the beginning of the
//! previous cell.

use parquet::basic::Encoding;
use parquet::column::page::Page;

/// The cells of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lengths {
    /// The number of bytes of the longest cell.
    pub longest: u64,
    /// The number of bytes of all cells.
    pub all: u64,
}

/// The lengths of the cells of a dictionary, or of a page that lists them before the cells; `None`
/// for a damaged page. `most` are the highest levels of the column, of repetition and of
/// definition.
pub(super) fn of(page: &Page, most: [i16; 2]) -> Option<Lengths> {
    match page {
        Page::DictionaryPage {
            buf, num_values, ..
        } => plain(buf, *num_values),
        Page::DataPage {
            buf,
            num_values,
            encoding,
            def_level_encoding,
            rep_level_encoding,
            ..
        } => {
            let encodings = [rep_level_encoding, def_level_encoding];
            let mut cells: &[u8] = buf;
            for (encoding, most) in encodings.into_iter().zip(most) {
                cells = behind_levels(cells, *encoding, most, *num_values)?;
            }
            behind(cells, *encoding, *num_values)
        }
        Page::DataPageV2 {
            buf,
            num_values,
            encoding,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            behind(
                buf.get(usize::try_from(levels).ok()?..)?,
                *encoding,
                *num_values,
            )
        }
    }
}

/// The bytes after levels that are at most `most`.
fn behind_levels(bytes: &[u8], encoding: Encoding, most: i16, values: u32) -> Option<&[u8]> {
    let levels = match encoding {
        _ if most == 0 => 0,
        Encoding::RLE => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)) + 4,
        _ => (u64::from(values) * u64::from(i16::BITS - most.leading_zeros())).div_ceil(8),
    };
    bytes.get(usize::try_from(levels).ok()?..)
}

/// Each cell follows its length.
fn plain(mut bytes: &[u8], values: u32) -> Option<Lengths> {
    let mut found = Lengths::default();
    for _ in 0..values {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = u32::from_le_bytes(*length);
        bytes = rest.get(usize::try_from(length).ok()?..)?;
        found.longest = found.longest.max(length.into());
        found.all += u64::from(length);
    }
    Some(found)
}

/// All lengths precede the cells; other encodings are not examined, since their cells are no longer
/// than their page.
fn behind(bytes: &[u8], encoding: Encoding, values: u32) -> Option<Lengths> {
    match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => {
            let (found, used) = packed(bytes, values)?;
            (found.all <= (bytes.len() - used) as u64).then_some(found)
        }
        // The length of the common prefix with the previous cell, then the rest of the cell.
        Encoding::DELTA_BYTE_ARRAY => {
            let (common, used) = packed(bytes, values)?;
            let (rest, _) = packed(&bytes[used..], values)?;
            let longest = common.longest.checked_add(rest.longest)?;
            Some(Lengths {
                longest,
                all: common.all.checked_add(rest.all)?,
            })
        }
        _ => Some(Lengths::default()),
    }
}

/// At most `values` lengths as differences in blocks (DELTA_BINARY_PACKED), and the bytes that they
/// take.
fn packed(bytes: &[u8], values: u32) -> Option<(Lengths, usize)> {
    let mut at = 0;
    let (block, minis) = (unsigned(bytes, &mut at)?, unsigned(bytes, &mut at)?);
    let (total, mut length) = (unsigned(bytes, &mut at)?, signed(bytes, &mut at)?);
    let each = block
        .checked_div(minis)
        .filter(|each| each.is_multiple_of(8) && *each > 0 && block <= 1 << 20)?;
    if total > values.into() || minis > 1 << 10 {
        return None;
    }
    let mut found = Lengths::default();
    if total == 0 {
        return Some((found, at));
    }
    found.take(length)?;
    let mut left = total - 1;
    while left > 0 {
        let least = signed(bytes, &mut at)?;
        let widths = bytes.get(at..at + minis as usize)?;
        at += widths.len();
        for &width in widths {
            if left == 0 {
                break;
            }
            let size = (each / 8) as usize * usize::from(width);
            let mini = bytes
                .get(at..at.checked_add(size)?)
                .filter(|_| width <= 64)?;
            at += size;
            for number in 0..each.min(left) {
                let more = bits(mini, number * u64::from(width), width).cast_signed();
                // By the format, differences may overflow; lengths have 32 bits.
                length = i64::from(length.wrapping_add(least).wrapping_add(more) as i32);
                found.take(length)?;
            }
            left = left.saturating_sub(each);
        }
    }
    Some((found, at))
}

impl Lengths {
    fn take(&mut self, length: i64) -> Option<()> {
        let length = u64::try_from(length).ok()?;
        self.longest = self.longest.max(length);
        self.all = self.all.checked_add(length)?;
        Some(())
    }
}

/// The number with this width that begins at this bit.
fn bits(bytes: &[u8], from: u64, width: u8) -> u64 {
    let bit = |at: u64| u64::from(bytes[(at / 8) as usize] >> (at % 8) & 1);
    (0..u64::from(width)).map(|at| bit(from + at) << at).sum()
}

fn unsigned(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn signed(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let number = unsigned(bytes, at)?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}
