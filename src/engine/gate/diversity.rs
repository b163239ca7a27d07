//! Diversity of one class (SCIENCE 4; BCF 7.2): figures over the counts of sensitive values that
//! remain for an attacker, before or after cracked rows are excluded. All are the worst over
//! classes, and none of them ever steers a search.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::histogram::{Release, SensitiveValues, ValueCode, parse_value};
use crate::model::{Column, Columns, Domain, EqualValue, Node, Role, Value};
use crate::policy::{Distance, DiversityLimits as Asked};
use crate::release::Check;

/// A class: sensitive values with the number of candidates that have each, ascending by value, all
/// above 0.
pub type CandidateValues = [(ValueCode, u64)];

/// The worst figures over some classes; `None` for figures that were not computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DiversityFigures {
    /// The smallest number of distinct values.
    pub distinct_l: Option<u64>,
    /// The smallest exp(entropy).
    pub entropy_l: Option<f64>,
    /// The largest r1 / (rl + rl+1 + …); infinite if there are fewer than l values.
    pub recursive_c: Option<f64>,
    /// The largest share of one value.
    pub alpha: Option<f64>,
    /// The largest share of a guarded set.
    pub confidence: Option<f64>,
    /// The largest distance ½ Σ |p − q| to the whole table.
    pub t_equal: Option<f64>,
    /// The largest earth mover's distance to the whole table along the sensitive column's taxonomy.
    pub t_hierarchical: Option<f64>,
}

impl DiversityFigures {
    /// The worse of both, figure by figure.
    #[must_use]
    pub fn worse(self, other: DiversityFigures) -> DiversityFigures {
        fn pick<T: Copy>(a: Option<T>, b: Option<T>, worse: impl Fn(T, T) -> T) -> Option<T> {
            a.zip(b).map(|(a, b)| worse(a, b)).or(a).or(b)
        }
        DiversityFigures {
            distinct_l: pick(self.distinct_l, other.distinct_l, u64::min),
            entropy_l: pick(self.entropy_l, other.entropy_l, f64::min),
            recursive_c: pick(self.recursive_c, other.recursive_c, f64::max),
            alpha: pick(self.alpha, other.alpha, f64::max),
            confidence: pick(self.confidence, other.confidence, f64::max),
            t_equal: pick(self.t_equal, other.t_equal, f64::max),
            t_hierarchical: pick(self.t_hierarchical, other.t_hierarchical, f64::max),
        }
    }
}

/// Floats within this distance of a limit count as equal to it; their rounding errors are far
/// smaller.
pub const ROUNDING: f64 = 1e-12;

/// A figure that a policy limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitedFigure {
    /// The check.
    pub check: Check,
    /// The figure.
    pub value: f64,
    /// The limit.
    pub limit: f64,
    /// How it is compared, in words.
    pub rule: &'static str,
    /// Whether the limit is kept.
    pub kept: bool,
}

