//! Sealed objects (HOUSE 3): each has a unique name and a key of its own, and is never changed. An
//! object is gone when it or its key is.
//!
//! Nothing here knows the content of an object.

use super::ring::KeyRing;
use super::slot;
use super::store::{ReadStore, Store, put_all};
use crate::chance::{self, Chance};
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::{CandidateFile, Ref};
use crate::seal::{OneSealing, SealingKey};
use crate::wiped_bytes::WipedBytes;

/// The folders of sealed objects, except for checkpoints.
pub const FOLDERS: [&str; 9] = [
    "seg",
    "quarantine",
    "atoms",
    "mask",
    "members",
    "coins",
    "verdict",
    "terms",
    "stage",
];

/// Objects that are written together.
#[derive(Default)]
pub struct Drafts(Vec<(String, Vec<u8>)>);

impl Drafts {
    /// Seals an object for a folder of this epoch.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn seal(
        &mut self,
        folder: &str,
        epoch: u64,
        bytes: &WipedBytes,
        ring: &KeyRing,
        chance: &mut dyn Chance,
    ) -> Result<Ref> {
        let name = chance::name(chance)?;
        self.seal_as(&format!("{folder}/{epoch:010}/{name}"), bytes, ring, chance)
    }

    /// Seals an object for this path, which must be unique.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn seal_as(
        &mut self,
        path: &str,
        bytes: &WipedBytes,
        ring: &KeyRing,
        chance: &mut dyn Chance,
    ) -> Result<Ref> {
        Ok(self.add(UnsealedObject::draw(path, ring, chance)?.seal(bytes)?))
    }

    /// Adds an object that is sealed.
    pub fn add(&mut self, sealed: DraftObject) -> Ref {
        let DraftObject {
            named,
            key,
            stored,
            bytes,
        } = sealed;
        self.0.push(key);
        self.0.push((stored, bytes));
        named
    }

    /// Writes them; they are durable when this returns.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn put(self, store: &dyn Store) -> Result<()> {
        put_all(store, &self.0)
    }
}

/// An object to be sealed. All random numbers for it are drawn already, so that any thread can seal
/// it.
pub struct UnsealedObject {
    path: String,
    /// The path at which it will be stored.
    stored: String,
    sealing: OneSealing,
    /// The path of its key, and the wrapped key.
    key: (String, Vec<u8>),
}

/// A sealed object that is not written yet.
pub struct DraftObject {
    named: Ref,
    key: (String, Vec<u8>),
    stored: String,
    bytes: Vec<u8>,
}

impl UnsealedObject {
    /// For this path, which must be unique.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn draw(path: &str, ring: &KeyRing, chance: &mut dyn Chance) -> Result<UnsealedObject> {
        let key = SealingKey::draw(chance)?;
        let place = ring.place(path);
        let wrapped = ring.wrap(&key, &place, chance)?;
        let sealing = key.once(chance)?;
        Ok(UnsealedObject {
            path: path.to_owned(),
            stored: ring.stored(path),
            sealing,
            key: (place, wrapped),
        })
    }

    /// Seals its content, which is in memory that is wiped.
    ///
    /// # Errors
    /// The content is too large.
    pub fn seal(self, bytes: &WipedBytes) -> Result<DraftObject> {
        let UnsealedObject {
            path,
            stored,
            sealing,
            key,
        } = self;
        let bytes = sealing.seal(bytes, &path)?;
        Ok(DraftObject {
            named: Ref { path },
            key,
            stored,
            bytes,
        })
    }
}

/// A sealed object as it was read, with its wrapped key.
pub struct SealedObject<'o> {
    object: &'o Ref,
    bytes: Vec<u8>,
    key: Vec<u8>,
}

impl SealedObject<'_> {
    /// The reference to it.
    pub fn object(&self) -> &Ref {
        self.object
    }
}

/// Reads sealed objects.
#[derive(Clone, Copy)]
pub struct ObjectReader<'a> {
    store: &'a dyn ReadStore,
    ring: &'a KeyRing,
    /// The number of the next entry, for the writer of the log.
    next: Option<u64>,
}

