//! A second implementation of attacks on chains, written from the definitions with plain maps and
//! sets, and slow: every world that agrees with the releases is built, record by record, and an
//! attacker's candidates are counted over all of them.
//!
//! A record is a path: the release it was added in, and a class in that release and in each later
//! one, such that some leaf tuple is in all of them. A world gives the number of records of each
//! path.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::engine::model::Taxonomy;

use super::Row;

/// Labels of a class.
pub type Class = Vec<String>;
/// A target or a record's path: the release it was added in, and its classes from there on.
pub type Way = (usize, Vec<Class>);

/// Releases as counts per class and sensitive value.
pub struct World<'w> {
    pub trees: &'w [&'w Taxonomy],
    pub releases: Vec<BTreeMap<Class, BTreeMap<String, u64>>>,
}

impl<'w> World<'w> {
    pub fn new(trees: &'w [&'w Taxonomy], releases: &[Vec<Row>]) -> World<'w> {
        let count = |rows: &Vec<Row>| {
            let mut table: BTreeMap<Class, BTreeMap<String, u64>> = BTreeMap::new();
            for (class, s) in rows {
                *table
                    .entry(class.clone())
                    .or_default()
                    .entry(s.clone())
                    .or_default() += 1;
            }
            table
        };
        World {
            trees,
            releases: releases.iter().map(count).collect(),
        }
    }

    fn range(&self, column: usize, label: &str) -> std::ops::Range<u32> {
        self.trees[column].leaf_range(self.trees[column].find(label).expect("a label"))
    }

    /// Whether some leaf tuple is in all these classes.
    pub fn meet(&self, classes: &[&Class]) -> bool {
        (0..self.trees.len()).all(|column| {
            let ranges: Vec<_> = classes
                .iter()
                .map(|class| self.range(column, &class[column]))
                .collect();
            let from = ranges.iter().map(|range| range.start).max().unwrap_or(0);
            ranges.iter().all(|range| from < range.end)
        })
    }

    /// All paths from a release on through non-empty classes.
    pub fn ways(&self, from: usize) -> Vec<Way> {
        let mut ways: Vec<Vec<Class>> = vec![Vec::new()];
        for release in &self.releases[from..] {
            let longer = |way: &Vec<Class>| -> Vec<Vec<Class>> {
                let fits = release
                    .keys()
                    .filter(|class| self.meet(&way.iter().chain([*class]).collect::<Vec<_>>()));
                fits.map(|class| [way.clone(), vec![class.clone()]].concat())
                    .collect()
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        ways.into_iter().map(|classes| (from, classes)).collect()
    }

    /// Rows of one value in a class.
    fn rows(&self, release: usize, class: &Class, s: &str) -> u64 {
        self.releases[release]
            .get(class)
            .and_then(|groups| groups.get(s))
            .copied()
            .unwrap_or(0)
    }

    fn sensitive(&self) -> BTreeSet<String> {
        self.releases
            .iter()
            .flat_map(|table| table.values())
            .flat_map(|groups| groups.keys().cloned())
            .collect()
    }

    /// For every path the most records that any world has on it, summed over the values: the exact
    /// number of candidates. None if there are too many worlds to build.
    pub fn exact(&self) -> Option<BTreeMap<Way, u64>> {
        let ways: Vec<Way> = (0..self.releases.len())
            .flat_map(|from| self.ways(from))
            .collect();
        let mut left: BTreeMap<Way, u64> = ways.iter().map(|way| (way.clone(), 0)).collect();
        for s in self.sensitive() {
            let rest = |(release, table): (usize, &BTreeMap<Class, BTreeMap<String, u64>>)| -> BTreeMap<Class, u64> {
                table.keys().map(|class| (class.clone(), self.rows(release, class, &s))).collect()
            };
            let rest = self.releases.iter().enumerate().map(rest).collect();
            let mut search = Search {
                ways: &ways,
                on: vec![0; ways.len()],
                most: vec![0; ways.len()],
                rest,
                steps: 0,
            };
            search.descend(0)?;
            assert!(search.steps > 0, "the real world is always one of them");
            for (way, most) in ways.iter().zip(&search.most) {
                *left.get_mut(way).expect("a way") += most;
            }
        }
        Some(left)
    }

    /// The pair bound and the paper's figure by their formulas, per path.
    pub fn bounds(&self) -> BTreeMap<Way, [u64; 2]> {
        let n = self.releases.len();
        let values = self.sensitive();
        let mut bounds = BTreeMap::new();
        for way in (0..n).flat_map(|from| self.ways(from)) {
            let (from, classes) = (way.0, &way.1);
            let (mut pair, mut paper) = (0, 0);
            for s in &values {
                let counts: Vec<u64> = (from..n)
                    .map(|l| self.rows(l, &classes[l - from], s))
                    .collect();
                let least = counts.iter().min().copied().unwrap_or(0);
                let (mut by_pairs, mut by_paper) = (least, least);
                for j in 0..from {
                    for l in from..n {
                        let excess = self.excess(j, l, &classes[l - from], s);
                        by_pairs = by_pairs.min(excess);
                        if l == from {
                            by_paper = by_paper.min(excess);
                        }
                    }
                }
                pair += by_pairs;
                paper += by_paper;
            }
            bounds.insert(way, [pair, paper]);
        }
        bounds
    }

    /// N of SCIENCE 2, from the definition of comparable classes: the rows of all classes of R_l
    /// that are linked with this one through classes of R_j, minus those of R_j.
    fn excess(&self, j: usize, l: usize, class: &Class, s: &str) -> u64 {
        let (mut later, mut earlier) = (BTreeSet::from([class.clone()]), BTreeSet::new());
        loop {
            let before = (later.len(), earlier.len());
            let linked = |class: &Class, to: &BTreeSet<Class>| {
                to.iter().any(|other| self.meet(&[class, other]))
            };
            earlier.extend(
                self.releases[j]
                    .keys()
                    .filter(|class| linked(class, &later))
                    .cloned(),
            );
            later.extend(
                self.releases[l]
                    .keys()
                    .filter(|class| linked(class, &earlier))
                    .cloned(),
            );
            if (later.len(), earlier.len()) == before {
                break;
            }
        }
        let sum = |release, classes: &BTreeSet<Class>| {
            classes
                .iter()
                .map(|class| self.rows(release, class, s))
                .sum::<u64>()
        };
        sum(l, &later) - sum(j, &earlier)
    }
}

/// Builds all worlds of one sensitive value.
struct Search<'s> {
    ways: &'s [Way],
    on: Vec<u64>,
    most: Vec<u64>,
    rest: Vec<BTreeMap<Class, u64>>,
    steps: u64,
}

