//! The JSON of `tidegate audit` (CONTRACTS 3). The types here are the contract:
//! `schemas/v1/audit.schema.json` is made from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::json_number::JsonNumber;
use super::refinement::{RefinementAnswer, refinements};
use super::risk::{RiskEntry, risk};
use crate::engine::audit::{
    self, AuditFigures, AuditSubject, AuditVerdict, ChainFigures, CrowdFigures, ReleaseFigures,
    Requirement, TieFigure,
};
use crate::engine::gate::certainty::FactExtent;
use crate::engine::gate::{correspondence, diversity};
use crate::engine::histogram::Release;
use crate::engine::model::Columns;
use crate::engine::policy::Policy;
use crate::engine::release::AssumedReader;

/// The result of `tidegate audit --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Audit {
    /// Every release has classes of at least `policy.k`, a proved lower bound of the chain reaches
    /// it, and every configured check passes.
    pub safe: bool,
    /// False if no proved lower bound of the chain reaches `policy.k` and no figure is below it.
    pub decided: bool,
    /// The reader that the verdict is about.
    pub reader: AssumedReader,
    /// Every failed check; empty if safe.
    pub reasons: Vec<AuditReason>,
    /// One entry per release, in the order given.
    pub releases: Vec<ReleaseEntry>,
    /// One entry per two releases.
    pub pairs: Vec<Pair>,
    /// The whole chain; null for a disjoint feed.
    pub chain: Option<AuditChain>,
    /// Whether rows keep their labels: `fa` and `ca` are then the fewest rows of a label of the
    /// earlier release, `ba` the fewest new rows of a label, and the figures of the chain the
    /// fewest rows of a label that were added together. Realised figures are the same.
    pub crowds: bool,
    /// What one release reveals to a reader who knows that it was generalised until l-diversity
    /// held; null without `--minimality`.
    pub minimality: Option<MinimalityAnswer>,
    /// Refinement attacks on releases whose classes have labels of their own, as `tidegate attack
    /// refinement` prints them; null for others, and with `policy.max_ratio = "off"`.
    pub refinement: Option<RefinementAnswer>,
    /// Numeric disclosure; null, because it is not checked.
    pub dominance: Option<NotMade>,
}

/// How strongly people are linked to guarded sets.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MinimalityAnswer {
    /// An attacker may link no person to a guarded set with more than 1/m; absent with
    /// `--requirement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub m: Option<u64>,
    /// The requirement as `--requirement` names it; present only with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// The limit of the figures: 1/l, alpha or p, the greatest `credibility`; c, which
    /// `recursive_c` must be below; t, the greatest `distance`; e, the least `span`. Present only
    /// with `--requirement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<JsonNumber>,
    /// One entry per leaf tuple that people have and guarded set, in the order of the release's
    /// classes; one per leaf tuple if the requirement considers all values.
    pub classes: Vec<TieAnswer>,
    /// The largest credibility; null if there is none.
    pub max: Option<String>,
}

/// People who were equal before the release was generalised, and one guarded set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TieAnswer {
    /// Their leaves, one per quasi column.
    pub class: Vec<String>,
    /// The guarded set, counted from 0 in the order of the feed file; absent if the requirement
    /// considers all values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<usize>,
    /// Personal privacy: the label that these people guard; `set` numbers such labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guarding: Option<String>,
    /// An exact share such as `53/86`, of the set or of the likeliest value; with `<=` before it an
    /// upper bound, if counting is too much work. Null if the release cannot have been generalised
    /// for this set or requirement.
    pub credibility: Option<String>,
    /// Recursive (c, l)-diversity: the c that the attacker's belief about one of them would need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive_c: Option<JsonNumber>,
    /// Recursive (c, l)-diversity: the greatest number of different values that they can have, if
    /// that is certainly less than l.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<usize>,
    /// t-closeness: the distance between the attacker's belief about one of them and the values of
    /// the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// (k, e)-anonymity: the difference between the lowest and the highest number that one of them
    /// can have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<JsonNumber>,
    /// Whether the attacker's belief about one of them keeps the requirement; present only with
    /// `--requirement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
}

