//! Objects in memory, for tests and rehearsals. Clones share the same objects.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{CreateOutcome, ListedObject, ReadStore, Store, fitting};
use crate::error::Result;

/// Objects by path.
pub(super) type MemoryObjects = BTreeMap<String, Vec<u8>>;

/// Objects in memory.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<MemoryObjects>>);

impl Memory {
    /// With these objects.
    pub fn with(objects: MemoryObjects) -> Memory {
        Memory(Arc::new(Mutex::new(objects)))
    }

    /// A copy of all objects.
    pub fn objects(&self) -> MemoryObjects {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, MemoryObjects> {
        // No thread panics in the middle of a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} objects)", self.lock().len())
    }
}

impl ReadStore for Memory {
    fn place(&self) -> String {
        "memory".to_owned()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        fitting(path)?;
        Ok(self.lock().get(path).cloned())
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let below = |path: &str| {
            prefix.is_empty() || path.len() == prefix.len() || path[prefix.len()..].starts_with('/')
        };
        let objects = self.lock();
        let found = objects.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let found = found
            .take_while(|(path, _)| path.starts_with(prefix))
            .filter(|(path, _)| below(path));
        Ok(found
            .map(|(path, bytes)| ListedObject {
                path: path.clone(),
                size: bytes.len() as u64,
            })
            .collect())
    }
}

impl Store for Memory {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        fitting(path)?;
        let mut objects = self.lock();
        if objects.contains_key(path) {
            return Ok(CreateOutcome::Exists);
        }
        objects.insert(path.to_owned(), bytes.to_vec());
        Ok(CreateOutcome::Made)
    }

    fn delete(&self, path: &str) -> Result<()> {
        fitting(path)?;
        self.lock().remove(path);
        Ok(())
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        fitting(path)?;
        self.lock().insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }
}
