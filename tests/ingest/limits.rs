//! Every input has limits (HOUSE 4, Limits): an input exactly at the limit is read, one beyond it
//! is refused with its place, with what to do, and never with a value.

mod arrow;
mod checkpoint;
mod feed_file;
mod parquet;
mod samples;
mod taxonomies;
mod values;

use std::path::{Path, PathBuf};

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::error::{Error, ErrorCategory};
use tidegate::daemon::ingest::{BadRows, DecodedFile, PersonHasher, decode};

const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"A\", \"B\"] }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }
}

fn rows(path: &Path) -> Result<DecodedFile, Error> {
    let columns = FeedConfig::parse(FEED, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    decode(
        path,
        &columns,
        &PersonHasher::new(&[7; 32]),
        BadRows::Refused("outside"),
        &mut |_| {},
    )
}

/// Checks that an error names this file and column and contains these words.
fn refused(error: &Error, kind: ErrorCategory, file: &Path, field: Option<&str>, text: &str) {
    assert_eq!(
        (error.kind, error.file.as_deref(), error.field.as_deref()),
        (kind, Some(file), field),
        "{error:?}"
    );
    assert!(error.text.contains(text), "{text}: {}", error.text);
}
