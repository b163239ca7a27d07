//! Whether a published file is still needed.

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;

impl FeedState {
    /// Whether a release needs one of its files, or if that is a part of a table, whether any
    /// visible release or the newest table of a chain needs it. [`FeedState::needed_files`] lists
    /// the files that some release needs.
    pub fn needs_file(&self, line: &DecidedRelease, path: &str) -> bool {
        let parts = self
            .tables
            .iter()
            .flat_map(|(id, table)| table.parts().iter().map(move |part| (id.chain, part)));
        let mut parts = parts
            .filter(|(_, part)| part.line.file.path == path)
            .peekable();
        if parts.peek().is_none() {
            return line.is_visible();
        }
        let is_seen = |chain: u32, line: &DecidedRelease| line.is_visible() && line.chain == chain;
        parts.any(|(chain, part)| {
            let mut lines = self.releases.iter();
            part.until.is_none()
                || lines.any(|line| is_seen(chain, line) && part.is_in(line.release))
        })
    }
}
