//! The named places in the life of a feed: an object of a root gets its name, or loses it.
//! `named_points.rs` finds steps of the program that have no line here, and lines that are never
//! reached.

use super::scenes::*;
use super::shimmed_program::{Call, Call::*, Done};

/// A place in the life of a feed.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Its name.
    pub name: &'static str,
    /// The call that gives or removes the object's name.
    pub call: Call,
    /// The path of the object; `*` matches anything.
    pub path: &'static str,
    /// The kind of an entry, and the outcome of a decision; `-` for all others.
    pub word: &'static str,
    /// The scene in which the program is killed there.
    pub scene: &'static str,
    /// Counts how often the place was reached.
    pub nth: u64,
}

impl Point {
    /// Whether a step was this one.
    pub fn is(&self, done: &Done) -> bool {
        self.call == done.call
            && (self.word == "-" || self.word == done.word)
            && fits(self.path, &done.path)
    }
}

/// The name of a step; None if it has none.
pub fn name(done: &Done) -> Option<&'static str> {
    POINTS
        .iter()
        .find(|point| point.is(done))
        .map(|point| point.name)
}

fn fits(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((before, rest)) => path.strip_prefix(before).is_some_and(|path| {
            (0..=path.len()).any(|at| path.is_char_boundary(at) && fits(rest, &path[at..]))
        }),
    }
}

const fn point(
    name: &'static str,
    call: Call,
    path: &'static str,
    word: &'static str,
    scene: &'static str,
) -> Point {
    Point {
        name,
        call,
        path,
        word,
        scene,
        nth: 1,
    }
}

/// An entry of the log.
const fn entry(name: &'static str, word: &'static str, scene: &'static str) -> Point {
    point(name, Link, "private/log/*", word, scene)
}

/// An object that is created.
const fn made(name: &'static str, path: &'static str, scene: &'static str) -> Point {
    point(name, Link, path, "-", scene)
}

/// An object that is removed.
const fn gone(name: &'static str, path: &'static str, scene: &'static str) -> Point {
    point(name, Unlink, path, "-", scene)
}

