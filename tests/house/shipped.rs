//! How the program that is shipped is built: numbers that do not fit stop it, and what others
//! compressed is decoded in safe code.

use std::fs;

fn manifest() -> toml::Table {
    toml::from_str(&fs::read_to_string("Cargo.toml").expect("the manifest")).expect("TOML")
}

#[test]
fn numbers_that_do_not_fit_stop_the_shipped_program() {
    let profiles = &manifest()["profile"];
    assert_eq!(profiles["release"]["overflow-checks"].as_bool(), Some(true));
    assert_eq!(profiles["dist"]["inherits"].as_str(), Some("release"));
    assert!(
        profiles["dist"].get("overflow-checks").is_none(),
        "it is that of `release`"
    );
}

/// A match that begins before the first byte: without safe decoding the library copies memory that
/// lies before its buffer.
#[test]
fn lz4_that_refers_to_what_is_not_there_is_refused() {
    let [literal_then_match, offset, last] = [
        &[0x10, b'a'][..],
        &[16, 0],
        &[0x50, b'b', b'c', b'd', b'e', b'f'],
    ];
    let block = [literal_then_match, offset, last].concat();
    assert!(lz4_flex::block::decompress(&block, 64).is_err());
    let whole = [literal_then_match, &[1, 0], last].concat();
    assert_eq!(
        lz4_flex::block::decompress(&whole, 64).expect("a block"),
        b"aaaaabcdef"
    );
}
