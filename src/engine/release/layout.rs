//! The paths of the files of releases. A path is a function of the number of the release and of the
//! content of the file, so that no path can carry another message.

use std::collections::BTreeSet;

use super::digest::Sha256;
use super::file::FileLine;
use super::part::{PartLine, ReleasePart, ReleaseSpan, replaced};
use super::removal_reason::RemovalReason;
use super::table_kind::TableId;
use super::tables::Tables;

/// How the files of releases are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// A folder for each release, as `anonymize` writes them.
    #[default]
    Folders,
    /// A folder for each kind of file, and names with digests of the content, as a feed publishes
    /// them.
    Root,
}

impl Layout {
    /// The path of the manifest of a release.
    pub fn manifest(self, release: u32) -> String {
        match self {
            Layout::Root => format!("manifest/{release:010}.json"),
            Layout::Folders => format!("{release}/manifest.json"),
        }
    }

    /// The path of the notice that names the rows which a release leaves out.
    pub fn notice(self, release: u32) -> String {
        match self {
            Layout::Root => format!("erased/{release:010}.json"),
            Layout::Folders => format!("{release}/erased.json"),
        }
    }

    /// The path of the notice that replaces the manifest of a release.
    pub fn removal(self, reason: RemovalReason, release: u32) -> String {
        match self {
            Layout::Root => format!("{}/{release:010}.json", reason.folder()),
            Layout::Folders => format!("{release}/{}.json", reason.folder()),
        }
    }

    /// The release whose manifest has this path; `None` if the path is not that of a manifest.
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
pub struct PlacedFile<'f> {
    /// The path, relative to the folder of all published files.
    pub path: String,
    /// The content.
    pub bytes: &'f [u8],
    /// The number of its rows; `None` for a file that is no table.
    pub rows: Option<u64>,
    /// The releases whose rows it contains, if it is a part of a table that grows.
    pub span: Option<ReleaseSpan>,
}

impl<'f> PlacedFile<'f> {
    /// A file that is no table.
    fn page(path: String, bytes: &'f [u8]) -> PlacedFile<'f> {
        PlacedFile {
            path,
            bytes,
            rows: None,
            span: None,
        }
    }
    /// As a part of a table that grows, if it is one.
    pub fn part(&self) -> Option<PartLine> {
        Some(PartLine {
            span: self.span?,
            file: self.line(),
        })
    }

    /// As a line of a manifest.
    pub fn line(&self) -> FileLine {
        FileLine::of(&self.path, self.bytes, self.rows)
    }

    /// The files of a release in the order of its manifest: those with rows, including those of
    /// earlier releases, and then all others.
    pub fn lines(kept: &[PartLine], placed: &[PlacedFile<'_>]) -> Vec<FileLine> {
        let parts: Vec<PartLine> = placed.iter().filter_map(PlacedFile::part).collect();
        let parts = replaced(kept, &parts, |_| false)
            .into_iter()
            .map(|part| part.file);
        let tables = placed.iter().filter(|file| file.span.is_none());
        let lines: Vec<FileLine> = parts.chain(tables.map(PlacedFile::line)).collect();
        assert!(
            lines.len() >= placed.len(),
            "a line for each file that was written, and for each that stays"
        );
        lines
    }
}

/// The contents of the files of a release.
#[derive(Clone, Copy)]
pub struct PlacedFiles<'f> {
    /// The number of the release.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Its tables, or the new parts of a table.
    pub tables: &'f Tables,
    /// The taxonomies, and the page for people.
    pub pages: [&'f [u8]; 2],
    /// The notice of erased rows.
    pub notice: Option<&'f [u8]>,
}

impl Layout {
    /// The files that are published with a release, in the order of its manifest: its tables, the
    /// taxonomies (releases with the same taxonomies share that file), the page for people, and the
    /// notice of erased rows, if there is one.
    pub fn place(self, files: PlacedFiles<'_>) -> Vec<PlacedFile<'_>> {
        let PlacedFiles {
            release,
            pages: [_, report],
            notice,
            ..
        } = files;
        let mut placed = self.place_tables(files);
        placed.push(PlacedFile::page(
            self.own(release, "report", "html", report),
            report,
        ));
        placed.extend(notice.map(|bytes| PlacedFile::page(self.notice(release), bytes)));
        assert!(
            placed.iter().all(|file| self.release(&file.path).is_none()),
            "no file lies where manifests do"
        );
        placed
    }

    /// Those of them that the page for people lists: the tables and the taxonomies.
    pub fn place_tables(self, files: PlacedFiles<'_>) -> Vec<PlacedFile<'_>> {
        let PlacedFiles {
            release,
            chain,
            tables,
            pages: [taxonomy, _],
            ..
        } = files;
        let table = |part| PlacedFile {
            path: self.table(chain, release, part),
            bytes: &part.bytes,
            rows: Some(part.rows),
            span: part.span,
        };
        let mut placed: Vec<PlacedFile<'_>> = tables.0.iter().map(table).collect();
        placed.push(PlacedFile::page(
            format!("taxonomy/{}.json", Sha256::of(taxonomy)),
            taxonomy,
        ));
        let paths: BTreeSet<&str> = placed.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths.len(),
            placed.len(),
            "each file has a place of its own"
        );
        placed
    }

    /// A file that belongs to one release alone.
    fn own(self, release: u32, kind: &str, ending: &str, bytes: &[u8]) -> String {
        match self {
            Layout::Folders => format!("{release}/{kind}.{ending}"),
            Layout::Root => format!("{kind}/{release}-{}.{ending}", Sha256::of(bytes)),
        }
    }

    /// The path of a file with rows that was published with a release.
    fn table(self, chain: u32, release: u32, part: &ReleasePart) -> String {
        let Some(span) = part.span else {
            return self.own(release, part.content.name(), "parquet", &part.bytes);
        };
        let ReleaseSpan { first, last } = span;
        assert!(
            first <= last && last <= release,
            "a part holds rows of releases up to this one"
        );
        let kind = part.content.table();
        let [_, name] = kind.names();
        let folder = TableId { chain, kind }.folder();
        match self {
            Layout::Folders if span == ReleaseSpan::of(release) => {
                format!("{release}/{name}.parquet")
            }
            Layout::Folders if first == last => format!("{release}/{name}-{first}.parquet"),
            Layout::Folders => format!("{release}/{name}-{first}-{last}.parquet"),
            Layout::Root if span == ReleaseSpan::of(release) => {
                format!("{folder}/{release}-{}.parquet", Sha256::of(&part.bytes))
            }
            // No name occurs twice, even for the same rows: a writer that deletes an old part never
            // deletes a new one.
            Layout::Root => format!(
                "{folder}/{release}-of-{first}-{last}-{}.parquet",
                Sha256::of(&part.bytes)
            ),
        }
    }
}
