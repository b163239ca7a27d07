//! The audit for a person at a terminal: which releases, which class, how few candidates are left,
//! what to do.

use std::fmt::Write;

use super::{crowds, risk_words};
use crate::engine::audit::{AttackOutcome, AuditFigures, AuditSubject, AuditVerdict, ChainFigures};
use crate::engine::gate::certainty::FactExtent;
use crate::engine::gate::minimality::Credibility;
use crate::engine::gate::refinement::short;
use crate::engine::model::ReleaseColumn;
use crate::engine::policy::{ChainKind, Distance, Policy, Search};
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The report.
pub(super) fn report(
    figures: &AuditFigures,
    verdict: &AuditVerdict,
    subject: &AuditSubject,
    policy: &Policy,
    names: &[String],
) -> String {
    let mut text = String::new();
    let n = names.len();
    let how = match (n, policy.kind()) {
        (1, _) => "1 release, checked as its readers see it".to_owned(),
        (_, ChainKind::Cumulative) => {
            format!("{n} releases, checked together as their readers see them")
        }
        (_, ChainKind::Disjoint) => format!("{n} releases of different people, checked one by one"),
    };
    put(&mut text, &how);
    put(&mut text, "");
    releases(&mut text, figures, names);
    if let Some(crowds) = &figures.crowds {
        crowds::report(&mut text, crowds, subject);
    }
    if let Some(chain) = figures.chain.as_ref().filter(|_| n > 1) {
        pairs(&mut text, figures);
        whole(&mut text, chain, policy.k());
    }
    risk_words::report(&mut text, figures);
    diversity(&mut text, figures, policy);
    minimality(&mut text, figures, policy);
    refinement(&mut text, figures, policy);
    if policy.refinement().max_global_ratio.is_some() {
        coarse(&mut text, figures);
    }
    judgement(&mut text, verdict, figures, subject, policy);
    text
}

