//! The paths to the fields that are read (HOUSE 4, Decoding), as a tree of keys and list indices:
//! the steps of a column's path, or its name. The same paths are used for JSON and Avro. Nothing
//! here looks at a value.

use super::row_batch::FieldText;
use crate::engine::histogram::{MisfitKind, RawCell};
use crate::engine::model::Column;

/// A field in its written form; empty if it is missing.
pub(crate) type WrittenField<'t> = Result<&'t [u8], MisfitKind>;

/// The fields that are read, as a tree of keys and indices.
pub(crate) struct FieldPaths(Vec<PathStep>);

/// One step of a path.
#[derive(Default)]
pub(crate) struct PathStep {
    /// The next steps into an object, and their nodes.
    pub keys: Vec<(Box<str>, usize)>,
    /// The indices of a list, from 0, that paths use, and their nodes.
    pub items: Vec<(usize, usize)>,
    /// The indices of the fields of a row with this value.
    pub fields: Vec<usize>,
}

impl Default for FieldPaths {
    fn default() -> FieldPaths {
        FieldPaths(vec![PathStep::default()])
    }
}

impl FieldPaths {
    /// The paths of these columns, or their names.
    pub(crate) fn of(columns: &[&Column]) -> FieldPaths {
        let mut paths = FieldPaths::default();
        for (field, column) in columns.iter().enumerate() {
            let node = match &column.path {
                Some(path) => path
                    .strip_prefix("$.")
                    .unwrap_or(path)
                    .split('.')
                    .fold(0, |at, step| paths.through(at, step)),
                None => paths.below(0, &column.name),
            };
            paths.0[node].fields.push(field);
        }
        paths
    }

    /// The number of fields, after those of the columns, that show the kind of a message.
    pub(crate) const MARKS: usize = 2;

    /// The paths of these columns, followed by those that show the kind of a message in a stream of
    /// changes: `op` in the envelope whose `after` is read, and `__deleted` where the envelope was
    /// removed.
    pub(crate) fn of_messages(columns: &[&Column]) -> FieldPaths {
        let mut paths = FieldPaths::of(columns);
        let steps = columns
            .iter()
            .filter_map(|column| column.path.as_deref()?.strip_prefix("$."));
        let envelope = steps.filter_map(|path| {
            path.split('.')
                .position(|step| step == "after")
                .map(|at| (path, at))
        });
        let mut marks = vec![vec!["__deleted"]];
        if let Some((path, at)) = envelope.into_iter().next() {
            marks.insert(0, path.split('.').take(at).chain(["op"]).collect());
        }
        for (mark, steps) in (columns.len()..).zip(marks) {
            let node = steps
                .into_iter()
                .fold(0, |at, step| paths.through(at, step));
            paths.0[node].fields.push(mark);
        }
        paths
    }

    /// Whether a message says that a record was deleted, by the fields after those of its columns.
    pub(crate) fn is_delete(marks: &[WrittenField<'_>], read: FieldText) -> bool {
        let mut text = String::new();
        let says = |mark: &WrittenField<'_>| {
            let mark = mark.and_then(|mark| read(mark, &mut text));
            matches!(
                mark,
                Ok(RawCell::Text("d" | "t" | "true") | RawCell::Bool(true))
            )
        };
        marks.iter().any(says)
    }

    /// The number of nodes; the first one is the message or line itself.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// A node.
    pub(crate) fn node(&self, node: usize) -> &PathStep {
        &self.0[node]
    }

    /// Sets this fault for all fields of a node and below it.
    pub(crate) fn spoil(&self, node: usize, kind: MisfitKind, found: &mut [WrittenField<'_>]) {
        self.0[node]
            .fields
            .iter()
            .for_each(|&field| found[field] = Err(kind));
        self.0[node]
            .below()
            .for_each(|below| self.spoil(below, kind, found));
    }

    /// Adds a step as it is written: a key, followed by list indices.
    fn through(&mut self, node: usize, step: &str) -> usize {
        let (key, places) = step.split_at(step.find('[').unwrap_or(step.len()));
        let places = places.split(['[', ']']).filter(|place| !place.is_empty());
        let place = |place: &str| {
            place
                .parse()
                .expect("a feed file names places by whole numbers")
        };
        let node = self.below(node, key);
        places.map(place).fold(node, |at, place| self.at(at, place))
    }

    fn below(&mut self, node: usize, key: &str) -> usize {
        if let Some(found) = self.0[node].child(key) {
            return found;
        }
        let new = self.add();
        self.0[node].keys.push((key.into(), new));
        new
    }

    fn at(&mut self, node: usize, place: usize) -> usize {
        if let Some(found) = self.0[node].item(place) {
            return found;
        }
        let new = self.add();
        self.0[node].items.push((place, new));
        new
    }

    fn add(&mut self) -> usize {
        self.0.push(PathStep::default());
        self.0.len() - 1
    }
}

impl PathStep {
    /// Whether no path continues from here.
    pub(crate) fn is_last(&self) -> bool {
        self.keys.is_empty() && self.items.is_empty()
    }

    /// The nodes to which paths continue.
    pub(crate) fn below(&self) -> impl Iterator<Item = usize> {
        self.keys
            .iter()
            .map(|&(_, node)| node)
            .chain(self.items.iter().map(|&(_, node)| node))
    }

    /// The node of a list index; `None` if it is not read.
    pub(crate) fn item(&self, place: usize) -> Option<usize> {
        self.items
            .iter()
            .find(|(known, _)| *known == place)
            .map(|&(_, node)| node)
    }

    /// The node of a key; `None` if it is not read.
    pub(crate) fn child(&self, key: &str) -> Option<usize> {
        self.keys
            .iter()
            .find(|(known, _)| **known == *key)
            .map(|&(_, node)| node)
    }
}
