//! The profiles of the rows of a table, learned from their labels. Each person has one of sixteen
//! profiles; within a profile the columns are independent of each other. The shares of the
//! profiles, and of the cells of each column within them, are those under which the published
//! labels are most likely (EM for a mixture, also known as latent class analysis; SCIENCE 11,
//! counting).

use super::classes::{CountedClass, CountedClasses};
use super::question::Method;
use super::refusal::refused;
use crate::arithmetic::SmallDraws;

/// The number of profiles.
pub(super) const PROFILES: usize = 16;
/// The number of rounds of EM.
const ROUNDS: u32 = 60;
/// The most classes that are learned from; from a table with more, each fit draws its own sample.
const CLASSES: usize = 4096;
/// The number of pseudo-rows that each profile has per column, and each sensitive value over all
/// profiles, distributed as in the whole table.
const BESIDE: f64 = 1.0;
const BESIDE_VALUE: f64 = 20.0;
/// With this many sensitive values or more, each one is too rare to inform about profiles.
const VALUES: usize = 1 << 12;
/// The lower limit of a share, so that no label becomes impossible.
const LEAST: f64 = 1e-9;

/// One number per profile.
pub(super) type ProfileShares = [f64; PROFILES];

/// One fit of profiles.
pub(super) struct Profiles {
    /// The share of each profile.
    shares: ProfileShares,
    /// For each column the share of each cell within the profile, summed over the cells before it.
    sums: Vec<Vec<ProfileShares>>,
    /// For each sensitive value how much more frequent it is in the profile than in the table;
    /// empty if values are not used.
    values: Vec<ProfileShares>,
    /// The smallest number of people of a class; `None` if refused splits are ignored.
    fewest: Option<u64>,
}

/// The possible positions of the rows of a class.
pub(super) struct RowPlaces {
    /// The weight of each profile in the class.
    weights: ProfileShares,
    /// For each column the share of its cells in the profile, with each part of a refused split
    /// multiplied by its factor.
    inside: Vec<ProfileShares>,
    /// For each column the factors of the two parts.
    factors: Vec<[f64; 2]>,
}

/// The settings of a fit.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    /// The seed of the draws.
    pub seed: u64,
    /// Whether the classes are drawn again and refused splits are ignored: the estimate of a less
    /// informed reader.
    pub other: bool,
}

impl Profiles {
    /// Even shares, as a single profile.
    pub(super) fn even(classes: &CountedClasses) -> Profiles {
        let even =
            |starts: &Vec<usize>| starts.iter().map(|&leaf| [leaf as f64; PROFILES]).collect();
        let shares = each(|profile| if profile == 0 { 1.0 } else { 0.0 });
        Profiles {
            shares,
            sums: classes.cells.iter().map(even).collect(),
            values: Vec::new(),
            fewest: None,
        }
    }

    /// Learns the profiles of a table.
    pub(super) fn learn(classes: &CountedClasses, method: Method, fit: Fit) -> Profiles {
        assert!(!classes.all.is_empty(), "there are classes to learn from");
        let mut source = SmallDraws::new(fit.seed);
        let drawn = CLASSES as f64 / classes.all.len() as f64;
        let mut some = Vec::with_capacity(classes.all.len().min(2 * CLASSES));
        for class in &classes.all {
            if drawn >= 1.0 || source.share() <= drawn {
                some.push((class, if fit.other { source.exponential() } else { 1.0 }));
            }
        }
        let mut columns: Vec<Vec<ProfileShares>> = Vec::with_capacity(classes.cells.len());
        for starts in &classes.cells {
            let leaves = |cell: &[usize]| (cell[1] - cell[0]) as f64;
            columns.push(
                starts
                    .windows(2)
                    .map(|cell| each(|_| leaves(cell) * source.exponential()))
                    .collect(),
            );
        }
        columns.iter_mut().for_each(|column| normalise(column, 0.0));
        let fewest = match method {
            Method::Em { fewest, refusals } if refusals > 0 && !fit.other => Some(fewest),
            _ => None,
        };
        let values = if classes.values > 1 && classes.values <= VALUES {
            classes.values
        } else {
            0
        };
        let even = [1.0 / PROFILES as f64; PROFILES];
        let sums = columns.iter().map(|column| summed(column)).collect();
        let mut profiles = Profiles {
            shares: even,
            sums,
            values: vec![[1.0; PROFILES]; values],
            fewest,
        };
        (0..ROUNDS).for_each(|_| profiles.round(&some, &mut columns));
        profiles
    }

