//! An entry of the log (HOUSE 3): its number, its writer, the digest of the previous entry, the
//! event, and a code that only the holder of the key can compute. One entry has one spelling.
//!
//! It contains counts, digests and names of objects, never the content of a person's record.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ring::KeyRing;
use super::store::log;
use crate::engine::release::Sha256;
use crate::formats::EntryBody;

/// An entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its number in the log, from 0.
    pub seq: u64,
    /// The epoch of its writer; each writer begins a new one.
    pub epoch: u64,
    /// The name of the writer, drawn by each process. A process that starts again under its name
    /// still has a new epoch.
    pub writer: String,
    /// The digest of the previous entry; null for the first.
    pub prev_sha256: Option<Sha256>,
    /// The event.
    #[serde(flatten)]
    pub body: EntryBody,
    /// HMAC-SHA256 over the entry with an empty signature, under a key of the feed.
    pub signature: String,
}

/// The bytes after the code, which is the last field.
const END: &[u8] = b"\"}\n";
/// The number of characters of the code.
const CODE: usize = 64;

/// Why bytes are no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// The keys or types are wrong.
    #[error("this version cannot read this entry")]
    Form,
    /// The content is right, but its spelling is not canonical.
    #[error("its spelling is not that of an entry")]
    Spelling,
    /// It is signed with the key of this feed, but has content that this program does not know.
    #[error("a newer version of tidegate wrote it: use that version")]
    Newer,
    /// The code is wrong.
    #[error("it was not written with the key of this feed, or was changed")]
    Signature,
}

impl Entry {
    /// The signed canonical bytes.
    pub fn signed(mut self, ring: &KeyRing) -> Vec<u8> {
        self.signature.clear();
        let mut bytes = self.bytes();
        let code = ring.sign(&bytes);
        bytes.truncate(bytes.len() - END.len());
        bytes.extend([code.as_bytes(), END].concat());
        bytes
    }

    /// The canonical bytes.
    ///
    /// # Panics
    /// Never: an entry is JSON.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("serialisation failed (this is a bug)");
        bytes.push(b'\n');
        bytes
    }

    /// Reads the output of [`Entry::signed`]. The code of an entry of an earlier generation of keys
    /// is not checked: the digest that this generation knows proves it, with all entries before it
    /// ([`KeyRing::fits`]).
    ///
    /// # Errors
    /// The bytes are no entry of this feed.
    pub fn parse(bytes: &[u8], ring: &KeyRing) -> Result<Entry, NoEntry> {
        let read = Entry::unproven(bytes);
        if read.as_ref().is_ok_and(|entry| ring.is_proved(entry.seq)) {
            return read;
        }
        match (read, is_signed(bytes, ring)) {
            (Ok(entry), true) => Ok(entry),
            (Ok(_), false) => Err(NoEntry::Signature),
            (Err(_), true) => Err(NoEntry::Newer),
            (Err(none), false) => Err(none),
        }
    }

    /// Reads an entry without the key: its form, not its origin.
    ///
    /// # Errors
    /// The bytes are no entry.
    pub fn unproven(bytes: &[u8]) -> Result<Entry, NoEntry> {
        let entry: Entry = serde_json::from_slice(bytes).map_err(|_| NoEntry::Form)?;
        if entry.bytes() == bytes {
            Ok(entry)
        } else {
            Err(NoEntry::Spelling)
        }
    }

    /// The path of an entry.
    pub fn path(seq: u64) -> String {
        log::path(seq)
    }
}

/// Whether these bytes end with the right code for the rest of them, whatever their content is.
fn is_signed(bytes: &[u8], ring: &KeyRing) -> bool {
    let rest = bytes
        .strip_suffix(END)
        .and_then(|rest| rest.split_last_chunk::<CODE>());
    // Both are visible to every reader of the file, so a timing attack on the comparison reveals
    // nothing.
    rest.is_some_and(|(start, code)| ring.sign(&[start, END].concat()).as_bytes() == code)
}

#[cfg(test)]
mod tests {
    use super::{Entry, NoEntry};
    use crate::chance::SystemChance;
    use crate::journal::{EntryBody, Fence, KeyRing};
    use crate::seal::OperatorKey;

    #[test]
    fn an_entry_is_as_it_was_signed() {
        let key = OperatorKey::parse(&"0123456789abcdef".repeat(4)).expect("a key");
        let ring = KeyRing::draw(&key, "feed", &mut SystemChance).expect("random bytes");
        let body = EntryBody::Fence(Fence {
            time: "2026-01-01T00:00:00Z".into(),
            program: "0".into(),
        });
        let entry = Entry {
            seq: 0,
            epoch: 1,
            writer: "w".into(),
            prev_sha256: None,
            body,
            signature: String::new(),
        };
        let bytes = entry.clone().signed(&ring);
        let read = Entry::parse(&bytes, &ring).expect("an entry");
        assert_eq!((read.bytes(), &read.body), (bytes.clone(), &entry.body));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(Entry::parse(&other, &ring).is_err(), "byte {at}");
        }
        for code in ["", "\"", "\\", "\u{0}", "\"}\n", &"0".repeat(64)] {
            let other = Entry {
                signature: code.into(),
                ..entry.clone()
            };
            assert_eq!(Entry::parse(&other.bytes(), &ring), Err(NoEntry::Signature));
        }
        // Possible additions of a later version: a field of an entry, a kind of entry.
        let bytes = String::from_utf8(bytes).expect("text");
        for (old, new) in [
            ("\"program\":", "\"built\":1,\"program\":"),
            ("\"Fence\"", "\"Wall\""),
        ] {
            let unsigned = bytes.replace(old, new).replace(&read.signature, "");
            let code = ring.sign(unsigned.as_bytes());
            let newer = unsigned.replace("\"signature\":\"", &format!("\"signature\":\"{code}"));
            assert_eq!(
                Entry::parse(newer.as_bytes(), &ring),
                Err(NoEntry::Newer),
                "{new}"
            );
            let damaged = newer.replace(&code, &read.signature);
            assert_ne!(
                Entry::parse(damaged.as_bytes(), &ring),
                Err(NoEntry::Newer),
                "{new}"
            );
        }
        let bytes = bytes.into_bytes();
        let stranger = KeyRing::draw(&key, "feed", &mut SystemChance).expect("random bytes");
        assert_eq!(Entry::parse(&bytes, &stranger), Err(NoEntry::Signature));
    }
}
