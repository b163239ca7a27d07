//! The schemas of messages: a registry's answer about each, and what is stored with set-aside
//! messages, so that they can be decoded again without it. Schemas never change; nothing here
//! queries one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::avro::{Schema, SchemaKey, SchemaPlan};
use crate::engine::histogram::MisfitKind;
use crate::paths::FieldPaths;

/// The stored form of a schema.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KnownSchema {
    /// Its text, and those that it refers to, in an order in which each can be parsed.
    Avro {
        /// The text.
        text: String,
        /// The referenced schemas.
        referred: Vec<String>,
    },
    /// It is no schema of an Avro record.
    Strange,
}

impl KnownSchema {
    /// The number of its bytes.
    pub fn size(&self) -> usize {
        match self {
            KnownSchema::Avro { text, referred } => {
                text.len() + referred.iter().map(|text| text.len() + 8).sum::<usize>()
            }
            KnownSchema::Strange => 0,
        }
    }
}

impl fmt::Debug for KnownSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({} bytes)", self.size())
    }
}

/// A schema that messages may name.
#[derive(Debug, Clone)]
pub struct Named {
    /// Its stored form.
    pub known: Arc<KnownSchema>,
    schema: Option<Arc<Schema>>,
}

impl From<KnownSchema> for Named {
    fn from(known: KnownSchema) -> Named {
        let schema = match &known {
            KnownSchema::Avro { text, referred } => Schema::parse(text, referred).map(Arc::new),
            KnownSchema::Strange => None,
        };
        Named {
            known: Arc::new(known),
            schema,
        }
    }
}

/// The schemas of some messages; one that is not among them does not exist.
#[derive(Debug, Clone, Default)]
pub struct Schemas(BTreeMap<SchemaKey, Named>);

impl Schemas {
    /// From the stored form.
    pub fn of(written: &[(SchemaKey, KnownSchema)]) -> Schemas {
        Schemas(
            written
                .iter()
                .map(|(key, known)| (*key, Named::from(known.clone())))
                .collect(),
        )
    }

    /// Adds a schema.
    pub fn add(&mut self, key: SchemaKey, named: Named) {
        self.0.insert(key, named);
    }

    /// Those that these messages name, in the stored form.
    pub fn kept(&self, keys: impl Iterator<Item = SchemaKey>) -> Vec<(SchemaKey, KnownSchema)> {
        let named =
            keys.filter_map(|key| Some((key, KnownSchema::clone(&self.0.get(&key)?.known))));
        named.collect::<BTreeMap<_, _>>().into_iter().collect()
    }
}

/// For each schema how its fields lead to columns.
pub(crate) struct Plans(BTreeMap<SchemaKey, Option<SchemaPlan>>);

impl Plans {
    /// The paths to these fields.
    pub(super) fn new(schemas: &Schemas, paths: &FieldPaths) -> Plans {
        let plan = |named: &Named| {
            named
                .schema
                .clone()
                .map(|schema| SchemaPlan::new(schema, paths))
        };
        Plans(
            schemas
                .0
                .iter()
                .map(|(key, named)| (*key, plan(named)))
                .collect(),
        )
    }

    /// The plan of a schema.
    ///
    /// # Errors
    /// What is wrong with a message that names it.
    pub(super) fn of(&self, key: SchemaKey) -> Result<&SchemaPlan, MisfitKind> {
        self.0
            .get(&key)
            .ok_or(MisfitKind::NoSchema)?
            .as_ref()
            .ok_or(MisfitKind::StrangeSchema)
    }
}
