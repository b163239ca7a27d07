//! The forms `prefix` and `flat` (CONTRACTS 2): listed values, under their leading characters or
//! directly under the root. Children are in the order of first appearance; nothing is sorted and
//! nothing trimmed.

use std::collections::BTreeSet;

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{PrefixCodes, TaxonomyForm, TaxonomyTable, hierarchy};
use crate::{Domain, Kind, LeafRule, Path, Taxonomy, TreeError, paths};

/// Codes of one length under their prefixes, padded with `*`.
pub(super) fn prefix(table: &TaxonomyTable, source: &[Path]) -> Result<FormResult, FormError> {
    let keep = needed(&table.prefix, TaxonomyForm::Prefix, "prefix")?;
    let length = *needed(&table.length, TaxonomyForm::Prefix, "length")?;
    if !(1..=1000).contains(&length) {
        return Err(FormError::new(
            "length",
            format!("{length} is not a valid length of a code (1 to 1000 characters)"),
        ));
    }
    if let Some(kept) = keep.iter().find(|&&kept| kept < 1 || kept >= length) {
        let text = format!(
            "cannot keep {kept} characters: each number must be between 1 and {}",
            length - 1
        );
        return Err(FormError::new("prefix", text));
    }
    if let Some(pair) = keep.windows(2).find(|pair| pair[0] <= pair[1]) {
        return Err(FormError::new(
            "prefix",
            format!("{} after {}: the numbers must descend", pair[1], pair[0]),
        ));
    }
    let listed;
    let rows = match needed(&table.domain, TaxonomyForm::Prefix, "domain")? {
        PrefixCodes::File(_) => source,
        PrefixCodes::List(codes) => {
            listed = list(codes, "domain")?;
            &listed
        }
    };
    // A fault in a list has no line; its position in the list says which entry is meant.
    let in_file = matches!(table.domain, Some(PrefixCodes::File(_)));
    let mut paths = Vec::with_capacity(rows.len());
    for row in rows {
        paths.push(
            path(row, keep, length as usize).map_err(|text| match in_file {
                true => {
                    FormError::new("domain", format!("line {}: {text}", row.at)).at_line(row.at)
                }
                false => FormError::new("domain", format!("code {}: {text}", row.at)),
            })?,
        );
    }
    let (tree, repeats) =
        paths::from_paths(&paths).map_err(|error| FormError::of_tree("domain", &error))?;
    let warnings = hierarchy::repeated(&repeats).into_iter().collect();
    Ok(FormResult {
        domain: Domain {
            tree,
            rule: LeafRule::Label,
        },
        kind: Kind::String,
        warnings,
    })
}

/// The labels of one code up to the root, or what is wrong with it.
fn path(row: &Path, keep: &[i64], length: usize) -> Result<Path, String> {
    let code = &row.labels[0];
    let chars = code.chars().count();
    if chars != length {
        return Err(format!(
            "a code of {chars} characters, but `length` is {length}"
        ));
    }
    if code.contains('*') {
        return Err("a code must not contain `*`, which stands for removed characters".into());
    }
    let mut labels = vec![code.clone()];
    for &kept in keep {
        let kept = kept as usize;
        let mut label: String = code.chars().take(kept).collect();
        label.extend(std::iter::repeat_n('*', length - kept));
        labels.push(label.into());
    }
    labels.push("*".into());
    assert_eq!(
        labels.len(),
        keep.len() + 2,
        "the code, what is kept of it, and the root"
    );
    Ok(Path { at: row.at, labels })
}

/// Values directly under the root.
pub(super) fn flat(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let values = needed(&table.flat, TaxonomyForm::Flat, "flat")?;
    let domain = Domain {
        tree: under_root(values, "flat")?,
        rule: LeafRule::Label,
    };
    Ok(FormResult {
        domain,
        kind: Kind::String,
        warnings: Vec::new(),
    })
}

/// The tree of values directly under `*`.
pub(super) fn under_root(values: &[String], key: &'static str) -> Result<Taxonomy, FormError> {
    let rows = list(values, key)?;
    let rows: Vec<Path> = rows
        .into_iter()
        .map(|row| Path {
            at: 0,
            labels: [row.labels, vec!["*".into()]].concat(),
        })
        .collect();
    let (tree, _) =
        paths::from_paths(&rows).map_err(|error: TreeError| FormError::of_tree(key, &error))?;
    assert_eq!(tree.leaves(), values.len(), "a leaf for each value");
    Ok(tree)
}

/// A list of the feed file as rows, after checking what no list may contain.
fn list(values: &[String], key: &'static str) -> Result<Vec<Path>, FormError> {
    let refuse = |text: String| Err(FormError::new(key, text));
    if values.is_empty() {
        return refuse(format!("`{key}` is empty"));
    }
    let mut seen = BTreeSet::new();
    for value in values {
        match value.as_str() {
            "" => return refuse(format!("`{key}` contains an empty value")),
            "*" => return refuse(format!("`{key}` contains `*`, which is the root")),
            value if !seen.insert(value) => {
                return refuse(format!("`{value}` occurs twice in `{key}`"));
            }
            _ => {}
        }
    }
    assert_eq!(seen.len(), values.len(), "each value stands once");
    Ok((1..)
        .zip(values)
        .map(|(at, value)| Path {
            at,
            labels: vec![value.as_str().into()],
        })
        .collect())
}
