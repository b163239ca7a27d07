//! Checks a public root by itself: the manifests follow one another, each file has the hash that
//! its manifest states, they are of one feed, and there is no file that no manifest names. With
//! public keys every signature is checked, and must be of one of them.

use std::collections::{BTreeMap, BTreeSet};

use super::delta::{Logs, SeenLog, log_file};
use super::only_files::OnlyFiles;
use super::removals::{Removals, reason_at};
use super::{FileFault, release_index};
use crate::engine::release::{Layout, Manifest, Notice, RemovalNotice, Sha256, TableId};
use crate::error::Result;
use crate::journal::store::ReadStore;
use crate::sign::PublicKey;

/// A scrub reports a missing signature in the same words.
pub(super) const NO_SIGNATURE: &str = "the signature is missing";

/// What is wrong with a published file, given the hash of the file that was found.
pub(super) fn not_published(there: Option<Sha256>, meant: Sha256) -> Option<&'static str> {
    match there {
        None => Some("this published file is missing"),
        Some(there) if there != meant => Some("this published file was changed"),
        Some(_) => None,
    }
}

/// A public root that was checked.
#[derive(Debug)]
pub struct CheckedPublicRoot {
    /// The layout of its files.
    pub layout: Layout,
    /// Its manifests, by release, with the hashes of their bytes.
    pub releases: Vec<(Manifest, Sha256)>,
    /// Signatures that were checked.
    pub signatures: u64,
    /// Its Delta logs, by their tables.
    pub logs: BTreeMap<TableId, SeenLog>,
    /// Everything that differs from what was published.
    pub findings: Vec<FileFault>,
    /// Files that no manifest names, possibly of a release that is just being removed.
    pub strange: Vec<String>,
    /// Files that were read, with the hashes of their bytes: many manifests list the same parts of
    /// a table.
    looked: BTreeMap<String, Option<Sha256>>,
    /// Removed manifests.
    removals: Removals,
    /// The feed that the first manifest or notice names.
    feed: Option<String>,
    /// Tables and parts of tables that manifests list, and their rows.
    parts: BTreeMap<String, u64>,
}

/// Checks a public root.
///
/// # Errors
/// It cannot be read.
pub fn public(
    store: &dyn ReadStore,
    layout: Layout,
    keys: &[PublicKey],
) -> Result<CheckedPublicRoot> {
    files(&OnlyFiles::of(store, layout)?, layout, keys)
}

