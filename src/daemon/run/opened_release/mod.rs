//! A release read from its public files: its columns as the files describe them, and its rows.
//! Every file must be the one that the manifest names.

mod detail;
mod newest;

pub use detail::{ColumnDetail, LabelSize};
pub use newest::{ExpectedRelease, NewestRelease};

use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use crate::engine::counting::Method;
use crate::engine::gate::bytes::{Leak, PublishedTable, read_local, read_part};
use crate::engine::histogram::{Histogram, Release, SensitiveValues};
use crate::engine::model::{
    Column, Columns, DetailSettings, Domain, Kind, LeafRule, ReleaseColumn, Role,
};
use crate::engine::policy::{Decimal, RefinementLimits, refusals};
use crate::engine::release::{FileLine, Layout, Manifest, Sha256, Taxonomies};
use crate::error::{Error, ErrorCategory as Fault, Result};
use crate::ingest::check_parquet;
use crate::journal::store::{ListedObject, Store};
use crate::whole_file;

/// A release.
pub struct Opened {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its columns.
    pub columns: Columns,
    /// Its rows; if the table grows, by the release in which they were added.
    pub tables: Vec<Release>,
    /// What the codes of sensitive values stand for.
    pub values: SensitiveValues,
}

impl Opened {
    /// The release of a manifest, read from the store in which the manifest is.
    ///
    /// # Errors
    /// It consists of two tables, or a file differs from the manifest.
    pub fn in_store(store: &dyn Store, manifest: Manifest, place: &Path) -> Result<Opened> {
        Opened::of(manifest, &|file| bytes(store, file), place)
    }

    /// The release of a manifest, whose files `read` returns.
    ///
    /// # Errors
    /// It consists of two tables, or a file differs from the manifest.
    pub fn of(
        manifest: Manifest,
        read: &dyn Fn(&FileLine) -> Result<Vec<u8>>,
        place: &Path,
    ) -> Result<Opened> {
        if manifest.two_tables() {
            let text = format!(
                "release {} consists of two tables: the first one shows quasi columns unchanged; section 5 of the \
                 guide for analysts says how to count over both",
                manifest.release
            );
            return Err(none(place, text));
        }
        let data: Vec<&FileLine> = manifest
            .files
            .iter()
            .filter(|file| file.people().is_some())
            .collect();
        let trees = manifest
            .files
            .iter()
            .find(|file| file.path.starts_with("taxonomy/"));
        let (Some(first), Some(trees)) = (data.first(), trees) else {
            return Err(none(place, "the manifest names no table, or no taxonomies"));
        };
        let wrong = |file: &FileLine, text: &str| {
            Error::new(Fault::Input, text).in_file(Path::new(&file.path))
        };
        let trees: Taxonomies = serde_json::from_slice(&read(trees)?)
            .map_err(|_| wrong(trees, "these are not the taxonomies of a release"))?;
        let unread = |file: &FileLine, leaks: &[Leak]| {
            let why = leaks
                .last()
                .map(|leak| format!(": {}: {}", leak.place, leak.text))
                .unwrap_or_default();
            wrong(file, &format!("this table cannot be read{why}"))
        };
        let about = table(first, read)?;
        let columns = columns(&trees, &about)
            .ok_or_else(|| wrong(first, "this is not a table of a release"))?;
        if manifest.layout.is_none() {
            let (table, leaks) = read_local(&about, &columns);
            let PublishedTable {
                release: table,
                values,
                ..
            } = table.ok_or_else(|| unread(first, &leaks))?;
            return Ok(Opened {
                manifest,
                columns,
                tables: vec![table],
                values,
            });
        }
        let mut parts = Vec::new();
        for (file, number) in data.into_iter().zip(1..) {
            let (part, leaks) = read_part(&table(file, read)?, &columns, number);
            parts.push(part.ok_or_else(|| unread(file, &leaks))?.counts);
        }
        let rows = Histogram::merge_all(parts).expect("there is a part");
        let tables = Release::of_each_increment(&rows).into_values().collect();
        Ok(Opened {
            manifest,
            columns,
            tables,
            values: rows.values().clone(),
        })
    }

    /// How labels depend on the data: labels of halving do not, except for the splits that a random
    /// draw or too few people rejected.
    pub fn method(&self) -> Method {
        let Manifest {
            policy, layout, k, ..
        } = &self.manifest;
        if policy.get("search").is_none_or(|search| search != "halves") {
            return Method::Uniform;
        }
        let written = policy
            .get("max_ratio")
            .and_then(|ratio| Decimal::parse(&ratio.to_string()));
        let refusals = refusals(written.unwrap_or(RefinementLimits::MAX_RATIO));
        Method::Em {
            fewest: *k,
            refusals: layout.map_or(0, |_| refusals),
        }
    }

    /// Whether values of guarded sets may be masked.
    pub fn masks(&self) -> bool {
        let policy = &self.manifest.policy;
        policy["m"].is_number() && policy.get("mask").is_none_or(|mask| mask != false)
    }
}

/// A manifest of a place, and the newest release of that place.
pub struct FoundManifest {
    /// The manifest.
    pub manifest: Manifest,
    /// The newest release.
    pub newest: NewestRelease,
}

