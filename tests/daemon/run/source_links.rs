//! Links and special files in the folder of a source (CONTRACTS 5): whoever can write there cannot
//! make the feed read a file that lies elsewhere, or wait for ever.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::place::{NEVER, Place, people};

#[test]
fn links_and_pipes_in_the_folder_of_a_source_are_named_and_left_alone() {
    let place = Place::new(NEVER);
    place.put("elsewhere.csv", people(100..140));
    symlink(place.path("elsewhere.csv"), place.path("in/0.csv")).expect("a link");
    symlink("/dev/zero", place.path("in/1.csv")).expect("a link");
    mknodat(
        CWD,
        place.path("in/2.csv"),
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .expect("a pipe");
    std::os::unix::net::UnixListener::bind(place.path("in/3.csv")).expect("a socket");
    place.offer("4.csv", people(0..40));
    let output = place.output(&["run", "--once", "feed.toml", "--json"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{said}");
    for (name, kind) in [
        ("0.csv", "link"),
        ("1.csv", "link"),
        ("2.csv", "pipe"),
        ("3.csv", "socket"),
    ] {
        let line = format!("file_left_alone feed=t file={name} kind={kind}");
        assert_eq!(said.matches(&line).count(), 1, "{line}: {said}");
    }
    let files: Vec<String> = place
        .log()
        .iter()
        .flat_map(|entry| {
            entry["body"]["parts"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        })
        .map(|part| {
            part["origin"]["file"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    assert!(
        !said.contains("file=elsewhere.csv") && !files.iter().any(|file| file == "0.csv"),
        "{files:?}"
    );
    let path = place.done(&["path", "public"]);
    assert_eq!(path["release"], 1);
    let manifest: serde_json::Value = serde_json::from_slice(
        &std::fs::read(place.public().join("manifest/0000000001.json")).expect("a manifest"),
    )
    .expect("JSON");
    assert!(
        manifest["rows"].as_u64().is_some_and(|rows| rows <= 40),
        "{manifest}"
    );
    place.verified();
}
