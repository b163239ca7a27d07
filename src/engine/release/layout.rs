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
        let [data, report, manifest] = match layout {
            Layout::Folders => ["data.parquet", "report.html", "manifest.json"].map(|name| format!("{release}/{name}")),
            Layout::Root => [
                format!("data/{release}-{data}.parquet"),
                format!("report/{release}-{report}.html"),
                format!("manifest/{release:010}.json"),
            ],
        };
        Places { data, taxonomy: format!("taxonomy/{taxonomy}.json"), report, manifest }
    }

    /// Of the release with these files.
    pub fn for_files(layout: Layout, release: u32, files: [&[u8]; 3]) -> Places {
        Places::of(layout, release, files.map(Sha256::of))
    }
}
