//! The tables of a chain: the rows, and if the feed has measures, their aggregates. Each has
//! folders of its own, so that the path of a file shows its table.

use serde::{Deserialize, Serialize};

/// The content of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TableKind {
    /// One row for each person.
    Rows,
    /// Aggregates of measures, one row for each label and release.
    Measures,
}

impl TableKind {
    /// Both.
    pub const ALL: [TableKind; 2] = [TableKind::Rows, TableKind::Measures];

    /// The folder of its files, and the name of its files in a folder for each release.
    pub fn names(self) -> [&'static str; 2] {
        match self {
            TableKind::Rows => ["data", "part"],
            TableKind::Measures => ["measures", "measures"],
        }
    }

    /// The table of a published file.
    pub fn of(path: &str) -> TableKind {
        let name = path.split_once('/').map_or("", |(_, name)| name);
        let is_measures = path.starts_with("measures/") || name.starts_with("measures");
        if is_measures {
            TableKind::Measures
        } else {
            TableKind::Rows
        }
    }
}

/// A table of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableId {
    /// The chain.
    pub chain: u32,
    /// The kind of the table.
    pub kind: TableKind,
}

impl TableId {
    /// The table of rows of a chain.
    pub fn rows(chain: u32) -> TableId {
        TableId {
            chain,
            kind: TableKind::Rows,
        }
    }

    /// The folder of its files in the public root.
    pub fn folder(self) -> String {
        let [folder, _] = self.kind.names();
        format!("{folder}/{}", self.chain)
    }

    /// The table whose folder contains a path, and the rest of the path.
    pub fn holding(path: &str) -> Option<(TableId, &str)> {
        let (folder, rest) = path.split_once('/')?;
        let (number, rest) = rest.split_once('/')?;
        let kind = TableKind::ALL
            .into_iter()
            .find(|kind| kind.names()[0] == folder)?;
        let table = TableId {
            chain: number.parse().ok()?,
            kind,
        };
        (table.folder().len() + 1 + rest.len() == path.len()).then_some((table, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_the_table() {
        let paths = [
            "data/1/2-ab.parquet",
            "3/part.parquet",
            "3/part-1-2.parquet",
            "1/data.parquet",
            "report/2-ab.html",
        ];
        paths
            .iter()
            .for_each(|path| assert_eq!(TableKind::of(path), TableKind::Rows, "{path}"));
        let paths = [
            "measures/1/2-ab.parquet",
            "3/measures.parquet",
            "3/measures-1-2.parquet",
        ];
        paths
            .iter()
            .for_each(|path| assert_eq!(TableKind::of(path), TableKind::Measures, "{path}"));
        let measures = TableId {
            chain: 7,
            kind: TableKind::Measures,
        };
        assert_eq!(
            TableId::holding("measures/7/_delta_log/x"),
            Some((measures, "_delta_log/x"))
        );
        assert_eq!(TableId::holding("data/7/a"), Some((TableId::rows(7), "a")));
        for strange in ["data/7", "data/07/a", "report/7/a", "manifest/7.json"] {
            assert_eq!(TableId::holding(strange), None, "{strange}");
        }
    }
}
