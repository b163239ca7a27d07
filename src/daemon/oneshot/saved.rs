//! What a folder of releases keeps for its next tick, sealed as a whole: who waits, what is formed, whose hashes are
//! known, which inputs are in it, and what of the feed file is frozen.

use serde::{Deserialize, Serialize};

use crate::daemon::config;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::anonymizer::Rules;
use crate::engine::feed::Feed;
use crate::engine::gate::own::Approved;
use crate::engine::model::Columns;
use crate::engine::policy::{Chain, ChainKind, Facts, Policy, Settings};
use crate::engine::release::Sha256;

/// The version of this form.
const VERSION: u32 = 1;

/// Everything that is kept.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    version: u32,
    /// The feed's name.
    pub name: String,
    /// Whether each release holds other people.
    pub disjoint: bool,
    /// `[policy]` in force, as JSON.
    pub policy: String,
    /// The columns and their taxonomies.
    pub columns: Columns,
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
            name: feed.name.clone(),
            disjoint: feed.chain() == ChainKind::Disjoint,
            policy: in_force(feed),
            columns: feed.columns.clone(),
            feed: Feed::new(&feed.columns),
            inputs: Vec::new(),
            releases: Vec::new(),
        }
    }

    /// The policy that the chain runs under.
    ///
    /// # Errors
    /// It was written by another version.
    pub fn policy(&self) -> Result<Policy> {
        let kind = if self.disjoint { ChainKind::Disjoint } else { ChainKind::Cumulative };
        let settings: Option<Settings> = serde_json::from_str(&self.policy).ok();
        let policy = settings.and_then(|settings| Policy::new(&settings, kind, &Facts::of(&self.columns)).ok());
        policy.ok_or_else(|| Error::new(Kind::Input, "the policy was written by another version of tidegate"))
    }

    /// The rules of the standing recoding, under `blind`.
    pub fn rules(&self) -> Option<Rules> {
        let policy = self.policy().ok()?;
        let Chain::Blind(standing) = policy.chain() else { return None };
        let max_wait = u32::try_from(standing.max_wait).unwrap_or(u32::MAX);
        Some(Rules { a: policy.k(), max_wait, max_withheld: standing.max_withheld })
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
        let changed = |field: String, what: &str| {
            let text = format!(
                "{what} was changed since the chain in this folder began, and all its releases were decided under the old \
                 one: change it back, or begin a new folder (its people must not be published in both)"
            );
            Err(Error::new(Kind::Feed, text).in_file(&feed.file).in_field(field))
        };
        if self.name != feed.name {
            return changed("feed.name".to_owned(), "the name of the feed");
        }
        if self.disjoint != (feed.chain() == ChainKind::Disjoint) {
            return changed("feed.chain".to_owned(), "the kind of chain");
        }
        if let Some(key) = self.changed_key(&in_force(feed)) {
            return changed(format!("policy.{key}"), "this key");
        }
        let names = |columns: &Columns| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        if names(&self.columns) != names(&feed.columns) {
            return changed("column".to_owned(), "the list of columns");
        }
        match self.columns.iter().zip(feed.columns.iter()).find(|(old, new)| old != new) {
            Some((old, _)) => changed(format!("column.{}", old.name), "this column or its taxonomy"),
            None => Ok(()),
        }
    }

    /// The first key of `[policy]` that differs.
    fn changed_key(&self, now: &str) -> Option<String> {
        type Table = serde_json::Map<String, serde_json::Value>;
        let [old, new] = [&self.policy, now].map(|text| serde_json::from_str::<Table>(text).unwrap_or_default());
        old.keys().chain(new.keys()).find(|key| old.get(*key) != new.get(*key)).cloned()
    }
}

fn in_force(feed: &config::Feed) -> String {
    serde_json::to_string(&feed.policy).expect("a policy is JSON")
}
