//! A feed in sentences for a person who runs a hospital's data platform: what is guaranteed, what
//! waits, what is checked. Separates what `audit` and `anonymize` do from what only the daemon will
//! do; must never understate a limit.

use super::{local_recoding, one_recoding};
use crate::daemon::config::{
    Approval, FeedConfig, RecordRules, SourcePlace, TextPattern, Ticks, WebhookSettings, path_text,
};
use crate::engine::model::{Column, ColumnSource, DateNotation, DerivedFrom, Role, TextStep};
use crate::engine::policy::{
    ChainKind, Decimal, Distance, DiversityLimits, Guarantee, Masking, OnRepeat, Output, Policy,
};

/// What is done to the text of a column before its type is read.
pub(super) fn changed(source: &ColumnSource) -> Vec<String> {
    let mut words: Vec<String> = source.steps.iter().map(of_step).collect();
    if let Some(DerivedFrom { figure, columns }) = &source.derived {
        words.push(format!(
            "computed: {} of {}",
            figure.name(),
            columns.join(" and ")
        ));
    }
    words
}

/// What a step does to the text of a column.
fn of_step(step: &TextStep) -> String {
    match step {
        TextStep::Trim => "without spaces at both ends".to_owned(),
        TextStep::Upper => "in capitals".to_owned(),
        TextStep::Lower => "in small letters".to_owned(),
        TextStep::Nfc => "in Unicode NFC".to_owned(),
        TextStep::Digits => "digits only".to_owned(),
        TextStep::Comma => "with a decimal point in the place of a comma".to_owned(),
        TextStep::Part { separator, index } => format!("part {index} between `{separator}`"),
        TextStep::First(characters) => format!("the first {characters} characters"),
        TextStep::Map(table) => format!("{} texts have another one instead", table.len()),
        TextStep::Date(notation) => {
            let written = match notation {
                DateNotation::Iso => "2020-01-31, perhaps with a time",
                DateNotation::Hl7 => "20200131, perhaps with a time",
                DateNotation::EpochDays => "days since 1970-01-01",
                DateNotation::EpochMs => "milliseconds since 1970-01-01",
                DateNotation::EpochUs => "microseconds since 1970-01-01",
                DateNotation::Pattern(pattern) => pattern,
            };
            format!("a day, written as {written}")
        }
    }
}

/// What releases are checked for.
pub(super) fn explain(feed: &FeedConfig) -> Vec<String> {
    let policy = &feed.policy;
    let k = policy.k();
    let mut said = vec![match policy.kind() {
        ChainKind::Disjoint => {
            "Every release contains only the newest people (a disjoint chain).".into()
        }
        ChainKind::Cumulative => {
            "Every release contains all people so far (a cumulative chain).".into()
        }
    }];
    said.push(match policy.output() {
        Output::OneTable => format!(
            "Every class has at least {k} people with the same labels in all quasi columns (k = {k}), in each release and when \
             releases are compared."
        ),
        Output::TwoTable => format!(
            "The quasi columns of all people are published unchanged, in a table of their own; the sensitive value of \
             a person is hidden among the values of at least {k} people (k = {k}). An attacker who knows a person's \
             quasi columns can tell whether that person is in the release: membership is disclosed (output = \
             \"two-table\")."
        ),
    });
    match policy.diversity() {
        None => said.push(
            "No check looks at the sensitive values of a class: they may all be the same (diversity is off).".into(),
        ),
        Some(limits) => said.push(format!("In every class, after all attacks, {}.", diversity(limits).join("; "))),
    }
    said.push(match policy.max_loss() {
        limit if limit == Decimal::ONE => "No limit on information loss (max_loss = 1).".into(),
        limit => {
            format!("A release that loses more than {limit} of its detail (0 = none, 1 = all) is unsafe (max_loss).")
        }
    });
    said
}

/// How releases are made: what is guaranteed, what waits, how a recoding is found.
pub(super) fn publishing(feed: &FeedConfig) -> Vec<String> {
    let policy = &feed.policy;
    let mut said = Vec::new();
    said.push(guarantee(policy));
    if policy.has_atoms() && !policy.search().is_local() {
        said.push(standing(policy.a()));
    }
    said.extend(policy.masking().map(masking));
    if policy.diversity().is_some() || policy.masking().is_some() {
        said.push(
            "If a check that looks at sensitive values fails, the chain stops until a person decides.".into(),
        );
    }
    match local_recoding::search(policy) {
        Some(search) => said.push(search),
        None => said.extend(one_recoding::explain(feed)),
    }
    said.extend(one_recoding::details(feed));
    if policy.search().is_local() {
        said.push(local_recoding::leakage_of_labels(policy));
    } else {
        said.extend(
            policy
                .refinement()
                .max_global_ratio
                .map(|limit| coarseness(limit, policy)),
        );
    }
    said.push(match policy.on_repeat() {
        OnRepeat::Ignore => {
            "A second row of the same person is ignored: the first one counts (on_repeat = \"ignore\").".into()
        }
        OnRepeat::DeadLetter => {
            "A second row of the same person is set aside, sealed, and `tidegate quarantine` lists it: the first one \
             counts. It does not count towards max_quarantine_share. `anonymize` ignores it and counts it (on_repeat = \
             \"dead-letter\")."
                .into()
        }
        OnRepeat::None => "Every row counts as a different person (on_repeat = \"none\").".into(),
    });
    said.extend(unknown_values(feed));
    said
}

