//! The key of a folder: from a named file, from the feed file, or from a new file beside the
//! folder.

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::disk::{around, remove, sync, write};
use crate::chance;
use crate::config::Secret;
use crate::error::{Error, ErrorCategory, Result};
use crate::seal::OperatorKey;
use crate::small_file::{self, Readers};

/// A key, and whether it has to be stored.
pub struct OpenedKey {
    /// The key.
    pub key: OperatorKey,
    /// The key if it was just made, and is not on the disk yet.
    pub made: Option<NewKey>,
}

/// A key that was made for a folder, and the file beside the folder for it.
pub struct NewKey {
    file: PathBuf,
    text: Zeroizing<String>,
}

impl NewKey {
    /// The file for it.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Writes it to its file: nothing may be sealed with it before.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self) -> Result<()> {
        let mut name = self.file.as_os_str().to_owned();
        name.push(".new");
        let new = PathBuf::from(name);
        write(
            &new,
            Zeroizing::new(format!("{}\n", *self.text)).as_bytes(),
            0o600,
        )?;
        let kept = std::fs::hard_link(&new, &self.file);
        remove(&new)?;
        kept.map_err(|error| Error::io(&self.file, "write the key", &error))?;
        sync(around(&self.file))
    }
}

/// The file beside a folder that contains its key if no other is named.
///
/// # Errors
/// The folder has no name that a file beside it could have.
pub fn beside(folder: &Path) -> Result<PathBuf> {
    // `.` and `..` have no names of their own; the file has to be beside the folder, not in it.
    let real = if folder.file_name().is_none() {
        folder.canonicalize().ok()
    } else {
        None
    };
    let folder = real.as_deref().unwrap_or(folder);
    let name = folder.file_name().ok_or_else(|| {
        let text =
            "a key cannot be made beside this folder: name another one, or the key with --key";
        Error::new(ErrorCategory::Usage, text).in_field("--out")
    })?;
    let mut name = name.to_owned();
    name.push(".key");
    Ok(folder.with_file_name(name))
}

/// Finds the key of a folder; makes one if the folder is new and no key is named.
///
/// # Errors
/// There is none, or it is no key.
pub fn find(
    named: Option<&Path>,
    feed: Option<&Secret>,
    folder: &Path,
    new: bool,
) -> Result<OpenedKey> {
    let found = |key| OpenedKey { key, made: None };
    if let Some(file) = named {
        return read(file).map(found);
    }
    if let Some(secret) = feed {
        let text = Zeroizing::new(secret.read()?);
        return OperatorKey::parse(&text)
            .map(found)
            .ok_or_else(|| no_key().in_field("store.key"));
    }
    let file = beside(folder)?;
    if file.exists() {
        return read(&file).map(found);
    }
    if !new {
        let text = "the key of this folder is not beside it: name it with --key, or as store.key in the feed file";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&file)
            .in_field("--key"));
    }
    let text = Zeroizing::new(chance::key()?);
    let key = OperatorKey::parse(&text).ok_or_else(no_key)?;
    Ok(OpenedKey {
        key,
        made: Some(NewKey { file, text }),
    })
}

/// Reads the key in a file.
///
/// # Errors
/// The file cannot be read, or contains no key.
pub fn read(file: &Path) -> Result<OperatorKey> {
    let text = small_file::secret(file, "read the key", Readers::Group)?;
    OperatorKey::parse(&text).ok_or_else(|| no_key().in_file(file))
}

fn no_key() -> Error {
    Error::new(
        ErrorCategory::Usage,
        "this is not a key: a key is 64 hexadecimal digits, as `tidegate init` writes them",
    )
}
