//! The releases of a folder's newest chain, read back as they were published. Changes nothing and takes no lock.

use std::path::Path;

use super::saved::Saved;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::gate::bytes::{self, Table};
use crate::engine::release::Sha256;

/// One table per release of the newest chain, with its number.
///
/// # Errors
/// One cannot be read, or is not what was published.
pub fn tables(folder: &Path, saved: &Saved) -> Result<Vec<(u32, Table)>> {
    let lines = saved.releases.iter().filter(|line| line.chain == saved.feed.chain());
    let table = |line: &super::saved::Line| {
        let file = folder.join(line.release.to_string()).join("data.parquet");
        let bytes = std::fs::read(&file).map_err(|error| Error::io(&file, "read the published file", &error))?;
        let table = bytes::read(&bytes, &saved.columns).0.filter(|_| *Sha256::of(&bytes).bytes() == line.data);
        let changed = || Error::new(Kind::Input, "this file is not what was published").in_file(&file);
        Ok((line.release, table.ok_or_else(changed)?))
    };
    lines.map(table).collect()
}
