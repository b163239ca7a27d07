//! A writer's schema (Avro 1.12, Schema Declaration): parsed once, into a list of types that refer
//! to each other by index, so that a recursive schema is as short as any other. It does not say
//! which fields are read.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::names::{defined, is_plain, whole};

/// The most types of a schema.
const MOST_TYPES: usize = 1 << 14;
/// The most levels of nested definitions.
const DEEPEST: usize = 64;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// No value.
    Null,
    /// A truth value.
    Boolean,
    /// A whole number of 32 bits.
    Int,
    /// Days since 1970-01-01.
    Date,
    /// A whole number of 64 bits.
    Long,
    /// A number of 32 bits.
    Float,
    /// A number of 64 bits.
    Double,
    /// Bytes, also for decimals.
    Bytes,
    /// Text.
    Text,
    /// A fixed number of bytes.
    Fixed(usize),
    /// One of these words.
    Enum(Vec<Box<str>>),
    /// Any number of values of a type.
    Array(usize),
    /// Any number of values of a type, each with a key.
    Map(usize),
    /// One of these types.
    Union(Vec<usize>),
    /// These fields, one after the other.
    Record(Vec<(Box<str>, usize)>),
}

/// The types of a schema.
#[derive(Debug)]
pub(crate) struct Schema {
    types: Vec<Type>,
    root: usize,
}

impl Schema {
    /// Parses the text of a schema and those that it refers to, which come first. `None` if it is
    /// no schema of a record, or one that no writer needs.
    pub(crate) fn parse(text: &str, referred: &[impl AsRef<str>]) -> Option<Schema> {
        let mut parser = Parser::default();
        for text in referred {
            parser.definition(&serde_json::from_str(text.as_ref()).ok()?, "", 0)?;
        }
        let root = parser.definition(&serde_json::from_str(text).ok()?, "", 0)?;
        let types = parser.types.into_iter().collect::<Option<Vec<Type>>>()?;
        matches!(types[root], Type::Record(_)).then_some(Schema { types, root })
    }

    /// The type at an index.
    pub(crate) fn at(&self, place: usize) -> &Type {
        &self.types[place]
    }

    /// The index of the record of a message.
    pub(crate) fn root(&self) -> usize {
        self.root
    }
}

/// The definitions so far.
#[derive(Default)]
struct Parser {
    /// `None` while the definition is not complete.
    types: Vec<Option<Type>>,
    named: BTreeMap<String, usize>,
}

impl Parser {
    fn add(&mut self, new: Option<Type>) -> Option<usize> {
        (self.types.len() < MOST_TYPES).then(|| self.types.push(new))?;
        Some(self.types.len() - 1)
    }

    /// The index of a type that is written here.
    fn definition(&mut self, written: &Json, namespace: &str, depth: usize) -> Option<usize> {
        if depth > DEEPEST {
            return None;
        }
        match written {
            Json::String(word) if is_plain(word) => self.add(plain(word)),
            Json::String(word) => {
                let known = self.named.get(&whole(word, namespace));
                known.or_else(|| self.named.get(word)).copied()
            }
            Json::Array(branches) => {
                let branches = branches
                    .iter()
                    .map(|branch| self.definition(branch, namespace, depth + 1));
                let branches: Vec<usize> = branches.collect::<Option<_>>()?;
                let nested = branches
                    .iter()
                    .any(|&at| matches!(self.types[at], Some(Type::Union(_))));
                (!branches.is_empty() && !nested).then(|| self.add(Some(Type::Union(branches))))?
            }
            Json::Object(definition) => self.object(definition, namespace, depth),
            _ => None,
        }
    }

    fn object(
        &mut self,
        definition: &Map<String, Json>,
        namespace: &str,
        depth: usize,
    ) -> Option<usize> {
        let inner = |parser: &mut Parser, key: &str| {
            parser.definition(definition.get(key)?, namespace, depth + 1)
        };
        let word = match definition.get("type")? {
            Json::String(word) => word.as_str(),
            // Some writers wrap a definition in another one without further content.
            _ => return inner(self, "type"),
        };
        match word {
            "record" | "error" | "enum" | "fixed" => {
                self.naming(word, definition, namespace, depth)
            }
            "array" => {
                let items = inner(self, "items")?;
                self.add(Some(Type::Array(items)))
            }
            "map" => {
                let values = inner(self, "values")?;
                self.add(Some(Type::Map(values)))
            }
            "int" if is_date(definition) => self.add(Some(Type::Date)),
            _ => inner(self, "type"),
        }
    }

    /// A definition that names its type.
    fn naming(
        &mut self,
        word: &str,
        definition: &Map<String, Json>,
        namespace: &str,
        depth: usize,
    ) -> Option<usize> {
        let (name, inside) = defined(definition, namespace)?;
        // The name is known inside the definition.
        let place = self.add(None)?;
        if is_plain(&name) || self.named.insert(name, place).is_some() {
            return None;
        }
        let new = match word {
            "enum" => {
                let words = definition.get("symbols")?.as_array()?.iter();
                Type::Enum(
                    words
                        .map(|word| Some(word.as_str()?.into()))
                        .collect::<Option<_>>()?,
                )
            }
            "fixed" => Type::Fixed(usize::try_from(definition.get("size")?.as_u64()?).ok()?),
            _ => {
                let mut fields: Vec<(Box<str>, usize)> = Vec::new();
                for field in definition.get("fields")?.as_array()? {
                    let name = field.get("name")?.as_str()?;
                    let kind = self.definition(field.get("type")?, &inside, depth + 1)?;
                    (!fields.iter().any(|(known, _)| **known == *name))
                        .then(|| fields.push((name.into(), kind)))?;
                }
                Type::Record(fields)
            }
        };
        self.types[place] = Some(new);
        Some(place)
    }
}

fn plain(word: &str) -> Option<Type> {
    Some(match word {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        "bytes" => Type::Bytes,
        "string" => Type::Text,
        _ => return None,
    })
}

/// Whether whole numbers are days: by Avro's logical type, or by that of Debezium.
fn is_date(definition: &Map<String, Json>) -> bool {
    let says = |key: &str, word: &str| definition.get(key).and_then(Json::as_str) == Some(word);
    says("logicalType", "date") || says("connect.name", "io.debezium.time.Date")
}
