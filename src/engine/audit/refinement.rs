//! Refinement attacks on releases whose classes have labels of their own (SCIENCE 6), by an attacker who knows how such releases are
//! made, but not which of two classes that tie came first: their order is in no table.

use super::tables::AuditSubject;
use crate::gate::refinement::{Attacker, JointAttack, RefinementVerdict, RowsMismatch, attacked, divide, fuzzy};
use crate::histogram::{Histogram, Release};
use crate::model::{Columns, Leaf, Node};
use crate::policy::{OnUnsafe, Policy};

/// Labels that are named at most.
const NAMED: usize = 12;
/// Draws that decide figures beyond the budget; the same ones in every run, so that the same files give the same answer.
const SEED: u64 = 1;

/// What an attack on a release came to.
#[derive(Debug)]
pub struct AttackOutcome {
    /// The release, counted from 0.
    pub release: usize,
    /// What was found; else why it cannot have been made as the policy says, in words.
    pub judged: Result<RefinementVerdict, String>,
    /// How the rows that are said to be behind the release are not those.
    pub unlike: Option<RowsMismatch>,
}

/// Attacks every release whose classes have labels of their own; none where the policy does not ask for it.
pub fn attacks(subject: &AuditSubject, columns: &Columns, policy: &Policy) -> Vec<AttackOutcome> {
    if !policy.search().is_local() || policy.refinement().max_ratio.is_none() {
        return Vec::new();
    }
    let keeps = subject.growth.is_some();
    if keeps && policy.publish_every().is_none() {
        return Vec::new();
    }
    // The newest release of a chain whose rows keep their labels holds all of them.
    let newest = subject.releases.len() - 1;
    let local = (0..=newest).filter(|&at| subject.releases[at].is_local() && (!keeps || at == newest));
    let local = local.filter(|&at| !fell_to_the_root(&subject.releases[at], policy));
    let attack = |at: usize| {
        let release = &subject.releases[at];
        if let Some(why) = foreign(release, columns, policy) {
            return AttackOutcome { release: at, judged: Err(why), unlike: None };
        }
        let class = |class: usize| -> (&[Node], u64) { (release.class(class), release.size(class)) };
        let classes = (0..release.classes()).map(class);
        let mut judged = attacked(columns, classes, (policy, Attacker::Paper), (SEED, JointAttack::Yes));
        let mut unlike = None;
        // Under which of two labels a row is the files do not say.
        let tells = !keeps && !policy.search().is_micro();
        if let (Ok(judged), Some(raw)) = (&mut judged, subject.histogram.as_ref().filter(|_| tells)) {
            match divide(&judged.release, Attacker::Paper, &behind(raw, at)) {
                Ok(held) => judged.found.fuzzy = Some(held.iter().map(|rows| fuzzy(rows)).collect()),
                Err(found) => unlike = Some(found),
            }
        }
        AttackOutcome { release: at, judged, unlike }
    };
    local.map(attack).collect()
}

/// Whether all rows of a release are at the root because a check that reads sensitive values may have sent them there: which labels
/// they had before nothing tells, and the gate makes no refinement attack on them either.
fn fell_to_the_root(release: &Release, policy: &Policy) -> bool {
    let at_root = |class: usize| release.class(class).iter().all(|&node| node == 0);
    policy.on_unsafe() == OnUnsafe::Coarsest && (0..release.classes()).all(at_root)
}

/// The labels that halving with a coin does not come to, in words, where that is what the policy asks for.
fn foreign(release: &Release, columns: &Columns, policy: &Policy) -> Option<String> {
    policy.publish_every()?;
    let trees = columns.trees();
    let division = policy.division(&trees)?;
    let unreached = division.unreached(&release.class_labels(), policy.refusals());
    let labels: Vec<String> = unreached.iter().take(NAMED).map(|&class| release.describe(class, columns)).collect();
    let others = unreached.len() - labels.len();
    let others = if others > 0 { format!(", and to {others} more") } else { String::new() };
    let text = "halving by this policy does not come to the label";
    let s = if labels.len() > 1 { "s" } else { "" };
    (!labels.is_empty()).then(|| format!("{text}{s} {}{others}", labels.join(", ")))
}

/// The rows that were new in a release, as leaves.
fn behind(raw: &Histogram, release: usize) -> Vec<(Vec<Leaf>, u64)> {
    let rows = |tuple: usize| -> u64 {
        let cells = raw.cells_of(tuple).iter().filter(|cell| cell.increment == release as u32);
        cells.map(|cell| u64::from(cell.count)).sum()
    };
    let tuples = (0..raw.tuples()).map(|tuple| (tuple, rows(tuple))).filter(|&(_, rows)| rows > 0);
    tuples.map(|(tuple, rows)| (raw.tuple_at(tuple).collect(), rows)).collect()
}
