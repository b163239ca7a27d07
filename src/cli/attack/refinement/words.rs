//! The attack for a person at a terminal: which classes, how many sets of rows remain possible of
//! how many, and why.

use std::fmt::Write;

use super::subject::AttackSubject;
use crate::engine::gate::refinement::{
    AttackResult, AttackTarget, AttackedRows, Attacker, FailedLimit, Joint, RatioFigure,
    RepeatedValues, SolutionCount, certain, short,
};
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The whole answer as text.
pub(super) fn report(found: &AttackResult, subject: &AttackSubject) -> String {
    let mut text = String::new();
    wrapped(&mut text, "", &head(found, subject));
    put(&mut text, "");
    table(&mut text, found, subject);
    together(&mut text, found, subject);
    judgement(&mut text, found, subject);
    text
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("writing to a string");
}

/// The attacked release and its attacker.
pub(super) fn head(found: &AttackResult, subject: &AttackSubject) -> String {
    let (classes, outliers) = (subject.release.classes().len(), subject.release.outliers());
    let shown = match subject.release.rule() {
        rule if rule.is_unordered() => {
            many(subject.release.places().len() as u64, "class", "classes")
        }
        _ => format!(
            "{} and {}",
            many(classes as u64, "class", "classes"),
            many(outliers, "outlier", "outliers")
        ),
    };
    let who = match subject.attacker {
        Attacker::Paper => "who knows the release and the algorithm",
        Attacker::Strongest => {
            "who knows the release, the algorithm and the order in which classes were formed"
        }
    };
    let values = match found.values {
        RepeatedValues::Repeated => "two rows may be equal",
        RepeatedValues::Distinct => "no two rows are equal",
    };
    format!(
        "{}: {shown}, made with k = {}; attacked by a reader {who}; {values}",
        subject.name,
        subject.release.k()
    )
}

/// The reasons against the release, those about the worst targets first.
pub(super) fn reasons(found: &AttackResult) -> Vec<&FailedLimit> {
    let mut place = vec![0; found.targets.len()];
    worst(&found.targets)
        .into_iter()
        .enumerate()
        .for_each(|(rank, at)| place[at] = rank);
    let last = found.targets.len();
    let rank = |against: &&FailedLimit| match against.target {
        Some(AttackedRows::Class(at)) => place[at],
        Some(AttackedRows::Outliers) => place[last - 1],
        None => last,
    };
    let mut reasons: Vec<&FailedLimit> = found.against.iter().collect();
    reasons.sort_by_key(rank);
    reasons
}

/// A number with its noun.
fn many(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// The most targets that are written out.
const MOST: usize = 20;

fn table(text: &mut String, found: &AttackResult, subject: &AttackSubject) {
    put(
        text,
        "The attack leaves some of the possible sets of rows of a class; the ratio is the factor by which their \
         number falls",
    );
    put(
        text,
        "  known: parts of the class with a certain number of rows, 1 to k - 1",
    );
    let mut heads = ["rows", "possible", "remain", "ratio", "known"]
        .map(Head::Right)
        .to_vec();
    if found.fuzzy.is_some() {
        put(text, "  alone: cells that really contain one person only");
        heads.push(Head::Right("alone"));
    }
    put(text, "");
    heads.push(Head::Left("class"));
    let mut table = TextTable::new(&heads);
    let worst = worst(&found.targets);
    for &at in worst.iter().take(MOST) {
        let target = &found.targets[at];
        let [possible, remain] = [&target.lr, &target.cra].map(count);
        let known = certain(target).map_or("?".to_owned(), |crowds| crowds.len().to_string());
        let figures = [
            target.rows.to_string(),
            possible,
            remain,
            self::ratio(&target.ratio),
            known,
        ];
        let alone = found.fuzzy.as_ref().map(|fuzzy| fuzzy[at].to_string());
        table.row(
            figures
                .into_iter()
                .chain(alone)
                .chain([called(target, subject)]),
        );
    }
    table.write(text, "");
    if worst.len() > MOST {
        put(
            text,
            &format!(
                "  … the {MOST} worst of {}; --json lists all, --html draws them",
                worst.len()
            ),
        );
    }
    put(text, "");
}

/// The name of a target in a table of classes.
pub(super) fn called(target: &AttackTarget, subject: &AttackSubject) -> String {
    match target.place {
        AttackedRows::Class(_) => subject.describe(target.place),
        AttackedRows::Outliers if subject.release.rule().is_unordered() => {
            subject.describe(target.place)
        }
        AttackedRows::Outliers => "outliers".to_owned(),
    }
}

/// The numbers of the targets: those with unknown figures first, then by falling ratio.
pub(super) fn worst(targets: &[AttackTarget]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..targets.len()).collect();
    let ratio = |at: &usize| targets[*at].ratio.log10().unwrap_or(f64::INFINITY);
    order.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    order
}

/// Whether a target reveals, or may reveal, anything beyond its labels.
pub(super) fn is_revealing(target: &AttackTarget) -> bool {
    target.ratio.log10() != Some(0.0) || certain(target).is_none_or(|crowds| !crowds.is_empty())
}

