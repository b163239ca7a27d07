//! Where the files of releases lie. A path is a function of the number of the release and of what the files hold, so that none
//! can carry a word of its own.

use super::digest::Sha256;

/// How the files of releases lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// A folder for each release, as `anonymize` makes them.
    #[default]
    Folders,
    /// A folder for each kind of file, and names that tell the content, as a feed publishes them.
    Root,
}

impl Layout {
    /// Where the manifest of a release lies.
    pub fn manifest(self, release: u32) -> String {
        match self {
            Layout::Root => format!("manifest/{release:010}.json"),
            Layout::Folders => format!("{release}/manifest.json"),
        }
    }

    /// The release whose manifest lies at a path; `None` where none does.
    pub fn release(self, path: &str) -> Option<u32> {
        let number = match self {
            Layout::Root => path.strip_prefix("manifest/")?.strip_suffix(".json")?,
            Layout::Folders => path.strip_suffix("/manifest.json")?,
        };
        let release = number.parse().ok()?;
        (self.manifest(release) == path).then_some(release)
    }
}

/// Where the files of a release lie, from the place of all published files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The table.
    pub data: String,
    /// What every label stands for; releases with the same taxonomies share it.
    pub taxonomy: String,
    /// The page for people.
    pub report: String,
    /// The manifest.
    pub manifest: String,
}

impl Places {
    /// Of the release with this number and the digests of its table, taxonomies and report.
    pub fn of(layout: Layout, release: u32, [data, taxonomy, report]: [Sha256; 3]) -> Places {
        let [data, report] = match layout {
            Layout::Folders => ["data.parquet", "report.html"].map(|name| format!("{release}/{name}")),
            Layout::Root => [format!("data/{release}-{data}.parquet"), format!("report/{release}-{report}.html")],
        };
        Places { data, taxonomy: format!("taxonomy/{taxonomy}.json"), report, manifest: layout.manifest(release) }
    }

    /// Of the release with these files.
    pub fn for_files(layout: Layout, release: u32, files: [&[u8]; 3]) -> Places {
        Places::of(layout, release, files.map(Sha256::of))
    }
}
