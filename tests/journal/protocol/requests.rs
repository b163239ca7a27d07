//! Requests of a person (`feed_writer/requests/{request,request_entry,erase}.rs`): a file in the
//! inbox that any live writer may find, one entry, an answer beside it, and only then the file is
//! removed.

use super::entry::{Entry, Kind};
use super::faults::Fault;
use super::fold::{Folder, MANY, Name};
use super::promises::pending;
use super::work::put;
use super::world::{Answer, Ask, By, Note, Phase, Rules, Steps, World, Writer};
use super::writer::{ends, missing, send};

/// A person makes a possible request, as `show` describes it.
pub fn person(world: &World, rules: &Rules, steps: &mut Steps) {
    for at in 0..MANY {
        let about = match rules.asks[at] {
            Ask::Approve => pending(&world.log).unwrap_or(0),
            Ask::Erase => u8::from(
                world
                    .log
                    .entries()
                    .any(|(_, entry)| entry.kind() == Kind::Ingest),
            ),
            Ask::Nothing => 0,
        };
        if about > 0 && world.requests[at].note == Note::Unasked {
            let mut world = *world;
            (world.requests[at].note, world.requests[at].about) = (Note::Lies, about);
            steps.push((By::Person, "asks", world));
        }
    }
}

/// A request in the inbox is handled, or refused, or was handled already.
pub fn inbox(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer {
        name, fold, next, ..
    } = world.writers[at];
    let by = By::Writer(name);
    for (number, request) in world
        .requests
        .iter()
        .enumerate()
        .filter(|(_, request)| request.note == Note::Lies)
    {
        let number = number as u8;
        let mut world = *world;
        if rules.fault == Fault::EmptiesInboxFirst {
            world.outside(at);
            world.requests[usize::from(number)].note = Note::Gone;
        }
        if fold.done >> number & 1 > 0 && rules.fault != Fault::DoesAgain {
            world.outside(at);
            world.requests[usize::from(number)].answer = Answer::Done;
            world.writers[at].phase = Phase::Remove(number);
            steps.push((by, "answers that it was done", world));
        } else if rules.asks[usize::from(number)] == Ask::Erase {
            erase(world, at, number, rules, steps);
        } else if fold.held.decision == request.about {
            let approve = Entry::new(Kind::Approve, name)
                .number(number)
                .more(request.about);
            steps.push((by, "approves", send(world, at, approve)));
        } else if rules.fault != Fault::RefusesUnlooked && world.log.at(next).is_there() {
            // This writer's knowledge is old: the request may be about something that it does not
            // know.
            steps.push((by, "sees that it has lost its place", ends(world, at)));
        } else {
            world.writers[at].phase = Phase::Refuse(number);
            steps.push((by, "finds nothing to approve", world));
        }
    }
}

/// A person who is in the first file: their segment and, if they are not published, their atoms are
/// written again.
fn erase(world: World, at: usize, number: u8, rules: &Rules, steps: &mut Steps) {
    let Writer { name, fold, .. } = world.writers[at];
    let by = By::Writer(name);
    if (fold.open() | fold.unpublished()) & !world.objects != 0 {
        return steps.push((
            by,
            "misses who is to be taken out",
            missing(world, at, rules),
        ));
    }
    let (mut world, mut moved, mut objects) = (world, 0, Name::default());
    if fold.seg[0].bit() & world.objects != 0 {
        objects = Name::new(Folder::Seg, 0, fold.epoch, true);
        moved |= 1;
    }
    if let Some(tick) = fold.taken[0]
        .checked_sub(1)
        .filter(|tick| fold.out >> tick & 1 == 0)
    {
        world.objects |= Name::new(Folder::Atoms, tick, fold.epoch, true).bit();
        moved |= 2;
    }
    let entry = Entry::new(Kind::Erase, name).number(number).more(moved);
    put(
        world,
        objects,
        rules,
        &|world| send(world, at, entry),
        by,
        steps,
    );
}

/// The old objects are deleted, and so are the staged files of a release that is void now.
pub fn destroy(mut world: World, at: usize) -> World {
    world.outside(at);
    let aside = std::mem::take(&mut world.writers[at].aside);
    let old = world.writers[at].fold.old;
    world.objects &= !(aside.bit() | old[0].bit() | old[1].bit());
    world.writers[at].phase = Phase::Ready;
    world
}

/// A request is refused.
pub fn refuse(mut world: World, at: usize, number: u8) -> World {
    world.outside(at);
    world.requests[usize::from(number)].answer = Answer::Refused;
    world.writers[at].phase = Phase::Remove(number);
    world
}

/// Removes an answered request from the inbox.
pub fn remove(mut world: World, at: usize, number: u8) -> World {
    world.outside(at);
    world.requests[usize::from(number)].note = Note::Gone;
    world.writers[at].phase = Phase::Ready;
    world
}
