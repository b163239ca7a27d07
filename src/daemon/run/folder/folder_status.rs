//! The content of a folder of releases, for commands that show it: manifests, which every reader
//! may read, verdicts, which the operator may, and the sealed state, which requires the key.
//! Changes nothing.

use std::fs;
use std::path::Path;

use super::outcome::TickVerdict;
use crate::engine::release::{Layout, Manifest};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::{ReadOnlyFolder, ReadStore as _};
use crate::whole_file;

/// The content of a folder.
#[derive(Debug)]
pub struct FolderStatus {
    /// The manifests, by release.
    pub manifests: Vec<Manifest>,
    /// The readable verdicts, by tick.
    pub ticks: Vec<TickVerdict>,
}

/// Reads a folder.
///
/// # Errors
/// It is no folder of releases, or something in it cannot be read.
pub fn look(path: &Path) -> Result<FolderStatus> {
    if path.is_file() {
        let text = "this is a file: name a folder of `anonymize`";
        return Err(Error::new(ErrorCategory::Usage, text).in_file(path));
    }
    let files = ReadOnlyFolder::open(path)?;
    // Folders of others may have numbers as names; releases have manifests, and their numbers have
    // no gaps.
    let mut releases: Vec<u32> = files
        .list("")?
        .iter()
        .filter_map(|file| Layout::Folders.release(&file.path))
        .collect();
    releases.sort_unstable();
    let mut manifests: Vec<Manifest> = Vec::new();
    for release in releases {
        manifests.push(read(&files, path, release)?);
    }
    let release = manifests.iter().map(|manifest| manifest.release);
    if let Some((missing, _)) = (1..).zip(release).find(|(wanted, found)| wanted != found) {
        let text = format!(
            "release {missing} is missing, but later ones exist: restore it as it was published"
        );
        return Err(Error::new(ErrorCategory::Input, text).in_file(path));
    }
    let private = path.join(".private").join("verdicts");
    let mut ticks = Vec::new();
    // A user who may read releases may not be allowed to read verdicts.
    for file in
        numbered(&private, |name| name.strip_suffix(".json")?.parse().ok()).unwrap_or_default()
    {
        let bytes = whole_file::bytes(
            &file,
            "read the verdict",
            ErrorCategory::Input,
            whole_file::VERDICT,
        )?;
        let wrong = |_| {
            Error::new(
                ErrorCategory::Input,
                "this version cannot read this verdict",
            )
            .in_file(&file)
        };
        ticks.push(serde_json::from_slice(&bytes).map_err(wrong)?);
    }
    if manifests.is_empty() && ticks.is_empty() {
        let text = "there are no releases here: name a folder of `anonymize`";
        return Err(Error::new(ErrorCategory::Usage, text).in_file(path));
    }
    Ok(FolderStatus { manifests, ticks })
}

/// The manifest of a release.
///
/// # Errors
/// It does not exist, or is no manifest.
pub fn manifest_of(path: &Path, release: u32) -> Result<Manifest> {
    read(&ReadOnlyFolder::open(path)?, path, release)
}

fn read(files: &ReadOnlyFolder, folder: &Path, release: u32) -> Result<Manifest> {
    let manifest = Layout::Folders.manifest(release);
    let place = folder.join(&manifest);
    let wrong = |text: String| Error::new(ErrorCategory::Input, text).in_file(&place);
    let file = files
        .file(&manifest)?
        .ok_or_else(|| wrong("this manifest is missing".to_owned()))?;
    let bytes = whole_file::all(
        file,
        &place,
        "read the manifest",
        ErrorCategory::Input,
        whole_file::MANIFEST,
    )?;
    Manifest::parse(&bytes).map_err(|error| wrong(error.to_string()))
}

/// The entries of a folder that have a number, in numeric order.
fn numbered(path: &Path, number: impl Fn(&str) -> Option<u32>) -> Result<Vec<std::path::PathBuf>> {
    let entries =
        fs::read_dir(path).map_err(|error| Error::io(path, "look into the folder", &error))?;
    let mut found: Vec<(u32, std::path::PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())))
        .collect();
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}
