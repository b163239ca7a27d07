//! The sizes of the classes of the raw rows behind releases, by their leaves in all quasi columns:
//! the basis for the risk of re-identification before generalisation (SCIENCE 12).

use crate::histogram::Histogram;
use crate::policy::ChainKind;
use crate::risk::Sizes;

/// For each release the classes of the rows behind it; in a cumulative chain these are the rows of
/// all increments so far.
pub(super) fn behind(raw: &Histogram, releases: usize, kind: ChainKind) -> Vec<Sizes> {
    assert!(releases > 0, "a chain of releases");
    let mut sizes = vec![Sizes::default(); releases];
    let mut rows = vec![0; releases];
    for tuple in 0..raw.tuples() {
        rows.fill(0);
        for cell in raw.cells_of(tuple) {
            rows[cell.increment as usize] += u64::from(cell.count);
        }
        let mut so_far = 0;
        for (sizes, &new) in sizes.iter_mut().zip(&rows) {
            so_far = if kind == ChainKind::Cumulative {
                so_far + new
            } else {
                new
            };
            sizes.extend([(so_far, 1)]);
        }
    }
    sizes
}
