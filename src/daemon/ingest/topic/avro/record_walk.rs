//! Walks over one record after another, by its schema, and extracts what columns read. Strict:
//! every byte must belong to the record, or the message is invalid. Bounded: nesting, and the
//! number of steps by the length of the message, since values without bytes cost nothing to write.

use crate::wiped_bytes::WipedBytes;
use std::ops::Range;

use super::plan::SchemaPlan;
use super::reader::AvroReader;
use super::schema::Type;
use super::value::{AvroValue, read};
use crate::engine::histogram::MisfitKind;
use crate::page::WrittenField;
use crate::paths::{FieldPaths, PathStep, is_missing};

/// The most levels of nested values.
const DEEPEST: usize = 200;
/// The number of values that any message may have; more are allowed in proportion to its bytes.
const STEPS: usize = 1 << 16;

/// A range of the written values, or what is wrong.
type Found = Result<Range<usize>, MisfitKind>;

/// Walks through messages.
pub(crate) struct AvroWalk<'p> {
    paths: &'p FieldPaths,
    fields: usize,
    /// The values of the message, in the form for columns.
    values: WipedBytes,
    found: Vec<Found>,
    /// For each node the last object that had it: a message, or a chosen element of a list.
    seen: Vec<u64>,
    object: u64,
    objects: u64,
    steps: usize,
}

