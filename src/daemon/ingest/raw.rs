//! The bytes of a set-aside message that are needed to offer it again. They are personal data:
//! wiped when dropped, and never shown.

use crate::wiped_bytes::WipedBytes;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// The most bytes of a message that is kept.
pub(crate) const MOST_RAW: usize = 1 << 24;

/// Bytes that are wiped and not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretBytes(WipedBytes);

impl SecretBytes {
    /// A copy of these bytes.
    pub(super) fn of(bytes: &[u8]) -> SecretBytes {
        SecretBytes(bytes.into())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for SecretBytes {
    fn from(bytes: Vec<u8>) -> SecretBytes {
        SecretBytes(bytes.into())
    }
}

impl AsRef<[u8]> for SecretBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.0.len())
    }
}

impl Serialize for SecretBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for SecretBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SecretBytes, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

/// Copies them once: growing would leave copies that are not wiped.
struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = SecretBytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<SecretBytes, E> {
        Ok(SecretBytes::of(bytes))
    }
}
