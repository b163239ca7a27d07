//! What is kept at rest is sealed: AES-256-GCM under a key derived from the operator's. Whoever has the files without the
//! key reads nothing and changes nothing unnoticed. Keys never print and are wiped when they are dropped.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::daemon::chance;
use crate::daemon::error::{Error, Kind, Result};

/// The first bytes of every sealed file; they are authenticated with it.
const MAGIC: &[u8] = b"tidegate sealed 1\n";
const NONCE: usize = 12;

/// The operator's key: 64 hexadecimal digits, however they were given.
pub struct OperatorKey(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for OperatorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperatorKey(..)")
    }
}

impl OperatorKey {
    /// Reads the digits; `None` if they are no key.
    pub fn parse(text: &str) -> Option<OperatorKey> {
        let digits = text.trim().as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut key = Zeroizing::new([0; 32]);
        for (slot, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            *slot = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Some(OperatorKey(key))
    }

    /// A key for one purpose; none of them tells of another or of the operator's.
    pub fn derive(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&*self.0).expect("a key of any length");
        mac.update(purpose.as_bytes());
        Zeroizing::new(mac.finalize().into_bytes().into())
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new_from_slice(&*self.derive("tidegate: private state")).expect("a key of 32 bytes")
    }

    /// Seals bytes under a new nonce.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn seal(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let nonce: [u8; NONCE] = chance::bytes()?;
        let payload = Payload { msg: bytes, aad: MAGIC };
        let sealed = self.cipher().encrypt(&Nonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Error::new(Kind::Internal, "the private state is too large to be sealed"))?;
        Ok([MAGIC, &nonce, &sealed].concat())
    }

    /// Opens what was sealed; `None` under another key, and when a bit of it was changed.
    pub fn open(&self, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.strip_prefix(MAGIC)?.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: MAGIC };
        self.cipher().decrypt(&Nonce::from(*nonce), payload).ok().map(Zeroizing::new)
    }
}

#[cfg(test)]
mod tests {
    use super::OperatorKey;

    #[test]
    fn every_bit_is_sealed() {
        let key = OperatorKey::parse(&"0123456789abcdef".repeat(4)).expect("a key");
        let other = OperatorKey::parse(&"0123456789abcdee".repeat(4)).expect("a key");
        let sealed = key.seal(b"planted").expect("random bytes");
        assert_ne!(sealed, key.seal(b"planted").expect("random bytes"), "a new nonce each time");
        assert!(!sealed.windows(7).any(|window| window == b"planted"));
        assert_eq!(key.open(&sealed).as_deref().map(Vec::as_slice), Some(&b"planted"[..]));
        assert!(other.open(&sealed).is_none());
        for at in 0..sealed.len() {
            let mut bad = sealed.clone();
            bad[at] ^= 1;
            assert!(key.open(&bad).is_none(), "byte {at}");
        }
        assert!(key.open(&sealed[..sealed.len() - 1]).is_none() && key.open(b"").is_none());
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
