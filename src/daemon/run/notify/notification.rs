//! The content of notifications, as JSON (`schemas/v1/notification.schema.json`). A receiver that
//! may read the public root gets only what the manifest contains; rejections and their reasons are
//! for the operator alone.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::release::{FileLine, Layout, Manifest, RemovalReason, Sha256};
use crate::error::{Complaint, Described, Error, ErrorCategory, Result};
use crate::journal::store::ReadStore;
use crate::journal::{
    Cleaned, ClosedTick, ClosingOutcome, Decision, EntryBody, Expire, HoldDecision, Published,
    Rejection, Withdraw,
};
use crate::observe::events::Notice;

/// The version of the format.
const SCHEMA: u32 = 1;

/// The file that names the newest release; it exists as soon as there is one.
const LATEST: &str = "LATEST";

/// The audience of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Readers of releases.
    Public,
    /// Operators of the feed.
    Operator,
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Notification {
    /// The version of this format: 1.
    pub schema: u32,
    /// The key that identifies it: if it is sent twice, it has the same key. It is the key of a
    /// Kafka message, and the `Idempotency-Key` of a web request.
    pub key: String,
    /// The feed's name.
    pub feed: String,
    /// The event.
    #[serde(flatten)]
    pub what: NotifiedEvent,
}

/// The event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NotifiedEvent {
    /// Public: a release is visible. All of this is in its manifest.
    Release {
        /// The chain of releases that it belongs to.
        chain: u32,
        /// The number of the release; numbers continue through all chains of the feed.
        release: u32,
        /// The scheduled time of the release, in UTC.
        time: String,
        /// The number of rows of the table.
        rows: u64,
        /// The smallest class that the policy allows.
        k: u64,
        /// The manifest: read the release through it.
        manifest: FileLine,
        /// The files.
        files: Vec<FileLine>,
        /// Whether there is a signature beside the manifest.
        signed: bool,
        /// The digest of the previous manifest; null for the first.
        previous: Option<Sha256>,
    },
    /// Public: releases were withdrawn. Signed notices replace their manifests.
    Withdrawn {
        /// The chain of releases that they belong to.
        chain: u32,
        /// The first of them.
        first: u32,
        /// The last of them.
        last: u32,
        /// The newest release of the chain that is visible; null if none is.
        newest: Option<u32>,
        /// The scheduled time of the tick before, in UTC.
        time: String,
    },
    /// Public: manifests that list erased rows were removed, with these rows. Signed notices
    /// replace them.
    Erased {
        /// The releases whose manifests were removed.
        releases: Vec<u32>,
        /// The release without the rows, whose notice says which labels they had.
        notice: u32,
        /// The time, in UTC.
        time: String,
    },
    /// Public: manifests were removed because they are older than the period for which manifests
    /// are kept.
    Expired {
        /// Their releases.
        releases: Vec<u32>,
        /// The scheduled time of the tick, in UTC.
        time: String,
    },
    /// For the operator: a release may not be published.
    Rejected {
        /// The tick.
        tick: u32,
        /// Its scheduled time, in UTC.
        time: String,
        /// The number it would have had; null if no release could be made.
        release: Option<u32>,
        /// The checks that rejected it.
        checks: Vec<String>,
        /// Whether the chain publishes nothing any more.
        stops: bool,
        /// The reasons and remedies, in words.
        text: String,
    },
    /// For the operator: a release has passed the gate and waits for approval.
    Approval {
        /// The tick.
        tick: u32,
        /// Its scheduled time, in UTC.
        time: String,
        /// Its number.
        release: u32,
        /// What to do.
        text: String,
    },
    /// For the operator: the feed has halted, and the operator has to act.
    Halted {
        /// The time, in UTC.
        time: String,
        /// The reason, and what to do.
        error: Described,
    },
    /// For the operator: the feed continues after a halt.
    Resumed {
        /// The time, in UTC.
        time: String,
        /// The time of the halt, in UTC.
        since: String,
    },
}

/// The notification of an entry for a receiver.
pub enum EntryNotice {
    /// The entry does not concern the receiver.
    Nothing,
    /// The notification.
    Send(Box<Notification>),
    /// There would be a notification, but its content is not known any more.
    Lost(Notice, Complaint),
}

impl Notification {
    fn new(feed: &str, key: &str, what: NotifiedEvent) -> Notification {
        Notification {
            schema: SCHEMA,
            key: format!("{feed}/{key}"),
            feed: feed.to_owned(),
            what,
        }
    }

