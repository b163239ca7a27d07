//! A release as its readers see it (SCIENCE 1): classes of equal generalised QID, each with its
//! groups of equal sensitive values and their sizes. Built from raw counts under a recoding, or
//! from published labels.

use serde::{Deserialize, Serialize};

use super::values::keeps_codes;
use super::{Cell, Histogram, Tuples, ValueCode};
use crate::{Carving, Columns, Cut, NoAntichain, Node, Recoding, Role, Taxonomy};

/// Classes in preorder of their nodes, each with its groups in the order of values.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    width: usize,
    /// Without columns if classes have labels of their own.
    recoding: Recoding,
    /// Nodes of class c: `nodes[c * width..][..width]`.
    nodes: Vec<Node>,
    /// Groups of class c: `start[c]..start[c + 1]`.
    start: Vec<u32>,
    values: Vec<ValueCode>,
    counts: Vec<u64>,
}

impl std::fmt::Debug for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Release({} classes, {} groups)",
            self.classes(),
            self.values.len()
        )
    }
}

impl Release {
    /// The rows of some increments under a recoding.
    pub fn under(
        histogram: &Histogram,
        increments: std::ops::Range<u32>,
        recoding: &[Cut],
    ) -> Release {
        assert_eq!(recoding.len(), histogram.width(), "one cut for each column");
        let published = |_: usize, cell: &Cell| increments.contains(&cell.increment);
        let key = |tuple: usize, key: &mut [Node]| {
            for (slot, (cut, leaf)) in key
                .iter_mut()
                .zip(recoding.iter().zip(histogram.tuple_at(tuple)))
            {
                *slot = cut.at(leaf);
            }
        };
        Release::gather(histogram, recoding.to_vec(), published, key)
    }

    /// The rows of some increments, each under the labels of its class; people in no class are left
    /// out.
    pub fn carved(
        histogram: &Histogram,
        increments: std::ops::Range<u32>,
        carving: &Carving,
        trees: &[&Taxonomy],
    ) -> Release {
        let finder = carving.finder(trees);
        let mut leaves = vec![0; histogram.width()];
        let mut nodes: Vec<Option<&[Node]>> = Vec::with_capacity(histogram.tuples());
        for tuple in 0..histogram.tuples() {
            leaves
                .iter_mut()
                .zip(histogram.tuple_at(tuple))
                .for_each(|(slot, leaf)| *slot = leaf);
            nodes.push(finder.class(&leaves).map(|(_, class)| class));
        }
        let published = |tuple: usize, cell: &Cell| {
            nodes[tuple].is_some() && increments.contains(&cell.increment)
        };
        let key =
            |tuple: usize, key: &mut [Node]| key.copy_from_slice(nodes[tuple].expect("a class"));
        Release::gather(histogram, Recoding::new(), published, key)
    }

    /// The rows of a release whose "leaves" are the nodes of its labels, if classes have labels of
    /// their own.
    pub fn from_own_labels(labels: &Histogram) -> Release {
        let key = |tuple: usize, key: &mut [Node]| {
            key.iter_mut()
                .zip(labels.tuple_at(tuple))
                .for_each(|(slot, node)| *slot = node);
        };
        Release::gather(labels, Recoding::new(), |_, _| true, key)
    }

    /// The rows of a release whose "leaves" are the nodes of its labels. The recoding is the one
    /// that these labels show, completed where no row shows a label.
    ///
    /// # Errors
    /// The column in which one label is above another, and these two labels.
    pub fn from_labels(
        labels: &Histogram,
        trees: &[&Taxonomy],
    ) -> Result<Release, (usize, NoAntichain)> {
        assert_eq!(trees.len(), labels.width(), "one taxonomy for each column");
        let cut = |(column, tree): (usize, &&Taxonomy)| {
            Cut::completed(tree, labels.column(column)).map_err(|crossing| (column, crossing))
        };
        let recoding = trees
            .iter()
            .enumerate()
            .map(cut)
            .collect::<Result<Recoding, _>>()?;
        let key = |tuple: usize, key: &mut [Node]| {
            key.iter_mut()
                .zip(labels.tuple_at(tuple))
                .for_each(|(slot, node)| *slot = node);
        };
        Ok(Release::gather(labels, recoding, |_, _| true, key))
    }