/// A count: `?` where it is not known, `≥` where it is a bound.
pub(super) fn count(count: &SolutionCount) -> String {
    match (count, count.log10()) {
        (SolutionCount::AtLeast { .. }, Some(log10)) => format!("≥{}", short(log10)),
        (_, Some(log10)) => short(log10),
        (SolutionCount::Exact(_), None) => "0".to_owned(),
        (_, None) => "?".to_owned(),
    }
}

/// A ratio: `?` where it is not known, `≤` where it is a bound.
pub(super) fn ratio(ratio: &RatioFigure) -> String {
    match (ratio, ratio.log10()) {
        (RatioFigure::AtMost { .. }, Some(log10)) => format!("≤{}", short(log10)),
        (_, Some(log10)) => short(log10),
        (_, None) => "?".to_owned(),
    }
}

/// The leakage of all targets together, in words.
pub(super) fn joint(joint: Option<&Joint>) -> String {
    let Some(joint) = joint else {
        return "Joint attack on all classes: the attack ran out of budget".to_owned();
    };
    match joint.ratio.log10().zip(joint.estimate()) {
        Some((bound, likely)) => {
            let [bound, likely] = [bound, likely].map(short);
            format!(
                "Joint attack on all classes: possibilities reduced by a factor of up to {bound} (estimate {likely})"
            )
        }
        None => format!(
            "Joint attack on all classes: possibilities reduced by more than the product of the ratios, the factor is \
             not known: the sets of all classes were possible together in {} of {}",
            joint.kept,
            many(joint.draws, "draw", "draws")
        ),
    }
}

fn together(text: &mut String, found: &AttackResult, subject: &AttackSubject) {
    if found.targets.len() > 1 {
        wrapped(text, "", &joint(found.joint.as_ref()));
        put(text, "");
    }
    if let Some(odds) = odds(found, subject) {
        wrapped(text, "", &odds);
        put(text, "");
    }
}

/// The leakage of labels that were made by halving with a coin, in words.
pub(super) fn odds(found: &AttackResult, subject: &AttackSubject) -> Option<String> {
    let bound = found.max_bound(&subject.release)?;
    Some(format!(
        "Halving may have refused to divide a class further. Each refusal changes the odds of where in its label a \
         person is by a factor of at most 4. The largest product for any class is {bound}."
    ))
}

/// The verdict, in one line.
pub(super) fn verdict(found: &AttackResult, subject: &AttackSubject) -> String {
    let odds = found.max_bound(&subject.release).is_some();
    match found.limits.max_ratio {
        None => "NOT CHECKED: policy.max_ratio is off".to_owned(),
        Some(limit) if found.against.is_empty() && odds => {
            format!(
                "SAFE: no label changes the odds of where a person is by a factor above {limit}"
            )
        }
        Some(limit) if found.against.is_empty() => format!(
            "SAFE: every ratio is at most {limit}, at least {} sets of rows remain, and no class smaller than k can be counted with certainty",
            found.limits.min_solutions
        ),
        Some(_) => "UNSAFE".to_owned(),
    }
}

/// A note on outliers that form no class, which no limit of an attack judges.
pub(super) fn few(subject: &AttackSubject) -> Option<String> {
    let (rows, k) = (subject.release.outliers(), subject.release.k());
    let few = (1..k).contains(&rows) && !subject.release.rule().is_unordered();
    few.then(|| {
        format!(
            "{} are at the root, fewer than k = {k}: `tidegate audit` checks that.",
            many(rows, "row", "rows")
        )
    })
}

/// The most reasons that are written out.
const MOST_REASONS: usize = 12;

fn judgement(text: &mut String, found: &AttackResult, subject: &AttackSubject) {
    wrapped(text, "", &verdict(found, subject));
    if let Some(few) = few(subject) {
        wrapped(text, "", &few);
    }
    if found.against.is_empty() {
        return;
    }
    for against in reasons(found).into_iter().take(MOST_REASONS) {
        wrapped(text, "  - ", &against.finding.text);
    }
    if found.against.len() > MOST_REASONS {
        put(
            text,
            &format!(
                "  - … and {} more; --json lists all",
                found.against.len() - MOST_REASONS
            ),
        );
    }
    put(text, "\nWhat to do");
    for advice in advice(found, subject) {
        wrapped(text, "  - ", advice);
    }
}

/// Remedies for the reasons, one line each.
fn advice(found: &AttackResult, subject: &AttackSubject) -> Vec<&'static str> {
    let mut advice = vec![
        "make the release again with coarser leaves, fewer columns or a larger k: with fewer layers below a class, its \
         position reveals less. Then attack it again, because all its classes are new",
        "do not merge or move rows by hand: that is a different algorithm, to which this attack does not apply",
    ];
    if found
        .against
        .iter()
        .any(|against| against.finding.limit.is_none())
    {
        advice
            .push("the attack ran out of budget on classes with many rows or wide labels; add levels to the taxonomy");
    }
    if subject.attacker == Attacker::Paper && !subject.release.rule().is_unordered() {
        advice
            .push("also give the order of formation with --classes: an attacker who knows it learns at least as much");
    }
    advice
}
