//! Limits of data that is in memory as a whole: fields of a sample of JSON, and rows that are set
//! aside.

use std::path::Path;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::config::RecordRules;
use tidegate::daemon::error::ErrorCategory;
use tidegate::daemon::guess::sample;
use tidegate::daemon::ingest::{PersonHasher, take_within};

use super::{FEED, Folder, refused};

#[test]
fn a_sample_has_so_many_fields() {
    let folder = Folder::new();
    for (count, fits) in [(10_000, true), (10_001, false), (1_000_000, false)] {
        let fields: Vec<String> = (0..count).map(|at| format!("\"f{at}\":1")).collect();
        let path = folder.file("a.jsonl", format!("{{{}}}\n", fields.join(",")));
        match sample::read(&path) {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Input,
                    &path,
                    None,
                    "more than 10,000 different fields",
                );
                assert_eq!(error.line, Some(1));
            }
        }
    }
    let path = folder.file(
        "a.jsonl",
        format!("{{\"a\":\"{}\"}}\n", "x".repeat(1 << 24)),
    );
    let error = sample::read(&path).map(|_| ()).expect_err("a long line");
    refused(
        &error,
        ErrorCategory::Input,
        &path,
        None,
        "the line is longer than 16 MiB",
    );
}

#[test]
fn rows_that_are_set_aside_have_so_many_bytes() {
    let folder = Folder::new();
    let columns = FeedConfig::parse(FEED, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let path = folder.file("a.csv", "ward,diagnosis\nA,flu\nC,flu\nC,flu\n");
    // Each has five bytes, and 128 for its description.
    for (most, fits) in [(2 * 133 + 1, true), (2 * 133, false)] {
        let taken = take_within(
            &path,
            &columns,
            &PersonHasher::new(&[7; 32]),
            &RecordRules::default(),
            most,
            &mut |_| {},
        );
        match taken {
            Ok(taken) => assert_eq!(
                (fits, taken.rows.len(), taken.aside.messages().len()),
                (true, 1, 2)
            ),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Input,
                    &path,
                    None,
                    "the limit for this command",
                );
            }
        }
    }
}
