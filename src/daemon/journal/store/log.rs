//! Where the entries of a log lie.

/// Where the entry of a place lies.
pub fn path(seq: u64) -> String {
    format!("log/{}/{seq:020}.json", seq / 10_000)
}

/// The place of the entry that lies at a path; `None` where none does.
pub fn place(path: &str) -> Option<u64> {
    let name = path.strip_prefix("log/")?.rsplit('/').next()?;
    name.strip_suffix(".json")?.parse().ok()
}
