//! Limits of taxonomies: levels, labels, nodes, and the bytes of the file.

use std::path::PathBuf;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::error::{Error, ErrorCategory};

use super::{FEED, Folder, refused};

/// Loads a feed whose wards are in a file.
fn load(folder: &Folder, wards: &str) -> (PathBuf, Result<FeedConfig, Error>) {
    let file = folder.file("ward.csv", wards);
    let text = FEED.replace("flat = [\"A\", \"B\"]", "file = \"ward.csv\"");
    (file, FeedConfig::load(&folder.file("feed.toml", text)))
}

fn path(leaf: &str, levels: usize) -> String {
    let above = (1..levels).map(|level| format!(";level {level}"));
    std::iter::once(leaf.to_owned())
        .chain(above)
        .collect::<String>()
        + "\n"
}

#[test]
fn levels_have_a_limit() {
    let folder = Folder::new();
    for (levels, fits) in [(256, true), (257, false), (100_000, false)] {
        let (file, feed) = load(&folder, &(path("A", levels) + &path("B", levels)));
        match feed {
            Ok(feed) => {
                assert!(fits);
                let tree = feed.columns.trees()[0].height(0);
                assert_eq!(tree as usize, levels - 1);
            }
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Taxonomy,
                    &file,
                    Some("column[0].taxonomy.file"),
                    "more than 256 labels",
                );
                assert_eq!(error.line, Some(1));
            }
        }
    }
}

#[test]
fn a_label_twice_on_a_path_is_reported_on_long_paths_too() {
    let folder = Folder::new();
    for levels in [8, 16, 17, 200] {
        let twice = format!(
            "A;level 1;level 2;level 1{}",
            path("", levels).trim_start_matches(';')
        );
        let twice = twice.replacen("level 1level", "level 1;level", 1);
        let (file, feed) = load(&folder, &twice);
        let error = feed.map(|_| ()).expect_err("a label twice");
        refused(
            &error,
            ErrorCategory::Taxonomy,
            &file,
            Some("column[0].taxonomy.file"),
            "`level 1` occurs twice on one path",
        );
    }
    // The same label several times in a row is one.
    let (_, feed) = load(&folder, &format!("A{}{}", ";A".repeat(100), path("", 3)));
    assert_eq!(feed.expect("a feed").columns.trees()[0].height(0), 2);
}

#[test]
fn labels_have_a_limit() {
    let folder = Folder::new();
    for (length, fits) in [(4_096, true), (4_097, false)] {
        let label = "x".repeat(length);
        let (file, feed) = load(&folder, &format!("A;*\n{label};*\n"));
        match feed {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Taxonomy,
                    &file,
                    Some("column[0].taxonomy.file"),
                    "a label of more than 4096 bytes (line 2)",
                );
                assert!(!error.text.contains("xx"), "{}", error.text);
            }
        }
        let flat = FeedConfig::parse(
            &FEED.replace("\"B\"", &format!("\"{label}\"")),
            std::path::Path::new("feed.toml"),
        );
        assert_eq!(flat.is_ok(), fits);
    }
}

#[test]
fn the_file_of_a_taxonomy_has_a_limit() {
    let folder = Folder::new();
    // A long blank line would be skipped.
    let text = "A;*\nB;*\n".to_owned();
    for (size, fits) in [(256 << 20, true), ((256 << 20) + 1, false)] {
        let (file, feed) = load(&folder, &(text.clone() + &"\n".repeat(size - text.len())));
        match feed {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits, "{error:?}");
                // It has no line, so that of the feed file is named.
                let place = file.with_file_name("feed.toml");
                refused(
                    &error,
                    ErrorCategory::Taxonomy,
                    &place,
                    Some("column[0].taxonomy.file"),
                    "ward.csv: larger than the limit of 256 MiB",
                );
            }
        }
    }
}
