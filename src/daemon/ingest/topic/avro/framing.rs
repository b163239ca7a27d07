//! How a message names its schema: the framing of Confluent's registry, before the record or beside it in a header. It looks
//! at the first bytes of a message only.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a registry knows a schema by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SchemaKey {
    /// A number.
    Id(u32),
    /// A number that is the same in all registries.
    Guid([u8; 16]),
}

/// What a message names, and the record behind it; `None` when it names nothing.
pub fn framed(message: &[u8]) -> Option<(SchemaKey, &[u8])> {
    match message.split_first()? {
        (0, rest) => {
            let (id, record) = rest.split_first_chunk()?;
            Some((SchemaKey::Id(u32::from_be_bytes(*id)), record))
        }
        (1, rest) => {
            let (guid, record) = rest.split_first_chunk()?;
            Some((SchemaKey::Guid(*guid), record))
        }
        _ => None,
    }
}

/// The header that names the schema of a message. One that names that of its key is nothing to us.
const HEADER: &str = "__value_schema_id";
/// Begins no framing.
const NOTHING: &[u8] = &[0xff];

/// What names the schema of a record beside it, as it would stand before it; empty where that is left to the record itself.
/// The last header counts, and it counts before anything in the record, as for Confluent's own readers. One that names
/// nothing is not passed over: the record would be read by what is no name in it.
pub fn beside<'m>(headers: impl Iterator<Item = (&'m str, Option<&'m [u8]>)>) -> &'m [u8] {
    let last = headers.filter(|(key, _)| *key == HEADER).last();
    match last.and_then(|(_, value)| value) {
        None => &[],
        Some(name) if framed(name).is_some_and(|(_, rest)| rest.is_empty()) => name,
        Some(_) => NOTHING,
    }
}

/// As a registry's address ends.
impl fmt::Display for SchemaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guid = match self {
            SchemaKey::Id(id) => return write!(f, "ids/{id}"),
            SchemaKey::Guid(guid) => guid,
        };
        f.write_str("guids/")?;
        for (at, byte) in guid.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}
