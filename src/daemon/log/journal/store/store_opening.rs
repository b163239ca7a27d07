//! Opens a store of any kind. Takes no lock: the writer of the log does.

use std::sync::Arc;

use super::{Bucket, Local, Packs, Store};
use crate::config::Root;
use crate::error::Result;

/// Opens the private or the public root of a store.
///
/// # Errors
/// It cannot be reached or written, or others may read a private root.
pub fn open(root: &Root, private: bool) -> Result<Arc<dyn Store>> {
    let store: Arc<dyn Store> = match root {
        Root::Directory(path) if private => Arc::new(Local::private(path)?),
        Root::Directory(path) => Arc::new(Local::public(path)?),
        Root::Bucket(url) => Arc::new(Bucket::open(url, private)?),
    };
    Ok(if private {
        Arc::new(Packs::over(store))
    } else {
        store
    })
}
