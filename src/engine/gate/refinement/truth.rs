//! What a target's true rows add to the figures (CRA 6). Gets them as leaf numbers, keeps nothing and shows nothing but a
//! count.

use std::collections::BTreeMap;

/// How many leaf cells hold exactly one of these rows, which are leaf numbers per column: predicates that isolate
/// somebody, if the attacker guesses right (CRA 6).
pub fn fuzzy<R: AsRef<[u32]>>(rows: &[R]) -> u64 {
    let mut cells: BTreeMap<&[u32], u64> = BTreeMap::new();
    rows.iter().for_each(|row| *cells.entry(row.as_ref()).or_default() += 1);
    cells.values().filter(|&&rows| rows == 1).count() as u64
}
