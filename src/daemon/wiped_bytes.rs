//! Bytes that are overwritten before their memory is freed: opened objects, keys, messages. [`Zeroizing`] of a
//! `Vec<u8>` would write one byte at a time, which took a seventh of the time of an erasure that reads hundreds of
//! megabytes.
//!
//! [`Zeroizing`]: zeroize::Zeroizing

use std::ops::{Deref, DerefMut};

use zeroize::optimization_barrier;

/// Bytes that are wiped when they are dropped, including their unused capacity.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct WipedBytes(Vec<u8>);

impl From<Vec<u8>> for WipedBytes {
    fn from(bytes: Vec<u8>) -> WipedBytes {
        WipedBytes(bytes)
    }
}

impl From<&[u8]> for WipedBytes {
    fn from(bytes: &[u8]) -> WipedBytes {
        WipedBytes(bytes.to_vec())
    }
}

impl Deref for WipedBytes {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for WipedBytes {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl Drop for WipedBytes {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Zeros that are copied at a time.
static ZEROS: [u8; 4096] = [0; 4096];

/// Overwrites these bytes, and the capacity behind them, with zeros.
fn wipe(bytes: &mut Vec<u8>) {
    bytes.fill(0);
    while bytes.len() < bytes.capacity() {
        let room = bytes.capacity() - bytes.len();
        bytes.extend_from_slice(&ZEROS[..room.min(ZEROS.len())]);
    }
    // Nothing reads the zeros: without this barrier the compiler could leave them out.
    optimization_barrier(&bytes[..]);
}

#[cfg(test)]
mod tests {
    use super::{WipedBytes, wipe};

    #[test]
    fn all_the_room_is_wiped() {
        let mut bytes = vec![7; 40];
        // A shorter value in the same memory.
        bytes.truncate(13);
        wipe(&mut bytes);
        assert_eq!(bytes, [0; 40]);
    }

    #[test]
    fn bytes_are_what_they_were() {
        let mut bytes = WipedBytes::from(vec![1, 2, 3]);
        bytes.push(4);
        assert!(bytes == WipedBytes::from(&[1, 2, 3, 4][..]) && bytes.len() == 4);
    }
}