impl DiversityFigures {
    /// Every figure that has a limit, and whether it is kept.
    pub fn limited(&self, wanted: &Asked) -> Vec<LimitedFigure> {
        let mut limits = Vec::new();
        let mut add =
            |check, value: Option<f64>, limit: Option<f64>, rule, kept: fn(f64, f64) -> bool| {
                if let (Some(value), Some(limit)) = (value, limit) {
                    limits.push(LimitedFigure {
                        check,
                        value,
                        limit,
                        rule,
                        kept: kept(value, limit),
                    });
                }
            };
        let at_least: fn(f64, f64) -> bool = |value, limit| value >= limit - ROUNDING;
        let at_most: fn(f64, f64) -> bool = |value, limit| value <= limit + ROUNDING;
        let distinct = (
            self.distinct_l.map(|l| l as f64),
            wanted.distinct_l.map(|l| l as f64),
        );
        add(
            Check::DistinctL,
            distinct.0,
            distinct.1,
            "at least",
            at_least,
        );
        add(
            Check::EntropyL,
            self.entropy_l,
            wanted.entropy_l.map(|l| l.get()),
            "at least",
            at_least,
        );
        let below: fn(f64, f64) -> bool = |value, limit| value < limit - ROUNDING;
        add(
            Check::RecursiveC,
            self.recursive_c,
            wanted.recursive.map(|both| both.c.get()),
            "less than",
            below,
        );
        add(
            Check::Alpha,
            self.alpha,
            wanted.alpha.map(|alpha| alpha.get()),
            "at most",
            at_most,
        );
        add(
            Check::Confidence,
            self.confidence,
            wanted.confidence.map(|share| share.get()),
            "at most",
            at_most,
        );
        if let Some(closeness) = wanted.closeness {
            let hierarchical = closeness.distance == Distance::Hierarchical;
            let value = if hierarchical {
                self.t_hierarchical
            } else {
                self.t_equal
            };
            add(Check::T, value, Some(closeness.t.get()), "at most", at_most);
        }
        limits
    }
}

/// The guarded sets and taxonomies of the sensitive columns, on a chain's dictionary. Values that
/// differ in spelling alone are one value here, and a missing value counts for nothing (SCIENCE 4,
/// *Equal values*).
pub struct Measures {
    /// l of recursive (c, l)-diversity.
    l: Option<u64>,
    equal: EqualCodes,
    /// For each guarded set and each value, whether it is in the set.
    guarded: Vec<Vec<bool>>,
    hierarchies: Vec<Hierarchy>,
}

/// One sensitive column's taxonomy, with the position of every sensitive value.
struct Hierarchy {
    domain: Arc<Domain>,
    place: Vec<Place>,
    /// The number of different values outside the taxonomy.
    outside: usize,
}

/// The position of a value: a node, or, outside the taxonomy, a leaf of its own under the root.
#[derive(Clone, Copy)]
enum Place {
    Node(Node),
    Outside(usize),
}

impl Measures {
    /// For the values of a chain; `l` as in the policy.
    pub fn new(columns: &Columns, values: &SensitiveValues, l: Option<u64>) -> Measures {
        let equal = EqualCodes::of(values);
        let (mut hierarchies, mut guarded) = (Vec::new(), Vec::new());
        for (at, column) in columns.of(Role::Sensitive).enumerate() {
            if let Some(domain) = &column.taxonomy {
                hierarchies.push(Hierarchy::of(domain, column, values, at, &equal));
            }
            if column.guarded.is_empty() {
                continue;
            }
            let of_codes = equal_values(values, at);
            for set in &column.guarded {
                let members: BTreeSet<EqualValue> = set
                    .iter()
                    .filter_map(|text| parse_value(text, column.kind))
                    .map(|value| EqualValue::of(&value))
                    .collect();
                let mut holds = vec![false; equal.values];
                for (&value, known) in equal.of_code.iter().zip(&of_codes) {
                    holds[value as usize] = members.contains(known);
                }
                guarded.push(holds);
            }
        }
        Measures {
            l,
            equal,
            guarded,
            hierarchies,
        }
    }

    /// The figures of one class, without those that compare it with a whole table.
    pub fn shape(&self, crowd: &CandidateValues) -> DiversityFigures {
        let total = total(crowd);
        if total == 0 {
            return DiversityFigures::default();
        }
        let crowd = self.equal.joined(crowd);
        assert!(
            crowd.iter().all(|group| group.1 > 0),
            "values that candidates have"
        );
        let is_missing = |value: ValueCode| self.equal.missing == Some(value);
        let known: Vec<u64> = crowd
            .iter()
            .filter(|group| !is_missing(group.0))
            .map(|group| group.1)
            .collect();
        let all_known = known.iter().sum::<u64>() as f64;
        let entropy: f64 = known
            .iter()
            .map(|&count| count as f64 / all_known)
            .map(|share| -share * share.ln())
            .sum();
        let share = |count: u64| count as f64 / total as f64;
        let held = |set: &Vec<bool>| {
            share(
                crowd
                    .iter()
                    .filter(|(value, _)| set[*value as usize])
                    .map(|group| group.1)
                    .sum(),
            )
        };
        DiversityFigures {
            distinct_l: Some(known.len() as u64),
            entropy_l: Some(entropy.exp()),
            recursive_c: self.l.map(|l| recursive_c(&known, l)),
            alpha: Some(share(known.iter().copied().max().unwrap_or(0))),
            confidence: self.guarded.iter().map(held).reduce(f64::max),
            ..DiversityFigures::default()
        }
    }

