//! What the signature of a public file covers (CONTRACTS 4): the kind of the file, the feed and the
//! exact bytes, so that a signature never holds for a file of another kind or of another feed.

/// The version of manifests and notices. Signatures of version 1 cover the bytes of the file alone.
pub(super) const SCHEMA: u32 = 2;

/// Whether this program reads the version.
pub(super) fn is_read(schema: u32) -> bool {
    (1..=SCHEMA).contains(&schema)
}

/// The bytes that a signature covers, of a file of this kind and version.
pub(super) fn signed_bytes(kind: &str, schema: u32, feed: &str, file: Vec<u8>) -> Vec<u8> {
    if schema == 1 {
        return file;
    }
    let mut signed = format!("tidegate {kind} 1\nfeed {feed}\n").into_bytes();
    signed.extend(file);
    signed
}
