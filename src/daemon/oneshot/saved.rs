//! What a folder of releases keeps for its next tick, sealed as a whole: who waits, what is formed, whose hashes are
//! known, which inputs are in it, and what of the feed file is frozen.

use serde::{Deserialize, Serialize};

use crate::daemon::config;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::feed::Feed;
use crate::engine::gate::own::Approved;
use crate::engine::model::{Column, Columns, Growth};
use crate::engine::policy::{ChainKind, Facts, Policy, Settings};
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
        let columns = self.columns.iter().zip(feed.columns.iter());
        match columns.filter(|(old, new)| old != new).find_map(|(old, new)| Some((old, differs(old, new)?))) {
            Some((old, key)) => changed(format!("column.{}.{key}", old.name), "this key"),
            None => Ok(()),
        }
    }

    /// Takes over the new leaves of a feed file that is [`frozen`](Saved::frozen) otherwise.
    pub fn grow(&mut self, feed: &config::Feed) {
        let (old, new) = (self.columns.trees(), feed.columns.trees());
        if old == new {
            return;
        }
        let growth: Option<Vec<Growth>> = old.iter().zip(&new).map(|(old, new)| Growth::between(old, new)).collect();
        self.feed.grow(&growth.expect("nothing else has changed"), &feed.policy, &new);
        self.columns = feed.columns.clone();
    }

    /// The first key of `[policy]` that differs.
    fn changed_key(&self, now: &str) -> Option<String> {
        type Table = serde_json::Map<String, serde_json::Value>;
        let [old, new] = [&self.policy, now].map(|text| serde_json::from_str::<Table>(text).unwrap_or_default());
        old.keys().chain(new.keys()).find(|key| old.get(*key) != new.get(*key)).cloned()
    }
}

/// The first key in which two columns of one name differ. New leaves under the inner nodes of a taxonomy are no difference.
fn differs(old: &Column, new: &Column) -> Option<&'static str> {
    let grown = match (&old.taxonomy, &new.taxonomy) {
        (Some(old), Some(new)) => old.rule == new.rule && Growth::between(&old.tree, &new.tree).is_some(),
        (old, new) => old == new,
    };
    let keys = [
        ("role", old.role != new.role),
        ("type", old.kind != new.kind),
        ("path", old.path != new.path),
        ("optional", old.optional != new.optional),
        ("guarded", old.guarded != new.guarded),
        ("unknown", old.unknown != new.unknown),
        ("taxonomy", !grown),
    ];
    keys.into_iter().find(|(_, differs)| *differs).map(|(key, _)| key)
}

fn in_force(feed: &config::Feed) -> String {
    serde_json::to_string(&feed.policy).expect("a policy is JSON")
}
