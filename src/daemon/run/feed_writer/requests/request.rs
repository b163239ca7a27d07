//! A request of an operator to a feed (HOUSE 3, CONTRACTS 3): a sealed note in the inbox of the
//! private root, which the running writer turns into one entry, and the sealed answer beside it. It
//! contains no identifiers, only keyed hashes of them. A note is for one feed, at one place of its
//! log, and is done once.

use serde::{Deserialize, Serialize};

use super::statement::Statement;
use crate::chance::{self, Chance};
use crate::engine::histogram::Person;
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::{PutOutcome, Store, put};
use crate::journal::{KeyRing, Log, LogHead, RequestOrigin};
use crate::sign::Signing;
use crate::wiped_bytes::WipedBytes;

/// The kind of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// Publish the release that is held.
    Approve {
        /// The release.
        release: u32,
        /// The digest of the entry that holds it.
        decision: Sha256,
    },
    /// Do not publish the release that is held.
    Reject {
        /// The release.
        release: u32,
        /// The digest of the entry that holds it.
        decision: Sha256,
    },
    /// Erase people.
    Erase {
        /// The keyed hashes of their identifiers.
        people: Vec<Hash>,
        /// Whether the whole atoms of published people are erased.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        rows: bool,
    },
    /// Begin a new chain, under the feed file as it is then.
    NewChain,
    /// Offer set-aside messages again.
    Retry,
    /// Withdraw a release and all later ones of its chain.
    Withdraw {
        /// The first of them.
        release: u32,
        /// Whether the next release contains their rows again.
        republish: bool,
    },
}

/// The keyed hash of a person, as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash(pub Person);

impl From<Hash> for String {
    fn from(hash: Hash) -> String {
        format!("{:032x}", hash.0.0)
    }
}

impl TryFrom<String> for Hash {
    type Error = &'static str;

    fn try_from(text: String) -> std::result::Result<Hash, &'static str> {
        let number = Some(text).filter(|text| text.len() == 32);
        let number = number.and_then(|text| u128::from_str_radix(&text, 16).ok());
        number
            .map(|number| Hash(Person(number)))
            .ok_or("no hash of a person")
    }
}

/// A note in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Who made the request, when and why.
    #[serde(flatten)]
    pub wanted: RequestOrigin,
    /// The kind of the request.
    pub ask: RequestKind,
    /// The feed.
    pub feed: String,
    /// The newest entry of its log when the request was made.
    pub after: LogHead,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RequestOutcome {
    /// The command.
    pub asked: String,
    /// Whether it was done.
    pub done: bool,
    /// The outcome in words.
    pub text: String,
    /// The release concerned.
    pub release: Option<u32>,
    /// The new chain.
    pub chain: Option<u32>,
    /// The number of people or messages concerned.
    pub count: Option<u64>,
    /// The number of rows that are valid now, or of people who were erased.
    pub changed: Option<u64>,
    /// The number of published rows that the next release leaves out; null unless that was
    /// requested.
    pub rows: Option<u64>,
}

impl RequestKind {
    /// The name of the command.
    pub fn name(&self) -> &'static str {
        match self {
            RequestKind::Approve { .. } => "approve",
            RequestKind::Reject { .. } => "reject",
            RequestKind::Erase { .. } => "erase",
            RequestKind::NewChain => "new-chain",
            RequestKind::Retry => "retry",
            RequestKind::Withdraw { .. } => "withdraw",
        }
    }

    /// The statement that an approver signs; `None` if the request is not about a held release.
    pub fn statement(&self) -> Option<Statement> {
        match *self {
            RequestKind::Approve { release, decision } => Some(Statement {
                release,
                digest: decision,
                approves: true,
            }),
            RequestKind::Reject { release, decision } => Some(Statement {
                release,
                digest: decision,
                approves: false,
            }),
            _ => None,
        }
    }

    /// The outcome if it was done.
    pub fn done(&self, text: impl Into<String>) -> RequestOutcome {
        let text = text.into();
        let asked = self.name().to_owned();
        RequestOutcome {
            asked,
            done: true,
            text,
            release: None,
            chain: None,
            count: None,
            changed: None,
            rows: None,
        }
    }

    /// The outcome if it cannot be done.
    pub fn refused(&self, text: impl Into<String>) -> RequestOutcome {
        RequestOutcome {
            done: false,
            ..self.done(text)
        }
    }
}