    fn gather(
        histogram: &Histogram,
        recoding: Recoding,
        counts: impl Fn(usize, &Cell) -> bool,
        key_of: impl Fn(usize, &mut [Node]),
    ) -> Release {
        let width = histogram.width();
        let (mut classes, mut groups) = (Tuples::new(width), Vec::new());
        let mut key = vec![0; width];
        for tuple in 0..histogram.tuples() {
            let mut class = None;
            for cell in histogram
                .cells_of(tuple)
                .iter()
                .filter(|cell| counts(tuple, cell))
            {
                let class = *class.get_or_insert_with(|| {
                    key_of(tuple, &mut key);
                    classes.number(&key)
                });
                groups.push((class, cell.value, u64::from(cell.count)));
            }
        }
        let order = classes.sorted();
        let mut rank = vec![0u32; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(at, &class)| rank[class as usize] = at as u32);
        groups
            .iter_mut()
            .for_each(|group| group.0 = rank[group.0 as usize]);
        groups.sort_unstable();
        let nodes = order
            .iter()
            .flat_map(|&class| classes.get(class).iter().copied())
            .collect();
        let mut release = Release {
            nodes,
            ..Release::empty(width, recoding)
        };
        let mut last = None;
        for (class, value, count) in groups {
            if last == Some((class, value)) {
                let at = release.counts.len() - 1;
                release.counts[at] += count;
                continue;
            }
            while release.start.len() <= class as usize {
                release.start.push(release.values.len() as u32);
            }
            release.values.push(value);
            release.counts.push(count);
            last = Some((class, value));
        }
        if !order.is_empty() {
            release.start.push(release.values.len() as u32);
        }
        assert_eq!(release.classes(), order.len(), "each class has rows");
        assert!(
            release.counts.iter().all(|&count| count > 0),
            "each value of a class has rows"
        );
        release
    }

    /// The same rows under the recoding that their labels show, completed where no row shows a
    /// label.
    ///
    /// # Errors
    /// The column in which one label is above another, and these two labels.
    pub fn with_shown_recoding(self, trees: &[&Taxonomy]) -> Result<Release, (usize, NoAntichain)> {
        assert_eq!(trees.len(), self.width(), "one taxonomy for each column");
        let mut recoding = Recoding::with_capacity(trees.len());
        for (column, tree) in trees.iter().enumerate() {
            let nodes: Vec<Node> = (0..self.classes())
                .map(|class| self.class(class)[column])
                .collect();
            recoding.push(Cut::completed(tree, &nodes).map_err(|pair| (column, pair))?);
        }
        Ok(Release { recoding, ..self })
    }

    /// The same rows under this recoding.
    ///
    /// # Errors
    /// They are returned unchanged if a class is not inside the recoding.
    pub fn under_recoding(self, recoding: &[Cut]) -> Result<Release, Release> {
        assert_eq!(recoding.len(), self.width(), "one cut for each column");
        let held = |node: &Node, cut: &Cut| cut.nodes().binary_search(node).is_ok();
        let inside = |class: usize| {
            self.class(class)
                .iter()
                .zip(recoding)
                .all(|(node, cut)| held(node, cut))
        };
        if (0..self.classes()).all(inside) {
            Ok(Release {
                recoding: recoding.to_vec(),
                ..self
            })
        } else {
            Err(self)
        }
    }

    /// The same rows under a dictionary that contains more values; `map` gives the new code of each
    /// old code, in order.
    #[must_use]
    pub fn with_values(mut self, map: &[ValueCode]) -> Release {
        if keeps_codes(map) {
            return self;
        }
        self.values
            .iter_mut()
            .for_each(|value| *value = map[*value as usize]);
        let ascend =
            |class: usize| self.values[self.range(class)].is_sorted_by(|one, next| one < next);
        assert!(
            (0..self.classes()).all(ascend),
            "values keep their order under another dictionary"
        );
        self
    }

