//! What was published, looked at again: every file of a release is byte for byte as it left, and nothing lies beside it.
//! Nothing is written here.

use std::fs;
use std::path::{Path, PathBuf};

use super::disk::within;
use super::saved::Line;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::release::{Manifest, Sha256};

/// The table of a release; all its files are byte for byte as they were published.
///
/// # Errors
/// One of them is missing or was changed.
pub fn intact(folder: &Path, line: &Line) -> Result<Vec<u8>> {
    let manifest = manifest(folder, line)?;
    for file in manifest.files.iter().filter(|file| file.rows.is_none()) {
        same(&folder.join(&file.path), file.sha256.bytes())?;
    }
    let place = folder.join(line.release.to_string());
    alone(&place, &["data.parquet", "manifest.json", "report.html"])?;
    same(&place.join("data.parquet"), &line.data)
}

/// The manifest of a release, byte for byte as it was published.
///
/// # Errors
/// It is missing or was changed.
pub fn manifest(folder: &Path, line: &Line) -> Result<Manifest> {
    let file = folder.join(line.release.to_string()).join("manifest.json");
    let bytes = same(&file, &line.manifest)?;
    serde_json::from_slice(&bytes).map_err(|_| gone(&file))
}

/// What was written aside for a release is what was decided, and nothing else lies beside it.
///
/// # Errors
/// One of its files is missing or was changed.
pub fn as_decided(folder: &Path, aside: &Path, line: &Line) -> Result<()> {
    let manifest = same(&aside.join("manifest.json"), &line.manifest)?;
    let manifest: Manifest = serde_json::from_slice(&manifest).map_err(|_| gone(aside))?;
    same(&aside.join("data.parquet"), &line.data)?;
    for file in manifest.files.iter().filter(|file| file.rows.is_none()) {
        let name = Path::new(&file.path).file_name().map(|name| aside.join(name));
        let file_here = name.filter(|file| file.exists()).unwrap_or_else(|| folder.join(&file.path));
        same(&file_here, file.sha256.bytes())?;
    }
    alone(aside, &["data.parquet", "manifest.json", "report.html", &line.taxonomy])
}

/// Nothing lies in a release but its files: whatever does would be taken for a part of it.
fn alone(place: &Path, files: &[&str]) -> Result<()> {
    let foreign = |path: &&PathBuf| !files.iter().any(|file| path.ends_with(file));
    match within(place)?.iter().find(foreign) {
        Some(path) => {
            Err(Error::new(Kind::Input, "this is no file of the release that it lies in: move it away").in_file(path))
        }
        None => Ok(()),
    }
}

/// A file that must have this digest.
fn same(file: &Path, digest: &[u8; 32]) -> Result<Vec<u8>> {
    match fs::read(file) {
        Ok(bytes) if Sha256::of(&bytes).bytes() == digest => Ok(bytes),
        Ok(_) => Err(gone(file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(gone(file)),
        Err(error) => Err(Error::io(file, "read the published file", &error)),
    }
}

/// What to say of a published file that is not as it was.
pub fn gone(file: &Path) -> Error {
    let text = "this published file is missing or was changed: put it back as it was published, every later release is \
                judged against it";
    Error::new(Kind::Input, text).in_file(file)
}
