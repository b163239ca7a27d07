//! Folders that commands are given (CONTRACTS 3, FEED or DIR).

use std::path::{Path, PathBuf};

/// The feed file in the folder of a feed at work, as `demo` and `init` make them; a folder of releases has none.
pub fn feed_in(folder: &Path) -> Option<PathBuf> {
    let releases = folder.join("manifest").is_dir() || folder.join(".private").is_dir();
    Some(folder.join("feed.toml")).filter(|file| !releases && file.is_file())
}
