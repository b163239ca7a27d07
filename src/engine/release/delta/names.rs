//! The names of the files of a log, relative to the folder of its table.

/// The folder of the log inside the folder of its table.
const LOG: &str = "_delta_log";

/// A file of a log, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFile {
    /// The commit of a version.
    Commit(u64),
    /// A checkpoint of a version.
    Checkpoint(u64),
    /// The file that names the newest checkpoint.
    LastCheckpoint,
}

impl LogFile {
    /// The path of the file.
    pub fn path(self) -> String {
        match self {
            LogFile::Commit(version) => commit_name(version),
            LogFile::Checkpoint(version) => checkpoint_name(version),
            LogFile::LastCheckpoint => format!("{LOG}/_last_checkpoint"),
        }
    }

    /// The file of a log at a path; `None` if the path is not that of one.
    pub fn at(path: &str) -> Option<LogFile> {
        let name = path.strip_prefix(LOG)?.strip_prefix('/')?;
        let (number, kind) = name.split_once('.').unwrap_or((name, ""));
        let version = number.parse().ok();
        let file = match kind {
            "json" => LogFile::Commit(version?),
            "checkpoint.parquet" => LogFile::Checkpoint(version?),
            _ => LogFile::LastCheckpoint,
        };
        (file.path() == path).then_some(file)
    }
}

/// The path of the commit of a version.
pub fn commit_name(version: u64) -> String {
    format!("{LOG}/{version:020}.json")
}

/// The path of the checkpoint of a version.
pub fn checkpoint_name(version: u64) -> String {
    format!("{LOG}/{version:020}.checkpoint.parquet")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_files() {
        for file in [
            LogFile::Commit(0),
            LogFile::Commit(12_345),
            LogFile::Checkpoint(10),
            LogFile::LastCheckpoint,
        ] {
            assert_eq!(LogFile::at(&file.path()), Some(file));
        }
        for strange in [
            "_delta_log/1.json",
            "_delta_log/00000000000000000001.json.tmp",
            "_delta_log",
            "other.json",
        ] {
            assert_eq!(LogFile::at(strange), None, "{strange}");
        }
    }
}
