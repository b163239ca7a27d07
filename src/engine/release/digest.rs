//! SHA-256 of published bytes, by which manifests identify files and each other. Written as 64
//! lower-case hexadecimal digits; upper case is refused, so that a digest has one spelling.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// A digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Sha256 {
        Sha256(sha2::Sha256::digest(bytes).into())
    }

    /// Reads 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Sha256> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut digest = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (slot, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *slot = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Sha256(digest))
    }

    /// From the bytes of a digest.
    pub fn from_bytes(digest: [u8; 32]) -> Sha256 {
        Sha256(digest)
    }

    /// The bytes of the digest.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn with_text<T>(&self, takes: impl FnOnce(&str) -> T) -> T {
        let mut digits = [0; 64];
        for (at, digit) in digits.iter_mut().enumerate() {
            let byte = self.0[at / 2];
            let half = if at % 2 == 0 { byte >> 4 } else { byte & 15 };
            *digit = if half < 10 {
                b'0' + half
            } else {
                b'a' + half - 10
            };
        }
        takes(str::from_utf8(&digits).expect("digits are text"))
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sha256, D::Error> {
        let text = String::deserialize(deserializer)?;
        Sha256::parse(&text)
            .ok_or_else(|| D::Error::custom("a SHA-256 is 64 digits from 0-9 and a-f"))
    }
}

impl schemars::JsonSchema for Sha256 {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::Sha256;

    #[test]
    fn a_digest_has_one_spelling() {
        let digest = Sha256::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(Sha256::parse(text), Some(digest));
        for wrong in [
            &text[1..],
            &text.to_uppercase(),
            &text.replace("ba", "+a"),
            &format!("{text}0"),
        ] {
            assert_eq!(Sha256::parse(wrong), None, "{wrong}");
        }
    }
}