    /// One round of EM.
    fn round(&mut self, classes: &[(&CountedClass, f64)], columns: &mut [Vec<ProfileShares>]) {
        let mut rows = [0.0; PROFILES];
        // The differences from one cell to the next.
        let mut steps: Vec<Vec<ProfileShares>> = self
            .sums
            .iter()
            .map(|sums| vec![[0.0; PROFILES]; sums.len()])
            .collect();
        let mut values = vec![[0.0; PROFILES]; self.values.len()];
        for (class, weight) in classes {
            let placed = self.place(class);
            let of_class = self.rows_of(class, &placed, |value, of_value| {
                values
                    .get_mut(value)
                    .into_iter()
                    .for_each(|sum| add(sum, times(&of_value, *weight)));
                true
            });
            let of_class = times(&of_class, *weight);
            add(&mut rows, of_class);
            for (column, steps) in steps.iter_mut().enumerate() {
                let ([first, second], cells) = (placed.factors[column], &class.cells[column]);
                let inside = &placed.inside[column];
                let divided = each(|profile| of_class[profile] / inside[profile]);
                add(&mut steps[cells.start], times(&divided, first));
                add(
                    &mut steps[class.middle[column]],
                    times(&divided, second - first),
                );
                add(&mut steps[cells.end], times(&divided, -second));
            }
        }
        for ((column, steps), sums) in columns.iter_mut().zip(steps).zip(&mut self.sums) {
            let mut factor = [0.0; PROFILES];
            for (cell, step) in column.iter_mut().zip(steps) {
                add(&mut factor, step);
                // Outside all labels, rounding may leave a small negative number.
                *cell = each(|profile| cell[profile] * factor[profile].max(0.0));
            }
            normalise(column, BESIDE);
            *sums = summed(column);
        }
        let all: f64 = rows.iter().sum();
        assert!(all > 0.0 && all.is_finite(), "the classes have rows");
        for (value, of_value) in self.values.iter_mut().zip(values) {
            let sum: f64 = of_value.iter().sum::<f64>() + BESIDE_VALUE;
            *value = each(|profile| {
                let share = (rows[profile] / all).max(LEAST);
                (of_value[profile] + BESIDE_VALUE * share) / (sum * share)
            });
        }
        self.shares = each(|profile| (rows[profile] / all).max(LEAST));
    }

    /// The possible positions of the rows of a class, whatever their sensitive values are.
    pub(super) fn place(&self, class: &CountedClass) -> RowPlaces {
        assert_eq!(class.cells.len(), self.sums.len(), "cells of each column");
        let (mut weights, mut inside) = (self.shares, Vec::with_capacity(self.sums.len()));
        for (sums, cells) in self.sums.iter().zip(&class.cells) {
            let share: ProfileShares =
                each(|profile| sums[cells.end][profile] - sums[cells.start][profile]);
            weights = each(|profile| weights[profile] * share[profile]);
            // Prevents many columns from rounding the weights of a class to 0.
            weights = times(&weights, 1.0 / greatest(&weights));
            inside.push(share);
        }
        let mut factors = vec![[1.0; 2]; self.sums.len()];
        let Some(fewest) = self.fewest else {
            return RowPlaces {
                weights,
                inside,
                factors,
            };
        };
        let (all, likely): (f64, ProfileShares) = (total(&weights), weights);
        for (column, factors) in factors.iter_mut().enumerate() {
            let (cells, middle) = (&class.cells[column], class.middle[column]);
            if middle == cells.end {
                continue;
            }
            let part = |profile: usize| {
                self.sums[column][middle][profile] - self.sums[column][cells.start][profile]
            };
            let of_all = each(|profile| likely[profile] * part(profile) / inside[column][profile]);
            let share = total(&of_all) / all;
            *factors = [share, 1.0 - share].map(|share| refused(class.rows, fewest, share));
            let [first, second] = *factors;
            for profile in 0..PROFILES {
                let whole = inside[column][profile];
                inside[column][profile] = first * part(profile) + second * (whole - part(profile));
                weights[profile] *= inside[column][profile] / whole;
            }
        }
        RowPlaces {
            weights,
            inside,
            factors,
        }
    }

