//! Signatures of manifests and notices (CONTRACTS 4): ed25519 over their `signed_bytes`. The
//! signing key is never printed; the public key is for all readers of releases.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use super::chance::Chance;
use super::error::Result;
use super::seal::digits;
use crate::engine::release::Sha256;

/// The key that signs manifests, or the decisions of an approver.
#[derive(Clone)]
pub struct Signing(SigningKey);

impl std::fmt::Debug for Signing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signing(..)")
    }
}

/// The key that manifests are checked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl Signing {
    /// Reads 64 hexadecimal digits; None if they are not a key.
    pub fn parse(text: &str) -> Option<Signing> {
        Some(Signing(SigningKey::from_bytes(&*digits(text)?)))
    }

    /// A new one.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn draw(chance: &mut dyn Chance) -> Result<Signing> {
        let mut key = Zeroizing::new([0; 32]);
        chance.fill(&mut *key)?;
        Ok(Signing(SigningKey::from_bytes(&key)))
    }

    /// As 64 hexadecimal digits, for the file that it is kept in.
    pub fn text(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new(self.0.to_bytes());
        Zeroizing::new(hex(&*bytes))
    }

    /// Signs.
    pub fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(bytes).to_bytes()
    }

    /// Its public key.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }
}

impl PublicKey {
    /// Reads 64 hexadecimal digits; None if they are not a key.
    pub fn parse(text: &str) -> Option<PublicKey> {
        VerifyingKey::from_bytes(&*digits(text)?)
            .ok()
            .map(PublicKey)
    }

    /// As 64 hexadecimal digits.
    pub fn text(&self) -> String {
        hex(self.0.as_bytes())
    }

    /// The fingerprint that people compare: the SHA-256 of its 32 bytes.
    pub fn fingerprint(&self) -> Sha256 {
        Sha256::of(self.0.as_bytes())
    }

    /// Whether the signature is one of these bytes.
    pub fn signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.0.verify_strict(bytes, &signature).is_ok())
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits; None if they are not such digits.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| Some((digit(pair[0])? * 16 + digit(*pair.get(1)?)?) as u8))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, 7.1, test 2.
    #[test]
    fn the_vector_of_the_standard() {
        let key =
            Signing::parse("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
                .expect("a key");
        let public = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
        assert_eq!(key.public().text(), public);
        let signature = key.sign(&[0x72]);
        assert_eq!(signature[..4], [0x92, 0xa0, 0x09, 0xa9]);
        let public = PublicKey::parse(public).expect("a key");
        assert!(public.signed(&[0x72], &signature));
        assert!(!public.signed(&[0x73], &signature) && !public.signed(&[0x72], &signature[..63]));
        assert_eq!(format!("{key:?}"), "Signing(..)");
        assert!(Signing::parse("12").is_none());
    }
}
