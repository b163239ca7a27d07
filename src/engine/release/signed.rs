//! What the signature of a public file covers (CONTRACTS 4): the kind of the file, the feed and the
//! exact bytes, so that a signature never holds for a file of another kind or of another feed.

/// The version of manifests and notices.
pub(super) const SCHEMA: u32 = 2;

/// The bytes that a signature covers, of a file of this kind.
pub(super) fn signed_bytes(kind: &str, feed: &str, file: &[u8]) -> Vec<u8> {
    let mut signed = format!("tidegate {kind} 1\nfeed {feed}\n").into_bytes();
    signed.extend(file);
    signed
}
