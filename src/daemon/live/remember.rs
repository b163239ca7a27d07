//! The releases of the chain as they were published, for the gate: read back from the very bytes, each of the digest that
//! was decided.

use std::path::Path;

use super::state::{Line, State};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::journal::store::Store;
use crate::engine::gate::bytes;
use crate::engine::policy::ChainKind;
use crate::engine::release::{Layout, Sha256};

impl State {
    /// Reads what is not remembered yet.
    ///
    /// # Errors
    /// A table is missing, or not the one that was published.
    pub fn remember(&mut self, private: &dyn Store, public: &dyn Store) -> Result<()> {
        let policy = self.terms.policy()?;
        if policy.kind() == ChainKind::Disjoint {
            return Ok(());
        }
        let crowds = policy.publish_every().is_some();
        let missing: Vec<Line> = self.of_chain().skip(self.history.len()).cloned().collect();
        for line in missing {
            let aside = self.publishing.as_ref().filter(|pending| pending.release == line.release);
            let aside = aside.and_then(|pending| pending.files.first()).map(|file| file.stage.clone());
            let (path, sha256) = line.files.first().cloned().unwrap_or((String::new(), Sha256::of(b"")));
            let right = |data: &Vec<u8>| Sha256::of(data) == sha256;
            let data = match (public.read(&path)?.filter(right), aside) {
                // A foreign file may lie in its place; `leave` names it.
                (None, Some(stage)) => {
                    let data = private.read(&stage)?.filter(right);
                    Some(data.ok_or_else(|| staged(&stage))?)
                }
                (data, _) => data,
            };
            let data = data.ok_or_else(|| changed(public, &path))?;
            let read = if crowds { bytes::read_local } else { bytes::read };
            let (table, _) = read(&data, &self.terms.columns);
            let erased = self.for_the_gate(&line.erased)?;
            let known = self.feed.published().get(self.history.len()).filter(|_| self.history.erase(&erased));
            let pushed = table.zip(known).and_then(|(table, known)| self.history.push(table, &known.recoding).ok());
            pushed.ok_or_else(|| {
                let text = format!("release {} cannot be read back as it was published", line.release);
                Error::new(Kind::Internal, text)
            })?;
        }
        Ok(())
    }
}

/// The bytes of the files of a release that is visible, in their order; all are byte for byte as they were published.
///
/// # Errors
/// One of them is missing or was changed.
pub fn intact(public: &dyn Store, layout: Layout, line: &Line) -> Result<Vec<Vec<u8>>> {
    let manifest = line.manifest.map(|sha256| (layout.manifest(line.release), sha256));
    let right = |(path, sha256): (String, Sha256)| {
        let bytes = public.read(&path)?.filter(|bytes| Sha256::of(bytes) == sha256);
        bytes.ok_or_else(|| changed(public, &path))
    };
    line.files.iter().cloned().chain(manifest).map(right).collect()
}

/// What to say of a published file that is not as it was.
fn changed(public: &dyn Store, path: &str) -> Error {
    let text = "this published file is missing or was changed: put it back as it was published, every later release is \
                judged against it";
    Error::new(Kind::Input, text).in_file(&Path::new(&public.place()).join(path))
}

/// What to say of a table that is decided and not visible yet, when it is not as it was decided.
fn staged(stage: &str) -> Error {
    let text = "the table of a release that was decided is gone or was changed before it was published: put the private \
                root back from a backup that is newer";
    Error::new(Kind::Input, text).in_field(stage.to_owned())
}
