//! Attacks a release whose classes have labels of their own, with the attacker's knowledge about
//! the order in which they were formed, and gives the reasons against it. Used by the gate, and by
//! a feed to learn in advance what the gate will say.

use super::attack::AttackTerms;
use super::budget::RefinementBudget;
use super::labels::Layers;
use super::malformed_release::Malformed;
use super::names::Names;
use super::release::{AttackedRows, Attacker, CarvedRelease, RepeatedValues};
use super::results::{AttackResult, JointAttack, NoFinding};
use crate::histogram::describe;
use crate::model::{Columns, Node};
use crate::policy::{self, LabelRule, Policy};

/// The result of an attack.
#[derive(Debug)]
pub struct RefinementVerdict {
    /// The quasi columns as layers.
    pub layers: Layers,
    /// The release as it was attacked.
    pub release: CarvedRelease,
    /// The findings about its classes, in the order of formation, and about the outliers.
    pub found: AttackResult,
}

impl RefinementVerdict {
    /// The names of its targets.
    pub fn names<'a>(&'a self, columns: &'a Columns) -> Names<'a> {
        Names::new(columns, &self.layers, &self.release)
    }
}

/// Attacks classes with their rows, in the order of formation if that is known; the class with `*`
/// in all columns holds the outliers of ARX-LR, or all people. Findings may reveal small classes.
///
/// # Errors
/// Why the release cannot be judged, in words.
pub fn attacked<'n>(
    columns: &Columns,
    classes: impl IntoIterator<Item = (&'n [Node], u64)>,
    (policy, attacker): (&Policy, Attacker),
    (seed, together): (u64, JointAttack),
) -> Result<RefinementVerdict, String> {
    let (layers, release) = match (policy.labeller().facts().labels, attacker) {
        (LabelRule::Halved, _) => halved(columns, &Vec::from_iter(classes), policy)?,
        (LabelRule::Finest, _) => grouped(columns, &Vec::from_iter(classes), policy)?,
        (_, Attacker::Paper) => carved(columns, policy, |layers, k| {
            layers.release(layers.ranked(classes, k)?, k)
        })?,
        (_, Attacker::Strongest) => {
            carved(columns, policy, |layers, k| layers.release(classes, k))?
        }
    };
    let limits = policy.refinement();
    let values = match limits.values {
        policy::Values::Repeated => RepeatedValues::Repeated,
        policy::Values::Distinct => RepeatedValues::Distinct,
    };
    let budget = RefinementBudget::shared(release.places().len());
    let terms = AttackTerms {
        attacker,
        values,
        marginals: false,
        seed,
        budget,
    };
    let names = Names::new(columns, &layers, &release);
    let found =
        AttackResult::of(names, terms, &limits, together).map_err(|nothing| match nothing {
            NoFinding::Malformed(why) => why.to_string(),
            NoFinding::Impossible { place, .. } => {
                let of = match place {
                    AttackedRows::Class(_) => {
                        format!("class {}", describe(&names.nodes(place), columns))
                    }
                    AttackedRows::Outliers => "the outliers".to_owned(),
                };
                format!("{of}: no set of rows is possible, so the release was not made as stated")
            }
        })?;
    assert!(
        found.targets.len() <= release.places().len(),
        "each place is attacked once"
    );
    Ok(RefinementVerdict {
        layers,
        release,
        found,
    })
}

/// The attack of someone who knows the order of formation, for figures that are stored with a tick
/// and outlast the rows: they contain no count of fewer than k people.
///
/// # Errors
/// As for [`attacked`].
pub fn judge<'n>(
    columns: &Columns,
    classes: impl IntoIterator<Item = (&'n [Node], u64)>,
    policy: &Policy,
    (seed, together): (u64, JointAttack),
) -> Result<RefinementVerdict, String> {
    let mut judged = attacked(
        columns,
        classes,
        (policy, Attacker::Strongest),
        (seed, together),
    )?;
    let RefinementVerdict {
        layers,
        release,
        found,
    } = &mut judged;
    let names = Names::new(columns, layers, release);
    let target = |place: AttackedRows| found.targets.iter().find(|target| target.place == place);
    for small in found.against.iter_mut().filter(|against| against.small) {
        let of = small
            .target
            .and_then(target)
            .map_or_else(String::new, |target| names.of(target, None));
        let k = policy.a();
        small.finding.value = None;
        small.finding.text =
            format!("{of}: a class of fewer than k = {k} in a part of it is certain");
    }
    Ok(judged)
}

/// Classes of ARX-LR.
fn carved(
    columns: &Columns,
    policy: &Policy,
    release: impl FnOnce(&Layers, u64) -> Result<CarvedRelease, Malformed>,
) -> Result<(Layers, CarvedRelease), String> {
    let layers = Layers::of(&columns.trees()).map_err(|unlayered| unlayered.why.to_string())?;
    let release = release(&layers, policy.a()).map_err(|why| why.to_string())?;
    assert_eq!(
        release.k(),
        policy.a(),
        "an atom has as many people as the policy says"
    );
    Ok((layers, release))
}

/// Classes as groups of neighbours.
fn grouped(
    columns: &Columns,
    classes: &[(&[Node], u64)],
    policy: &Policy,
) -> Result<(Layers, CarvedRelease), String> {
    let layers = Layers::of_any(&columns.trees()).map_err(|unlayered| unlayered.why.to_string())?;
    let release = layers
        .finest(classes.iter().copied(), policy.a())
        .map_err(|why| match why {
            Malformed::Small(at) => small(classes[at].0, columns, policy),
            other => other.to_string(),
        })?;
    Ok((layers, release))
}

/// The error for a class that is too small, in words.
fn small(class: &[Node], columns: &Columns, policy: &Policy) -> String {
    format!(
        "class {}: a class of fewer than k = {}",
        describe(class, columns),
        policy.a()
    )
}

/// Classes as regions of halving.
fn halved(
    columns: &Columns,
    classes: &[(&[Node], u64)],
    policy: &Policy,
) -> Result<(Layers, CarvedRelease), String> {
    let layers = Layers::of_any(&columns.trees()).map_err(|unlayered| unlayered.why.to_string())?;
    let release = layers
        .regions_of(classes, policy, &columns.trees())
        .map_err(|why| match why {
            Malformed::Region(at) => {
                let class = describe(classes[at].0, columns);
                format!("class {class}: halving under this policy cannot produce it")
            }
            Malformed::Small(at) => small(classes[at].0, columns, policy),
            other => other.to_string(),
        })?;
    Ok((layers, release))
}