impl<'a> ObjectReader<'a> {
    /// From this store, with these keys.
    pub fn new(store: &'a dyn ReadStore, ring: &'a KeyRing) -> ObjectReader<'a> {
        ObjectReader {
            store,
            ring,
            next: None,
        }
    }

    /// For the writer whose next entry has this number.
    #[must_use]
    pub fn before(self, next: u64) -> ObjectReader<'a> {
        ObjectReader {
            next: Some(next),
            ..self
        }
    }

    /// The content of an object; `None` if it or its key is gone.
    ///
    /// # Errors
    /// It was changed, or the store cannot be read.
    pub fn read(&self, object: &Ref) -> Result<Option<WipedBytes>> {
        self.sealed(object)?
            .map(|sealed| self.opened(&sealed))
            .transpose()
    }

    /// A sealed object with its key; `None` if it or its key is gone.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn sealed<'o>(&self, object: &'o Ref) -> Result<Option<SealedObject<'o>>> {
        let Some(bytes) = self.store.read(&self.ring.stored(&object.path))? else {
            return Ok(None);
        };
        let key = self.store.read(&self.ring.place(&object.path))?;
        Ok(key.map(|key| SealedObject { object, bytes, key }))
    }

    /// The content of a sealed object.
    ///
    /// # Errors
    /// It was changed.
    pub fn opened(&self, sealed: &SealedObject<'_>) -> Result<WipedBytes> {
        let SealedObject { object, bytes, key } = sealed;
        let changed = |what: &str, path: String| {
            let text =
                format!("this {what} of the private root was changed: restore it from a backup");
            Error::new(ErrorCategory::Input, text).in_field(path)
        };
        let place = self.ring.place(&object.path);
        let Some(key) = self.ring.unwrap(key, &place) else {
            return Err(changed("key", place));
        };
        key.open(bytes, &object.path)
            .ok_or_else(|| changed("object", self.ring.stored(&object.path)))
    }

    /// The content of an object that must exist.
    ///
    /// # Errors
    /// As [`ObjectReader::read`], or it is gone.
    pub fn need(&self, object: &Ref) -> Result<WipedBytes> {
        self.opened(&self.needed(object)?)
    }

    /// A sealed object that must exist.
    ///
    /// # Errors
    /// As [`ObjectReader::sealed`], or it is gone.
    pub fn needed<'o>(&self, object: &'o Ref) -> Result<SealedObject<'o>> {
        if let Some(sealed) = self.sealed(object)? {
            return Ok(sealed);
        }
        // A writer that has taken over may not need it any more.
        self.next
            .map_or(Ok(()), |next| slot::free(self.store, next))?;
        let text = "an object that the log names, or its key, is missing from the private root: restore it from a \
                    backup of the whole root. To continue without it would lose people or publish them twice";
        Err(Error::new(ErrorCategory::Input, text).in_field(self.ring.stored(&object.path)))
    }
}

impl CandidateFile {
    /// The staged file, with the content that was decided; `None` if it is gone or was changed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_staged(&self, objects: ObjectReader<'_>) -> Result<Option<Vec<u8>>> {
        let bytes = match objects.read(&Ref {
            path: self.stage.clone(),
        }) {
            Err(error) if error.kind == ErrorCategory::Input => None,
            read => read?,
        };
        Ok(bytes
            .map(WipedBytes::into_bytes)
            .filter(|bytes| Sha256::of(bytes) == self.sha256))
    }
}

/// Removes objects with their keys, the keys first.
///
/// # Errors
/// The store cannot be written.
pub fn destroy_all<'p>(
    store: &dyn Store,
    ring: &KeyRing,
    paths: impl Iterator<Item = &'p str> + Clone,
) -> Result<()> {
    let keys: Vec<String> = paths.clone().map(|path| ring.place(path)).collect();
    store.delete_all(&keys.iter().map(String::as_str).collect::<Vec<_>>())?;
    let stored: Vec<String> = paths.map(|path| ring.stored(path)).collect();
    store.delete_all(&stored.iter().map(String::as_str).collect::<Vec<_>>())
}
