//! What dashboards stand on: every name, type, unit and label key of the exposition. A change here
//! is a change for operators, and says so where they read.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::Metrics;
use super::tables::Gauge;
use crate::observe::lateness::SourceLag;
use crate::observe::metrics::Meters;
use crate::observe::words::Receiver;

/// Name, type, unit (`-`: none) and label keys.
const PINNED: &str = "\
tidegate_batch_rows histogram - feed le
tidegate_batches counter - feed
tidegate_brokers_away gauge - feed
tidegate_checkpoints counter - feed
tidegate_clock_off_seconds gauge seconds feed
tidegate_damaged gauge - feed
tidegate_decisions counter - feed outcome
tidegate_epoch gauge - feed
tidegate_erased_people counter - feed
tidegate_files counter - feed
tidegate_forgotten_objects counter - feed
tidegate_halted gauge - feed
tidegate_halts counter - feed
tidegate_last_publication_timestamp_seconds gauge seconds feed
tidegate_last_scrub_timestamp_seconds gauge seconds feed
tidegate_last_tick_timestamp_seconds gauge seconds feed
tidegate_late_files counter - feed
tidegate_log_entries gauge - feed
tidegate_lost_log_lines counter -
tidegate_measure_sums gauge - feed
tidegate_measure_sums_left_out gauge - feed
tidegate_missed_ticks counter - feed
tidegate_new_rows gauge - feed
tidegate_newest_release gauge - feed
tidegate_newest_release_rows gauge - feed
tidegate_notifications counter - feed receiver
tidegate_null_cells counter - feed
tidegate_pending_rows gauge - feed
tidegate_quarantine_ratio gauge ratio feed
tidegate_receiver_away gauge - feed receiver
tidegate_registry_away gauge - feed
tidegate_releases counter - feed
tidegate_requests counter - feed kind outcome
tidegate_rows counter - feed outcome
tidegate_scrubs counter - feed
tidegate_source_lag gauge - feed partition
tidegate_source_oldest_seconds gauge seconds feed
tidegate_step_seconds histogram seconds feed le step
tidegate_swept_objects counter - feed
tidegate_tick_to_publication_seconds histogram seconds feed le
tidegate_ticks counter - feed outcome
tidegate_waiting_rows gauge - feed
";

/// The values that labels have, a partition among them, but for feeds and the bounds of histograms.
const WORDS: &str = "0 approve closing done duplicate erase held hold ingest judging kept new_chain operator_topic \
                     operator_webhook publish published publishing quarantine_retry quarantined refused reject rejected \
                     skipped stopped topic waiting webhook withdraw";

/// Every metric of a feed, once.
fn all() -> String {
    let metrics = Metrics::default();
    metrics.begin("a");
    let meters = Meters {
        all: &metrics,
        feed: "a",
        at: jiff::Timestamp::UNIX_EPOCH,
    };
    Gauge::ALL.iter().for_each(|&gauge| meters.set(gauge, 1));
    meters.receiver_away(Receiver::Topic, true);
    meters.batch(&crate::intake_counts::IntakeCounts::default());
    metrics.behind(
        "a",
        &SourceLag {
            lag: vec![(0, 7)],
            oldest: Duration::from_secs(2),
        },
    );
    metrics.text()
}

#[test]
fn names_types_units_and_label_keys_are_pinned() {
    let text = all();
    let mut found: BTreeMap<&str, (&str, &str, BTreeSet<&str>)> = BTreeMap::new();
    let mut words = BTreeSet::new();
    for line in text.lines() {
        if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|line| line.split_once(' '))
        {
            found.insert(name, (kind, "-", BTreeSet::new()));
        } else if let Some((name, unit)) = line
            .strip_prefix("# UNIT ")
            .and_then(|line| line.split_once(' '))
        {
            found.get_mut(name).expect("a unit follows its type").1 = unit;
        } else if !line.starts_with('#') {
            let (series, labels) = line.split_once('{').unwrap_or((line, ""));
            let series = series.split(' ').next().expect("a name");
            let ends = ["_total", "_bucket", "_count", "_sum", ""];
            let names = ends.iter().filter_map(|end| series.strip_suffix(end));
            let name = names
                .into_iter()
                .find(|name| found.contains_key(name))
                .expect("a type comes before its series");
            let labels = labels
                .split('}')
                .next()
                .expect("labels")
                .split(',')
                .filter(|label| !label.is_empty());
            for (key, value) in labels.filter_map(|label| label.split_once('=')) {
                found.get_mut(name).expect("found").2.insert(key);
                if !matches!(key, "feed" | "le") {
                    words.insert(value.trim_matches('"').to_owned());
                }
            }
        }
    }
    let mut lines = String::new();
    for (name, (kind, unit, keys)) in found {
        let keys: Vec<&str> = keys.into_iter().collect();
        lines += format!("{name} {kind} {unit} {}", keys.join(" ")).trim_end();
        lines += "\n";
    }
    assert_eq!(lines, PINNED);
    assert_eq!(words.into_iter().collect::<Vec<_>>().join(" "), WORDS);
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn every_metric_says_what_it_is() {
    for line in all().lines().filter(|line| line.starts_with("# HELP ")) {
        let help = line.splitn(4, ' ').nth(3).expect("a text");
        assert!(
            help.split(' ').count() > 2 && help.ends_with('.') && !help.ends_with(".."),
            "{line}"
        );
    }
}

#[test]
fn what_is_not_known_is_not_shown() {
    let metrics = Metrics::default();
    metrics.begin("a");
    let text = metrics.text();
    for unknown in [
        "tidegate_newest_release{",
        "tidegate_last_publication_timestamp_seconds{",
        "tidegate_log_entries{",
    ] {
        assert!(!text.contains(unknown), "{unknown}");
    }
    assert!(
        text.contains("tidegate_releases_total{feed=\"a\"} 0\n")
            && text.contains("tidegate_halted{feed=\"a\"} 0.0\n")
    );
}

/// The alert rules and the dashboard that are shipped ask for nothing that no feed ever writes.
#[test]
fn shipped_rules_and_dashboards_name_metrics_that_there_are() {
    let text = all();
    let families: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    for (file, content) in [
        (
            "alerts.yaml",
            include_str!("../../../../../deploy/prometheus/alerts.yaml"),
        ),
        (
            "dashboard.json",
            include_str!("../../../../../deploy/grafana/dashboard.json"),
        ),
    ] {
        let words = content.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let names: BTreeSet<&str> = words.filter(|word| word.starts_with("tidegate_")).collect();
        assert!(names.len() > 8, "{file}: {names:?}");
        for name in names {
            assert!(families.contains(name), "{file}: no feed tells {name}");
        }
    }
}