/// What happens to values that a taxonomy does not contain.
fn unknown_values(feed: &FeedConfig) -> Vec<String> {
    let mut said = Vec::new();
    let (taken, refused): (Vec<&Column>, Vec<&Column>) = feed
        .columns
        .of(Role::Quasi)
        .partition(|column| column.unknown.is_some());
    let source_of_run = feed.services.source.as_ref();
    if let (false, Some(source)) = (refused.is_empty(), source_of_run) {
        said.push(format!(
            "A row with a value that the taxonomy lacks is set aside, sealed; if these are more than {} of all rows \
             since the last tick, `run` halts instead of publishing the rest (max_quarantine_share; {}).",
            source.max_quarantine_share,
            names(&refused)
        ));
    } else if !refused.is_empty() {
        said.push(format!(
            "A row with a value that the taxonomy lacks is refused: `anonymize` stops at it, or sets it aside if \
             --quarantine-share allows that ({}).",
            names(&refused)
        ));
    }
    if !refused.is_empty() && !feed.policy.taxonomies_grow() {
        said.push(
            "While a chain runs its taxonomies do not grow (search = \"halves\"): a value that one of them lacks is \
             accepted only after `tidegate new-chain`, or if `unknown` names a leaf for it from the beginning."
                .to_owned(),
        );
    }
    if !taken.is_empty() {
        let elsewhere = if source_of_run.is_some() {
            ""
        } else {
            ", and `anonymize` says how many did"
        };
        said.push(format!(
            "A value that the taxonomy does not contain counts as the label in `unknown`{elsewhere} ({}).",
            names(&taken)
        ));
    }
    said
}

fn guarantee(policy: &Policy) -> String {
    let k = policy.a();
    match policy.guarantee() {
        Some(Guarantee::Blind) => format!(
            "The search decides from quasi columns and dates alone, so that even an attacker who knows every release, \
             every quasi column and this program cannot narrow a person's class below {k} (guarantee = \"blind\")."
        ),
        Some(Guarantee::Bcf) => {
            "Attacks across releases by a reader who knows one person's quasi columns leave at least k candidates, by the \
             published algorithm, for comparison only (guarantee = \"bcf\")."
                .into()
        }
        None if policy.has_atoms() => {
            "Each release contains only new classes, and no person of an earlier release.".into()
        }
        None => {
            let tables = match policy.output() {
                Output::TwoTable => "two tables, joined by class",
                Output::OneTable => "one table",
            };
            format!(
                "Each release contains the new people, once there are {k} of them; until then they wait. It is \
                 {tables}."
            )
        }
    }
}

fn coarseness(limit: Decimal, policy: &Policy) -> String {
    format!(
        "The coarseness of the labels may reduce the possible tables by a factor of at most {limit}, and no class \
         below k may be certain: otherwise the recoding becomes coarser, up to {} times; after that the gate rejects \
         the release (max_global_ratio, max_repairs).",
        policy.refinement().max_repairs
    )
}

fn standing(k: u64) -> String {
    format!(
        "The labels of the first release stay those of the whole chain. New rows whose class has fewer than {k} of them wait \
         for similar rows, however long; `tidegate show` says how many wait, and what a new chain would publish of them."
    )
}

fn masking(masking: Masking) -> String {
    let (m, l) = (masking.m, masking.l());
    format!(
        "Guarded values are masked, once and permanently: among the people of a class who came together, no more than \
         one in {l} shows a value of a guarded set, and an attacker who knows the algorithm links no person to a \
         guarded set with a probability above 1/{m}, if the values of people are independent of each other. Where more \
         than one in {l} have a guarded value, masking replaces some of these values, or all of them, and no other \
         value. Masking perturbs counts of guarded values (m = {m})."
    )
}

