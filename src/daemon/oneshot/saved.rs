//! What a folder of releases keeps for its next tick, sealed as a whole: who waits, what is formed, whose hashes are
//! known, which inputs are in it, and what of the feed file is frozen.

use serde::{Deserialize, Serialize};

use crate::daemon::config;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::terms::Terms;
use crate::engine::feed::Feed;
use crate::engine::gate::own::Approved;
use crate::engine::release::Sha256;

/// The version of this form.
const VERSION: u32 = 2;

/// Everything that is kept.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    version: u32,
    /// What is frozen.
    pub terms: Terms,
    /// The feed.
    pub feed: Feed,
    /// Inputs that are in it: name and digest.
    pub inputs: Vec<(String, [u8; 32])>,
    /// Releases of all chains, oldest first.
    pub releases: Vec<Line>,
}

/// A release that is in the folder, or is just coming into it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Line {
    /// Its number.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Its tick.
    pub tick: u32,
    /// Its rows.
    pub rows: u64,
    /// The digest of its table.
    pub data: [u8; 32],
    /// The digest of its manifest.
    pub manifest: [u8; 32],
    /// The name of its taxonomy file.
    pub taxonomy: String,
}

impl Line {
    /// Of a release that is approved; what the feed knows of it is still to be filled in.
    pub fn of(approved: &Approved) -> Line {
        let [data, taxonomy] = [0, 1].map(|at| approved.files()[at].clone());
        Line {
            release: 0,
            chain: 0,
            tick: 0,
            rows: approved.table().release.rows(),
            data: *Sha256::of(&data.1).bytes(),
            manifest: *Sha256::of(approved.manifest()).bytes(),
            taxonomy: taxonomy.0.rsplit('/').next().unwrap_or(&taxonomy.0).to_owned(),
        }
    }
}

impl Saved {
    /// Of a folder that begins.
    pub fn new(feed: &config::Feed) -> Saved {
        Saved {
            version: VERSION,
            terms: Terms::of(feed),
            feed: Feed::new(&feed.columns),
            inputs: Vec::new(),
            releases: Vec::new(),
        }
    }

    /// As bytes, to be sealed.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("the state has no form that cannot be written")
    }

    /// From bytes that were sealed.
    ///
    /// # Errors
    /// They are of another version.
    pub fn parse(bytes: &[u8]) -> Result<Saved> {
        let other = || Error::new(Kind::Input, "the private state was written by another version of tidegate");
        let (version, _) = postcard::take_from_bytes::<u32>(bytes).map_err(|_| other())?;
        if version != VERSION {
            return Err(other());
        }
        postcard::from_bytes(bytes).map_err(|_| other())
    }

    /// Whether an input of this name and digest is in it.
    pub fn knows(&self, name: &str, digest: &Sha256) -> bool {
        self.inputs.iter().any(|(known, of)| known == name && of == digest.bytes())
    }

    /// Whether a feed file is still the one of the running chain.
    ///
    /// # Errors
    /// What was changed although it is frozen.
    pub fn frozen(&self, feed: &config::Feed) -> Result<()> {
        self.terms.frozen(feed, "begin a new folder (its people must not be published in both)")
    }

    /// Takes over the new leaves of a feed file that is [`frozen`](Saved::frozen) otherwise.
    pub fn grow(&mut self, feed: &config::Feed) {
        if let Some(growth) = self.terms.growth(&feed.columns) {
            self.feed.grow(&growth, &feed.policy, &feed.columns.trees());
            self.terms.columns = feed.columns.clone();
        }
    }
}
