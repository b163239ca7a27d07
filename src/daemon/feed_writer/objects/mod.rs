//! What the sealed objects of a feed say: rows, atoms, counts, members, ledgers, terms, verdicts, and values in pieces.

pub(super) mod aggregates;
pub(super) mod atoms;
pub(super) mod erased;
pub(super) mod in_json;
pub(super) mod ledger;
pub(super) mod members;
pub(super) mod pieces;
pub(super) mod reading;
pub(super) mod record;
pub(super) mod row_columns;
pub(super) mod terms_object;
