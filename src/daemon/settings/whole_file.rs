//! Files that are read as a whole and are not secret: hierarchies, manifests, verdicts, lists. Each
//! kind has a size limit (HOUSE 4, Limits), so that none can fill the memory. Pipes are read like
//! files, up to the same limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::{Error, ErrorCategory, Result};

/// Bytes of a hierarchy of a taxonomy, or of a list of codes.
pub const HIERARCHY: u64 = 256 << 20;
/// Bytes of a manifest. It names every file of a table that grows, some 200 bytes for each.
pub const MANIFEST: u64 = 64 << 20;
/// Bytes of the verdict on a tick.
pub const VERDICT: u64 = 64 << 20;
/// Bytes of a list of people to be erased.
pub const ERASURE: u64 = 64 << 20;
/// Bytes of a table of published sums, and of a hierarchy of its codes.
pub const SUMS: u64 = 256 << 20;
/// Bytes of the order in which classes were formed.
pub const FORMATION: u64 = 256 << 20;

/// The bytes of a file; the error says with `doing` what it was read for and with `kind` who has to
/// act.
///
/// # Errors
/// It cannot be read, or is larger than `most` bytes.
pub fn bytes(file: &Path, doing: &str, kind: ErrorCategory, most: u64) -> Result<Vec<u8>> {
    let opened = File::open(file).map_err(|error| Error::io(file, doing, &error))?;
    all(opened, file, doing, kind, most)
}

/// The bytes of a reader that is already open, as those of a file of this name.
///
/// # Errors
/// As for [`bytes()`].
pub fn all(
    from: impl Read,
    file: &Path,
    doing: &str,
    kind: ErrorCategory,
    most: u64,
) -> Result<Vec<u8>> {
    let mut found = Vec::new();
    from.take(most + 1)
        .read_to_end(&mut found)
        .map_err(|error| Error::io(file, doing, &error))?;
    if found.len() as u64 <= most {
        return Ok(found);
    }
    let text = format!(
        "larger than the limit of {}: name the right file, or split this one",
        size(most)
    );
    Err(Error::new(kind, text).in_file(file))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{bytes} bytes"),
        _ => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("list.csv");
        for (size, fits) in [(0, true), (1 << 20, true), ((1 << 20) + 1, false)] {
            fs::write(&file, vec![b'x'; size]).expect("a file");
            let read = bytes(&file, "read the list", ErrorCategory::Input, 1 << 20);
            assert_eq!(read.as_ref().map(Vec::len).ok(), fits.then_some(size));
            if let Err(error) = read {
                assert_eq!(
                    (error.kind, error.file.as_deref()),
                    (ErrorCategory::Input, Some(&*file))
                );
                assert!(
                    error.text.contains("larger than the limit of 1 MiB"),
                    "{}",
                    error.text
                );
            }
        }
        // An endless file is read only up to the limit.
        let endless = bytes(
            Path::new("/dev/zero"),
            "read the list",
            ErrorCategory::Input,
            HIERARCHY >> 6,
        );
        assert!(
            endless
                .expect_err("a limit")
                .text
                .contains("larger than the limit of 4 MiB")
        );
    }
}
