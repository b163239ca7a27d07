//! Refinement attacks on local recoding (CRA; SCIENCE 6): the paper's Tables 2 to 7 on synthetic
//! data of the shape of its own, beside the figures that it prints, and the constraint systems
//! behind them for `benches/peers/refinement.py`.
//!
//!     cargo bench --bench refinement                                  the tables
//!     cargo bench --bench refinement -- --systems FILE [NUMBER]       this many systems of each size, with our figures
//!     cargo bench --bench refinement -- --count FILE                  counts the systems of such a file, and nothing else
//!
//! All figures except times are the same in every run.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "refinement/paper.rs"]
mod paper;
#[path = "refinement/samples.rs"]
mod samples;
#[path = "refinement/systems.rs"]
mod systems;
#[path = "refinement/tables.rs"]
mod tables;
#[path = "refinement/terms.rs"]
mod terms;

use std::path::Path;

use terms::{TERMS, timed};

/// The default number of systems of each size.
const NUMBER: usize = 12;

fn main() {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--test"] => {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("systems.json");
            systems::write(&file, 1);
            systems::count(&file);
        }
        [] => drop(tables::print()),
        ["--systems", file] => systems::write(Path::new(file), NUMBER),
        ["--systems", file, number] => {
            systems::write(Path::new(file), number.parse().expect("a number"))
        }
        ["--count", file] => systems::count(Path::new(file)),
        _ => panic!("--systems FILE [NUMBER], --count FILE, or nothing"),
    }
}
