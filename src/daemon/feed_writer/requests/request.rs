//! A request of an operator to a feed (HOUSE 3, CONTRACTS 3): a signed note in the inbox of the private root, which the
//! running writer turns into one entry, and the answer beside it. It contains no identifiers, only keyed hashes of
//! them.

use serde::{Deserialize, Serialize};

use super::statement::Statement;
use crate::daemon::chance::{self, Chance};
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::journal::store::{PutOutcome, Store, put};
use crate::daemon::journal::{KeyRing, RequestOrigin};
use crate::daemon::sign::Signing;
use crate::engine::histogram::Person;
use crate::engine::release::Sha256;

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
        number.map(|number| Hash(Person(number))).ok_or("no hash of a person")
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
    /// A message authentication code of the note with an empty signature, under a key of the feed.
    pub signature: String,
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
    /// The number of published rows that the next release leaves out; null unless that was requested.
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
            RequestKind::Approve { release, decision } => Some(Statement { release, digest: decision, approves: true }),
            RequestKind::Reject { release, decision } => Some(Statement { release, digest: decision, approves: false }),
            _ => None,
        }
    }

    /// The outcome if it was done.
    pub fn done(&self, text: impl Into<String>) -> RequestOutcome {
        let text = text.into();
        let asked = self.name().to_owned();
        RequestOutcome { asked, done: true, text, release: None, chain: None, count: None, changed: None, rows: None }
    }

    /// The outcome if it cannot be done.
    pub fn refused(&self, text: impl Into<String>) -> RequestOutcome {
        RequestOutcome { done: false, ..self.done(text) }
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
        ring: &KeyRing,
        chance: &mut dyn Chance,
    ) -> Result<Request> {
        let wanted = RequestOrigin { request: chance::name(chance)?, who, when, why, signed: None };
        let mut request = Request { wanted, ask, signature: String::new() };
        request.signature = ring.sign(&request.bytes());
        Ok(request)
    }

    /// Adds the statement of an approver, if the request is about a held release.
    pub fn signed_by(mut self, name: &str, key: &Signing, feed: &str, ring: &KeyRing) -> Request {
        let Some(statement) = self.ask.statement() else { return self };
        self.wanted.signed = Some(statement.sign(feed, name, key, &self.wanted));
        self.signature.clear();
        self.signature = ring.sign(&self.bytes());
        self
    }

    fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a request is JSON")
    }

    /// Writes it into the inbox.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn put(&self, store: &dyn Store) -> Result<()> {
        match put(store, &note(&self.wanted.request), &self.bytes())? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs => Err(Error::new(ErrorCategory::Internal, "two requests have one name")),
        }
    }

    /// The answer to it, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn answer(&self, store: &dyn Store) -> Result<Option<RequestOutcome>> {
        let Some(bytes) = store.read(&reply(&self.wanted.request))? else { return Ok(None) };
        let answer = serde_json::from_slice(&bytes);
        answer
            .map(Some)
            .map_err(|_| Error::new(ErrorCategory::Internal, "the answer of the running tidegate cannot be read"))
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
pub fn inbox(store: &dyn Store, ring: &KeyRing) -> Result<Vec<(String, Option<Request>)>> {
    let mut found = Vec::new();
    for note in store.list("inbox")? {
        if !note.path.ends_with(".json") {
            continue;
        }
        let Some(bytes) = store.read(&note.path)? else { continue };
        let request = serde_json::from_slice::<Request>(&bytes).ok().filter(|request| {
            let unsigned = Request { signature: String::new(), ..request.clone() };
            ring.sign(&unsigned.bytes()) == request.signature && note.path == self::note(&request.wanted.request)
        });
        found.push((note.path, request));
    }
    Ok(found)
}

/// Answers a request and removes it from the inbox.
///
/// # Errors
/// The store cannot be written.
pub fn answered(store: &dyn Store, request: &Request, answer: &RequestOutcome) -> Result<()> {
    let bytes = serde_json::to_vec(answer).expect("serialisation failed (this is a bug)");
    // The answer of the writer that answered first counts.
    put(store, &reply(&request.wanted.request), &bytes)?;
    store.delete(&note(&request.wanted.request))
}

fn note(request: &str) -> String {
    format!("inbox/{request}.json")
}

fn reply(request: &str) -> String {
    format!("inbox/{request}.answer")
}
