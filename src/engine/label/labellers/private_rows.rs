//! Rows with sensitive values on their way to the paper's anonymizer, the only labeller that reads
//! them (SCIENCE 3 and 4).

use crate::histogram::{Histogram, Release, SensitiveValues};
use crate::model::Cut;

/// The people who wait and those of earlier releases, with their sensitive values. Only this room
/// can look into it, and only `bcf` does.
pub struct PrivateRows<'p> {
    waiting: &'p Histogram,
    whole: &'p Histogram,
    published: Vec<(&'p Histogram, &'p [Cut])>,
}

impl<'p> PrivateRows<'p> {
    /// From the people who wait, those of the newest release, and for each release of the chain
    /// the people whom it added and its recoding.
    pub fn new(
        waiting: &'p Histogram,
        whole: &'p Histogram,
        published: Vec<(&'p Histogram, &'p [Cut])>,
    ) -> PrivateRows<'p> {
        PrivateRows {
            waiting,
            whole,
            published,
        }
    }

    /// All rows of the next release, and the earlier releases on their dictionary.
    pub(super) fn open(&self) -> (Histogram, Vec<Release>) {
        let all = self.whole.merge(&self.waiting.clone().as_one(0));
        let mut so_far = Histogram::empty(all.width(), 0);
        let mut releases = Vec::with_capacity(self.published.len());
        for (rows, recoding) in &self.published {
            so_far = so_far.merge(&Histogram::clone(rows).as_one(0));
            // All people of the chain are in the new table, so the union is its dictionary.
            let (values, maps) = SensitiveValues::union(&[all.values(), so_far.values()]);
            let recoded = so_far.clone().with_values(&values, &maps[1]);
            assert_eq!(recoded.rows(), so_far.rows(), "other codes, the same rows");
            releases.push(Release::under(&recoded, 0..1, recoding));
        }
        (all, releases)
    }
}