impl<'p> AvroWalk<'p> {
    /// For messages with this many fields to read.
    pub(crate) fn new(paths: &'p FieldPaths, fields: usize) -> AvroWalk<'p> {
        let (found, seen) = (Vec::new(), vec![0; paths.len()]);
        AvroWalk {
            paths,
            fields,
            values: WipedBytes::default(),
            found,
            seen,
            object: 0,
            objects: 0,
            steps: 0,
        }
    }

    /// Calls `show` with the fields of a record; `None` if the message is not exactly one record of
    /// this schema.
    pub(crate) fn record<T>(
        &mut self,
        plan: &SchemaPlan,
        record: &[u8],
        show: impl FnOnce(Option<&[WrittenField<'_>]>) -> T,
    ) -> T {
        self.objects += 1;
        self.object = self.objects;
        self.steps = STEPS.saturating_add(record.len().saturating_mul(8));
        self.values.clear();
        self.found.clear();
        self.found
            .resize(self.paths.width().max(self.fields), Ok(0..0));
        let mut reader = AvroReader::new(record);
        let whole = self.value(plan, plan.schema().root(), Some(0), &mut reader, 0);
        if whole.is_none() || reader.left() > 0 {
            return show(None);
        }
        for &(field, other) in self.paths.others() {
            if is_missing(&self.written()[field], read) {
                self.found[field] = self.found[other].clone();
            }
        }
        show(Some(&self.written()[..self.fields]))
    }

    /// The fields in their written form.
    fn written(&self) -> Vec<WrittenField<'_>> {
        let values = &self.values;
        let field = |found: &Found| found.clone().map(|range| &values[range]);
        self.found.iter().map(field).collect()
    }

    /// Takes from the next element of a list what is chosen by its content, and not found before.
    fn picks(
        &mut self,
        plan: &SchemaPlan,
        items: usize,
        node: Option<usize>,
        reader: &AvroReader<'_>,
        depth: usize,
    ) -> Option<()> {
        let (Some(node), paths) = (node, self.paths) else {
            return Some(());
        };
        for pick in &paths.node(node).picks {
            let nothing = vec![Ok(0..0); self.found.len()];
            let before = std::mem::replace(&mut self.found, nothing);
            self.objects += 1;
            let around = std::mem::replace(&mut self.object, self.objects);
            self.value(plan, items, Some(pick.node), &mut reader.clone(), depth)?;
            self.object = around;
            let written = self.written();
            let mut fields = paths.fields_below(pick.node);
            fields.retain(|&field| !is_missing(&written[field], read));
            let fits = pick.fits(&written, read);
            let inside = std::mem::replace(&mut self.found, before);
            for field in fields.into_iter().filter(|_| fits) {
                if is_missing(&self.written()[field], read) {
                    self.found[field] = inside[field].clone();
                }
            }
        }
        Some(())
    }

    /// Walks over one value and extracts what a node reads.
    fn value(
        &mut self,
        plan: &SchemaPlan,
        place: usize,
        node: Option<usize>,
        reader: &mut AvroReader<'_>,
        depth: usize,
    ) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let kind = plan.schema().at(place);
        match kind {
            Type::Null => Some(()),
            Type::Union(branches) => {
                let branch = branches[reader.choice(branches.len())?];
                self.value(plan, branch, node, reader, depth + 1)
            }
            Type::Array(items) => {
                self.nested(node, false);
                let mut place = 0;
                self.blocks(reader, |walk, reader| {
                    walk.picks(plan, *items, node, reader, depth + 1)?;
                    let below = node.and_then(|node| walk.paths.node(node).item(place));
                    place += 1;
                    walk.value(plan, *items, below, reader, depth + 1)
                })
            }
            Type::Map(values) => {
                self.nested(node, true);
                self.blocks(reader, |walk, reader| {
                    let key = reader.bytes()?;
                    let below = node.and_then(|node| walk.key(node, key));
                    walk.value(plan, *values, below, reader, depth + 1)
                })
            }
            Type::Record(fields) => {
                self.nested(node, true);
                let nodes = node.map_or(&[][..], |node| plan.fields(place, node));
                let below = nodes.iter().copied().chain(std::iter::repeat(None));
                fields.iter().zip(below).try_for_each(|((_, kind), node)| {
                    self.value(plan, *kind, node, reader, depth + 1)
                })
            }
            plain => {
                let value = single(plain, reader)?;
                match (node, value) {
                    (None, _) => {}
                    (Some(node), Some(value)) => self.take(node, value),
                    (Some(node), None) => self.strange(node),
                }
                Some(())
            }
        }
    }

    /// Walks over the blocks of an array or a map.
    fn blocks<'m>(
        &mut self,
        reader: &mut AvroReader<'m>,
        mut item: impl FnMut(&mut Self, &mut AvroReader<'m>) -> Option<()>,
    ) -> Option<()> {
        loop {
            let count = reader.long()?;
            if count == 0 {
                return Some(());
            }
            // A negative count is followed by the size of its block.
            let size = if count < 0 {
                Some(reader.length()?)
            } else {
                None
            };
            let before = reader.left();
            for _ in 0..count.checked_abs()? {
                item(self, reader)?;
            }
            if size.is_some_and(|size| before - reader.left() != size) {
                return None;
            }
        }
    }

    /// The node of a key of a map; a duplicate key is a fault.
    fn key(&mut self, node: usize, key: &[u8]) -> Option<usize> {
        let below = self
            .paths
            .node(node)
            .child(std::str::from_utf8(key).ok()?)?;
        if std::mem::replace(&mut self.seen[below], self.object) == self.object {
            self.spoil(below, MisfitKind::Twice);
            return None;
        }
        Some(below)
    }

    /// A value for the fields of a node.
    fn take(&mut self, node: usize, value: AvroValue<'_>) {
        let from = self.values.len();
        let PathStep { fields, .. } = self.paths.node(node);
        if !fields.is_empty() {
            value.put(&mut self.values);
        }
        fields
            .iter()
            .for_each(|&field| self.found[field] = Ok(from..self.values.len()));
        self.leads_nowhere(node);
    }

    /// Handles a value with fields of its own, or a list, where a node may read a value. A list is
    /// no object, and the reverse.
    fn nested(&mut self, node: Option<usize>, object: bool) {
        let Some(node) = node else { return };
        let step = self.paths.node(node);
        let PathStep { keys, fields, .. } = step;
        fields
            .iter()
            .for_each(|&field| self.found[field] = Err(MisfitKind::Nested));
        if object {
            step.list_nodes()
                .for_each(|below| self.spoil(below, MisfitKind::NoList));
        } else {
            keys.iter()
                .for_each(|&(_, below)| self.spoil(below, MisfitKind::Nested));
        }
    }

    /// Handles a value that no column can have.
    fn strange(&mut self, node: usize) {
        let PathStep { fields, .. } = self.paths.node(node);
        fields
            .iter()
            .for_each(|&field| self.found[field] = Err(MisfitKind::Malformed));
        self.leads_nowhere(node);
    }

    /// No path continues through this value.
    fn leads_nowhere(&mut self, node: usize) {
        let step = self.paths.node(node);
        step.keys
            .iter()
            .for_each(|&(_, below)| self.spoil(below, MisfitKind::NoPath));
        step.list_nodes()
            .for_each(|below| self.spoil(below, MisfitKind::NoList));
    }

    /// Sets this fault for all fields of a node and below it.
    fn spoil(&mut self, node: usize, kind: MisfitKind) {
        for field in self.paths.fields_below(node) {
            self.found[field] = Err(kind);
        }
    }
}

/// A primitive value, whose end is always known. `Some(None)`: it is no value for a column.
fn single<'v, 'm: 'v>(
    kind: &'v Type,
    reader: &mut AvroReader<'m>,
) -> Option<Option<AvroValue<'v>>> {
    Some(match kind {
        Type::Boolean => reader.boolean()?.map(AvroValue::Truth),
        Type::Int => reader
            .int()?
            .map(|number| AvroValue::Int(i64::from(number))),
        Type::Date => reader.int()?.map(AvroValue::Days),
        Type::Long => reader.number()?.map(AvroValue::Int),
        Type::Float => Some(AvroValue::Float(f64::from(reader.float()?))),
        Type::Double => Some(AvroValue::Float(reader.double()?)),
        Type::Text => Some(AvroValue::Text(reader.bytes()?)),
        Type::Enum(words) => {
            let choice = reader
                .number()?
                .and_then(|choice| usize::try_from(choice).ok());
            choice
                .and_then(|choice| words.get(choice))
                .map(|word| AvroValue::Text(word.as_bytes()))
        }
        Type::Bytes => {
            reader.bytes()?;
            None
        }
        Type::Fixed(size) => {
            reader.take(*size)?;
            None
        }
        Type::Null | Type::Union(_) | Type::Array(_) | Type::Map(_) | Type::Record(_) => None,
    })
}