    /// The notification of an entry.
    ///
    /// # Errors
    /// The manifest of a release cannot be read at the moment.
    pub fn of(
        feed: &str,
        body: &EntryBody,
        audience: Audience,
        public: &dyn ReadStore,
    ) -> Result<EntryNotice> {
        let (key, what) = match (body, audience) {
            (EntryBody::Published(published), Audience::Public) => {
                match release(published, public)? {
                    Ok(what) => (format!("release/{}", published.release), what),
                    // Readers learn why it was removed, and need not learn that it existed.
                    Err(_) if is_removed(published.release, public)? => {
                        return Ok(EntryNotice::Nothing);
                    }
                    Err(why) => return Ok(EntryNotice::Lost(Notice::Release, why)),
                }
            }
            (
                EntryBody::Withdraw(Withdraw {
                    chain,
                    first,
                    last,
                    left,
                    time,
                    ..
                }),
                Audience::Public,
            ) => {
                let (chain, first, last, newest, time) =
                    (*chain, *first, *last, *left, time.clone());
                (
                    format!("withdrawn/{first}-{last}"),
                    NotifiedEvent::Withdrawn {
                        chain,
                        first,
                        last,
                        newest,
                        time,
                    },
                )
            }
            (
                EntryBody::Cleaned(Cleaned {
                    time,
                    replaced,
                    notice: Some(notice),
                }),
                Audience::Public,
            ) => {
                let (releases, notice, time) = (replaced.clone(), *notice, time.clone());
                (
                    format!("erased/{notice}"),
                    NotifiedEvent::Erased {
                        releases,
                        notice,
                        time,
                    },
                )
            }
            (EntryBody::Expire(Expire { time, releases }), Audience::Public) => {
                let newest = releases.iter().max().copied().unwrap_or_default();
                (
                    format!("expired/{newest}"),
                    NotifiedEvent::Expired {
                        releases: releases.clone(),
                        time: time.clone(),
                    },
                )
            }
            (
                EntryBody::Decision(Decision::Reject(Rejection {
                    wanted: None,
                    tick,
                    time,
                    release,
                    reasons,
                    stops,
                    ..
                })),
                _,
            ) if audience == Audience::Operator => {
                let checks = reasons.iter().map(|against| against.check.clone());
                (
                    format!("rejected/{tick}"),
                    rejected(*tick, time, Some(*release), checks.collect(), *stops),
                )
            }
            (
                EntryBody::Closed(ClosedTick {
                    outcome: ClosingOutcome::Impossible,
                    tick,
                    time,
                    ..
                }),
                Audience::Operator,
            ) => (
                format!("rejected/{tick}"),
                rejected(*tick, time, None, vec!["search".to_owned()], false),
            ),
            (
                EntryBody::Decision(Decision::Hold(HoldDecision { approved, .. })),
                Audience::Operator,
            ) => {
                let (tick, time, release) = (
                    approved.tick(),
                    approved.time().to_owned(),
                    approved.release(),
                );
                let text = format!(
                    "the gate has approved release {release}, which now waits for a person: `tidegate show` \
                     shows it, `tidegate approve` publishes it, `tidegate reject` rejects it"
                );
                (
                    format!("approval/{tick}"),
                    NotifiedEvent::Approval {
                        tick,
                        time,
                        release,
                        text,
                    },
                )
            }
            _ => return Ok(EntryNotice::Nothing),
        };
        Ok(EntryNotice::Send(Box::new(Notification::new(
            feed, &key, what,
        ))))
    }

    /// The notification of a halt.
    pub fn halted(feed: &str, error: &Error, time: &str) -> Notification {
        let what = NotifiedEvent::Halted {
            time: time.to_owned(),
            error: error.describe(),
        };
        Notification::new(feed, &format!("halted/{time}"), what)
    }

    /// The notification that a feed continues after a halt.
    pub fn resumed(feed: &str, since: &str, time: &str) -> Notification {
        let what = NotifiedEvent::Resumed {
            time: time.to_owned(),
            since: since.to_owned(),
        };
        Notification::new(feed, &format!("resumed/{since}"), what)
    }

    /// The bytes to be sent.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a notification is JSON")
    }
}

/// A release according to its manifest; the inner error says why that is not known any more.
fn release(
    published: &Published,
    public: &dyn ReadStore,
) -> Result<std::result::Result<NotifiedEvent, Complaint>> {
    let path = Layout::Root.manifest(published.release);
    let bytes = public.read(&path)?;
    if bytes.is_none() && public.read(LATEST)?.is_none() {
        // Perhaps a disk is not mounted yet: the notification waits until it is.
        let text = "the public root contains no releases, although some were published: it is a different one, or is \
            not mounted";
        return Err(Error::new(ErrorCategory::Io, text));
    }
    let bytes = bytes.filter(|bytes| Sha256::of(bytes) == published.manifest);
    let manifest = bytes.and_then(|bytes| Manifest::parse(&bytes).ok());
    let Some(manifest) = manifest else {
        let text =
            format!("{path} is missing or is not the manifest that was published: restore it");
        return Ok(Err(Complaint::of(&text)));
    };
    let Manifest {
        chain,
        release,
        time,
        rows,
        k,
        files,
        signed,
        previous,
        ..
    } = manifest;
    let manifest = FileLine {
        path,
        sha256: published.manifest,
        rows: None,
    };
    Ok(Ok(NotifiedEvent::Release {
        chain,
        release,
        time,
        rows,
        k,
        manifest,
        files,
        signed,
        previous,
    }))
}

/// Whether a notice replaces the manifest of a release.
fn is_removed(release: u32, public: &dyn ReadStore) -> Result<bool> {
    for reason in [
        RemovalReason::Withdrawn,
        RemovalReason::Erased,
        RemovalReason::Expired,
    ] {
        if public
            .read(&Layout::Root.removal(reason, release))?
            .is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn rejected(
    tick: u32,
    time: &str,
    release: Option<u32>,
    checks: Vec<String>,
    stops: bool,
) -> NotifiedEvent {
    let against = checks.join(", ");
    let text = if stops {
        format!(
            "the gate rejected a release ({against}), and its chain has stopped: `tidegate show` says why, `tidegate \
             new-chain` begins another chain"
        )
    } else {
        format!(
            "the gate rejected a release ({against}); its people will be published with the next one that it approves. \
             `tidegate show` says why"
        )
    };
    NotifiedEvent::Rejected {
        tick,
        time: time.to_owned(),
        release,
        checks,
        stops,
        text,
    }
}
