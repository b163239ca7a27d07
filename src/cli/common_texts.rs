//! Texts that several commands have in common. Must never see a record.

use std::io::Write;
use std::path::Path;

use super::render;

/// Writes a notice that is not an error to standard error.
pub fn note(text: &str) {
    // If this fails there is no way left to report it.
    let _ = writeln!(anstream::stderr(), "{}", render::note(text));
}

/// The file's own name.
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A path quoted for a shell.
pub fn shell(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !path.is_empty() && path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