/// Checks the files of a public root.
///
/// # Errors
/// It cannot be read.
pub(super) fn files(
    store: &OnlyFiles<'_>,
    layout: Layout,
    keys: &[PublicKey],
) -> Result<CheckedPublicRoot> {
    let (releases, findings, strange, looked) =
        (Vec::new(), store.findings(), Vec::new(), BTreeMap::new());
    let (logs, parts) = (BTreeMap::new(), BTreeMap::new());
    let mut found = CheckedPublicRoot {
        layout,
        releases,
        signatures: 0,
        logs,
        findings,
        strange,
        looked,
        parts,
        removals: Removals::default(),
        feed: None,
    };
    let mut named: BTreeSet<String> =
        BTreeSet::from(["LATEST".to_owned(), release_index::INDEX.to_owned()]);
    let objects = store.list("")?;
    let listed: Vec<&String> = objects.iter().map(|object| &object.path).collect();
    let mut manifests: Vec<(u32, &String)> = listed
        .iter()
        .filter_map(|path| Some((layout.release(path)?, *path)))
        .collect();
    manifests.sort_unstable();
    for path in listed
        .iter()
        .filter(|path| reason_at(layout, path).is_some())
    {
        found.removal(store, path, keys, &mut named)?;
    }
    let numbers: Vec<u32> = manifests.iter().map(|(release, _)| *release).collect();
    for (release, path) in manifests {
        named.extend([path.clone(), format!("{path}.sig")]);
        let Some(bytes) = store.read(path)? else {
            continue;
        };
        match Manifest::parse(&bytes) {
            Ok(manifest) => {
                found.signature(
                    store,
                    path,
                    (&manifest.signed_bytes(), manifest.signed),
                    keys,
                )?;
                found.notice(store, &manifest, keys, &mut named)?;
                found.manifest(store, path, release, manifest, &bytes, &mut named)?;
            }
            Err(error) => {
                found.signature(store, path, (&bytes, true), keys)?;
                found
                    .findings
                    .push(FileFault::new(path.clone(), error.to_string()));
            }
        }
    }
    found.missing(&numbers);
    let (releases, parts, removals) = (&found.releases, &found.parts, &found.removals);
    let mut logs = Logs {
        store,
        releases,
        parts,
        removals,
        findings: Vec::new(),
        logs: BTreeMap::new(),
    };
    logs.look(&objects)?;
    let Logs { findings, logs, .. } = logs;
    found.findings.extend(findings);
    found.logs = logs;
    // The notice of erased rows stays when the manifest that it was published with is removed.
    let outlasts = |path: &str| {
        let file = path.strip_suffix(".sig").unwrap_or(path);
        let release = file
            .strip_prefix("erased/")
            .and_then(|name| name.strip_suffix(".json")?.parse().ok());
        release.is_some_and(|release| {
            found.removals.may_hold(release, &found.releases) && layout.notice(release) == file
        })
    };
    let strange: Vec<&String> = listed
        .into_iter()
        .filter(|path| !named.contains(*path) && log_file(path).is_none() && !outlasts(path))
        .collect();
    for path in strange {
        // Taxonomies contain no rows, and stay when the releases that listed them are removed.
        let is_taxonomy = path.starts_with("taxonomy/") && !found.removals.is_empty();
        let own = is_taxonomy
            .then(|| store.read(path))
            .transpose()?
            .flatten()
            .map(|bytes| Sha256::of(&bytes));
        if own.is_none_or(|own| *path != format!("taxonomy/{own}.json")) {
            found.strange.push(path.clone());
        }
    }
    found.latest(store)?;
    found.findings.extend(release_index::look(
        store,
        layout,
        &found.releases,
        &found.removals,
    )?);
    Ok(found)
}

impl CheckedPublicRoot {
    /// Finds manifests that are missing between those of these releases and that have no removal
    /// notice.
    fn missing(&mut self, releases: &[u32]) {
        let between = [0]
            .iter()
            .chain(releases)
            .zip(releases)
            .flat_map(|(before, release)| before + 1..*release);
        let missing = between.filter(|missing| !self.removals.may_hold(*missing, &self.releases));
        let missing = missing.map(|missing| {
            FileFault::new(self.layout.manifest(missing), "this manifest is missing")
        });
        let missing: Vec<FileFault> = missing.collect();
        self.findings.extend(missing);
    }

