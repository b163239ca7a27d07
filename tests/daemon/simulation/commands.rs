//! Commands of a person in a simulated run while no process of the feed is running, or against all
//! advice while one is: the feed file is changed, a chain begins under another policy, or the
//! operator's key is changed. Commands use the same stores, die as processes do, and are run again
//! until they succeed.

use std::sync::{Arc, Mutex, PoisonError};

use tidegate::daemon::clock;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::error::{Error, ErrorCategory, Result};
use tidegate::daemon::feed_writer::{
    FeedSettings, FeedWriter, Opening, PublicRoot, Request, RequestKind,
};
use tidegate::daemon::journal::store::{Packs, Store};
use tidegate::daemon::journal::{KeyRing, RequestOrigin};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::service::root_opening::settings;
use tidegate::engine::release::Sha256;
use tokio::sync::watch;

use super::books;
use super::draw::{
    CARVED, CROWDS, GROUPED, HALVED, LEVELS, MEASURED, POLICIES, SUPPRESSED, TWO_TABLES, disjoint,
};
use super::feed_files::{Feeds, keeps_labels};
use super::nature::{Nature, Side};
use super::process_world::FEW;
use super::run::{Process, Run};
use super::stores::Seen;
use crate::common::random::Draw;

/// The operator's keys, of which a feed has one.
pub const KEYS: [&str; 2] = [
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "89abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A chain begins under the present feed file.
    NewChain,
    /// From the key of this number to the one that the feed file names now.
    Rekey { from: usize },
}

/// A command that is run until it succeeds.
pub struct Command {
    kind: Kind,
    /// The previous feed file, which is restored if the command is refused.
    before: Feeds,
    /// Whether it succeeded or was refused, once its process has ended by itself.
    answer: Arc<Mutex<Option<Result<bool>>>>,
}

/// Another policy under which all waiting people can stay.
fn another(policy: &'static str, draw: &mut Draw) -> &'static str {
    let others = [
        CROWDS, CROWDS, LEVELS, TWO_TABLES, CARVED, GROUPED, HALVED, SUPPRESSED,
    ];
    let all: Vec<&'static str> = POLICIES.into_iter().chain(others).collect();
    let other = all[draw.between(0, all.len() as u64 - 1) as usize];
    // Numbers of a measure are kept with waiting people.
    if policy == MEASURED { MEASURED } else { other }
}

/// Another feed file.
fn changed(before: Feeds, draw: &mut Draw) -> Feeds {
    match draw.between(0, 4) {
        0 => Feeds {
            approvals: (before.approvals + draw.between(1, 2) as u32) % 3,
            ..before
        },
        1 if before.stays.is_empty() && keeps_labels(before.policy) => Feeds {
            stays: "keep = \"170s\"",
            ..before
        },
        1 => Feeds {
            stays: "",
            ..before
        },
        2 => Feeds {
            grown: true,
            ..before
        },
        3 => Feeds {
            policy: another(before.policy, draw),
            ..before
        },
        _ => Feeds {
            key: 1 - before.key,
            ..before
        },
    }
}

impl Run<'_> {
    /// No process is running: a command has ended, or another one may be run.
    pub fn between_processes(&mut self) {
        if let Some(command) = self.command.take() {
            self.command = self.answered(command);
            return;
        }
        let Some(wide) = self.wide.as_mut().filter(|_| !self.over) else {
            return;
        };
        if !wide.once_in(4) || books::ring(&self.nature).is_none() {
            return;
        }
        let after = changed(self.feeds, wide);
        self.chooses(after);
    }

    /// Whether a command is to run beside a process of the feed, which still uses the previous feed
    /// file.
    pub fn chooses_beside(&mut self) -> bool {
        let before = self.feeds;
        let Some(wide) = self
            .wide
            .as_mut()
            .filter(|_| books::ring(&self.nature).is_some())
        else {
            return false;
        };
        let after = match wide.between(0, 1) {
            0 => Feeds {
                policy: another(before.policy, wide),
                ..before
            },
            _ => Feeds {
                key: 1 - before.key,
                ..before
            },
        };
        // The feed file shows which kind of chain the process begins meanwhile.
        if disjoint(after.policy) == disjoint(before.policy) {
            self.chooses(after);
        }
        self.command.is_some()
    }

    /// Changes the feed file, and plans a command if one must follow.
    fn chooses(&mut self, after: Feeds) {
        let before = self.feeds;
        let stays = if keeps_labels(after.policy) {
            after.stays
        } else {
            ""
        };
        self.goes_by(Feeds { stays, ..after });
        let kind = match after {
            _ if after.policy != before.policy => Kind::NewChain,
            // Other runs of neighbours then have labels of their own.
            _ if after.grown != before.grown && before.policy.contains("halves") => Kind::NewChain,
            _ if after.key != before.key => Kind::Rekey { from: before.key },
            _ => return,
        };
        self.command = Some(Command {
            kind,
            before,
            answer: Arc::default(),
        });
    }

    /// The feed file says something else from now on.
    fn goes_by(&mut self, feeds: Feeds) {
        self.nature.line(&format!("the feed file says {feeds:?}"));
        self.nature.goes_by(feeds.policy, feeds.approvals);
        (self.feeds, self.crowds) = (feeds, keeps_labels(feeds.policy));
        self.feed = self.places.feed(feeds);
    }

    /// Runs a command in a process of its own.
    pub fn commands(&mut self) {
        let Some(command) = &self.command else { return };
        self.begun += 1;
        let (process, kind, answer) = (self.begun, command.kind, Arc::clone(&command.answer));
        self.nature.line(&format!("a command: {kind:?}"));
        self.nature.begins(process, 0);
        if let Some(wide) = self.wide.as_mut().filter(|_| !self.over)
            && wide.once_in(3)
        {
            self.nature.kills(process, wide.between(0, 30) as usize);
        }
        let (ends, _) = watch::channel(true);
        self.processes.insert(
            process,
            Process {
                ends,
                reported: true,
            },
        );
        let (nature, feed, key) = (Arc::clone(&self.nature), self.feed.clone(), self.feeds.key);
        self.nature.turns.begin(process, move || {
            let done = does(kind, key, &feed, (&nature, process));
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        });
    }

    /// The process of a command has ended: returns the command, if it has to be run again.
    fn answered(&mut self, command: Command) -> Option<Command> {
        let answer = command
            .answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match answer {
            Some(Ok(true)) => {
                if let Kind::Rekey { from } = command.kind {
                    let old = KeyRing::open(&self.nature.private(), &key(from));
                    assert!(
                        !matches!(old, Ok(Some(_))),
                        "a key was changed, and the one before opens the feed"
                    );
                }
                None
            }
            Some(Ok(false)) => {
                self.goes_by(command.before);
                None
            }
            // A store was full or silent, or the process died.
            Some(Err(error)) => {
                self.nature.line(&format!("a command fails: {error}"));
                Some(command)
            }
            None => Some(command),
        }
    }
}

