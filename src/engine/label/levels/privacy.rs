//! Which classes may be published (SCIENCE 4): by their number of rows, and by figures of their
//! sensitive values. Other classes are suppressed.

use super::ground_distance::Ground;

/// Whether a class is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassFate {
    /// It may be published.
    Published,
    /// It is suppressed, but parts of it may be published in a finer state.
    Suppressed,
    /// It is suppressed, and so is every part of it in finer states.
    SuppressedWithParts,
}

/// A limit on a figure of the sensitive values of a class.
#[derive(Debug, Clone, PartialEq)]
pub enum Diverse {
    /// At least this many distinct values.
    Distinct(u64),
    /// exp(entropy) is at least this.
    Entropy(f64),
    /// The most frequent value occurs less than `c` times as often as the `l`-th and all rarer ones
    /// together.
    Recursive {
        /// The factor c.
        c: f64,
        /// The rank l.
        l: usize,
    },
    /// No value has a larger share.
    Alpha(f64),
    /// The distance ½ Σ |p − q| to the whole table is at most this.
    Close(f64),
    /// The distance in a taxonomy to the whole table is at most this.
    CloseInTree {
        /// The largest distance.
        most: f64,
        /// The positions of the values.
        ground: Ground,
    },
    /// Values of a guarded set together have no larger share.
    Confidence {
        /// The largest share.
        most: f64,
        /// The numbers of these values, ascending.
        guarded: Vec<u32>,
    },
}

/// Which classes may be published.
#[derive(Debug, Clone, PartialEq)]
pub struct Privacy {
    /// The smallest number of rows of a class.
    pub k: u64,
    /// The limits on its sensitive values.
    pub diverse: Vec<Diverse>,
}

/// Floats within this distance of a limit count as equal to it.
const ROUNDING: f64 = 1e-12;

impl Privacy {
    /// Classes of at least `k` rows.
    pub fn k(k: u64) -> Privacy {
        assert!(k >= 1, "a class has at least one person");
        Privacy {
            k,
            diverse: Vec::new(),
        }
    }

    /// Whether every part of a class that fails, fails too.
    pub fn is_inherited(&self) -> bool {
        self.diverse
            .iter()
            .all(|diverse| matches!(diverse, Diverse::Distinct(_)))
    }

    /// Whether sensitive values are needed.
    pub fn looks_at_values(&self) -> bool {
        !self.diverse.is_empty()
    }

    /// Whether a class with these numbers of rows per value is published; `table` is the share of
    /// each value in the whole table.
    #[inline]
    pub(super) fn fate(&self, rows: u64, values: &[(u32, u32)], table: &[f64]) -> ClassFate {
        if rows < self.k {
            return ClassFate::SuppressedWithParts;
        }
        let mut fate = ClassFate::Published;
        for diverse in &self.diverse {
            match diverse {
                // A part has no value that the whole class lacks.
                Diverse::Distinct(least) if (values.len() as u64) < *least => {
                    return ClassFate::SuppressedWithParts;
                }
                Diverse::Distinct(_) => {}
                other if !other.holds(rows, values, table) => fate = ClassFate::Suppressed,
                _ => {}
            }
        }
        fate
    }
}

impl Diverse {
    fn holds(&self, rows: u64, values: &[(u32, u32)], table: &[f64]) -> bool {
        let share = |count: u32| f64::from(count) / rows as f64;
        match *self {
            Diverse::CloseInTree { most, ref ground } => {
                ground.distance(rows, values) <= most + ROUNDING
            }
            Diverse::Confidence { most, ref guarded } => {
                let held = values
                    .iter()
                    .filter(|(value, _)| guarded.binary_search(value).is_ok());
                held.map(|&(_, count)| u64::from(count)).sum::<u64>() as f64 / rows as f64
                    <= most + ROUNDING
            }
            Diverse::Distinct(least) => values.len() as u64 >= least,
            Diverse::Entropy(least) => {
                let entropy: f64 = values
                    .iter()
                    .map(|&(_, count)| -share(count) * share(count).ln())
                    .sum();
                entropy >= least.ln() - ROUNDING
            }
            Diverse::Recursive { c, l } => {
                let mut counts: Vec<u32> = values.iter().map(|&(_, count)| count).collect();
                counts.sort_unstable_by(|one, other| other.cmp(one));
                let tail: u64 = counts
                    .iter()
                    .skip(l.saturating_sub(1))
                    .map(|&count| u64::from(count))
                    .sum();
                counts
                    .first()
                    .is_none_or(|&most| f64::from(most) / (tail as f64) < c - ROUNDING)
            }
            Diverse::Alpha(most) => values
                .iter()
                .all(|&(_, count)| share(count) <= most + ROUNDING),
            Diverse::Close(most) => {
                let here: f64 = values
                    .iter()
                    .map(|&(value, count)| (share(count) - table[value as usize]).abs())
                    .sum();
                let elsewhere = 1.0
                    - values
                        .iter()
                        .map(|&(value, _)| table[value as usize])
                        .sum::<f64>();
                (here + elsewhere) / 2.0 <= most + ROUNDING
            }
        }
    }
}
