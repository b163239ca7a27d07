//! The lints of `clippy.toml` reject code in the engine and name what to use instead; outside it
//! the same code passes. Slow, since it runs clippy on a copy of the package: part of `tests/long`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Forbidden code, and a word of the advice that must be printed.
const PLANTED: &[(&str, &str)] = &[
    (
        "pub type T = std::collections::HashMap<u8, u8>;",
        "BTreeMap",
    ),
    ("pub type T = std::collections::HashSet<u8>;", "BTreeSet"),
    ("pub type T = hashbrown::HashMap<u8, u8>;", "BTreeMap"),
    ("pub type T = std::time::Instant;", "tick"),
    (
        "pub fn f() -> std::time::SystemTime { std::time::SystemTime::now() }",
        "tick",
    ),
    ("pub type T = std::fs::File;", "bytes"),
    ("pub fn f() { let _ = std::fs::read(\"x\"); }", "bytes"),
    ("pub fn f() { let _ = std::env::var(\"x\"); }", "argument"),
    (
        "pub fn f() { std::thread::sleep(std::time::Duration::ZERO); }",
        "daemon",
    ),
    ("pub fn f() -> u8 { Some(1).unwrap() }", "unwrap"),
];

/// The room of the engine in which they are planted.
const ENGINE: &str = "tidegate-model";

/// Copies a folder, or a file.
pub fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, to).expect("a copy");
        return;
    }
    for entry in fs::read_dir(from)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
    {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// Clippy on a room, with the libraries that are already built.
fn clippy(package: &Path, room: &str) -> Output {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("the target folder");
    Command::new(env!("CARGO"))
        .args(["clippy", "--lib", "--package", room, "--offline", "--quiet"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("clippy runs")
}

#[test]
#[ignore = "runs clippy once per line that is planted"]
fn lints_bite_in_the_engine_and_say_what_to_use() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR"));
    for part in [
        "src",
        "benches",
        "tests/fuzz",
        "Cargo.toml",
        "Cargo.lock",
        "clippy.toml",
        "README.md",
    ] {
        copy(&from.join(part), &folder.path().join(part));
    }
    assert!(
        clippy(folder.path(), ENGINE).status.success(),
        "the engine is clean as it is"
    );
    let engine = folder.path().join("src/engine/model/lib.rs");
    let clean = fs::read_to_string(&engine).expect("the engine's door");
    for (line, advice) in PLANTED {
        fs::write(&engine, format!("{clean}\n/// Planted.\n{line}\n")).expect("written");
        let output = clippy(folder.path(), ENGINE);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains(advice),
            "{line}\n{said}"
        );
    }
    fs::write(&engine, &clean).expect("written");
    let root = folder.path().join("src/daemon/settings/lib.rs");
    let clean = fs::read_to_string(&root).expect("the root");
    fs::write(
        &root,
        format!("{clean}\n/// Planted.\npub type T = std::collections::HashMap<u8, u8>;\n"),
    )
    .expect("written");
    assert!(
        clippy(folder.path(), "tidegate-settings").status.success(),
        "outside the engine it is free"
    );
}
