//! Data at rest is sealed: AES-256-GCM under a key of its own, which is wrapped by the operator's
//! key. A thief of the files without the key can neither read nor change them unnoticed. Keys are
//! never printed and are wiped when they are dropped.
//!
//! The ciphers come from a library. How keys, objects and paths belong together is code of our own:
//! an object opens only under its own path, and is gone when its key is.

use crate::wiped_bytes::WipedBytes;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{Aead, AeadInOut, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::chance::{self, Chance};
use crate::error::{Error, ErrorCategory, Result};

/// The first bytes of every sealed file; they are authenticated with it.
const MAGIC: &[u8] = b"tidegate sealed 1\n";
const NONCE: usize = 12;
const TAG: usize = 16;

/// The operator's key: 64 hexadecimal digits, from whichever source.
pub struct OperatorKey(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for OperatorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperatorKey(..)")
    }
}

impl OperatorKey {
    /// Reads the digits; None if they are not a key.
    pub fn parse(text: &str) -> Option<OperatorKey> {
        let key = digits(text)?;
        Some(OperatorKey(key))
    }

    /// A key for one purpose; it reveals nothing about the others or the operator's.
    pub fn derive(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        derive(&self.0, purpose)
    }

    /// Whether it is this key, however its digits are written.
    pub fn is(&self, other: &OperatorKey) -> bool {
        // Both belong to the operator; the time of the comparison reveals nothing.
        self.0 == other.0
    }

    /// The key that wraps the keys of a feed. Each feed has another one, so that a wrapped key
    /// opens in its own feed only, even if two feeds have the same operator's key.
    pub fn wrapping(&self, feed: &str) -> SealingKey {
        SealingKey(self.derive(&format!("tidegate: keys of the feed {feed}")))
    }
}

/// The 32 bytes of 64 hexadecimal digits; None if they are not such digits.
pub fn digits(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let digits = text.trim().as_bytes();
    let mut bytes = Zeroizing::new([0; 32]);
    if digits.len() != 64 {
        return None;
    }
    for (slot, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        *slot = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}

/// A key and a nonce drawn for one object, which can be sealed without drawing more.
pub struct OneSealing {
    key: SealingKey,
    nonce: [u8; NONCE],
}

impl OneSealing {
    /// Seals bytes, which open only at this path.
    ///
    /// # Errors
    /// There are too many of them.
    pub fn seal(self, bytes: &[u8], place: &str) -> Result<Vec<u8>> {
        self.key.with_nonce(self.nonce, bytes, place)
    }
}

/// A key that seals.
pub struct SealingKey(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealingKey(..)")
    }
}

impl SealingKey {
    /// A new one.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn draw(chance: &mut dyn Chance) -> Result<SealingKey> {
        let mut key = Zeroizing::new([0; 32]);
        chance.fill(&mut *key)?;
        Ok(SealingKey(key))
    }

    /// From its bytes; None if their number is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<SealingKey> {
        Some(SealingKey(Zeroizing::new(bytes.try_into().ok()?)))
    }

    /// The same key again.
    pub fn copy(&self) -> SealingKey {
        SealingKey(self.0.clone())
    }

    /// Its bytes, to be sealed under another key.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A key for one purpose; it reveals nothing about the others or this one.
    pub fn derive(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        derive(&self.0, purpose)
    }

    /// A key for one purpose, which seals or authenticates.
    pub fn derived(&self, purpose: &str) -> SealingKey {
        SealingKey(self.derive(purpose))
    }

    /// The HMAC-SHA256 of bytes.
    pub fn code(&self, bytes: &[u8]) -> [u8; 32] {
        code(&self.0, bytes)
    }

    /// Seals bytes under a new nonce. They open only at this path.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn seal(&self, bytes: &[u8], place: &str, chance: &mut dyn Chance) -> Result<Vec<u8>> {
        self.with_nonce(chance::draw(chance)?, bytes, place)
    }

    /// This key with a new nonce, to seal one object.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn once(self, chance: &mut dyn Chance) -> Result<OneSealing> {
        Ok(OneSealing {
            nonce: chance::draw(chance)?,
            key: self,
        })
    }

    fn with_nonce(&self, nonce: [u8; NONCE], bytes: &[u8], place: &str) -> Result<Vec<u8>> {
        // Sealed in place, so that there is no second copy of the bytes.
        let head = MAGIC.len() + NONCE;
        let mut sealed = Vec::with_capacity(head + bytes.len() + TAG);
        [MAGIC, &nonce, bytes]
            .iter()
            .for_each(|part| sealed.extend_from_slice(part));
        let content = InOutBuf::from(&mut sealed[head..]);
        let tag = self
            .cipher()
            .encrypt_inout_detached(&Nonce::from(nonce), &bound(place), content);
        let tag = tag.map_err(|_| {
            Error::new(
                ErrorCategory::Internal,
                "the private state is too large to be sealed",
            )
        })?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    /// Opens bytes that were sealed for this path; None under another key, and if a bit was
    /// changed.
    pub fn open(&self, sealed: &[u8], place: &str) -> Option<WipedBytes> {
        let (nonce, sealed) = sealed.strip_prefix(MAGIC)?.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: &bound(place),
        };
        self.cipher()
            .decrypt(&Nonce::from(*nonce), payload)
            .ok()
            .map(WipedBytes::from)
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new_from_slice(&*self.0).expect("a key of 32 bytes")
    }
}

