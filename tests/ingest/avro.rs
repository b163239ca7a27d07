//! Messages in Avro and as Arrow IPC (HOUSE 4, Decoding): the same rows as from JSON, whatever the
//! schema; bytes that are not exactly one record of their schema never count, and are decoded again
//! without the registry.

pub(crate) mod arrow;
mod fastavro;
mod headers;
mod repeats;
mod schemas;
mod set_aside_people;
mod strict;

use crate::common;
use crate::common::avro_write as write;

use std::path::Path;

use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::topic::{
    Batch, DecodedBatch, KnownSchema, SchemaKey, Schemas, Writing, decode,
};
use tidegate::daemon::ingest::{Offer, PersonHasher, TakenRows, retry};
use tidegate::engine::histogram::{CodedRows, MisfitKind};
use tidegate::engine::model::Columns;

/// One column of each kind, one of each role.
const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"born\"\nrole = \"quasi\"\ntaxonomy = { date = [\"month\", \"year\"], from = \"1900-01-01\", to = \"2020-12-31\" }\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\noptional = true\ntaxonomy = { flat = [\"A\", \"B\", \"unknown\"] }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n\
    [[column]]\nname = \"stay\"\nrole = \"sensitive\"\ntype = \"int\"\n\
    [[column]]\nname = \"dose\"\nrole = \"sensitive\"\ntype = \"float\"\n\
    [[column]]\nname = \"smokes\"\nrole = \"sensitive\"\ntype = \"bool\"\n\
    [[column]]\nname = \"seen\"\nrole = \"sensitive\"\ntype = \"date\"\n";

pub(crate) fn columns(feed: &str) -> Columns {
    FeedConfig::parse(feed, Path::new("feed.toml"))
        .unwrap_or_else(|error| panic!("{error}"))
        .columns
}

/// With every column inside another record.
fn under(path: &str) -> Columns {
    let names = [
        "id",
        "age",
        "born",
        "ward",
        "diagnosis",
        "stay",
        "dose",
        "smokes",
        "seen",
    ];
    let put = |feed: String, name: &str| {
        let line = format!("name = \"{name}\"\n");
        feed.replace(&line, &format!("{line}path = \"$.{path}.{name}\"\n"))
    };
    columns(&names.into_iter().fold(FEED.to_owned(), put))
}

fn hasher() -> PersonHasher {
    PersonHasher::new(&[7; 32])
}

fn known(schema: &str) -> KnownSchema {
    KnownSchema::Avro {
        text: schema.to_owned(),
        referred: Vec::new(),
    }
}

/// Messages from offset 0 on, under schemas that are numbered from 1 on.
pub(crate) fn of(schemas: &[&str], messages: &[Vec<u8>]) -> Batch {
    let schemas: Vec<(SchemaKey, KnownSchema)> = (1..)
        .map(SchemaKey::Id)
        .zip(schemas.iter().map(|text| known(text)))
        .collect();
    written(Writing::Avro(Schemas::of(&schemas)), messages)
}

pub(crate) fn written(writing: Writing, messages: &[Vec<u8>]) -> Batch {
    let mut batch = Batch::default();
    batch.writing = writing;
    (0..)
        .zip(messages)
        .for_each(|(offset, message)| batch.push(0, offset, Some(message)));
    batch
}

/// A record after the number of its schema.
fn framed(id: u32, record: &[u8]) -> Vec<u8> {
    [&[0][..], &id.to_be_bytes(), record].concat()
}

pub(crate) fn decoded(batch: &Batch, columns: &Columns) -> DecodedBatch {
    decode("wards", batch, columns, &hasher(), &RecordRules::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The rows of the same objects as JSON.
pub(crate) fn json(objects: &[String], columns: &Columns) -> CodedRows {
    let bytes: Vec<Vec<u8>> = objects
        .iter()
        .map(|object| object.as_bytes().to_vec())
        .collect();
    let decoded = decoded(&written(Writing::Json, &bytes), columns);
    assert!(faults(&decoded).is_empty(), "{:?}", faults(&decoded));
    decoded.rows
}

/// The messages that are set aside: offsets, columns, kinds.
pub(crate) fn faults(decoded: &DecodedBatch) -> Vec<(u64, Option<String>, MisfitKind)> {
    let offers = decoded
        .partitions
        .iter()
        .filter_map(|partition| partition.aside.as_ref());
    let places = offers
        .flat_map(Offer::messages)
        .map(|message| &message.place);
    places
        .map(|place| {
            (
                place.row,
                place.column.as_deref().map(str::to_owned),
                place.kind,
            )
        })
        .collect()
}

/// Offers set-aside messages again, without anything else.
fn again(decoded: &DecodedBatch, columns: &Columns) -> TakenRows {
    let offer = decoded.partitions[0]
        .aside
        .as_ref()
        .expect("something was set aside");
    let offer = Offer::parse(&offer.bytes()).expect("what was written");
    retry(&offer, columns, &hasher(), &RecordRules::default())
        .unwrap_or_else(|error| panic!("{error}"))
}
