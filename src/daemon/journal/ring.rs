//! The keys of a feed (HOUSE 3): the operator's key wraps a key of the feed's own, which is drawn once and never changes:
//! people are hashed with it and entries are signed with it. Each sealed object has a key of its own, wrapped as well, so
//! that an object is gone when its key is.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::store::{Listed, Store, put_all};
use crate::daemon::chance::Chance;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::seal::{OperatorKey, SealingKey};

/// The name of the feed's own key among the others.
const FEED: &str = "feed.wrap";

/// The keys of a feed.
#[derive(Debug)]
pub struct Ring {
    wrapping: SealingKey,
    feed: SealingKey,
}

/// Whether the feed's own key lies there. The names of others are drawn, and one may end in the same letters.
fn of_feed(path: &str) -> bool {
    path.rsplit('/').next() == Some(FEED)
}

impl Ring {
    /// Draws the key of a feed that begins.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn draw(key: &OperatorKey, chance: &mut dyn Chance) -> Result<Ring> {
        Ok(Ring { wrapping: key.wrapping(), feed: SealingKey::draw(chance)? })
    }

    /// Puts the feed's key where it belongs, wrapped.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, store: &dyn Store, chance: &mut dyn Chance) -> Result<()> {
        let path = format!("keys/{:010}/{FEED}", 0);
        put_all(store, &[(path.clone(), self.wrap(&self.feed, &path, chance)?)])
    }

    /// Unwraps the feed's key; `None` where no feed has begun.
    ///
    /// # Errors
    /// The operator's key is another one.
    pub fn open(store: &dyn Store, key: &OperatorKey) -> Result<Option<Ring>> {
        let wrapping = key.wrapping();
        let wraps = store.list("keys")?;
        let wraps: Vec<&Listed> = wraps.iter().rev().filter(|wrap| of_feed(&wrap.path)).collect();
        let Some(newest) = wraps.first() else { return Ok(None) };
        for wrap in &wraps {
            let sealed = store.read(&wrap.path)?.unwrap_or_default();
            if let Some(feed) = wrapping.open(&sealed, &wrap.path).and_then(|bytes| SealingKey::from_bytes(&bytes)) {
                return Ok(Some(Ring { wrapping, feed }));
            }
        }
        let text = format!(
            "the key does not open the private root {}: name the key that this feed began with or was changed to last \
             (store.key, --key); if it is that one, `{}` was changed: put it back from a backup",
            store.place(),
            newest.path
        );
        Err(Error::new(Kind::Input, text))
    }

    /// The key that people are hashed with.
    pub fn people(&self) -> Zeroizing<[u8; 32]> {
        self.feed.derive("tidegate: people")
    }

    /// The code of bytes that were written by this feed.
    pub fn sign(&self, bytes: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&*self.feed.derive("tidegate: log")).expect("a key of any length");
        mac.update(bytes);
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A key, wrapped to lie at this path.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn wrap(&self, key: &SealingKey, path: &str, chance: &mut dyn Chance) -> Result<Vec<u8>> {
        self.wrapping.seal(key.bytes(), path, chance)
    }

    /// A key that was wrapped; `None` when it was wrapped under another one, or changed.
    pub fn unwrap(&self, wrapped: &[u8], path: &str) -> Option<SealingKey> {
        SealingKey::from_bytes(&self.wrapping.open(wrapped, path)?)
    }

    /// The same feed under another key of the operator; every key has to be wrapped anew.
    #[must_use]
    pub fn under(self, key: &OperatorKey) -> Ring {
        Ring { wrapping: key.wrapping(), feed: self.feed }
    }

    /// The feed's key, wrapped as it lies there from this epoch on.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn wrapped(&self, epoch: u64, chance: &mut dyn Chance) -> Result<(String, Vec<u8>)> {
        let path = format!("keys/{epoch:010}/{FEED}");
        let wrapped = self.wrap(&self.feed, &path, chance)?;
        Ok((path, wrapped))
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::Memory;
    use super::*;
    use crate::daemon::chance::Seeded;

    #[test]
    fn a_key_whose_name_ends_like_the_feeds_is_not_taken_for_it() {
        let (store, mut chance) = (Memory::default(), Seeded::new(1));
        let key = OperatorKey::parse(&"a".repeat(64)).expect("a key");
        let ring = Ring::draw(&key, &mut chance).expect("a ring");
        ring.keep(&store, &mut chance).expect("a root");
        let path = "keys/0000000001/0123456789abcdef0123456789abfeed.wrap".to_owned();
        let other = SealingKey::draw(&mut chance).expect("a key");
        let wrapped = ring.wrap(&other, &path, &mut chance).expect("a wrap");
        put_all(&store, &[(path, wrapped)]).expect("a place for it");
        let again = Ring::open(&store, &key).expect("a ring").expect("a feed has begun");
        assert_eq!(again.people(), ring.people());
    }
}
