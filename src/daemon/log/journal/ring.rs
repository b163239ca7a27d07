//! The keys of a feed (HOUSE 3). The operator's key wraps two keys of the feed, and one key for
//! each sealed object, so that an object is gone when its key is.
//!
//! - The *people's key* hashes people (SCIENCE 3). It is drawn once and never changes, because a
//!   person who comes again must be found.
//! - The *feed's key* proves the entries of the log, seals requests, and codes source files, each
//!   under a key derived for that purpose. A change of the operator's key draws another one.
//!
//! All keys that are wrapped with one key of the operator, and all objects that are sealed under
//! them, are a *generation*, numbered by the epoch of the writer that made it; the first is 0. Two
//! exist side by side while the operator's key is changed, and the log says which is valid.

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use super::slot;
use super::store::{ListedObject, PutOutcome, ReadStore, Store, put};
use crate::chance::Chance;
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::seal::{OperatorKey, SealingKey};
use crate::wiped_bytes::WipedBytes;

/// The keys of a feed.
#[derive(Debug)]
pub struct KeyRing {
    feed: String,
    wrapping: SealingKey,
    keys: FeedKeys,
    generation: u64,
}

/// The feed's own keys, which are wrapped together.
#[derive(Debug)]
struct FeedKeys {
    people: SealingKey,
    feed: SealingKey,
    /// The keys of source files in earlier generations, each with its generation.
    files: Vec<(u64, SealingKey)>,
    /// The last entry that an earlier generation has proved.
    proved: Option<LogHead>,
}

/// The last entry of a log, and with it all entries before. A change of the operator's key wraps it
/// with the new keys: a thief of earlier keys can forge none of these entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHead {
    /// Its number.
    pub seq: u64,
    /// Its digest, which follows from all entries.
    pub sha256: Sha256,
}

/// [`FeedKeys`] as they are wrapped.
#[derive(Serialize, Deserialize)]
struct StoredKeys {
    people: [u8; 32],
    feed: [u8; 32],
    files: Vec<(u64, [u8; 32])>,
    proved: Option<LogHead>,
}

impl Drop for StoredKeys {
    fn drop(&mut self) {
        self.people.zeroize();
        self.feed.zeroize();
        self.files.iter_mut().for_each(|(_, key)| key.zeroize());
    }
}

impl FeedKeys {
    fn bytes(&self) -> WipedBytes {
        let stored = StoredKeys {
            people: *self.people.bytes(),
            feed: *self.feed.bytes(),
            files: self
                .files
                .iter()
                .map(|(generation, key)| (*generation, *key.bytes()))
                .collect(),
            proved: self.proved,
        };
        postcard::to_io(&stored, WipedBytes::default())
            .expect("serialisation failed (this is a bug)")
    }

    fn parse(bytes: &[u8]) -> Option<FeedKeys> {
        let stored: StoredKeys = postcard::from_bytes(bytes).ok()?;
        let mut files = Vec::with_capacity(stored.files.len());
        for (generation, key) in &stored.files {
            files.push((*generation, SealingKey::from_bytes(key)?));
        }
        let people = SealingKey::from_bytes(&stored.people)?;
        Some(FeedKeys {
            people,
            feed: SealingKey::from_bytes(&stored.feed)?,
            files,
            proved: stored.proved,
        })
    }

    /// The key of source files.
    fn of_files(&self) -> SealingKey {
        self.feed.derived("tidegate: source files")
    }
}

/// A wrapped key, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrappedKey<'p> {
    /// The object that it opens, without the folder; `None` for the feed's own keys.
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
            return Some(WrappedKey {
                object: None,
                generation: epoch.parse().ok()?,
            });
        }
        let (object, generation) = split_generation(object);
        Some(WrappedKey {
            object: Some(object),
            generation,
        })
    }
}

/// A name, and the generation that is written at its end: `seg/3/x.7` is `seg/3/x` in generation 7.
pub fn split_generation(name: &str) -> (&str, u64) {
    let split = name
        .rsplit_once('.')
        .and_then(|(name, generation)| Some((name, generation.parse().ok()?)));
    split.unwrap_or((name, 0))
}

/// A name with its generation.
fn with_generation(name: &str, generation: u64) -> String {
    match generation {
        0 => name.to_owned(),
        generation => format!("{name}.{generation}"),
    }
}