impl Search<'_> {
    /// Places the next record; paths at one class are tried in order, so that no world is built
    /// twice.
    fn descend(&mut self, from: usize) -> Option<()> {
        self.steps += 1;
        if self.steps > 200_000 {
            return None;
        }
        let open = |table: &BTreeMap<Class, u64>| {
            table
                .iter()
                .find(|(_, rest)| **rest > 0)
                .map(|(class, _)| class.clone())
        };
        let Some((release, class)) = self
            .rest
            .iter()
            .enumerate()
            .find_map(|(release, table)| Some((release, open(table)?)))
        else {
            self.most
                .iter_mut()
                .zip(&self.on)
                .for_each(|(most, on)| *most = (*most).max(*on));
            return Some(());
        };
        for at in from..self.ways.len() {
            let (start, classes) = &self.ways[at];
            if *start != release || classes[0] != class {
                continue;
            }
            let free = classes
                .iter()
                .enumerate()
                .all(|(step, class)| self.rest[release + step][class] > 0);
            if !free {
                continue;
            }
            self.place(at, -1);
            // The same class continues with this path or a later one; a new class begins with the
            // first.
            let again = if self.rest[release][&class] > 0 {
                at
            } else {
                0
            };
            self.descend(again)?;
            self.place(at, 1);
        }
        Some(())
    }

    fn place(&mut self, at: usize, by: i64) {
        let (start, classes) = &self.ways[at];
        self.on[at] = self.on[at].checked_add_signed(-by).expect("placed before");
        for (step, class) in classes.iter().enumerate() {
            let rest = self.rest[start + step].get_mut(class).expect("a class");
            *rest = rest.checked_add_signed(by).expect("rows are left");
        }
    }
}
