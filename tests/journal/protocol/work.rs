//! The work of a writer when its log is in order: files are read (`feed_writer/intake/mod.rs`),
//! ticks are closed (`tick/tick_closing.rs`), releases are decided (`tick/decide.rs`). Half-done
//! work is completed first. Where the daemon has one order, any order is permitted here that its
//! state permits.

use super::entry::{Entry, Kind};
use super::faults::Fault;
use super::fold::{Folder, MANY, Name};
use super::world::{By, Flight, Rules, Steps, World, Writer};
use super::writer::{missing, send};
use super::{publication, requests};

/// The possible steps.
pub fn steps(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer { name, fold, .. } = world.writers[at];
    let by = By::Writer(name);
    if let Some(tick) = fold
        .closing()
        .filter(|_| rules.fault != Fault::WorksUnmasked)
    {
        let needed = fold.of_tick(tick) | fold.atoms[usize::from(tick)].bit();
        if needed & !world.objects != 0 {
            return steps.push((by, "misses what it has closed", missing(*world, at, rules)));
        }
        return steps.push((by, "puts the counts", masks(*world, at, tick, rules)));
    }
    if fold.leaving.is_some() {
        return publication::first(world, at, rules, steps);
    }
    take(world, at, rules, steps);
    close(world, at, rules, steps);
    decide(world, at, rules, steps);
    requests::inbox(world, at, rules, steps);
    let spent = fold.spent(rules.fault) & world.objects;
    if spent != 0 {
        let mut world = *world;
        world.outside(at);
        world.objects &= !spent;
        steps.push((by, "forgets raw rows", world));
    }
    packs(world, at, rules, steps);
}

/// Entries before the newest one are packed from now on, but fences keep their places as well
/// (`journal/packing.rs`).
fn packs(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer { name, next, .. } = world.writers[at];
    let mut packed = *world;
    let goes =
        |slot: &u8| rules.fault == Fault::PacksFences || world.log.at(*slot).kind() != Kind::Fence;
    if rules.packs && packed.log.pack((0..next.saturating_sub(1)).filter(goes)) {
        packed.outside(at);
        steps.push((By::Writer(name), "puts entries together", packed));
    }
}

/// Writes an object; if the store does not say whether it did, it is sent once more, and a second
/// copy may be written later.
pub fn put(
    world: World,
    object: Name,
    rules: &Rules,
    then: &dyn Fn(World) -> World,
    by: By,
    steps: &mut Steps,
) {
    let mut there = world;
    there.objects |= object.bit();
    steps.push((by, "puts an object", then(there)));
    if object.is_some() && there.doubts < rules.doubts && there.flies(Flight::Object(object)) {
        there.doubts += 1;
        steps.push((by, "puts an object twice", then(there)));
    }
}

fn take(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer { name, fold, .. } = world.writers[at];
    let beside = rules.fault == Fault::RemembersBeside;
    let taken = |file: usize| {
        if beside {
            world.beside >> file & 1 > 0
        } else {
            fold.seg[file].is_some()
        }
    };
    let Some(file) = (0..MANY).find(|&file| !taken(file)) else {
        return;
    };
    let file = file as u8;
    let object = Name::new(Folder::Seg, file, fold.epoch, false);
    let mut world = *world;
    world.beside |= if beside { 1 << file } else { 0 };
    let ingest = Entry::new(Kind::Ingest, name).about(file);
    put(
        world,
        object,
        rules,
        &|world| send(world, at, ingest),
        By::Writer(name),
        steps,
    );
}

fn close(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer { name, fold, .. } = world.writers[at];
    if fold.open() == 0 || usize::from(fold.ticks) == MANY {
        return;
    }
    let newest = fold
        .ticks
        .checked_sub(1)
        .map_or(0, |tick| fold.atoms[usize::from(tick)].bit());
    if (fold.open() | newest | fold.tossed()) & !world.objects != 0 {
        return steps.push((
            By::Writer(name),
            "misses who waits",
            missing(*world, at, rules),
        ));
    }
    let tick = usize::from(fold.ticks);
    let strange = rules.fault == Fault::DrawsAgain && fold.drawn[tick] != fold.epoch;
    if rules.coins && (!fold.coins[tick].is_some() || strange) {
        let coins = Entry::new(Kind::Coins, name).about(fold.ticks);
        let object = Name::coins(fold.ticks, fold.epoch);
        return put(
            *world,
            object,
            rules,
            &|world| send(world, at, coins),
            By::Writer(name),
            steps,
        );
    }
    let object = Name::new(Folder::Atoms, fold.ticks, fold.epoch, false);
    let closed = Entry::new(Kind::Closed, name)
        .about(fold.ticks)
        .more(fold.drawn[tick]);
    put(
        *world,
        object,
        rules,
        &|world| send(world, at, closed),
        By::Writer(name),
        steps,
    );
}

/// The program that formed the atoms that a writer uses: the one of the entry, unless it forms them
/// again.
fn basis(writer: &Writer, tick: u8, fault: Fault) -> u8 {
    let Writer { fold, .. } = writer;
    if fault == Fault::FormsAgain {
        fold.epoch
    } else {
        fold.formed[usize::from(tick)]
    }
}

/// Writes the counts of a closed tick.
pub fn masks(mut world: World, at: usize, tick: u8, rules: &Rules) -> World {
    let Writer { name, fold, .. } = world.writers[at];
    world.objects |= Name::new(Folder::Mask, tick, fold.epoch, false).bit();
    let basis = basis(&world.writers[at], tick, rules.fault);
    send(
        world,
        at,
        Entry::new(Kind::Masked, name).about(tick).more(basis),
    )
}

fn decide(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let Writer { name, fold, .. } = world.writers[at];
    let Some(tick) = fold.due.checked_sub(1) else {
        return;
    };
    let by = By::Writer(name);
    if fold.unpublished() & !world.objects != 0 {
        return steps.push((
            by,
            "misses who is published next",
            missing(*world, at, rules),
        ));
    }
    let stage = Name::new(Folder::Stage, tick, fold.epoch, false);
    let basis = basis(&world.writers[at], tick, rules.fault);
    let mut staged = *world;
    if rules.fault == Fault::CopiesUndecided {
        staged.outside(at);
        staged.data |= stage.bit();
    }
    staged.objects |= stage.bit();
    let verdicts = [
        (Kind::Publish, "stages a release"),
        (Kind::Hold, "stages one to hold"),
        (Kind::Reject, "rejects one"),
    ];
    for (kind, what) in verdicts {
        let decision = Entry::new(kind, name)
            .about(tick)
            .number(fold.releases & 1)
            .more(basis);
        steps.push((by, what, send(staged, at, decision)));
    }
}
