//! A feed as it lies there, for whoever wants to look: nothing is locked, nothing is changed, and whoever is at work goes on.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::past::{Past, past, past_quickly};
use super::remember::intact;
use super::state::{Line, State};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::journal::store::Store;
use crate::daemon::journal::{Checked, Objects, Ref, Ring};
use crate::engine::gate::bytes::{self, Table};
use crate::engine::policy::Output;
use crate::engine::release::{Layout, Manifest, Sha256, Tables};

/// Where a feed lies, and the keys to it.
pub struct Roots {
    /// The private root.
    pub private: Arc<dyn Store>,
    /// The public root.
    pub public: Arc<dyn Store>,
    /// The keys.
    pub ring: Ring,
    /// How published files lie.
    pub layout: Layout,
}

/// A feed as it lies there.
pub struct Seen {
    /// Its state.
    pub state: State,
    /// Its last entry.
    pub last: Option<Checked>,
    roots: Roots,
}

impl Seen {
    /// Looks at a feed, reading its whole log; `None` where nothing has begun.
    ///
    /// # Errors
    /// The log is damaged.
    pub fn whole(roots: Roots) -> Result<Option<Seen>> {
        let past = past(&*roots.private, &*roots.public, &roots.ring)?;
        Ok(Seen::of(past, roots))
    }

    /// Looks at a feed, reading its log from the newest checkpoint on; `None` where nothing has begun.
    ///
    /// # Errors
    /// The log is damaged.
    pub fn quickly(roots: Roots) -> Result<Option<Seen>> {
        let past = past_quickly(&*roots.private, &*roots.public, &roots.ring)?;
        Ok(Seen::of(past, roots))
    }

    fn of(past: Past, roots: Roots) -> Option<Seen> {
        let Past { state, last, .. } = past;
        Some(Seen { state: state?, last, roots })
    }

    /// What a sealed object says.
    ///
    /// # Errors
    /// It is gone or was changed.
    pub fn need(&self, object: &Ref) -> Result<Zeroizing<Vec<u8>>> {
        Objects::new(&*self.roots.private, &self.roots.ring).need(object)
    }

    /// The manifest of a release; `None` while it is not visible.
    ///
    /// # Errors
    /// It was changed.
    pub fn manifest(&self, line: &Line) -> Result<Option<Manifest>> {
        let path = self.roots.layout.manifest(line.release);
        let Some(bytes) = self.roots.public.read(&path)? else { return Ok(None) };
        let manifest = Manifest::parse(&bytes).ok().filter(|_| line.manifest.is_none_or(|of| of == Sha256::of(&bytes)));
        let text = "this published manifest was changed: put it back as it was published (`tidegate verify` names every change)";
        manifest.map(Some).ok_or_else(|| Error::new(Kind::Input, text).in_field(path))
    }

    /// The tables of the newest chain, read back as they were published, with their numbers.
    ///
    /// # Errors
    /// A file of any release, older chains included, is missing or not what was published.
    pub fn tables(&self) -> Result<Vec<(u32, Table)>> {
        let (mut found, mut published) = (Vec::new(), self.state.feed.published().iter());
        let two = self.state.terms.policy()?.output() == Output::TwoTable;
        for line in self.state.releases.iter().filter(|line| line.manifest.is_some()) {
            let mut files = intact(&*self.roots.public, self.roots.layout, line)?.into_iter();
            if line.chain == self.state.feed.chain() {
                let strange = || Error::new(Kind::Internal, format!("release {} cannot be read back", line.release));
                let tables = Tables {
                    data: files.next().ok_or_else(strange)?,
                    sensitive: if two { files.next() } else { None },
                };
                let recoding = &published.next().ok_or_else(strange)?.recoding;
                let table = bytes::read_tables(&tables, &self.state.terms.columns, recoding).0;
                found.push((line.release, table.ok_or_else(strange)?));
            }
        }
        Ok(found)
    }

    /// The private root.
    pub fn store(&self) -> &dyn Store {
        &*self.roots.private
    }

    /// The keys.
    pub fn ring(&self) -> &Ring {
        &self.roots.ring
    }
}
