//! Changes the operator's key (HOUSE 3): the keys of the feed are drawn anew, every object is
//! sealed under keys of its own beside the old one, the feed's own keys last; then one entry says
//! that the new ones are valid; then the old ones are deleted. A writer that dies on the way leaves
//! one key that opens everything: the old one before the entry, the new one after it. The next
//! start removes the rest of the other.

use super::super::writer::FeedWriter;
use crate::error::Result;
use crate::journal::{RequestOrigin, remove_others};
use crate::seal::OperatorKey;

impl FeedWriter {
    /// Changes the operator's key; this writer ends with it. Returns the number of objects that
    /// were sealed anew.
    ///
    /// # Errors
    /// An object or a key was changed, another writer has taken over, or the store cannot be
    /// written.
    pub fn rekey(mut self, to: &OperatorKey, wanted: RequestOrigin) -> Result<u64> {
        let objects = self.log.rekey(to, wanted)?;
        remove_others(self.log.store(), self.log.ring(), self.log.writer().epoch)?;
        Ok(objects)
    }
}
