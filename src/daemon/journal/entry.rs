//! One entry of the log (HOUSE 3): its place, who wrote it, the digest of the one before, what happened, and a code that
//! only the key can make. One entry has one spelling.
//!
//! It holds counts, digests and names of objects, never what a person's record says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ring::KeyRing;
use super::store::log;
use crate::daemon::formats::EntryBody;
use crate::engine::release::Sha256;

/// An entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its place in the log, from 0.
    pub seq: u64,
    /// The epoch of its writer; each writer begins a new one.
    pub epoch: u64,
    /// Who wrote it: a name drawn by each process. A process that begins again under its name has a new epoch all the same.
    pub writer: String,
    /// The digest of the entry before; null for the first.
    pub prev_sha256: Option<Sha256>,
    /// What happened.
    #[serde(flatten)]
    pub body: EntryBody,
    /// HMAC-SHA256 over the entry with an empty signature, under a key of the feed.
    pub signature: String,
}

/// What stands behind the code, which is the last field.
const END: &[u8] = b"\"}\n";
/// Characters of the code.
const CODE: usize = 64;

/// Bytes that are no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// Not the keys and types of one.
    #[error("it is not an entry that this version can read")]
    Form,
    /// The right content in a wrong spelling.
    #[error("it is not spelled as entries are")]
    Spelling,
    /// The key of this feed has signed it, and it says what this program does not know.
    #[error("a newer version of tidegate wrote it: use that one")]
    Newer,
    /// The code is not the one that the key gives.
    #[error("it was not written with the key of this feed, or was changed")]
    Signature,
}

impl Entry {
    /// What is written: the one spelling, signed.
    pub fn signed(mut self, ring: &KeyRing) -> Vec<u8> {
        self.signature.clear();
        let mut bytes = self.bytes();
        let code = ring.sign(&bytes);
        bytes.truncate(bytes.len() - END.len());
        bytes.extend([code.as_bytes(), END].concat());
        bytes
    }

    /// The one spelling.
    ///
    /// # Panics
    /// Never: an entry is JSON.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("an entry is JSON");
        bytes.push(b'\n');
        bytes
    }

    /// Reads what [`Entry::bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are no entry, or none of this feed.
    pub fn parse(bytes: &[u8], ring: &KeyRing) -> Result<Entry, NoEntry> {
        match (Entry::unproven(bytes), is_signed(bytes, ring)) {
            (Ok(entry), true) => Ok(entry),
            (Ok(_), false) => Err(NoEntry::Signature),
            (Err(_), true) => Err(NoEntry::Newer),
            (Err(none), false) => Err(none),
        }
    }

    /// Reads an entry without the key: its form, not who wrote it.
    ///
    /// # Errors
    /// The bytes are no entry.
    pub fn unproven(bytes: &[u8]) -> Result<Entry, NoEntry> {
        let entry: Entry = serde_json::from_slice(bytes).map_err(|_| NoEntry::Form)?;
        if entry.bytes() == bytes { Ok(entry) } else { Err(NoEntry::Spelling) }
    }

    /// Where an entry lies.
    pub fn path(seq: u64) -> String {
        log::path(seq)
    }
}

/// Whether these bytes end with the code that the key gives for the rest of them, whatever they say.
fn is_signed(bytes: &[u8], ring: &KeyRing) -> bool {
    let rest = bytes.strip_suffix(END).and_then(|rest| rest.split_last_chunk::<CODE>());
    // Both are public to every reader of the file; nothing is learnt from how long the comparison takes.
    rest.is_some_and(|(start, code)| ring.sign(&[start, END].concat()).as_bytes() == code)
}

#[cfg(test)]
mod tests {
    use super::{Entry, NoEntry};
    use crate::daemon::chance::SystemChance;
    use crate::daemon::journal::{EntryBody, Fence, KeyRing};
    use crate::daemon::seal::OperatorKey;

    #[test]
    fn an_entry_is_as_it_was_signed() {
        let key = OperatorKey::parse(&"0123456789abcdef".repeat(4)).expect("a key");
        let ring = KeyRing::draw(&key, &mut SystemChance).expect("random bytes");
        let body = EntryBody::Fence(Fence { time: "2026-01-01T00:00:00Z".into(), program: "0".into() });
        let entry = Entry { seq: 0, epoch: 1, writer: "w".into(), prev_sha256: None, body, signature: String::new() };
        let bytes = entry.clone().signed(&ring);
        let read = Entry::parse(&bytes, &ring).expect("an entry");
        assert_eq!((read.bytes(), &read.body), (bytes.clone(), &entry.body));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(Entry::parse(&other, &ring).is_err(), "byte {at}");
        }
        for code in ["", "\"", "\\", "\u{0}", "\"}\n", &"0".repeat(64)] {
            let other = Entry { signature: code.into(), ..entry.clone() };
            assert_eq!(Entry::parse(&other.bytes(), &ring), Err(NoEntry::Signature));
        }
        // What a later version may add: a field of an entry, a kind of entry.
        let bytes = String::from_utf8(bytes).expect("text");
        for (old, new) in [("\"program\":", "\"built\":1,\"program\":"), ("\"Fence\"", "\"Wall\"")] {
            let unsigned = bytes.replace(old, new).replace(&read.signature, "");
            let code = ring.sign(unsigned.as_bytes());
            let newer = unsigned.replace("\"signature\":\"", &format!("\"signature\":\"{code}"));
            assert_eq!(Entry::parse(newer.as_bytes(), &ring), Err(NoEntry::Newer), "{new}");
            let damaged = newer.replace(&code, &read.signature);
            assert_ne!(Entry::parse(damaged.as_bytes(), &ring), Err(NoEntry::Newer), "{new}");
        }
        let bytes = bytes.into_bytes();
        let stranger = KeyRing::draw(&key, &mut SystemChance).expect("random bytes");
        assert_eq!(Entry::parse(&bytes, &stranger), Err(NoEntry::Signature));
    }
}
