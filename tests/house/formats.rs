//! The guide names the versions of each format that are read.

use std::fs;

use tidegate::daemon::formats::SealedFormat;

#[test]
fn the_guide_knows_all_formats_and_their_versions() {
    let guide = fs::read_to_string("src/guide/formats.md").expect("the guide");
    let (_, table) = guide
        .split_once("| what it is | format versions that are read |")
        .expect("a table of formats");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| {
        row.split('|')
            .skip(1)
            .take(2)
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    });
    let meant = SealedFormat::ALL.map(|format| {
        let (oldest, newest) = format.versions().into_inner();
        let versions = if oldest == newest {
            newest.to_string()
        } else {
            format!("{oldest} to {newest}")
        };
        vec![format.name().to_owned(), versions]
    });
    assert_eq!(cells.collect::<Vec<_>>(), meant);
}
