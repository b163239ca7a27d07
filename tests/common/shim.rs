//! The shim that tests preload, compiled once for all of them that run.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::needs;

/// The shim, compiled.
pub struct Shim {
    folder: TempDir,
}

impl Shim {
    /// Compiles the one that watches files; None if there is no compiler or it does not support the
    /// system.
    pub fn build() -> Option<Shim> {
        Shim::of("shim.c")
    }

    /// Compiles one of those beside this file; None for the same reasons.
    pub fn of(file: &str) -> Option<Shim> {
        let known = cfg!(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ));
        let folder = tempfile::tempdir().expect("a folder");
        let source = format!("{}/tests/common/{file}", env!("CARGO_MANIFEST_DIR"));
        let mut compiler = Command::new("cc");
        compiler
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(folder.path().join("shim.so"));
        match known.then(|| compiler.arg(source).output()) {
            Some(Ok(compiled)) => {
                assert!(
                    compiled.status.success(),
                    "{}",
                    String::from_utf8_lossy(&compiled.stderr)
                );
                Some(Shim { folder })
            }
            Some(Err(_)) => {
                needs::program("cc", false);
                None
            }
            None => {
                eprintln!("skipped: this is not Linux on x86-64 or ARM");
                None
            }
        }
    }

    /// The library to preload.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("shim.so")
    }
}