    /// The rows of a class in each profile, with the wanted sensitive values only.
    pub(super) fn rows_of(
        &self,
        class: &CountedClass,
        placed: &RowPlaces,
        mut wanted: impl FnMut(usize, ProfileShares) -> bool,
    ) -> ProfileShares {
        let mut all = [0.0; PROFILES];
        for &(value, rows) in &class.values {
            let weights: ProfileShares = match self.values.get(value) {
                Some(factors) => each(|profile| placed.weights[profile] * factors[profile]),
                None => placed.weights,
            };
            let factor = rows as f64 / total(&weights);
            let of_value = times(&weights, factor);
            if wanted(value, of_value) {
                add(&mut all, of_value);
            }
        }
        all
    }

    /// The share of each cell of a column in each profile.
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = ProfileShares> + '_ {
        self.sums[column]
            .windows(2)
            .map(|sums| each(|profile| sums[1][profile] - sums[0][profile]))
    }
}

impl RowPlaces {
    /// The share of a class in some cells of its column, by profile: cells of the first part of a
    /// refused split, and of the second.
    pub(super) fn share(&self, column: usize, parts: [ProfileShares; 2]) -> ProfileShares {
        let [first, second] = self.factors[column];
        each(|profile| {
            (first * parts[0][profile] + second * parts[1][profile]) / self.inside[column][profile]
        })
    }
}

/// One number per profile. The loop compiles to vector instructions, which `array::from_fn` and
/// `map` with these closures do not.
#[inline(always)]
pub(super) fn each(mut number: impl FnMut(usize) -> f64) -> ProfileShares {
    let mut numbers = [0.0; PROFILES];
    for (profile, place) in numbers.iter_mut().enumerate() {
        *place = number(profile);
    }
    numbers
}

/// The numbers of each profile, multiplied by a factor.
#[inline(always)]
fn times(numbers: &ProfileShares, factor: f64) -> ProfileShares {
    each(|profile| numbers[profile] * factor)
}

/// The sum over all profiles, added in pairs.
#[inline(always)]
fn total(numbers: &ProfileShares) -> f64 {
    let eight: [f64; 8] = halved(numbers, |one, other| one + other);
    let four: [f64; 4] = halved(&eight, |one, other| one + other);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// The largest of the numbers.
#[inline(always)]
fn greatest(numbers: &ProfileShares) -> f64 {
    let greater = |one: f64, other: f64| if one > other { one } else { other };
    let eight: [f64; 8] = halved(numbers, greater);
    let four: [f64; 4] = halved(&eight, greater);
    greater(greater(four[0], four[2]), greater(four[1], four[3]))
}

/// Combines each number of the first half with that of the second.
#[inline(always)]
fn halved<const ALL: usize, const HALF: usize>(
    numbers: &[f64; ALL],
    join: impl Fn(f64, f64) -> f64,
) -> [f64; HALF] {
    let mut half = [0.0; HALF];
    for (at, place) in half.iter_mut().enumerate() {
        *place = join(numbers[at], numbers[at + HALF]);
    }
    half
}

/// Adds the numbers of each profile.
#[inline(always)]
pub(super) fn add(sums: &mut ProfileShares, numbers: ProfileShares) {
    for (profile, sum) in sums.iter_mut().enumerate() {
        *sum += numbers[profile];
    }
}

/// The sums over the cells before each cell, and over all of them.
pub(super) fn summed(cells: &[ProfileShares]) -> Vec<ProfileShares> {
    let mut sums = vec![[0.0; PROFILES]];
    for cell in cells {
        let mut sum = sums[sums.len() - 1];
        add(&mut sum, *cell);
        sums.push(sum);
    }
    assert_eq!(
        sums.len(),
        cells.len() + 1,
        "a sum before each cell, and of all"
    );
    sums
}

/// Converts the rows of each cell into shares, after adding `beside` rows that are distributed as
/// in all profiles together.
fn normalise(cells: &mut [ProfileShares], beside: f64) {
    assert!(beside >= 0.0, "what lies beside has no negative weight");
    let mut rows = [0.0; PROFILES];
    cells.iter().for_each(|cell| add(&mut rows, *cell));
    let all: f64 = rows.iter().sum();
    for cell in cells {
        let more = beside * cell.iter().sum::<f64>() / all;
        *cell = each(|profile| ((cell[profile] + more) / (rows[profile] + beside)).max(LEAST));
    }
}