/// The leakage of this program's search; nothing for releases that other programs made.
fn coarse(text: &mut String, figures: &AuditFigures) {
    let known = figures
        .coarse
        .iter()
        .filter(|coarse| coarse.certainty.answer != FactExtent::Impossible);
    let lines = known.map(|coarse| {
        let ratio = match coarse.wholly {
            Some(log10) => format!("10^{log10:.2}"),
            None => "not known".to_owned(),
        };
        let least = coarse.finally.map_or(String::new(), |log10| {
            format!("; the final labels alone by 10^{log10:.2}")
        });
        let certain = coarse.certainty.facts.len();
        format!(
            "{:>4}  small classes that are certain: {certain}; narrowed down by {ratio}{least}",
            coarse.release + 1
        )
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        put(
            text,
            "Leakage from coarseness, to an attacker who knows the search",
        );
        lines.iter().for_each(|line| put(text, line));
        put(text, "");
    }
}

/// The results of attacks on classes with labels of their own.
fn refinement(text: &mut String, figures: &AuditFigures, policy: &Policy) {
    if figures.refinement.is_empty() {
        if policy.search().is_local() {
            put(
                text,
                "Not checked: what labels reveal about the rows of classes (policy.max_ratio = \"off\")",
            );
            put(text, "");
        } else if figures.crowds.is_some() {
            put(
                text,
                "Not checked: what labels reveal about the position of people, because policy.search is not \
                 \"halves\"",
            );
            put(text, "");
        }
        return;
    }
    put(
        text,
        "Leakage from the labels of classes about their rows, to an attacker who knows the algorithm",
    );
    let mut table = TextTable::new(&[
        Head::Right(""),
        Head::Left("by"),
        Head::Left("small classes that are certain"),
    ]);
    for AttackOutcome {
        release, judged, ..
    } in &figures.refinement
    {
        let found = judged.as_ref().map(|judged| &judged.found);
        let most = found.as_ref().map_or("impossible".to_owned(), |found| {
            found
                .max_log10_ratio()
                .map_or("not known".to_owned(), short)
        });
        let crowds = found.map_or(
            "it cannot have been made under this policy".to_owned(),
            |found| {
                found
                    .crowds()
                    .map_or("not known".to_owned(), |crowds| crowds.to_string())
            },
        );
        table.row([(release + 1).to_string(), most, crowds]);
    }
    table.write(text, "  ");
    for judged in figures
        .refinement
        .iter()
        .filter_map(|attacked| attacked.judged.as_ref().ok())
    {
        if let Some(bound) = judged.found.max_bound(&judged.release) {
            put(
                text,
                &format!(
                    "  a label changes the odds of a person's position by a factor of up to {bound}"
                ),
            );
        }
    }
    put(
        text,
        "  `tidegate attack refinement` shows it class by class",
    );
    put(text, "");
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("writing to a string");
}

fn releases(text: &mut String, figures: &AuditFigures, names: &[String]) {
    let [rows, classes, smallest, loss] =
        ["rows", "classes", "smallest class", "loss"].map(Head::Right);
    let mut table = TextTable::new(&[
        Head::Right(""),
        Head::Left("release"),
        rows,
        classes,
        smallest,
        loss,
    ]);
    for (at, (release, name)) in figures.releases.iter().zip(names).enumerate() {
        let [number, rows, classes] =
            [at as u64 + 1, release.rows, release.classes as u64].map(|count| count.to_string());
        table.row([
            number,
            name.clone(),
            rows,
            classes,
            release.smallest.0.to_string(),
            format!("{:.3}", release.loss),
        ]);
    }
    table.write(text, "  ");
    put(text, "");
}

/// The greatest number of pairs that are listed.
const MOST_PAIRS: usize = 15;

fn pairs(text: &mut String, figures: &AuditFigures) {
    put(text, "Candidates left when two releases are compared");
    put(
        text,
        "  F: rows of the earlier release for people in it   C: rows of the later one for the same people",
    );
    put(
        text,
        "  B: rows of the later release for people who came in between",
    );
    let mut worst: Vec<_> = figures.pairs.iter().collect();
    let least = |pair: &&crate::engine::audit::PairFigures| {
        let of = pair.realised.as_ref().unwrap_or(&pair.all);
        [of.fa, of.ba].into_iter().flatten().min()
    };
    if worst.len() > MOST_PAIRS {
        worst.sort_by_key(least);
        worst.truncate(MOST_PAIRS);
    }
    let known = figures.pairs.iter().any(|pair| pair.realised.is_some());
    let mut heads = vec![
        Head::Left("releases"),
        Head::Right("all classes: F"),
        Head::Right("C"),
        Head::Right("B"),
    ];
    if known {
        heads.extend(["existing people: F", "C", "B"].map(Head::Right));
    }
    let mut table = TextTable::new(&heads);
    for pair in &worst {
        let show = |figure: Option<u64>| figure.map_or("-".to_owned(), |figure| figure.to_string());
        let all = [pair.all.fa, pair.all.ca, pair.all.ba].map(show);
        let realised = pair
            .realised
            .as_ref()
            .map(|realised| [realised.fa, realised.ca, realised.ba].map(show));
        let name = format!("{} and {}", pair.earlier + 1, pair.later + 1);
        table.row(
            [name]
                .into_iter()
                .chain(all)
                .chain(realised.into_iter().flatten()),
        );
    }
    put(text, "");
    table.write(text, "  ");
    if figures.pairs.len() > worst.len() {
        put(
            text,
            &format!(
                "  … the {} worst of {} pairs; --json has them all",
                worst.len(),
                figures.pairs.len()
            ),
        );
    }
    put(text, "");
}

fn whole(text: &mut String, chain: &ChainFigures, k: u64) {
    let judged = || (0..chain.all.len()).filter(|&at| !chain.empty[at]);
    let all = judged().map(|at| chain.all[at].left).min().unwrap_or(0);
    let kind = if chain.exact() { "exactly" } else { "at most" };
    let left = candidates(&all.to_string());
    let everywhere = format!("over every class that a person could be in (k = {k})");
    if let Some(realised) = &chain.realised {
        let people = realised
            .all
            .iter()
            .flatten()
            .map(|target| target.left)
            .min()
            .unwrap_or(0);
        let lower = realised.lower.iter().flatten().min().copied().unwrap_or(0);
        let sure = chain.exact_realised() || lower >= people;
        let range = if sure {
            format!("exactly {people}")
        } else {
            format!("{lower} to {people}")
        };
        let range = candidates(&range);
        put(
            text,
            &format!(
                "All releases together leave {range} for the people who are really in the data (k = {k})"
            ),
        );
        let by: Vec<String> = realised
            .all
            .iter()
            .map(|at| at.as_ref().map_or("-".into(), |at| at.left.to_string()))
            .collect();
        wrapped(text, "  by the release they were new in: ", &by.join(", "));
        put(
            text,
            &format!("Including empty classes: {kind} {left}, {everywhere}"),
        );
        if let Some(known) = &chain.known {
            let range = match known.exact() {
                Some(known) => known.to_string(),
                None if known.left == u64::MAX => format!("at least {}", known.proven),
                None => format!("{} to {}", known.proven, known.left),
            };
            let range = candidates(&range);
            put(
                text,
                &format!(
                    "To a reader who knows everybody's quasi columns and when each person was added: {range}"
                ),
            );
        }
    } else {
        put(
            text,
            &format!("All releases together leave {kind} {left}, {everywhere}"),
        );
        put(
            text,
            "Without --increment, classes that may be empty are counted too",
        );
        let by: Vec<String> = chain
            .all
            .iter()
            .map(|target| target.left.to_string())
            .collect();
        wrapped(
            text,
            "  by the release that people were new in: ",
            &by.join(", "),
        );
    }
    if chain.empty.iter().any(|&empty| empty) {
        let empty: Vec<String> = (0..chain.empty.len())
            .filter(|&at| chain.empty[at])
            .map(|at| (at + 1).to_string())
            .collect();
        put(
            text,
            &format!(
                "Release {} adds no rows, so nothing is to be attacked and it is not checked",
                empty.join(", ")
            ),
        );
    }
    put(text, "");
}

/// The greatest number of releases whose diversity is listed.
const MOST_RELEASES: usize = 20;

fn diversity(text: &mut String, figures: &AuditFigures, policy: &Policy) {
    let limits = policy.diversity().and_then(|limits| limits.closeness);
    let along = limits.is_some_and(|closeness| closeness.distance == Distance::Hierarchical);
    put(
        text,
        "Sensitive values in the worst class, before and after rows that attacks exclude",
    );
    let heads = ["distinct", "entropy-l", "largest share", "distance to all"].map(Head::Left);
    let mut table = TextTable::new(
        &[Head::Right("")]
            .into_iter()
            .chain(heads)
            .collect::<Vec<_>>(),
    );
    for (at, release) in figures.releases.iter().enumerate().take(MOST_RELEASES) {
        let whole = |before: Option<u64>, after: Option<u64>| match (before, after) {
            (Some(before), Some(after)) => format!("{before} / {after}"),
            _ => "-".to_owned(),
        };
        let real = |before: Option<f64>, after: Option<f64>| match (before, after) {
            (Some(before), Some(after)) => format!("{before:.2} / {after:.2}"),
            _ => "-".to_owned(),
        };
        let (before, after) = (&release.before, &release.after);
        let distance = match along {
            true => real(before.t_hierarchical, after.t_hierarchical),
            false => real(before.t_equal, after.t_equal),
        };
        table.row([
            (at + 1).to_string(),
            whole(before.distinct_l, after.distinct_l),
            real(before.entropy_l, after.entropy_l),
            real(before.alpha, after.alpha),
            distance,
        ]);
    }
    table.write(text, "  ");
    put(text, "");
}

fn minimality(text: &mut String, figures: &AuditFigures, policy: &Policy) {
    let Some(found) = &figures.minimality else {
        if policy.masking().is_some() {
            put(
                text,
                "Not checked without --minimality: what knowledge of the algorithm reveals about guarded sets \
                 (policy.m)",
            );
            put(text, "");
        }
        return;
    };
    let (limits, of) = (found.requirement, |set: Option<usize>| {
        set.map_or("any".to_owned(), |set| (set + 1).to_string())
    });
    let to = match found.sets()[..] {
        _ if !found.guarding.is_empty() => "the value that they guard, which --json names",
        [None] => "any one value",
        _ => "guarded sets",
    };
    put(
        text,
        &format!(
            "How strongly an attacker who knows that the requirement was {} links people to {to}",
            limits.named()
        ),
    );
    let mut table = TextTable::new(&[
        Head::Right(""),
        Head::Left("strongest"),
        Head::Left("people beyond the limit"),
    ]);
    for set in found.sets() {
        let among = || found.ties.iter().filter(move |tie| tie.set == set);
        let known = among().filter_map(|tie| tie.credibility.as_ref());
        let Some(most) = known.reduce(|most, next| {
            if next.compare(most).is_gt() {
                next
            } else {
                most
            }
        }) else {
            table.row([
                of(set),
                "impossible".into(),
                "the release cannot have been generalised for this requirement".into(),
            ]);
            continue;
        };
        let people: u64 = among().filter(|tie| !tie.kept).map(|tie| tie.people).sum();
        let exact = if matches!(most, Credibility::Exact(_)) {
            ""
        } else {
            "≤"
        };
        table.row([
            of(set),
            format!("{exact}{:.4}", most.value()),
            people.to_string(),
        ]);
    }
    table.write(text, "  ");
    put(text, "");
}

/// The greatest number of reasons that are listed.
const MOST_REASONS: usize = 12;

fn judgement(
    text: &mut String,
    verdict: &AuditVerdict,
    figures: &AuditFigures,
    subject: &AuditSubject,
    policy: &Policy,
) {
    if verdict.safe {
        let crowd = if policy.kind() == ChainKind::Cumulative && figures.releases.len() > 1 {
            "comparing these releases reduces the candidates of no person"
        } else {
            "every class has at least that many rows"
        };
        put(
            text,
            &format!("SAFE for k = {} against {}:", policy.k(), reader(subject)),
        );
        put(text, &format!("{crowd}."));
        if policy.diversity().is_none() {
            put(
                text,
                "Diversity is not checked (no policy.diversity): a class whose members share one value still reveals it.",
            );
        }
        return;
    }
    let verdict_words = if verdict.decided {
        "UNSAFE"
    } else {
        "UNDECIDED, which counts as unsafe,"
    };
    put(
        text,
        &format!("{verdict_words} against {}:", reader(subject)),
    );
    for reason in verdict.reasons.iter().take(MOST_REASONS) {
        wrapped(text, "  - ", &reason.text);
    }
    if verdict.reasons.len() > MOST_REASONS {
        put(
            text,
            &format!(
                "  - … and {} more; --json lists all",
                verdict.reasons.len() - MOST_REASONS
            ),
        );
    }
    put(text, "\nWhat to do");
    for advice in advice(verdict, figures, subject, policy) {
        wrapped(text, "  - ", advice);
    }
}

/// The reader that the verdict is about.
fn reader(subject: &AuditSubject) -> &'static str {
    match subject.people_known {
        true => "a reader who knows everybody's quasi columns and when each person was added",
        false => "a reader who knows one person's quasi columns and when that person was added",
    }
}

