//! Columns and taxonomies in the terms of a chain.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::model::{
    CodeShape, Column, ColumnSource, Columns, DateLevel, Decimal, DerivedFrom, DetailSettings,
    Domain, Edge, FileLevels, Kind, LeafRule, Role, Taxonomy, TextStep, Tree,
};

/// A column.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredColumn {
    name: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<Box<str>>,
    /// More paths, which count where the ones before lead to no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    also: Vec<Box<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<TextStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    derived: Option<DerivedFrom>,
    role: StoredRole,
    kind: StoredKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taxonomy: Option<StoredTaxonomy>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    guarded: Vec<Vec<Box<str>>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<Box<str>>,
    /// The weight in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    floor: Option<u8>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unrelated: bool,
}

/// A taxonomy.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredTaxonomy {
    /// Its labels in preorder.
    pub labels: Vec<Box<str>>,
    /// For each label the index of its parent; 0 for the root.
    pub parents: Vec<u32>,
    /// The number of values of each leaf, unless it is 1 for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<u64>>,
    /// For each label its lowest level, unless levels are counted from the leaves of the longest
    /// paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<StoredLevels>,
    pub rule: StoredRule,
}

/// The levels of a taxonomy whose file repeats labels.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredLevels {
    of_labels: Vec<u32>,
    count: u32,
    /// For each label the number of lines that repeat it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeated: Option<Vec<u64>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StoredRole {
    Identifier,
    Quasi,
    Sensitive,
    Measure,
    Input,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StoredKind {
    String,
    Int,
    Float,
    Bool,
    Date,
}