/// Leakage from coarseness, to an attacker who knows the search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchLeakage {
    /// Classes below the permitted size whose existence every reader can infer; null if that could
    /// not be decided.
    pub certain: Option<u64>,
    /// log10 of the factor by which all rejections together reduce the possible tables, or an upper
    /// bound; null if it is not known.
    pub log10_ratio: Option<f64>,
    /// The same for the final recoding only, which is a lower bound.
    pub log10_at_least: Option<f64>,
}

/// A section that this version never fills.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotMade {}

/// A failed check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditReason {
    /// The check's name.
    pub check: &'static str,
    /// The release, counted from 0; null if it is about the chain.
    pub release: Option<usize>,
    /// The figure.
    pub value: JsonNumber,
    /// The limit that it failed.
    pub limit: JsonNumber,
    /// The same in words.
    pub text: String,
}

/// One release.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReleaseEntry {
    /// The file's name.
    pub name: String,
    /// The number of rows.
    pub rows: u64,
    /// The number of classes.
    pub classes: usize,
    /// The smallest class.
    pub k: u64,
    /// Information loss, from 0 (nothing generalised) to 1.
    pub loss: f64,
    /// Σ|class|²/N².
    pub discernibility: f64,
    /// Per quasi column the labels that occur, in preorder.
    pub recoding: BTreeMap<String, Vec<String>>,
    /// Diversity, the worst of all classes.
    pub diversity: BeforeAndAfter,
    /// What is revealed by how far the top-down search got: for the first release of a chain, or
    /// every one of a disjoint feed, and only if that search can have ended with it; otherwise
    /// null.
    pub search: Option<SearchLeakage>,
    /// Rows of earlier releases that this one leaves out and that its notice of erasure names;
    /// notices are read only with `--dir`.
    pub erased: u64,
    /// The risk of re-identification; null for releases in two tables, which show the leaves, and
    /// if rows did not keep their published labels.
    pub risk: Option<RiskEntry>,
}

/// Diversity before and after cracked rows are excluded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BeforeAndAfter {
    /// Of the published classes.
    pub before: AuditDiversity,
    /// Of the rows that attacks leave in them.
    pub after: AuditDiversity,
}

/// Diversity figures; null if the feed file does not contain what they need.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditDiversity {
    /// The least number of distinct sensitive values.
    pub distinct_l: Option<u64>,
    /// The least exp(entropy).
    pub entropy_l: Option<f64>,
    /// The largest r1 / (rl + …), with `policy.diversity.l`.
    pub recursive_c: Option<JsonNumber>,
    /// The largest share of one sensitive value.
    pub alpha: Option<f64>,
    /// The largest share of a guarded set.
    pub confidence: Option<f64>,
    /// The largest distance to the whole table, with all values equally far apart.
    pub t_equal: Option<f64>,
    /// The largest earth mover's distance along the sensitive column's taxonomy.
    pub t_hierarchical: Option<f64>,
}

/// Two releases.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pair {
    /// The earlier one, counted from 0.
    pub earlier: usize,
    /// The later one.
    pub later: usize,
    /// Candidates left after F-attacks, over all comparable classes.
    pub fa: u64,
    /// After C-attacks.
    pub ca: u64,
    /// After B-attacks.
    pub ba: u64,
    /// The same over classes that contain a person; null without the raw rows, unless rows keep
    /// their labels.
    pub realised: Option<PairRealised>,
}

/// FA, CA and BA over targets that exist.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PairRealised {
    /// Candidates left after F-attacks.
    pub fa: u64,
    /// After C-attacks.
    pub ca: u64,
    /// After B-attacks; 0 if no person was added in between.
    pub ba: u64,
}

/// A chain of releases.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditChain {
    /// The least number of candidates left over all non-empty tuples: the pair bound, or the exact
    /// solution.
    pub anonymity: u64,
    /// The paper's composed figure.
    pub paper: u64,
    /// Whether `anonymity` is exact and not only an upper bound.
    pub exact: bool,
    /// `anonymity` by increment; if recodings cross, an entry above `anonymity` may be only an
    /// upper bound.
    pub per_increment: Vec<u64>,
    /// The least number of candidates that a person has against a reader who knows the quasi
    /// columns and increments of all people; null without the raw rows, if rows did not keep their
    /// labels, and if it was too much work to find.
    pub known: Option<u64>,
    /// Over targets that exist; null without the raw rows, unless rows keep their labels.
    pub realised: Option<ChainRealised>,
}

