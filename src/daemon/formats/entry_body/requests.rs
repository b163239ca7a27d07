//! What persons asked for, and under which terms a chain goes on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::daemon::formats::Ref;
use crate::daemon::sign::PublicKey;
use crate::engine::model::ReleaseColumn;
use crate::engine::release::Sha256;

/// Who asked for something, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestOrigin {
    /// The name of the request, which is done once.
    pub request: String,
    /// Who asked: the account that the command ran under.
    pub who: String,
    /// When.
    pub when: String,
    /// Why, in their words; they were told that no data of a person belongs here.
    pub why: Option<String>,
    /// The statement of an approver, where approvers have keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
}

impl RequestOrigin {
    /// The fingerprint of the key that an approver has signed with.
    pub fn fingerprint(&self) -> Option<Sha256> {
        self.signed.as_ref().and_then(|signed| PublicKey::parse(&signed.key)).map(|key| key.fingerprint())
    }
}

/// What an approver signed. The text is made from the entry itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signed {
    /// The approver, as the feed file names them.
    pub name: String,
    /// The public half of their key, as 64 hexadecimal digits.
    pub key: String,
    /// Their signature of the text, as 128 hexadecimal digits.
    pub signature: String,
}

/// A chain of releases begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainStart {
    /// Its number, from 1.
    pub chain: u32,
    /// What is frozen while it runs: policy, columns, taxonomies.
    pub terms: Ref,
    /// Who asked for it; null for the first.
    pub wanted: Option<RequestOrigin>,
    /// Whether its table has a Delta log; of tables that grow only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delta: bool,
    /// The column for the number of the release; of tables that grow only.
    #[serde(default, skip_serializing_if = "ReleaseColumn::is_default")]
    pub release_column: ReleaseColumn,
    /// What is forgotten is in the log from the first entry on; in the first chain only. Where earlier versions began the feed, what is gone
    /// with its key counts as forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logs_forgetting: bool,
}

/// What of the feed file may change in a running chain was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    /// When.
    pub time: String,
    /// The terms with the new leaves of their taxonomies; null where there are none.
    pub terms: Option<Ref>,
    /// The digest of everything else.
    pub services: Sha256,
}

/// An object took the place of another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The path of the old one, which is gone with its key.
    pub old: String,
    /// The new one; null when nothing is left of it.
    pub new: Option<Ref>,
    /// The messages that are left in it, where it holds messages that are set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
}

impl Moved {
    /// Of rows, atoms or counts.
    pub fn to(old: String, new: Ref) -> Moved {
        Moved { old, new: Some(new), messages: None }
    }
}

/// People were taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Erase {
    /// Who asked.
    pub wanted: RequestOrigin,
    /// People who were asked for.
    pub asked: u64,
    /// People who were taken out of what is not published; they may come again.
    pub erased: u64,
    /// People whose rows are published: a tombstone stays.
    pub published: u64,
    /// People who were never taken in; messages of theirs may have been set aside.
    pub unknown: u64,
    /// Atoms that were dissolved.
    pub dissolved: u64,
    /// People in classes that were not published wait again, in a chain whose ticks form all of them anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits_again: bool,
    /// Objects that were written anew without them.
    pub moved: Vec<Moved>,
    /// Published rows that the next release and all later ones leave out; null where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<ErasedRows>,
}

impl Erase {
    /// Whether the feed knows of people what it knew before: all of them are published and stay known, and their raw rows alone went.
    pub fn leaves_state(&self) -> bool {
        self.erased == 0 && self.dissolved == 0 && self.rows.is_none()
    }
}

/// Published rows that the next release and all later ones leave out, in a chain of crowds: whole atoms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErasedRows {
    /// How many rows.
    pub rows: u64,
    /// How many atoms: the rows of one label that came with one release are one here.
    pub atoms: u64,
    /// Which ones.
    pub named: Ref,
}

/// All keys were wrapped under another key of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rekey {
    /// Who asked.
    pub wanted: RequestOrigin,
    /// How many keys.
    pub keys: u64,
}
