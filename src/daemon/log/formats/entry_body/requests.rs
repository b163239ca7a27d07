//! Requests of operators, and the terms under which a chain continues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::model::ReleaseColumn;
use crate::engine::release::Sha256;
use crate::formats::Ref;
use crate::sign::PublicKey;

/// Who made a request, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestOrigin {
    /// The id of the request, which is done once.
    pub request: String,
    /// The account under which the command ran.
    pub who: String,
    /// The time.
    pub when: String,
    /// The reason, in the person's words; the command asks them not to write data of a person here.
    pub why: Option<String>,
    /// The statement of an approver, if approvers have keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
}

impl RequestOrigin {
    /// The fingerprint of the key with which an approver signed.
    pub fn fingerprint(&self) -> Option<Sha256> {
        self.signed
            .as_ref()
            .and_then(|signed| PublicKey::parse(&signed.key))
            .map(|key| key.fingerprint())
    }
}

/// The signature of an approver. The signed text is built from the entry itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signed {
    /// The approver, as the feed file names them.
    pub name: String,
    /// The public key, as 64 hexadecimal digits.
    pub key: String,
    /// The signature of the text, as 128 hexadecimal digits.
    pub signature: String,
}

/// A chain of releases begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainStart {
    /// Its number, from 1.
    pub chain: u32,
    /// The frozen terms: policy, columns, taxonomies.
    pub terms: Ref,
    /// Who requested it; null for the first chain.
    pub wanted: Option<RequestOrigin>,
    /// Whether its table has a Delta log; only for tables that grow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delta: bool,
    /// The column for the number of the release; only for tables that grow.
    #[serde(default, skip_serializing_if = "ReleaseColumn::is_default")]
    pub release_column: ReleaseColumn,
}

/// Settings of the feed file that may change in a running chain were changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    /// When.
    pub time: String,
    /// The terms with the new leaves of their taxonomies; null if there are none.
    pub terms: Option<Ref>,
    /// The digest of all other settings.
    pub services: Sha256,
}

/// An object replaced another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The path of the old object, which was destroyed with its key.
    pub old: String,
    /// The new object; null if nothing remains.
    pub new: Option<Ref>,
    /// The number of messages in it, if it contains set-aside messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
}

impl Moved {
    /// For rows, atoms or counts.
    pub fn to(old: String, new: Ref) -> Moved {
        Moved {
            old,
            new: Some(new),
            messages: None,
        }
    }
}

/// People were erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Erase {
    /// Who made the request.
    pub wanted: RequestOrigin,
    /// The number of people in the request.
    pub asked: u64,
    /// The number of people erased from unpublished data; they may come again.
    pub erased: u64,
    /// The number of people whose rows are published: a tombstone stays.
    pub published: u64,
    /// The number of people who were never accepted; messages of theirs may have been set aside.
    pub unknown: u64,
    /// The number of dissolved atoms.
    pub dissolved: u64,
    /// Whether people in classes that were not published wait again, in a chain whose ticks form
    /// all of them again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits_again: bool,
    /// Objects that were rewritten without them.
    pub moved: Vec<Moved>,
    /// Published rows that the next release and all later ones leave out; null if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<ErasedRows>,
}

impl Erase {
    /// Whether the feed's knowledge about people is unchanged: all of them are published and stay
    /// known, and only their raw rows were deleted.
    pub fn leaves_state(&self) -> bool {
        self.erased == 0 && self.dissolved == 0 && self.rows.is_none()
    }
}

/// Published rows that the next release and all later ones leave out, in a chain of crowds: whole
/// atoms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErasedRows {
    /// The number of rows.
    pub rows: u64,
    /// The number of atoms: the rows of one label that came with one release count as one here.
    pub atoms: u64,
    /// The object that names them.
    pub named: Ref,
}

/// The operator's key was replaced: the keys of the feed were drawn anew and every object was
/// sealed under them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rekey {
    /// Who made the request.
    pub wanted: RequestOrigin,
    /// The number of objects.
    pub objects: u64,
}

/// A request in the inbox was refused; it cannot be made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// Who made the request.
    pub wanted: RequestOrigin,
    /// The command.
    pub command: String,
}
