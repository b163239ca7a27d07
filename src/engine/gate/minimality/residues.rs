//! Counts the assignments under which no class violates (SCIENCE 5, the product of truncated
//! binomial polynomials), modulo as many primes as the length of the result requires. With H_i = z
//! P_i' / P_i the product F = Π P_i^m_i satisfies z F' = F Σ m_i H_i, and the marginals of kind i
//! need one coefficient of H_i F: no product without a factor is ever formed, and equal classes
//! cost as much as one.

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::arithmetic::bits_of_choose;
use crate::primes::{self, inverses, power, times};

/// The factor P = Σ C(rows, j) z^j over low ≤ j ≤ high, with its multiplicity.
pub(super) struct Factor {
    pub rows: u64,
    pub low: u64,
    pub high: u64,
    pub times: u64,
}

/// Counts of the assignments under which no class violates.
pub(super) struct CountResidues {
    /// The number of assignments.
    pub all: BigUint,
    /// For each factor, the sensitive rows in one class of it, summed over all assignments.
    pub marked: Vec<BigUint>,
}

impl CountResidues {
    /// The counts if there is no assignment.
    pub(super) fn nothing(factors: usize) -> CountResidues {
        CountResidues {
            all: BigUint::ZERO,
            marked: vec![BigUint::ZERO; factors],
        }
    }
}

/// The steps of [`kept`], for these numbers of rows and sensitive rows.
pub(super) fn cost(factors: &[Factor], rows: u64, sensitive: u64) -> u64 {
    let Some(degree) = degree(factors, sensitive) else {
        return 0;
    };
    let most = factors.iter().map(|factor| factor.rows).max().unwrap_or(0);
    let primes =
        (bits_of_choose(rows, sensitive) + u64::from(most.max(1).ilog2()) + 1) / primes::BITS + 1;
    // Every coefficient of every factor is reduced a few times, which costs as much as the same
    // number of products.
    let of_factor = |factor: &Factor| match factor.is_whole(sensitive) {
        true => degree.saturating_mul(16),
        false => degree.saturating_mul((factor.high - factor.low).min(degree) + 32),
    };
    let steps = factors
        .iter()
        .fold(degree.saturating_mul(degree / 2 + 1), |sum, factor| {
            sum.saturating_add(of_factor(factor))
        });
    primes.saturating_mul(steps)
}

/// Counts; `limit` must be at least as large as every count.
pub(super) fn kept(factors: &[Factor], sensitive: u64, limit: &BigUint) -> CountResidues {
    let Some(degree) = degree(factors, sensitive) else {
        return CountResidues::nothing(factors.len());
    };
    let primes = primes::largest((limit.bits() / primes::BITS + 1) as usize);
    let residues: Vec<Vec<u64>> = primes
        .par_iter()
        .map(|&prime| modulo(factors, sensitive, degree, prime))
        .collect();
    let mut whole = combined(&primes, &residues);
    assert!(
        whole.iter().all(|count| count <= limit),
        "a count is no larger than what it is counted among"
    );
    let all = whole.remove(0);
    CountResidues { all, marked: whole }
}

/// The degree that remains when every factor has contributed its lowest power; `None` if they
/// exceed it.
fn degree(factors: &[Factor], sensitive: u64) -> Option<u64> {
    factors.iter().try_fold(sensitive, |left, factor| {
        left.checked_sub(factor.low.checked_mul(factor.times)?)
    })
}

impl Factor {
    /// Whether the factor equals (1 + z)^rows in all coefficients that are used.
    fn is_whole(&self, sensitive: u64) -> bool {
        self.low == 0 && self.high >= self.rows.min(sensitive)
    }

    /// C(rows, low), and the polynomial divided by it: from z^low on, beginning with 1.
    fn terms(&self, degree: usize, inverse: &[u64], prime: u64) -> (u64, Vec<u64>) {
        let next = |term: u64, j: u64| {
            times(
                times(term, self.rows - j, prime),
                inverse[j as usize + 1],
                prime,
            )
        };
        let lead = (0..self.low).fold(1, next);
        let mut terms = vec![1];
        for j in (self.low..self.high).take(degree) {
            terms.push(next(terms[terms.len() - 1], j));
        }
        (lead, terms)
    }

