//! How raw data come in: formats that are decoded, Avro among them, and the feed file that describes them.

#[path = "../common/mod.rs"]
mod common;

mod avro;
mod cells;
mod decode;
mod feed_file;
mod fuzz;
mod limits;
