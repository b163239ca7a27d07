//! Versions 1 and 2 of terms, whose fields have no names. Version 2 has weights and floors of columns after the terms;
//! chains that were begun without any have version 1.

use std::sync::Arc;

use serde::Deserialize;

use super::sealed_format::SealedFormat;
use super::stored_columns::{StoredKind, StoredRole, StoredRule, StoredTaxonomy, columns, detail};
use crate::daemon::error::Result;
use crate::daemon::terms::ChainTerms;
use crate::engine::model::Column;

#[derive(Deserialize)]
struct UnnamedTerms {
    feed: String,
    disjoint: bool,
    policy: String,
    columns: Vec<UnnamedColumn>,
}

#[derive(Deserialize)]
struct UnnamedColumn {
    name: Box<str>,
    path: Option<Box<str>>,
    role: StoredRole,
    kind: StoredKind,
    taxonomy: Option<UnnamedTaxonomy>,
    guarded: Vec<Vec<Box<str>>>,
    optional: bool,
    unknown: Option<Box<str>>,
}

/// A taxonomy with everything that can be computed from it.
#[derive(Deserialize)]
struct UnnamedTaxonomy {
    labels: Vec<Box<str>>,
    parent: Vec<u32>,
    _end: Vec<u32>,
    _first_leaf: Vec<u32>,
    _leaf_node: Vec<u32>,
    /// The number of values under the leaves before each leaf.
    below: Vec<u64>,
    _height: Vec<u32>,
    _by_label: Vec<u32>,
    rule: StoredRule,
}

/// The weight in hundredths and the floor of a quasi column.
#[derive(Deserialize)]
struct UnnamedDetail(u32, Option<u8>);

impl UnnamedColumn {
    fn column(self, wanted: Option<UnnamedDetail>) -> Option<Column> {
        let UnnamedColumn { name, path, role, kind, taxonomy, guarded, optional, unknown } = self;
        let taxonomy = match taxonomy {
            Some(UnnamedTaxonomy { labels, parent: parents, below, rule, .. }) => {
                let values = below.windows(2).map(|pair| pair[1].checked_sub(pair[0]));
                let values = Some(values.collect::<Option<Vec<u64>>>()?);
                Some(Arc::new(StoredTaxonomy { labels, parents, values, rule }.domain()?))
            }
            None => None,
        };
        let detail = match wanted {
            Some(UnnamedDetail(weight, floor)) => detail(Some(weight), floor)?,
            None => detail(None, None)?,
        };
        Some(Column {
            name,
            path,
            role: role.known(),
            kind: kind.known(),
            taxonomy,
            guarded,
            optional,
            unknown,
            detail,
        })
    }
}

/// Terms of version 1 or 2, from the bytes after the version.
///
/// # Errors
/// They do not have that format.
pub fn parse(version: u32, content: &[u8]) -> Result<ChainTerms> {
    let format = SealedFormat::Terms;
    let (terms, details): (UnnamedTerms, Vec<UnnamedDetail>) = match version {
        1 => (format.content(content)?, Vec::new()),
        _ => format.content(content)?,
    };
    let UnnamedTerms { feed: name, disjoint, policy, columns: stored } = terms;
    let mut details = details.into_iter();
    let column = |stored: UnnamedColumn| {
        let detail = matches!(stored.role, StoredRole::Quasi).then(|| details.next()).flatten();
        stored.column(detail)
    };
    let all: Option<Vec<Column>> = stored.into_iter().map(column).collect();
    let columns = all.and_then(columns).ok_or_else(|| format.unreadable())?;
    Ok(ChainTerms { name, disjoint, policy, columns })
}
