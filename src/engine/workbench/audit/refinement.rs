//! Refinement attacks on releases whose classes have labels of their own (SCIENCE 6), by an
//! attacker who knows the method, but not which of two tied classes was formed first: tables do not
//! show the order.

use super::tables::AuditSubject;
use crate::gate::refinement::{
    Attacker, JointAttack, RefinementVerdict, RowsMismatch, attacked, divide, fuzzy,
};
use crate::histogram::{Histogram, Release};
use crate::model::{Columns, Leaf, Node};
use crate::policy::{Policy, Search};

/// The most labels that are named.
const NAMED: usize = 12;
/// The seed for the draws that decide figures beyond the budget. It is fixed, so that the same
/// files give the same answer.
const SEED: u64 = 1;

/// The result of an attack on a release.
#[derive(Debug)]
pub struct AttackOutcome {
    /// The release, counted from 0.
    pub release: usize,
    /// The verdict; or why the policy's method cannot have made the release, in words.
    pub judged: Result<RefinementVerdict, String>,
    /// How the rows that are given as those behind the release differ from it.
    pub unlike: Option<RowsMismatch>,
}

/// Attacks every release whose classes have labels of their own; none if the policy does not
/// require it.
pub(super) fn attacks(
    subject: &AuditSubject,
    columns: &Columns,
    policy: &Policy,
) -> Vec<AttackOutcome> {
    if !policy.search().is_local() || policy.refinement().max_ratio.is_none() {
        return Vec::new();
    }
    let keeps = subject.growth.is_some();
    if keeps && policy.search() != Search::Halves {
        return Vec::new();
    }
    // The newest release of a chain whose rows keep their labels contains all labels.
    let newest = subject.releases.len() - 1;
    let local =
        (0..=newest).filter(|&at| subject.releases[at].is_local() && (!keeps || at == newest));
    let attack = |at: usize| {
        let release = &subject.releases[at];
        if let Some(why) = foreign(release, columns, policy) {
            return AttackOutcome {
                release: at,
                judged: Err(why),
                unlike: None,
            };
        }
        let class =
            |class: usize| -> (&[Node], u64) { (release.class(class), release.size(class)) };
        let classes = (0..release.classes()).map(class);
        let mut judged = attacked(
            columns,
            classes,
            (policy, Attacker::Paper),
            (SEED, JointAttack::Yes),
        );
        let mut unlike = None;
        // The files do not say which of two labels a row has.
        let tells = !keeps && !policy.search().is_micro();
        if let (Ok(judged), Some(raw)) = (&mut judged, subject.histogram.as_ref().filter(|_| tells))
        {
            match divide(&judged.release, Attacker::Paper, &behind(raw, at)) {
                Ok(held) => {
                    judged.found.fuzzy = Some(held.iter().map(|rows| fuzzy(rows)).collect())
                }
                Err(found) => unlike = Some(found),
            }
        }
        AttackOutcome {
            release: at,
            judged,
            unlike,
        }
    };
    local.map(attack).collect()
}

/// The labels that halving with a coin cannot produce, in words, if that is the policy's method.
fn foreign(release: &Release, columns: &Columns, policy: &Policy) -> Option<String> {
    let trees = columns.trees();
    let division = policy.halves().then(|| policy.division(&trees))??;
    let unreached = division.unreached(&release.class_labels(), policy.refusals());
    let labels: Vec<String> = unreached
        .iter()
        .take(NAMED)
        .map(|&class| release.describe(class, columns))
        .collect();
    let others = unreached.len() - labels.len();
    let others = if others > 0 {
        format!(", and to {others} more")
    } else {
        String::new()
    };
    let text = "halving under this policy cannot produce the label";
    let s = if labels.len() > 1 { "s" } else { "" };
    (!labels.is_empty()).then(|| format!("{text}{s} {}{others}", labels.join(", ")))
}

/// The rows that were new in a release, as leaves.
fn behind(raw: &Histogram, release: usize) -> Vec<(Vec<Leaf>, u64)> {
    let rows = |tuple: usize| -> u64 {
        let cells = raw
            .cells_of(tuple)
            .iter()
            .filter(|cell| cell.increment == release as u32);
        cells.map(|cell| u64::from(cell.count)).sum()
    };
    let tuples = (0..raw.tuples())
        .map(|tuple| (tuple, rows(tuple)))
        .filter(|&(_, rows)| rows > 0);
    tuples
        .map(|(tuple, rows)| (raw.tuple_at(tuple).collect(), rows))
        .collect()
}
