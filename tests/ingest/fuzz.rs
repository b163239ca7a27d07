//! The targets of fuzzing in everyday runs: every file of their corpora, which contain samples and
//! everything that has crashed one of them, and random changes of these. `tests/fuzz/run` looks for
//! new ones, guided by the branches that inputs take.

#[path = "../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::panic::{catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use self::targets::TARGETS;
use crate::common::random::{Draw, run};

/// Changed inputs of each target; each consists of some samples that were cut, joined and damaged.
const CHANGED: u32 = 1_000;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/corpus")
        .join(name)
}

/// The inputs of a target, in the order of their names.
fn inputs(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(corpus(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| (file.clone(), fs::read(&file).expect("a file")))
        .collect()
}

#[test]
fn corpora_are_replayed() {
    for (name, target) in TARGETS {
        let inputs = inputs(name);
        assert!(!inputs.is_empty(), "{name} has no corpus");
        for (file, bytes) in inputs {
            // The name is printed if a target panics.
            println!("{}", file.display());
            assert!(
                bytes.len() <= 16 << 10,
                "{}: samples are small",
                file.display()
            );
            target(&bytes);
        }
    }
}

#[test]
fn changed_inputs_are_harmless() {
    for (name, target) in TARGETS {
        let samples: Vec<Vec<u8>> = inputs(name).into_iter().map(|(_, bytes)| bytes).collect();
        run(&format!("changed inputs of {name}"), CHANGED, |draw| {
            let bytes = changed(draw, &samples);
            if let Err(panic) = catch_unwind(|| target(&bytes)) {
                let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crash-{name}"));
                fs::write(&file, &bytes).expect("a file");
                println!("the input is in {}: put it into the corpus", file.display());
                resume_unwind(panic);
            }
        });
    }
}

/// A sample that was changed in one place or a few.
fn changed(draw: &mut Draw, samples: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = pick(draw, samples).clone();
    for _ in 0..draw.between(1, 6) {
        let from = place(draw, bytes.len());
        let to = from + place(draw, (bytes.len() - from).min(64));
        match draw.between(0, 6) {
            0 => _ = bytes.drain(from..to),
            1 => bytes[from..to].fill(draw.between(0, 255) as u8),
            2 => {
                let part = bytes[from..to].to_vec();
                let at = place(draw, bytes.len());
                bytes.splice(at..at, part);
            }
            3 => {
                let other = pick(draw, samples);
                let begin = place(draw, other.len());
                bytes.splice(from.., other[begin..].iter().copied());
            }
            4 => {
                // Values at which numbers have another length.
                let number: [u64; 6] = [0, 0x7f, 0x80, 0xffff, 0x7fff_ffff, u64::MAX];
                let number = number[draw.between(0, 5) as usize].to_le_bytes();
                let size = [1, 2, 4, 8][draw.between(0, 3) as usize];
                let end = bytes.len().min(from + size);
                bytes[from..end].copy_from_slice(&number[..end - from]);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(from) {
                    *byte ^= 1 << draw.between(0, 7);
                }
            }
        }
    }
    bytes
}

fn pick<'s>(draw: &mut Draw, samples: &'s [Vec<u8>]) -> &'s Vec<u8> {
    &samples[draw.between(0, samples.len() as u64 - 1) as usize]
}

fn place(draw: &mut Draw, length: usize) -> usize {
    draw.between(0, length as u64) as usize
}
