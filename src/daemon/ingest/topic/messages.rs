//! Messages as rows: each is one JSON object and nothing else, however its lines are broken. One without content is a
//! tombstone, and one of a stream of changes may say that a record is gone: what becomes of those is said by the feed file,
//! and never follows from how they decode.

use std::sync::Arc;

use crate::daemon::config::Unwanted as Said;
use crate::daemon::ingest::json::{Walk, read};
use crate::daemon::ingest::lines::{LONGEST, NO_OBJECT, marked};
use crate::daemon::ingest::part::{Coder, Part};
use crate::daemon::ingest::paths::Paths;
use crate::engine::histogram::MisfitKind;

/// What becomes of messages that are no rows by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwanted {
    /// Of one without content.
    pub tombstones: Said,
    /// Of one that says that a record is gone.
    pub deletes: Said,
}

impl Unwanted {
    /// They are set aside.
    pub const SET_ASIDE: Unwanted = Unwanted { tombstones: Said::Quarantine, deletes: Said::Quarantine };
}

/// Messages of a topic in order: their offsets, and what they hold.
pub struct Messages<'m> {
    /// One after the other.
    pub all: Vec<(u64, Option<&'m [u8]>)>,
}

/// The rows of some messages.
pub struct Coded {
    /// The rows, in order; what is passed over is none.
    pub part: Part,
    /// How many are passed over.
    pub skipped: u64,
    /// The offset of the first message that may not come at all, and what it is.
    pub halt: Option<(u64, MisfitKind)>,
}

/// What a message is before it is decoded.
enum Is {
    Row,
    Skipped,
    Refused(MisfitKind),
    Halt(MisfitKind),
}

impl Messages<'_> {
    /// The rows as codes. The offset of a row that does not count is told as its line.
    pub fn code(&self, coder: &Coder<'_>, paths: &Arc<Paths>, unwanted: Unwanted) -> Coded {
        let fields = coder.fields().len();
        let mut rows = coder.rows(read);
        let mut walk = Walk::new(paths, fields + Paths::MARKS);
        let (mut skipped, mut halt) = (0, None);
        for (offset, content) in &self.all {
            let is = match content {
                None => unwanted.of_tombstone(),
                Some(content) if content.len() > LONGEST => Is::Refused(MisfitKind::LongRow),
                Some(content) => {
                    let marked;
                    let text = match std::str::from_utf8(content) {
                        Ok(text) => text,
                        Err(_) => {
                            marked = self::marked(content).unwrap_or_else(|| NO_OBJECT.to_owned());
                            &marked
                        }
                    };
                    walk.object(text, |found| match found {
                        None => Is::Refused(MisfitKind::NoMessage),
                        Some(found) if Paths::is_delete(&found[fields..]) => unwanted.of_delete(),
                        Some(found) => {
                            rows.add(*offset, &found[..fields]);
                            Is::Row
                        }
                    })
                }
            };
            match is {
                Is::Row => {}
                Is::Skipped => skipped += 1,
                Is::Refused(kind) => rows.refuse(*offset, kind),
                Is::Halt(kind) => {
                    halt = Some((*offset, kind));
                    break;
                }
            }
        }
        Coded { part: rows.finish(), skipped, halt }
    }
}

impl Unwanted {
    fn of_tombstone(self) -> Is {
        Is::of(self.tombstones, MisfitKind::Tombstone)
    }

    fn of_delete(self) -> Is {
        Is::of(self.deletes, MisfitKind::Delete)
    }
}

impl Is {
    fn of(said: Said, kind: MisfitKind) -> Is {
        match said {
            Said::Skip => Is::Skipped,
            Said::Quarantine => Is::Refused(kind),
            Said::Halt => Is::Halt(kind),
        }
    }
}
