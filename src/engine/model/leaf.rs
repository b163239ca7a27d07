//! Assigns raw values to leaves (CONTRACTS 2): strictly, by the canonical text of their type, never
//! by coercion. The caller handles values without a leaf; nothing here stores or prints a value.

use super::forms::dates;
use super::{CodeShape, Domain, Finite, Kind, Leaf, LeafRule};

impl Domain {
    /// The leaf of a value given as text, in a column of this type.
    pub fn leaf_of_text(&self, kind: Kind, text: &str) -> Option<Leaf> {
        match kind {
            Kind::String => self.leaf_of_string(text),
            Kind::Int => whole_number(text).and_then(|value| self.leaf_of_int(value)),
            Kind::Date => dates::parse(text).and_then(|days| self.leaf_of_days(days)),
            Kind::Float => text
                .parse()
                .ok()
                .and_then(Finite::new)
                .and_then(|value| self.leaf_of_float(value)),
            Kind::Bool => matches!(text, "true" | "false")
                .then(|| self.tree.find_leaf(text))
                .flatten(),
            Kind::Decimal(_) => None,
        }
    }

    /// The leaf of a text: its label, or the result of the rule.
    fn leaf_of_string(&self, text: &str) -> Option<Leaf> {
        match &self.rule {
            LeafRule::Cut { code, instead } => {
                let label = code.cut(text)?;
                let label = instead
                    .iter()
                    .find(|(from, _)| &**from == label)
                    .map_or(label, |(_, to)| to);
                self.tree.find_leaf(label)
            }
            LeafRule::Named { names } => self.tree.find_leaf(text).or_else(|| {
                let (_, label) = names.iter().find(|(name, _)| &**name == text)?;
                self.tree.find_leaf(label)
            }),
            LeafRule::Label
            | LeafRule::Integers { .. }
            | LeafRule::Intervals { .. }
            | LeafRule::Edges { .. }
            | LeafRule::Dates { .. } => self.tree.find_leaf(text),
        }
    }

    /// The leaf of a whole number.
    pub fn leaf_of_int(&self, value: i64) -> Option<Leaf> {
        match &self.rule {
            LeafRule::Integers { min, max, open } => {
                let value = if *open { value.min(*max) } else { value };
                (*min..=*max)
                    .contains(&value)
                    .then(|| (value - min) as Leaf)
            }
            LeafRule::Intervals { edges } => {
                // After the intervals there may be a leaf for missing values.
                assert!(
                    edges.len() <= self.tree.leaves() + 1,
                    "a leaf between two edges"
                );
                let past = edges.partition_point(|&edge| edge <= value);
                (past > 0 && past < edges.len()).then(|| past as Leaf - 1)
            }
            LeafRule::Edges { .. } => {
                Finite::new(value as f64).and_then(|value| self.leaf_of_float(value))
            }
            LeafRule::Label | LeafRule::Named { .. } => self.tree.find_leaf(&value.to_string()),
            LeafRule::Dates { .. } | LeafRule::Cut { .. } => None,
        }
    }

    /// The leaf of a day, given as days since 1970-01-01.
    pub fn leaf_of_days(&self, days: i32) -> Option<Leaf> {
        match &self.rule {
            LeafRule::Dates { from, to, level } => (*from..=*to)
                .contains(&days)
                .then(|| (level.ordinal(days) - level.ordinal(*from)) as Leaf),
            LeafRule::Label | LeafRule::Named { .. } => self.tree.find_leaf(&dates::format(days)),
            LeafRule::Integers { .. }
            | LeafRule::Intervals { .. }
            | LeafRule::Edges { .. }
            | LeafRule::Cut { .. } => None,
        }
    }

    /// The leaf of a finite number: its interval, or the label that is its shortest decimal text
    /// (`2.5`, `3`).
    pub fn leaf_of_float(&self, value: Finite) -> Option<Leaf> {
        match &self.rule {
            LeafRule::Edges { edges } => {
                Some(edges.partition_point(|edge| edge.is_reached(value)) as Leaf)
            }
            LeafRule::Label | LeafRule::Named { .. } => {
                self.tree.find_leaf(&value.get().to_string())
            }
            LeafRule::Integers { .. }
            | LeafRule::Intervals { .. }
            | LeafRule::Dates { .. }
            | LeafRule::Cut { .. } => None,
        }
    }

