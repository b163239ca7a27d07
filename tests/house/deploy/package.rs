//! The Debian package: the files that it installs beside the program. Building it compiles the
//! program in release mode, so its parts are tested with the existing program, and the rest is
//! read.

use std::process::Command;

use super::{place, said, text};

#[test]
fn completions_and_manual_pages_are_where_debian_looks() {
    let root = tempfile::tempdir().expect("a folder");
    said(
        &Command::new(place("deploy/usage"))
            .arg(env!("CARGO_BIN_EXE_tidegate"))
            .arg(root.path())
            .output()
            .expect("bash"),
    );
    let share = root.path().join("usr/share");
    for (file, word) in [
        (
            "bash-completion/completions/tidegate",
            "complete -F _tidegate",
        ),
        ("zsh/vendor-completions/_tidegate", "#compdef tidegate"),
        (
            "fish/vendor_completions.d/tidegate.fish",
            "complete -c tidegate",
        ),
    ] {
        let script = std::fs::read_to_string(share.join(file))
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(script.contains(word), "{file}");
    }
    let pages = std::fs::read_dir(share.join("man/man1")).expect("pages");
    let names: Vec<String> = pages
        .map(|page| {
            page.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert!(
        names.iter().all(|name| name.ends_with(".1.gz")),
        "{names:?}"
    );
    for page in ["tidegate.1.gz", "tidegate-preview.1.gz"] {
        let output = Command::new("gzip")
            .args(["-dc"])
            .arg(share.join("man/man1").join(page))
            .output()
            .expect("gzip");
        assert!(said(&output).contains(".SH SYNOPSIS"), "{page}");
    }
}

#[test]
fn the_package_holds_them() {
    let script = text("deploy/deb");
    let at = |word: &str| {
        script
            .find(word)
            .unwrap_or_else(|| panic!("deploy/deb has no {word}"))
    };
    let usage = at("deploy/usage \"$target/dist/tidegate\" \"$root\"");
    assert!(
        at("cargo build") < usage && usage < at("dpkg-deb --root-owner-group --build \"$root\"")
    );
}
