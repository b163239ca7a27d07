//! Whether a page unpacks to as many bytes as its header says, for the codecs whose decoders in the library do not stop there.
//! It is found out without keeping what is unpacked, and only where the page could be larger than any page may be.

use std::io::Read;

use parquet::basic::Compression;

/// How many times larger a page can become, where that is known.
fn ratio(codec: Compression) -> Option<u64> {
    match codec {
        Compression::GZIP(_) => Some(1_040),
        Compression::LZ4 => Some(256),
        _ => None,
    }
}

/// Whether the decoder stops at the size that a page says.
pub fn stops(codec: Compression) -> bool {
    !matches!(codec, Compression::GZIP(_) | Compression::BROTLI(_) | Compression::LZ4)
}

/// Whether a packed page of this size is never larger than `most` when it is unpacked.
pub fn is_small(codec: Compression, packed: u64, most: u64) -> bool {
    stops(codec) || ratio(codec).is_some_and(|ratio| packed.saturating_mul(ratio) <= most)
}

/// Whether these bytes unpack to no more than `unpacked` bytes. What is damaged is for its decoder to refuse.
pub fn fits(codec: Compression, packed: &[u8], unpacked: u64) -> bool {
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
