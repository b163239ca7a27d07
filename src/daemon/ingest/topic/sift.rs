//! Rows of people who have one already are taken out of what was decoded, with what is kept of each. Where a message is one
//! row it is the message; of others a row is cut out as a message of its own.

use super::messages::{Coded, Messages};
use super::streams;
use crate::daemon::ingest::repeats::Repeats;
use crate::engine::histogram::MisfitKind;

impl Coded {
    /// Sets them aside; these are the messages that were decoded.
    pub fn sift(&mut self, messages: &Messages<'_>, repeats: &mut Repeats<'_>) {
        self.parts.iter_mut().for_each(|part| repeats.sift(part));
        let Some(rest) = self.rest.take() else { return };
        let mut rest = rest.into_iter();
        let mut all = Vec::new();
        // The message that the part before was of, and the rows that it had so far.
        let (mut message, mut before) = (None, 0);
        for part in self.parts.iter().filter(|part| part.rows > 0) {
            let offset = part.faults.first().and_then(|fault| fault.line).or_else(|| part.lines.first().copied());
            if message != offset {
                (message, before) = (offset, 0);
            }
            for fault in &part.faults {
                all.push(match fault.kind {
                    MisfitKind::Repeat => streams::row(content(messages, fault.line), before + fault.row),
                    _ => rest.next().flatten(),
                });
            }
            before += part.rows as usize;
        }
        self.rest = Some(all);
    }
}

/// What the message at an offset holds.
fn content<'m>(messages: &Messages<'m>, offset: Option<u64>) -> &'m [u8] {
    let at = messages.all.binary_search_by_key(&offset, |(offset, _)| Some(*offset));
    at.ok().and_then(|at| messages.all[at].1).unwrap_or_default()
}
