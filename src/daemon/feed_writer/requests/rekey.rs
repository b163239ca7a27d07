//! The operator's key is changed (HOUSE 3): every key is wrapped anew beside the old one, the feed's own last; then one entry
//! says that the new ones hold; then the old ones go. A writer that dies on the way leaves one key that opens everything:
//! the old one before the entry, the new one behind it. What is left of the other is swept at the next start.

use super::super::writer::FeedWriter;
use crate::daemon::error::Result;
use crate::daemon::journal::{Rekey, RequestOrigin, remove_others};
use crate::daemon::seal::OperatorKey;

impl FeedWriter {
    /// Changes the operator's key. This writer has the old one and ends with it; how many keys were wrapped anew.
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
