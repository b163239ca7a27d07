//! What must hold in every state (HOUSE 3), as plain functions by name. They read the log entry by
//! entry themselves and do not use a writer's fold, so that a fault of the fold cannot hide here;
//! the one invariant about the fold has a name that says so.

use super::entry::{Entry, Kind, Log};
use super::fold::{Fold, Folder, MANY, Name};
use super::world::{Answer, Note, Phase, Rules, World};

/// An invariant: its name, and whether it holds.
pub type Promise = (&'static str, fn(&World, &Rules) -> bool);

/// Invariants of the store, whichever writer runs. The order is that in which a broken one is
/// looked for.
pub const OF_THE_STORE: [Promise; 18] = [
    (
        "the log is one chain without gaps",
        the_log_is_one_chain_without_gaps,
    ),
    (
        "nothing outside before the fence",
        nothing_outside_before_the_fence,
    ),
    (
        "only another writer ends a writer",
        only_another_writer_ends_a_writer,
    ),
    (
        "every public file was decided",
        every_public_file_was_decided,
    ),
    ("no hold leaves unapproved", no_hold_leaves_unapproved),
    ("no void hold leaves", no_void_hold_leaves),
    (
        "a manifest shows a whole release",
        a_manifest_shows_a_whole_release,
    ),
    (
        "a commit follows its manifest",
        a_commit_follows_its_manifest,
    ),
    (
        "a published release has its commit",
        a_published_release_has_its_commit,
    ),
    (
        "a release number is used once",
        a_release_number_is_used_once,
    ),
    ("a file is taken in once", a_file_is_accepted_once),
    ("a closed tick is masked once", a_closed_tick_is_masked_once),
    ("atoms are never formed again", atoms_are_never_formed_again),
    (
        "the coins of a tick are drawn once",
        the_coins_of_a_tick_are_drawn_once,
    ),
    (
        "nothing that is needed is gone",
        nothing_that_is_needed_is_gone,
    ),
    ("a request is done once", a_request_is_done_once),
    ("an answer is true", an_answer_is_true),
    (
        "a request that is gone was answered",
        a_request_that_is_gone_was_answered,
    ),
];

/// Invariants of the writers in every state.
pub const OF_THE_WRITERS: [Promise; 2] = [
    (
        "what a writer knows is the fold of the log",
        what_a_writer_knows_is_the_fold_of_the_log,
    ),
    ("no writer halts", no_writer_halts),
];

/// Invariants once a writer has had the time to complete everything.
pub const AT_REST: [Promise; 5] = [
    (
        "what is decided becomes visible",
        what_is_decided_becomes_visible,
    ),
    (
        "a file that came is in an entry",
        a_file_that_came_is_in_an_entry,
    ),
    (
        "a tick that is closed gets its counts",
        a_tick_that_is_closed_gets_its_counts,
    ),
    ("a request is answered", a_request_is_answered),
    ("who is erased is gone", who_is_erased_is_gone),
];

/// An event: its name, and whether it has happened.
pub type Sight = (&'static str, fn(&World) -> bool);

/// Events that must happen somewhere: an invariant about an event that never happens would hold
/// trivially.
pub const SIGHTS: [Sight; 8] = [
    ("two releases are visible", |world| {
        world.manifest.iter().all(|manifest| *manifest > 0)
    }),
    (
        "a later tick is published with one that was rejected",
        |world| {
            times(&world.log, |entry| entry.kind() == Kind::Reject) == 1 && world.manifest[0] > 0
        },
    ),
    ("a hold is void", |world| {
        times(&world.log, |entry| entry.kind() == Kind::Hold) > 0 && pending(&world.log).is_none()
    }),
    ("raw rows are forgotten", |world| {
        let taken = times(&world.log, |entry| entry.kind() == Kind::Published) > 0;
        taken
            && (1..8)
                .all(|epoch| world.objects & Name::new(Folder::Seg, 0, epoch, false).bit() == 0)
    }),
    ("a hold is approved and visible", |world| {
        decided(&world.log, |at, _| approved_in_time(&world.log, at))
            .any(|(at, _)| world.manifest.contains(&at))
    }),
    ("an approval is refused", |world| {
        world
            .requests
            .iter()
            .any(|request| request.answer == Answer::Refused)
    }),
    ("a tick is closed by the coins of another writer", |world| {
        let mut epoch = 0;
        world.log.entries().any(|(_, entry)| {
            epoch += u8::from(entry.kind() == Kind::Fence);
            entry.kind() == Kind::Closed && (1..epoch).contains(&entry.rest())
        })
    }),
    ("a person is erased", |world| {
        world.requests[1].answer == Answer::Done
    }),
];

/// The decision that waits for a person, from 1: it is void after an erasure, a new tick, or once
/// it is approved.
pub fn pending(log: &Log) -> Option<u8> {
    let mut held = None;
    for (at, entry) in log.entries() {
        match entry.kind() {
            Kind::Hold => held = Some(at + 1),
            Kind::Closed | Kind::Erase | Kind::Publish | Kind::Reject | Kind::Approve => {
                held = None
            }
            _ => {}
        }
    }
    held
}

/// How often such an entry is in the log.
fn times(log: &Log, such: impl Fn(Entry) -> bool) -> usize {
    log.entries().filter(|&(_, entry)| such(entry)).count()
}

/// Decisions by which a release may be published: their numbers, from 1, and the names of their
/// staged files.
fn decided(log: &Log, such: impl Fn(u8, Entry) -> bool) -> impl Iterator<Item = (u8, Name)> {
    let mut epoch = 0;
    log.entries().filter_map(move |(at, entry)| {
        epoch += u8::from(entry.kind() == Kind::Fence);
        let stage = Name::new(Folder::Stage, entry.subject(), epoch, false);
        (entry.decides() && such(at + 1, entry)).then_some((at + 1, stage))
    })
}

fn approved(log: &Log, decision: u8) -> bool {
    times(log, |entry| {
        entry.kind() == Kind::Approve && entry.rest() == decision
    }) > 0
}

/// Whether a decision was pending when it was approved.
fn approved_in_time(log: &Log, decision: u8) -> bool {
    let mut before = Log::default();
    log.entries().any(|(at, entry)| {
        let in_time = entry.kind() == Kind::Approve
            && pending(&before) == Some(decision)
            && entry.rest() == decision;
        before.create(at, entry);
        in_time
    })
}

/// Whether something of a decision is public.
fn seen(world: &World, decision: u8, stage: Name) -> bool {
    world.data & stage.bit() != 0 || world.manifest.contains(&decision)
}

fn the_log_is_one_chain_without_gaps(world: &World, _: &Rules) -> bool {
    let mut writer = 0;
    let follows = |(_, entry): (u8, Entry)| {
        let fence = entry.kind() == Kind::Fence;
        let new = fence && entry.writer() != writer;
        writer = if new { entry.writer() } else { writer };
        fence == new && entry.writer() == writer
    };
    !world.log.beyond(world.log.end()) && world.log.entries().all(follows)
}

fn nothing_outside_before_the_fence(world: &World, _: &Rules) -> bool {
    !world.marks.unfenced
}

fn only_another_writer_ends_a_writer(world: &World, _: &Rules) -> bool {
    !world.marks.alone
}

fn what_a_writer_knows_is_the_fold_of_the_log(world: &World, rules: &Rules) -> bool {
    let runs = world
        .writers
        .iter()
        .filter(|writer| writer.phase != Phase::Off);
    runs.into_iter()
        .all(|writer| writer.fold == Fold::of(&world.log, writer.next, rules.fault))
}

fn every_public_file_was_decided(world: &World, _: &Rules) -> bool {
    let all = decided(&world.log, |_, _| true).fold(0, |all, (_, stage)| all | stage.bit());
    let known = |decision: u8| decided(&world.log, |at, _| at == decision).next().is_some();
    world.data & !all == 0
        && world
            .manifest
            .iter()
            .all(|&decision| decision == 0 || known(decision))
}

fn no_hold_leaves_unapproved(world: &World, _: &Rules) -> bool {
    let mut held = decided(&world.log, |at, entry| {
        entry.kind() == Kind::Hold && !approved(&world.log, at)
    });
    held.all(|(decision, stage)| !seen(world, decision, stage))
}

fn no_void_hold_leaves(world: &World, _: &Rules) -> bool {
    let mut held = decided(&world.log, |at, entry| {
        entry.kind() == Kind::Hold && !approved_in_time(&world.log, at)
    });
    held.all(|(decision, stage)| !seen(world, decision, stage))
}

fn a_manifest_shows_a_whole_release(world: &World, _: &Rules) -> bool {
    let mut shown = decided(&world.log, |at, _| world.manifest.contains(&at));
    shown.all(|(_, stage)| world.data & stage.bit() != 0)
}

/// A version of the Delta table is never ahead of the manifests, and contains what its manifest
/// says.
fn a_commit_follows_its_manifest(world: &World, _: &Rules) -> bool {
    world
        .commits
        .iter()
        .zip(&world.manifest)
        .all(|(commit, manifest)| *commit == 0 || commit == manifest)
}

/// The newest version is at most one release behind.
fn a_published_release_has_its_commit(world: &World, _: &Rules) -> bool {
    let is_there = |entry: Entry| {
        world
            .commits
            .get(usize::from(entry.of()))
            .is_some_and(|commit| *commit > 0)
    };
    world
        .log
        .entries()
        .all(|(_, entry)| entry.kind() != Kind::Published || is_there(entry))
}

fn a_release_number_is_used_once(world: &World, _: &Rules) -> bool {
    let leaves =
        |at: u8, entry: Entry| entry.kind() == Kind::Publish || approved_in_time(&world.log, at);
    (0..MANY as u8).all(|release| {
        decided(&world.log, |at, entry| {
            entry.of() == release && leaves(at, entry)
        })
        .count()
            <= 1
            && times(&world.log, |entry| {
                entry.kind() == Kind::Published && entry.of() == release
            }) <= 1
    })
}

fn a_file_is_accepted_once(world: &World, _: &Rules) -> bool {
    let taken = |file: u8| {
        times(&world.log, |entry| {
            entry.kind() == Kind::Ingest && entry.subject() == file
        })
    };
    (0..MANY as u8).all(|file| taken(file) <= 1)
}

fn a_closed_tick_is_masked_once(world: &World, _: &Rules) -> bool {
    let (mut closed, mut masked) = (0, 0);
    world.log.entries().all(|(_, entry)| {
        closed += u8::from(entry.kind() == Kind::Closed);
        masked += u8::from(entry.kind() == Kind::Masked);
        let settled =
            !entry.decides() && !matches!(entry.kind(), Kind::Reject | Kind::Ingest | Kind::Erase);
        masked <= closed && closed <= masked + 1 && (settled || masked == closed)
    })
}

fn atoms_are_never_formed_again(world: &World, _: &Rules) -> bool {
    let (mut epoch, mut formed) = (0, [0; MANY]);
    world.log.entries().all(|(_, entry)| {
        let tick = usize::from(entry.subject());
        match entry.kind() {
            Kind::Fence => epoch += 1,
            Kind::Closed if formed[tick] == 0 => formed[tick] = epoch,
            Kind::Closed => return false,
            Kind::Masked | Kind::Publish | Kind::Hold | Kind::Reject => {
                return entry.rest() == formed[tick];
            }
            _ => {}
        }
        true
    })
}

fn the_coins_of_a_tick_are_drawn_once(world: &World, rules: &Rules) -> bool {
    let (mut epoch, mut drawn) = (0, [0; MANY]);
    world.log.entries().all(|(_, entry)| {
        let tick = usize::from(entry.subject());
        match entry.kind() {
            Kind::Fence => epoch += 1,
            Kind::Coins if drawn[tick] == 0 => drawn[tick] = epoch,
            Kind::Coins => return false,
            Kind::Closed => return entry.rest() == drawn[tick] && rules.coins == (drawn[tick] > 0),
            _ => {}
        }
        true
    })
}

fn nothing_that_is_needed_is_gone(world: &World, rules: &Rules) -> bool {
    Fold::of(&world.log, world.log.end(), rules.fault).needed() & !world.objects == 0
}

fn a_request_is_done_once(world: &World, _: &Rules) -> bool {
    (0..MANY as u8).all(|request| times(&world.log, |entry| entry.request() == Some(request)) <= 1)
}

fn an_answer_is_true(world: &World, _: &Rules) -> bool {
    (0..).zip(&world.requests).all(|(number, request)| {
        let done = times(&world.log, |entry| entry.request() == Some(number)) > 0;
        match request.answer {
            Answer::None => true,
            Answer::Done => done,
            Answer::Refused => !done && pending(&world.log) != Some(request.about),
        }
    })
}

fn a_request_that_is_gone_was_answered(world: &World, _: &Rules) -> bool {
    world
        .requests
        .iter()
        .all(|request| request.note != Note::Gone || request.answer != Answer::None)
}

fn no_writer_halts(world: &World, _: &Rules) -> bool {
    world
        .writers
        .iter()
        .all(|writer| writer.phase != Phase::Halted)
}

fn what_is_decided_becomes_visible(world: &World, _: &Rules) -> bool {
    let leaves =
        |at: u8, entry: Entry| entry.kind() == Kind::Publish || approved_in_time(&world.log, at);
    let decided = decided(&world.log, leaves).count();
    decided == times(&world.log, |entry| entry.kind() == Kind::Published)
        && decided
            == world
                .manifest
                .iter()
                .filter(|manifest| **manifest > 0)
                .count()
}

fn a_file_that_came_is_in_an_entry(world: &World, _: &Rules) -> bool {
    times(&world.log, |entry| entry.kind() == Kind::Ingest) == MANY
}

fn a_tick_that_is_closed_gets_its_counts(world: &World, _: &Rules) -> bool {
    let [closed, masked] =
        [Kind::Closed, Kind::Masked].map(|kind| times(&world.log, |entry| entry.kind() == kind));
    closed == masked
}

fn a_request_is_answered(world: &World, _: &Rules) -> bool {
    world
        .requests
        .iter()
        .all(|request| request.note != Note::Lies)
}

fn who_is_erased_is_gone(world: &World, rules: &Rules) -> bool {
    let [segment, atoms] = Fold::of(&world.log, world.log.end(), rules.fault).old;
    world.objects & (segment.bit() | atoms.bit()) == 0
}