/// What is authenticated besides the content.
fn bound(place: &str) -> Vec<u8> {
    [MAGIC, place.as_bytes()].concat()
}

fn derive(key: &[u8; 32], purpose: &str) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(code(key, purpose.as_bytes()))
}

fn code(key: &[u8; 32], bytes: &[u8]) -> [u8; 32] {
    let mut mac =
        <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).expect("a key may have any length");
    mac.update(bytes);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::OperatorKey;

    #[test]
    fn every_bit_is_sealed() {
        let chance = &mut super::chance::SystemChance;
        let key = OperatorKey::parse(&"0123456789abcdef".repeat(4))
            .expect("a key")
            .wrapping("feed");
        let other = OperatorKey::parse(&"0123456789abcdee".repeat(4))
            .expect("a key")
            .wrapping("feed");
        let sealed = key.seal(b"planted", "here", chance).expect("random bytes");
        assert_ne!(
            sealed,
            key.seal(b"planted", "here", chance).expect("random bytes"),
            "a new nonce each time"
        );
        assert!(!sealed.windows(7).any(|window| window == b"planted"));
        assert_eq!(
            key.open(&sealed, "here").as_deref().map(Vec::as_slice),
            Some(&b"planted"[..])
        );
        assert!(other.open(&sealed, "here").is_none() && key.open(&sealed, "there").is_none());
        for at in 0..sealed.len() {
            let mut bad = sealed.clone();
            bad[at] ^= 1;
            assert!(key.open(&bad, "here").is_none(), "byte {at}");
        }
        assert!(
            key.open(&sealed[..sealed.len() - 1], "here").is_none()
                && key.open(b"", "here").is_none()
        );
    }

    #[test]
    fn a_key_wraps_for_one_feed() {
        let operator = OperatorKey::parse(&"0123456789abcdef".repeat(4)).expect("a key");
        let wrapped =
            operator
                .wrapping("one")
                .seal(b"key", "keys/x", &mut super::chance::SystemChance);
        let wrapped = wrapped.expect("random bytes");
        assert!(operator.wrapping("one").open(&wrapped, "keys/x").is_some());
        assert!(
            operator
                .wrapping("other")
                .open(&wrapped, "keys/x")
                .is_none()
        );
    }

    #[test]
    fn keys_are_64_digits_and_do_not_print() {
        for text in ["", "12", &"g".repeat(64), &"1".repeat(63), &"é".repeat(32)] {
            assert!(OperatorKey::parse(text).is_none());
        }
        let key = OperatorKey::parse(&"AB".repeat(32)).expect("a key");
        assert_eq!(format!("{key:?}"), "OperatorKey(..)");
        assert_ne!(key.derive("one"), key.derive("other"));
    }
}