    /// z P' / P without its constant term, which is `low`.
    fn slope(&self, terms: &[u64], degree: usize, sensitive: u64, prime: u64) -> Vec<u64> {
        if self.is_whole(sensitive) {
            // rows · z / (1 + z)
            let mut slope: Vec<u64> = (0..=degree)
                .map(|k| [prime - self.rows, self.rows][k % 2])
                .collect();
            slope[0] = 0;
            return slope;
        }
        let mut slope = Vec::with_capacity(degree + 1);
        slope.push(0);
        for k in 1..=degree {
            let reach = (terms.len() - 1).min(k - 1);
            let taken = dot(&terms[1..=reach], &slope[k - reach..k], prime);
            let term = terms.get(k).map_or(0, |&term| times(term, k as u64, prime));
            slope.push((term + prime - taken) % prime);
        }
        slope
    }
}

/// All counts modulo one prime: that of F, then those of the factors.
fn modulo(factors: &[Factor], sensitive: u64, degree: u64, prime: u64) -> Vec<u64> {
    let degree = usize::try_from(degree).expect("a degree within the budget");
    let most = factors
        .iter()
        .map(|factor| factor.high)
        .max()
        .unwrap_or(0)
        .max(sensitive) as usize;
    let inverse = inverses(most, prime);
    let (mut lead, mut sum) = (1, vec![0u64; degree + 1]);
    let mut slopes = Vec::with_capacity(factors.len());
    for factor in factors {
        let (first, terms) = factor.terms(degree, &inverse, prime);
        lead = times(lead, power(first, factor.times, prime), prime);
        let slope = factor.slope(&terms, degree, sensitive, prime);
        for (sum, &slope) in sum.iter_mut().zip(&slope) {
            *sum = (*sum + times(slope, factor.times, prime)) % prime;
        }
        slopes.push(slope);
    }
    let mut product = vec![1];
    for k in 1..=degree {
        let taken = dot(&sum[1..=k], &product[..k], prime);
        product.push(times(taken, inverse[k], prime));
    }
    let all = times(lead, product[degree], prime);
    let marked = factors.iter().zip(&slopes).map(|(factor, slope)| {
        let above = times(lead, dot(&slope[1..], &product[..degree], prime), prime);
        (above + times(factor.low, all, prime)) % prime
    });
    [all].into_iter().chain(marked).collect()
}

/// Σ a[i] · b[last − i]. Four products stay below 2^124, and the carried sum below prime · 2^64 <
/// 2^125.
fn dot(a: &[u64], b: &[u64], prime: u64) -> u64 {
    assert_eq!(a.len(), b.len(), "vectors of one length");
    let limit = u128::from(prime) << 64;
    let mut sum = 0u128;
    let mut fold = |part: u128| {
        sum += part;
        if sum >= limit {
            sum -= limit;
        }
    };
    let (a, b) = (a.chunks_exact(4), b.rchunks_exact(4));
    let product = |(a, b): (&u64, &u64)| u128::from(*a) * u128::from(*b);
    fold(
        a.remainder()
            .iter()
            .zip(b.remainder().iter().rev())
            .map(product)
            .sum(),
    );
    for (a, b) in a.zip(b) {
        fold(
            product((&a[0], &b[3]))
                + product((&a[1], &b[2]))
                + product((&a[2], &b[1]))
                + product((&a[3], &b[0])),
        );
    }
    (sum % u128::from(prime)) as u64
}

/// The numbers below the product of the primes with these residues, by the Chinese remainder
/// theorem.
fn combined(primes: &[u64], residues: &[Vec<u64>]) -> Vec<BigUint> {
    assert_eq!(primes.len(), residues.len(), "residues for each prime");
    let mut whole = vec![BigUint::ZERO; residues[0].len()];
    let mut modulus = BigUint::from(1u8);
    for (&prime, residues) in primes.iter().zip(residues) {
        let inverse = power(below(&modulus, prime), prime - 2, prime);
        for (whole, &residue) in whole.iter_mut().zip(residues) {
            let missing = (residue + prime - below(whole, prime)) % prime;
            *whole += &modulus * times(missing, inverse, prime);
        }
        modulus *= prime;
    }
    whole
}

fn below(number: &BigUint, prime: u64) -> u64 {
    (number % prime)
        .to_u64_digits()
        .first()
        .copied()
        .unwrap_or(0)
}
