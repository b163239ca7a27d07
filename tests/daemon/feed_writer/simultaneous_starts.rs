//! Two writers begin a feed at the same moment: one of them has found no keys, and then finds a log
//! that the other has begun meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tidegate::daemon::error::Result;
use tidegate::daemon::journal::store::{CreateOutcome, ListedObject, Memory, ReadStore, Store};

use super::feed::{feed, open};

/// Another one begins after the n-th look at this folder.
struct Late {
    store: Arc<Memory>,
    public: Arc<Memory>,
    folder: &'static str,
    looks: AtomicU32,
}

impl ReadStore for Late {
    fn place(&self) -> String {
        "a store of two".to_owned()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.store.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let listed = self.store.list(prefix)?;
        if prefix == self.folder && self.looks.fetch_add(1, Ordering::Relaxed) == 0 {
            let (store, public) = (Arc::clone(&self.store), Arc::clone(&self.public));
            open(&feed("k = 3"), store, public, 2, false).expect("the other one begins");
        }
        Ok(listed)
    }
}

impl Store for Late {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        self.store.create(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.store.delete(path)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.store.replace(path, bytes)
    }
}

#[test]
fn a_writer_that_begins_too_late_says_that_another_one_has() {
    for folder in ["keys", "log"] {
        let [store, public] = [(); 2].map(|()| Arc::new(Memory::default()));
        let late = Late {
            store: Arc::clone(&store),
            public: Arc::clone(&public),
            folder,
            looks: AtomicU32::new(0),
        };
        let Err(error) = open(&feed("k = 3"), Arc::new(late), public, 1, false) else {
            panic!("{folder}: two have begun")
        };
        assert!(
            error
                .text
                .contains("another tidegate has taken over this feed"),
            "{folder}: {error}"
        );
    }
}