fn diversity(limits: &DiversityLimits) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(l) = limits.distinct_l {
        said.push(format!("at least {l} different sensitive values occur"));
    }
    if let Some(l) = limits.entropy_l {
        said.push(format!(
            "sensitive values are as varied as {l} equally frequent ones (entropy)"
        ));
    }
    if let Some(both) = limits.recursive {
        said.push(format!(
            "the most frequent sensitive value occurs less than {} times as often as all values from rank {} on \
             together",
            both.c, both.l
        ));
    }
    if let Some(share) = limits.alpha {
        said.push(format!(
            "no sensitive value makes up more than {share} of the rows"
        ));
    }
    if let Some(share) = limits.confidence {
        said.push(format!(
            "no guarded set makes up more than {share} of the rows"
        ));
    }
    if let Some(closeness) = limits.closeness {
        let by = match closeness.distance {
            Distance::Equal => "any two values are 1 apart",
            Distance::Hierarchical => "along the sensitive column's taxonomy",
        };
        said.push(format!(
            "sensitive values are spread as in the whole table, {} apart at most ({by})",
            closeness.t
        ));
    }
    said
}

fn names(columns: &[&Column]) -> String {
    columns
        .iter()
        .map(|column| &*column.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Who is notified.
fn notified(
    what: &str,
    topic: &Option<String>,
    webhook: &Option<WebhookSettings>,
) -> Option<String> {
    let topic = topic.as_ref().map(|topic| format!("the topic {topic}"));
    // An address may contain a token, its host does not.
    let webhook = webhook
        .as_ref()
        .map(|webhook| match webhook.address.host() {
            Some((_, host)) => format!("a web address at {host}"),
            None => "a web address".to_owned(),
        });
    let whom: Vec<String> = topic.into_iter().chain(webhook).collect();
    (!whom.is_empty()).then(|| format!("{what} announced to {}.", whom.join(" and ")))
}

/// What a record is, and which ones are read; nothing if every message is one.
pub(super) fn records(rules: &RecordRules) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(each) = &rules.each {
        let path = path_text(each);
        said.push(format!(
            "A message has many records: what {path} leads to. Paths of columns begin there (each)."
        ));
    }
    let test =
        |(at, pattern): &(usize, TextPattern)| format!("{} is `{pattern}`", rules.tests[*at].name);
    let all = |tests: &Vec<_>| tests.iter().map(test).collect::<Vec<_>>().join(" and ");
    let wanted: Vec<String> = rules.wanted.iter().map(all).collect();
    if !wanted.is_empty() {
        said.push(format!(
            "Only those records are read of which {}; the others are counted as skipped (where).",
            wanted.join(", or ")
        ));
    }
    said
}

/// What only the daemon will use: where records come from, when a release is made.
pub(super) fn for_daemon(feed: &FeedConfig) -> Vec<String> {
    let (services, mut said) = (&feed.services, Vec::new());
    if let Some(source) = &services.source {
        said.push(match &source.place {
            SourcePlace::Kafka { topic, .. } => format!("Records come from the topic {topic}."),
            SourcePlace::Directory { path, settle } => {
                format!(
                    "Records come from files in {} that have not changed for {settle}.",
                    path.display()
                )
            }
        });
    }
    if let Some(schedule) = &services.schedule {
        let ticks = match &schedule.ticks {
            Ticks::Every(period) => format!("every {period}"),
            Ticks::Cron { .. } => "at the times of `cron`".to_owned(),
            Ticks::PerFile => "for every file".to_owned(),
        };
        let by = match (
            schedule.approval,
            schedule.approvers.sign(),
            schedule.approvers.needed(),
        ) {
            (Approval::None, ..) => String::new(),
            (Approval::Manual, false, _) => ", after a person has approved it".to_owned(),
            (Approval::Manual, true, 1) => ", after one of the approvers has signed".to_owned(),
            (Approval::Manual, true, many) => format!(", after {many} approvers have signed"),
        };
        let policy = &feed.policy;
        said.push(match policy.publish_every() {
            _ if !policy.halves() => {
                let rows = schedule.min_records;
                format!("The feed makes a release {ticks}, if there are at least {rows} new rows{by}.")
            }
            1 => format!("The feed makes a release {ticks}, if people form a new class{by}."),
            every => {
                format!(
                    "The schedule has a tick {ticks}; at one in {every} the feed makes a release, if people form a \
                     new class{by}."
                )
            }
        });
    }
    let notify = &services.notify;
    said.extend(notified("Releases are", &notify.topic, &notify.webhook));
    let what = "Rejections, releases that wait for approval, and halts are";
    said.extend(notified(
        what,
        &notify.operator_topic,
        &notify.operator_webhook,
    ));
    let store = services.store.as_ref();
    let tables = [
        ("[source]", services.source.is_none()),
        ("[store]", store.is_none()),
        (
            "store.private",
            store.is_some_and(|store| store.private.is_none()),
        ),
        (
            "store.public",
            store.is_some_and(|store| store.public.is_none()),
        ),
        ("[schedule]", services.schedule.is_none()),
    ];
    let missing: Vec<&str> = tables
        .iter()
        .filter(|(_, missing)| *missing)
        .map(|(name, _)| *name)
        .collect();
    if !missing.is_empty() {
        said.push(format!("It would still need {}.", missing.join(", ")));
    }
    said
}