/// The path of the feed's own keys in a generation.
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
    /// Draws the keys of a new feed.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn draw(key: &OperatorKey, feed: &str, chance: &mut dyn Chance) -> Result<KeyRing> {
        let (people, drawn) = (SealingKey::draw(chance)?, SealingKey::draw(chance)?);
        let keys = FeedKeys {
            people,
            feed: drawn,
            files: Vec::new(),
            proved: None,
        };
        Ok(KeyRing {
            feed: feed.to_owned(),
            wrapping: key.wrapping(feed),
            keys,
            generation: 0,
        })
    }

    /// Writes the wrapped keys of the feed.
    ///
    /// # Errors
    /// They cannot be written, or another process has just begun this feed.
    pub fn keep(&self, store: &dyn Store, chance: &mut dyn Chance) -> Result<()> {
        let path = of_feed(self.generation);
        match put(
            store,
            &path,
            &self.wrapping.seal(&self.keys.bytes(), &path, chance)?,
        )? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs => Err(slot::fenced(store)),
        }
    }

    /// The keys of a generation, from the feed's keys that were wrapped for it; `None` if the
    /// operator's key does not fit.
    pub(super) fn unwrapped(
        key: &OperatorKey,
        feed: &str,
        sealed: &[u8],
        generation: u64,
    ) -> Option<KeyRing> {
        let wrapping = key.wrapping(feed);
        let keys = FeedKeys::parse(&wrapping.open(sealed, &of_feed(generation))?)?;
        Some(KeyRing {
            feed: feed.to_owned(),
            wrapping,
            keys,
            generation,
        })
    }

    /// The keys of the next generation, under another key of the operator. The people's key stays;
    /// the feed's key is drawn anew, and this log is proved by its digest.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn renewed(
        &self,
        key: &OperatorKey,
        generation: u64,
        proved: LogHead,
        chance: &mut dyn Chance,
    ) -> Result<KeyRing> {
        let mut files: Vec<(u64, SealingKey)> = self
            .keys
            .files
            .iter()
            .map(|(generation, key)| (*generation, key.copy()))
            .collect();
        files.push((self.generation, self.keys.of_files()));
        let (people, feed) = (self.keys.people.copy(), SealingKey::draw(chance)?);
        let keys = FeedKeys {
            people,
            feed,
            files,
            proved: Some(proved),
        };
        Ok(KeyRing {
            feed: self.feed.clone(),
            wrapping: key.wrapping(&self.feed),
            keys,
            generation,
        })
    }

    /// The name of the feed.
    pub fn feed(&self) -> &str {
        &self.feed
    }

    /// The generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The path at which an object of this generation is stored: `seg/3/x`, or `seg/3/x.7` in
    /// generation 7.
    pub fn stored(&self, object: &str) -> String {
        with_generation(object, self.generation)
    }

    /// The path of the key of an object: `seg/3/x` has its key at `keys/3/x.wrap`, or at
    /// `keys/3/x.7.wrap` in generation 7.
    pub fn place(&self, object: &str) -> String {
        let name = object.split_once('/').map_or(object, |(_, name)| name);
        format!("keys/{}.wrap", with_generation(name, self.generation))
    }

    /// The objects of this generation in a folder, by the paths that entries name.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn listed(&self, store: &dyn ReadStore, folder: &str) -> Result<Vec<ListedObject>> {
        let mut found = Vec::new();
        for object in store.list(folder)? {
            let (path, generation) = split_generation(&object.path);
            if generation == self.generation {
                found.push(ListedObject {
                    path: path.to_owned(),
                    ..object
                });
            }
        }
        Ok(found)
    }

    /// The key for hashing people.
    pub fn people(&self) -> Zeroizing<[u8; 32]> {
        self.keys.people.derive("tidegate: people")
    }

    /// The key that seals requests and their answers.
    pub fn requests(&self) -> SealingKey {
        self.keys.feed.derived("tidegate: requests")
    }

    /// The code of an entry of the log.
    pub fn sign(&self, bytes: &[u8]) -> String {
        Sha256::from_bytes(self.keys.feed.derived("tidegate: log").code(bytes)).to_string()
    }

    /// The code of a source file, given the digest of its bytes, under the key of a generation: an
    /// intruder without the key cannot find the content of a small file by trying all possible
    /// ones. `None` if there is no such generation.
    pub fn file_code(&self, generation: u64, file: &Sha256) -> Option<Sha256> {
        if generation == self.generation {
            return Some(self.new_file_code(file));
        }
        let (_, key) = self.keys.files.iter().find(|(of, _)| *of == generation)?;
        Some(Sha256::from_bytes(key.code(file.bytes())))
    }

    /// The same in this generation.
    pub fn new_file_code(&self, file: &Sha256) -> Sha256 {
        Sha256::from_bytes(self.keys.of_files().code(file.bytes()))
    }

    /// The entries that an earlier generation has proved; `None` in the first one.
    pub fn proved(&self) -> Option<LogHead> {
        self.keys.proved
    }

    /// Whether the entry with this number is one of those, so that its code says nothing.
    pub(super) fn is_proved(&self, seq: u64) -> bool {
        self.keys.proved.is_some_and(|proved| seq <= proved.seq)
    }

    /// Whether an entry with this number may have this digest: the last one that was proved has the
    /// one that is known.
    pub fn fits(&self, seq: u64, sha256: Sha256) -> bool {
        self.keys
            .proved
            .is_none_or(|proved| proved.seq != seq || proved.sha256 == sha256)
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
    use super::super::format;
    use super::super::store::{Memory, put_all};
    use super::*;
    use crate::chance::Seeded;

    fn proved() -> LogHead {
        LogHead {
            seq: 3,
            sha256: Sha256::of(b"an entry"),
        }
    }

    fn key(letter: &str) -> OperatorKey {
        OperatorKey::parse(&letter.repeat(64)).expect("a key")
    }

    #[test]
    fn a_wrapped_key_says_what_it_opens() {
        let chance = &mut Seeded::new(1);
        let first = KeyRing::draw(&key("a"), "feed", chance).expect("a ring");
        for ring in [
            first
                .renewed(&key("a"), 7, proved(), chance)
                .expect("a ring"),
            first,
        ] {
            for name in ["0000000003/abc", "0000000003/1/4-0-data.parquet"] {
                let (object, generation) = (format!("seg/{name}"), ring.generation());
                let place = ring.place(&object);
                assert_eq!(
                    WrappedKey::at(&place),
                    Some(WrappedKey {
                        object: Some(name),
                        generation
                    })
                );
                assert_eq!(
                    split_generation(&ring.stored(&object)),
                    (object.as_str(), generation)
                );
                assert_eq!(
                    WrappedKey::at(&of_feed(generation)),
                    Some(WrappedKey {
                        object: None,
                        generation
                    })
                );
            }
        }
        for other in [
            "keys/0000000003/abc",
            "keys/abc.wrap",
            "seg/0000000003/abc.wrap",
        ] {
            assert_eq!(WrappedKey::at(other), None, "{other}");
        }
    }

    #[test]
    fn a_key_whose_name_ends_like_the_feeds_is_not_taken_for_it() {
        let (store, mut chance) = (Memory::default(), Seeded::new(1));
        format::write(&store, "feed").expect("a format");
        let ring = KeyRing::draw(&key("a"), "feed", &mut chance).expect("a ring");
        ring.keep(&store, &mut chance).expect("a root");
        let path = "keys/0000000001/0123456789abcdef0123456789abfeed.wrap".to_owned();
        let other = SealingKey::draw(&mut chance).expect("a key");
        let wrapped = ring.wrap(&other, &path, &mut chance).expect("a wrap");
        put_all(&store, &[(path, wrapped)]).expect("a place for it");
        let again = KeyRing::open(&store, &key("a"))
            .expect("a ring")
            .expect("a feed has begun");
        assert_eq!(again.people(), ring.people());
    }

    /// What never changes with the operator's key, and what does.
    #[test]
    fn a_new_generation_hashes_people_as_before_and_proves_nothing_as_before() {
        let chance = &mut Seeded::new(1);
        let old = KeyRing::draw(&key("a"), "feed", chance).expect("a ring");
        let new = old.renewed(&key("b"), 7, proved(), chance).expect("a ring");
        let third = new.renewed(&key("c"), 9, proved(), chance).expect("a ring");
        let file = Sha256::of(b"a file");
        assert!(old.people() == new.people() && new.people() == third.people());
        assert!(
            old.sign(b"entry") != new.sign(b"entry") && new.sign(b"entry") != third.sign(b"entry")
        );
        let note = old
            .requests()
            .seal(b"note", "inbox/x.json", chance)
            .expect("a note");
        assert!(new.requests().open(&note, "inbox/x.json").is_none());
        for ring in [&old, &new, &third] {
            assert_eq!(
                ring.file_code(0, &file),
                Some(old.new_file_code(&file)),
                "files that came before are known"
            );
        }
        assert_eq!(third.file_code(7, &file), Some(new.new_file_code(&file)));
        assert!(
            new.new_file_code(&file) != old.new_file_code(&file)
                && old.new_file_code(&file) != file
        );
        assert_eq!(old.file_code(7, &file), None);
        assert!(old.fits(3, file) && !new.fits(3, file) && new.fits(4, file));
    }
}
