//! How much detail of a quasi column releases should keep (SCIENCE 8): its weight compared with
//! other columns, and the coarsest level that may be published.
//!
//! This file holds the settings; the searches apply them.

use serde::{Deserialize, Serialize};

use super::cut::Cut;
use super::decimal::Decimal;
use super::taxonomy::{Node, Taxonomy};

/// The settings of a feed file for the detail of a quasi column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetailSettings {
    /// The weight of the column's detail, in hundredths; at least 1.
    hundredths: u32,
    /// The highest level that is published, from 0, where each value is its own label; `None`: the
    /// column may become `*`.
    floor: Option<u8>,
}

impl Default for DetailSettings {
    fn default() -> DetailSettings {
        DetailSettings {
            hundredths: DetailSettings::UNIT,
            floor: None,
        }
    }
}

impl DetailSettings {
    /// The largest weight.
    pub const MOST: u64 = 100;
    /// The unit in which weights are counted: hundredths.
    const UNIT: u32 = 100;

    /// With this weight; `None` unless it is above 0, at most [`MOST`](DetailSettings::MOST), and
    /// has at most two decimals.
    #[must_use]
    pub fn weighted(self, weight: Decimal) -> Option<DetailSettings> {
        let fits = weight > Decimal::ZERO
            && weight <= Decimal::from(DetailSettings::MOST)
            && weight.scale() <= 2;
        let hundredths = fits.then(|| weight.digits() * 10u64.pow(2 - u32::from(weight.scale())));
        let hundredths = hundredths.and_then(|hundredths| u32::try_from(hundredths).ok())?;
        assert!(hundredths > 0, "a column that counts has a weight");
        Some(DetailSettings { hundredths, ..self })
    }

    /// With this highest level.
    #[must_use]
    pub fn with_floor(self, floor: u8) -> DetailSettings {
        DetailSettings {
            floor: Some(floor),
            ..self
        }
    }

    /// The weight in hundredths.
    pub fn hundredths(&self) -> u32 {
        self.hundredths
    }

    /// Whether the weight is the default of 1.
    pub fn counts_as_one(&self) -> bool {
        self.hundredths == DetailSettings::UNIT
    }

    /// The highest level that is published.
    pub fn floor(&self) -> Option<u8> {
        self.floor
    }

    /// The coarsest cut that may be published.
    pub fn coarsest(&self, tree: &Taxonomy) -> Cut {
        let Some(floor) = self.floor else {
            return Cut::root(tree);
        };
        let levels = tree.by_level();
        let mut nodes: Vec<Node> = levels[usize::from(floor).min(levels.len() - 1)].clone();
        nodes.dedup();
        assert!(!nodes.is_empty(), "a level has nodes");
        Cut::completed(tree, &nodes).expect("the nodes of a level are no descendants of each other")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    #[test]
    fn weights_are_counted_in_hundredths() {
        let of = |text: &str| {
            let weight = Decimal::parse(text).expect("a number");
            DetailSettings::default()
                .weighted(weight)
                .map(|detail| detail.hundredths())
        };
        assert_eq!(
            ["1", "2.0", "0.25", "100", "0.01"].map(of),
            [100, 200, 25, 10_000, 1].map(Some)
        );
        assert_eq!(["0", "100.01", "0.001", "101"].map(of), [None; 4]);
        assert_eq!(DetailSettings::default().hundredths(), 100);
    }

    #[test]
    fn a_floor_is_a_level() {
        let mut tree = Tree::new("*");
        let half = tree.add(0, "half", 1);
        (0..2).for_each(|leaf| _ = tree.add(half, &format!("leaf {leaf}"), 1));
        tree.add(0, "alone", 1);
        let tree = tree.finish().expect("a tree");
        let coarsest = |floor: u8| {
            let cut = DetailSettings::default().with_floor(floor).coarsest(&tree);
            cut.nodes()
                .iter()
                .map(|&node| tree.label(node).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(coarsest(0), ["leaf 0", "leaf 1", "alone"]);
        assert_eq!(coarsest(1), ["half", "alone"]);
        assert_eq!(coarsest(2), ["*"]);
        assert_eq!(DetailSettings::default().coarsest(&tree), Cut::root(&tree));
    }
}
