//! What a person asks of a feed (HOUSE 3, CONTRACTS 3): a signed note in the inbox of the private root, which the live
//! writer turns into one entry, and the answer beside it. It holds no identifiers, only keyed hashes of them.

use serde::{Deserialize, Serialize};

use super::statement::Statement;
use crate::daemon::chance::{self, Chance};
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::journal::store::{PutOutcome, Store, put};
use crate::daemon::journal::{KeyRing, RequestOrigin};
use crate::daemon::sign::Signing;
use crate::engine::histogram::Person;
use crate::engine::release::Sha256;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// The release that is held may leave.
    Approve {
        /// It.
        release: u32,
        /// The digest of the entry that holds it.
        decision: Sha256,
    },
    /// The release that is held may not leave.
    Reject {
        /// It.
        release: u32,
        /// The digest of the entry that holds it.
        decision: Sha256,
    },
    /// People are to be taken out.
    Erase {
        /// The keyed hashes of their identifiers.
        people: Vec<Hash>,
        /// With the whole atoms of those who are published.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        rows: bool,
    },
    /// A new chain is to begin, under the feed file as it is then.
    NewChain,
    /// Messages that were set aside are to be offered again.
    Retry,
    /// A release and all later ones of its chain are to be withdrawn.
    Withdraw {
        /// The first of them.
        release: u32,
        /// Whether the next release holds their rows again.
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
    /// Who asks, when and why.
    #[serde(flatten)]
    pub wanted: RequestOrigin,
    /// What.
    pub ask: RequestKind,
    /// A code over the note with an empty signature, under a key of the feed.
    pub signature: String,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RequestOutcome {
    /// What was asked for.
    pub asked: String,
    /// Whether it was done.
    pub done: bool,
    /// What came of it, in words.
    pub text: String,
    /// The release that it is about.
    pub release: Option<u32>,
    /// The chain that began.
    pub chain: Option<u32>,
    /// People or messages that it was about.
    pub count: Option<u64>,
    /// Rows that count from now on, or people who were taken out.
    pub changed: Option<u64>,
    /// Published rows that the next release leaves out; null where that was not asked for.
    pub rows: Option<u64>,
}

impl RequestKind {
    /// What a command calls it.
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

    /// What an approver signs of it; `None` where it is about no release that waits.
    pub fn statement(&self) -> Option<Statement> {
        match *self {
            RequestKind::Approve { release, decision } => Some(Statement { release, digest: decision, approves: true }),
            RequestKind::Reject { release, decision } => Some(Statement { release, digest: decision, approves: false }),
            _ => None,
        }
    }

    /// It was done.
    pub fn done(&self, text: impl Into<String>) -> RequestOutcome {
        let text = text.into();
        let asked = self.name().to_owned();
        RequestOutcome { asked, done: true, text, release: None, chain: None, count: None, changed: None, rows: None }
    }

    /// It cannot be done.
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

    /// With the statement of an approver, where it is about a release that waits.
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

    /// Puts it into the inbox.
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

    /// Takes the answer away that was read.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn read(&self, store: &dyn Store) -> Result<()> {
        store.delete(&reply(&self.wanted.request))
    }
}

/// What lies in the inbox: requests that were signed, and notes that are none.
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

/// Answers a request and takes it out of the inbox.
///
/// # Errors
/// The store cannot be written.
pub fn answered(store: &dyn Store, request: &Request, answer: &RequestOutcome) -> Result<()> {
    let bytes = serde_json::to_vec(answer).expect("an answer is JSON");
    // The writer that answered first has said what counts.
    put(store, &reply(&request.wanted.request), &bytes)?;
    store.delete(&note(&request.wanted.request))
}

fn note(request: &str) -> String {
    format!("inbox/{request}.json")
}

fn reply(request: &str) -> String {
    format!("inbox/{request}.answer")
}
