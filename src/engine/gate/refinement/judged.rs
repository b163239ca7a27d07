//! A release whose classes have labels of their own, attacked as far as an attacker knows in which order they were formed, and
//! what of that speaks against it. For the gate, and for whoever wants to know beforehand what the gate will say.

use super::attack::{Attack, Terms};
use super::budget::Budget;
use super::joint::{Joint, joint};
use super::labels::Layers;
use super::limits::{Against, against};
use super::malformed::Malformed;
use super::names::Names;
use super::release::{Attacker, Place, Release, Values};
use super::target::Target;
use crate::engine::histogram::describe;
use crate::engine::model::{Columns, Node};
use crate::engine::policy::{self, Policy, Search};

/// What an attacker finds.
#[derive(Debug)]
pub struct Judged {
    /// The release as it was attacked.
    pub release: Release,
    /// Its classes in the order of formation, and the outliers.
    pub targets: Vec<Target>,
    /// All of them together, where that is limited.
    pub joint: Option<Joint>,
    /// Everything that speaks against it.
    pub against: Vec<Against>,
}

/// Attacks classes and their rows, in the order of formation; the class at the root is what ARX-LR has left over, or everybody's.
///
/// # Errors
/// What keeps it from being judged, in words.
pub fn judge<'n>(
    columns: &Columns,
    classes: impl IntoIterator<Item = (&'n [Node], u64)>,
    (policy, attacker): (&Policy, Attacker),
    seed: u64,
) -> Result<Judged, String> {
    let (k, limits) = (policy.a(), &policy.refinement());
    let (layers, release) = match policy.search() {
        Search::Halves => halved(columns, classes, policy)?,
        _ => {
            let layers = Layers::of(&columns.trees()).map_err(|unlayered| unlayered.why.to_string())?;
            let release = layers.release(classes, k).map_err(|why| why.to_string())?;
            (layers, release)
        }
    };
    let values = match limits.values {
        policy::Values::Repeated => Values::Repeated,
        policy::Values::Distinct => Values::Distinct,
    };
    let budget = Budget::shared(release.places().len());
    let terms = Terms { attacker, values, marginals: false, seed, budget };
    let attack = Attack::new(&release, terms).map_err(|why| why.to_string())?;
    let targets = attack.targets();
    let joint = limits.max_joint_ratio.map(|_| joint(&attack, &targets));
    let names = Names::new(columns, &layers, &release);
    let against = against(&targets, joint.as_ref(), limits, &|target, part| names.of(target, part));
    let mut against = against.map_err(|_| "a class has no solution: it was not formed as it is said".to_owned())?;
    // What is said here is kept with a tick, and outlasts the rows: no count of fewer than k people may be in it.
    let target = |place: Place| targets.iter().find(|target| target.place == place);
    for small in against.iter_mut().filter(|against| against.small) {
        let of = small.place.and_then(target).map_or_else(String::new, |target| names.of(target, None));
        (small.found, small.text) = (None, format!("{of}: a crowd of fewer than k = {k} in a part of it is certain"));
    }
    Ok(Judged { release, targets, joint, against })
}

/// Classes as regions of halving.
fn halved<'n>(
    columns: &Columns,
    classes: impl IntoIterator<Item = (&'n [Node], u64)>,
    policy: &Policy,
) -> Result<(Layers, Release), String> {
    let (trees, classes) = (columns.trees(), Vec::from_iter(classes));
    let layers = Layers::of_any(&trees).map_err(|unlayered| unlayered.why.to_string())?;
    let rule = policy.halving(&trees).ok_or_else(|| Malformed::TooLarge.to_string())?;
    let release = layers.halved(classes.iter().copied(), &rule).map_err(|why| match why {
        Malformed::Region(at) => {
            let class = describe(classes[at].0, columns);
            format!("class {class}: halving by this policy does not come to it, or another class lies around it")
        }
        Malformed::Small(at) => {
            format!("class {}: a crowd of fewer than k = {}", describe(classes[at].0, columns), policy.a())
        }
        other => other.to_string(),
    })?;
    Ok((layers, release))
}
