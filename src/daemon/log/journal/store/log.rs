//! The paths of the entries of a log.

/// The path of the entry with a number.
pub fn path(seq: u64) -> String {
    format!("log/{}/{seq:020}.json", seq / 10_000)
}

/// The number of the entry at a path; `None` if the path is not that of an entry.
pub fn place(path: &str) -> Option<u64> {
    let name = path.strip_prefix("log/")?.rsplit('/').next()?;
    name.strip_suffix(".json")?.parse().ok()
}