/// How values are assigned to leaves.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StoredRule {
    Label,
    Integers {
        min: i64,
        max: i64,
        open: bool,
    },
    Intervals {
        edges: Vec<i64>,
    },
    Dates {
        from: i32,
        to: i32,
        level: StoredLevel,
    },
    Named {
        names: Vec<(Box<str>, Box<str>)>,
    },
    Cut {
        code: StoredShape,
        instead: Vec<(Box<str>, Box<str>)>,
    },
    Edges {
        edges: Vec<f64>,
    },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StoredShape {
    Zip,
    Icd10,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StoredLevel {
    Day,
    Month,
    Quarter,
    Year,
    Decade,
}

/// Conversion between two closed sets with the same meaning.
macro_rules! alike {
    ($($stored:ident = $known:ident { $($name:ident),* })*) => {
        $(impl $stored {
            fn of(known: $known) -> $stored {
                #[allow(unreachable_patterns, reason = "one set has kinds that no feed file declares")]
                match known {
                    $($known::$name => $stored::$name,)*
                    other => unreachable!("no column is declared so: {other:?}"),
                }
            }

            pub(super) fn known(self) -> $known {
                match self {
                    $($stored::$name => $known::$name),*
                }
            }
        })*
    };
}

alike! {
    StoredRole = Role { Identifier, Quasi, Sensitive, Measure, Input }
    StoredKind = Kind { String, Int, Float, Bool, Date }
    StoredShape = CodeShape { Zip, Icd10 }
    StoredLevel = DateLevel { Day, Month, Quarter, Year, Decade }
}

impl StoredRule {
    fn of(rule: &LeafRule) -> StoredRule {
        match rule {
            LeafRule::Label => StoredRule::Label,
            &LeafRule::Integers { min, max, open } => StoredRule::Integers { min, max, open },
            LeafRule::Intervals { edges } => StoredRule::Intervals {
                edges: edges.clone(),
            },
            &LeafRule::Dates { from, to, level } => StoredRule::Dates {
                from,
                to,
                level: StoredLevel::of(level),
            },
            LeafRule::Named { names } => StoredRule::Named {
                names: names.clone(),
            },
            LeafRule::Cut { code, instead } => StoredRule::Cut {
                code: StoredShape::of(*code),
                instead: instead.clone(),
            },
            LeafRule::Edges { edges } => StoredRule::Edges {
                edges: edges.iter().map(|edge| edge.get()).collect(),
            },
        }
    }

    /// The rule; `None` for edges that are not finite.
    fn known(self) -> Option<LeafRule> {
        Some(match self {
            StoredRule::Label => LeafRule::Label,
            StoredRule::Integers { min, max, open } => LeafRule::Integers { min, max, open },
            StoredRule::Intervals { edges } => LeafRule::Intervals { edges },
            StoredRule::Dates { from, to, level } => LeafRule::Dates {
                from,
                to,
                level: level.known(),
            },
            StoredRule::Named { names } => LeafRule::Named { names },
            StoredRule::Cut { code, instead } => LeafRule::Cut {
                code: code.known(),
                instead,
            },
            StoredRule::Edges { edges } => LeafRule::Edges {
                edges: edges.into_iter().map(Edge::new).collect::<Option<_>>()?,
            },
        })
    }
}

impl StoredLevels {
    fn of(tree: &Taxonomy) -> Option<StoredLevels> {
        if tree.counts_from_longest_paths() && tree.repeated().is_empty() {
            return None;
        }
        let of_labels = (0..tree.nodes() as u32)
            .map(|node| tree.level(node))
            .collect();
        let mut repeated = vec![0; tree.nodes()];
        for &(leaf, lines) in tree.repeated() {
            repeated[tree.leaf_node(leaf) as usize] = lines;
        }
        let repeated = Some(repeated).filter(|_| !tree.repeated().is_empty());
        Some(StoredLevels {
            of_labels,
            count: tree.levels(),
            repeated,
        })
    }
}

impl StoredTaxonomy {
    fn of(domain: &Domain) -> StoredTaxonomy {
        let tree = &domain.tree;
        let nodes = || 0..tree.nodes() as u32;
        let values: Vec<u64> = (0..tree.leaves() as u32)
            .map(|leaf| tree.values(tree.leaf_node(leaf)))
            .collect();
        StoredTaxonomy {
            labels: nodes().map(|node| tree.label(node).into()).collect(),
            parents: nodes().map(|node| tree.parent(node).unwrap_or(0)).collect(),
            values: Some(values).filter(|values| values.iter().any(|&values| values != 1)),
            levels: StoredLevels::of(tree),
            rule: StoredRule::of(&domain.rule),
        }
    }

    /// The taxonomy; `None` if labels and parents do not form a tree in preorder.
    pub(super) fn domain(self) -> Option<Domain> {
        let StoredTaxonomy {
            labels,
            parents,
            values,
            levels,
            rule,
        } = self;
        let is_leaf: Vec<bool> = (0..labels.len())
            .map(|at| parents.get(at + 1) != Some(&(at as u32)))
            .collect();
        if labels.len() != parents.len() || (1..parents.len()).any(|at| parents[at] as usize >= at)
        {
            return None;
        }
        let mut sizes = values.map(|values| values.into_iter());
        let mut size = |at: usize| match &mut sizes {
            Some(sizes) if is_leaf[at] => sizes.next(),
            _ => Some(1),
        };
        let mut tree = Tree::new(labels.first()?);
        let root = size(0)?;
        tree.resize(0, root);
        for at in 1..labels.len() {
            tree.add(parents[at] as usize, &labels[at], size(at)?);
        }
        let tree = match levels {
            None => tree.finish().ok()?,
            Some(StoredLevels {
                of_labels: level,
                count: levels,
                repeated,
            }) => {
                let repeated = repeated.unwrap_or_else(|| vec![0; labels.len()]);
                if level.len() != labels.len() || repeated.len() != labels.len() {
                    return None;
                }
                tree.finish_with_levels(&FileLevels {
                    level,
                    levels,
                    repeated,
                })
                .ok()?
            }
        };
        let is_label = |at: usize| tree.label(at as u32) == &*labels[at];
        (0..labels.len()).all(is_label).then_some(())?;
        Some(Domain {
            tree,
            rule: rule.known()?,
        })
    }
}

impl StoredColumn {
    /// Of a column.
    pub(super) fn of(column: &Column) -> StoredColumn {
        let Column {
            name,
            source,
            role,
            kind,
            taxonomy,
            guarded,
            optional,
            unknown,
            detail,
            unrelated,
        } = column;
        StoredColumn {
            name: name.clone(),
            path: source.paths.first().cloned(),
            also: source.paths.iter().skip(1).cloned().collect(),
            steps: source.steps.clone(),
            derived: source.derived.clone(),
            role: StoredRole::of(*role),
            kind: StoredKind::of(*kind),
            taxonomy: taxonomy.as_ref().map(|domain| StoredTaxonomy::of(domain)),
            guarded: guarded.clone(),
            optional: *optional,
            unknown: unknown.clone(),
            weight: Some(detail.hundredths()).filter(|_| !detail.counts_as_one()),
            floor: detail.floor(),
            unrelated: *unrelated,
        }
    }

    /// The column; `None` if it contradicts itself.
    pub(super) fn column(self) -> Option<Column> {
        let StoredColumn {
            name,
            path,
            also,
            steps,
            derived,
            role,
            kind,
            taxonomy,
            guarded,
            optional,
            unknown,
            weight,
            floor,
            unrelated,
        } = self;
        Some(Column {
            name,
            source: ColumnSource {
                paths: path.into_iter().chain(also).collect(),
                steps,
                derived,
            },
            role: role.known(),
            kind: kind.known(),
            taxonomy: match taxonomy {
                Some(taxonomy) => Some(Arc::new(taxonomy.domain()?)),
                None => None,
            },
            guarded,
            optional,
            unknown,
            detail: detail(weight, floor)?,
            unrelated,
        })
    }
}

/// The settings of detail of a column; `None` for an invalid weight.
pub(super) fn detail(hundredths: Option<u32>, floor: Option<u8>) -> Option<DetailSettings> {
    let detail = match hundredths {
        Some(hundredths) => {
            DetailSettings::default().weighted(Decimal::new(hundredths.into(), 2)?)?
        }
        None => DetailSettings::default(),
    };
    Some(floor.map_or(detail, |floor| detail.with_floor(floor)))
}

/// Columns that are complete.
pub(super) fn columns(all: Vec<Column>) -> Option<Columns> {
    let is_whole = |column: &Column| column.role != Role::Quasi || column.taxonomy.is_some();
    all.iter().all(is_whole).then(|| Columns::new(all))
}
