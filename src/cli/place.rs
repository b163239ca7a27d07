//! Feeds and folders that commands are given (CONTRACTS 3, FEED or DIR).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::daemon::config::FeedConfig;
use crate::daemon::error::Result;
use crate::daemon::journal::store::{ReadOnlyFolder, Store};
use crate::daemon::service::root_opening;
use crate::engine::release::Layout;

/// The feed file in the folder of a feed, as `demo` and `init` create them; a folder of releases
/// has none.
pub(crate) fn feed_in(folder: &Path) -> Option<PathBuf> {
    let releases = folder.join("manifest").is_dir() || folder.join(".private").is_dir();
    Some(folder.join("feed.toml")).filter(|file| !releases && file.is_file())
}

/// Where releases are published.
pub(crate) struct PublicPlace {
    /// The public root, or the folder.
    pub store: Arc<dyn Store>,
    /// The layout of its files.
    pub layout: Layout,
    /// The name of the feed, if a feed file says it.
    pub feed: Option<String>,
}

/// The public files of a feed file, of the folder of a feed, of a public root, or of a folder that
/// `anonymize` writes to.
///
/// # Errors
/// The feed file or the folder cannot be read.
pub(crate) fn public_of(place: &Path) -> Result<PublicPlace> {
    let feed = if place.is_dir() {
        feed_in(place)
    } else {
        Some(place.to_path_buf())
    };
    match feed {
        Some(file) => public_root(&FeedConfig::load(&file)?),
        None => {
            let layout = if place.join("manifest").is_dir() {
                Layout::Root
            } else {
                Layout::Folders
            };
            Ok(PublicPlace {
                store: Arc::new(ReadOnlyFolder::open(place)?),
                layout,
                feed: None,
            })
        }
    }
}

/// The public root of a feed.
///
/// # Errors
/// The feed file names none, or it cannot be opened.
pub(crate) fn public_root(feed: &FeedConfig) -> Result<PublicPlace> {
    Ok(PublicPlace {
        store: root_opening::look(feed, false)?,
        layout: Layout::Root,
        feed: Some(feed.name.clone()),
    })
}
