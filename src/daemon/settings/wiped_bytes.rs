//! Bytes that are overwritten before their memory is freed: opened objects, keys, messages.
//! [`Zeroizing`] of a `Vec<u8>` would write one byte at a time, which took a seventh of the time of
//! an erasure that reads hundreds of megabytes.
//!
//! [`Zeroizing`]: zeroize::Zeroizing

use std::io;
use std::ops::{Deref, DerefMut};

use zeroize::optimization_barrier;

/// Bytes that are wiped when they are dropped, including their unused capacity.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct WipedBytes(Vec<u8>);

impl WipedBytes {
    /// No bytes, with room for as many.
    pub fn with_capacity(capacity: usize) -> WipedBytes {
        WipedBytes(Vec::with_capacity(capacity))
    }

    /// The bytes, which are not wiped then: for what is published.
    pub fn into_bytes(mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

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

/// Writing leaves no copy behind in memory that was too small.
impl io::Write for WipedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let needed = self.0.len() + bytes.len();
        if needed > self.0.capacity() {
            let mut larger = Vec::with_capacity(needed.max(2 * self.0.capacity()));
            larger.extend_from_slice(&self.0);
            wipe(&mut std::mem::replace(&mut self.0, larger));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
    use std::io::Write as _;

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
    fn what_is_written_is_there() {
        let mut bytes = WipedBytes::with_capacity(3);
        for part in [&[1, 2][..], &[3], &[4, 5, 6, 7], &[], &[8; 100]] {
            bytes.write_all(part).expect("memory");
        }
        assert!(bytes[..7] == [1, 2, 3, 4, 5, 6, 7] && bytes[7..] == [8; 100]);
    }

    #[test]
    fn bytes_are_what_they_were() {
        let mut bytes = WipedBytes::from(vec![1, 2, 3]);
        bytes.push(4);
        assert!(bytes == WipedBytes::from(&[1, 2, 3, 4][..]) && bytes.len() == 4);
    }
}