/// Figures that need the raw rows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainRealised {
    /// The least number of candidates left: the pair bound, or the exact solution.
    pub anonymity: u64,
    /// A lower bound that no attack gets below.
    pub lower: u64,
    /// `anonymity` by increment; 0 for one without people.
    pub per_increment: Vec<u64>,
}

/// Converts an audit to its JSON form.
pub fn audit(
    figures: &AuditFigures,
    verdict: &AuditVerdict,
    subject: &AuditSubject,
    (columns, policy): (&Columns, &Policy),
    (names, named): (&[String], bool),
) -> Audit {
    let reason = |reason: &crate::engine::audit::FailedCheck| AuditReason {
        check: reason.check,
        release: reason.release,
        value: reason.value.into(),
        limit: reason.limit.into(),
        text: reason.text.clone(),
    };
    let search = |at: usize| {
        figures
            .coarse
            .iter()
            .find(|coarse| coarse.release == at)
            .and_then(searched)
    };
    let figures_of_risk = |at: usize| figures.risks.get(at)?.as_ref().map(risk);
    let entries = figures
        .releases
        .iter()
        .zip(&subject.releases)
        .zip(names)
        .enumerate();
    let entries = entries.map(|(at, ((figures, release), name))| {
        let search = search(at);
        let erased = subject
            .growth
            .as_ref()
            .map_or(0, |growth| growth.erased_rows(at));
        let risk = figures_of_risk(at);
        ReleaseEntry {
            search,
            erased,
            risk,
            ..entry(figures, release, columns, name)
        }
    });
    Audit {
        safe: verdict.safe,
        reader: if subject.people_known {
            AssumedReader::Everybody
        } else {
            AssumedReader::OnePerson
        },
        decided: verdict.decided,
        reasons: verdict.reasons.iter().map(reason).collect(),
        releases: entries.collect(),
        pairs: figures.pairs.iter().map(pair).collect(),
        chain: match (&figures.crowds, &figures.chain) {
            (Some(crowds), _) => Some(grown(crowds, subject.people_known)),
            (None, of) => of.as_ref().map(chain),
        },
        crowds: figures.crowds.is_some(),
        minimality: figures
            .minimality
            .as_ref()
            .map(|of| minimality(of, columns, named)),
        refinement: refinements(&figures.refinement, policy, columns),
        dominance: None,
    }
}

/// None for a release that the search cannot have ended with.
fn searched(of: &audit::CoarsenessLeak) -> Option<SearchLeakage> {
    let leakage = SearchLeakage {
        certain: (of.certainty.answer == FactExtent::Whole)
            .then_some(of.certainty.facts.len() as u64),
        log10_ratio: of.wholly,
        log10_at_least: of.finally,
    };
    (of.certainty.answer != FactExtent::Impossible).then_some(leakage)
}

fn minimality(of: &audit::MinimalityFigures, columns: &Columns, named: bool) -> MinimalityAnswer {
    let tie = |tie: &audit::GuardedTie| {
        let mut entry = TieAnswer {
            class: tie
                .leaves
                .iter()
                .zip(columns.trees())
                .map(|(&node, tree)| tree.label(node).to_owned())
                .collect(),
            set: tie.set,
            guarding: tie.set.and_then(|set| of.guarding.get(set).cloned()),
            credibility: tie.credibility.as_ref().map(ToString::to_string),
            recursive_c: None,
            distinct: None,
            distance: None,
            span: None,
            kept: named.then_some(tie.kept),
        };
        match tie.figure {
            TieFigure::Share => {}
            TieFigure::Recursive { c, few } => {
                (entry.recursive_c, entry.distinct) = (Some(c.into()), few)
            }
            TieFigure::Distance(distance) => entry.distance = Some(distance),
            TieFigure::Span(span) => entry.span = Some(span.into()),
        }
        entry
    };
    let max = of
        .strongest(None)
        .map(|(_, credibility)| credibility.to_string());
    let m = match of.requirement {
        Requirement::Diverse { l } if !named => Some(l),
        _ => None,
    };
    MinimalityAnswer {
        m,
        requirement: named.then(|| of.requirement.to_string()),
        limit: named.then(|| of.requirement.limit().into()),
        classes: of.ties.iter().map(tie).collect(),
        max,
    }
}

