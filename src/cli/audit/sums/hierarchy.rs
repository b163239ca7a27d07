//! The codes of a dimension: a list indented by `@`, as sdcTable and τ-ARGUS use it, or the codes
//! of the table below one total.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::whole_file;
use crate::engine::sums::Dimension;

/// The codes of a dimension and their positions in it.
pub struct DimensionCodes {
    /// The column of the table.
    pub name: String,
    /// In the order of the dimension.
    pub codes: Vec<String>,
    /// Their tree.
    pub dimension: Dimension,
    places: BTreeMap<String, usize>,
}

impl DimensionCodes {
    fn new(name: &str, codes: Vec<String>, parents: Vec<Option<usize>>) -> DimensionCodes {
        let places = codes
            .iter()
            .enumerate()
            .map(|(place, code)| (code.clone(), place))
            .collect();
        let dimension =
            Dimension::new(parents).expect("a total, and every parent before its parts");
        DimensionCodes {
            name: name.to_owned(),
            codes,
            dimension,
            places,
        }
    }

    /// The position of a code.
    pub fn place(&self, code: &str) -> Option<usize> {
        self.places.get(code).copied()
    }

    /// The codes that occur in a column, all directly below the total.
    pub fn flat(name: &str, seen: &[String], total: &str) -> DimensionCodes {
        let parts = seen.iter().filter(|code| *code != total).cloned();
        let codes: Vec<String> = std::iter::once(total.to_owned()).chain(parts).collect();
        let parents = (0..codes.len()).map(|at| (at > 0).then_some(0)).collect();
        DimensionCodes::new(name, codes, parents)
    }

    /// Reads a list of codes.
    ///
    /// # Errors
    /// The file cannot be read, or is no such list.
    pub fn read(name: &str, file: &Path, total: &str) -> Result<DimensionCodes> {
        let bytes = whole_file::bytes(
            file,
            "read the hierarchy",
            ErrorCategory::Input,
            whole_file::SUMS,
        )?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::new(ErrorCategory::Input, "the file is not UTF-8 text")
                .in_file(file)
                .in_field(name)
        })?;
        let refused = |text: String, line: usize| {
            Error::new(ErrorCategory::Input, text)
                .in_file(file)
                .at_line(line as u64 + 1)
                .in_field(name)
        };
        let mut listed: Vec<(usize, String)> = Vec::new();
        let mut seen = BTreeSet::new();
        for (line, text) in text
            .lines()
            .enumerate()
            .filter(|(_, text)| !text.trim().is_empty())
        {
            let text = text.trim_start_matches('\u{feff}').trim();
            let code = text.trim_start_matches('@');
            let level = text.len() - code.len();
            let code = code
                .trim_start_matches([';', ',', '\t'])
                .trim()
                .trim_matches('"');
            if code.is_empty() {
                return Err(refused(
                    "a code is missing behind the `@` of its level".to_owned(),
                    line,
                ));
            }
            let above = listed.last().map_or(level, |last| last.0 + 1);
            if level > above || listed.first().is_some_and(|first| level < first.0) {
                let text = format!(
                    "`{code}` is not one level below a code before it: write one `@` more for each level"
                );
                return Err(refused(text, line));
            }
            if !seen.insert(code.to_owned()) {
                return Err(refused(
                    format!("`{code}` is there twice: a code is one node of the hierarchy"),
                    line,
                ));
            }
            listed.push((level, code.to_owned()));
        }
        let Some(&(top, _)) = listed.first() else {
            return Err(
                Error::new(ErrorCategory::Input, "the hierarchy has no codes")
                    .in_file(file)
                    .in_field(name),
            );
        };
        // τ-ARGUS omits the total.
        let tops = listed.iter().filter(|(level, _)| *level == top).count();
        let has_total = tops == 1 && (listed[0].1 == total || top > 0);
        let (mut codes, mut parents) = (Vec::new(), Vec::new());
        if !has_total {
            if listed.iter().any(|(_, code)| code == total) {
                let text =
                    format!("`{total}` is the total of the dimension, so it is first or left out");
                return Err(Error::new(ErrorCategory::Input, text)
                    .in_file(file)
                    .in_field(name));
            }
            codes.push(total.to_owned());
            parents.push(None);
        }
        let mut path: Vec<usize> = codes.iter().map(|_| 0).collect();
        for (level, code) in listed {
            path.truncate(level - top + usize::from(!has_total));
            parents.push(path.last().copied());
            path.push(codes.len());
            codes.push(code);
        }
        Ok(DimensionCodes::new(name, codes, parents))
    }
}
