//! Removes rows of people who have one already from decoded messages, keeping the content of each.
//! If a message is one row, that is the message; otherwise the row is extracted as a message of its
//! own.

use super::messages::{Coded, Messages};
use super::streams;
use crate::engine::histogram::MisfitKind;
use crate::raw::SecretBytes;
use crate::repeats::Repeats;
use crate::row_batch::RowBatch;

impl Coded {
    /// Sets them aside; `messages` are those that were decoded.
    pub(super) fn sift(&mut self, messages: &Messages<'_>, repeats: &mut Repeats<'_>) {
        self.parts.iter_mut().for_each(|part| repeats.sift(part));
        let Some(rest) = self.rest.take() else { return };
        let mut rest = rest.into_iter();
        let mut all = Vec::new();
        let parts: Vec<&RowBatch> = self.parts.iter().filter(|part| part.rows > 0).collect();
        for parts in parts.chunk_by(|one, next| offset(one) == offset(next)) {
            let mut cut = cut(parts, messages).into_iter();
            for fault in parts.iter().flat_map(|part| &part.faults) {
                all.push(match fault.kind {
                    MisfitKind::Repeat => cut.next().flatten(),
                    _ => rest.next().flatten(),
                });
            }
        }
        self.rest = Some(all);
    }
}

/// The stored content of the repeats of a message.
fn cut(parts: &[&RowBatch], messages: &Messages<'_>) -> Vec<Option<SecretBytes>> {
    let (mut before, mut wanted) = (0, Vec::new());
    for part in parts {
        let repeats = part
            .faults
            .iter()
            .filter(|fault| fault.kind == MisfitKind::Repeat);
        wanted.extend(repeats.map(|fault| before + fault.row));
        before += part.rows as usize;
    }
    // It is read again once, and only if necessary.
    let read = (!wanted.is_empty()).then(|| content(messages, offset(parts[0])));
    read.and_then(|content| streams::cut(content, &wanted))
        .unwrap_or_default()
}

/// The offset of the message of some rows.
fn offset(part: &RowBatch) -> Option<u64> {
    part.faults
        .first()
        .and_then(|fault| fault.line)
        .or_else(|| part.lines.first().copied())
}

/// The content of the message at an offset.
fn content<'m>(messages: &Messages<'m>, offset: Option<u64>) -> &'m [u8] {
    let at = messages
        .all
        .binary_search_by_key(&offset, |(offset, _)| Some(*offset));
    at.ok()
        .and_then(|at| messages.all[at].1)
        .unwrap_or_default()
}
