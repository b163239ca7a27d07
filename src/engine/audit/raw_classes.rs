//! How large the classes of the raw rows behind releases are, which have equal leaves in all quasi columns: what the risk of
//! re-identification was before anything was generalised (SCIENCE 12).

use crate::histogram::Histogram;
use crate::policy::ChainKind;
use crate::risk::Sizes;

/// Per release the classes of the rows behind it: of a cumulative chain those of all increments so far.
pub fn behind(raw: &Histogram, releases: usize, kind: ChainKind) -> Vec<Sizes> {
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
            so_far = if kind == ChainKind::Cumulative { so_far + new } else { new };
            sizes.extend([(so_far, 1)]);
        }
    }
    sizes
}