    fn manifest(
        &mut self,
        store: &dyn ReadStore,
        path: &str,
        release: u32,
        manifest: Manifest,
        bytes: &[u8],
        named: &mut BTreeSet<String>,
    ) -> Result<()> {
        let mut wrong = |text: &str| self.findings.push(FileFault::new(path, text));
        if manifest.release != release {
            wrong("this is the manifest of another release");
        }
        if self.feed.get_or_insert_with(|| manifest.feed.clone()) != &manifest.feed {
            wrong("this is the manifest of another feed");
        }
        let before = self
            .releases
            .last()
            .filter(|(before, _)| before.release + 1 == release)
            .map(|(_, sha256)| *sha256);
        let before = before.or_else(|| self.removals.manifest(release.saturating_sub(1)));
        let unknown =
            before.is_none() && release > 1 && self.removals.may_hold(release - 1, &self.releases);
        if manifest.previous != before && !unknown {
            wrong(
                "the manifest does not follow the one before: one of them was changed, or is missing",
            );
        }
        for file in &manifest.files {
            named.insert(file.path.clone());
            self.parts
                .extend(file.rows.map(|rows| (file.path.clone(), rows)));
            let known = self.looked.get(&file.path).copied();
            let there = match known {
                Some(there) => there,
                None => store.read(&file.path)?.map(|bytes| Sha256::of(&bytes)),
            };
            self.looked.insert(file.path.clone(), there);
            let Some(text) = not_published(there, file.sha256) else {
                continue;
            };
            let finding = FileFault::new(file.path.clone(), text);
            if known.is_none() || !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
        self.releases.push((manifest, Sha256::of(bytes)));
        Ok(())
    }

    /// A removal notice at the path of a manifest.
    fn removal(
        &mut self,
        store: &dyn ReadStore,
        path: &str,
        keys: &[PublicKey],
        named: &mut BTreeSet<String>,
    ) -> Result<()> {
        named.extend([path.to_owned(), format!("{path}.sig")]);
        let Some(bytes) = store.read(path)? else {
            return Ok(());
        };
        let notice = RemovalNotice::parse(&bytes).ok();
        let signed_bytes = notice.as_ref().map_or(bytes, RemovalNotice::signed_bytes);
        let feed = notice.as_ref().map(|notice| notice.feed.clone());
        if !notice.is_some_and(|notice| self.removals.take(self.layout, path, notice)) {
            self.findings.push(FileFault::new(
                path,
                "this is not a notice of a deleted manifest",
            ));
        } else if self
            .feed
            .as_ref()
            .is_some_and(|known| feed.as_ref() != Some(known))
        {
            self.findings
                .push(FileFault::new(path, "this is a notice of another feed"));
        } else {
            self.feed = feed;
        }
        let is_signed = store.read(&format!("{path}.sig"))?.is_some();
        self.signature(store, path, (&signed_bytes, is_signed), keys)
    }

    /// Whether the notice that the manifest of a release lists is its own and is signed as the
    /// manifest is.
    fn notice(
        &mut self,
        store: &dyn ReadStore,
        manifest: &Manifest,
        keys: &[PublicKey],
        named: &mut BTreeSet<String>,
    ) -> Result<()> {
        let path = self.layout.notice(manifest.release);
        if !manifest.files.iter().any(|file| file.path == path) {
            return Ok(());
        }
        named.insert(format!("{path}.sig"));
        let Some(bytes) = store.read(&path)? else {
            return Ok(());
        };
        let notice = Notice::parse(&bytes).ok();
        let signed_bytes = notice.as_ref().map_or(bytes, Notice::signed_bytes);
        let of_release = (manifest.feed.as_str(), manifest.release, manifest.chain);
        if notice
            .is_none_or(|notice| (notice.feed.as_str(), notice.release, notice.chain) != of_release)
        {
            self.findings.push(FileFault::new(
                path.clone(),
                "this is not a notice of the rows that its release leaves out",
            ));
        }
        self.signature(store, &path, (&signed_bytes, manifest.signed), keys)
    }

    /// Whether a manifest, or the notice that it lists, is signed as the manifest says.
    fn signature(
        &mut self,
        store: &dyn ReadStore,
        path: &str,
        (signed_bytes, says): (&[u8], bool),
        keys: &[PublicKey],
    ) -> Result<()> {
        let place = format!("{path}.sig");
        let text = match (store.read(&place)?, keys) {
            (None, _) if says => NO_SIGNATURE,
            (None, []) => return Ok(()),
            (None, _) => "the manifest is unsigned, but a key was given to check it",
            (Some(_), _) if !says => {
                "there is a signature, but the manifest states that there is none"
            }
            (Some(_), []) => return Ok(()),
            (Some(signature), keys) => {
                self.signatures += 1;
                if keys.iter().any(|key| key.signed(signed_bytes, &signature)) {
                    return Ok(());
                }
                match keys {
                    [_] => "the signature does not match this key and this manifest",
                    _ => "the signature does not match any of these keys and this manifest",
                }
            }
        };
        self.findings.push(FileFault::new(place, text));
        Ok(())
    }

    /// `LATEST` names an existing release; it is advisory, and may be behind for a moment.
    fn latest(&mut self, store: &dyn ReadStore) -> Result<()> {
        let Some(bytes) = store.read("LATEST")? else {
            return Ok(());
        };
        let path = |release: u32| format!("{}\n", self.layout.manifest(release)).into_bytes();
        if !self
            .releases
            .iter()
            .any(|(manifest, _)| path(manifest.release) == bytes)
        {
            let text = "it names a release that does not exist. If that one was withdrawn or has expired, and a \
                        delayed writer named it again, the feed corrects this at its next tick";
            self.findings.push(FileFault::new("LATEST", text));
        }
        Ok(())
    }
}
