//! Errors that a program could have, made at its border: a change that it leaves out, an answer
//! that it ignores. Each must be found by an invariant, or the invariants show nothing.

use tidegate::daemon::journal::store::log;
use tidegate::daemon::journal::{Entry, EntryBody};

use super::nature::Side;
use super::stores::Change;

/// A program with an error.
pub struct Mutant {
    pub name: &'static str,
    /// Whether it leaves out a change that it should make.
    pub leaves_out: fn(Side, &Change) -> bool,
    /// It uses a name that another process was given.
    pub takes_names: bool,
    /// It skips the first message that it reads.
    pub passes_over: bool,
}

const fn leaving_out(name: &'static str, leaves_out: fn(Side, &Change) -> bool) -> Mutant {
    Mutant {
        name,
        leaves_out,
        takes_names: false,
        passes_over: false,
    }
}

fn creates(side: Side, change: &Change, at: Side, below: &str) -> bool {
    matches!(change, Change::Create(path, _) if side == at && path.starts_with(below))
}

fn deletes(side: Side, change: &Change, at: Side, below: &str) -> bool {
    matches!(change, Change::Delete(path) if side == at && path.starts_with(below))
}

fn appends(change: &Change, kind: fn(&EntryBody) -> bool) -> bool {
    let Change::Create(path, bytes) = change else {
        return false;
    };
    log::place(path).is_some() && Entry::unproven(bytes).is_ok_and(|entry| kind(&entry.body))
}

pub static MUTANTS: &[Mutant] = &[
    leaving_out("begins without a fence", |_, change| {
        appends(change, |body| matches!(body, EntryBody::Fence(_)))
    }),
    leaving_out("publishes without a decision", |_, change| {
        appends(change, |body| matches!(body, EntryBody::Decision(_)))
    }),
    leaving_out("takes in without an entry", |_, change| {
        appends(change, |body| matches!(body, EntryBody::Ingest(_)))
    }),
    leaving_out("forgets without an entry", |_, change| {
        appends(change, |body| matches!(body, EntryBody::Forgotten(_)))
    }),
    leaving_out("erases without an entry", |_, change| {
        appends(change, |body| matches!(body, EntryBody::Erase(_)))
    }),
    leaving_out("names rows that were never put", |side, change| {
        creates(side, change, Side::Private, "seg/")
    }),
    leaving_out("names counts that were never put", |side, change| {
        creates(side, change, Side::Private, "atoms/")
    }),
    leaving_out("seals under a key that was never put", |side, change| {
        creates(side, change, Side::Private, "keys/")
            && change.path().len() > "keys/0000000001/00000000000000000001.wrap".len()
    }),
    leaving_out("empties places whose pack was never put", |side, change| {
        creates(side, change, Side::Private, "pack/")
    }),
    leaving_out("leaves what was staged", |side, change| {
        deletes(side, change, Side::Private, "stage/")
    }),
    leaving_out("shows a manifest before its table", |side, change| {
        creates(side, change, Side::Public, "data/")
    }),
    leaving_out("shows a manifest before its report", |side, change| {
        creates(side, change, Side::Public, "report/")
    }),
    leaving_out("shows a manifest before its signature", |side, change| {
        creates(side, change, Side::Public, "manifest/") && change.path().ends_with(".sig")
    }),
    leaving_out("leaves a manifest that is withdrawn", |side, change| {
        deletes(side, change, Side::Public, "manifest/")
    }),
    Mutant {
        takes_names: true,
        ..leaving_out("takes the place of another entry", |_, _| false)
    },
    Mutant {
        passes_over: true,
        ..leaving_out("passes over a message", |_, _| false)
    },
];
