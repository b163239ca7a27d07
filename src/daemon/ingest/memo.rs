//! Caches the codes of texts, so that repeated labels are decoded once per batch. It decides
//! nothing.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::engine::histogram::MisfitKind;
use crate::engine::model::RecordHasher;

const HASHER: RecordHasher = RecordHasher;
/// The most cached texts; a column with more distinct ones gains little.
const MOST: usize = 1 << 14;
/// Longer texts are hardly labels.
const LONGEST: usize = 64;

/// The cached codes of texts.
#[derive(Default)]
pub(crate) struct Memo {
    bytes: Vec<u8>,
    known: Vec<Known>,
    table: HashTable<u32>,
}

struct Known {
    from: u32,
    to: u32,
    code: Result<u32, MisfitKind>,
}

impl Memo {
    /// The code of a text; `make` computes it if the text is new.
    pub(crate) fn code<F>(&mut self, text: &[u8], make: F) -> Result<u32, MisfitKind>
    where
        F: FnOnce() -> Result<u32, MisfitKind>,
    {
        if text.len() > LONGEST {
            return make();
        }
        let hash = HASHER.hash_one(text);
        let Memo {
            bytes,
            known,
            table,
        } = self;
        let same = |&at: &u32| {
            bytes[known[at as usize].from as usize..known[at as usize].to as usize] == *text
        };
        if let Some(&at) = table.find(hash, same) {
            return known[at as usize].code;
        }
        let code = make();
        if known.len() < MOST {
            let (from, at) = (bytes.len() as u32, known.len() as u32);
            bytes.extend_from_slice(text);
            known.push(Known {
                from,
                to: bytes.len() as u32,
                code,
            });
            let hash_of = |&at: &u32| {
                let Known { from, to, .. } = known[at as usize];
                HASHER.hash_one(&bytes[from as usize..to as usize])
            };
            table.insert_unique(hash, at, hash_of);
        }
        code
    }
}
