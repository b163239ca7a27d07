//! How raw data is read: decoded formats, including Avro, and the feed file that describes them.

#[path = "../common/mod.rs"]
mod common;

mod avro;
mod cells;
mod decode;
mod feed_file;
mod fuzz;
mod limits;
