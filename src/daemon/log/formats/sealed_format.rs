//! The formats of sealed objects. An object begins with the version of its format, so that a format
//! which this program does not know is refused by name.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCategory, Result};
use crate::wiped_bytes::WipedBytes;

/// The content of a sealed object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedFormat {
    /// Rows that were accepted (`seg/`).
    Rows,
    /// Messages that were set aside (`quarantine/`).
    SetAside,
    /// The places of people after a tick (`atoms/`).
    Atoms,
    /// The permanent record of a tick (`mask/`).
    AtomCounts,
    /// The masked values (`mask/`).
    Ledger,
    /// The members of published atoms (`members/`).
    Members,
    /// Published atoms that are erased (`members/`).
    ErasedAtoms,
    /// The seed of the coins of a tick that halves (`coins/`).
    CoinSeed,
    /// Policy, columns and taxonomies of a chain (`terms/`).
    Terms,
    /// The state of a feed after an entry (`checkpoint/`). It can be computed from the log again,
    /// so other versions of it are ignored.
    Checkpoint,
}

/// The facts about a format.
struct FormatFacts {
    /// The name of an object with this format.
    name: &'static str,
    /// The oldest version that is read.
    oldest: u32,
    /// The newest version that is read.
    newest: u32,
}

impl SealedFormat {
    /// All formats.
    pub const ALL: [SealedFormat; 10] = [
        SealedFormat::Rows,
        SealedFormat::SetAside,
        SealedFormat::Atoms,
        SealedFormat::AtomCounts,
        SealedFormat::Ledger,
        SealedFormat::Members,
        SealedFormat::ErasedAtoms,
        SealedFormat::CoinSeed,
        SealedFormat::Terms,
        SealedFormat::Checkpoint,
    ];

    fn facts(self) -> FormatFacts {
        let (name, oldest, newest) = match self {
            SealedFormat::Rows => ("the rows of a batch", 1, 1),
            SealedFormat::SetAside => ("messages that are set aside", 3, 3),
            SealedFormat::Atoms => ("the atoms of a tick", 8, 8),
            SealedFormat::AtomCounts => ("the counts of a tick", 8, 8),
            SealedFormat::Ledger => ("a masking ledger", 1, 1),
            SealedFormat::Members => ("the members of atoms", 1, 1),
            SealedFormat::ErasedAtoms => ("a list of erased atoms", 1, 1),
            SealedFormat::CoinSeed => ("the seed of a tick's coins", 1, 1),
            SealedFormat::Terms => ("the terms of a chain", 4, 4),
            SealedFormat::Checkpoint => ("a checkpoint", 29, 29),
        };
        FormatFacts {
            name,
            oldest,
            newest,
        }
    }

    /// The name of an object with this format.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The versions that this program reads.
    pub fn versions(self) -> std::ops::RangeInclusive<u32> {
        let FormatFacts { oldest, newest, .. } = self.facts();
        oldest..=newest
    }

    /// An object of the newest version as bytes, to be sealed.
    pub fn bytes(self, object: &impl Serialize) -> WipedBytes {
        self.bytes_within(0, object)
    }

    /// An object of the newest version as bytes, to be sealed, with memory for so many.
    pub fn bytes_within(self, capacity: usize, object: &impl Serialize) -> WipedBytes {
        written(
            (self.facts().newest, object),
            WipedBytes::with_capacity(capacity),
        )
    }

    /// The version of a sealed object, and the bytes after it.
    ///
    /// # Errors
    /// This program does not read that version.
    pub fn version(self, bytes: &[u8]) -> Result<(u32, &[u8])> {
        let FormatFacts {
            name,
            oldest,
            newest,
        } = self.facts();
        let (version, rest) =
            postcard::take_from_bytes::<u32>(bytes).map_err(|_| self.unreadable())?;
        let reads = if oldest == newest {
            format!("version {newest}")
        } else {
            format!("versions {oldest} to {newest}")
        };
        let refused = |why: &str| {
            let text = format!(
                "{name} in the private root: format version {version}. This version of tidegate reads {reads}: {why}"
            );
            Err(Error::new(ErrorCategory::Input, text))
        };
        match version {
            version if version > newest => refused("a newer tidegate wrote it; use that version"),
            version if version < oldest => refused("use the tidegate that wrote it"),
            version => Ok((version, rest)),
        }
    }

    /// An object from sealed bytes, if all versions are read in the same way.
    ///
    /// # Errors
    /// This program does not read its version.
    pub fn parse<'b, T: Deserialize<'b>>(self, bytes: &'b [u8]) -> Result<T> {
        let (_, content) = self.version(bytes)?;
        self.content(content)
    }

    /// The content after the version.
    ///
    /// # Errors
    /// It does not have the format of its version.
    pub fn content<'b, T: Deserialize<'b>>(self, content: &'b [u8]) -> Result<T> {
        match postcard::take_from_bytes(content) {
            Ok((object, [])) => Ok(object),
            _ => Err(self.unreadable()),
        }
    }

    /// The error for an object whose content does not fit its version.
    pub fn unreadable(self) -> Error {
        let text = format!(
            "{} in the private root cannot be read: another version of tidegate wrote it. Use that version",
            self.facts().name
        );
        Error::new(ErrorCategory::Input, text)
    }
}

fn written(object: impl Serialize, memory: WipedBytes) -> WipedBytes {
    postcard::to_io(&object, memory).expect("serialisation failed (this is a bug)")
}

#[cfg(test)]
mod tests {
    use super::SealedFormat;

    #[test]
    fn what_is_too_new_or_too_old_is_refused_by_its_name() {
        for format in SealedFormat::ALL {
            let name = format.facts().name;
            let (oldest, newest) = format.versions().into_inner();
            assert!(
                format
                    .version(&format.bytes(&7u32))
                    .is_ok_and(|(version, rest)| version == newest && rest == [7])
            );
            let newer = postcard::to_stdvec(&(newest + 1, 7u32)).expect("bytes");
            let text = format
                .parse::<u32>(&newer)
                .expect_err("it is too new")
                .to_string();
            assert!(
                text.contains(name) && text.contains("a newer tidegate wrote it"),
                "{text}"
            );
            assert!(text.contains(&format!("version {}", newest + 1)), "{text}");
            let older = postcard::to_stdvec(&(oldest - 1, 7u32)).expect("bytes");
            let text = format
                .parse::<u32>(&older)
                .expect_err("it is too old")
                .to_string();
            assert!(
                text.contains(name) && text.contains("use the tidegate that wrote it"),
                "{text}"
            );
            assert!(format.parse::<u64>(&format.bytes(&"text")).is_err());
            assert!(format.version(&[]).is_err());
        }
    }
}
