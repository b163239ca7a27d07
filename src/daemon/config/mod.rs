//! Feed files and taxonomies: text in, settings out, errors with the line they are on.

pub mod hierarchy;
