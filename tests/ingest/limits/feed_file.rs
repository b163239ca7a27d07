//! Limits of feed files: bytes, keys, columns, guarded values.

use std::path::Path;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::error::{Error, ErrorCategory};

use super::{FEED, Folder, refused};

fn parse(text: &str) -> Result<FeedConfig, Error> {
    FeedConfig::parse(text, Path::new("feed.toml"))
}

#[test]
fn a_feed_file_has_so_many_bytes() {
    let folder = Folder::new();
    for (size, fits) in [(4 << 20, true), ((4 << 20) + 1, false)] {
        let path = folder.file(
            "feed.toml",
            FEED.to_owned() + &"#".repeat(size - FEED.len()),
        );
        match FeedConfig::load(&path) {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Feed,
                    &path,
                    None,
                    "larger than 4 MiB",
                );
            }
        }
    }
}

#[test]
fn columns_and_keys_have_a_limit() {
    let path = Path::new("feed.toml");
    for (count, fits) in [(998, true), (999, false)] {
        let column = |at: usize| format!("[[column]]\nname = \"c{at}\"\nrole = \"sensitive\"\n");
        let text = FEED.to_owned() + &(0..count).map(column).collect::<String>();
        match parse(&text) {
            Ok(feed) => assert_eq!((fits, feed.columns.iter().count()), (true, 1_000)),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Feed,
                    path,
                    Some("column"),
                    "1001 tables of this name",
                );
            }
        }
    }
    // A table with too many keys is not compared key by key; they may be secrets.
    for (count, reported) in [
        (1_000, "there is no key"),
        (
            1_001,
            "1001 keys, but a table of a feed file has at most 1000",
        ),
    ] {
        let keys = (0..count)
            .map(|at| format!("zz{at} = \"Sq7secret\"\n"))
            .collect::<String>();
        let error = parse(&format!("{FEED}[log]\n{keys}"))
            .map(|_| ())
            .expect_err("unknown keys");
        assert!(error.text.contains(reported), "{}", error.text);
        assert_eq!(error.line, Some(if count == 1_000 { 13 } else { 12 }));
        let shown = error.passage.map_or(String::new(), |passage| passage.line);
        assert!(
            !error.text.contains("Sq7secret") && !shown.contains("Sq7secret"),
            "{shown}"
        );
    }
}

#[test]
fn guarded_values_have_a_limit() {
    for (count, fits) in [(10_000, true), (10_001, false)] {
        let values: Vec<String> = (0..count).map(|at| format!("\"v{at}\"")).collect();
        let text = format!("{FEED}guarded = [[{}]]\n", values.join(", "));
        match parse(&text) {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Feed,
                    Path::new("feed.toml"),
                    Some("column[1].guarded"),
                    "10001 guarded values",
                );
            }
        }
    }
}