    /// The distances of one class to a whole table.
    pub fn distances(&self, crowd: &CandidateValues, table: &ValueShares) -> DiversityFigures {
        let total = total(crowd);
        if total == 0 {
            return DiversityFigures::default();
        }
        let crowd = self.equal.joined(crowd);
        let hierarchical = self
            .hierarchies
            .iter()
            .map(|hierarchy| hierarchy.distance(&crowd, total, table));
        DiversityFigures {
            t_equal: Some(table.distance(&crowd, total)),
            t_hierarchical: hierarchical.reduce(f64::max),
            ..DiversityFigures::default()
        }
    }

    /// The share of every value in a whole release.
    pub fn shares(&self, release: &Release) -> ValueShares {
        let mut rows = vec![0u64; self.equal.of_code.len()];
        for (value, count) in release.values().iter().zip(release.counts()) {
            rows[*value as usize] += count;
        }
        self.shares_of_counts(&rows)
    }

    /// The share of every value, from the number of rows of each code of the dictionary.
    pub fn shares_of_counts(&self, rows: &[u64]) -> ValueShares {
        assert_eq!(
            rows.len(),
            self.equal.of_code.len(),
            "a number of rows for each code"
        );
        let mut of_values = vec![0u64; self.equal.values];
        for (&value, &count) in self.equal.of_code.iter().zip(rows) {
            of_values[value as usize] += count;
        }
        ValueShares::of_counts(&of_values)
    }

    /// The worst figures over the classes of a release as it is.
    pub fn of_release(&self, release: &Release, table: &ValueShares) -> DiversityFigures {
        let crowd = |class: usize| -> Vec<(ValueCode, u64)> {
            release
                .range(class)
                .map(|group| (release.values()[group], release.counts()[group]))
                .collect()
        };
        let figures = |class| {
            let crowd = crowd(class);
            self.shape(&crowd).worse(self.distances(&crowd, table))
        };
        (0..release.classes())
            .map(figures)
            .fold(DiversityFigures::default(), DiversityFigures::worse)
    }
}

fn total(crowd: &CandidateValues) -> u64 {
    crowd.iter().map(|&(_, count)| count).sum()
}

/// r1 / Σ_{i ≥ l} r_i over the counts in descending order.
fn recursive_c(counts: &[u64], l: u64) -> f64 {
    assert!(l >= 2, "recursive diversity begins with two values");
    let mut counts = counts.to_vec();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let tail: u64 = counts
        .iter()
        .skip(usize::try_from(l).unwrap_or(usize::MAX).saturating_sub(1))
        .sum();
    // A class in which no value is known has fewer than l of them.
    counts
        .first()
        .map_or(f64::INFINITY, |&most| most as f64 / tail as f64)
}

/// Which codes of a dictionary are one value.
struct EqualCodes {
    /// The value of each code.
    of_code: Vec<ValueCode>,
    /// The number of values.
    values: usize,
    /// The value that counts for nothing: no column says anything.
    missing: Option<ValueCode>,
}

