//! The paths to the fields that are read (HOUSE 4, Decoding), as a tree of keys, list indices and
//! choices among the elements of a list: the steps of a column's paths, or its name. The same paths
//! are used for JSON and Avro. Nothing here looks at a value, except at the text that an element
//! must have to be chosen.

use super::page::{FieldText, WrittenField};
use crate::config::{PathPart, path_parts};
use crate::engine::histogram::{MisfitKind, RawCell};
use crate::engine::model::Column;

/// The fields that are read, as a tree of keys and indices. Behind the fields of columns and the
/// marks of messages there are those that only decide: other paths of a column, and the texts of
/// chosen elements.
pub(crate) struct FieldPaths {
    nodes: Vec<PathStep>,
    /// The number of all fields.
    width: usize,
    /// A field of a column, and the field of another path of it, in their order.
    others: Vec<(usize, usize)>,
}

/// One step of a path.
#[derive(Default)]
pub(crate) struct PathStep {
    /// The next steps into an object, and their nodes.
    pub keys: Vec<(Box<str>, usize)>,
    /// The indices of a list, from 0, that paths use, and their nodes.
    pub items: Vec<(usize, usize)>,
    /// The choices among the elements of a list.
    pub picks: Vec<Pick>,
    /// The indices of the fields of a row with this value.
    pub fields: Vec<usize>,
}

/// A choice among the elements of a list: for each field below it the first element counts that
/// fits and has the field.
pub(crate) struct Pick {
    /// The field of an element that must have this text; `None`: every element fits.
    pub test: Option<(usize, Box<str>)>,
    /// As which path the test is written.
    part: PathPart,
    /// The node of a chosen element.
    pub node: usize,
}

impl Default for FieldPaths {
    fn default() -> FieldPaths {
        FieldPaths {
            nodes: vec![PathStep::default()],
            width: 0,
            others: Vec::new(),
        }
    }
}

/// The steps of a path that the feed file was checked for.
fn parts(path: &str) -> Vec<PathPart> {
    path_parts(path).expect("paths of a feed file are checked")
}

