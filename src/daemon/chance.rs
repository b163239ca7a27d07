//! Randomness comes in through this door (HOUSE 2): from the operating system, as values. Nothing here keeps or prints
//! what it has drawn.

use super::error::{Error, Kind, Result};

/// A new key: 64 hexadecimal digits.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn key() -> Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)
        .map_err(|_| Error::new(Kind::Io, "the operating system gives no random bytes for a key"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_differ_and_have_their_form() {
        let (one, other) = (super::key().expect("random bytes"), super::key().expect("random bytes"));
        assert_ne!(one, other);
        assert!(one.len() == 64 && one.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    }
}
