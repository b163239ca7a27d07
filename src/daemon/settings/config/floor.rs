//! The coarsest level at which a quasi column is published (CONTRACTS 1, `floor`): a feed file
//! names it by its number, by a label, or by a width; the search uses its number.

use super::file::LevelName;
use crate::engine::model::forms::TaxonomyTable;
use crate::engine::model::{DateLevel, Domain, LeafRule, Taxonomy};

/// The number of the level.
///
/// # Errors
/// There is no such level, or it is the highest one.
pub(super) fn level(
    written: &LevelName,
    domain: &Domain,
    table: &TaxonomyTable,
) -> Result<u8, String> {
    let levels = Levels::of(&domain.tree);
    let found = match written {
        LevelName::Level(level) => usize::try_from(*level).ok(),
        LevelName::Text(text) => Some(levels.named(text.trim(), domain, table)?),
    };
    match found.filter(|&level| level < levels.top()) {
        Some(level) => u8::try_from(level)
            .map_err(|_| "a taxonomy with so many levels cannot have a floor".to_owned()),
        None => Err(format!(
            "this is the highest level or above it, so it forbids nothing: remove it, or write {}",
            levels.choice()
        )),
    }
}

/// The levels of a taxonomy, beginning with the values.
struct Levels<'t> {
    tree: &'t Taxonomy,
    nodes: Vec<Vec<u32>>,
}

impl Levels<'_> {
    fn of(tree: &Taxonomy) -> Levels<'_> {
        Levels {
            tree,
            nodes: tree.by_level(),
        }
    }

    /// The lowest level on which every value is the root.
    fn top(&self) -> usize {
        self.nodes
            .iter()
            .position(|nodes| nodes[0] == 0)
            .expect("the root is on the highest level")
    }

    /// The levels that can be a floor, each with one of its labels.
    fn choice(&self) -> String {
        let level = |(at, nodes): (usize, &Vec<u32>)| {
            let deepest = nodes
                .iter()
                .max_by_key(|&&node| depth(self.tree, node))
                .expect("a level has labels");
            format!("{at} (as `{}`)", self.tree.label(*deepest))
        };
        self.nodes[..self.top()]
            .iter()
            .enumerate()
            .map(level)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn named(&self, text: &str, domain: &Domain, table: &TaxonomyTable) -> Result<usize, String> {
        if let Some(levels) = &table.date
            && let Some((count, unit)) = count_and_unit(text).or(Some((1, text)))
            && let Some(of_unit) = date_level(count, unit)
        {
            let found = levels.iter().position(|&level| level == of_unit);
            return found.ok_or_else(|| {
                format!(
                    "this taxonomy has no level of `{text}`: write {}",
                    self.choice()
                )
            });
        }
        if let Some((count, unit)) = count_and_unit(text) {
            return self.of_width(count, unit, domain, table);
        }
        let numbers = matches!(
            domain.rule,
            LeafRule::Integers { .. } | LeafRule::Intervals { .. }
        );
        if numbers && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!(
                "this can be a value or a width: write `floor = \"{text} wide\"` for labels of at most {text} values, \
                 or the number of a level: {}",
                self.choice()
            ));
        }
        let Some(node) = self.tree.find(text) else {
            return Err(format!(
                "`{text}` is not a label of this taxonomy: write {}",
                self.choice()
            ));
        };
        let found = self.nodes.iter().rposition(|level| level.contains(&node));
        Ok(found.expect("a label is on some level"))
    }

    /// The highest level without wider labels.
    fn of_width(
        &self,
        count: u64,
        unit: &str,
        domain: &Domain,
        table: &TaxonomyTable,
    ) -> Result<usize, String> {
        if let (Some(prefix), Some(length)) = (&table.prefix, table.length) {
            let lengths: Vec<u64> = [length as u64]
                .into_iter()
                .chain(prefix.iter().map(|&kept| kept as u64))
                .collect();
            let found = lengths.iter().position(|&kept| kept == count);
            return found.ok_or_else(|| {
                format!(
                    "this taxonomy has no labels of {count} {unit}: write {}",
                    self.choice()
                )
            });
        }
        if !matches!(
            domain.rule,
            LeafRule::Integers { .. } | LeafRule::Intervals { .. }
        ) {
            return Err(format!(
                "labels of this taxonomy have no width: write {}",
                self.choice()
            ));
        }
        let widest = |level: &Vec<u32>| {
            level
                .iter()
                .map(|&node| self.tree.values(node))
                .max()
                .unwrap_or(0)
        };
        let found = self.nodes.iter().rposition(|level| widest(level) <= count);
        found.ok_or_else(|| {
            format!(
                "no label of this taxonomy is as narrow as {count} {unit}: write {}",
                self.choice()
            )
        })
    }
}

fn depth(tree: &Taxonomy, node: u32) -> usize {
    std::iter::successors(tree.parent(node), |&above| tree.parent(above)).count()
}

/// `10 years`.
fn count_and_unit(text: &str) -> Option<(u64, &str)> {
    let (count, unit) = text.split_once(' ')?;
    let unit = unit.trim();
    let is_word = !unit.is_empty() && unit.chars().all(char::is_alphabetic);
    count
        .parse()
        .ok()
        .filter(|_| is_word)
        .map(|count| (count, unit))
}

/// The level of a date taxonomy with this width.
fn date_level(count: u64, unit: &str) -> Option<DateLevel> {
    let months = match unit.trim_end_matches('s') {
        "day" => return (count == 1).then_some(DateLevel::Day),
        "month" => 1,
        "quarter" => 3,
        "year" => 12,
        "decade" => 120,
        _ => return None,
    };
    match count.checked_mul(months)? {
        1 => Some(DateLevel::Month),
        3 => Some(DateLevel::Quarter),
        12 => Some(DateLevel::Year),
        120 => Some(DateLevel::Decade),
        _ => None,
    }
}
