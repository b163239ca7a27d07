//! How a writer starts (`recovery/feed_opening.rs`), appends (`journal/log.rs`,
//! `journal/store/confirmed_put.rs`), sweeps (`recovery/sweep.rs`), and how it ends.

use super::entry::{Entry, Kind};
use super::faults::Fault;
use super::fold::{Fold, below};
use super::world::{By, Flight, Phase, Rules, Steps, World, Writer};
use super::{publication, requests, work};

/// The possible steps of a writer.
pub fn steps(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let writer = &world.writers[at];
    let by = By::Writer(writer.name);
    match writer.phase {
        Phase::Off => start(world, at, rules, steps),
        Phase::Halted => return,
        Phase::Look => steps.push((
            by,
            "looks whether everything is there",
            look(*world, at, rules),
        )),
        Phase::Append => append(world, at, rules, steps),
        Phase::Back => steps.push((by, "reads the slot back", back(*world, at, rules))),
        Phase::Sweep => steps.push((by, "sweeps", sweep(*world, at, rules))),
        Phase::Ready => work::steps(world, at, rules, steps),
        Phase::Copied => publication::second(world, at, rules, steps),
        Phase::Shown => publication::third(world, at, rules, steps),
        Phase::Unstage => steps.push((
            by,
            "removes what lay aside",
            publication::unstage(*world, at),
        )),
        Phase::Destroy => steps.push((
            by,
            "destroys what it has replaced",
            requests::destroy(*world, at),
        )),
        Phase::Refuse(request) => {
            steps.push((by, "refuses", requests::refuse(*world, at, request)))
        }
        Phase::Remove(request) => steps.push((
            by,
            "empties the inbox",
            requests::remove(*world, at, request),
        )),
    }
    if writer.phase != Phase::Off {
        steps.push((By::Crash(writer.name), "dies", ends(*world, at)));
    }
}

fn start(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    if world.named < rules.starts {
        let mut world = *world;
        world.named += 1;
        world.writers[at] = Writer::default();
        (world.writers[at].phase, world.writers[at].name) = (Phase::Look, world.named);
        reads(&mut world, at, rules);
        steps.push((By::Writer(world.named), "starts and reads the log", world));
    }
}

fn reads(world: &mut World, at: usize, rules: &Rules) {
    let end = world.log.end();
    world.writers[at].next = end;
    world.writers[at].knows(Fold::of(&world.log, end, rules.fault));
}

/// Before the fence: no entry after the gap, no published file that the log does not contain, and
/// every needed object exists. If not, the log may have changed since it was read.
fn look(mut world: World, at: usize, rules: &Rules) -> World {
    let Writer { next, fold, .. } = world.writers[at];
    let unknown = world
        .manifest
        .iter()
        .skip(usize::from(fold.releases))
        .any(|manifest| *manifest > 0);
    if world.log.beyond(next) || unknown || fold.needed() & !world.objects != 0 {
        if rules.fault == Fault::HaltsUnlooked || !world.log.at(next).is_there() {
            world.writers[at].phase = Phase::Halted;
        } else {
            reads(&mut world, at, rules);
        }
        return world;
    }
    if rules.fault == Fault::ActsUnfenced {
        world.writers[at].phase = Phase::Sweep;
        return world;
    }
    let fence = Entry::new(Kind::Fence, world.writers[at].name);
    send(world, at, fence)
}

/// From now on an entry is being appended.
pub fn send(mut world: World, at: usize, entry: Entry) -> World {
    (world.writers[at].entry, world.writers[at].phase) = (entry, Phase::Append);
    world
}

fn append(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer {
        name, next, entry, ..
    } = world.writers[at];
    let by = By::Writer(name);
    // The number may be that of an entry that was packed after this writer has read the log: it
    // checks whether its fence is the newest entry.
    if entry.kind() == Kind::Fence
        && world.log.is_packed(next)
        && rules.fault != Fault::FencesUnlooked
    {
        return steps.push((
            by,
            "puts its fence, and sees that the log has gone on",
            ends(*world, at),
        ));
    }
    let mut there = *world;
    let mut doubtful = *world;
    doubtful.writers[at].phase = Phase::Back;
    if !there.log.create(next, entry) {
        if rules.fault == Fault::ExistsIsMine {
            steps.push((
                by,
                "takes what is there for its own",
                committed(*world, at, rules),
            ));
        } else {
            steps.push((by, "is told that something is there", doubtful));
        }
        return;
    }
    steps.push((by, "appends", committed(there, at, rules)));
    if world.doubts < rules.doubts {
        doubtful.doubts += 1;
        let mut flying = doubtful;
        if flying.flies(Flight::Entry(next, entry)) {
            steps.push((by, "sends, and nothing is there yet", flying));
        }
        doubtful.log.create(next, entry);
        steps.push((by, "appends, and the answer is lost", doubtful));
    }
}

fn back(mut world: World, at: usize, rules: &Rules) -> World {
    let writer = &mut world.writers[at];
    let there = world.log.at(writer.next);
    if there == writer.entry {
        return committed(world, at, rules);
    }
    if there.is_there() {
        world.marks.alone |= there.writer() == writer.name;
        return ends(world, at);
    }
    match rules.fault {
        Fault::GoesBeyondGap => writer.next += 1,
        Fault::SendsOther => writer.entry = writer.entry.respelled(),
        _ => {}
    }
    writer.phase = Phase::Append;
    world
}

fn committed(mut world: World, at: usize, rules: &Rules) -> World {
    let writer = &mut world.writers[at];
    writer.aside = match writer.entry.kind() {
        Kind::Published => writer.fold.leaving.stage,
        Kind::Erase if rules.fault != Fault::ErasureVoidsNothing => writer.fold.held.stage,
        _ => Default::default(),
    };
    let mut fold = writer.fold;
    fold.apply(writer.entry, writer.next, rules.fault);
    writer.knows(fold);
    writer.next += 1;
    writer.phase = match std::mem::take(&mut writer.entry).kind() {
        Kind::Fence if rules.fault != Fault::ActsUnfenced => Phase::Sweep,
        Kind::Published => Phase::Unstage,
        Kind::Erase => Phase::Destroy,
        _ => Phase::Ready,
    };
    world
}

/// Objects of lower epochs that the log does not name.
fn sweep(mut world: World, at: usize, rules: &Rules) -> World {
    world.outside(at);
    let Writer { name, fold, .. } = world.writers[at];
    let epochs = match rules.fault {
        Fault::SweepsAnyEpoch => u128::MAX,
        Fault::ActsUnfenced => below(fold.epoch + 1),
        _ => below(fold.epoch),
    };
    world.objects &= fold.named() | !epochs;
    world.writers[at].phase = Phase::Ready;
    if rules.fault == Fault::ActsUnfenced {
        return send(world, at, Entry::new(Kind::Fence, name));
    }
    if let (Fault::MasksAgain, Some(tick)) = (rules.fault, fold.ticks.checked_sub(1)) {
        return work::masks(world, at, tick, rules);
    }
    world
}

/// An object that the writer's state needs does not exist: if the log has changed, the writer was
/// taken over and ends; if not, the store is damaged.
pub fn missing(mut world: World, at: usize, rules: &Rules) -> World {
    let next = world.writers[at].next;
    if rules.fault == Fault::HaltsUnlooked || !world.log.at(next).is_there() {
        world.writers[at].phase = Phase::Halted;
        return world;
    }
    ends(world, at)
}

/// It no longer runs, and no writer remembers what it knew.
pub fn ends(mut world: World, at: usize) -> World {
    world.writers[at] = Writer::default();
    world
}
