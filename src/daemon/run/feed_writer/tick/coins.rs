//! The coins of a tick that halves (SCIENCE 11): their seed is drawn and recorded in the log before
//! they are used, so that a writer that repeats the tick uses the same ones. As secret as the rows
//! of the tick, and destroyed with them.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use zeroize::Zeroizing;

use super::super::state::FeedState;
use crate::chance;
use crate::engine::safeguards::mask::Draws;
use crate::error::Result;
use crate::formats::SealedFormat;
use crate::journal::{Coins, Log};

/// Coins that follow from a seed: the key of a stream of ChaCha20, of which each coin uses two
/// bits, the lower ones of a byte first.
pub(in crate::feed_writer) struct Tossed {
    stream: ChaCha20,
    byte: u8,
    /// The unused bits of the byte.
    left: u32,
}

impl Tossed {
    fn of(seed: &[u8; 32]) -> Tossed {
        Tossed {
            stream: ChaCha20::new(seed.into(), &[0; 12].into()),
            byte: 0,
            left: 0,
        }
    }
}

impl Draws for Tossed {
    fn below(&mut self, n: u64) -> u64 {
        assert_eq!(n, 4, "a coin has two bits");
        if self.left == 0 {
            let mut next = [0];
            self.stream.apply_keystream(&mut next);
            (self.byte, self.left) = (next[0], 8);
        }
        let coin = self.byte & 3;
        (self.byte, self.left) = (self.byte >> 2, self.left - 2);
        u64::from(coin)
    }
}

/// The coins of the next tick; drawn, if they were not yet.
pub(in crate::feed_writer) fn coins(log: &mut Log, state: &mut FeedState) -> Result<Tossed> {
    let tick = state.feed.ticks();
    if let Some(drawn) = state.coins.as_ref().filter(|coins| coins.tick == tick) {
        let seed: [u8; 32] = SealedFormat::CoinSeed.parse(&log.objects().need(&drawn.coins)?)?;
        return Ok(Tossed::of(&Zeroizing::new(seed)));
    }
    let seed = Zeroizing::new(chance::draw::<32>(log.chance())?);
    let sealed = SealedFormat::CoinSeed.bytes(&*seed);
    let coins = log.keep("coins", &sealed)?;
    let coins = Coins { tick, coins };
    log.append(coins.clone())?;
    state.tossed(&coins);
    Ok(Tossed::of(&seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_are_bits_of_the_stream() {
        // The first block of ChaCha20 for a key, a nonce and a counter of zeros begins with 76 b8
        // e0 ad (RFC 8439, A.1).
        let mut tossed = Tossed::of(&[0; 32]);
        let coins: Vec<u64> = (0..16).map(|_| tossed.below(4)).collect();
        let bytes = [0x76u8, 0xb8, 0xe0, 0xad];
        let meant: Vec<u64> = bytes
            .iter()
            .flat_map(|byte| (0..4).map(move |at| u64::from(byte >> (2 * at) & 3)))
            .collect();
        assert_eq!(coins, meant);
        assert!(
            (0..10_000)
                .filter(|_| tossed.below(4) == 0)
                .count()
                .abs_diff(2_500)
                < 250
        );
    }
}