    /// The first class in which two releases on one dictionary differ.
    pub fn first_difference<'r>(&'r self, other: &'r Release) -> Option<&'r [Node]> {
        let groups = |release: &'r Release, class: usize| {
            let range = release.range(class);
            (&release.values[range.clone()], &release.counts[range])
        };
        for class in 0..self.classes().max(other.classes()) {
            if class >= self.classes() || class >= other.classes() {
                return Some(if class < self.classes() {
                    self.class(class)
                } else {
                    other.class(class)
                });
            }
            let (a, b) = (self.class(class), other.class(class));
            if a != b {
                return Some(a.min(b));
            }
            if groups(self, class) != groups(other, class) {
                return Some(a);
            }
        }
        None
    }

    /// A release without rows, with this number of quasi columns, under a recoding; the recoding
    /// has no columns if classes have labels of their own.
    pub fn empty(width: usize, recoding: Recoding) -> Release {
        Release {
            width,
            recoding,
            nodes: Vec::new(),
            start: vec![0],
            values: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// A release without rows, under the same recoding.
    fn emptied(&self) -> Release {
        Release::empty(self.width, self.recoding.clone())
    }

    /// Adds a class after all others, with its groups in the order of values.
    pub(super) fn push_class(
        &mut self,
        nodes: &[Node],
        groups: impl Iterator<Item = (ValueCode, u64)>,
    ) {
        assert_eq!(nodes.len(), self.width, "one label for each column");
        self.nodes.extend_from_slice(nodes);
        groups.for_each(|(value, count)| {
            self.values.push(value);
            self.counts.push(count);
        });
        self.start.push(self.values.len() as u32);
    }

    /// The classes for which `keep` holds, and the others.
    pub fn divide(&self, keep: impl Fn(&[Node]) -> bool) -> [Release; 2] {
        let mut parts = [self.emptied(), self.emptied()];
        for class in 0..self.classes() {
            let part = &mut parts[usize::from(!keep(self.class(class)))];
            part.nodes.extend_from_slice(self.class(class));
            part.values
                .extend_from_slice(&self.values[self.range(class)]);
            part.counts
                .extend_from_slice(&self.counts[self.range(class)]);
            part.start.push(part.values.len() as u32);
        }
        assert_eq!(
            parts[0].rows() + parts[1].rows(),
            self.rows(),
            "each row is in one of both parts"
        );
        parts
    }

    /// The rows that remain without those of another release on the same dictionary; `None` if it
    /// does not contain all of those.
    pub fn without(&self, other: &Release) -> Option<Release> {
        (other.beyond(self).classes() == 0).then(|| self.beyond(other))
    }

    /// The rows that it has in addition to those of another release on the same dictionary, by
    /// class and value.
    pub fn beyond(&self, other: &Release) -> Release {
        assert_eq!(self.width, other.width, "releases of one feed");
        let mut more = self.emptied();
        for class in 0..self.classes() {
            let same = other
                .find(self.class(class))
                .map_or(0..0, |class| other.range(class));
            let (values, counts) = (&other.values[same.clone()], &other.counts[same]);
            for group in self.range(class) {
                let value = self.values[group];
                let held = values.binary_search(&value).map_or(0, |at| counts[at]);
                if self.counts[group] > held {
                    more.values.push(value);
                    more.counts.push(self.counts[group] - held);
                }
            }
            if more.values.len() > more.start[more.classes()] as usize {
                more.nodes.extend_from_slice(self.class(class));
                more.start.push(more.values.len() as u32);
            }
        }
        assert!(more.rows() <= self.rows(), "some of the rows");
        more
    }

    /// Number of quasi columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether classes have labels of their own.
    pub fn is_local(&self) -> bool {
        self.recoding.len() != self.width
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.values.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The recoding it was published under, as far as its labels show it; without columns if
    /// classes have labels of their own.
    pub fn recoding(&self) -> &[Cut] {
        &self.recoding
    }

    /// The nodes of a class, one per quasi column.
    pub fn class(&self, class: usize) -> &[Node] {
        &self.nodes[class * self.width()..][..self.width()]
    }

    /// The range of the groups of a class in [`Release::values`] and [`Release::counts`].
    pub fn range(&self, class: usize) -> std::ops::Range<usize> {
        self.start[class] as usize..self.start[class + 1] as usize
    }

    /// Sensitive values of all groups, class by class, ascending in each.
    pub fn values(&self) -> &[ValueCode] {
        &self.values
    }

    /// Rows of all groups, class by class.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Rows of a class.
    pub fn size(&self, class: usize) -> u64 {
        self.counts[self.range(class)].iter().sum()
    }

    /// The smallest class, the first one of several: its number of rows and its number; `None` if
    /// there are no rows.
    pub fn smallest(&self) -> Option<(u64, usize)> {
        (0..self.classes())
            .map(|class| (self.size(class), class))
            .min()
    }

    /// The nodes of all classes.
    pub fn class_labels(&self) -> Vec<&[Node]> {
        (0..self.classes()).map(|class| self.class(class)).collect()
    }

    /// The class with these nodes.
    pub fn find(&self, nodes: &[Node]) -> Option<usize> {
        assert_eq!(nodes.len(), self.width(), "one label for each column");
        let (mut from, mut to) = (0, self.classes());
        while from < to {
            let middle = from.midpoint(to);
            match self.class(middle).cmp(nodes) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// The number of rows of the class with these nodes; 0 if there is no such class.
    pub fn size_of(&self, nodes: &[Node]) -> u64 {
        self.find(nodes).map_or(0, |class| self.size(class))
    }

    /// A class in words.
    pub fn describe(&self, class: usize, columns: &Columns) -> String {
        describe(self.class(class), columns)
    }
}

/// Nodes, one per quasi column, as reports and errors show them; columns with `*` are omitted.
pub fn describe(nodes: &[Node], columns: &Columns) -> String {
    let quasi = columns.of(Role::Quasi).zip(columns.trees()).zip(nodes);
    let detailed = quasi.filter(|(_, node)| **node != 0);
    let labels: Vec<String> = detailed
        .map(|((column, tree), &node)| format!("{} = {}", column.name, tree.label(node)))
        .collect();
    if labels.is_empty() {
        "(everything at its root)".to_owned()
    } else {
        format!("({})", labels.join(", "))
    }
}

/// Finds the releases that have the same recoding as far as their labels show (together they still
/// form antichains), gives them the recoding that all their labels show together, and numbers the
/// recodings in order of appearance.
pub fn number_recodings(releases: &mut [Release], trees: &[&Taxonomy]) -> Vec<usize> {
    let mut known: Vec<Vec<Vec<Node>>> = Vec::new();
    let mut number = Vec::with_capacity(releases.len());
    for release in releases.iter() {
        let shown: Vec<Vec<Node>> = (0..trees.len())
            .map(|column| release.shown(column))
            .collect();
        let fits = |group: &Vec<Vec<Node>>| {
            let together = group
                .iter()
                .zip(&shown)
                .map(|(a, b)| [a.as_slice(), b].concat());
            together
                .zip(trees)
                .all(|(nodes, tree)| Cut::completed(tree, &nodes).is_ok())
        };
        let at = known.iter().position(fits).unwrap_or_else(|| {
            known.push(vec![Vec::new(); trees.len()]);
            known.len() - 1
        });
        for (group, nodes) in known[at].iter_mut().zip(shown) {
            group.extend(nodes);
            group.sort_unstable();
            group.dedup();
        }
        number.push(at);
    }
    let full: Vec<Recoding> = known
        .iter()
        .map(|group| {
            let cut = |(nodes, tree): (&Vec<Node>, &&Taxonomy)| Cut::completed(tree, nodes);
            group
                .iter()
                .zip(trees)
                .map(cut)
                .collect::<Result<_, _>>()
                .expect("groups are antichains")
        })
        .collect();
    releases
        .iter_mut()
        .zip(&number)
        .for_each(|(release, &at)| release.recoding.clone_from(&full[at]));
    assert_eq!(number.len(), releases.len(), "a number for each release");
    number
}

impl Release {
    /// The nodes of its recoding in a column; if classes have labels of their own, those of the
    /// rows.
    pub fn labels(&self, column: usize) -> Vec<Node> {
        self.recoding
            .get(column)
            .map_or_else(|| self.shown(column), |cut| cut.nodes().to_vec())
    }

    /// The distinct nodes of the rows in a column.
    pub fn shown(&self, column: usize) -> Vec<Node> {
        let mut nodes: Vec<Node> = (0..self.classes())
            .map(|class| self.class(class)[column])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}
