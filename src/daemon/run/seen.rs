//! A feed as it lies there, for whoever wants to look: nothing is locked, nothing is changed, and whoever is at work goes on.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::begin::{key, look, nobody};
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::journal::store::Store;
use crate::daemon::journal::{Checked, Objects, Ref, Ring, read};
use crate::daemon::live::{Line, Past, State, past};
use crate::daemon::seal::OperatorKey;
use crate::engine::release::{Manifest, Sha256};

/// A feed as it lies there.
pub struct Seen {
    /// Its state.
    pub state: State,
    /// Its last entry.
    pub last: Option<Checked>,
    private: Arc<dyn Store>,
    public: Arc<dyn Store>,
    ring: Ring,
}

impl Seen {
    /// What a sealed object says.
    ///
    /// # Errors
    /// It is gone or was changed.
    pub fn need(&self, object: &Ref) -> Result<Zeroizing<Vec<u8>>> {
        Objects::new(&*self.private, &self.ring).need(object)
    }

    /// The manifest of a release; `None` while it is not visible.
    ///
    /// # Errors
    /// It was changed.
    pub fn manifest(&self, line: &Line) -> Result<Option<Manifest>> {
        let path = format!("manifest/{:010}.json", line.release);
        let Some(bytes) = self.public.read(&path)? else { return Ok(None) };
        let manifest = Manifest::parse(&bytes).ok().filter(|_| line.manifest.is_none_or(|of| of == Sha256::of(&bytes)));
        let text = "this published manifest was changed: put it back as it was published (`tidegate verify` names every change)";
        manifest.map(Some).ok_or_else(|| Error::new(Kind::Input, text).in_field(path))
    }

    /// The private root.
    pub fn store(&self) -> &dyn Store {
        &*self.private
    }

    /// The keys.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }
}

/// Looks at a feed.
///
/// # Errors
/// Nothing has begun, the key is another one, or the log is damaged.
pub fn seen(feed: &Feed) -> Result<Seen> {
    let (private, public) = (look(feed, true)?, look(feed, false)?);
    let ring = Ring::open(&*private, &key(feed)?)?.ok_or_else(|| nobody(feed))?;
    let Past { state, last, .. } = past(&*private, &*public, &ring)?;
    Ok(Seen { state: state.ok_or_else(|| nobody(feed))?, last, private, public, ring })
}

/// Looks at a feed and at all entries of its log, with this key or the one that the feed file names.
///
/// # Errors
/// Nothing has begun, the key is another one, or the log is damaged.
pub fn seen_with(feed: &Feed, named: Option<OperatorKey>) -> Result<(Seen, Vec<Checked>)> {
    let (private, public) = (look(feed, true)?, look(feed, false)?);
    let named = named.map_or_else(|| key(feed), Ok)?;
    let ring = Ring::open(&*private, &named)?.ok_or_else(|| nobody(feed))?;
    let Past { state, last, .. } = past(&*private, &*public, &ring)?;
    let mut entries = Vec::new();
    read(&*private, &ring, 0, None, &mut |entry| {
        entries.push(entry.clone());
        Ok(())
    })?;
    Ok((Seen { state: state.ok_or_else(|| nobody(feed))?, last, private, public, ring }, entries))
}
