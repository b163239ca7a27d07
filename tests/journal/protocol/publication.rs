//! Publishing a decided release (`publish/make_visible.rs`): files, then the manifest, then the
//! commit of the Delta log, then the entry. Table, taxonomy, report and signature are one public
//! file here; each step can be done twice.

use super::entry::{Entry, Kind};
use super::faults::Fault;
use super::world::{By, Phase, Rules, Steps, World};
use super::writer::{missing, send};

/// The first half of a decided release.
pub fn first(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let turned = rules.fault == Fault::ManifestFirst;
    let shown = if turned {
        manifest(*world, at, rules)
    } else {
        files(*world, at, rules)
    };
    let what = if turned {
        "shows the manifest"
    } else {
        "copies the files"
    };
    let step = shown.map(|mut world| {
        world.writers[at].phase = Phase::Copied;
        world
    });
    steps.push((
        By::Writer(world.writers[at].name),
        what,
        step.unwrap_or_else(|stopped| stopped),
    ));
}

/// The second half.
pub fn second(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let (what, step) = match rules.fault {
        Fault::ManifestFirst => ("copies the files", files(*world, at, rules)),
        Fault::CommitFirst => ("puts the commit", commit(*world, at, rules)),
        _ => ("shows the manifest", manifest(*world, at, rules)),
    };
    let step = step.map(|mut world| {
        world.writers[at].phase = Phase::Shown;
        world
    });
    steps.push((
        By::Writer(world.writers[at].name),
        what,
        step.unwrap_or_else(|stopped| stopped),
    ));
}

/// The commit of the Delta log, after the manifest; then the entry.
pub fn third(world: &World, at: usize, rules: &Rules, steps: &mut Steps) {
    let writer = world.writers[at];
    let published = Entry::new(Kind::Published, writer.name).number(writer.fold.leaving.release);
    let (what, step) = match rules.fault {
        Fault::CommitFirst => ("shows the manifest", manifest(*world, at, rules)),
        Fault::PublishesUncommitted => ("goes on", Ok(*world)),
        _ => ("puts the commit", commit(*world, at, rules)),
    };
    let step = step.map(|world| send(world, at, published));
    steps.push((
        By::Writer(writer.name),
        what,
        step.unwrap_or_else(|stopped| stopped),
    ));
}

/// The commit names its release; its bytes follow from the decision, so another decision's in its
/// place stops the feed.
fn commit(mut world: World, at: usize, rules: &Rules) -> Result<World, World> {
    let leaving = world.writers[at].fold.leaving;
    let there = world.commits[usize::from(leaving.release)];
    if there > 0 && there != leaving.decision {
        return Err(missing(world, at, rules));
    }
    world.outside(at);
    world.commits[usize::from(leaving.release)] = leaving.decision;
    Ok(world)
}

/// Copies staged files, or stops.
fn files(mut world: World, at: usize, rules: &Rules) -> Result<World, World> {
    let stage = world.writers[at].fold.leaving.stage.bit();
    if world.objects & stage == 0 {
        return Err(missing(world, at, rules));
    }
    world.outside(at);
    world.data |= stage;
    Ok(world)
}

/// The release becomes visible. The manifest names the decision; another one in its place stops the
/// feed.
fn manifest(mut world: World, at: usize, rules: &Rules) -> Result<World, World> {
    let leaving = world.writers[at].fold.leaving;
    let there = world.manifest[usize::from(leaving.release)];
    if world.objects & leaving.stage.bit() == 0 || (there > 0 && there != leaving.decision) {
        return Err(missing(world, at, rules));
    }
    world.outside(at);
    world.manifest[usize::from(leaving.release)] = leaving.decision;
    Ok(world)
}

/// Removes the staged files of a visible release.
pub fn unstage(mut world: World, at: usize) -> World {
    world.outside(at);
    let aside = std::mem::take(&mut world.writers[at].aside);
    world.objects &= !aside.bit();
    world.writers[at].phase = Phase::Ready;
    world
}
