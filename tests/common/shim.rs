//! The shim that tests preload, compiled for as long as one of them runs.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::needs;

/// The shim, compiled.
pub struct Shim {
    folder: TempDir,
}

impl Shim {
    /// Compiles the one that watches files; `None` where there is no compiler or the system is one that it does not know.
    pub fn build() -> Option<Shim> {
        Shim::of("shim.c")
    }

    /// Compiles one of those beside this file; `None` likewise.
    pub fn of(file: &str) -> Option<Shim> {
        let known = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));
        let folder = tempfile::tempdir().expect("a folder");
        let source = format!("{}/tests/common/{file}", env!("CARGO_MANIFEST_DIR"));
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(folder.path().join("shim.so"));
        match known.then(|| compiler.arg(source).output()) {
            Some(Ok(compiled)) => {
                assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
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

    /// What is to be preloaded.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("shim.so")
    }
}
