//! The format of a pack: the objects, then the list of their paths and lengths, then the digest of
//! the objects, the length of the list, and a digest over all of this and the pack's own path. To
//! read only the list, the end of the pack is enough.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorCategory, Result};

/// The beginning of a pack.
const BEGINS: &[u8] = b"tidegate pack 1\n";
/// The bytes after the list: two digests, and the length of the list between them.
pub(super) const TRAILER: usize = 32 + 8 + 32;

/// Paths and lengths of objects, in the order of the paths.
pub(super) type PackedPaths = Vec<(Arc<str>, u64)>;

/// A pack with its bytes.
pub(super) struct LoadedPack {
    bytes: Vec<u8>,
    objects: Vec<(Arc<str>, Range<usize>)>,
}

/// A pack with these objects.
pub(super) fn bytes(path: &str, objects: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut bytes = BEGINS.to_vec();
    objects
        .values()
        .for_each(|object| bytes.extend_from_slice(object));
    let lengths: Vec<(&str, u64)> = objects
        .iter()
        .map(|(path, object)| (path.as_str(), object.len() as u64))
        .collect();
    let list = postcard::to_stdvec(&lengths).expect("serialisation failed (this is a bug)");
    let mut trailer = Sha256::digest(&bytes).to_vec();
    bytes.extend_from_slice(&list);
    trailer.extend_from_slice(&(list.len() as u64).to_le_bytes());
    let all = digest(path, &list, &trailer);
    bytes.extend_from_slice(&trailer);
    bytes.extend_from_slice(&all);
    bytes
}

fn digest(path: &str, list: &[u8], trailer: &[u8]) -> [u8; 32] {
    Sha256::digest([path.as_bytes(), b"\n", list, trailer].concat()).into()
}

/// The number of bytes of the list and what follows it, from the last bytes of a pack.
pub(super) fn end(path: &str, trailer: &[u8]) -> Result<u64> {
    let length = trailer
        .get(32..40)
        .and_then(|length| length.try_into().ok())
        .map(u64::from_le_bytes);
    let length = length
        .filter(|_| trailer.len() == TRAILER)
        .and_then(|length| length.checked_add(TRAILER as u64));
    length.ok_or_else(|| changed(path))
}

/// The list of a pack of this size, from its end.
///
/// # Errors
/// The pack was changed.
pub(super) fn paths(path: &str, end: &[u8], size: u64) -> Result<PackedPaths> {
    let (list, trailer) = end
        .len()
        .checked_sub(TRAILER)
        .map(|at| end.split_at(at))
        .ok_or_else(|| changed(path))?;
    let (trailer, all) = trailer.split_at(TRAILER - 32);
    if digest(path, list, trailer)[..] != *all {
        return Err(changed(path));
    }
    let paths: Vec<(String, u64)> = postcard::from_bytes(list).map_err(|_| changed(path))?;
    let bodies = paths
        .iter()
        .try_fold(BEGINS.len() as u64, |sum, (_, length)| {
            sum.checked_add(*length)
        });
    if bodies.and_then(|bodies| bodies.checked_add(end.len() as u64)) != Some(size) {
        return Err(changed(path));
    }
    Ok(paths
        .into_iter()
        .map(|(path, length)| (path.into(), length))
        .collect())
}

impl LoadedPack {
    /// Reads the output of [`bytes`].
    ///
    /// # Errors
    /// It was changed.
    pub(super) fn parse(path: &str, bytes: Vec<u8>) -> Result<LoadedPack> {
        let at = bytes
            .len()
            .checked_sub(TRAILER)
            .ok_or_else(|| changed(path))?;
        let length = usize::try_from(end(path, &bytes[at..])?).map_err(|_| changed(path))?;
        let from = bytes
            .len()
            .checked_sub(length)
            .ok_or_else(|| changed(path))?;
        let paths = paths(path, &bytes[from..], bytes.len() as u64)?;
        if Sha256::digest(&bytes[..from])[..] != bytes[at..at + 32] || !bytes.starts_with(BEGINS) {
            return Err(changed(path));
        }
        let mut begins = BEGINS.len();
        let object = |(path, length): (Arc<str>, u64)| {
            let range = begins..begins + length as usize;
            begins = range.end;
            (path, range)
        };
        let objects = paths.into_iter().map(object).collect();
        Ok(LoadedPack { bytes, objects })
    }

    /// An object of it.
    pub(super) fn object(&self, path: &str) -> Option<&[u8]> {
        let at = self
            .objects
            .binary_search_by(|(known, _)| (**known).cmp(path))
            .ok()?;
        Some(&self.bytes[self.objects[at].1.clone()])
    }

    /// An object that its list names.
    pub(super) fn need(&self, path: &str, pack: &str) -> Result<Vec<u8>> {
        self.object(path)
            .map(<[u8]>::to_vec)
            .ok_or_else(|| changed(pack))
    }
}

/// The error for a pack that was changed.
fn changed(path: &str) -> Error {
    let text = "this pack of the private root was changed: restore it from a backup";
    Error::new(ErrorCategory::Input, text).in_field(path.to_owned())
}
