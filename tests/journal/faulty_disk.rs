//! A disk fails while a feed is written. Each call by which a writer changes, syncs or reads its
//! folders fails once, in a run of its own: the writer ends with an error that names a file, does
//! nothing more, and above all does not sync again after a failed sync; the next one, on a working
//! disk, continues as if nothing had happened.

use crate::common;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::power::checks::{self, Meant, WriterMessages};
use super::power::disk::Disk;
use super::power::draw::POLICIES;
use super::power::trace::{Op, Trace};
use super::power::writer::{Ended, Place, Script, Shim};

/// Numbers of errors, which are the same on every Linux.
const EIO: u32 = 5;
const EMFILE: u32 = 24;
const ENOSPC: u32 = 28;

/// The failing call, and its error.
const FAULTS: [(&str, u32); 14] = [
    ("create", EMFILE),
    ("create", ENOSPC),
    ("write", EIO),
    ("write", ENOSPC),
    ("short", 0),
    ("sync", EIO),
    ("sync", ENOSPC),
    ("link", EIO),
    ("link", ENOSPC),
    ("rename", EIO),
    ("unlink", EIO),
    ("mkdir", ENOSPC),
    ("open", EIO),
    ("read", EIO),
];

/// Runs a script whose n-th call of a kind fails, and then the rest of it. Returns false when there
/// is no such call any more.
fn failing(shim: &Shim, meant: &Meant, (call, errno): (&str, u32), n: u64) -> Result<bool, String> {
    let place = Place::new();
    let begun = Trace::begin(&place);
    let ended = shim.run(&place, &meant.script, 1, &format!("{call} {n} {errno}"));
    let Trace { ops, .. } = begun.end(&place);
    let Some(at) = ops.iter().position(|op| matches!(op, Op::Fault { .. })) else {
        return if ended.done {
            Ok(false)
        } else {
            Err(format!("it ends without a fault: {}", ended.output))
        };
    };
    let Op::Fault { path } = &ops[at] else {
        unreachable!("just found")
    };
    let about = |wrong: String| format!("{call} {n}, error {errno}, {path}: {wrong}");
    ends(call, path, &ended).map_err(about)?;
    if !ended.done {
        silent(&ops[at..]).map_err(about)?;
    }
    let (mut disk, mut reported) = (Disk::new(), WriterMessages::default());
    for op in &ops {
        match op {
            Op::Said(line) => reported.hear(line),
            op => disk.apply(op),
        }
    }
    checks::promises(&disk.seen(), &reported).map_err(about)?;
    let (private, public) = place.open().map_err(|error| about(error.to_string()))?;
    let after = checks::continues(private, public, meant, n).map_err(about)?;
    checks::same(&disk.seen().public, &after.public, |path| {
        !common::is_advisory(path)
    })
    .map_err(about)?;
    Ok(true)
}

/// The writer ends with an error text, unless nothing is lost.
fn ends(call: &str, path: &str, ended: &Ended) -> Result<(), String> {
    // Half of a write is continued from its end; a temporary file that stays is removed when the
    // store is opened again.
    let harmless = call == "short" || (call == "unlink" && path.contains("/.new/"));
    match &ended.error {
        None if ended.done && harmless => Ok(()),
        None => Err(format!(
            "it goes on, or ends without a word: {}",
            ended.output
        )),
        Some(error) => {
            let text = error["text"].as_str().unwrap_or_default();
            let named = ["file", "field"]
                .iter()
                .any(|key| error[key].as_str().is_some_and(|name| !name.is_empty()));
            let words =
                text.len() > 20 && !text.contains("uncategorized") && !text.contains("os error");
            if named && words {
                Ok(())
            } else {
                Err(format!("it does not say what is wrong and where: {error}"))
            }
        }
    }
}

/// Nothing gets a name any more, and no failed sync is tried again.
fn silent(after: &[Op]) -> Result<(), String> {
    let mut failed = BTreeSet::new();
    for op in after {
        match op {
            Op::Unsynced { inode } if !failed.insert(*inode) => {
                return Err("it waits for the disk again".to_owned());
            }
            Op::Sync { inode, .. } if failed.contains(inode) => {
                return Err("it waits for the disk again".to_owned());
            }
            Op::Link { name, .. } | Op::Rename { to: (_, name), .. } => {
                return Err(format!("it still writes {name}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// One call in this many fails in an everyday run, and each of them in a long run: most calls of
/// one kind are alike, and each costs two processes.
const EVERYDAY: u64 = 7;

/// Lets calls of these kinds fail, two at a time: the first one of each kind, and from there on
/// every `step`-th. Returns their number.
fn all(shim: &Shim, script: &Script, faults: &[(&str, u32)], step: u64) -> Vec<u64> {
    let meant = Meant::of(script);
    let wrong = Mutex::new(Vec::new());
    let count = |fault: (&str, u32)| {
        let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let work = || {
            while !over.load(Ordering::SeqCst) {
                let n = next.fetch_add(step, Ordering::SeqCst) + 1;
                match failing(shim, &meant, fault, n) {
                    Ok(true) => {}
                    Ok(false) => over.store(true, Ordering::SeqCst),
                    Err(error) => wrong.lock().expect("no thread panics").push(error),
                }
                assert!(n < 10_000, "it never ends");
            }
        };
        std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(work)));
        next.into_inner()
    };
    let counts = faults.iter().map(|fault| count(*fault)).collect();
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    counts
}

#[test]
fn a_writer_ends_when_its_disk_fails_and_the_next_one_continues() {
    let Some(shim) = Shim::build() else { return };
    // One kind of chain in every everyday run, each of them in a long run.
    let policies = POLICIES.len().min(common::cases(1) as usize);
    let step = if common::is_long() { 1 } else { EVERYDAY };
    for policy in 0..policies {
        let script = Script {
            policy,
            seed: 1,
            ticks: 2,
            asked: false,
        };
        for ((call, errno), count) in FAULTS.iter().zip(all(&shim, &script, &FAULTS, step)) {
            println!(
                "{}: {call}, error {errno}: one of {step} of the first {count} calls failed",
                script.policy()
            );
        }
    }
}

#[test]
fn a_writer_that_continues_would_be_found_out() {
    let failed = || Op::Unsynced { inode: 3 };
    let sync = |inode| Op::Sync {
        inode,
        folder: false,
    };
    let link = Op::Link {
        folder: 1,
        name: "a".to_owned(),
        inode: 3,
    };
    assert!(silent(&[failed(), sync(3)]).is_err() && silent(&[failed(), failed()]).is_err());
    assert!(silent(&[failed(), link]).is_err());
    assert!(
        silent(&[
            failed(),
            sync(4),
            Op::Unlink {
                folder: 1,
                name: "a".to_owned()
            }
        ])
        .is_ok()
    );
}
