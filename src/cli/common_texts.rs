//! Small things that several commands say the same way. Must never see a record.

use std::io::Write;
use std::path::Path;

use super::render;

/// Something worth telling that is no error, on standard error.
pub fn note(text: &str) {
    // Nothing is left to say it with if this fails.
    let _ = writeln!(anstream::stderr(), "{}", render::note(text));
}

/// The file's own name.
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A path as a shell reads it.
pub fn shell(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !path.is_empty() && path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
