//! The releases of a folder's newest chain, read back as they were published. Changes nothing and takes no lock.

use std::path::Path;

use super::published::intact;
use super::saved::Saved;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::gate::bytes::{self, Table};

/// One table per release of the newest chain, with its number.
///
/// # Errors
/// A file of any release, older chains included, is missing or not what was published.
pub fn tables(folder: &Path, saved: &Saved) -> Result<Vec<(u32, Table)>> {
    let mut found = Vec::new();
    for line in &saved.releases {
        let bytes = intact(folder, line)?;
        if line.chain == saved.feed.chain() {
            let table = bytes::read(&bytes, &saved.terms.columns).0;
            let strange = || Error::new(Kind::Internal, format!("release {} cannot be read back", line.release));
            found.push((line.release, table.ok_or_else(strange)?));
        }
    }
    Ok(found)
}
