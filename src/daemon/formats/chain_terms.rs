//! The terms of a chain as a sealed object (HOUSE 3). Version 1 has no details of columns: chains that were begun without any read
//! it as terms without weights and floors.

use super::row_columns::{bytes, parse};
use crate::daemon::error::Result;
use crate::daemon::terms::ChainTerms;
use crate::engine::model::Detail;

const VERSION: u32 = 2;
const WITHOUT_DETAILS: u32 = 1;

/// To be sealed.
pub fn to_bytes(terms: &ChainTerms) -> Vec<u8> {
    bytes(VERSION, &(terms, terms.columns.details()))
}

/// From what was sealed.
///
/// # Errors
/// It is of another version.
pub fn from_bytes(bytes: &[u8]) -> Result<ChainTerms> {
    if let Ok(terms) = parse::<ChainTerms>(WITHOUT_DETAILS, bytes) {
        return Ok(terms);
    }
    let (terms, details): (ChainTerms, Vec<Detail>) = parse(VERSION, bytes)?;
    Ok(terms.with_details(&details))
}
