//! The architecture: rings, headers, lengths, and words that the engine may not contain. Each check
//! is also run on text that breaks it, in `planted`, because a check that cannot fail shows
//! nothing.

mod gate_checks;
mod imports;
mod planted;
mod rules;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use imports::Source;

/// All files below a folder of the package, sorted; empty if there is no such folder.
fn files(folder: &str) -> Vec<PathBuf> {
    const SKIPPED: &[&str] = &["target", ".git", ".venv", "LICENSE", "Cargo.lock"];
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a folder of the package can be read").path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            if SKIPPED.contains(&name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    found
}

/// A file as its place in the package and its text; None if it is not text.
fn read(path: PathBuf) -> Option<Source> {
    let text = String::from_utf8(fs::read(&path).ok()?).ok()?;
    let place = path
        .strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .expect("below the package")
        .to_str()?
        .to_string();
    Some(Source { place, text })
}

fn rust(folder: &str) -> Vec<Source> {
    files(folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter_map(read)
        .collect()
}

fn all_rust() -> Vec<Source> {
    ["src", "tests", "benches"]
        .into_iter()
        .flat_map(rust)
        .collect()
}

/// The text of the program's sources in which each literal is on one line, without backticks.
pub fn program_texts() -> String {
    let sources: String = rust("src").into_iter().map(|source| source.text).collect();
    let mut parts = sources.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    let joined = parts.fold(first, |text, part| text + part.trim_start());
    joined.replace("\\\"", "\"").replace('`', "")
}

#[track_caller]
fn none(found: Vec<String>) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn the_page_of_the_house_names_modules_that_are_there() {
    let modules = rust("src")
        .into_iter()
        .map(|source| imports::module(&source.place))
        .collect();
    none(rules::named_modules(
        include_str!("../../src/guide/house.md"),
        &modules,
    ));
}

#[test]
fn checks_of_the_gate_do_not_name_each_other() {
    none(gate_checks::whispers(&imports::imports(&rust("src"))));
}

#[test]
fn no_type_is_implemented_in_many_files() {
    none(rules::scattered(&rust("src")));
}

#[test]
fn there_is_no_ring() {
    let rings = imports::rings(&imports::edges(&imports::imports(&rust("src"))));
    none(
        rings
            .into_iter()
            .map(|ring| format!("these name each other in a ring: {ring:?}"))
            .collect(),
    );
}

#[test]
fn every_file_opens_with_a_header() {
    none(all_rust().iter().filter_map(rules::header).collect());
}

/// The crates that the engine's manifest may name. None of them opens a file, reads a clock, draws
/// a random number or uses the network.
const PURE: &[&str] = &[
    "arrow-array",
    "arrow-schema",
    "bytes",
    "dashmap",
    "foldhash",
    "hashbrown",
    "maud",
    "num-bigint",
    "num-integer",
    "parquet",
    "rand_xoshiro",
    "rayon",
    "schemars",
    "serde",
    "serde_json",
    "sha2",
    "smol_str",
    "thiserror",
    "unicode-normalization",
];

/// The crates below `[dependencies]` in a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let (_, rest) = manifest
        .split_once("\n[dependencies]\n")
        .expect("a manifest with dependencies");
    let section = rest.split("\n[").next().expect("a section");
    let names = section
        .lines()
        .filter_map(|line| line.split_once(['=', '.']));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

/// The rooms of the engine with their manifests.
fn engine_manifests() -> Vec<(String, String)> {
    let manifests = files("src/engine")
        .into_iter()
        .filter(|path| path.ends_with("Cargo.toml"));
    let found: Vec<(String, String)> = manifests
        .filter_map(read)
        .map(|source| (source.place, source.text))
        .collect();
    assert!(found.len() > 5, "the rooms of the engine");
    found
}

#[test]
fn the_engine_depends_on_pure_crates_only() {
    let mut named = Vec::new();
    let mut wrong = Vec::new();
    for (place, manifest) in engine_manifests() {
        for name in dependencies(&manifest) {
            let room = name.trim_start_matches("tidegate-");
            let is_room = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("src/engine")
                .join(room)
                .is_dir();
            if !is_room && !PURE.contains(&name.as_str()) {
                wrong.push(format!("{place} may not name {name}"));
            }
            named.push(name);
        }
    }
    none(wrong);
    let unused = PURE
        .iter()
        .filter(|name| !named.iter().any(|of| of == *name));
    none(unused.map(|name| format!("no room names {name}")).collect());
    let planted = "[package]\n\n[dependencies]\nbytes = \"1\"\ntokio.workspace = true\n\n[lints]\n";
    assert_eq!(dependencies(planted), ["bytes", "tokio"]);
}

/// The gate must never be able to import the labellers that it checks.
#[test]
fn the_gate_knows_neither_labellers_nor_feeds() {
    for (place, manifest) in engine_manifests() {
        if place.ends_with("gate/Cargo.toml") {
            let known = dependencies(&manifest);
            let rooms = known.iter().filter(|name| name.starts_with("tidegate-"));
            let rooms: Vec<&String> = rooms.collect();
            assert_eq!(
                rooms,
                ["tidegate-model", "tidegate-policy", "tidegate-release"]
            );
            return;
        }
    }
    panic!("the gate has a manifest");
}

#[test]
fn the_engine_holds_no_word_of_the_world_outside() {
    none(rust("src/engine").iter().flat_map(rules::words).collect());
    none(rust("src").iter().flat_map(rules::unsafe_code).collect());
}

#[test]
fn the_gate_never_asks_which_search_it_was() {
    none(
        rust("src")
            .iter()
            .flat_map(rules::asks_for_the_search)
            .collect(),
    );
}

#[test]
fn files_and_functions_are_short() {
    let long: Vec<String> = all_rust().iter().flat_map(rules::lengths).collect();
    assert!(
        long.len() <= rules::LONG,
        "{} files and functions are too long, more than the {} that were:\n{}",
        long.len(),
        rules::LONG,
        long.join("\n")
    );
    let median = rules::median(&rust("src"));
    assert!(
        median <= rules::MEDIAN,
        "the file in the middle has {median} lines"
    );
}

#[test]
fn the_project_names_only_itself() {
    none(
        files("")
            .into_iter()
            .filter_map(read)
            .flat_map(|file| rules::outside(&file.place, &file.text))
            .collect(),
    );
}

#[test]
fn cited_sections_are_in_the_guide() {
    let pages = [
        ("SCIENCE", include_str!("../../src/guide/science.md")),
        ("HOUSE", include_str!("../../src/guide/house.md")),
        ("CONTRACTS", include_str!("../../src/guide/contracts.md")),
    ];
    let mut sources = all_rust();
    // The guide's module explains the names.
    sources.retain(|source| source.place != "src/guide/mod.rs" && source.place != file!());
    none(
        sources
            .iter()
            .flat_map(|source| rules::citations(source, &pages))
            .collect(),
    );
}

#[test]
fn mutants_are_explained_of_files_and_functions_that_are_there() {
    none(rules::explained(
        include_str!("../mutants/explained.txt"),
        &rust("src"),
    ));
}

#[test]
fn files_that_texts_name_are_there() {
    let all = files("");
    let root = env!("CARGO_MANIFEST_DIR");
    let place = |path: &PathBuf| path.strip_prefix(root).ok()?.to_str().map(str::to_owned);
    let places = all.iter().filter_map(place).collect();
    // The changelog describes the past.
    let reported = all.into_iter().filter(|path| {
        path.extension()
            .is_some_and(|end| end == "rs" || end == "md")
    });
    let reported = reported
        .filter(|path| !path.ends_with("CHANGELOG.md") && !path.ends_with("planted.rs"))
        .filter_map(read);
    none(
        reported
            .flat_map(|source| rules::named_files(&source, &places))
            .collect(),
    );
}
