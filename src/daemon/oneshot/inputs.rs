//! The inputs of `anonymize`: what they are called, what is in them, and their rows. Nothing is written here.

use std::io::BufRead as _;
use std::path::Path;

use sha2::Digest as _;

use super::saved::Saved;
use super::{Task, Watch};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::{PersonHasher, decode};
use crate::engine::histogram::Rows;
use crate::engine::release::Sha256;

/// An input that was decoded.
pub struct Input {
    /// Its file's own name.
    pub name: String,
    /// Of its bytes.
    pub digest: Sha256,
    /// Its rows; `None` when the folder holds it already.
    pub rows: Option<Rows>,
    /// Rows that were set aside.
    pub quarantined: u64,
}

/// Decodes all inputs that are not in the folder yet.
///
/// # Errors
/// One of them cannot be read or decoded.
pub fn read(task: &Task<'_>, known: Option<&Saved>, watch: &mut dyn Watch) -> Result<Vec<Input>> {
    let hasher = PersonHasher::new(&task.key.derive("tidegate: people"));
    let mut inputs: Vec<Input> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for (at, path) in task.inputs.iter().enumerate() {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let digest = digest(path)?;
        let seen = inputs.iter().any(|input| input.name == name && input.digest == digest);
        if seen || known.is_some_and(|known| known.knows(&name, &digest)) {
            inputs.push(Input { name, digest, rows: None, quarantined: 0 });
            continue;
        }
        let mut progress = |rows| watch.reading(at, rows);
        let decoded = decode(path, &task.feed.columns, &hasher, task.quarantine, &mut progress)?;
        let news: Vec<String> = decoded.undeclared.into_iter().filter(|column| !told.contains(column)).collect();
        if !news.is_empty() {
            watch.undeclared(&news);
            told.extend(news);
        }
        let quarantined = decoded.quarantined.len() as u64;
        inputs.push(Input { name, digest, rows: Some(decoded.rows), quarantined });
    }
    Ok(inputs)
}

/// The digest of a file.
fn digest(path: &Path) -> Result<Sha256> {
    let about = path.metadata().map_err(|error| Error::io(path, "open the file", &error))?;
    if about.is_dir() {
        return Err(Error::new(Kind::Input, "this is a folder, not a file").in_file(path));
    }
    if !about.is_file() {
        return Err(Error::irregular(Kind::Input, path));
    }
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, "open the file", &error))?;
    let mut reader = std::io::BufReader::with_capacity(1 << 20, file);
    let mut hash = sha2::Sha256::new();
    loop {
        let bytes = reader.fill_buf().map_err(|error| Error::io(path, "read the file", &error))?;
        if bytes.is_empty() {
            return Ok(Sha256::from_bytes(hash.finalize().into()));
        }
        hash.update(bytes);
        let read = bytes.len();
        reader.consume(read);
    }
}