impl EqualCodes {
    fn of(values: &SensitiveValues) -> EqualCodes {
        let mut of_code: Vec<ValueCode> = vec![0; values.len()];
        let mut says_nothing = vec![true; values.len()];
        for column in 0..values.width() {
            let of_column = equal_values(values, column);
            for (nothing, value) in says_nothing.iter_mut().zip(&of_column) {
                *nothing &= value.is_missing();
            }
            let of_column = numbered(&of_column);
            if values.width() == 1 {
                of_code = of_column;
                break;
            }
            let pairs: Vec<(ValueCode, ValueCode)> =
                of_code.iter().copied().zip(of_column).collect();
            of_code = numbered(&pairs);
        }
        let count = of_code.iter().max().map_or(0, |&last| last as usize + 1);
        let missing = says_nothing
            .iter()
            .position(|&nothing| nothing)
            .map(|code| of_code[code]);
        EqualCodes {
            of_code,
            values: count,
            missing: missing.filter(|_| values.width() > 0),
        }
    }

    /// The same candidates by value; codes of one value are joined.
    fn joined<'c>(&self, crowd: &'c CandidateValues) -> Cow<'c, CandidateValues> {
        if self.values == self.of_code.len() {
            // No two codes are one value, and their order is that of the values.
            return Cow::Borrowed(crowd);
        }
        let mut joined: BTreeMap<ValueCode, u64> = BTreeMap::new();
        for &(code, count) in crowd {
            *joined.entry(self.of_code[code as usize]).or_default() += count;
        }
        Cow::Owned(joined.into_iter().collect())
    }
}

/// The values of a column without their spelling, by code.
fn equal_values(values: &SensitiveValues, column: usize) -> Vec<EqualValue> {
    (0..values.len() as ValueCode)
        .map(|code| EqualValue::of(&values.get(code)[column]))
        .collect()
}

/// A number for each key, the same for equal ones. If all keys differ, each gets its own position.
fn numbered<T: Ord>(keys: &[T]) -> Vec<ValueCode> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&one, &other| keys[one].cmp(&keys[other]));
    let all_differ = order.windows(2).all(|pair| keys[pair[0]] != keys[pair[1]]);
    if all_differ {
        return (0..keys.len() as ValueCode).collect();
    }
    let (mut numbers, mut next) = (vec![0; keys.len()], 0);
    for (at, &key) in order.iter().enumerate() {
        if at > 0 && keys[key] != keys[order[at - 1]] {
            next += 1;
        }
        numbers[key] = next;
    }
    numbers
}

/// The share of every sensitive value in a whole release.
pub struct ValueShares {
    share: Vec<f64>,
    /// The values that occur at all.
    present: Vec<ValueCode>,
}

impl ValueShares {
    /// From the number of rows of each value.
    fn of_counts(count: &[u64]) -> ValueShares {
        let rows: u64 = count.iter().sum();
        let present = (0..count.len() as ValueCode)
            .filter(|&value| count[value as usize] > 0)
            .collect();
        ValueShares {
            share: count.iter().map(|&of| of as f64 / rows as f64).collect(),
            present,
        }
    }

    /// ½ Σ |p − q|, as the sum over the values that are more frequent in the class than in the
    /// table.
    fn distance(&self, crowd: &CandidateValues, total: u64) -> f64 {
        let more = |&(value, count): &(ValueCode, u64)| {
            count as f64 / total as f64 - self.share[value as usize]
        };
        crowd
            .iter()
            .map(more)
            .filter(|&more| more > 0.0)
            .fold(0.0, |sum, more| sum + more)
    }
}

