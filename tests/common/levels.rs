//! Public data sets for full-domain searches: a folder of `TIDEGATE_DATA` with a table and a hierarchy per column.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tidegate::daemon::config::Feed;
use tidegate::daemon::ingest::{Table, count};
use tidegate::engine::anonymizer::levels::Rows;
use tidegate::engine::histogram::Histogram;
use tidegate::engine::model::{Columns, Taxonomy};

/// A table and its taxonomies.
pub struct Data {
    pub columns: Columns,
    pub rows: Histogram,
}

impl Data {
    /// Of some columns of a data set.
    pub fn read(folder: &Path, quasi: &[String], sensitive: Option<&str>) -> Data {
        let mut text = "[feed]\nname = \"data\"\n[policy]\nk = 2\nsearch = \"top-down\"\n".to_owned();
        for name in quasi {
            let file = folder.join(format!("hierarchy_{name}.csv"));
            let _ = write!(text, "[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntaxonomy = {{ file = {file:?} }}\n");
        }
        if let Some(name) = sensitive {
            let _ = write!(text, "[[column]]\nname = \"{name}\"\nrole = \"sensitive\"\n");
        }
        let feed = Feed::parse(&text, &PathBuf::from("data.toml")).expect("a feed file");
        let file = folder.join(folder.file_name().expect("a name")).with_extension("csv");
        let table = Table::increment(&file, &feed.columns).expect("a table");
        let reading = table.raw();
        let (rows, _) = count(table, &feed.columns, reading).expect("rows that fit");
        Data { columns: feed.columns, rows }
    }

    /// The taxonomies.
    pub fn trees(&self) -> Vec<&Taxonomy> {
        self.columns.trees()
    }

    /// The rows, with sensitive values if these are to be looked at.
    pub fn table(&self, values: bool) -> Rows {
        if values { Rows::with_values(&self.rows) } else { Rows::of_people(&self.rows.headcount()) }
    }
}
