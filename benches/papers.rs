//! Tables and figures of the papers that the engine stands on, as far as public data allow: the
//! paper's values beside ours, as text, and the figures as SVG in `target/tmp/papers`. Words name
//! papers; without one all of them run; `full` runs the parts that take long in the paper's size.
//! The guide's page `papers` explains the results.
//!
//! `TIDEGATE_DATA=… cargo bench --bench papers [-- bcf | minimality | cra |
//! dominance | lattice] [full]`

#[path = "../tests/common/mod.rs"]
mod common;

#[path = "papers/alpha_k.rs"]
mod alpha_k;
#[path = "papers/bcf.rs"]
mod bcf;
#[path = "papers/chart.rs"]
mod chart;
#[path = "papers/cra.rs"]
mod cra;
#[path = "papers/dominance.rs"]
mod dominance;
#[path = "papers/lattice.rs"]
mod lattice;
#[path = "papers/minimality.rs"]
mod minimality;
#[path = "papers/sets.rs"]
mod sets;
mod small;

use small::{small, words};
use std::path::{Path, PathBuf};

/// A figure that was drawn.
pub struct Figure {
    name: &'static str,
    svg: String,
}

/// Prints the tables of a paper, from the data in a folder, and draws its figures; with `true` in
/// the paper's full size.
type Paper = fn(&Path, bool) -> Vec<Figure>;

/// The papers by their words.
const PAPERS: [(&str, Paper); 5] = [
    ("bcf", bcf::run),
    ("minimality", minimality::run),
    ("cra", cra::run),
    ("dominance", dominance::run),
    ("lattice", lattice::run),
];

fn main() {
    let words: Vec<String> = words();
    let Some(data) = std::env::var_os("TIDEGATE_DATA").map(PathBuf::from) else {
        println!("TIDEGATE_DATA names no folder with the public data sets: nothing to compute");
        return;
    };
    let (full, words): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| word == "full");
    for word in &words {
        assert!(
            PAPERS.iter().any(|(name, _)| name == word),
            "`{word}` is no paper of this bench"
        );
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("papers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let papers = if small() { &PAPERS[..1] } else { &PAPERS[..] };
    for (name, run) in papers
        .iter()
        .filter(|(name, _)| words.is_empty() || words.iter().any(|word| word == name))
    {
        println!("# {name}");
        for Figure { name, svg } in run(&data, !full.is_empty()) {
            let file = folder.join(name).with_extension("svg");
            std::fs::write(&file, svg).expect("a file");
            println!("\n{}", file.display());
        }
    }
}
