//! `tidegate demo` from outside, and that README shows what the program really prints.

use std::process::{Command, Output};

fn tidegate(args: &[&str], folder: &std::path::Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tidegate")).args(args).current_dir(folder).output().expect("the program starts")
}

#[test]
fn the_demo_shows_two_unsafe_chains_and_a_safe_one() {
    let folder = tempfile::tempdir().expect("a folder");
    for _ in 0..2 {
        let output = tidegate(&["demo"], folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!((text.matches("\nUNSAFE\n").count(), text.matches("\nSAFE for k = 5").count()), (2, 1), "{text}");
    }
    let feed = folder.path().join("tidegate-demo/two-releases/feed.toml");
    let check = tidegate(&["check", feed.to_str().expect("a path")], folder.path());
    assert_eq!(check.status.code(), Some(0));
    std::fs::write(&feed, "changed").expect("a file");
    let output = tidegate(&["demo"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--dir"));
    assert_eq!(std::fs::read_to_string(&feed).expect("a file"), "changed", "nothing is written over");
}

#[test]
fn readme_shows_what_is_printed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("README");
    let args = ["audit", "--feed", "feed.toml", "--release", "r1.csv", "--release", "r2.csv"];
    let output = tidegate(&args, &folder.join("deploy/samples/two-releases"));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(readme.contains(text.trim_end()), "README shows something else than:\n{text}");
}

/// Times differ from run to run; nothing else may.
fn timeless(text: &str) -> String {
    let mut told = String::new();
    for line in text.lines() {
        let is_time = |word: &str| word.len() == 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
        let words = line.split(' ').map(|word| if is_time(word) { "(time)" } else { word });
        told.push_str(&words.collect::<Vec<_>>().join(" "));
        told.push('\n');
    }
    told
}

#[test]
fn readme_publishes_what_is_published() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let sample = "deploy/samples/hospital";
    std::fs::create_dir_all(folder.path().join(sample)).expect("a folder");
    for entry in std::fs::read_dir(root.join(sample)).expect("a sample") {
        let file = entry.expect("a file").path();
        let name = file.file_name().expect("a name");
        std::fs::copy(&file, folder.path().join(sample).join(name)).expect("a copy");
    }
    let readme = timeless(&std::fs::read_to_string(root.join("README.md")).expect("README"));
    let (_, shown) = readme.split_once("$ tidegate anonymize ").expect("README runs it");
    let (command, _) = shown.split_once("\n$ ").expect("and goes on");
    let args: Vec<&str> = command.split_whitespace().filter(|word| *word != "\\").collect();
    let end = args.iter().position(|word| *word == "releases").expect("README names the folder");
    let made = tidegate(&[&["anonymize"], &args[..=end]].concat(), folder.path());
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    let seen = tidegate(&["show", "releases"], folder.path());
    let audited = tidegate(&["audit", "--dir", "releases"], folder.path());
    assert_eq!(audited.status.code(), Some(0), "{}", String::from_utf8_lossy(&audited.stdout));
    for output in [made, seen] {
        let text = timeless(&String::from_utf8(output.stdout).expect("text"));
        assert!(readme.contains(text.trim_end()), "README shows something else than:\n{text}");
    }
}
