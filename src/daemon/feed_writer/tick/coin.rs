//! The coin of `chain` (SCIENCE 4): drawn and recorded in the log before a finer release is tested,
//! so that a writer that starts again after a crash uses the same coin.

use super::super::state_parts::{CoinResult, UndecidedRelease};
use super::super::writer::FeedWriter;
use super::chance_draws::ChanceDraws;
use crate::daemon::error::Result;
use crate::daemon::formats::SealedFormat;
use crate::daemon::journal::Coin;
use crate::engine::policy::Odds;
use crate::engine::safeguards::mask::Draws;

/// The result of a coin, from its sealed object: whether a finer release that passes its test may
/// be published.
///
/// # Errors
/// It has another version.
pub fn shows(sealed: &[u8]) -> Result<CoinResult> {
    SealedFormat::Coin.parse(sealed).map(CoinResult)
}

impl FeedWriter {
    /// The coin of a release that is due; drawn, if it was not yet.
    pub(in crate::daemon::feed_writer) fn coin(
        &mut self,
        due: &UndecidedRelease,
        odds: Odds,
    ) -> Result<CoinResult> {
        if let Some(lets) = due.coin {
            return Ok(lets);
        }
        let mut drawn = ChanceDraws::from(self.log.chance());
        let lets = CoinResult(drawn.below(10u64.pow(odds.rho.scale().into())) >= odds.rho.digits());
        drawn.sound()?;
        let coin = self.log.keep("coin", &SealedFormat::Coin.bytes(&lets.0))?;
        let coin = Coin {
            tick: due.tick,
            tests: self.state.feed.tests() + 1,
            coin,
        };
        self.append(coin.clone())?;
        self.state.drawn(&coin, lets);
        Ok(lets)
    }
}
