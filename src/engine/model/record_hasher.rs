//! The hasher of tables whose keys come from records. Its seed is drawn once for each process, so
//! that an attacker cannot choose values that all fall into one place of a table and make it slow.
//! No result may depend on it: tables hold indices into lists, which have an order of their own.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use foldhash::SharedSeed;
use foldhash::fast::FoldHasher;

static SEED: OnceLock<(u64, SharedSeed)> = OnceLock::new();

/// Makes hashers with the seed of this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordHasher;

impl RecordHasher {
    /// Seeds the hashers of this process, before the first is used; later seeds have no effect.
    /// Without one the seed is the same in all processes.
    pub fn seed(seed: [u64; 2]) {
        SEED.get_or_init(|| (seed[0], SharedSeed::from_u64(seed[1])));
    }
}

impl BuildHasher for RecordHasher {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> FoldHasher<'static> {
        let (own, shared) = SEED.get_or_init(|| (0, SharedSeed::from_u64(0)));
        FoldHasher::with_seed(*own, shared)
    }
}