    /// Whether values of this type can have leaves here; a feed file that declares another type is
    /// refused.
    pub fn takes(&self, kind: Kind) -> bool {
        match &self.rule {
            LeafRule::Label => true,
            LeafRule::Integers { .. } | LeafRule::Intervals { .. } => kind == Kind::Int,
            LeafRule::Edges { .. } => matches!(kind, Kind::Float | Kind::Int),
            LeafRule::Dates { .. } => kind == Kind::Date,
            LeafRule::Named { .. } | LeafRule::Cut { .. } => kind == Kind::String,
        }
    }
}

impl CodeShape {
    /// The first three characters of a code of this shape.
    fn cut(self, text: &str) -> Option<&str> {
        let bytes = text.as_bytes();
        let digits = |from: usize, to: usize| {
            bytes
                .get(from..to)
                .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
        };
        let fits = match self {
            CodeShape::Zip => match bytes.len() {
                3 | 5 => digits(0, bytes.len()),
                10 => digits(0, 5) && bytes[5] == b'-' && digits(6, 10),
                _ => false,
            },
            CodeShape::Icd10 => {
                let more = bytes.get(3..).unwrap_or_default();
                let more = if more.len() > 1 {
                    more.strip_prefix(b".").unwrap_or(more)
                } else {
                    more
                };
                let category = bytes.first().is_some_and(u8::is_ascii_uppercase) && digits(1, 3);
                category
                    && more.len() <= 4
                    && more
                        .iter()
                        .all(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
            }
        };
        fits.then(|| &text[..3])
    }
}

/// The number with this canonical text: no plus sign, no leading zeros, no spaces.
pub fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = match digits.as_bytes() {
        [b'0'] => text.len() == 1,
        [first, rest @ ..] => (b'1'..=b'9').contains(first) && rest.iter().all(u8::is_ascii_digit),
        [] => false,
    };
    canonical.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    #[test]
    fn a_leaf_for_what_is_missing_moves_no_interval() {
        let mut tree = Tree::new("*");
        ["[0, 10[", "[10, 20["]
            .into_iter()
            .for_each(|interval| _ = tree.add(0, interval, 10));
        let tree = tree
            .finish()
            .expect("a tree")
            .with_leaf("unknown")
            .expect("a new leaf");
        let domain = Domain {
            tree,
            rule: LeafRule::Intervals {
                edges: vec![0, 10, 20],
            },
        };
        let leaves = [-1, 0, 9, 10, 19, 20].map(|value| domain.leaf_of_int(value));
        assert_eq!(leaves, [None, Some(0), Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn only_canonical_whole_numbers_count() {
        for (text, value) in [
            ("0", 0),
            ("17", 17),
            ("-5", -5),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(whole_number(text), Some(value), "{text}");
        }
        for text in [
            "",
            "-",
            "+1",
            "01",
            "-0",
            "00",
            " 1",
            "1 ",
            "1.0",
            "1e3",
            "0x1",
            "9223372036854775808",
            "１",
        ] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_cut_when_they_have_their_shape() {
        for (text, cut) in [("021", "021"), ("02138", "021"), ("02138-1234", "021")] {
            assert_eq!(CodeShape::Zip.cut(text), Some(cut));
        }
        for text in [
            "",
            "02",
            "0213",
            "021384",
            "02138 1234",
            "02138-",
            "02138-123",
            "0213a",
            "０２１",
        ] {
            assert_eq!(CodeShape::Zip.cut(text), None, "{text}");
        }
        for text in ["F32", "F32.1", "F321", "F32.10", "F32.10XA", "F32X"] {
            assert_eq!(CodeShape::Icd10.cut(text), Some("F32"), "{text}");
        }
        for text in [
            "",
            "F3",
            "f32",
            "F32.",
            "F32..1",
            "F3A",
            "F32.1a",
            "F32.12345",
            "F32 ",
            "ÄF32",
        ] {
            assert_eq!(CodeShape::Icd10.cut(text), None, "{text}");
        }
    }
}
