//! Where the files of releases lie. A path is a function of the number of the release and of what the files hold, so that none
//! can carry a word of its own.

use super::digest::Sha256;
use super::tables::Tables;

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

    /// Where the notice lies that names the rows which a release leaves out.
    pub fn notice(self, release: u32) -> String {
        match self {
            Layout::Root => format!("erased/{release:010}.json"),
            Layout::Folders => format!("{release}/erased.json"),
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

/// A file of a release.
pub struct Placed<'f> {
    /// Where it lies, from the place of all published files.
    pub path: String,
    /// What it holds.
    pub bytes: &'f [u8],
    /// Whether it is a table.
    pub table: bool,
}

impl Layout {
    /// The files of a release with this number in the order of its manifest: its tables, what every label stands for
    /// (releases with the same taxonomies share it), the page for people, and the notice of erased rows, if there is one.
    pub fn place<'f>(
        self,
        release: u32,
        tables: &'f Tables,
        [taxonomy, report]: [&'f [u8]; 2],
        notice: Option<&'f [u8]>,
    ) -> Vec<Placed<'f>> {
        let own = |kind: &str, ending: &str, bytes: &[u8]| match self {
            Layout::Folders => format!("{release}/{kind}.{ending}"),
            Layout::Root => format!("{kind}/{release}-{}.{ending}", Sha256::of(bytes)),
        };
        let kinds = ["data", "sensitive"].into_iter().zip(tables.iter());
        let table = |(kind, bytes)| Placed { path: own(kind, "parquet", bytes), bytes, table: true };
        let mut placed: Vec<Placed<'f>> = kinds.map(table).collect();
        let shared = format!("taxonomy/{}.json", Sha256::of(taxonomy));
        placed.push(Placed { path: shared, bytes: taxonomy, table: false });
        placed.push(Placed { path: own("report", "html", report), bytes: report, table: false });
        placed.extend(notice.map(|bytes| Placed { path: self.notice(release), bytes, table: false }));
        placed
    }
}
