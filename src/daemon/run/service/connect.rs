//! Whether everything outside that a feed file names can be used (CONTRACTS 3, `check --connect`):
//! the source, its registry, the roots and the key. It connects as the daemon would, but never
//! reads a record, writes anything or takes a lock.

use std::path::Path;

use rustix::fs::{Access, access};

use super::intake::topic_settings;
use super::root_opening::{key, look};
use crate::config::{FeedConfig, RegistrySettings, Root, SourcePlace, SourceSettings, Ticks};
use crate::error::{Error, ErrorCategory, Result};
use crate::ingest::directory::Directory;
use crate::ingest::topic::{probe, reach_registry};
use crate::notify;
use crate::observe::events::Receiver;

/// Something outside that a feed file names, and whether it can be used.
#[derive(Debug)]
pub struct ConnectionCheck {
    /// The key that names it.
    pub what: &'static str,
    /// What to report about it; or why it cannot be used.
    pub found: Result<String>,
    /// What may go wrong with it.
    pub doubts: Vec<String>,
}

impl ConnectionCheck {
    fn of(what: &'static str, found: Result<String>) -> ConnectionCheck {
        ConnectionCheck {
            what,
            found,
            doubts: Vec::new(),
        }
    }
}

/// Checks everything that a feed file names, in the order of the file.
pub fn connect(feed: &FeedConfig) -> Vec<ConnectionCheck> {
    let mut all = Vec::new();
    if let Some(source) = &feed.services.source {
        all.push(of_source(feed, source));
        let registry = source.registry.as_ref();
        all.extend(
            registry.map(|registry| {
                ConnectionCheck::of("source.schema_registry", of_registry(registry))
            }),
        );
    }
    if let Some(store) = &feed.services.store {
        for (what, root, private) in [
            ("store.private", &store.private, true),
            ("store.public", &store.public, false),
        ] {
            all.extend(
                root.as_ref()
                    .map(|root| ConnectionCheck::of(what, of_root(feed, root, private))),
            );
        }
        if store.key.is_some() {
            all.push(ConnectionCheck::of(
                "store.key",
                key(feed).map(|_| "the key can be read".to_owned()),
            ));
        }
    }
    all.extend(receivers(feed));
    all
}

/// The receivers of notifications.
fn receivers(feed: &FeedConfig) -> Vec<ConnectionCheck> {
    let what = |receiver| match receiver {
        Receiver::Topic => "notify.topic",
        Receiver::Webhook => "notify.webhook",
        Receiver::OperatorTopic => "notify.operator_topic",
        Receiver::OperatorWebhook => "notify.operator_webhook",
    };
    match notify::look(feed) {
        Ok(found) => found
            .into_iter()
            .map(|(receiver, found)| ConnectionCheck::of(what(receiver), found))
            .collect(),
        Err(error) => vec![ConnectionCheck::of("notify", Err(error))],
    }
}

fn of_source(feed: &FeedConfig, source: &SourceSettings) -> ConnectionCheck {
    match &source.place {
        SourcePlace::Directory { path, settle } => {
            let found = Directory::new(path, settle.get()).files();
            let said = |files: Vec<_>| {
                let files = match files.len() {
                    1 => "1 file".to_owned(),
                    many => format!("{many} files"),
                };
                format!("the folder {} can be read: {files}", path.display())
            };
            ConnectionCheck::of("source", found.map(said))
        }
        SourcePlace::Kafka { topic, .. } => {
            let settings = topic_settings(feed, source, true).expect("the source is a topic");
            let tick = feed
                .services
                .schedule
                .as_ref()
                .and_then(|schedule| match &schedule.ticks {
                    Ticks::Every(period) => Some(period.get()),
                    Ticks::Cron { .. } | Ticks::PerFile => None,
                });
            match probe(&settings, tick) {
                Ok(found) => ConnectionCheck {
                    what: "source",
                    found: Ok(found.words(topic)),
                    doubts: found.doubts,
                },
                Err(error) => ConnectionCheck::of("source", Err(error)),
            }
        }
    }
}

fn of_registry(registry: &RegistrySettings) -> Result<String> {
    reach_registry(registry).map(|()| "the schema registry answers, and permits reading".to_owned())
}

/// A root as it is.
fn of_root(feed: &FeedConfig, root: &Root, private: bool) -> Result<String> {
    let Root::Directory(path) = root else {
        // Opening it reads from it.
        let store = look(feed, private)?;
        let text = "can be read; whether it can be written is known only when the feed runs";
        return Ok(format!("the bucket {} {text}", store.place()));
    };
    let shown = path.display();
    if !path.exists() {
        let around = path.ancestors().skip(1).map(|path| {
            if path == Path::new("") {
                Path::new(".")
            } else {
                path
            }
        });
        let near = around
            .into_iter()
            .find(|path| path.exists())
            .unwrap_or(Path::new("/"));
        may_write(near)?;
        return Ok(format!(
            "the folder {shown} does not exist; the feed creates it"
        ));
    }
    let about =
        std::fs::metadata(path).map_err(|error| Error::io(path, "look at the folder", &error))?;
    if private && std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        let text =
            "other accounts can access this folder, which contains private state: `chmod 700` it";
        return Err(Error::new(ErrorCategory::Io, text).in_file(path));
    }
    let store = look(feed, private)?;
    may_write(path)?;
    let begun = store
        .read(if private { "FORMAT" } else { "LATEST" })?
        .is_some();
    Ok(match (private, begun) {
        (true, true) => format!("the folder {shown} can be used; a feed has begun in it"),
        (false, true) => format!("the folder {shown} can be used; it contains releases"),
        (_, false) => format!("the folder {shown} can be used; no feed has begun in it"),
    })
}

/// Whether a file can be created in a folder, according to the system.
fn may_write(folder: &Path) -> Result<()> {
    let may = access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK);
    let refused =
        |errno: rustix::io::Errno| Error::io(folder, "write into the folder", &errno.into());
    may.map_err(refused)?;
    if folder.is_dir() {
        return Ok(());
    }
    Err(Error::new(ErrorCategory::Io, "a file occupies the place of the folder").in_file(folder))
}
