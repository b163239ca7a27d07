//! The codes of a class packed into a few words, so that classes are compared and hashed as
//! numbers.

/// The packed codes of a class.
pub(super) type ClassKey<const WORDS: usize> = [u64; WORDS];

/// The position of a column's code in a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyBits {
    word: usize,
    shift: u32,
    mask: u64,
}

impl KeyBits {
    /// Reads the code from a key.
    #[inline]
    pub(super) fn get<const WORDS: usize>(self, key: &ClassKey<WORDS>) -> u32 {
        (key[self.word] >> self.shift & self.mask) as u32
    }

    /// Writes a code into a key.
    #[inline]
    pub(super) fn set<const WORDS: usize>(self, key: &mut ClassKey<WORDS>, code: u32) {
        let word = &mut key[self.word];
        *word = *word & !(self.mask << self.shift) | (u64::from(code) & self.mask) << self.shift;
    }
}

/// The hash of a key: every bit of the key affects the low bits.
#[inline]
pub(super) fn hash<const WORDS: usize>(key: &ClassKey<WORDS>) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = key.iter().fold(ODD, |mixed, word| {
        let product = u128::from(mixed ^ word) * u128::from(ODD);
        product as u64 ^ (product >> 64) as u64
    });
    mixed as usize
}

/// Positions for the codes of columns with these numbers of codes, and how many words they take.
pub(super) fn fields(codes: impl Iterator<Item = usize>) -> (Vec<KeyBits>, usize) {
    let (mut word, mut used) = (0, 0);
    let field = |codes: usize| {
        let bits = codes.max(1).next_power_of_two().trailing_zeros().max(1);
        if used + bits > u64::BITS {
            (word, used) = (word + 1, 0);
        }
        let field = KeyBits {
            word,
            shift: used,
            mask: (1 << bits) - 1,
        };
        used += bits;
        field
    };
    let fields: Vec<KeyBits> = codes.map(field).collect();
    let words = fields.last().map_or(0, |field| field.word) + 1;
    assert!(
        fields.is_sorted_by_key(|field| (field.word, field.shift)),
        "fields lie one behind the other"
    );
    (fields, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_share_no_bits() {
        let sizes = [1, 2, 3, 1 << 20, 1 << 30, 5, 1 << 31];
        let (fields, words) = fields(sizes.into_iter());
        assert_eq!(words, 2);
        let mut key = [0; 2];
        for (at, field) in fields.iter().enumerate() {
            field.set(&mut key, sizes[at] as u32 - 1);
            (0..=at).for_each(|at| assert_eq!(fields[at].get(&key), sizes[at] as u32 - 1));
        }
        fields[3].set(&mut key, 7);
        assert_eq!(
            [2, 3, 4].map(|at: usize| fields[at].get(&key)),
            [2, 7, (1 << 30) - 1]
        );
    }
}