/// All of them. If two match, the first one counts.
pub const POINTS: &[Point] = &[
    made("the format", "private/FORMAT", BEGINS),
    made(
        "the feed's key",
        "private/keys/0000000000/feed.wrap",
        BEGINS,
    ),
    made(
        "the feed's key under another key",
        "private/keys/*/feed.wrap",
        REKEYS,
    ),
    made("a key under another key", "private/keys/*.*.wrap", REKEYS),
    made(
        "the key of a checkpoint",
        "private/keys/*/000000000000*.wrap",
        GROWS,
    ),
    made("a key", "private/keys/*.wrap", BEGINS),
    // Entries.
    entry("the first fence", "Fence", BEGINS),
    entry("the first chain", "Chain", BEGINS),
    entry("the feed file", "Config", BEGINS),
    entry("rows taken in", "Ingest", BEGINS),
    entry("a tick closed", "Closed", BEGINS),
    entry("its counts", "Masked", BEGINS),
    entry("a decision to publish", "Decision:publish", BEGINS),
    entry("a release that is visible", "Published", BEGINS),
    entry("a later fence", "Fence", GROWS),
    entry("new leaves", "Config", RETRIES),
    entry("a retry", "Retry", RETRIES),
    entry("an erasure", "Erase", ERASES),
    entry("a decision to hold", "Decision:hold", HOLDS),
    entry("an approval", "Approve", APPROVES),
    entry("a person's rejection", "Decision:reject", REJECTS),
    entry("a new chain", "Chain", NEW_CHAIN),
    entry("the gate's rejection", "Decision:reject", REFUSED),
    entry("another key", "Rekey", REKEYS),
    entry("a request is refused", "Refused", ASKED_IN_VAIN),
    // Packs.
    made("a pack of entries", "private/pack/log/*", GROWS),
    gone("an entry that lies in a pack", "private/log/*", GROWS),
    made("a pack of keys", "private/pack/*-keys/*", PACKS),
    made("a pack", "private/pack/*", PACKS),
    gone("the key of what lies in a pack", "private/keys/*", PACKS),
    gone("counts that lie in a pack", "private/mask/*", PACKS),
    gone(
        "a pack of entries that is joined with others",
        "private/pack/log/*",
        GROWS_ON,
    ),
    gone(
        "a pack of keys that is joined with others",
        "private/pack/*-keys/*",
        PACKS_ON,
    ),
    gone(
        "a pack that is joined with others",
        "private/pack/*",
        PACKS_ON,
    ),
    made(
        "a pack without a person who was erased",
        "private/pack/passing/*",
        PACKS_ERASED,
    ),
    gone(
        "a pack with a person who was erased",
        "private/pack/passing/*",
        PACKS_ERASED,
    ),
    gone(
        "a pack of keys with that of a person who was erased",
        "private/pack/passing-keys/*",
        PACKS_ERASED,
    ),
    // Sealed objects.
    made("terms", "private/terms/*", BEGINS),
    made("a segment under another key", "private/seg/*.*", REKEYS),
    made("a segment", "private/seg/*", BEGINS),
    made("quarantine", "private/quarantine/*", BEGINS),
    made("atoms", "private/atoms/*", BEGINS),
    made("counts", "private/mask/*", BEGINS),
    made("a verdict", "private/verdict/*", BEGINS),
    made("a checkpoint", "private/checkpoint/*", GROWS),
    // Files of a candidate.
    made("a staged table", "private/stage/*.parquet", BEGINS),
    made("a staged taxonomy", "private/stage/*-taxonomy.json", BEGINS),
    made("a staged report", "private/stage/*-report.html", BEGINS),
    made("a staged manifest", "private/stage/*-manifest.json", BEGINS),
    point("what the time is", Rename, "private/clock", "-", BEGINS),
    point(
        "when everything was checked",
        Rename,
        "private/scrubbed",
        "-",
        BEGINS,
    ),
    // Public files.
    made(
        "a commit of a Delta log",
        "public/data/*/_delta_log/*.json",
        CROWDS,
    ),
    made(
        "a checkpoint of a Delta log",
        "public/data/*/_delta_log/*.checkpoint.parquet",
        CROWDS_LEAVE,
    ),
    point(
        "the newest checkpoint",
        Rename,
        "public/data/*/_delta_log/_last_checkpoint",
        "-",
        CROWDS_LEAVE,
    ),
    made("a table", "public/data/*", BEGINS),
    made("a taxonomy", "public/taxonomy/*", BEGINS),
    made("a report", "public/report/*", BEGINS),
    made("a signature", "public/manifest/*.sig", BEGINS),
    made("a manifest", "public/manifest/*.json", BEGINS),
    point("the newest release", Rename, "public/LATEST", "-", BEGINS),
    point(
        "the page over all releases",
        Rename,
        "public/index.html",
        "-",
        BEGINS,
    ),
    point(
        "a signature of another key",
        Rename,
        "public/manifest/*.sig",
        "-",
        SIGNED_ANEW,
    ),
    made("a table that was approved", "public/data/*", APPROVES),
    made(
        "a manifest that was approved",
        "public/manifest/*.json",
        APPROVES,
    ),
    // Requests to the running daemon.
    made("a note", "private/inbox/*.request", ASKED),
    made("an answer", "private/inbox/*.answer", ASKED),
    gone("a note that was answered", "private/inbox/*.request", ASKED),
    gone("an answer that was read", "private/inbox/*.answer", ASKED),
    gone(
        "a note without a signature",
        "private/inbox/*.json",
        STRANGE_NOTE,
    ),
    // Staged copies of published or void releases are no longer needed.
    gone(
        "a staged table, unstaged",
        "private/stage/*.parquet",
        BEGINS,
    ),
    gone(
        "a staged taxonomy, unstaged",
        "private/stage/*-taxonomy.json",
        BEGINS,
    ),
    gone(
        "a staged report, unstaged",
        "private/stage/*-report.html",
        BEGINS,
    ),
    gone(
        "a staged manifest, unstaged",
        "private/stage/*-manifest.json",
        BEGINS,
    ),
    gone(
        "a staged file that was approved",
        "private/stage/*",
        APPROVES,
    ),
    gone(
        "a staged file that a person rejected",
        "private/stage/*",
        REJECTS,
    ),
    gone(
        "a staged file that the gate refused",
        "private/stage/*",
        REFUSED,
    ),
    gone(
        "a staged file, void by a tick",
        "private/stage/*",
        VOID_BY_TICK,
    ),
    gone(
        "a staged file, void by the feed file",
        "private/stage/*",
        VOID_BY_FILE,
    ),
    gone(
        "a staged file, void by an erasure",
        "private/stage/*",
        VOID_BY_ERASURE,
    ),
    // Replaced by a new copy.
    gone(
        "the feed's key under the key before",
        "private/keys/*/feed.wrap",
        REKEYS,
    ),
    gone("a key under the key before", "private/keys/*", REKEYS),
    gone(
        "the key of what was offered again",
        "private/keys/*",
        RETRIES,
    ),
    gone(
        "quarantine that was offered again",
        "private/quarantine/*",
        RETRIES,
    ),
    gone("the key of what was erased", "private/keys/*", ERASES),
    gone(
        "a segment with a person who was erased",
        "private/seg/*",
        ERASES,
    ),
    gone(
        "atoms with a person who was erased",
        "private/atoms/*",
        ERASES,
    ),
    gone(
        "counts with a person who was erased",
        "private/mask/*",
        ERASES,
    ),
    gone(
        "the key of a checkpoint with a person who was erased",
        "private/keys/*/000000000000*.wrap",
        ERASES,
    ),
    gone(
        "a checkpoint with a person who was erased",
        "private/checkpoint/*",
        ERASES,
    ),
    gone(
        "the key of an older checkpoint",
        "private/keys/*/000000000000*.wrap",
        GROWS_ON,
    ),
    gone("an older checkpoint", "private/checkpoint/*", GROWS_ON),
    // Forgotten.
    entry("what is forgotten", "Forgotten", FORGETS),
    gone("the key of what is forgotten", "private/keys/*", FORGETS),
    gone("a segment that is forgotten", "private/seg/*", FORGETS),
    gone("atoms that are forgotten", "private/atoms/*", FORGETS),
    gone(
        "quarantine that is forgotten",
        "private/quarantine/*",
        FORGETS,
    ),
    // If values are masked.
    Point {
        nth: 2,
        ..made("which values were changed", "private/mask/*", MASKS)
    },
    entry("masked values", "Masked", MASKS),
    gone(
        "a ledger with a person who was erased",
        "private/mask/*",
        MASKS_ERASED,
    ),
    gone(
        "a ledger that is forgotten",
        "private/mask/*",
        MASKS_FORGOTTEN,
    ),
    // If classes keep their labels.
    made("the coins of a tick", "private/coins/*", CROWDS),
    made("a part", "public/data/*", CROWDS),
    entry("the coins of a tick are drawn", "Coins", CROWDS),
    made("who is in which crowd", "private/members/*", CROWDS),
    entry("rows that are erased", "Erase", CROWDS_ERASED),
    gone(
        "who was in a crowd that is erased",
        "private/members/*",
        CROWDS_ERASED,
    ),
    made(
        "a staged notice of erased rows",
        "private/stage/*-erased.json",
        CROWDS_LEAVE,
    ),
    made(
        "a notice of erased rows",
        "public/erased/*.json",
        CROWDS_LEAVE,
    ),
    made(
        "a signature of a notice",
        "public/erased/*.sig",
        CROWDS_LEAVE,
    ),
    gone(
        "a staged notice, unstaged",
        "private/stage/*-erased.json",
        CROWDS_LEAVE,
    ),
    made(
        "a signature of a notice of a manifest that is gone",
        "public/replaced/*.sig",
        CROWDS_LEAVE,
    ),
    made(
        "a notice of a manifest that is gone",
        "public/replaced/*.json",
        CROWDS_LEAVE,
    ),
    gone(
        "a manifest with erased rows",
        "public/manifest/*.json",
        CROWDS_LEAVE,
    ),
    gone(
        "the signature of a manifest with erased rows",
        "public/manifest/*.sig",
        CROWDS_LEAVE,
    ),
    gone(
        "an old commit of a Delta log",
        "public/data/*/_delta_log/*.json",
        CROWDS_LEAVE,
    ),
    gone(
        "a part with erased rows",
        "public/data/*/*.parquet",
        CROWDS_LEAVE,
    ),
    gone(
        "the report of a release that is gone",
        "public/report/*",
        CROWDS_LEAVE,
    ),
    entry("nothing is left that was to leave", "Cleaned", CROWDS_LEAVE),
    entry("a withdrawal", "Withdraw", WITHDRAWS),
    made(
        "a signature of a notice of withdrawal",
        "public/withdrawn/*.sig",
        WITHDRAWS,
    ),
    made(
        "a notice of withdrawal",
        "public/withdrawn/*.json",
        WITHDRAWS,
    ),
    gone(
        "a manifest that is withdrawn",
        "public/manifest/*.json",
        WITHDRAWS,
    ),
    gone(
        "a part that is withdrawn",
        "public/data/*/*.parquet",
        WITHDRAWS,
    ),
    made(
        "a commit of a withdrawal",
        "public/data/*/_delta_log/*.json",
        WITHDRAWS,
    ),
    made(
        "a part that is published again",
        "public/data/*/*.parquet",
        PUBLISHES_AGAIN,
    ),
    entry("old manifests begin to go", "Expire", EXPIRES),
    made(
        "a signature of a notice of old manifests",
        "public/expired/*.sig",
        EXPIRES,
    ),
    made(
        "a notice of old manifests",
        "public/expired/*.json",
        EXPIRES,
    ),
    gone("an old manifest", "public/manifest/*.json", EXPIRES),
    entry("old rows begin to leave", "Retire", RETIRES),
    entry(
        "a tick that was closed after its coins",
        "Closed",
        CROWDS_GROW,
    ),
    gone(
        "coins of a tick that are forgotten",
        "private/coins/*",
        CROWDS_FORGOTTEN,
    ),
    // Removed by the next start: no entry has named it.
    gone(
        "coins of a tick that are swept",
        "private/coins/*",
        SWEEPS_COINS,
    ),
    gone("the key of what is swept", "private/keys/*", SWEEPS_ROWS),
    gone("a segment that is swept", "private/seg/*", SWEEPS_ROWS),
    gone(
        "quarantine that is swept",
        "private/quarantine/*",
        SWEEPS_ROWS,
    ),
    gone("atoms that are swept", "private/atoms/*", SWEEPS_ATOMS),
    gone("counts that are swept", "private/mask/*", SWEEPS_COUNTS),
    gone("a verdict that is swept", "private/verdict/*", SWEEPS_STAGE),
    gone(
        "a staged file that is swept",
        "private/stage/*",
        SWEEPS_STAGE,
    ),
    gone("terms that are swept", "private/terms/*", SWEEPS_TERMS),
    gone("a key that is swept alone", "private/keys/*", SWEEPS_KEY),
    // Files that were being written.
    gone("what was written aside", "private/.new/*", BEGINS),
    gone("what was written aside for all", "public/.new/*", BEGINS),
    gone(
        "what a killed process has left aside",
        "private/.new/*",
        SWEEPS_ROWS,
    ),
    gone(
        "what a killed process has left aside for all",
        "public/.new/*",
        SIGNED_ANEW,
    ),
];
