//! Files of keys, passwords and tokens, with the mode that an operator gives them: the program
//! refuses those that other accounts can read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file that its owner alone can read.
pub fn write(file: &Path, content: impl AsRef<[u8]>) {
    fs::write(file, content).expect("a file");
    mode(file, 0o600);
}

/// Gives a file a mode.
pub fn mode(file: &Path, mode: u32) {
    fs::set_permissions(file, Permissions::from_mode(mode)).expect("it is ours");
}