impl FieldPaths {
    /// The paths of these columns, or their names.
    pub(crate) fn of(columns: &[&Column]) -> FieldPaths {
        let mut paths = FieldPaths {
            width: columns.len() + FieldPaths::MARKS,
            ..FieldPaths::default()
        };
        for (field, column) in columns.iter().enumerate() {
            if column.source.paths.is_empty() {
                let node = paths.below(0, &column.name);
                paths.nodes[node].fields.push(field);
            }
            for (at, path) in column.source.paths.iter().enumerate() {
                let mut own = field;
                if at > 0 {
                    own = paths.new_field();
                    paths.others.push((field, own));
                }
                let node = paths.through(&parts(path));
                paths.nodes[node].fields.push(own);
            }
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
        let key = |name: &str| PathPart::Key(name.into());
        let mut marks = vec![vec![key("__deleted")]];
        for path in columns.iter().flat_map(|column| &column.source.paths) {
            let steps = parts(path);
            if let Some(at) = steps.iter().position(|step| *step == key("after")) {
                marks.insert(0, [&steps[..at], &[key("op")]].concat());
                break;
            }
        }
        for (mark, steps) in (columns.len()..).zip(marks) {
            let node = paths.through(&steps);
            paths.nodes[node].fields.push(mark);
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
        self.nodes.len()
    }

    /// The number of all fields that are read.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// A node.
    pub(crate) fn node(&self, node: usize) -> &PathStep {
        &self.nodes[node]
    }

    /// For each field of a column with several paths, the field of another path and its own: the
    /// value of another counts if those before have none.
    pub(crate) fn others(&self) -> &[(usize, usize)] {
        &self.others
    }

    /// The fields of a node and below it.
    pub(crate) fn fields_below(&self, node: usize) -> Vec<usize> {
        let (mut fields, mut open) = (Vec::new(), vec![node]);
        while let Some(node) = open.pop() {
            fields.extend(&self.nodes[node].fields);
            open.extend(self.nodes[node].below());
        }
        fields
    }

    /// Sets this fault for all fields of a node and below it.
    pub(crate) fn spoil(&self, node: usize, kind: MisfitKind, found: &mut [WrittenField<'_>]) {
        for field in self.fields_below(node) {
            found[field] = Err(kind);
        }
    }

    /// The node at the end of these steps.
    fn through(&mut self, steps: &[PathPart]) -> usize {
        let mut node = 0;
        for step in steps {
            node = match step {
                PathPart::Key(key) => self.below(node, key),
                PathPart::Place(place) => self.at(node, *place),
                PathPart::Any | PathPart::Where { .. } => self.pick(node, step),
            };
        }
        node
    }

    /// The node of an element that is chosen as a step says.
    fn pick(&mut self, node: usize, step: &PathPart) -> usize {
        if let Some(pick) = self.nodes[node]
            .picks
            .iter()
            .find(|pick| pick.part == *step)
        {
            return pick.node;
        }
        let new = self.add();
        let mut test = None;
        if let PathPart::Where { field, text } = step {
            let (below, own) = (self.below(new, field), self.new_field());
            self.nodes[below].fields.push(own);
            test = Some((own, text.clone()));
        }
        self.nodes[node].picks.push(Pick {
            test,
            part: step.clone(),
            node: new,
        });
        new
    }

    fn new_field(&mut self) -> usize {
        self.width += 1;
        self.width - 1
    }

    fn below(&mut self, node: usize, key: &str) -> usize {
        if let Some(found) = self.nodes[node].child(key) {
            return found;
        }
        let new = self.add();
        self.nodes[node].keys.push((key.into(), new));
        new
    }

    fn at(&mut self, node: usize, place: usize) -> usize {
        if let Some(found) = self.nodes[node].item(place) {
            return found;
        }
        let new = self.add();
        self.nodes[node].items.push((place, new));
        new
    }

    fn add(&mut self) -> usize {
        self.nodes.push(PathStep::default());
        self.nodes.len() - 1
    }
}

impl PathStep {
    /// Whether no path continues from here.
    pub(crate) fn is_last(&self) -> bool {
        self.keys.is_empty() && !self.leads_list_nodes()
    }

    /// Whether a path continues into a list.
    pub(crate) fn leads_list_nodes(&self) -> bool {
        !self.items.is_empty() || !self.picks.is_empty()
    }

    /// The nodes to which paths continue.
    pub(crate) fn below(&self) -> impl Iterator<Item = usize> {
        let keys = self.keys.iter().map(|&(_, node)| node);
        keys.chain(self.list_nodes())
    }

    /// The nodes to which paths continue in a list.
    pub(crate) fn list_nodes(&self) -> impl Iterator<Item = usize> {
        let items = self.items.iter().map(|&(_, node)| node);
        items.chain(self.picks.iter().map(|pick| pick.node))
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
        self.child_from(key, &mut 0)
    }

    /// The same; the search begins at a place among the keys, and moves it behind what it finds:
    /// objects of one source mostly have their keys in one order.
    pub(crate) fn child_from(&self, key: &str, from: &mut usize) -> Option<usize> {
        let first = key.as_bytes().first();
        let (before, behind) = self.keys.split_at((*from).min(self.keys.len()));
        let places = (before.len()..).zip(behind).chain((0..).zip(before));
        for (at, (known, node)) in places {
            if known.len() == key.len() && known.as_bytes().first() == first && **known == *key {
                *from = at + 1;
                return Some(*node);
            }
        }
        None
    }
}

impl Pick {
    /// Whether an element with these fields fits.
    pub(crate) fn fits(&self, found: &[WrittenField<'_>], read: FieldText) -> bool {
        let Some((field, wanted)) = &self.test else {
            return true;
        };
        let mut unescaped = String::new();
        let cell = found[*field].and_then(|written| read(written, &mut unescaped));
        matches!(cell, Ok(RawCell::Text(text)) if *text == **wanted)
    }
}

/// Whether a field has no value, or its path leads nowhere; a wrong value is one.
pub(crate) fn is_missing(field: &WrittenField<'_>, read: FieldText) -> bool {
    let mut unescaped = String::new();
    match field {
        Ok(written) => matches!(read(written, &mut unescaped), Ok(RawCell::Null)),
        Err(kind) => matches!(kind, MisfitKind::NoPath | MisfitKind::NoList),
    }
}
