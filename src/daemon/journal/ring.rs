//! The keys of a feed (HOUSE 3): the operator's key wraps the feed's own key, which is drawn once and never changes: it
//! is used to hash people and to sign entries. Each sealed object has a key of its own, also wrapped, so that an object
//! is gone when its key is.
//!
//! All keys that are wrapped with one key of the operator are a *generation*, numbered by the epoch of the writer that
//! made it; the first is 0. Two exist side by side while the operator's key is changed, and the log says which is
//! valid.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::slot;
use super::store::{PutOutcome, ReadStore, Store, put};
use crate::daemon::chance::Chance;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::seal::{OperatorKey, SealingKey};
use crate::engine::release;

/// The keys of a feed.
#[derive(Debug)]
pub struct KeyRing {
    wrapping: SealingKey,
    feed: SealingKey,
    generation: u64,
}

/// A wrapped key, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrappedKey<'p> {
    /// The object that it opens, without the folder; `None` for the feed's own key.
    pub object: Option<&'p str>,
    /// Its generation.
    pub generation: u64,
}

impl<'p> WrappedKey<'p> {
    /// The wrapped key at this path; `None` if the path is not that of one.
    pub fn at(path: &'p str) -> Option<WrappedKey<'p>> {
        let object = path.strip_prefix("keys/")?.strip_suffix(".wrap")?;
        let (epoch, name) = object.split_once('/')?;
        // Other names are drawn, and one may end in the same letters.
        if name == "feed" {
            return Some(WrappedKey { object: None, generation: epoch.parse().ok()? });
        }
        let (object, generation) = match object.split_once('.') {
            Some((object, generation)) => (object, generation.parse().ok()?),
            None => (object, 0),
        };
        Some(WrappedKey { object: Some(object), generation })
    }
}

/// The path of the feed's own key in a generation.
fn of_feed(generation: u64) -> String {
    format!("keys/{generation:010}/feed.wrap")
}

/// The error for a command with a key that was replaced.
pub(super) fn changed_since(store: &dyn ReadStore) -> Error {
    let text = format!(
        "the key of this private root ({}) was changed with `tidegate rekey`: name the new one (store.key, --key). The \
         next start with the new key, or the same `tidegate rekey` again, removes what is left under the old one",
        store.place()
    );
    Error::new(ErrorCategory::Input, text)
}

impl KeyRing {
    /// Draws the key of a new feed.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn draw(key: &OperatorKey, chance: &mut dyn Chance) -> Result<KeyRing> {
        Ok(KeyRing { wrapping: key.wrapping(), feed: SealingKey::draw(chance)?, generation: 0 })
    }

    /// Writes the wrapped key of the feed.
    ///
    /// # Errors
    /// It cannot be written, or another process has just begun this feed.
    pub fn keep(&self, store: &dyn Store, chance: &mut dyn Chance) -> Result<()> {
        let path = of_feed(self.generation);
        match put(store, &path, &self.wrap(&self.feed, &path, chance)?)? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs => Err(slot::fenced(store)),
        }
    }

    /// The keys of a generation, from the feed's key that was sealed for it; `None` if the operator's key does not fit.
    pub(super) fn unwrapped(key: &OperatorKey, sealed: &[u8], generation: u64) -> Option<KeyRing> {
        let wrapping = key.wrapping();
        let feed = SealingKey::from_bytes(&wrapping.open(sealed, &of_feed(generation))?)?;
        Some(KeyRing { wrapping, feed, generation })
    }

    /// The same feed with another key of the operator, in a generation of its own; every key has to be wrapped again.
    pub fn under(&self, key: &OperatorKey, generation: u64) -> KeyRing {
        let feed = SealingKey::from_bytes(self.feed.bytes()).expect("a key is as long as a key");
        KeyRing { wrapping: key.wrapping(), feed, generation }
    }

    /// The generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The path of the key of an object: `seg/3/x` has its key at `keys/3/x.wrap`, or at `keys/3/x.7.wrap` in
    /// generation 7.
    pub fn place(&self, object: &str) -> String {
        self.place_of(object.split_once('/').map_or(object, |(_, name)| name))
    }

    /// The path of the key of an object that is named without its folder.
    pub(super) fn place_of(&self, name: &str) -> String {
        match self.generation {
            0 => format!("keys/{name}.wrap"),
            generation => format!("keys/{name}.{generation}.wrap"),
        }
    }

    /// The key for hashing people.
    pub fn people(&self) -> Zeroizing<[u8; 32]> {
        self.feed.derive("tidegate: people")
    }

    /// The code of bytes that this feed has written.
    pub fn sign(&self, bytes: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&*self.feed.derive("tidegate: log")).expect(
            "a key may have any \
             length",
        );
        mac.update(bytes);
        release::Sha256::from_bytes(mac.finalize().into_bytes().into()).to_string()
    }

    /// A key, wrapped for this path.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn wrap(&self, key: &SealingKey, path: &str, chance: &mut dyn Chance) -> Result<Vec<u8>> {
        self.wrapping.seal(key.bytes(), path, chance)
    }

    /// Unwraps a key; `None` if it was wrapped with another one, or changed.
    pub fn unwrap(&self, wrapped: &[u8], path: &str) -> Option<SealingKey> {
        SealingKey::from_bytes(&self.wrapping.open(wrapped, path)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::{Memory, put_all};
    use super::*;
    use crate::daemon::chance::Seeded;

    #[test]
    fn a_wrapped_key_says_what_it_opens() {
        let key = OperatorKey::parse(&"a".repeat(64)).expect("a key");
        let first = KeyRing::draw(&key, &mut Seeded::new(1)).expect("a ring");
        for ring in [first.under(&key, 7), first] {
            let (place, generation) = (ring.place("seg/0000000003/abc"), ring.generation());
            assert_eq!(WrappedKey::at(&place), Some(WrappedKey { object: Some("0000000003/abc"), generation }));
            assert_eq!(WrappedKey::at(&of_feed(generation)), Some(WrappedKey { object: None, generation }));
        }
        for other in ["keys/0000000003/abc", "keys/abc.wrap", "seg/0000000003/abc.wrap", "keys/3/abc.x.wrap"] {
            assert_eq!(WrappedKey::at(other), None, "{other}");
        }
    }

    #[test]
    fn a_key_whose_name_ends_like_the_feeds_is_not_taken_for_it() {
        let (store, mut chance) = (Memory::default(), Seeded::new(1));
        let key = OperatorKey::parse(&"a".repeat(64)).expect("a key");
        let ring = KeyRing::draw(&key, &mut chance).expect("a ring");
        ring.keep(&store, &mut chance).expect("a root");
        let path = "keys/0000000001/0123456789abcdef0123456789abfeed.wrap".to_owned();
        let other = SealingKey::draw(&mut chance).expect("a key");
        let wrapped = ring.wrap(&other, &path, &mut chance).expect("a wrap");
        put_all(&store, &[(path, wrapped)]).expect("a place for it");
        let again = KeyRing::open(&store, &key).expect("a ring").expect("a feed has begun");
        assert_eq!(again.people(), ring.people());
    }
}
