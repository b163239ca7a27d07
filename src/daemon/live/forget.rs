//! Forgetting (HOUSE 3): raw rows go some time after what they brought is published, messages that were set aside after
//! theirs. Told the time; what is gone is found to be gone when the log is read again.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::work::Live;
use crate::daemon::error::Result;
use crate::daemon::journal::destroy_all;

impl Live {
    /// Destroys what has been kept for long enough. How many objects.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn forget(&mut self, now: Timestamp) -> Result<u64> {
        let over = |since: &str, keep: u64| {
            let since: Option<Timestamp> = since.parse().ok();
            since.is_some_and(|since| {
                now.as_second().saturating_sub(since.as_second()) >= i64::try_from(keep).unwrap_or(i64::MAX)
            })
        };
        let keep = self.settings.keep_raw;
        let raw = self.state.spent().filter(|raw| raw.published.as_deref().is_some_and(|since| over(since, keep)));
        let aside = self.state.quarantine.iter().filter(|aside| over(&aside.time, self.settings.keep_aside));
        let gone: Vec<String> =
            raw.map(|raw| raw.object.path.clone()).chain(aside.map(|aside| aside.object.path.clone())).collect();
        if gone.is_empty() {
            return Ok(0);
        }
        destroy_all(self.log.store(), self.log.ring(), gone.iter().map(String::as_str))?;
        gone.iter().for_each(|path| _ = self.state.live.remove(path));
        let gone: BTreeSet<String> = gone.into_iter().collect();
        self.state.raw.retain(|raw| !gone.contains(&raw.object.path));
        self.state.quarantine.retain(|aside| !gone.contains(&aside.object.path));
        Ok(gone.len() as u64)
    }
}
