//! Checks that a page unpacks to as many bytes as its header declares, for the codecs whose
//! decoders in the library do not stop there. The unpacked bytes are not stored, and the check is
//! only made for pages that could exceed the limit.

use std::io::Read;

use parquet::basic::Compression;

/// The largest compression ratio of a codec, if known.
fn ratio(codec: Compression) -> Option<u64> {
    match codec {
        Compression::GZIP(_) => Some(1_040),
        Compression::LZ4 => Some(256),
        _ => None,
    }
}

/// Whether the decoder stops at the declared size.
pub(super) fn stops(codec: Compression) -> bool {
    !matches!(
        codec,
        Compression::GZIP(_) | Compression::BROTLI(_) | Compression::LZ4
    )
}

/// Whether a packed page of this size can never exceed `most` when it is unpacked.
pub(super) fn is_small(codec: Compression, packed: u64, most: u64) -> bool {
    stops(codec) || ratio(codec).is_some_and(|ratio| packed.saturating_mul(ratio) <= most)
}

/// Whether these bytes unpack to at most `unpacked` bytes. The decoder refuses damaged ones.
pub(super) fn fits(codec: Compression, packed: &[u8], unpacked: u64) -> bool {
    match codec {
        Compression::GZIP(_) => counted(flate2::read::MultiGzDecoder::new(packed), unpacked),
        Compression::BROTLI(_) => counted(brotli::Decompressor::new(packed, 1 << 12), unpacked),
        Compression::LZ4 => counted(lz4_flex::frame::FrameDecoder::new(packed), unpacked),
        _ => true,
    }
}

fn counted(decoder: impl Read, unpacked: u64) -> bool {
    let mut decoder = decoder.take(unpacked.saturating_add(1));
    let mut found = 0;
    let mut block = [0; 1 << 14];
    loop {
        match decoder.read(&mut block) {
            Ok(0) | Err(_) => return found <= unpacked,
            Ok(read) => found += read as u64,
        }
    }
}
