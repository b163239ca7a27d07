//! The only source of randomness (HOUSE 2): the operating system; random numbers are passed on as
//! values. Nothing here stores or prints them.

use hmac::{Hmac, KeyInit, Mac};

use super::error::{Error, ErrorCategory, Result};

/// A source of random bytes.
pub trait Chance: Send {
    /// Fills a slice.
    ///
    /// # Errors
    /// There are no random bytes.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()>;
}

/// The operating system.
pub struct SystemChance;

impl Chance for SystemChance {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        getrandom::fill(bytes).map_err(|_| {
            Error::new(
                ErrorCategory::Io,
                "the operating system gives no random bytes",
            )
        })
    }
}

/// Bytes that follow from a seed, so that a run can be repeated. For tests: the seed reveals every
/// key.
pub struct Seeded {
    seed: u64,
    drawn: u64,
}

impl Seeded {
    /// The bytes for a seed.
    pub fn new(seed: u64) -> Seeded {
        Seeded { seed, drawn: 0 }
    }
}

impl Chance for Seeded {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        for chunk in bytes.chunks_mut(32) {
            let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&self.seed.to_le_bytes()).expect(
                "a key may have any \
                 length",
            );
            mac.update(&self.drawn.to_le_bytes());
            self.drawn += 1;
            chunk.copy_from_slice(&mac.finalize().into_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// Random bytes of the operating system.
///
/// # Errors
/// The operating system provides none.
pub fn bytes<const N: usize>() -> Result<[u8; N]> {
    draw(&mut SystemChance)
}

/// Random bytes.
///
/// # Errors
/// There are none.
pub fn draw<const N: usize>(chance: &mut dyn Chance) -> Result<[u8; N]> {
    let mut bytes = [0u8; N];
    chance.fill(&mut bytes)?;
    Ok(bytes)
}

/// A name that no other object has: 32 hexadecimal digits.
///
/// # Errors
/// There are no random bytes.
pub fn name(chance: &mut dyn Chance) -> Result<String> {
    Ok(hex(&draw::<16>(chance)?))
}

/// A new key: 64 hexadecimal digits.
///
/// # Errors
/// The operating system provides no random bytes.
pub fn key() -> Result<String> {
    Ok(hex(&bytes::<32>()?))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_have_their_form() {
        let (one, other) = (key().expect("random bytes"), key().expect("random bytes"));
        assert_ne!(one, other);
        assert!(
            one.len() == 64
                && one
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        );
    }

    #[test]
    fn a_seed_replays_a_run() {
        let drawn = |seed| {
            let mut chance = Seeded::new(seed);
            let mut long = [0; 70];
            chance.fill(&mut long).expect("bytes");
            (long, name(&mut chance).expect("bytes"))
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert_ne!(drawn(7).0[..32], drawn(7).0[32..64]);
    }
}
