//! The door to a store, wherever it lies. Takes no lock: whoever writes the log does.

use super::{Bucket, Local, Store};
use crate::daemon::config::Root;
use crate::daemon::error::Result;

/// Opens the private or the public root of a store.
///
/// # Errors
/// It cannot be reached or written, or others may read what is private.
pub fn open(root: &Root, private: bool) -> Result<Box<dyn Store>> {
    Ok(match root {
        Root::Directory(path) if private => Box::new(Local::private(path)?),
        Root::Directory(path) => Box::new(Local::public(path)?),
        Root::Bucket(url) => Box::new(Bucket::open(url, private)?),
    })
}
