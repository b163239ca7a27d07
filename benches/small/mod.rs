//! Runs of a bench on little data (`cargo bench -- --test`, the word of Criterion for them): they
//! show that it works, and measure nothing.

#![allow(dead_code, reason = "each bench uses its part")]

/// Whether this run is on little data.
pub fn small() -> bool {
    std::env::args().any(|word| word == "--test")
}

/// What a bench calls a million.
pub fn million() -> u64 {
    if small() { 10_000 } else { 1_000_000 }
}

/// The words of the command line that are no options.
pub fn words() -> Vec<String> {
    std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect()
}
