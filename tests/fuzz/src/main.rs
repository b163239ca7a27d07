//! The program of coverage-guided fuzzing: one target of `targets.rs`, named by `TIDEGATE_FUZZ`.
//! `tests/fuzz/run` builds and runs it.

#![no_main]

mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::OnceLock;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

/// A fault that a search only finds if it sees which branches an input takes. `tests/fuzz/run`
/// requires that it is found.
fn planted(data: &[u8]) {
    assert!(!matches!(data, [b'e', b'd', b'g', b'e', ..]), "planted");
}

/// Finds the target. A panic that a decoder catches is not a crash: only one that reaches its
/// caller is.
fn begin() {
    let named = std::env::var("TIDEGATE_FUZZ").unwrap_or_default();
    let found = [("planted", planted as fn(&[u8]))];
    let found = targets::TARGETS
        .iter()
        .chain(&found)
        .find(|(name, _)| *name == named);
    let (_, target) = found.expect("TIDEGATE_FUZZ names a target");
    TARGET.set(*target).expect("it is set once");
    set_hook(Box::new(|_| {}));
}

libfuzzer_sys::fuzz_target!(init: begin(), |data: &[u8]| {
    let target = TARGET.get().expect("it was found");
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(data))) {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        eprintln!("panic: {}", text.unwrap_or("without words"));
        std::process::abort();
    }
});
