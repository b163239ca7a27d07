//! Randomness comes in through this door (HOUSE 2): from the operating system, as values. Nothing here keeps or prints
//! what it has drawn.

use super::error::{Error, Kind, Result};

/// Random bytes.
///
/// # Errors
/// The operating system gives none.
pub fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0u8; N];
    getrandom::fill(&mut bytes).map_err(|_| Error::new(Kind::Io, "the operating system gives no random bytes"))?;
    Ok(bytes)
}

/// A new key: 64 hexadecimal digits.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn key() -> Result<String> {
    Ok(bytes::<32>()?.iter().map(|byte| format!("{byte:02x}")).collect())
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
