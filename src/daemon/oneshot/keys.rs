//! Where the key of a folder comes from: a file that is named, the feed file, or one that is made beside the folder.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::seal::OperatorKey;
use crate::daemon::chance;
use crate::daemon::config::Secret;
use crate::daemon::error::{Error, Kind, Result};

/// A key, and the file that was made for it, if one was.
pub struct Found {
    /// The key.
    pub key: OperatorKey,
    /// The file it was written to just now.
    pub made: Option<PathBuf>,
}

/// The file beside a folder that its key lies in when no other is named.
pub fn beside(folder: &Path) -> PathBuf {
    let name = folder.file_name().map_or_else(|| "releases".into(), |name| name.to_string_lossy().into_owned());
    folder.with_file_name(format!("{name}.key"))
}

/// Finds the key of a folder; makes one when the folder is new and none is named.
///
/// # Errors
/// There is none, or it is no key.
pub fn find(named: Option<&Path>, feed: Option<&Secret>, folder: &Path, new: bool) -> Result<Found> {
    if let Some(file) = named {
        return Ok(Found { key: read(file)?, made: None });
    }
    if let Some(secret) = feed {
        let text = zeroize::Zeroizing::new(secret.read()?);
        let key = OperatorKey::parse(&text).ok_or_else(|| no_key().in_field("store.key"))?;
        return Ok(Found { key, made: None });
    }
    let file = beside(folder);
    if file.exists() || !new {
        return Ok(Found { key: read(&file)?, made: None });
    }
    let text = zeroize::Zeroizing::new(chance::key()?);
    let written =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file).and_then(|mut to| {
            to.write_all(text.as_bytes())?;
            to.write_all(b"\n")?;
            to.sync_all()
        });
    written.map_err(|error| Error::io(&file, "write the key", &error))?;
    let key = OperatorKey::parse(&text).ok_or_else(no_key)?;
    Ok(Found { key, made: Some(file) })
}

fn read(file: &Path) -> Result<OperatorKey> {
    let text = std::fs::read_to_string(file).map_err(|error| Error::io(file, "read the key", &error))?;
    OperatorKey::parse(&zeroize::Zeroizing::new(text)).ok_or_else(|| no_key().in_file(file))
}

fn no_key() -> Error {
    Error::new(Kind::Usage, "this is no key: a key is 64 hexadecimal digits, as `tidegate init` makes them")
}