impl Request {
    /// A new request.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn new(
        ask: RequestKind,
        who: String,
        when: String,
        why: Option<String>,
        (feed, after): (&str, LogHead),
        chance: &mut dyn Chance,
    ) -> Result<Request> {
        let wanted = RequestOrigin {
            request: chance::name(chance)?,
            who,
            when,
            why,
            signed: None,
        };
        Ok(Request {
            wanted,
            ask,
            feed: feed.to_owned(),
            after,
        })
    }

    /// Adds the statement of an approver, if the request is about a held release.
    #[must_use]
    pub fn signed_by(mut self, name: &str, key: &Signing) -> Request {
        let Some(statement) = self.ask.statement() else {
            return self;
        };
        self.wanted.signed = Some(statement.sign(&self.feed, name, key, &self.wanted));
        self
    }

    /// Writes it into the inbox.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn put(&self, store: &dyn Store, ring: &KeyRing, chance: &mut dyn Chance) -> Result<()> {
        let (path, mut bytes) = (note(&self.wanted.request), WipedBytes::default());
        serde_json::to_writer(&mut bytes, self).expect("a request is JSON");
        match put(store, &path, &ring.requests().seal(&bytes, &path, chance)?)? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs => Err(Error::new(
                ErrorCategory::Internal,
                "two requests have one name",
            )),
        }
    }

    /// The answer to it, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn answer(&self, store: &dyn Store, ring: &KeyRing) -> Result<Option<RequestOutcome>> {
        let path = reply(&self.wanted.request);
        let Some(sealed) = store.read(&path)? else {
            return Ok(None);
        };
        let answer = ring
            .requests()
            .open(&sealed, &path)
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let text =
            "the answer of the running tidegate cannot be read: `tidegate show` shows what it did";
        answer
            .map(Some)
            .ok_or_else(|| Error::new(ErrorCategory::Internal, text))
    }

    /// Removes the answer, which was read.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn read(&self, store: &dyn Store) -> Result<()> {
        store.delete(&reply(&self.wanted.request))
    }
}

/// The content of the inbox: valid requests, and other notes.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn inbox(store: &dyn Store, ring: &KeyRing) -> Result<Vec<(String, Option<Request>)>> {
    let mut found = Vec::new();
    for note in store.list("inbox")? {
        if note.path.ends_with(ANSWER) {
            continue;
        }
        let Some(sealed) = store.read(&note.path)? else {
            continue;
        };
        // A note opens only at its own path.
        let bytes = ring.requests().open(&sealed, &note.path);
        let request = bytes.and_then(|bytes| serde_json::from_slice::<Request>(&bytes).ok());
        let request = request.filter(|request| note.path == self::note(&request.wanted.request));
        found.push((note.path, request));
    }
    Ok(found)
}

/// Answers a request and removes it from the inbox.
///
/// # Errors
/// The store cannot be written.
pub(crate) fn answered(log: &mut Log, request: &Request, answer: &RequestOutcome) -> Result<()> {
    let (path, mut bytes) = (reply(&request.wanted.request), WipedBytes::default());
    serde_json::to_writer(&mut bytes, answer).expect("serialisation failed (this is a bug)");
    let sealed = log.ring().requests().seal(&bytes, &path, log.chance())?;
    // The answer of the writer that answered first counts.
    put(log.store(), &path, &sealed)?;
    log.store().delete(&note(&request.wanted.request))
}

const ANSWER: &str = ".answer";

fn note(request: &str) -> String {
    format!("inbox/{request}.request")
}

fn reply(request: &str) -> String {
    format!("inbox/{request}{ANSWER}")
}