impl Hierarchy {
    /// For the values of the sensitive column with this index. Equal values have one place, that of
    /// the first spelling that the taxonomy knows.
    fn of(
        domain: &Arc<Domain>,
        column: &Column,
        values: &SensitiveValues,
        at: usize,
        equal: &EqualCodes,
    ) -> Hierarchy {
        let mut nodes: Vec<Option<Node>> = vec![None; equal.values];
        let mut unplaced: BTreeMap<ValueCode, EqualValue> = BTreeMap::new();
        for code in 0..values.len() {
            let (value, known) = (equal.of_code[code], &values.get(code as ValueCode)[at]);
            if nodes[value as usize].is_none() {
                nodes[value as usize] = node_of(domain, column, known);
                unplaced.insert(value, EqualValue::of(known));
            }
        }
        unplaced.retain(|&value, _| nodes[value as usize].is_none());
        if !unplaced.is_empty() {
            let tree = &domain.tree;
            let label = |leaf: u32| EqualValue::of_text(tree.label(tree.leaf_node(leaf)));
            let labels: BTreeMap<EqualValue, Node> = (0..tree.leaves() as u32)
                .map(|leaf| (label(leaf), tree.leaf_node(leaf)))
                .collect();
            for (&value, known) in &unplaced {
                nodes[value as usize] = labels.get(known).copied().filter(|_| !known.is_missing());
            }
        }
        let mut outside: BTreeMap<&EqualValue, usize> = BTreeMap::new();
        let mut place = Vec::with_capacity(nodes.len());
        for (value, node) in (0..).zip(nodes) {
            place.push(match node {
                Some(node) => Place::Node(node),
                None => {
                    let next = outside.len();
                    Place::Outside(*outside.entry(&unplaced[&value]).or_insert(next))
                }
            });
        }
        assert!(
            outside.len() <= place.len(),
            "a place outside is that of a value"
        );
        Hierarchy {
            domain: Arc::clone(domain),
            place,
            outside: outside.len(),
        }
    }

    /// Earth mover's distance with ground distance height(lowest common ancestor) / height(tree):
    /// the surplus of a subtree is moved at its parent, as far as some siblings have a surplus and
    /// others a deficit.
    fn distance(&self, crowd: &CandidateValues, total: u64, table: &ValueShares) -> f64 {
        let tree = &self.domain.tree;
        let height = f64::from(tree.height(0));
        if height == 0.0 {
            return 0.0;
        }
        let mut extra = vec![0.0; tree.nodes()];
        let mut sides = vec![(0.0, 0.0); tree.nodes()];
        let add = |sides: &mut [(f64, f64)], node: Node, amount: f64| {
            let side = &mut sides[node as usize];
            if amount > 0.0 {
                side.0 += amount
            } else {
                side.1 -= amount
            }
        };
        let mut outside = vec![0.0; self.outside];
        let mut place = |value: ValueCode, amount: f64| match self.place[value as usize] {
            Place::Node(node) => extra[node as usize] += amount,
            Place::Outside(at) => outside[at] += amount,
        };
        table
            .present
            .iter()
            .for_each(|&value| place(value, -table.share[value as usize]));
        crowd
            .iter()
            .for_each(|&(value, count)| place(value, count as f64 / total as f64));
        outside
            .iter()
            .for_each(|&amount| add(&mut sides, 0, amount));
        let mut cost = 0.0;
        for node in (0..tree.nodes() as Node).rev() {
            let (more, less) = sides[node as usize];
            cost += f64::from(tree.height(node)) / height * f64::min(more, less);
            let amount = extra[node as usize] + more - less;
            if let Some(parent) = tree.parent(node) {
                add(&mut sides, parent, amount);
            }
        }
        cost
    }
}