fn key(number: usize) -> OperatorKey {
    OperatorKey::parse(KEYS[number]).expect("a key")
}

/// Runs it, as the program does; returns whether it was not refused.
fn does(
    kind: Kind,
    named: usize,
    feed: &FeedConfig,
    (nature, process): (&Arc<Nature>, u32),
) -> Result<bool> {
    if !nature.bucket && !nature.locks(process) {
        return Err(Error::new(ErrorCategory::Io, "another process is at work"));
    }
    let store = |side| {
        Arc::new(Seen {
            nature: Arc::clone(nature),
            process,
            side,
        })
    };
    let private: Arc<dyn Store> = Arc::new(Packs::over(store(Side::Private)));
    let now = clock::text(nature.clock(process));
    let open = |key: &OperatorKey| {
        let opening = Opening {
            private: Arc::clone(&private),
            public: PublicRoot::over(store(Side::Public)),
            key,
            drawn: None,
            writer: None,
            feed,
            services: Sha256::of(&std::fs::read(&feed.file).expect("a feed file")),
            chance: nature.chance(),
            settings: FeedSettings {
                few: FEW,
                ..settings(feed)?
            },
            now: &now,
            remedy: "a new chain is to begin",
            changed: true,
        };
        FeedWriter::open(opening).map(|(writer, _)| writer)
    };
    match kind {
        Kind::NewChain => {
            let mut writer = open(&key(named))?;
            writer.finish(&now)?;
            let why = "a test".to_owned();
            let request = Request::new(
                RequestKind::NewChain,
                why,
                now.clone(),
                None,
                writer.log().place(),
                &mut *nature.chance(),
            )?;
            let answer = writer.carry_out(&request, &|| Ok(feed.clone()), &now)?;
            nature.line(&format!("a new chain: {}", answer.text));
            Ok(answer.done)
        }
        Kind::Rekey { from } => {
            let (old, new) = (key(from), key(named));
            // One of them opens what an earlier process has begun.
            if matches!(KeyRing::open(&*private, &old), Ok(Some(_))) {
                let request = format!("{:032x}", u128::from(process));
                let wanted = RequestOrigin {
                    request,
                    who: "a test".to_owned(),
                    when: now.clone(),
                    why: None,
                    signed: None,
                };
                open(&old)?.rekey(&new, wanted)?;
            } else {
                open(&new)?;
            }
            Ok(true)
        }
    }
}
