//! Changes the operator's key (HOUSE 3): every key is wrapped again beside the old wrapping, the feed's own last; then
//! one entry says that the new wrappings are valid; then the old ones are deleted. A writer that dies on the way leaves
//! one key that opens everything: the old one before the entry, the new one after it. The next start removes the rest
//! of the other.

use super::super::writer::FeedWriter;
use crate::daemon::error::Result;
use crate::daemon::journal::{Rekey, RequestOrigin, remove_others};
use crate::daemon::seal::OperatorKey;

impl FeedWriter {
    /// Changes the operator's key. This writer uses the old one and ends with it; returns how many keys were wrapped again.
    ///
    /// # Errors
    /// A key was changed, another writer has taken over, or the store cannot be written.
    pub fn rekey(mut self, to: &OperatorKey, wanted: RequestOrigin) -> Result<u64> {
        let epoch = self.log.writer().epoch;
        let new = self.log.ring().under(to, epoch);
        let keys = self.log.rewrap(&new)?;
        self.append(Rekey { wanted, keys })?;
        remove_others(self.log.store(), &new, epoch)?;
        Ok(keys)
    }
}
