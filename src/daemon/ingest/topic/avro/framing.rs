//! How a message names its schema: the framing of Confluent's registry, before the record or in a
//! header. It only examines the first bytes of a message.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The key of a schema in a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SchemaKey {
    /// A number.
    Id(u32),
    /// A number that is equal in all registries.
    Guid([u8; 16]),
}

/// The schema key of a message, and the record after it; `None` if there is none.
pub(crate) fn framed(message: &[u8]) -> Option<(SchemaKey, &[u8])> {
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

/// The header that names the schema of a message. The one that names the schema of its key is
/// ignored.
const HEADER: &str = "__value_schema_id";
/// A prefix that is no framing.
const NOTHING: &[u8] = &[0xff];

/// The schema key of a record in its headers, in the form of a prefix; empty if only the record
/// itself can name it. The last header counts, and it takes precedence over the record, as in
/// Confluent's own readers. A header with an invalid name is not ignored: otherwise the record
/// would be read with a wrong schema.
pub fn beside<'m>(headers: impl Iterator<Item = (&'m str, Option<&'m [u8]>)>) -> &'m [u8] {
    let last = headers.filter(|(key, _)| *key == HEADER).last();
    match last.and_then(|(_, value)| value) {
        None => &[],
        Some(name) if framed(name).is_some_and(|(_, rest)| rest.is_empty()) => name,
        Some(_) => NOTHING,
    }
}

/// In the form of the end of a registry's address.
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