/// "1 candidate", "exactly 4 candidates".
fn candidates(count: &str) -> String {
    let one = count == "1" || count.ends_with(" 1") && !count.contains("to");
    format!("{count} candidate{}", if one { "" } else { "s" })
}

/// What a person can do about the reasons, one line each.
fn advice(
    verdict: &AuditVerdict,
    figures: &AuditFigures,
    subject: &AuditSubject,
    policy: &Policy,
) -> Vec<&'static str> {
    let has = |check: &str| verdict.reasons.iter().any(|reason| reason.check == check);
    let mut advice = Vec::new();
    if figures.crowds.is_some() {
        advice.extend(crowds::advice(verdict));
    } else if has("k") {
        advice.push("generalise the release until every class has k rows, or suppress the rows of small classes");
    }
    if has("chain")
        && figures
            .chain
            .as_ref()
            .is_some_and(|chain| chain.realised.is_none())
    {
        advice.push("give the raw rows of every release with --increment: then the audit counts only people who exist");
    }
    let recoded = has("chain") && figures.crowds.is_none();
    if recoded && verdict.decided {
        if subject.number.iter().any(|&number| number > 0) {
            advice
                .push("if the last release is not published yet, use the recoding of the one before, or a coarser one");
        }
        advice.push(
            "a release that adds few people to a class reveals them: wait for a larger increment before you publish",
        );
        advice.push(
            "releases that are already published cannot be recalled: begin a new chain with people who were in \
             none of them",
        );
    }
    if recoded && !verdict.decided {
        advice.push(
            "use recodings of which any two are nested: one of them is coarser in every column",
        );
    }
    let named = [
        "k",
        "chain",
        ReleaseColumn::NAME,
        "max_loss",
        "minimality",
        "refinement",
        "certainty",
        "max_global_ratio",
    ];
    if verdict
        .reasons
        .iter()
        .any(|reason| !named.contains(&reason.check))
    {
        advice.push("generalise classes in which one value is frequent, or relax policy.diversity");
    }
    if has("minimality") {
        advice.push(
            "do not generalise until a requirement on sensitive values holds: form classes by k alone, without looking \
             at sensitive values. To generalise this release further does not help",
        );
    }
    if has("refinement") && policy.search() == Search::Halves {
        advice.push(
            "make the release again under this policy; a table in which rows were merged or moved by hand is \
             not the result of halving",
        );
    } else if has("refinement") {
        advice.push(
            "make the release again with coarser leaves, fewer columns or a larger k, or with search = \"halves\", \
             which a refinement attack does not narrow down. Do not merge or move rows by hand: that is a different \
             algorithm, to which this attack does not apply",
        );
    }
    if has("certainty") || has("max_global_ratio") {
        advice.push(
            "the coarseness of the labels leaks information: make one column one step coarser, and keep it so in all \
             later releases",
        );
    }
    if has("max_loss") {
        advice.push("wait for more rows, or allow more generalisation with policy.max_loss");
    }
    if policy.kind() == ChainKind::Disjoint && advice.is_empty() {
        advice.push("generalise the release further");
    }
    advice
}