fn entry(
    figures: &ReleaseFigures,
    release: &Release,
    columns: &Columns,
    name: &str,
) -> ReleaseEntry {
    let quasi = columns
        .of(crate::engine::model::Role::Quasi)
        .zip(columns.trees())
        .enumerate();
    let labels = quasi.map(|(at, (column, tree))| {
        let shown = release
            .shown(at)
            .into_iter()
            .map(|node| tree.label(node).to_owned())
            .collect();
        (column.name.to_string(), shown)
    });
    ReleaseEntry {
        name: name.to_owned(),
        rows: figures.rows,
        classes: figures.classes,
        k: figures.smallest.0,
        loss: figures.loss,
        discernibility: figures.discernibility,
        recoding: labels.collect(),
        diversity: BeforeAndAfter {
            before: diversity(&figures.before),
            after: diversity(&figures.after),
        },
        search: None,
        erased: 0,
        risk: None,
    }
}

fn diversity(of: &diversity::DiversityFigures) -> AuditDiversity {
    AuditDiversity {
        distinct_l: of.distinct_l,
        entropy_l: of.entropy_l,
        recursive_c: of.recursive_c.map(|c| {
            if c.is_finite() {
                JsonNumber::Real(c)
            } else {
                c.into()
            }
        }),
        alpha: of.alpha,
        confidence: of.confidence,
        t_equal: of.t_equal,
        t_hierarchical: of.t_hierarchical,
    }
}

fn pair(pair: &crate::engine::audit::PairFigures) -> Pair {
    let figures =
        |of: &correspondence::Anonymity| [of.fa, of.ca, of.ba].map(|figure| figure.unwrap_or(0));
    let [fa, ca, ba] = figures(&pair.all);
    let realised = pair.realised.as_ref().map(|of| {
        let [fa, ca, ba] = figures(of);
        PairRealised { fa, ca, ba }
    });
    Pair {
        earlier: pair.earlier,
        later: pair.later,
        fa,
        ca,
        ba,
        realised,
    }
}

fn chain(chain: &ChainFigures) -> AuditChain {
    let per_increment: Vec<u64> = chain.all.iter().map(|target| target.left).collect();
    let realised = chain.realised.as_ref().map(|realised| {
        let people: Vec<Option<u64>> = realised
            .all
            .iter()
            .map(|target| target.as_ref().map(|target| target.left))
            .collect();
        ChainRealised {
            anonymity: people.iter().flatten().min().copied().unwrap_or(0),
            lower: realised.lower.iter().flatten().min().copied().unwrap_or(0),
            per_increment: people.into_iter().map(|left| left.unwrap_or(0)).collect(),
        }
    });
    AuditChain {
        anonymity: per_increment.iter().min().copied().unwrap_or(0),
        paper: chain.paper,
        exact: chain.exact(),
        per_increment,
        known: chain.known.as_ref().and_then(|known| known.exact()),
        realised,
    }
}

/// A chain whose rows keep their labels.
fn grown(crowds: &CrowdFigures, people_known: bool) -> AuditChain {
    let per_increment: Vec<u64> = (0..crowds.new.len())
        .map(|at| crowds.left(at).unwrap_or(0))
        .collect();
    let (anonymity, exact) = (crowds.anonymity(), crowds.exact());
    let lower = if exact { anonymity } else { 0 };
    let realised = ChainRealised {
        anonymity,
        lower,
        per_increment: per_increment.clone(),
    };
    // The people of a label who came together stay together, so there is nothing else that a reader
    // could know of them.
    let known = (exact && people_known).then_some(anonymity);
    AuditChain {
        anonymity,
        paper: anonymity,
        exact,
        per_increment,
        known,
        realised: Some(realised),
    }
}