/// The node of a value of a column in its taxonomy; `None` outside of it.
pub fn node_of(domain: &Domain, column: &Column, value: &Value) -> Option<Node> {
    let leaf = match value {
        Value::Null | Value::Decimal(_) => None,
        Value::Int(number) => domain.leaf_of_int(*number),
        Value::Date(days) => domain.leaf_of_days(*days),
        Value::Text(text) => domain.leaf_of_text(column.kind, text),
        Value::Bool(truth) => {
            domain.leaf_of_text(column.kind, if *truth { "true" } else { "false" })
        }
        Value::Float(number) => domain.leaf_of_text(column.kind, &number.get().to_string()),
    };
    leaf.map(|leaf| domain.tree.leaf_node(leaf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Decimal, LeafRule};
    use crate::policy::{Closeness, Recursive};

    fn close(figure: f64, to: f64) {
        assert!((figure - to).abs() < 1e-12, "{figure} is not {to}");
    }

    #[test]
    fn the_likeliest_value_against_the_tail() {
        let counts = [2, 5, 3];
        [(2, 1.0), (3, 2.5)]
            .into_iter()
            .for_each(|(l, c)| close(recursive_c(&counts, l), c));
        assert!(
            recursive_c(&counts, 4).is_infinite(),
            "there are three values"
        );
        assert!(recursive_c(&[], 2).is_infinite(), "no value is known");
    }

    #[test]
    fn distances_to_the_whole_table() {
        let table = ValueShares::of_counts(&[6, 3, 1]);
        close(table.distance(&[(0, 5)], 5), 0.4);
        close(table.distance(&[(0, 3), (2, 2)], 5), 0.3);
        close(table.distance(&[(0, 6), (1, 3), (2, 1)], 10), 0.0);
    }

    #[test]
    fn what_moves_within_a_subtree_costs_less() {
        let tree = crate::test_trees::two_halves();
        let place = (0..4)
            .map(|leaf| Place::Node(tree.leaf_node(leaf)))
            .collect();
        let hierarchy = Hierarchy {
            domain: Arc::new(Domain {
                tree,
                rule: LeafRule::Label,
            }),
            place,
            outside: 0,
        };
        let table = ValueShares::of_counts(&[1, 1, 1, 1]);
        // A quarter moves from the neighbour over half the height, and half of all from the other
        // half of the tree.
        close(hierarchy.distance(&[(0, 3)], 3, &table), 0.625);
        close(hierarchy.distance(&[(0, 1), (1, 1)], 2, &table), 0.5);
        close(hierarchy.distance(&[(0, 1), (2, 1)], 2, &table), 0.25);
        close(
            hierarchy.distance(&[(0, 1), (1, 1), (2, 1), (3, 1)], 4, &table),
            0.0,
        );
    }

    #[test]
    fn figures_on_their_limits() {
        let decimal = |text: &str| Decimal::parse(text).expect("a number");
        let wanted = Asked {
            distinct_l: Some(2),
            entropy_l: Some(decimal("1.5")),
            recursive: Some(Recursive {
                c: decimal("3"),
                l: 2,
            }),
            alpha: Some(decimal("0.6")),
            confidence: Some(decimal("0.5")),
            closeness: Some(Closeness {
                t: decimal("0.2"),
                distance: Distance::Hierarchical,
            }),
        };
        let figures = |by: f64| DiversityFigures {
            distinct_l: Some(2),
            entropy_l: Some(1.5 - by),
            recursive_c: Some(3.0 - 1e-9 + by),
            alpha: Some(0.6 + by),
            confidence: Some(0.5 + by),
            t_equal: Some(1.0),
            t_hierarchical: Some(0.2 + by),
        };
        assert!(
            figures(0.0)
                .limited(&wanted)
                .iter()
                .all(|figure| figure.kept),
            "on the limit is kept"
        );
        let broken: Vec<Check> = figures(1e-6)
            .limited(&wanted)
            .iter()
            .filter(|figure| !figure.kept)
            .map(|figure| figure.check)
            .collect();
        assert_eq!(
            broken,
            [
                Check::EntropyL,
                Check::RecursiveC,
                Check::Alpha,
                Check::Confidence,
                Check::T
            ]
        );
        let one = DiversityFigures {
            distinct_l: Some(1),
            recursive_c: Some(3.0),
            ..DiversityFigures::default()
        };
        assert!(
            one.limited(&wanted).iter().all(|figure| !figure.kept),
            "c has to be below its limit"
        );
    }
}
