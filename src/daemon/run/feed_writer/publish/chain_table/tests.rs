//! A table over releases, compactions and withdrawals: which files are in it, and what the commits
//! of its Delta log say.

use serde_json::Value;

use super::{ChainTable, DeltaLog, NewRelease};
use crate::engine::delta::Metadata;
use crate::engine::model::{Columns, ReleaseColumn};
use crate::engine::release::{FileLine, PartLine, ReleaseSpan, Sha256, TableId, TableKind};

/// The file with ten rows of each of these releases.
fn part(first: u32, last: u32) -> PartLine {
    let path = format!("data/1/{first}-{last}.parquet");
    let rows = Some(10 * u64::from(last - first + 1));
    let file = FileLine {
        sha256: Sha256::of(path.as_bytes()),
        path,
        rows,
    };
    PartLine {
        span: ReleaseSpan { first, last },
        file,
    }
}

fn metadata() -> Metadata {
    let table = TableId {
        chain: 1,
        kind: TableKind::Rows,
    };
    Metadata::of("feed", table, 0, &Columns::new(Vec::new()))
}

/// A release whose table has these parts; those that the table has not yet come with it.
fn publish(table: &mut ChainTable, release: u32, spans: &[(u32, u32)]) {
    let parts: Vec<PartLine> = spans
        .iter()
        .map(|&(first, last)| part(first, last))
        .collect();
    let known = table.newest();
    let new = parts
        .iter()
        .filter(|part| !known.contains(part))
        .map(|part| (part.clone(), 100))
        .collect();
    let time = i64::from(release);
    table.publish(
        NewRelease {
            release,
            time,
            new,
            parts,
            overwrites: false,
        },
        metadata,
    );
}

/// Three releases, the third of which joins the files of the others; then a fourth one.
fn begun() -> ChainTable {
    let delta = Some(DeltaLog::default());
    let mut table = ChainTable {
        parts: Vec::new(),
        release_column: ReleaseColumn::default(),
        delta,
    };
    publish(&mut table, 1, &[(1, 1)]);
    publish(&mut table, 2, &[(1, 1), (2, 2)]);
    publish(&mut table, 3, &[(1, 2), (3, 3)]);
    publish(&mut table, 4, &[(1, 2), (3, 3), (4, 4)]);
    table
}

fn spans(parts: &[PartLine]) -> Vec<(u32, u32)> {
    parts
        .iter()
        .map(|part| (part.span.first, part.span.last))
        .collect()
}

/// Files that the newest commit removes, and those that it adds.
fn newest_commit(table: &ChainTable) -> [Vec<String>; 2] {
    let due = table.delta().expect("a log").due();
    let bytes = due.last().expect("a commit").bytes();
    let actions: Vec<Value> = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    ["remove", "add"].map(|kind| {
        let files = actions
            .iter()
            .filter_map(|action| Some(action.get(kind)?["path"].as_str()?.to_owned()));
        files.collect()
    })
}

fn names(of: &[(u32, u32)]) -> Vec<String> {
    of.iter()
        .map(|(first, last)| format!("{first}-{last}.parquet"))
        .collect()
}

#[test]
fn a_release_has_the_files_that_it_came_with() {
    let table = begun();
    assert_eq!(spans(&table.newest()), [(1, 2), (3, 3), (4, 4)]);
    let paths = |release: u32| {
        table
            .files_of(release)
            .into_iter()
            .map(|file| file.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(1), names(&[(1, 1)]));
    assert_eq!(paths(2), names(&[(1, 1), (2, 2)]));
    assert_eq!(paths(3), names(&[(1, 2), (3, 3)]));
    assert_eq!(paths(5), paths(4));
    // Versions: the table is made, three releases, and behind the second one the files are joined.
    let releases: Vec<Option<u32>> = table
        .delta()
        .expect("a log")
        .versions()
        .iter()
        .map(|version| version.release)
        .collect();
    assert_eq!(
        releases,
        [None, Some(1), Some(2), Some(2), Some(3), Some(4)]
    );
}

#[test]
fn a_withdrawal_brings_files_back_that_were_joined_by_what_is_withdrawn() {
    let mut table = begun();
    table.withdraw(3, Some(2), 9);
    assert_eq!(spans(&table.newest()), [(1, 1), (2, 2)]);
    assert_eq!(
        newest_commit(&table),
        [names(&[(1, 2), (3, 3), (4, 4)]), names(&[(1, 1), (2, 2)])]
    );
    let delta = table.delta().expect("a log");
    assert_eq!(
        (
            delta.versions().last().expect("a version").release,
            delta.first()
        ),
        (Some(2), 6)
    );
}

#[test]
fn a_withdrawal_leaves_files_joined_by_the_release_that_is_left() {
    let mut table = begun();
    table.withdraw(4, Some(3), 9);
    assert_eq!(
        spans(&table.newest()),
        [(1, 2), (3, 3)],
        "rows would be there twice"
    );
    assert_eq!(newest_commit(&table), [names(&[(4, 4)]), names(&[])]);
}

#[test]
fn a_withdrawal_of_all_leaves_no_file() {
    let mut table = begun();
    table.withdraw(1, None, 9);
    assert!(table.newest().is_empty() && table.parts().is_empty());
    assert_eq!(
        newest_commit(&table),
        [names(&[(1, 2), (3, 3), (4, 4)]), names(&[])]
    );
}

#[test]
fn files_that_no_visible_release_has_are_forgotten() {
    let all = [(1, 1), (2, 2), (1, 2), (3, 3), (4, 4)];
    for (visible, left) in [
        (&[2, 4][..], &all[..]),
        (&[1, 4], &[(1, 1), (1, 2), (3, 3), (4, 4)]),
        (&[3, 4], &all[2..]),
    ] {
        let mut table = begun();
        table.forget_parts(visible);
        let parts: Vec<PartLine> = table.parts().iter().map(|part| part.line.clone()).collect();
        assert_eq!(spans(&parts), left, "{visible:?}");
    }
}

#[test]
fn each_tenth_version_has_a_checkpoint_with_the_files_of_its_release() {
    let mut table = begun();
    assert!(table.checkpoint_due().is_none(), "five versions");
    table.delta_mut().expect("a log").shown();
    let mut spans = vec![(1, 2), (3, 3), (4, 4)];
    for release in 5..=8 {
        spans.push((release, release));
        publish(&mut table, release, &spans);
        table.delta_mut().expect("a log").shown();
    }
    spans.push((9, 9));
    publish(&mut table, 9, &spans);
    let due = table.checkpoint_due().expect("the tenth version");
    let whole = table.checkpoint(10).expect("a version");
    assert_eq!(due.version, 10);
    assert!(
        due.content.bytes() == whole.content.bytes() && due.named.bytes() == whole.named.bytes()
    );
    let fewer = table.checkpoint(9).expect("a version");
    assert!(
        due.content.bytes() != fewer.content.bytes(),
        "release 9 has one file more"
    );
}
