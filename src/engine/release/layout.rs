//! Where the files of releases lie. A path is a function of the number of the release and of what the files hold, so that none
//! can carry a word of its own.

use std::collections::BTreeSet;

use super::digest::Sha256;
use super::file::FileLine;
use super::part::{PartLine, ReleasePart, ReleaseSpan, replaced};
use super::removal_reason::RemovalReason;
use super::table_kind::{TableId, TableKind};
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

    /// Where the notice lies that takes the place of the manifest of a release.
    pub fn removal(self, reason: RemovalReason, release: u32) -> String {
        match self {
            Layout::Root => format!("{}/{release:010}.json", reason.folder()),
            Layout::Folders => format!("{release}/{}.json", reason.folder()),
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
pub struct PlacedFile<'f> {
    /// Where it lies, from the place of all published files.
    pub path: String,
    /// What it holds.
    pub bytes: &'f [u8],
    /// Its rows; `None` of a file that is no table.
    pub rows: Option<u64>,
    /// The releases whose rows it holds, where it is a part of a table that grows.
    pub span: Option<ReleaseSpan>,
}

impl<'f> PlacedFile<'f> {
    /// A file that is no table.
    fn page(path: String, bytes: &'f [u8]) -> PlacedFile<'f> {
        PlacedFile { path, bytes, rows: None, span: None }
    }
    /// The same as a part of a table that grows, if it is one.
    pub fn part(&self) -> Option<PartLine> {
        Some(PartLine { span: self.span?, file: self.line() })
    }

    /// The same as a manifest lists it.
    pub fn line(&self) -> FileLine {
        FileLine::of(&self.path, self.bytes, self.rows)
    }

    /// The files of a release as its manifest lists them: those with rows, of earlier releases too, and then all others.
    pub fn lines(kept: &[PartLine], placed: &[PlacedFile<'_>]) -> Vec<FileLine> {
        let parts: Vec<PartLine> = placed.iter().filter_map(PlacedFile::part).collect();
        let parts = replaced(kept, &parts, |_| false).into_iter().map(|part| part.file);
        let tables = placed.iter().filter(|file| file.span.is_none());
        let lines: Vec<FileLine> = parts.chain(tables.map(PlacedFile::line)).collect();
        assert!(lines.len() >= placed.len(), "a line for each file that was written, and for each that stays");
        lines
    }
}

/// The files of a release.
#[derive(Clone, Copy)]
pub struct PlacedFiles<'f> {
    /// The number of the release.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// How many rows it has.
    pub rows: u64,
    /// How many rows the table of measures has that goes with tables that do not grow; `None` where there is none.
    pub measures: Option<u64>,
    /// Its tables, or the parts of a table that are new with it.
    pub tables: &'f Tables,
    /// What every label stands for, and the page for people.
    pub pages: [&'f [u8]; 2],
    /// The notice of erased rows.
    pub notice: Option<&'f [u8]>,
}

impl Layout {
    /// The files that come with a release in the order of its manifest: its tables, what every label stands for
    /// (releases with the same taxonomies share it), the page for people, and the notice of erased rows, if there is one.
    pub fn place(self, files: PlacedFiles<'_>) -> Vec<PlacedFile<'_>> {
        let PlacedFiles { release, pages: [_, report], notice, .. } = files;
        let mut placed = self.place_tables(files);
        placed.push(PlacedFile::page(self.own(release, "report", "html", report), report));
        placed.extend(notice.map(|bytes| PlacedFile::page(self.notice(release), bytes)));
        assert!(placed.iter().all(|file| self.release(&file.path).is_none()), "no file lies where manifests do");
        placed
    }

    /// Those among them that the page for people lists: the tables, and what every label stands for.
    pub fn place_tables(self, files: PlacedFiles<'_>) -> Vec<PlacedFile<'_>> {
        let PlacedFiles { release, rows, tables, pages: [taxonomy, _], .. } = files;
        let table = |kind, bytes| {
            let path = self.own(release, kind, "parquet", bytes);
            PlacedFile { path, bytes, rows: Some(rows), span: None }
        };
        let (rows_of, measures) = tables.apart();
        let mut placed: Vec<PlacedFile<'_>> = match rows_of {
            Tables::One(data) => vec![table("data", data)],
            Tables::Two([data, sensitive]) => vec![table("data", data), table("sensitive", sensitive)],
            Tables::Parts(parts) => parts
                .iter()
                .map(|part| {
                    let path = self.part(files.chain, release, part);
                    PlacedFile { path, bytes: &part.bytes, rows: Some(part.rows), span: Some(part.span) }
                })
                .collect(),
            Tables::Measured(..) => Vec::new(),
        };
        placed.extend(measures.map(|bytes| {
            let [folder, _] = TableKind::Measures.names();
            PlacedFile { path: self.own(release, folder, "parquet", bytes), bytes, rows: files.measures, span: None }
        }));
        placed.push(PlacedFile::page(format!("taxonomy/{}.json", Sha256::of(taxonomy)), taxonomy));
        let paths: BTreeSet<&str> = placed.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), placed.len(), "each file has a place of its own");
        placed
    }

    /// Where a file lies that belongs to one release alone.
    fn own(self, release: u32, kind: &str, ending: &str, bytes: &[u8]) -> String {
        match self {
            Layout::Folders => format!("{release}/{kind}.{ending}"),
            Layout::Root => format!("{kind}/{release}-{}.{ending}", Sha256::of(bytes)),
        }
    }

    /// Where a part lies that came with a release.
    fn part(self, chain: u32, release: u32, part: &ReleasePart) -> String {
        let ReleaseSpan { first, last } = part.span;
        assert!(first <= last && last <= release, "a part holds rows of releases up to this one");
        let [_, name] = part.table.names();
        let folder = TableId { chain, kind: part.table }.folder();
        match self {
            Layout::Folders if part.span == ReleaseSpan::of(release) => format!("{release}/{name}.parquet"),
            Layout::Folders if first == last => format!("{release}/{name}-{first}.parquet"),
            Layout::Folders => format!("{release}/{name}-{first}-{last}.parquet"),
            Layout::Root if part.span == ReleaseSpan::of(release) => {
                format!("{folder}/{release}-{}.parquet", Sha256::of(&part.bytes))
            }
            // No name comes twice, not even for the same rows: a writer that deletes an old part never deletes a new one.
            Layout::Root => format!("{folder}/{release}-of-{first}-{last}-{}.parquet", Sha256::of(&part.bytes)),
        }
    }
}
