//! Unpredictable numbers for the engine (HOUSE 2: randomness enters here). None is stored.

use crate::chance::{self, Chance};
use crate::engine::safeguards::mask::Draws;
use crate::error::{Error, Result};

/// Draws from a source of random bytes.
pub(crate) struct ChanceDraws<'c> {
    chance: &'c mut dyn Chance,
    failed: Option<Error>,
}

impl<'c> ChanceDraws<'c> {
    /// From this source.
    pub(crate) fn from(chance: &'c mut dyn Chance) -> ChanceDraws<'c> {
        ChanceDraws {
            chance,
            failed: None,
        }
    }

    /// Checks that the numbers were random.
    ///
    /// # Errors
    /// There were no random bytes.
    pub(crate) fn sound(self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)
    }
}

impl Draws for ChanceDraws<'_> {
    fn below(&mut self, n: u64) -> u64 {
        // Numbers above the last whole multiple of n would make small ones more likely.
        let most = u64::MAX - u64::MAX % n;
        loop {
            match chance::draw::<8>(self.chance) {
                Ok(bytes) => {
                    let drawn = u64::from_le_bytes(bytes);
                    if drawn < most {
                        return drawn % n;
                    }
                }
                Err(error) => {
                    self.failed = Some(error);
                    return 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seeded;
    use crate::error::ErrorCategory;

    #[test]
    fn numbers_below_some_are_as_likely_as_each_other() {
        let mut seeded = Seeded::new(3);
        let mut drawn = ChanceDraws::from(&mut seeded);
        let mut seen = [0u32; 6];
        (0..6_000).for_each(|_| seen[drawn.below(6) as usize] += 1);
        assert!(
            seen.iter().all(|times| (850..1_150).contains(times)),
            "{seen:?}"
        );
        assert_eq!(drawn.below(1), 0);
        drawn.sound().expect("there are bytes");
    }

    #[test]
    fn nothing_counts_without_chance() {
        struct None;
        impl Chance for None {
            fn fill(&mut self, _: &mut [u8]) -> Result<()> {
                Err(Error::new(ErrorCategory::Io, "no bytes"))
            }
        }
        let mut none = None;
        let mut drawn = ChanceDraws::from(&mut none);
        assert_eq!(drawn.below(5), 0);
        assert!(drawn.sound().is_err());
    }
}