/// The manifest of the newest release in a store, or of the one with this number, if the newest
/// release is the expected one.
///
/// # Errors
/// There is none, a manifest cannot be read or is at the place of another one, or the newest
/// release is not the expected one.
pub fn find_manifest(
    store: &dyn Store,
    layout: Layout,
    release: Option<u32>,
    expected: &ExpectedRelease,
    place: &Path,
) -> Result<FoundManifest> {
    let listed = store.list("")?;
    let newest = listed
        .iter()
        .filter_map(|object| layout.release(&object.path))
        .max();
    let Some(newest) = newest else {
        return Err(none(
            place,
            "there are no releases here: name a feed file, the public root of a feed, or a folder of `anonymize`",
        ));
    };
    let absent = |release: u32| {
        none(
            place,
            format!("there is no release {release}; the newest is {newest}"),
        )
        .in_field("--release")
    };
    let newest_manifest =
        manifest_at(store, layout, newest, &listed)?.ok_or_else(|| absent(newest))?;
    let newest_release = NewestRelease::of(&newest_manifest);
    if let Some(text) = expected.refusal(&newest_release) {
        return Err(Error::new(Fault::Input, text).in_file(place));
    }
    let Some(release) = release.filter(|release| *release != newest) else {
        return Ok(FoundManifest {
            manifest: newest_manifest,
            newest: newest_release,
        });
    };
    let manifest = manifest_at(store, layout, release, &listed)?.ok_or_else(|| absent(release))?;
    if manifest.feed != newest_release.feed {
        let text = "this is the manifest of another feed than that of the newest release: it was moved here";
        return Err(Error::new(Fault::Input, text).in_file(Path::new(&layout.manifest(release))));
    }
    Ok(FoundManifest {
        manifest,
        newest: newest_release,
    })
}

/// The manifest of a release of a store with these objects; `None` if there is none.
fn manifest_at(
    store: &dyn Store,
    layout: Layout,
    release: u32,
    listed: &[ListedObject],
) -> Result<Option<Manifest>> {
    let path = layout.manifest(release);
    let wrong = |text: String| Error::new(Fault::Input, text).in_file(Path::new(&path));
    if listed
        .iter()
        .any(|object| object.path == path && object.size > whole_file::MANIFEST)
    {
        let text = format!(
            "larger than {} MiB: this is not a manifest",
            whole_file::MANIFEST >> 20
        );
        return Err(wrong(text));
    }
    let Some(bytes) = store.read(&path)? else {
        return Ok(None);
    };
    let manifest = Manifest::parse(&bytes).map_err(|why| wrong(why.to_string()))?;
    if manifest.release != release {
        let text = format!(
            "this is the manifest of release {}: it was moved here",
            manifest.release
        );
        return Err(wrong(text));
    }
    Ok(Some(manifest))
}

/// An error about the folder or address of the releases.
fn none(place: &Path, text: impl Into<String>) -> Error {
    Error::new(Fault::Usage, text).in_file(place)
}

/// A published file.
fn bytes(store: &dyn Store, file: &FileLine) -> Result<Vec<u8>> {
    let wrong = |text: &str| Error::new(Fault::Input, text).in_file(Path::new(&file.path));
    let bytes = store
        .read(&file.path)?
        .ok_or_else(|| wrong("this published file is missing"))?;
    if Sha256::of(&bytes) == file.sha256 {
        Ok(bytes)
    } else {
        Err(wrong("this published file was changed"))
    }
}

/// The content of a table that is within the limits for reading.
fn table(file: &FileLine, read: &dyn Fn(&FileLine) -> Result<Vec<u8>>) -> Result<Bytes> {
    let bytes = Bytes::from(read(file)?);
    check_parquet(Path::new(&file.path), &bytes)?;
    Ok(bytes)
}

/// Quasi columns are those that have a taxonomy. All others are sensitive, except the one with the
/// number of the release in which a row was added.
fn columns(trees: &Taxonomies, table: &Bytes) -> Option<Columns> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let about = ArrowReaderMetadata::load(table, options).ok()?;
    let mut all = Vec::new();
    for tree in &trees.columns {
        let domain = Domain {
            tree: tree.tree()?,
            rule: LeafRule::Label,
        };
        all.push(column(&tree.name, Role::Quasi, Kind::String, Some(domain)));
    }
    let own = |name: &str| trees.columns.iter().any(|tree| tree.name == name);
    // Only numbers of releases have 32 bits, whatever their column is called.
    let (releases, others): (Vec<&Field>, Vec<&Field>) = about
        .schema()
        .fields()
        .iter()
        .map(|field| &**field)
        .partition(|field| *field.data_type() == DataType::Int32);
    let release = releases.last().map_or(ReleaseColumn::Absent, |field| {
        ReleaseColumn::Named(field.name().as_str().into())
    });
    for field in others.into_iter().filter(|field| !own(field.name())) {
        let kind = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => Kind::String,
            DataType::Int64 => Kind::Int,
            DataType::Float64 => Kind::Float,
            DataType::Boolean => Kind::Bool,
            DataType::Date32 => Kind::Date,
            _ => return None,
        };
        all.push(column(field.name(), Role::Sensitive, kind, None));
    }
    Some(Columns::new(all).with_release(release))
}

fn column(name: &str, role: Role, kind: Kind, taxonomy: Option<Domain>) -> Column {
    let taxonomy = taxonomy.map(Arc::new);
    Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind,
        taxonomy,
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    }
}
