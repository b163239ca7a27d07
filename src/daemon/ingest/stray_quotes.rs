//! Distinguishes a value of several lines from rows that a stray quote has merged. Both are valid
//! quoting: a quote before one value and another after a later one make a single field of
//! everything in between, including other people's rows. It uses only shapes, never the content of
//! a field.

use csv::ByteRecord;

/// Whether a row that spans lines may be several rows. The fields of a line are counted as if no
/// quote opened in the fields that span lines; it is *full* if it has as many as the header.
///
/// The row is considered several if it has another number of fields than the header (then the
/// number of rows is unknown, so it cannot be set aside as one either), if a line inside a field is
/// full, or if two of its lines are. Ordinary text passes: the lines around a field that spans
/// lines share the other fields of the row, so that at most one is full unless the text itself has
/// the missing number of delimiters. In a file with one column every line is full, so there no
/// value may span lines.
pub(crate) fn swallowed(row: &ByteRecord, header: usize, delimiter: u8) -> bool {
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if memchr::memchr2(b'\n', b'\r', row.as_slice()).is_none() {
        return false;
    }
    let delimiters = |text: &[u8]| memchr::memchr_iter(delimiter, text).count();
    let (mut full, mut line) = (0, 0);
    for field in row {
        line += 1;
        let mut pieces = field.split(breaks);
        let (Some(last), Some(first)) = (pieces.next_back(), pieces.next()) else {
            continue;
        };
        line += delimiters(first);
        for inside in pieces.filter(|piece| !piece.is_empty()) {
            if delimiters(inside) + 1 == header {
                return true;
            }
        }
        full += usize::from(line == header);
        line = 1 + delimiters(last);
    }
    full += usize::from(line == header);
    row.len() != header || full > 1
}
