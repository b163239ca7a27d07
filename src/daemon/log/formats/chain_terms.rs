//! The terms of a chain as a sealed object (HOUSE 3). They are JSON with names, in which an absent
//! key has its default: additions in later versions of the program do not change the terms of a
//! running chain.

use serde::{Deserialize, Serialize};

use super::sealed_format::SealedFormat;
use super::stored_columns::{StoredColumn, columns};
use crate::engine::model::Column;
use crate::error::Result;
use crate::terms::ChainTerms;
use crate::wiped_bytes::WipedBytes;

/// Terms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTerms {
    feed: String,
    disjoint: bool,
    /// `[policy]` in force.
    policy: serde_json::Map<String, serde_json::Value>,
    columns: Vec<StoredColumn>,
}

/// The bytes to be sealed.
///
/// # Panics
/// Never: a policy is JSON.
pub fn terms_to_bytes(terms: &ChainTerms) -> WipedBytes {
    let stored = StoredTerms {
        feed: terms.name.clone(),
        disjoint: terms.disjoint,
        policy: serde_json::from_str(&terms.policy).expect("a policy is JSON"),
        columns: terms.columns.iter().map(StoredColumn::of).collect(),
    };
    SealedFormat::Terms.bytes(&serde_json::to_string(&stored).expect("terms are JSON"))
}

/// From the sealed bytes.
///
/// # Errors
/// They have another version.
pub fn terms_from_bytes(bytes: &[u8]) -> Result<ChainTerms> {
    let format = SealedFormat::Terms;
    let text: &str = format.parse(bytes)?;
    let stored: StoredTerms = serde_json::from_str(text).map_err(|_| format.unreadable())?;
    let StoredTerms {
        feed: name,
        disjoint,
        policy,
        columns: stored,
    } = stored;
    let all: Option<Vec<Column>> = stored.into_iter().map(StoredColumn::column).collect();
    let columns = all.and_then(columns).ok_or_else(|| format.unreadable())?;
    Ok(ChainTerms {
        name,
        disjoint,
        policy: serde_json::Value::from(policy).to_string(),
        columns,
    })
}
